"""Relatives in a PAG: by the definition of each, and against the DAG behind a true PAG."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest

from dicola import DAG, PAG, InvalidGraph
from tests.graphs.formats.drawn import random_pags
from tests.reference_models import ancestors, bits, names, random_hidden_dag

EDGES = {
    "parents": {"-->"},
    "children": {"<--"},
    "spouses": {"<->"},
    "possible_parents": {"-->", "o->", "o-o", "--o"},
    "possible_children": {"<--", "<-o", "o-o", "o--"},
    "neighbours": {"-->", "<--", "<->", "o->", "<-o", "o-o", "--o", "o--", "---"},
}
PATHS = ("ancestors", "possible_ancestors", "descendants", "possible_descendants")


def edge(pag: PAG, u: str, v: str) -> str:
    """The edge as it reads from u to v; empty where there is none."""
    a, b = pag.names.index(u), pag.names.index(v)
    return {0: "", 1: "o-", 2: "<-", 3: "--"}[int(pag.marks[b, a])] + {0: "", 1: "o", 2: ">", 3: "-"}[int(pag.marks[a, b])]


def simple_paths(pag: PAG, path: list[str]) -> Iterator[list[str]]:
    """All paths of one edge or more that begin with ``path``."""
    for w in pag.names:
        if w not in path and edge(pag, path[-1], w):
            yield [*path, w]
            yield from simple_paths(pag, [*path, w])


def is_directed(pag: PAG, path: list[str]) -> bool:
    return all(edge(pag, u, v) == "-->" for u, v in pairwise(path))


def is_potentially_directed(pag: PAG, path: list[str]) -> bool:
    """No edge is into the vertex before or out of the vertex after (Zhang 2008)."""
    return all(edge(pag, u, v)[0] != "<" and edge(pag, u, v)[-1] != "-" for u, v in pairwise(path))


@pytest.mark.parametrize("relation", EDGES)
def test_relatives_by_one_edge_are_told_by_its_marks(relation):
    for pag in random_pags():
        for v in pag.names:
            assert getattr(pag, relation)(v) == tuple(u for u in pag.names if edge(pag, u, v) in EDGES[relation])


@pytest.mark.parametrize("kind", [is_directed, is_potentially_directed])
def test_ancestors_and_descendants_are_the_ends_of_all_simple_paths_of_their_kind(kind):
    prefix = "" if kind is is_directed else "possible_"
    met = 0
    for pag in (pag for pag in random_pags() if len(pag) <= 7):
        ends = {(path[0], path[-1]) for v in pag.names for path in simple_paths(pag, [v]) if kind(pag, path)}
        for v in pag.names:
            assert getattr(pag, f"{prefix}ancestors")(v) == tuple(u for u in pag.names if (u, v) in ends)
            assert getattr(pag, f"{prefix}descendants")(v) == tuple(u for u in pag.names if (v, u) in ends)
        met += len(ends)
    assert met > 100


def test_in_a_true_pag_ancestors_are_causes_and_causes_are_possible_ancestors():
    rng = np.random.default_rng(20)
    definite = possible = causes = 0
    for _ in range(120):
        marks, hidden = random_hidden_dag(rng, int(rng.integers(4, 10)), int(rng.integers(0, 4)), float(rng.uniform(0.15, 0.45)))
        own = names(len(marks))
        pag = DAG.from_matrix(marks, own).true_pag([own[v] for v in hidden])
        before = ancestors(marks)
        for v in pag.names:
            position = own.index(v)
            above = {own[u] for u in bits(before[position]) if u != position} & set(pag.names)
            assert set(pag.ancestors(v)) <= above <= set(pag.possible_ancestors(v))
            definite, possible, causes = definite + len(pag.ancestors(v)), possible + len(pag.possible_ancestors(v)), causes + len(above)
    assert 0 < definite < causes < possible


def test_definite_relatives_are_among_the_possible_ones():
    for pag in random_pags():
        for v in pag.names:
            for relation in ("parents", "children", "ancestors", "descendants"):
                assert set(getattr(pag, relation)(v)) <= set(getattr(pag, f"possible_{relation}")(v))


def test_in_a_directed_circle_a_vertex_is_not_its_own_ancestor():
    circle = PAG.from_text("A --> B; B --> C; C --> A")
    assert circle.ancestors("B") == ("A", "C") == circle.descendants("B")


def test_relatives_come_in_the_order_of_the_names():
    text = "D --> B; A o-> B; C --> B"
    assert PAG.from_text(text, nodes="CABD").possible_parents("B") == ("C", "A", "D")
    assert PAG.from_text(text, nodes="DBAC").possible_parents("B") == ("D", "A", "C")


@pytest.mark.parametrize("relation", [*EDGES, *PATHS])
def test_an_unknown_name_is_refused_with_the_names_there_are(relation):
    with pytest.raises(InvalidGraph, match=r"'Z' is not a vertex of this graph\. Its vertices: 'A', 'B'\."):
        getattr(PAG.from_text("A o-> B"), relation)("Z")
