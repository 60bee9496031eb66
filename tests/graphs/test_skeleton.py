"""Skeletons and separating sets."""

from __future__ import annotations

import pytest

from dicola.errors import InvalidGraph
from dicola.graphs.mag import MAG
from dicola.graphs.skeleton import BlanketSets, LaterSets, RecordedSets, SeparatingSets, Skeleton, Variables
from dicola.graphs.undirected import UndirectedGraph
from dicola.orient.equivalence import AncestralSets
from tests.graphs.parts import complete


@pytest.fixture
def skeleton() -> Skeleton:
    """B - A, B - C, and D alone; worked on in the order A, B, C, D and given back in the order D, C, B, A."""
    sets = RecordedSets({(2, 0): [1], (0, 3): [], (3, 1): [], (2, 3): [1, 0]})
    return Skeleton(("A", "B", "C", "D"), (0, 1, 2, 3), frozenset({(0, 1), (1, 2)}), sets, ("D", "C", "B", "A"))


def test_a_pair_has_one_set_whichever_end_is_named_first():
    sets = RecordedSets()
    sets[5, 2] = {9, 1}
    assert sets.get(2, 5) == sets.get(5, 2) == sets[2, 5] == sets[5, 2] == (1, 9)
    sets[2, 5] = []
    assert sets[5, 2] == () and len(sets) == 1 and list(sets) == [(2, 5)]


def test_unknown_and_empty_are_different_answers():
    sets = RecordedSets({(0, 1): []})
    assert sets.get(0, 1) == () and sets.get(0, 2) is None
    with pytest.raises(KeyError):
        sets[0, 2]


def test_recorded_sets_are_compared_by_content():
    assert RecordedSets({(0, 1): [3, 2]}) == RecordedSets({(1, 0): (2, 3)})
    assert RecordedSets({(0, 1): [3]}) != RecordedSets({(0, 1): [2]})
    assert RecordedSets({(0, 1): []}) != RecordedSets()


def test_items_come_sorted_by_pair():
    assert list(RecordedSets({(3, 2): [0], (1, 0): []}).items()) == [((0, 1), ()), ((2, 3), (0,))]


def test_relabelling_reads_positions_as_variables_even_when_the_order_turns():
    sets = RecordedSets({(0, 2): [1]}).relabelled((9, 4, 7))
    assert sets.get(7, 9) == (4,) and len(sets) == 1


class Known(SeparatingSets):
    """Nothing but ``get``."""

    def __init__(self, sets: dict[tuple[int, int], Variables]) -> None:
        self.sets = sets

    def get(self, x: int, y: int) -> Variables | None:
        return self.sets.get((min(x, y), max(x, y)))


KNOWN = Known({(0, 2): (1,), (0, 3): ()})


def test_a_class_with_get_alone_lists_writes_and_relabels_its_sets():
    sets = KNOWN
    assert list(sets.known((0, 1, 2, 3))) == [(0, 2, (1,)), (0, 3, ())]
    assert RecordedSets.from_dict(sets.to_dict((0, 1, 2, 3)), (0, 1, 2, 3)) == RecordedSets({(0, 2): [1], (0, 3): []})
    assert sets.provenance(0, 2) is None and sets.leaves_with(0, 2) == ()
    turned = sets.relabelled((9, 4, 7, 5))
    assert turned.get(7, 9) == turned.get(9, 7) == (4,) and turned.get(5, 9) == () and turned.get(4, 9) is None
    assert turned.get(0, 2) is None, "nothing is known of other variables"


@pytest.mark.parametrize(
    "sets",
    [
        Known({(0, 1): (), (2, 4): (3,)}),
        RecordedSets({(0, 1): (), (2, 4): (3,)}),
        RecordedSets({(0, 1): ()}, otherwise=Known({(2, 4): (3,)})),
    ],
    ids=["own", "recorded", "both"],
)
def test_sets_learned_side_by_side_are_parted_by_their_numbers(sets):
    first, second = sets.parted([((5, 9), complete(2)), ((2, 5, 9), complete(3))])
    assert first.get(5, 9) == () and second.get(5, 9) is None
    assert second.get(9, 2) == (5,) and first.get(9, 2) is None


