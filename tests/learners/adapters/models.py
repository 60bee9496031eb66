"""Small graphs with hidden variables, and a test that counts its own calls."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dicola import DAG, MAG, PAG, CITest, Oracle, mag_to_pag
from dicola.ci.questions import Verdict
from tests.reference_models import names, random_hidden_dag, random_large_mag


def hidden_dags(n: int) -> Iterator[tuple[Oracle, PAG]]:
    """Oracles over 4 to 8 observed variables of random DAGs with 1 to 3 hidden ones, and the true PAGs."""
    for seed in range(n):
        rng = np.random.default_rng([1, seed])
        marks, hidden = random_hidden_dag(rng, int(rng.integers(4, 9)), int(rng.integers(1, 4)), float(rng.uniform(0.2, 0.5)))
        dag, latents = DAG.from_matrix(marks, names(len(marks))), [f"V{v}" for v in hidden]
        yield Oracle(dag, latents), dag.true_pag(latents)


def bidirected_mags(n: int) -> Iterator[tuple[Oracle, PAG]]:
    """Oracles of random MAGs with 4 to 8 vertices and many bidirected edges, and the true PAGs."""
    for seed in range(n):
        rng = np.random.default_rng([2, seed])
        size, directed, bidirected = 4 + seed % 5, float(rng.uniform(0.1, 0.4)), float(rng.uniform(0.2, 0.7))
        mag = MAG.from_matrix(random_large_mag(rng, size, directed, bidirected), names(size))
        yield Oracle(mag), mag_to_pag(mag)


class Counting(CITest):
    """Another test, with the number of verdicts it was asked for."""

    def __init__(self, test: CITest) -> None:
        self.test, self.calls = test, 0
        self.labels, self.names = test.labels, test.names

    def verdict(self, x: int, y: int, z: tuple[int, ...]) -> Verdict:
        self.calls += 1
        return self.test.verdict(x, y, z)
