"""A graphics card against the processor: the steps that it takes over, the marks of whole runs, and tables of 20,000 columns and more.

``PYTHONPATH=src python benchmarks/card.py parts`` and so on for ``marks``, ``wide``, ``tall`` and ``huge``; ``--device cpu`` goes without
the card. Every line is printed when it is known. With ``--limit`` a whole run ends after so many seconds, with what it has then.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dicola import DiCoLa, Discovery, FisherZ, discover, simulate
from dicola.blankets.auto import AutoBlankets
from dicola.blankets.grow_shrink import IAMB
from dicola.ci.inquiry import Inquiry
from dicola.ci.questions import GivenRest, SweepLevel
from dicola.tables.table import Table

HIDDEN = 40  # one variable in so many is hidden
RUNS = {
    "wide": (20_000, 3_000, 3.0, 1.5),
    "tall": (20_000, 25_000, 3.0, 1.5),
    "huge": (100_000, 1_000, 2.0, 0.25),
}  # columns, rows, average degree inside a module of 50, arcs between modules for each of them
SETTINGS: tuple[dict[str, Any], ...] = (
    {"mode": "exact"},
    {"mode": "paper"},
    {"mode": "paper", "learner": "pc", "decompose": False},
    {"mode": "paper", "learner": "rfci"},
    {"mode": "exact", "learner": "fci", "stop": "paper"},
    {"mode": "exact", "blankets": "iamb"},
    {"mode": "exact", "alpha": 0.05},
    {"mode": "paper", "learner": "rfci", "decompose": False},
    {"mode": "exact", "colliders": "majority"},
    {"mode": "exact", "uig_alpha": 0.001},
)


class Drawn(NamedTuple):
    """Rows of the observed variables, and the pairs that no set separates."""

    table: Table
    adjacent: set[tuple[int, int]]


def draw(columns: int, rows: int, degree: float, links: float = 1.5, seed: int = 1, size: int = 50) -> Drawn:
    """Modules joined by ``links`` times as many arcs, one variable in forty hidden; linear and Gaussian.

    No matrix of all pairs is made, so that a hundred thousand variables can be drawn.
    """
    rng = np.random.default_rng(seed)
    modules = -(-columns * HIDDEN // (HIDDEN - 1) // size)
    n = modules * size
    arcs = sorted({*_pairs_inside(modules, size, round(size * degree / 2), rng), *_pairs_between(n, size, int(links * modules), rng)})
    rank = rng.permutation(n)
    arcs = [(a, b) if rank[a] < rank[b] else (b, a) for a, b in arcs]
    parents: list[list[int]] = [[] for _ in range(n)]
    weights: list[list[float]] = [[] for _ in range(n)]
    for (a, b), weight in zip(arcs, (rng.uniform(0.5, 1.0, len(arcs)) * rng.choice([-1.0, 1.0], len(arcs))).tolist(), strict=True):
        parents[b].append(a)
        weights[b].append(weight)
    values = rng.standard_normal((n, rows))
    for v in np.argsort(rank).tolist():
        for parent, weight in zip(parents[v], weights[v], strict=True):
            values[v] += weight * values[parent]
    hidden = set(rng.permutation(n)[: n - columns].tolist())
    seen = [v for v in range(n) if v not in hidden]
    place = {v: at for at, v in enumerate(seen)}
    adjacent = {(place[a], place[b]) for a, b in _adjacent(parents, hidden)}
    width = len(str(columns))
    return Drawn(Table.from_array(values[seen].T, [f"X{at:0{width}d}" for at in range(columns)]), adjacent)


def _pairs_inside(modules: int, size: int, count: int, rng: np.random.Generator) -> Iterator[tuple[int, int]]:
    first, second = np.triu_indices(size, 1)
    for module in range(modules):
        chosen = rng.choice(len(first), count, replace=False)
        yield from zip((first[chosen] + module * size).tolist(), (second[chosen] + module * size).tolist(), strict=True)


def _pairs_between(n: int, size: int, count: int, rng: np.random.Generator) -> Iterator[tuple[int, int]]:
    found = 0
    while found < count:
        a, b = sorted(rng.integers(0, n, 2).tolist())
        if a // size != b // size:
            found += 1
            yield a, b


def _adjacent(parents: list[list[int]], hidden: set[int]) -> Iterator[tuple[int, int]]:
    """Pairs of observed variables with an inducing path, looked for around each: the skeleton of the MAG."""
    children: list[list[int]] = [[] for _ in parents]
    for child, above in enumerate(parents):
        for parent in above:
            children[parent].append(child)
    known: dict[int, set[int]] = {}

    def ancestors(v: int) -> set[int]:
        if v not in known:
            known[v], stack = {v}, [v]
            while stack:
                fresh = [parent for parent in parents[stack.pop()] if parent not in known[v]]
                known[v].update(fresh)
                stack += fresh
        return known[v]

    def reached(x: int, inside: set[int] | None) -> set[int]:
        """What walks from x reach that pass other variables as hidden ones or as colliders, these within ``inside``."""
        found: set[int] = set()
        met: set[tuple[int, bool]] = set()
        stack = [*((parent, False) for parent in parents[x]), *((child, True) for child in children[x])]
        while stack:
            v, by_arrow = stack.pop()
            if (v, by_arrow) in met:
                continue
            met.add((v, by_arrow))
            if v not in hidden and v != x:
                found.add(v)
            if inside is not None and v not in inside:
                continue
            if v in hidden:
                stack += [(child, True) for child in children[v]]
            if by_arrow or v in hidden:
                stack += [(parent, False) for parent in parents[v]]
        return found

    for x in range(len(parents)):
        if x not in hidden:
            for y in sorted(reached(x, None)):
                if y > x and y in reached(x, ancestors(x) | ancestors(y)):
                    yield x, y


def timed(what: Callable[[], Any]) -> tuple[Any, float]:
    start = time.perf_counter()
    return what(), time.perf_counter() - start


def say(*parts: object) -> None:
    print(*parts, flush=True)


def parts(device: str, sizes: list[tuple[int, int]], most_on_processor: int) -> None:
    """The steps that a card takes over, beside the processor where that is not too long."""
    say("variables rows step: seconds of the processor, of the card, ratio")
    for n, rows in sizes:
        table = draw(n, rows, 3.0).table
        tests, seconds = {}, {}
        for where in dict.fromkeys(("cpu", device)):
            if where != "cpu" or n <= most_on_processor:
                tests[where], seconds[where] = timed(lambda where=where, table=table: FisherZ(table, device=where))
        _compare(n, rows, "correlations" + (" and inverse" if rows > n + 1 else ""), seconds, device)
        if rows > n + 1:
            _ask("total conditioning", tests, lambda test: Inquiry(test).ask(GivenRest(1 / len(test) ** 2)), device)
        else:
            _ask("blankets by IAMB", tests, lambda test: AutoBlankets().learn(Inquiry(test)), device)


def levels(device: str) -> None:
    """Levels of a search in which nothing falls: one hidden cause of all variables, a random graph to search."""
    rng = np.random.default_rng(1)
    for n, share, size in ((1000, 1.0, 0), (2000, 0.05, 1), (5000, 0.05, 1), (2000, 0.02, 2)):
        values = 0.7 * rng.standard_normal((2000, 1)) + rng.standard_normal((2000, n))
        table = Table.from_array(values, [f"X{i}" for i in range(n)])
        tests = {where: FisherZ(table, device=where) for where in dict.fromkeys(("cpu", device))}
        graph = np.triu(rng.random((n, n)) < share, 1)
        graph |= graph.T
        counts: dict[str, int] = {}

        def ask(test: FisherZ, graph: Any = graph, size: int = size, counts: dict[str, int] = counts) -> Any:
            inquiry = Inquiry(test)
            fallen = inquiry.ask(SweepLevel(graph, size))
            counts[inquiry.test.name] = inquiry.counts["total"]
            return fallen

        _ask(f"level {size}", tests, ask, device)
        say(f"  {max(counts.values()):,} tests")


def _ask(name: str, tests: dict[str, FisherZ], ask: Callable[[FisherZ], Any], device: str) -> None:
    seconds, answers = {}, {}
    for where, test in tests.items():
        answers[where], seconds[where] = timed(lambda test=test: ask(test))
    if len(answers) == 2:
        one, other = answers.values()
        same = np.array_equal(one, other) if isinstance(one, np.ndarray) else one == other
        name += " (same answer)" if same else " (ANOTHER ANSWER)"
    test = tests[device]
    _compare(len(test), test.n_samples, name, seconds, device)
    say("  decided again by the processor:", test.card.again if test.card else 0)


def _compare(n: int, rows: int, what: str, seconds: dict[str, float], device: str) -> None:
    own = seconds[device]
    other = f"{seconds['cpu']:.3f} {own:.3f} {seconds['cpu'] / own:.1f}" if "cpu" in seconds and device != "cpu" else f"- {own:.3f} -"
    say(f"{n} {rows} {what}: {other}")


def marks(device: str) -> None:
    """Ten settings on tables that a card is asked about: are all marks and all counts the same?"""
    for number, settings in enumerate(SETTINGS):
        rows = 1500 if number % 2 else 400
        dag = simulate.modular_dag(13, 50, 2.5, 20, seed=number)
        frame = simulate.linear_gaussian(dag, rows, seed=number).drop(columns=list(simulate.hide(dag, 20, seed=number)))
        found = {}
        for where in ("cpu", device):
            model = DiCoLa(ci_test="fisher_z", device=where, **settings)
            found[where] = timed(lambda model=model, frame=frame: model.fit(frame))
        (one, before), (other, after) = found.values()
        one, other = one.discovery_, other.discovery_
        same = np.array_equal(one.pag.marks, other.pag.marks) and one.tests == other.tests and one.skeleton.edges == other.skeleton.edges
        told = [note for note in other.warnings if "decided again" in note]
        say(f"{number + 1}: {'same' if same else 'DIFFERENT'}, {before:.1f} s and {after:.1f} s, {one.pag.n_edges} edges", settings, *told)


def whole(name: str, device: str, limit: float | None, columns: int | None, jobs: int) -> None:
    """A whole run, with the time of each phase and how near its skeleton is to the truth."""
    usual, rows, degree, links = RUNS[name]
    drawn, seconds = timed(lambda: draw(columns or usual, rows, degree, links))
    say(f"{name}: {len(drawn.table.names)} columns of {rows} rows, {len(drawn.adjacent)} adjacent pairs, drawn in {seconds:.0f} s")
    start = time.perf_counter()
    test = FisherZ(drawn.table, device=device)
    say(f"  correlations {time.perf_counter() - start:.1f} s, peak {_peak():.1f} GB")
    last = ["", start]

    def progress(phase: str, done: int, total: int) -> None:
        now = time.perf_counter()
        if phase != last[0] or now - last[1] > 10:
            last[:] = [phase, now]
            say(f"  {phase} {done} of {total} after {now - start:.1f} s, peak {_peak():.1f} GB")

    # One false member for five variables would join a hundred thousand of them to one part that sheds a few at every split; at this
    # level hardly one is expected among all pairs.
    blankets = IAMB(0.4 / len(test) ** 2) if name == "huge" else "auto"
    found = discover(test, mode="exact", blankets=blankets, max_seconds=limit, n_jobs=jobs, progress=progress)
    total = time.perf_counter() - start
    say(f"  {found.tree.in_words()}, {len(found.tree.nodes)} nodes")
    say(f"  {total:.1f} s in all, peak {_peak():.1f} GB;", {phase: round(each, 1) for phase, each in found.seconds.items()})
    say(
        "  " + _nearness(found, drawn.adjacent),
        f"decided again: {test.card.again if test.card else 0}",
        "" if found.complete else "NOT FINISHED",
    )


def _nearness(found: Discovery, adjacent: set[tuple[int, int]]) -> str:
    names = [int(label[1:]) for label in found.skeleton.labels]
    edges = {(min(names[a], names[b]), max(names[a], names[b])) for a, b in found.skeleton.edges}
    hits = len(edges & adjacent)
    precision, recall = hits / max(len(edges), 1), hits / max(len(adjacent), 1)
    return f"{len(edges)} edges, precision {precision:.3f}, recall {recall:.3f}, F1 {2 * hits / (len(edges) + len(adjacent)):.3f};"


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def warm_up(device: str) -> None:
    """Kernels and the card, before anything is timed."""
    values: NDArray[np.float64] = np.random.default_rng(0).standard_normal((700, 600))
    for rows in (300, 700):
        test = FisherZ(Table.from_array(values[:rows], [f"X{i}" for i in range(600)]), device=device)
        discover(test, mode="exact")
        Inquiry(test).ask(SweepLevel(~np.eye(600, dtype=np.bool_), 0))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("study", choices=("parts", "marks", *RUNS))
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--limit", type=float, help="seconds of a whole run")
    parser.add_argument("--columns", type=int, help="another number of columns, for a try")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--most-on-processor", type=int, default=5000)
    typed = parser.parse_args()
    _, seconds = timed(lambda: warm_up(typed.device))
    say(f"warm after {seconds:.0f} s")
    if typed.study == "parts":
        small = [(typed.columns, typed.columns // 2), (typed.columns, 2 * typed.columns)] if typed.columns else None
        levels(typed.device)
        parts(
            typed.device, small or [(2000, 1000), (2000, 4000), (5000, 12_000), (20_000, 3_000), (20_000, 25_000)], typed.most_on_processor
        )
    elif typed.study == "marks":
        marks(typed.device)
    else:
        whole(typed.study, typed.device, typed.limit, typed.columns, typed.jobs)


if __name__ == "__main__":
    main()
