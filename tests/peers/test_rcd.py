"""dicola's L-MARVEL and rcd's as published, on the same tables: every difference comes from departures that are named.

Found on these 20 tables with rcd 0.2.1: 12 skeletons are equal. Where they are not, rcd lacks edges because it asks about neighbours
given the whole blanket as well, and has others because it asks again about pairs that the other end had separated; a few follow from
its update of the blankets, and from the order of blankets of one size.
"""

from __future__ import annotations

import pytest

from dicola import LMarvel
from dicola.learners.adapters.rcd import RcdLMarvel
from tests.peers.rcd_variation import DEPARTURES, skeleton
from tests.peers.tables import NUMBERS, Edges, causes, table, written_for

pytest.importorskip("rcd", reason="rcd is not installed")


def published(rows) -> Edges:
    """rcd by itself: its own blankets, at the level 1/k², and its own test, at the level 0.01."""
    from rcd.l_marvel.l_marvel import learn_and_get_skeleton
    from rcd.utilities.ci_tests import fisher_z

    graph = learn_and_get_skeleton(fisher_z, rows)
    return frozenset((int(min(edge)), int(max(edge))) for edge in graph.edges)


@written_for("rcd", "0.2.1")
@pytest.mark.parametrize("number", NUMBERS)
def test_skeletons_differ_by_the_named_departures_alone(number):
    rows, test = table(number)
    ours, theirs = LMarvel().learn_skeleton(test).edges, published(rows)
    assert skeleton(test, ()) == ours
    assert skeleton(test, DEPARTURES) == theirs
    if ours != theirs:
        named = causes(DEPARTURES, lambda some: skeleton(test, some))
        assert named and skeleton(test, named) == theirs


@pytest.mark.parametrize("number", NUMBERS)
def test_the_adapter_finds_what_rcd_finds_by_itself(number):
    rows, test = table(number)
    assert RcdLMarvel().learn_skeleton(test).edges == published(rows)


def test_each_side_of_the_neighbour_search_departs_somewhere():
    lacking = [n for n in NUMBERS if skeleton(table(n)[1], ["whole blanket"]) < skeleton(table(n)[1], ())]
    joined = [n for n in NUMBERS if skeleton(table(n)[1], ["asked again"]) > skeleton(table(n)[1], ())]
    assert lacking and joined
