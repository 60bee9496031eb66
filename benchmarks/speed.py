"""How fast: ours beside the others, one core each, alternating in one run, medians over seeds, printed as ratios and written as JSON.

``make bench`` runs everything (about half an hour), ``make bench-smoke`` a small part in under a minute. ``python benchmarks/speed.py
--only peers,learners`` picks parts and SETTINGS="MILDEW/3" the settings of the peers; what is not run keeps its figures in
``benchmarks/speed.json``, from which ``docs/speed.md`` is made.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import mean, median, stdev
from time import perf_counter

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pandas as pd
from peers import ALPHA, installed, within

import dicola
from dicola import FCI, ICD, RFCI, FCIPlus, FisherZ, LMarvel, discover, metrics, simulate
from dicola.ci.questions import SweepLevel

HERE = Path(__file__).parent
RESULTS, PAGE = HERE / "speed.json", HERE.parent / "docs" / "speed.md"
CAP = 120.0  # seconds after which another tool is stopped; the ratio is then at least what is said
BOUNDED = FCI(max_condition_size=4, max_possible_dsep_size=2)


def draw(setting: str, seed: int, rows: int = 2000) -> tuple[object, tuple[str, ...], pd.DataFrame]:
    """DAG, hidden variables and table: ``ER(50,3)/5``, ``MILDEW/3`` (hidden ones among the roots), ``modular 10``."""
    name, _, hidden = setting.partition("/")
    if name.startswith("ER("):
        n, degree = (int(part) for part in name[3:-1].split(","))
        dag, pool = simulate.er_dag(n, degree, seed), "any"
    elif name.startswith("modular"):
        modules = int(name.split()[1])
        dag, pool = simulate.modular_dag(modules=modules, size=50, degree=3, links=3 * modules // 2 if modules > 1 else 0, seed=seed), "any"
    else:
        dag, pool = simulate.network(name.lower()), "root"
    latents = simulate.hide(dag, int(hidden), seed, pool=pool) if hidden else ()
    return dag, latents, simulate.linear_gaussian(dag, rows, seed).drop(columns=list(latents))


def ours(
    table: pd.DataFrame, learner: object = "fci", repeats: int = 5, mode: str = "paper", **settings: object
) -> tuple[float, dicola.Discovery]:
    """Median seconds from the table to the PAG, and the result."""
    seconds = []
    for _ in range(repeats):
        start = perf_counter()
        found = discover(FisherZ(table, alpha=ALPHA), learner, mode, **settings)
        seconds.append(perf_counter() - start)
    return median(seconds), found


def timed(function: Callable[[], object], repeats: int = 3) -> float:
    seconds = []
    for _ in range(repeats):
        start = perf_counter()
        function()
        seconds.append(perf_counter() - start)
    return median(seconds)


def numpy_work(table: pd.DataFrame, repeats: int = 3) -> float:
    """``numpy.corrcoef`` and ``numpy.linalg.inv`` on the same data."""
    values = table.to_numpy()
    return timed(lambda: np.linalg.inv(np.corrcoef(values, rowvar=False)), repeats)


def against_peers(say: Callable[[str], None], small: bool) -> list[dict]:
    """FCI alone, DiCoLa and L-MARVEL against the tools that are installed."""
    tools = installed()
    rows = []
    wanted = os.environ.get("SETTINGS", "ER(50,3)/5 MILDEW/3 ANDES/10").split()
    for setting in ("MILDEW/3",) if small else wanted:
        large = setting.startswith("ANDES")
        repeats, rounds, seeds = (3, 1, 5) if large else (9, 3, 11)
        runs = {
            "FCI alone, sets ≤ 4, Possible-D-Sep ≤ 2": ("causal-learn FCI", BOUNDED, {"decompose": False}),
            "FCI alone, exact": ("causal-learn FCI", FCI(), {"decompose": False}),
            "DiCoLa+FCI, default": ("causal-learn FCI", FCI(), {}),
            "L-MARVEL alone": ("rcd L-MARVEL", LMarvel(), {"decompose": False}),
            "RFCI alone": ("pcalg RFCI (C++)", RFCI(), {"decompose": False}),
            "FCI alone": ("Tetrad FCI", BOUNDED, {"decompose": False}),
        }
        if large:
            del runs["FCI alone, exact"]  # without a bound the second phase may take hours
        seconds: dict[str, list[float]] = {}
        capped: dict[str, int] = {}
        for seed in range(1 if small else seeds):
            table = draw(setting, seed)[2]
            taken: dict[str, list[float]] = {}
            for _ in range(1 if small else rounds):
                for name, (_, learner, settings) in runs.items():
                    ours(table, learner, 1, **settings)
                    taken.setdefault(name, []).append(ours(table, learner, repeats, **settings)[0])
                for name, run in tools.items():
                    theirs, ended = within(CAP, run, table)
                    taken.setdefault(name, []).append(theirs)
                    capped[name] = capped.get(name, 0) + (not ended)
            for name, each in taken.items():
                seconds.setdefault(name, []).append(median(each))
            say(f"{setting} seed {seed}: " + ", ".join(f"{name} {seconds[name][-1]:.2f} s" for name in tools))
        for name, (peer, _, _) in runs.items():
            if peer not in tools:
                continue
            ratios = [theirs / mine for mine, theirs in zip(seconds[name], seconds[peer], strict=True)]
            rows.append(
                {
                    "setting": setting,
                    "ours": name,
                    "peer": peer,
                    "our_ms": 1e3 * median(seconds[name]),
                    "peer_s": median(seconds[peer]),
                    "ratio": median(ratios),
                    "ratio_of_medians": median(seconds[peer]) / median(seconds[name]),
                    "seeds": len(ratios),
                    "stopped": capped[peer],
                }
            )
            say(f"{setting} {name}: {rows[-1]['our_ms']:.1f} ms, {peer} {rows[-1]['peer_s']:.2f} s, ratio {rows[-1]['ratio']:.0f}")
    return rows


def between_learners(say: Callable[[str], None], small: bool) -> list[dict]:
    """RFCI, FCI+, ICD and L-MARVEL alone, as multiples of our FCI alone."""
    rows = []
    learners = {"RFCI": RFCI(), "FCI+": FCIPlus(), "ICD, sets ≤ 4": ICD(max_condition_size=4), "L-MARVEL": LMarvel()}
    for setting in ("MILDEW/3",) if small else ("ER(50,3)/5", "MILDEW/3", "ANDES/10"):
        base = BOUNDED if setting.startswith("ANDES") else FCI()
        repeats = 1 if setting.startswith("ANDES") else 5
        ratios: dict[str, list[float]] = {name: [] for name in learners}
        milliseconds: list[float] = []
        for seed in range(1 if small else 2 if setting.startswith("ANDES") else 5):
            table = draw(setting, seed)[2]
            ours(table, base, 1, decompose=False)
            reference = ours(table, base, repeats, decompose=False)[0]
            milliseconds.append(1e3 * reference)
            for name, learner in learners.items():
                ours(table, learner, 1, decompose=False)
                ratios[name].append(ours(table, learner, repeats, decompose=False)[0] / reference)
        rows.append({"setting": setting, "fci_ms": median(milliseconds), **{name: median(found) for name, found in ratios.items()}})
        say(f"{setting}: {rows[-1]}")
    return rows


def questions(say: Callable[[str], None], small: bool) -> list[dict]:
    """Fisher-Z questions a second through ``sweep_level`` on 200 variables."""
    table = draw("ER(200,3)/0", 1)[2]
    test = FisherZ(table, alpha=1 - 1e-12)  # at this level nothing is independent, so every set is asked about
    rows = []
    for size, beside in ((1, 200), (2, 60), (3, 25)):
        rng = np.random.default_rng(size)
        upper = np.triu(rng.random((200, 200)) < beside / 200, 1)
        adjacency = upper | upper.T
        tests = SweepLevel(adjacency, size).by_correlations(test)[1]
        seconds = timed(lambda adjacency=adjacency, size=size: test.sweep_level(adjacency, size), 3)
        rows.append({"size": size, "questions": tests, "million_a_second": tests / seconds / 1e6})
        say(f"size {size}: {tests:,} questions, {rows[-1]['million_a_second']:.1f} million per second")
    return rows


def large(say: Callable[[str], None], small: bool) -> list[dict]:
    """Whole runs as multiples of ``corrcoef`` + ``inv`` on the same data."""
    rows = []
    for setting in ("LINK/50",) if small else ("LINK/50", "MUNIN/39", "ER(1000,3)/50"):
        ratios, seconds = [], []
        for seed in range(1 if small else 5):
            table = draw(setting, seed, 5000)[2]
            ours(table, repeats=1)
            reference = numpy_work(table)
            mine, found = ours(table, repeats=3)
            ratios.append(mine / reference)
            seconds.append(mine)
        rows.append(
            {
                "setting": setting,
                "rows": 5000,
                "seconds": median(seconds),
                "ratio": median(ratios),
                "largest": max(ratios),
                "leaves": found.tree.n_leaves,
            }
        )
        say(f"{setting}: {rows[-1]}")
    return rows


def dense(say: Callable[[str], None], small: bool) -> list[dict]:
    """Dense graphs: time and tests beside FCI alone, F1 beside full recursion, and the frontier of the share a split has to save."""
    from dicola.decompose import tree

    rows = []
    standing = tree._SAVING
    for setting in ("ER(30,5)/3",) if small else ("ER(30,5)/3", "ER(40,6)/2"):
        ways: dict[str, tuple[dict, float]] = {"alone": ({"decompose": False}, standing), "paper": ({"stop": "paper"}, standing)}
        ways |= {f"auto, saving {share:g}": ({}, share) for share in ((standing,) if small else (-0.2, 0.0, standing, 0.1, 0.15, 1.0))}
        found: dict[str, list[tuple[float, float, float, float]]] = {way: [] for way in ways}
        for seed in range(2 if small else 20):
            dag, latents, table = draw(setting, seed)
            truth = dag.true_pag(latents)
            for way, (settings, share) in ways.items():
                tree._SAVING = share
                ours(table, BOUNDED, 1, **settings)
                seconds, result = ours(table, BOUNDED, 5, **settings)
                scores = metrics.compare(result.pag, truth)
                found[way].append((seconds, result.tests["total"], scores.skeleton.f1, scores.marks.f1))
        tree._SAVING = standing
        for way, runs in found.items():
            against_full = [run[2] - full[2] for run, full in zip(runs, found["paper"], strict=True)]
            rows.append(
                {
                    "setting": setting,
                    "way": way,
                    "ms": 1e3 * median(run[0] for run in runs),
                    "time_ratio": median(run[0] / alone[0] for run, alone in zip(runs, found["alone"], strict=True)),
                    "tests": mean(run[1] for run in runs),
                    "fewer_tests": 1 - mean(run[1] for run in runs) / mean(run[1] for run in found["alone"]),
                    "skeleton_f1": mean(run[2] for run in runs),
                    "marks_f1": mean(run[3] for run in runs),
                    "f1_minus_full": mean(against_full),
                    "standard_error": stdev(against_full) / len(against_full) ** 0.5,
                }
            )
            say(f"{setting} {way}: {rows[-1]}")
    return rows


def start(say: Callable[[str], None], small: bool) -> list[dict]:
    """``dicola --help`` warm, and the first ``dicola fit`` ever: no kernel compiled yet."""
    command = shutil.which("dicola", path=str(Path(sys.executable).parent)) or "dicola"
    subprocess.run([command, "--help"], capture_output=True, check=True)
    helping = timed(lambda: subprocess.run([command, "--help"], capture_output=True, check=True), 5)
    with tempfile.TemporaryDirectory() as folder:
        draw("MILDEW/3", 1)[2].to_csv(Path(folder) / "table.csv", index=False)
        fit = [command, "fit", "table.csv", "--out", "results", "--quiet"]
        environment = os.environ | {"NUMBA_CACHE_DIR": str(Path(folder) / "kernels")}
        runs = []
        for compiles in ("", "always", "always"):  # the second compiles, the third has what it needs
            environment["DICOLA_COMPILE"] = compiles
            runs.append(timed(lambda: subprocess.run(fit, cwd=folder, env=environment, capture_output=True, check=True), 1))
    say(f"--help {helping:.2f} s, first fit {runs[0]:.1f} s, a later fit {runs[-1]:.2f} s")
    return [{"help_s": helping, "first_fit_s": runs[0], "second_fit_s": runs[-1]}]


def scaling(say: Callable[[str], None], small: bool) -> list[dict]:
    """Modules of 50 variables joined by a few arcs, each size in a process of its own: seconds by phase and peak memory."""
    rows = []
    for modules in (1, 4) if small else (1, 2, 4, 10, 20, 40, 100, 200):
        threads = "2" if modules == 200 else "1"
        environment = os.environ | {"OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads}
        done = subprocess.run(
            [sys.executable, __file__, "--one", str(modules)], capture_output=True, text=True, check=True, env=environment, cwd=HERE
        )
        rows.append(json.loads(done.stdout) | {"cores": int(threads)})
        say(f"{rows[-1]}")
    return rows


def one(modules: int) -> dict:
    """One row of the scaling table. The peak is read before NumPy's own work, which would add to it."""
    samples = 12_000 if modules >= 100 else 5000
    table = draw(f"modular {modules}", 1, samples)[2]
    for columns in (40, 90):  # small and large sets take different kernels
        discover(FisherZ(draw("modular 2", 2, 500)[2].iloc[:, :columns], alpha=ALPHA), mode="paper")
    before = perf_counter()
    test = FisherZ(table, alpha=ALPHA)
    building = perf_counter() - before
    found = discover(test, mode="paper")
    total = perf_counter() - before
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    del test
    reference = numpy_work(table, 1 if modules >= 100 else 3)
    phases = {phase: found.seconds[phase] for phase in ("decompose", "leaves", "merge", "orientation")}
    facts = {"variables": table.shape[1], "rows": samples, "seconds": total, "ratio": total / reference, "correlations": building, **phases}
    return facts | {
        "leaves_found": found.tree.n_leaves,
        "largest_leaf": found.tree.largest_leaf,
        "tests": found.tests["total"],
        "peak_gb": peak,
    }


