from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from dicola.graphs.dag import DAG
from dicola.graphs.pag import PAG

PagMaker = Callable[..., PAG]


def random_pag(observed: int, degree: float = 2.6, seed: int = 0, latents: int = 3) -> PAG:
    """The PAG of a seeded random DAG with a few hidden variables."""
    rng = np.random.default_rng(seed)
    n = observed + latents
    names = [f"X{i + 1}" for i in range(n)]
    order = rng.permutation(n)
    arcs: set[tuple[int, int]] = set()
    while len(arcs) < int(n * degree / 2):
        low, high = sorted(rng.choice(n, 2, replace=False).tolist())
        arcs.add((low, high))
    hidden = rng.choice(n, latents, replace=False)
    edges = [(names[order[low]], names[order[high]]) for low, high in sorted(arcs)]
    return DAG.from_edges(edges, nodes=names).true_pag([names[v] for v in hidden])


@pytest.fixture(scope="session")
def make_pag() -> PagMaker:
    return random_pag


@pytest.fixture(scope="session")
def medium_pag() -> PAG:
    return random_pag(32)
