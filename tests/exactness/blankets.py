"""Every blanket learner with a perfect test: what it finds against the blankets of the true MAG.

From the root of the repository: ``python -m tests.exactness.blankets 5000 --seed 1 --jobs 2``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from joblib import Parallel, delayed

from dicola.blankets.base import BlanketLearner
from dicola.blankets.registry import BLANKETS
from tests.exactness.learners import CHUNK, Truth, insufficient_truth, random_truth

SAFE = tuple(name for name, learner in BLANKETS.items() if learner.latent_safe)


@dataclass(frozen=True)
class Tally:
    """Targets whose blanket was asked for, and those for which it was wrong."""

    targets: int = 0
    wrong: tuple[str, ...] = ()

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.targets + other.targets, self.wrong + other.wrong)


def truth_of(seed: int, number: int) -> Truth:
    """A MAG with hidden variables or many bidirected edges, every fifth one hard for learners that go by neighbours."""
    return insufficient_truth(seed, number) if number % 5 == 0 else random_truth(seed, number)


def check(learner: BlanketLearner, truth: Truth) -> Tally:
    """The blanket of every variable: asked for alone, and as a row of the whole matrix."""
    oracle, wrong = truth.oracle(), []
    together = learner.learn(oracle)
    for v, name in enumerate(oracle.labels):
        true = set(truth.mag.blanket(name))
        ways = {"alone": learner.blanket(oracle, v), "together": together[v].nonzero()[0].tolist()}
        for way, found in ways.items():
            if {oracle.labels[w] for w in found} != true:
                wrong.append(f"{learner.name} {way}, {truth.label}, {name}: {[oracle.labels[w] for w in found]} instead of {sorted(true)}")
    return Tally(len(oracle), tuple(wrong))


def check_chunk(seed: int, first: int, last: int, learners: Sequence[str] = SAFE) -> dict[str, Tally]:
    """Every learner on the graphs from ``first`` to before ``last``."""
    found = {name: Tally() for name in learners}
    for number in range(first, last):
        truth = truth_of(seed, number)
        for name in found:
            found[name] += check(BLANKETS[name](), truth)
    return found


def main(arguments: Sequence[str] | None = None, write: Callable[[str], object] = sys.stdout.write) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.exactness.blankets", description=__doc__)
    parser.add_argument("graphs", type=int, help="how many random MAGs to check")
    parser.add_argument("--seed", type=int, default=1, help="family of graphs")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    chosen = parser.parse_args(arguments)
    chunks = [(first, min(first + CHUNK, chosen.graphs)) for first in range(0, chosen.graphs, CHUNK)]
    parts = Parallel(n_jobs=chosen.jobs)(delayed(check_chunk)(chosen.seed, *chunk) for chunk in chunks)
    failed = not chunks
    for name in SAFE if chunks else ():
        total = sum((part[name] for part in parts), Tally())
        for fault in total.wrong[:5]:
            write(f"{fault}\n")
        write(f"{name:<20}{chosen.graphs:>7} graphs, {total.targets:>7} targets, {len(total.wrong)} wrong\n")
        failed |= bool(total.wrong)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
