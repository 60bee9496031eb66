"""What is read off a PAG holds in every MAG of its class, and the words say it."""

from __future__ import annotations

from itertools import combinations

import pytest

from dicola import PAG, InvalidGraph, member_mag
from dicola.effects.members import members_from
from dicola.effects.reading import about, adjustment, causes_of, confounded, paths
from tests.effects import by_definition
from tests.effects.agreement import drawn
from tests.exactness.selection import selected_truth
from tests.reference_models import Marks, is_directed

GRAPH = "W o-> X; V o-> X; X --> Y; W o-> Y; Y <-> Z; Q o-> Z"


@pytest.fixture(scope="module")
def classes() -> list[tuple[PAG, list]]:
    pags = [drawn(3, number)[1] for number in range(80)]
    return [(pag, list(members_from(member_mag(pag)))) for pag in pags]


def test_definite_ancestors_are_the_ancestors_in_every_member(classes):
    beyond = 0
    for pag, members in classes:
        for v in pag.names:
            common = set.intersection(*(set(member.ancestors(v)) for member in members)) - {v}
            assert set(pag.definite_ancestors(v)) == common
            beyond += len(common - set(pag.ancestors(v)))
    assert beyond > 0


def test_possible_ancestors_are_the_ancestors_in_some_member(classes):
    for pag, members in classes:
        for v in pag.names:
            assert set(pag.possible_ancestors(v)) == set().union(*(member.ancestors(v) for member in members)) - {v}


def visible(marks: Marks) -> set[tuple[int, int]]:
    n = len(marks)
    return {(a, b) for a in range(n) for b in range(n) if is_directed(marks, a, b) and by_definition.is_visible(marks, a, b)}


def test_visible_edges_are_those_that_are_visible_in_every_member(classes):
    met = 0
    for pag, members in classes:
        common = set.intersection(*(visible(member.marks.tolist()) for member in members))
        assert {(pag.index(edge.u), pag.index(edge.v)) for edge in pag.visible_edges()} == common
        met += len(common)
    assert met > 20


def test_confounded_pairs_are_so_in_every_graph_behind_and_unconfounded_ones_in_none(classes):
    answers = set()
    for pag, members in classes:
        behind = [hidden for member in members for hidden in by_definition.graphs_behind(member.marks.tolist())]
        for u, v in combinations(pag.names, 2):
            pair = tuple(sorted(pag.indices([u, v])))
            shares = {pair in hidden for hidden in behind}
            answer = pag.is_confounded(u, v)
            assert answer is pag.is_confounded(v, u)
            assert (shares == {answer}) if answer is not None else shares == {True, False}
            answers.add(answer)
    assert answers == {True, False, None}


def component(hidden: frozenset[tuple[int, int]], v: int) -> set[int]:
    found = {v}
    while more := {u for pair in hidden for u in pair if found & set(pair)} - found:
        found |= more
    return found


def test_districts_bound_the_components_of_every_graph_behind(classes):
    for pag, members in classes:
        behind = [hidden for member in members for hidden in by_definition.graphs_behind(member.marks.tolist())]
        for v in pag.names:
            lower, upper = (set(pag.indices(part)) for part in (pag.district(v), pag.possible_district(v)))
            for hidden in behind:
                assert lower <= component(hidden, pag.index(v)) <= upper


def test_possible_dsep_goes_through_colliders_and_triangles():
    pag = PAG.from_text("A o-> B; C o-> B; C o-> D; E o-> D; D --> F")
    assert pag.possible_dsep("A") == ("B", "C")
    assert PAG.from_text("A o-o B; B o-o C; A o-o C; C o-o D").possible_dsep("A") == ("B", "C")


def test_the_answers_in_words():
    pag = PAG.from_text(GRAPH)
    told = causes_of(pag, "Y")
    assert str(told) == (
        "X is a cause of Y, directly or by way of others. W and V may be causes of Y: the data cannot tell. Z and Q are not causes of Y."
    )
    assert told.to_dict()["definite"] == ("X",) and told.verdict == "yes"
    assert confounded(pag, "Y", "Z").sentence == "yes: Y and Z share a hidden common cause (Y <-> Z); neither causes the other."
    assert confounded(pag, "X", "Y").sentence == "no: the edge X --> Y is visible, so no hidden common cause stands behind it."
    assert confounded(pag, "W", "V").sentence.startswith("no: W and V have no edge")
    assert confounded(pag, "W", "X").verdict == "open"
    assert paths(pag, "W", "Y").facts["paths"] == ("W o-> Y", "W o-> X --> Y")
    assert paths(pag, "Y", "W").sentence == "no: no path from Y to W could be causal, so Y is not a cause of W."
    assert paths(pag, "W", "Y", limit=1).facts["cut"] and not paths(pag, "W", "Y", limit=2).facts["cut"]
    assert adjustment(pag, "X", "Y").sentence == "for the effect of X on Y hold fixed {W}."
    assert adjustment(pag, "Y", "X").sentence == "no path from Y to X could be causal: the effect is zero."
    assert adjustment(pag, "W", "Y").sentence.startswith("not identified: no adjustment set exists for W and Y")
    everything = about(pag, "Y")
    assert "A hidden common cause stands behind Y and Z." in everything.sentence
    assert "No hidden common cause can stand behind X --> Y." in everything.sentence
    assert everything.facts["possible_district"] == pag.possible_district("Y")


def test_a_pair_of_one_variable_is_refused():
    with pytest.raises(InvalidGraph, match="X was named twice"):
        PAG.from_text(GRAPH).is_confounded("X", "X")


def test_of_selected_samples_what_is_said_of_causes_is_true():
    """Without an arrowhead somewhere a tail may speak of selection; what is called sure or ruled out holds in the DAG behind."""
    met = {"definite": 0, "excluded": 0, "wrong by the plain reading": 0, "yes": 0, "no": 0}
    for number in range(150):
        truth = selected_truth(5, number)
        whole = truth.dag.true_mag(())
        for v in truth.pag.names:
            above, told = set(whole.ancestors(v)), causes_of(truth.pag, v, selection=True).facts
            assert set(told["definite"]) <= above and not set(told["excluded"]) & above
            met["definite"] += len(told["definite"])
            met["excluded"] += len(told["excluded"])
            met["wrong by the plain reading"] += not set(truth.pag.definite_ancestors(v)) <= above
            for u in truth.pag.names:
                if u != v and (verdict := paths(truth.pag, u, v, selection=True).verdict) != "open":
                    assert (u in above) == (verdict == "yes")
                    met[verdict] += 1
    assert all(met.values()), met


def test_where_selection_is_allowed_for_nothing_is_called_visible_and_no_set_is_named():
    pag = PAG.from_text(GRAPH)
    assert confounded(pag, "X", "Y", selection=True).verdict == confounded(pag, "Y", "Z", selection=True).verdict == "open"
    assert "neither causes the other" in str(confounded(pag, "Y", "Z", selection=True))
    assert confounded(pag, "W", "Q", selection=True).verdict == "no"
    assert adjustment(pag, "X", "Y", selection=True).verdict == "no" and "selection" in str(adjustment(pag, "X", "Y", selection=True))
    told = about(pag, "X", selection=True)
    assert told.facts["effects"] == ("Y",) and told.facts["visible_edges"] == [] and "may have been selected" in str(told)
    alone = PAG.from_text("A --> B; C --- A; D o-o E")
    assert causes_of(alone, "B").facts["possible"] == ("A", "C", "D", "E")  # an edge tells of selection
    assert paths(alone, "D", "B").verdict == "open" and "but through what the sample was selected by" in str(paths(alone, "D", "B"))
