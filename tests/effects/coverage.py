"""How often estimates and intervals are right, on simulated tables whose truth is known.

``python -m tests.effects.coverage given 500``: the true PAG is given. ``python -m tests.effects.coverage split 1000``: the graph is
learned from one half of the rows, the effect estimated from the other.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, islice

import numpy as np
import pandas as pd

from dicola import DAG, PAG, DiCoLa, Table, effect, simulate
from dicola.effects.adjustment import Adjustment
from dicola.effects.after_discovery import Asked, by_splitting, chosen_set, halves
from dicola.effects.identification import identified_by
from dicola.simulate.arguments import generator
from dicola.simulate.linear_gaussian import weighted_arcs
from tests.reference_models import names, random_hidden_dag

ROWS = 1000


@dataclass(frozen=True)
class World:
    """A DAG with hidden variables, its coefficients, and what follows: rows, covariance and total effects."""

    dag: DAG
    hidden: tuple[str, ...]
    seed: int

    @classmethod
    def drawn(cls, seed: int) -> World:
        rng = np.random.default_rng([17, seed])
        marks, hidden = random_hidden_dag(rng, int(rng.integers(5, 8)), int(rng.integers(0, 3)), float(rng.uniform(0.25, 0.45)))
        labels = names(len(marks))
        return cls(DAG.from_matrix(marks, labels), tuple(labels[v] for v in hidden), seed)

    @property
    def observed(self) -> list[str]:
        return [name for name in self.dag.names if name not in self.hidden]

    def table(self, n_samples: int = ROWS) -> pd.DataFrame:
        return simulate.linear_gaussian(self.dag, n_samples, self.seed)[self.observed]

    def total_effect(self, x: str, y: str) -> float:
        """The sum over directed paths of the products of their coefficients."""
        weights = np.zeros((len(self.dag), len(self.dag)))
        for parent, child, weight in weighted_arcs(self.dag, 0.5, 1.0, generator(self.seed, "linear_gaussian")):
            weights[child, parent] = weight
        return float(np.linalg.inv(np.eye(len(self.dag)) - weights)[self.dag.index(y), self.dag.index(x)])

    def slope(self, x: str, y: str, given: tuple[str, ...]) -> float:
        """The coefficient of x in the regression of y on x and a set, with endless rows."""
        covariance = simulate.linear_gaussian_covariance(self.dag, self.seed)
        beside = [x, *given]
        return float(np.linalg.solve(covariance.loc[beside, beside], covariance.loc[beside, y])[0])


def identified_pairs(pag: PAG) -> list[tuple[str, str]]:
    """Ordered pairs with a path that could be causal and an adjustment set."""
    pairs = [(x, y) for x in pag.names for y in pag.possible_descendants(x)]
    return [pair for pair in pairs if identified_by(Adjustment.between(pag, *pair)).by == "adjustment"]


@dataclass(frozen=True)
class Given:
    """One table, the true PAG given: how far off the estimate is, in standard errors, and whether its interval covers."""

    off: float
    covered: bool


def given_the_truth(method: str = "robust", first: int = 0) -> Iterator[Given]:
    """One effect of each world that has one which adjustment identifies."""
    for seed in count(first):
        world = World.drawn(seed)
        pag = world.dag.true_pag(world.hidden)
        pairs = identified_pairs(pag)
        if not pairs:
            continue
        x, y = pairs[seed % len(pairs)]
        found = effect(pag, x, y, world.table(), method=method)
        assert found.estimate is not None
        truth = world.total_effect(x, y)
        low, high = found.estimate.interval
        yield Given((found.estimate.value - truth) / found.estimate.error, low <= truth <= high)


@dataclass(frozen=True)
class Learned:
    """One table, the graph learned: does each interval cover the functional that was chosen, and the true effect?"""

    chosen: bool
    truth: bool
    right_set: bool
    naive_truth: bool | None


def learned(first: int = 0, rows: int = ROWS, mode: str = "exact") -> Iterator[Learned]:
    """One pair of each world, taken from the graph of the first half of the rows, so that the second half knows nothing of it."""

    def learn(table: Table) -> PAG:
        return DiCoLa(mode=mode, ci_test="fisher_z").fit(table).pag_

    for seed in count(first):
        world = World.drawn(seed)
        table = Table.from_frame(world.table(rows)).understood()
        pairs = identified_pairs(learn(halves(table, seed)[0]))
        if not pairs:
            continue
        x, y = pairs[seed % len(pairs)]
        split = by_splitting(learn, table, Asked(x, y, "robust", 0.95, seed))
        assert split.interval is not None and split.given is not None
        (low, high), slope, truth = split.interval, world.slope(x, y, split.given), world.total_effect(x, y)
        yield Learned(low <= slope <= high, low <= truth <= high, abs(slope - truth) < 1e-9, _naive(learn(table), table, x, y, truth))


def _naive(pag: PAG, table: Table, x: str, y: str, truth: float) -> bool | None:
    """Does the interval from graph and rows of the whole table cover the effect? ``None`` where that graph identifies none."""
    found, given = chosen_set(pag, x, y, table)
    if found.by == "no path":
        return abs(truth) < 1e-12
    if given is None:
        return None
    low, high = Asked(x, y, "robust").estimated(table, found, given).interval
    return low <= truth <= high


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("study", choices=("given", "split"))
    parser.add_argument("tables", type=int)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--mode", default="exact")
    asked = parser.parse_args()
    if asked.study == "given":
        found = list(islice(given_the_truth(first=asked.first), asked.tables))
        within = np.mean([abs(each.off) <= 3 for each in found])
        sys.stdout.write(
            f"{len(found)} tables: within three standard errors {within:.1%}, covered {np.mean([g.covered for g in found]):.1%}\n"
        )
        return
    runs = list(islice(learned(asked.first, asked.rows, asked.mode), asked.tables))
    naive = [run.naive_truth for run in runs if run.naive_truth is not None]
    sys.stdout.write(f"{len(runs)} tables: the functional that was chosen is covered in {np.mean([run.chosen for run in runs]):.1%}\n")
    sys.stdout.write(f"the true effect in {np.mean([run.truth for run in runs]):.1%}")
    sys.stdout.write(f" (the chosen functional is the effect in {np.mean([run.right_set for run in runs]):.1%})\n")
    sys.stdout.write(f"the naive interval covers the true effect in {np.mean(naive):.1%} of {len(naive)} tables whose graph gives one\n")


if __name__ == "__main__":
    main()
