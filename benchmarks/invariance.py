"""Does an answer depend on what says nothing: the order of the rows, units, where a scale begins, float32?

``make invariance`` learns every table, and every table changed in one of these ways, in every mode and with the learners that
score, and counts the pairs of answers that differ in a mark: there should be none. Scores are compared to a stated precision
(``dicola.score.base.to_precision``), so graphs that no data tell apart are ties, which order breaks.
"""

from __future__ import annotations

import argparse
import os
import warnings
from collections import Counter
from collections.abc import Iterator

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pandas as pd

from dicola import DiCoLa, simulate

ALONE = ("gfci", "boss-fci", "mag-bic")
WAYS: dict[str, dict[str, object]] = {
    **{mode: {"mode": mode} for mode in ("exact", "paper", "balanced", "auto")},
    **{learner: {"mode": "paper", "learner": learner} for learner in ALONE},
    "gfci alone": {"mode": "paper", "learner": "gfci", "decompose": False},
}
COUNTED: dict[str, dict[str, object]] = {"exact": {"mode": "exact"}, "either": {"mode": "either"}, "auto": {"mode": "auto"}}
SIZES = ((8, 2), (12, 3), (16, 3), (20, 2.5), (10, 4), (24, 2))  # variables and mean degree
ROWS = (100, 300, 1000)


def numbers(seed: int) -> pd.DataFrame:
    """A table of linear Gaussian columns, two variables of the graph hidden."""
    n, degree = SIZES[seed % len(SIZES)]
    dag = simulate.er_dag(n, degree, seed=seed)
    hidden = simulate.hide(dag, 2, seed=seed)
    return simulate.linear_gaussian(dag, ROWS[seed % len(ROWS)], seed=seed).drop(columns=list(hidden))


def categories(seed: int) -> pd.DataFrame:
    """The same cut into two or three levels, as whole numbers."""
    table = numbers(seed + 1).iloc[:, :8]
    return pd.DataFrame({name: pd.qcut(table[name], 2 + i % 2, labels=False) for i, name in enumerate(table)})


def changed(table: pd.DataFrame, seed: int) -> Iterator[tuple[str, pd.DataFrame, pd.DataFrame]]:
    """What was changed, the table that counts, and the one that should give the same answer.

    A column read as float32 has lost digits; it is compared with the same numbers as float64.
    """
    random = np.random.default_rng(seed)
    rows, moved = random.permutation(len(table)), np.round(100 * random.normal(size=table.shape[1]))
    yield "rows", table, table.iloc[rows]
    yield "shift", table, table + moved
    yield "scale", table, table * 10
    yield "all of these", table, table.iloc[rows] * 10 + moved
    if table.dtypes.iloc[0] == np.float64:
        yield "float32", table.astype(np.float32).astype(np.float64), table.astype(np.float32)


def differing(table: pd.DataFrame, seed: int, ways: dict[str, dict[str, object]], ci_test: str) -> Iterator[tuple[str, str, bool]]:
    """By way and change: do two marks differ?"""
    for way, settings in ways.items():
        known: dict[bool, str] = {}
        for what, one, other in changed(table, seed):
            answer = known.get(what == "float32") or known.setdefault(what == "float32", learned(one, ci_test, settings))
            yield way, what, answer != learned(other, ci_test, settings)


def learned(table: pd.DataFrame, ci_test: str, settings: dict[str, object]) -> str:
    """The edges in words."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return str(DiCoLa(ci_test=ci_test, **settings).fit(table).pag_)


def study(tables: int, first: int = 0) -> Counter[tuple[str, str, str, bool]]:
    """How many pairs of answers agree and differ, by kind of table, way and change."""
    found: Counter[tuple[str, str, str, bool]] = Counter()
    for seed in range(first, first + tables):
        kinds = [("numbers", numbers(seed), WAYS, "fisher_z")]
        if seed % 3 == 0:
            kinds.append(("categories", categories(seed), COUNTED, "g_square"))
        for kind, table, ways, ci_test in kinds:
            for way, what, differ in differing(table, seed, ways, ci_test):
                found[kind, way, what, differ] += 1
                if differ:
                    print(f"{kind} {seed}: {way} depends on {what}", flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=18)
    parser.add_argument("--first", type=int, default=0, help="the seed of the first table")
    chosen = parser.parse_args()
    found = study(chosen.tables, chosen.first)
    for kind in ("numbers", "categories"):
        cases = sum(count for key, count in found.items() if key[0] == kind)
        differ = sum(count for key, count in found.items() if key[0] == kind and key[-1])
        print(f"{kind}: {cases} pairs of answers, {differ} differ in a mark")


if __name__ == "__main__":
    main()
