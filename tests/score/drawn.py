"""Small models with data, drawn at random."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dicola import MAG, simulate
from dicola.score.gaussian_bic import GaussianBIC


def models(
    seed: int, count: int, n: int = 9, hidden: int = 3, degree: float = 3, n_samples: int = 500
) -> Iterator[tuple[MAG, GaussianBIC]]:
    """The MAG of a random DAG with some variables hidden, and the score on a table drawn from it."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        dag = simulate.er_dag(n, degree, int(rng.integers(1 << 30)))
        mag = dag.true_mag([dag.names[v] for v in rng.choice(n, hidden, replace=False)])
        table = simulate.linear_gaussian(dag, n_samples, int(rng.integers(1 << 30)))[list(mag.names)]
        yield mag, GaussianBIC(np.corrcoef(table.to_numpy(), rowvar=False), n_samples, mag.names)
