"""dicola's FCI and causal-learn's as published, on the same tables: every difference comes from departures that are named.

Found on these 20 tables with causal-learn 0.1.4.8: its adjacency search is ours, and its skeleton keeps edges that the textbook's
Possible-D-Sep removes, on 16 of the tables, because its own is smaller. Which vertices its filter lets pass depends on the order in which
Python walks through a set of texts, so that some skeletons change from run to run.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dicola import FCI
from dicola.learners.adapters.causal_learn import CausalLearnFCI
from tests.peers.causal_learn_variation import DEPARTURES, skeleton
from tests.peers.tables import ALPHA, NUMBERS, Edges, causes, table, written_for

pytest.importorskip("causallearn", reason="causal-learn is not installed")


class Column(str):
    """The name of a column with a hash of our choice: that of a text is another in each run."""

    number: int
    hash_of: Callable[[int], int] = staticmethod(lambda number: number)

    def __new__(cls, number: int) -> Column:
        name = super().__new__(cls, f"X{number:02d}")
        name.number = number
        return name

    def __hash__(self) -> int:
        return type(self).hash_of(self.number)


def published(rows, depth: int | None = None, name: type[Column] = Column) -> Edges:
    """causal-learn by itself, with its own test."""
    from causallearn.search.ConstraintBased.FCI import fci

    k = len(rows.columns)
    limit = -1 if depth is None else depth
    graph, _ = fci(rows.to_numpy(), "fisherz", ALPHA, depth=limit, show_progress=False, node_names=[name(i) for i in range(k)])
    return frozenset((i, j) for i in range(k) for j in range(i + 1, k) if graph.graph[i, j] != 0)


@written_for("causal-learn", "0.1.4.8")
@pytest.mark.parametrize(("number", "depth"), [*((number, None) for number in NUMBERS), *((number, 2) for number in NUMBERS[::2])])
def test_skeletons_differ_by_the_named_departures_alone(number, depth):
    rows, test = table(number)
    ours = FCI(max_condition_size=depth, possible_dsep="textbook").learn_skeleton(test).edges
    theirs = published(rows, depth)
    assert skeleton(test, (), depth) == ours
    assert skeleton(test, DEPARTURES, depth) == theirs
    if ours != theirs:
        named = causes(DEPARTURES, lambda some: skeleton(test, some, depth))
        assert named and skeleton(test, named, depth) == theirs
        assert ("neighbours passed over" not in named) or depth is not None


@pytest.mark.parametrize("number", NUMBERS)
def test_the_adapter_finds_what_causal_learn_finds_by_itself(number):
    rows, test = table(number)
    assert CausalLearnFCI().learn_skeleton(test).edges == published(rows)


@written_for("causal-learn", "0.1.4.8")
def test_its_skeleton_depends_on_the_hashes_of_the_names():
    class Shuffled(Column):
        hash_of = staticmethod(lambda number: (number + 3) * 101 % 1009)

    rows = table(20)[0]
    assert published(rows) != published(rows, name=Shuffled)