PARTS: dict[str, Callable[[Callable[[str], None], bool], list[dict]]] = {
    "peers": against_peers,
    "learners": between_learners,
    "questions": questions,
    "large": large,
    "dense": dense,
    "start": start,
    "scaling": scaling,
}


def machine() -> dict[str, str]:
    model = next((line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line), "")
    versions = {name: __import__(name).__version__ for name in ("numpy", "scipy", "numba", "pandas")}
    return {"processor": model or platform.processor(), "cores": str(os.cpu_count()), "python": platform.python_version(), **versions}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default=",".join(PARTS), help="parts to run, separated by commas")
    parser.add_argument("--smoke", action="store_true", help="a small part of everything; nothing is written")
    parser.add_argument("--page", action="store_true", help="write docs/speed.md from the figures there are")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    os.environ["DICOLA_COMPILE"] = "always"  # else what is called once or twice would be interpreted
    if chosen.one is not None:
        print(json.dumps(one(chosen.one)))
        return
    if not chosen.page:
        figures = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
        for part in chosen.only.split(","):
            if chosen.smoke and part in ("start", "scaling"):
                continue
            print(f"== {part}", flush=True)
            rows = PARTS[part](lambda line: print(line, flush=True), chosen.smoke)
            again = {row.get("setting") for row in rows}
            kept = [row for row in figures.get(part, []) if "setting" in row and row["setting"] not in again]
            figures |= {part: rows + kept, "machine": machine()}
            if not chosen.smoke:
                RESULTS.write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    if not chosen.smoke:
        from speed_page import page

        PAGE.write_text(page(json.loads(RESULTS.read_text(encoding="utf-8"))), encoding="utf-8")


if __name__ == "__main__":
    main()
