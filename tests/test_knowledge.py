import pytest

from dicola.errors import InvalidData, InvalidSetting
from dicola.graphs.marks import ARROW, TAIL
from dicola.knowledge import Knowledge

LABELS = ("age", "dose", "drug", "pain")


def test_later_tiers_do_not_cause_earlier_ones():
    known = Knowledge(tiers=[["age"], ["dose", "drug"], ["pain"]])
    assert known.forbids == {("dose", "age"), ("drug", "age"), ("pain", "age"), ("pain", "dose"), ("pain", "drug")}


def test_in_a_closed_tier_nothing_causes_anything():
    known = Knowledge(tiers=[["age"], ["dose", "drug"]], closed=[1])
    assert known.forbids == {("dose", "age"), ("drug", "age"), ("dose", "drug"), ("drug", "dose")}


def test_a_forbidden_cause_gets_an_arrowhead_at_its_own_end_and_no_tail_at_the_other():
    assert list(Knowledge(forbidden=[("pain", "dose")]).marks(LABELS, [(1, 3), (0, 3)])) == [(1, 3, ARROW)]


def test_a_required_cause_gets_a_tail_and_the_effect_an_arrowhead():
    assert set(Knowledge(required=[("dose", "pain")]).marks(LABELS, [(3, 1)])) == {(3, 1, TAIL), (1, 3, ARROW)}


def test_pairs_without_an_edge_get_nothing():
    assert not list(Knowledge(tiers=[["age"], ["pain"]], required=[("dose", "pain")]).marks(LABELS, [(1, 2)]))


def test_forbidden_both_ways_is_an_arrowhead_at_either_end():
    assert set(Knowledge(forbidden=[("dose", "drug"), ("drug", "dose")]).marks(LABELS, [(1, 2)])) == {(1, 2, ARROW), (2, 1, ARROW)}


@pytest.mark.parametrize(
    ("claims", "said"),
    [
        ({"tiers": [["age"], ["dose", "age"]]}, "'age' stands in tiers 1 and 2"),
        ({"tiers": ["age", "dose"]}, "list of names"),
        ({"tiers": [["age"]], "closed": [1]}, "closed names tier 1"),
        ({"forbidden": [("age",)]}, "pair of two different names"),
        ({"required": [("age", "age")]}, "pair of two different names"),
        ({"tiers": [["age"], ["dose"]], "required": [("dose", "age")]}, "required to cause 'age' and forbidden"),
        ({"required": [("age", "dose"), ("dose", "age")]}, "take one of them back"),
    ],
)
def test_claims_that_cannot_be_are_refused(claims, said):
    with pytest.raises(InvalidSetting, match=said):
        Knowledge(**claims)


def test_a_name_that_is_not_there_is_said():
    with pytest.raises(InvalidSetting, match="agee"):
        Knowledge(forbidden=[("agee", "dose")]).check_names(LABELS)


def test_what_a_graph_denies_is_said_in_words():
    known = Knowledge(tiers=[["age"], ["pain"]], required=[("dose", "drug"), ("dose", "pain")])
    marks = {(1, 3): ARROW, (3, 1): ARROW, (0, 3): ARROW, (3, 0): TAIL}
    said = known.broken(LABELS, marks)
    assert [line.split(",")[0] for line in said] == ["dose was said to cause drug", "dose was said to cause pain"]
    assert known.broken(LABELS, {(0, 3): TAIL, (3, 0): ARROW})[-1].startswith("pain was said not to cause age")


def test_tetrads_file_there_and_back():
    known = Knowledge(tiers=[["age"], ["dose", "drug"], ["pain"]], forbidden=[("age", "drug")], required=[("dose", "pain")], closed=[1])
    assert Knowledge.from_text(known.to_text()) == known
    text = "/knowledge\naddtemporal\n1 age\n2* dose drug\n3 pain\n\nforbiddirect\nage drug\n\nrequiredirect\ndose pain\n\n"
    assert known.to_text() == text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("addtemporal\n", "begins with a line '/knowledge'"),
        ("/knowledge\naddtemporal\nage dose\n", "line 3 .* number"),
        ("/knowledge\nforbiddirect\nage\n", "line 3 .* two names"),
        ("/knowledge\nforbiddengroup\nage dose\n", "known here are"),
    ],
)
def test_a_broken_file_is_named_by_line(text, said):
    with pytest.raises(InvalidData, match=said):
        Knowledge.from_text(text)


def test_files_that_cannot_be_read_and_names_that_cannot_be_written(tmp_path):
    with pytest.raises(InvalidData, match="could not be read"):
        Knowledge.read(tmp_path / "none.txt")
    with pytest.raises(InvalidData, match="fall apart"):
        Knowledge(forbidden=[("my age", "dose")]).to_text()


def test_knowledge_is_equal_and_hashable_whatever_lists_it_was_made_of():
    one = Knowledge(tiers=[["a"], ["b"]], forbidden=[("b", "c"), ("a", "c")])
    two = Knowledge(tiers=(("a",), ("b",)), forbidden=iter([("a", "c"), ("b", "c")]))
    assert one == two and hash(one) == hash(two)
    assert one and not Knowledge()
    assert one.names == {"a", "b", "c"}
