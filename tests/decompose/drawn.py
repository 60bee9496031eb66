"""Random MAGs, their independence graphs, and every way to cut these."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

import numpy as np

from dicola import MAG
from dicola.decompose.split import Split
from dicola.graphs.skeleton import Pair
from dicola.graphs.undirected import UndirectedGraph
from tests.reference_models import mag_by_definition, names, random_hidden_dag, random_mag


def small_mag(seed: int, most: int = 6) -> MAG:
    """Over V0, V1, …: half of them left by a DAG with hidden variables, half rich in bidirected edges."""
    rng = np.random.default_rng([71, seed])
    n = int(rng.integers(3, most + 1))
    if seed % 2:
        return MAG.from_matrix(random_mag(rng, n, float(rng.uniform(0.1, 0.4)), float(rng.uniform(0.1, 0.6))), names(n))
    marks, hidden = random_hidden_dag(rng, n, int(rng.integers(1, 4)), float(rng.uniform(0.2, 0.5)))
    return MAG.from_matrix(mag_by_definition(marks, [v for v in range(len(marks)) if v not in hidden]), names(n))


def skeleton_over(mag: MAG, variables: tuple[int, ...]) -> frozenset[Pair]:
    """The edges of the MAG that is left over some of the vertices, in the numbers of the whole."""
    part = mag.marginal([mag.names[v] for v in variables])
    return frozenset((variables[a], variables[b]) for a, b in part.pairs())


def uig_over(mag: MAG, variables: tuple[int, ...]) -> UndirectedGraph:
    return UndirectedGraph.from_matrix(mag.marginal([mag.names[v] for v in variables]).augmented())


def valid_splits(graph: UndirectedGraph) -> Iterator[Split]:
    """Every tripartition without an edge across it, each once."""
    for sides in product("ABC", repeat=len(graph)):
        left, right, separator = (tuple(v for v, side in enumerate(sides) if side == name) for name in "ABC")
        if left and right and min(left) < min(right) and not any(graph.neighbours[a] >> b & 1 for a in left for b in right):
            yield Split(left, right, separator)


def random_split(graph: UndirectedGraph, rng: np.random.Generator) -> Split | None:
    """Some valid tripartition: two vertices apart, each with a part of what they do not reach, the rest between."""
    apart = [(a, b) for a, b in combinations(range(len(graph)), 2) if not graph.neighbours[a] >> b & 1]
    if not apart:
        return None
    left, right = ({v} for v in apart[int(rng.integers(len(apart)))])
    for v in rng.permutation(len(graph)).tolist():
        if v in left | right:
            continue
        may = [side for side, other in ((left, right), (right, left)) if not any(graph.neighbours[v] >> w & 1 for w in other)]
        if may and rng.random() < 0.6:
            may[int(rng.integers(len(may)))].add(v)
    return Split(tuple(sorted(left)), tuple(sorted(right)), tuple(v for v in range(len(graph)) if v not in left | right))
