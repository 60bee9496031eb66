"""Exactness with a perfect test: random DAGs with hidden variables in, true PAGs and true separating sets out.

From the root of the repository: ``python -m tests.exactness.run 10000 --seed 1 --jobs 2``.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from joblib import Parallel, delayed

from dicola import DAG, PAG, Discovery, Oracle, discover
from dicola.ci.base import CITest
from tests.reference_models import names, random_hidden_dag

SETTINGS: tuple[dict[str, object], ...] = ({}, {"stop": "paper"}, {"decompose": False})
DENSITIES = (0.15, 0.25, 0.35, 0.5)
CHUNK = 102


@dataclass(frozen=True)
class Tally:
    """What a number of graphs came to; the descriptions are those of the faulty runs."""

    graphs: int = 0
    wrong_pags: tuple[str, ...] = ()
    wrong_sets: tuple[str, ...] = ()

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.graphs + other.graphs, self.wrong_pags + other.wrong_pags, self.wrong_sets + other.wrong_sets)

    @property
    def is_exact(self) -> bool:
        return self.graphs > 0 and not self.wrong_pags and not self.wrong_sets


def hidden_dag(seed: int, number: int, most_observed: int = 9) -> tuple[DAG, list[str]]:
    """Graph ``number`` of the family ``seed``: 4 to 9 observed and 1 to 4 hidden variables, sparse to dense."""
    rng = np.random.default_rng([seed, number])
    n_observed, n_hidden = int(rng.integers(4, most_observed + 1)), int(rng.integers(1, 5))
    marks, hidden = random_hidden_dag(rng, n_observed, n_hidden, float(rng.choice(DENSITIES)))
    labels = names(len(marks))
    return DAG.from_matrix(marks, labels), [labels[v] for v in hidden]


def wrong_sets(found: Discovery, test: CITest) -> list[str]:
    """What is wrong with the separating sets of a run: one, valid, for every non-adjacent pair; none for an adjacent one."""
    skeleton, faults = found.skeleton, []
    stored = skeleton.separating_sets()
    for x, y in combinations(skeleton.names, 2):
        adjacent = skeleton.adjacent(x, y)
        a, b = skeleton.labels.index(x), skeleton.labels.index(y)
        if adjacent != (found.pag.marks[found.pag.index(x), found.pag.index(y)] != 0):
            faults.append(f"{x} - {y} is an edge of one of skeleton and PAG only")
        if adjacent != (skeleton.sets.get(a, b) is None) or adjacent != ((x, y) not in stored):
            faults.append(f"{x} - {y} is {'adjacent and has a set' if adjacent else 'not adjacent and has no set'}")
        elif not adjacent:
            z = stored[x, y]
            if x in z or y in z or len(set(z)) != len(z):
                faults.append(f"{x} - {y} has the set {z}, with one of its ends or a repeated member")
            elif not test(x, y, z).independent:
                faults.append(f"{x} - {y} is not separated by {z}")
    if set(stored) - set(combinations(skeleton.names, 2)):
        faults.append("a set is stored under an unknown pair")
    return faults


def check(test: CITest, truth: PAG, settings: dict[str, object], label: str = "") -> Tally:
    """One run against the truth."""
    found = discover(test, **settings)  # type: ignore[arg-type]
    pags = () if found.pag == truth else (f"{label} {settings}: {found.pag} instead of {truth}",)
    return Tally(1, pags, tuple(f"{label} {settings}: {fault}" for fault in wrong_sets(found, test)))


def check_graphs(seed: int, first: int, last: int, settings: Sequence[dict[str, object]] = SETTINGS) -> Tally:
    """Every setting on the graphs from ``first`` to before ``last``; a graph counts once."""
    total = Tally()
    for number in range(first, last):
        dag, latents = hidden_dag(seed, number)
        truth = dag.true_pag(latents)
        for choice in settings:
            run = check(Oracle(dag, latents), truth, choice, f"graph {seed}/{number}")
            total += Tally(0, run.wrong_pags, run.wrong_sets)
        total += Tally(1)
    return total


def main(arguments: Sequence[str] | None = None, write: Callable[[str], object] = sys.stdout.write) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.exactness.run", description=__doc__)
    parser.add_argument("graphs", type=int, help="how many random DAGs to check")
    parser.add_argument("--seed", type=int, default=1, help="family of graphs")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    chosen = parser.parse_args(arguments)
    start = time.perf_counter()
    chunks = [(first, min(first + CHUNK, chosen.graphs)) for first in range(0, chosen.graphs, CHUNK)]
    tallies = Parallel(n_jobs=chosen.jobs)(delayed(check_graphs)(chosen.seed, *chunk) for chunk in chunks)
    total = sum(tallies, Tally())
    for fault in (total.wrong_pags + total.wrong_sets)[:20]:
        write(f"{fault}\n")
    write(
        f"{total.graphs} graphs, {len(SETTINGS)} runs each: {len(total.wrong_pags)} wrong PAGs, "
        f"{len(total.wrong_sets)} invalid separating sets, {time.perf_counter() - start:.1f} seconds\n"
    )
    return 0 if total.is_exact else 1


if __name__ == "__main__":
    sys.exit(main())