def test_what_was_recorded_comes_before_the_others_and_is_written_with_them():
    sets = RecordedSets({(2, 0): [3], (1, 3): [0]}, otherwise=KNOWN)
    assert sets.to_dict((0, 1, 2, 3)) == {"separating_sets": [(0, 2, (3,)), (0, 3, ()), (1, 3, (0,))]}


def test_what_was_found_later_is_written_apart_and_told_as_such():
    sets = LaterSets({(2, 0): [3]}, otherwise=KNOWN)
    facts = sets.to_dict((0, 1, 2, 3))
    assert facts == {"separating_sets": [(0, 2, (1,)), (0, 3, ())], "separated_later": [(0, 2, (3,))]}
    assert sets.provenance(0, 2) == sets.provenance(2, 0) == "Found while orienting, after the merge."
    assert sets.provenance(0, 3) is None


def test_blankets_are_written_instead_of_the_sets_that_follow_from_them():
    path = UndirectedGraph.from_rows([[1], [0, 2], [1]])
    sets = RecordedSets({(4, 6): []}, otherwise=BlanketSets(path, (4, 5, 6)))
    facts = sets.to_dict((4, 5, 6))
    assert facts == {"separating_sets": [(4, 6, ())], "blankets": [[5], [4, 6], [5]]}
    assert list(facts) == ["separating_sets", "blankets"] and RecordedSets.from_dict(facts, (4, 5, 6)) == sets
    assert BlanketSets.from_dict(facts, (4, 5, 6)).get(6, 4) == (5,)


def test_sets_computed_from_a_mag_are_none_for_adjacent_and_separate_the_others():
    mag = MAG.from_text("A --> B; B --> C; D --> C")
    sets = AncestralSets(mag)
    assert sets.get(0, 1) is None and sets.get(1, 0) is None
    assert sets.get(0, 2) == sets.get(2, 0) == (1, 3) and sets.get(0, 3) == ()
    with pytest.raises(KeyError):
        sets[0, 1]


def test_a_separating_set_is_given_in_names_for_non_adjacent_pairs_only(skeleton):
    assert skeleton.separating_set("A", "C") == skeleton.separating_set("C", "A") == ("B",)
    assert skeleton.separating_set("A", "D") == ()
    assert skeleton.separating_set("A", "B") is None


def test_every_non_adjacent_pair_is_keyed_in_the_order_of_the_names(skeleton):
    assert {pair: set(z) for pair, z in skeleton.separating_sets().items()} == {
        ("D", "C"): {"A", "B"},
        ("D", "B"): set(),
        ("D", "A"): set(),
        ("C", "A"): {"B"},
    }


def test_adjacency_matrix_stands_in_the_order_of_the_names(skeleton):
    assert skeleton.adjacency.astype(int).tolist() == [[0, 0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
    assert skeleton.adjacent("A", "B") and skeleton.adjacent("B", "A") and not skeleton.adjacent("A", "C")
    assert skeleton.n_edges == 2 and skeleton.named_edges() == {frozenset("AB"), frozenset("BC")}


def test_an_unknown_or_repeated_name_is_refused(skeleton):
    with pytest.raises(InvalidGraph, match="'Q'"):
        skeleton.separating_set("A", "Q")
    with pytest.raises(InvalidGraph, match="'Q'"):
        skeleton.adjacent("Q", "A")
    with pytest.raises(InvalidGraph, match="twice"):
        skeleton.separating_set("A", "A")


def test_skeletons_are_compared_by_names_edges_and_sets(skeleton):
    sets = RecordedSets({(0, 2): [1], (0, 3): [], (1, 3): [], (2, 3): [0, 1]})
    edges = frozenset({(0, 1), (1, 2)})
    assert skeleton == Skeleton(("A", "B", "C", "D"), (0, 1, 2, 3), edges, sets, ("A", "B", "C", "D"))
    other = RecordedSets({**dict(sets.items()), (0, 2): [1, 3]})
    assert skeleton != Skeleton(("A", "B", "C", "D"), (0, 1, 2, 3), edges, other, ("A", "B", "C", "D"))
    fewer = RecordedSets({**dict(sets.items()), (1, 2): []})
    assert skeleton != Skeleton(("A", "B", "C", "D"), (0, 1, 2, 3), frozenset({(0, 1)}), fewer, ("A", "B", "C", "D"))
    assert skeleton != "skeleton"
