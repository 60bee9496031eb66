"""Learner × (alone, DiCoLa) on the paper's smaller settings: tests by phase, F1 of skeleton and marks, seconds.

Run: make learners-table (writes docs/learners.md). One core, N = 2000, alpha 0.01.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from statistics import mean, median
from time import perf_counter

from dicola import ICD, FisherZ, discover, metrics, simulate

LEARNERS = ("fci", "rfci", "fci+", "icd", "l-marvel", "lfci")
SETTINGS = {"ER(30,3)": ("er", 30, 3, 3, "any"), "ER(50,3)": ("er", 50, 3, 5, "any"), "MILDEW": ("network", "mildew", 3, "root")}
ROWS = 2000
ALONE = {"icd": ICD(max_condition_size=4)}  # without a limit ICD alone takes minutes on ER(50,3)


def draw(setting: str, seed: int):
    """Graph, hidden variables and table of one repetition."""
    kind, *rest = SETTINGS[setting]
    if kind == "er":
        n, degree, hidden, pool = rest
        dag = simulate.er_dag(n, degree, seed)
    else:
        name, hidden, pool = rest
        dag = simulate.network(name)
    latents = simulate.hide(dag, hidden, seed, pool=pool)
    table = simulate.linear_gaussian(dag, ROWS, seed).drop(columns=list(latents))
    return dag.true_pag(latents), table


def measure(setting: str, learner: str, decompose: bool, seed: int) -> dict:
    """One run: its tests, scores and seconds."""
    truth, table = draw(setting, seed)
    start = perf_counter()
    base = learner if decompose else ALONE.get(learner, learner)
    found = discover(FisherZ(table, alpha=0.01), learner=base, mode="paper", decompose=decompose)
    seconds = perf_counter() - start
    scores = metrics.compare(found.pag, truth)
    return {
        "setting": setting,
        "learner": learner,
        "decompose": decompose,
        "seed": seed,
        "seconds": seconds,
        "skeleton_f1": scores.skeleton.f1,
        "marks_f1": scores.marks.f1,
        **{f"tests_{phase}": count for phase, count in found.tests.items()},
    }


def table_of(rows: list[dict], seeds: int) -> str:
    """Markdown: means over the seeds, median of the seconds."""
    lines = [
        "| setting | learner | | blanket tests | leaf tests | orientation tests | skeleton F1 | marks F1 | seconds |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for setting in SETTINGS:
        for learner in LEARNERS:
            for decompose in (False, True):
                own = [r for r in rows if (r["setting"], r["learner"], r["decompose"]) == (setting, learner, decompose)]
                if not own:
                    continue
                tests = (mean(r[f"tests_{phase}"] for r in own) for phase in ("blankets", "leaves", "orientation"))
                cells = [f"{value:,.0f}" for value in tests]
                cells += [f"{mean(r[key] for r in own):.3f}" for key in ("skeleton_f1", "marks_f1")]
                cells.append(f"{median(r['seconds'] for r in own):.3f}")
                way = "DiCoLa" if decompose else "alone, sets ≤ 4" if learner in ALONE else "alone"
                lines.append(f"| {setting} | {learner} | {way} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Run all and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--out", type=Path, default=Path("docs/learners.md"))
    parser.add_argument("--json", type=Path, default=None, help="also write every run as a JSON line")
    options = parser.parse_args()
    os.environ["DICOLA_COMPILE"] = "always"
    for learner in LEARNERS:
        measure("MILDEW", learner, True, 0)  # compile before the clock counts
    rows = []
    for setting in SETTINGS:
        for seed in range(1, options.seeds + 1):
            for learner in LEARNERS:
                for decompose in (False, True):
                    rows.append(measure(setting, learner, decompose, seed))
            sys.stderr.write(f"{setting} seed {seed} done\n")
    page = PAGE.format(seeds=options.seeds, rows=ROWS, table=table_of(rows, options.seeds))
    options.out.write_text(page, encoding="utf-8")
    if options.json is not None:
        options.json.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


PAGE = """# The base learners side by side

Written by `make learners-table`: {seeds} seeds per setting, {rows} rows, Fisher-Z at alpha 0.01, one core.
There is no limit on any conditioning set, except for lFCI, whose sets are small by design (≤ 3),
and for ICD alone, which takes minutes without one where the others take milliseconds. Means over
the seeds; seconds are medians. Hidden variables: 3, 5 and 3, among all variables with two children
for the random graphs, among parentless ones for MILDEW. DiCoLa stops splitting where it no longer
pays (`stop="auto"`). `dicola learners` prints references and guarantees.

{table}
"""


if __name__ == "__main__":
    main()
