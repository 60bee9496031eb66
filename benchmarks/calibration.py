"""What is said with 90 %: is it right 9 times in 10? Bootstrap frequencies against known truths.

``python benchmarks/calibration.py`` draws tables of random graphs and published networks, bootstraps each, and compares how often
something came with how often it is true: of pairs, whether they are adjacent in the true PAG; of each end of a pair, whether the edge
is there with that mark. The maps of ``dicola.calibration`` are fitted on design tables and checked on held-out ones. Writes
``benchmarks/calibration.json``, the figure ``docs/images/calibration.svg`` and the table in ``docs/howto/how-sure.md``. With
``--kept DIR`` what was counted is kept there, and a run that was stopped goes on; ``--modes exact --tables design`` makes a part;
``--circles`` adds what becomes of the marks where circles take the place of those that are not sure.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit

import dicola
from dicola import DAG, PAG, DiCoLa, metrics, simulate
from dicola.calibration import Map
from dicola.graphs.marks import Mark

TABLES = {"design": dict.fromkeys(("exact", "balanced"), range(200)), "held out": dict.fromkeys(("exact", "balanced"), range(1000, 1200))}
CIRCLES, MOST_FOR_CIRCLES, FEW_REPLICATES = range(4000, 4120), 22, 50  # tables of few columns, for time
MODES = ("exact", "balanced")
REPLICATES = 100
CLAIMS = ("adjacency", "circle", "arrow", "tail")
LOW, HIGH, BINS = 0.05, 0.95, 9
KINDS = ("uniform", "scale-free", "modular", "network")
NETWORKS = ("asia", "sachs", "child", "alarm", "insurance", "mildew")
HERE = Path(__file__).parent
RECORD, FIGURE, PAGE = HERE / "calibration.json", HERE.parent / "docs/images/calibration.svg", HERE.parent / "docs/howto/how-sure.md"
BEGIN, END = "<!-- calibration:begin, by benchmarks/calibration.py -->", "<!-- calibration:end -->"
WIDE, HIGH_BOX, COLOURS = 250, 200, {"frequency": "#b3541e", "confidence": "#1f5fa8"}

Rows = NDArray[np.float64]
"""Frequency, truth (0 or 1), claim, seed: a row per pair, and per end and mark, that came at least once."""


class Simulated(NamedTuple):
    """A table and the PAG that perfect answers would give."""

    kind: str
    truth: PAG
    frame: object


def simulated(seed: int) -> Simulated:
    """A table by its seed: a random graph or a network, some variables hidden, weak or strong effects, few or many rows."""
    rng = np.random.default_rng([21, seed])
    kind = KINDS[seed % len(KINDS)]
    dag = _graph(kind, seed, rng)
    with_children = sum(len(dag.children(name)) > 1 for name in dag.names)
    hidden = simulate.hide(dag, min(max(1, len(dag.names) // 10), with_children), seed=seed)
    rows, effects = int(rng.choice([200, 500, 1000, 2000, 5000])), ((0.5, 1.0), (0.2, 0.8))[int(rng.integers(2))]
    frame = simulate.linear_gaussian(dag, rows, seed=seed, coefficients=effects).drop(columns=list(hidden))
    return Simulated(kind, dag.true_pag(hidden), frame)


def _graph(kind: str, seed: int, rng: np.random.Generator) -> DAG:
    size, degree = int(rng.choice([10, 20, 30])), float(rng.choice([2, 3, 4]))
    if kind == "network":
        return simulate.network(str(rng.choice(NETWORKS)))
    if kind == "modular":
        return simulate.modular_dag(3, size // 3 + 2, degree, 4, seed=seed)
    return simulate.er_dag(size, degree, seed=seed) if kind == "uniform" else simulate.scale_free_dag(size, degree, seed=seed)


def counted(seed: int, mode: str) -> Rows:
    """What a bootstrap of one table says, beside the truth."""
    _, truth, frame = simulated(seed)
    table = dicola.bootstrap(frame, REPLICATES, mode=mode).to_pandas()
    found: list[tuple[float, bool, int, int]] = []
    for row in table.to_dict("records"):
        a, b = truth.index(row["u"]), truth.index(row["v"])
        found.append((row["adjacent"], bool(truth.marks[a, b]), 0, seed))
        for end, at in (("u", truth.marks[b, a]), ("v", truth.marks[a, b])):
            found += [
                (often, at == Mark[mark.upper()], i, seed) for i, mark in enumerate(CLAIMS) if i and (often := row[f"{end}_{mark}"]) > 0
            ]
    return np.array(found, dtype=np.float64).reshape(-1, 4)


def collected(mode: str, tables: str, kept: Path | None) -> Rows:
    """The rows of many tables, in portions that are kept."""
    seeds, portions = TABLES[tables][mode], []
    for begin in range(0, len(seeds), 20):
        file = None if kept is None else kept / f"{mode}-{tables.replace(' ', '-')}-{begin}.npy"
        if file is not None and file.exists():
            portions.append(np.load(file))
            continue
        portions.append(np.vstack([counted(seed, mode) for seed in seeds[begin : begin + 20]]))
        if file is not None:
            np.save(file, portions[-1])
        print(f"{mode}, {tables}: {begin + 20} of {len(seeds)} tables", flush=True)
    return np.vstack(portions)


def fitted(frequency: NDArray[np.float64], truth: NDArray[np.float64]) -> Map:
    """The map that makes the truth most likely."""
    f = (frequency * REPLICATES + 0.5) / (REPLICATES + 1.0)
    terms = np.column_stack([np.ones_like(f), np.log(f), -np.log1p(-f)])

    def misfit(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        p = np.clip(expit(terms @ weights), 1e-9, 1 - 1e-9)
        return -float(np.mean(truth * np.log(p) + (1 - truth) * np.log1p(-p))), terms.T @ (p - truth) / len(truth)

    best = minimize(misfit, np.array([0.0, 1.0, 1.0]), jac=True, bounds=[(None, None), (0.0, None), (0.0, None)], method="L-BFGS-B")
    return Map(*(round(float(each), 4) for each in best.x))


def bins(said: NDArray[np.float64], truth: NDArray[np.float64]) -> Iterator[tuple[float, float, int]]:
    """What was said and what was true on average, and how often, in bins of equal width."""
    place = np.clip(((said - LOW) / (HIGH - LOW) * BINS).astype(int), 0, BINS - 1)
    for i in range(BINS):
        inside = place == i
        if inside.any():
            yield float(said[inside].mean()), float(truth[inside].mean()), int(inside.sum())


def error(said: NDArray[np.float64], truth: NDArray[np.float64]) -> float:
    """The calibration error: the mean distance between what was said and what was true, over all that was said."""
    return sum(many * abs(s - t) for s, t, many in bins(said, truth)) / max(1, len(said))


def judged(rows: Rows, maps: dict[str, Map]) -> dict[str, Any]:
    """Errors of frequencies and of probabilities where the frequency lies between 5 and 95 %."""
    rows = rows[(rows[:, 0] >= LOW) & (rows[:, 0] <= HIGH)]
    sure = np.empty(len(rows))
    for i, claim in enumerate(CLAIMS):
        sure[rows[:, 2] == i] = maps[claim](rows[rows[:, 2] == i, 0], REPLICATES)
    some = {"adjacency": rows[:, 2] == 0, "marks": rows[:, 2] > 0, **{claim: rows[:, 2] == i for i, claim in enumerate(CLAIMS) if i}}
    return {
        name: {
            "claims": int(chosen.sum()),
            "frequency": round(error(rows[chosen, 0], rows[chosen, 1]), 4),
            "confidence": round(error(sure[chosen], rows[chosen, 1]), 4),
            "frequency_bins": [[round(s, 4), round(t, 4), many] for s, t, many in bins(rows[chosen, 0], rows[chosen, 1])],
            "confidence_bins": [[round(s, 4), round(t, 4), many] for s, t, many in bins(sure[chosen], rows[chosen, 1])],
        }
        for name, chosen in some.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--modes", default=",".join(MODES))
    parser.add_argument("--tables", default=",".join(TABLES))
    parser.add_argument("--kept", type=Path)
    parser.add_argument("--circles", action="store_true", help="marks with circles in place of those that are not sure")
    parser.add_argument("--page", action="store_true", help="write figure and table from the record alone")
    asked = parser.parse_args()
    if asked.circles:
        record = json.loads(RECORD.read_text(encoding="utf-8"))
        for mode in MODES:
            record[mode]["circles"] = circles(mode)
        RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
        return
    if asked.page:
        write_page(json.loads(RECORD.read_text(encoding="utf-8")))
        return
    if asked.kept is not None:
        asked.kept.mkdir(parents=True, exist_ok=True)
    rows = {(mode, tables): collected(mode, tables, asked.kept) for mode in asked.modes.split(",") for tables in asked.tables.split(",")}
    if len(rows) < len(MODES) * len(TABLES):
        return
    results = {mode: _judged_mode(mode, rows[mode, "design"], rows[mode, "held out"]) for mode in MODES}
    for mode, told in (json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}).items():
        results[mode]["circles"] = told["circles"]  # of another run, by --circles
    RECORD.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    write_page(results)


def circles(mode: str) -> dict[str, float]:
    """The F1 score of marks of the answer, with circles by a bootstrap, and by graphs near the best where there are any."""
    found: list[list[float]] = []
    for seed in CIRCLES:
        _, truth, frame = simulated(seed)
        if len(truth) > MOST_FOR_CIRCLES:
            continue
        model = DiCoLa(mode=mode, bootstrap=FEW_REPLICATES).fit(frame).discovery_
        graphs = [model.pag, model.bootstrap.undecided_as_circles()]
        if mode == "balanced":
            graphs.append(model.near_best(most=30).undecided_as_circles(model.pag))
        found.append([metrics.compare(graph, truth).marks.f1 for graph in graphs])
    names = ("answer", "bootstrap", "near best")
    told = {"tables": len(found), **{name: round(each, 4) for name, each in zip(names, np.mean(found, axis=0).tolist(), strict=False)}}
    print(mode, told)
    return told


def _judged_mode(mode: str, design: Rows, held_out: Rows) -> dict[str, Any]:
    """The maps of a mode, and what they are worth on tables that took no part."""
    maps = {claim: fitted(design[design[:, 2] == i, 0], design[design[:, 2] == i, 1]) for i, claim in enumerate(CLAIMS)}
    found = judged(held_out, maps)
    print(mode, maps)
    for name, each in found.items():
        print(f"{name:10} {each['claims']:6} claims, error of frequencies {each['frequency']:.3f}, calibrated {each['confidence']:.3f}")
    kinds = {kind: judged(held_out[held_out[:, 3] % len(KINDS) == i], maps) for i, kind in enumerate(KINDS)}
    short = {
        kind: {name: {key: each[key] for key in ("claims", "frequency", "confidence")} for name, each in told.items()}
        for kind, told in kinds.items()
    }
    return {
        "maps": {claim: list(each) for claim, each in maps.items()},
        "tables": len(np.unique(held_out[:, 3])),
        "held out": found,
        "kinds": short,
    }


def write_page(results: dict[str, Any]) -> None:
    """The figure, and the table between two marks of the page."""
    FIGURE.write_text(figure(results), encoding="utf-8")
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n\n{page_block(results)}\n\n{END}{rest.partition(END)[2]}", encoding="utf-8")


def page_block(results: dict[str, Any]) -> str:
    """A row per mode and claim."""
    lines = ["| mode | claim | claims | error of frequencies | calibrated |", "|---|---|---|---|---|"]
    for mode, told in results.items():
        for name, each in told["held out"].items():
            lines.append(f"| {mode} | {name} | {each['claims']:,} | {each['frequency']:.3f} | {each['confidence']:.3f} |")
    return "\n".join(lines)


def figure(results: dict[str, Any]) -> str:
    """What was said against what was true, a square per mode for adjacency and for marks."""
    panels = [(mode, name) for mode in results for name in ("adjacency", "marks")]
    width, height = WIDE * len(panels) + 20, HIGH_BOX + 62
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="system-ui, sans-serif" font-size="11">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    for at, (mode, name) in enumerate(panels):
        parts += _panel(results[mode]["held out"][name], f"{mode}: {name}", 40 + WIDE * at)
    for at, (which, words) in enumerate((("frequency", "frequency"), ("confidence", "calibrated"))):
        left = 40 + 150 * at
        parts.append(
            f'<circle cx="{left}" cy="{height - 10}" r="4" fill="{COLOURS[which]}"/><text x="{left + 9}" y="{height - 6}">{words}</text>'
        )
    parts.append(f'<text x="340" y="{height - 6}" fill="#666">across: what was said; up: how often it was true</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def _panel(told: dict[str, Any], title: str, left: float) -> Iterator[str]:
    top, side = 24.0, WIDE - 55.0

    def across(share: float) -> float:
        return round(left + share * side, 1)

    def down(share: float) -> float:
        return round(top + (1 - share) * side, 1)

    yield f'<text x="{left}" y="14" font-weight="600" fill="#222">{title}</text>'
    for share in (0.0, 0.5, 1.0):
        yield f'<path d="M{across(0)} {down(share)}H{across(1)}M{across(share)} {down(0)}V{down(1)}" stroke="#ddd" fill="none"/>'
        yield f'<text x="{left - 5}" y="{down(share) + 4}" text-anchor="end" fill="#666">{share:g}</text>'
        yield f'<text x="{across(share)}" y="{down(0) + 14}" text-anchor="middle" fill="#666">{share:g}</text>'
    yield f'<path d="M{across(0)} {down(0)}L{across(1)} {down(1)}" stroke="#999" stroke-dasharray="3 3"/>'
    for which, colour in COLOURS.items():
        points = told[f"{which}_bins"]
        line = " ".join(f"{across(said)},{down(true)}" for said, true, _ in points)
        yield f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.5"/>'
        for said, true, many in points:
            yield f'<circle cx="{across(said)}" cy="{down(true)}" r="{2 + min(4, many**0.5 / 20):.1f}" fill="{colour}"/>'


if __name__ == "__main__":
    main()
