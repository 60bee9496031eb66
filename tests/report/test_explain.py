from __future__ import annotations

import json
from dataclasses import replace
from math import isnan

import pytest

from dicola import DAG, FCI, MAG, RFCI, DiCoLa, DicolaError, Discovery, FisherZ, GaussianBIC, InvalidGraph, Oracle, discover, simulate
from dicola.graphs.marks import ARROW, TAIL, Mark
from dicola.orient.partial import Conflict
from dicola.report.explain import separation_of
from dicola.report.rule_text import OTHER_RULE, RULES


@pytest.fixture(scope="module")
def found() -> Discovery:
    return discover(Oracle(DAG.from_edges([("A", "C"), ("B", "C"), ("C", "D")])))


def test_a_collider_is_explained_by_the_set_that_leaves_it_out(found) -> None:
    told = found.explain("A", "C")
    arrow, circle = told.ends
    assert (told.edge, told.separation) == ("A o-> C", None)
    assert (arrow.at, arrow.mark, arrow.rule, arrow.witness) == ("C", "arrowhead", "R0", ("A", "C", "B"))
    assert arrow.separation.pair == ("A", "B") and arrow.separation.separating_set == ()
    assert (circle.at, circle.mark, circle.rule) == ("A", "circle", None)


def test_the_text_names_marks_rules_and_sets(found) -> None:
    text = str(found.explain("C", "D"))
    for piece in ("C --> D", "C is a cause of D", "arrowhead at D", "tail at C", "R1: ", "independent given C.", "adjacent: no set"):
        assert piece in text


def test_the_order_of_the_two_names_does_not_matter(found) -> None:
    assert found.explain("C", "A") == found.explain("A", "C")


def test_a_pair_without_an_edge_is_explained_by_its_separating_set_and_its_place(found) -> None:
    told = found.explain("A", "D")
    assert told.edge is None and told.separation.separating_set == ("C",) == found.skeleton.separating_set("A", "D")
    assert told.separation.found.startswith(("Found at split", "Found by the learner"))
    assert str(told).splitlines()[0] == "A   D   (no edge)"


def test_every_pair_of_a_learned_graph_can_be_explained() -> None:
    dag = simulate.er_dag(14, 3, seed=2)
    table = simulate.linear_gaussian(dag, 300, seed=2).drop(columns=list(simulate.hide(dag, 2, seed=2)))
    for learner in (FCI(2), RFCI()):
        for decompose in (True, False):
            result = discover(FisherZ(table, alpha=0.05), learner, decompose=decompose)
            for i, x in enumerate(result.pag.names):
                for y in result.pag.names[i + 1 :]:
                    told = result.explain(x, y)
                    json.dumps(told.to_dict())
                    assert (told.edge is None) == (not result.skeleton.adjacent(x, y))
                    if told.edge is None:
                        assert told.separation.separating_set == result.skeleton.separating_set(x, y)
                        assert "not on record" not in told.separation.found
                    else:
                        assert told.edge in str(result.pag).splitlines() and len(told.ends) == 2
                        assert all(end.rule or end.mark == "circle" for end in told.ends)


def test_conflicts_at_the_edge_are_told_and_others_are_not(found) -> None:
    place = {name: i for i, name in enumerate(found.skeleton.labels)}
    a, b, c = (place[name] for name in "ABC")
    conflict = Conflict("R1", a, c, Mark.ARROW, Mark.TAIL, (a, c), "R0", (a, c, b))
    disputed = replace(found, conflicts=(conflict,))
    assert "wants a tail at C" in disputed.explain("A", "C").conflicts[0] and "Conflicts" in str(disputed.explain("A", "C"))
    assert disputed.explain("B", "C").conflicts == ()


def test_unknown_names_and_a_name_given_twice_are_refused_in_a_sentence(found) -> None:
    with pytest.raises(DicolaError, match="'Z' is not a vertex"):
        found.explain("A", "Z")
    with pytest.raises(InvalidGraph, match="named twice"):
        found.explain("A", "A")


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_fills_its_sentence_and_says_whom_a_set_keeps_apart(rule) -> None:
    witness = [f"V{i}" for i in range(6)]
    told = RULES[rule]
    text = told.in_words(witness)
    assert "{" not in text and all(witness[place] in text for place in told.roles.values())
    assert told.apart is None or set(told.apart) <= set(told.roles)


def test_a_rule_without_a_wording_still_names_its_vertices() -> None:
    assert OTHER_RULE.in_words(["A", "B{c}"]) == "This rule applied to A, B{c}."


def test_no_separation_is_told_of_neighbours(found) -> None:
    assert separation_of(found, "A", "C") is None


def test_a_scored_run_tells_what_each_mark_is_worth_and_the_weakest_test(tmp_path):
    dag = simulate.er_dag(10, 2.5, seed=2)
    found = DiCoLa(mode="balanced").fit(simulate.linear_gaussian(dag, 300, seed=2)).discovery_
    told = {line for edge in found.pag.edges() for line in str(found.explain(edge.u, edge.v)).splitlines()}
    assert any("With another mark here, and all other edges as they are, the graph scores 147.9 worse." in line for line in told)
    assert any("no other mark can stand here" in line for line in told)
    assert "Without the edge the graph scores 266.8 worse." in told
    for edge in found.pag.edges():
        words = found.explain(edge.u, edge.v)
        assert words.weakest.startswith("weakest test: p = ") and "partial correlation" in words.weakest and words.score
        assert all((end.score is None) == (end.mark == "circle") for end in words.ends)
    again = Discovery.read(found.write(tmp_path / "out"))
    assert [str(again.explain(e.u, e.v)) for e in again.pag.edges()] == [str(found.explain(e.u, e.v)) for e in found.pag.edges()]


def test_what_a_mark_is_worth_is_what_scoring_the_other_graph_says():
    dag = simulate.er_dag(7, 2, seed=5)
    found = DiCoLa(mode="balanced", ci_test="fisher_z").fit(simulate.linear_gaussian(dag, 30_000, seed=5)).discovery_
    score, mag = GaussianBIC.of(found.test), found.skeleton.sets.mag
    checked = 0
    for row in found.to_pandas().itertuples():
        a, b = mag.index(row.u), mag.index(row.v)
        marks = mag.to_matrix()
        marks[a, b] = marks[b, a] = 0
        assert score.mag(MAG(marks, mag.names)) - score.mag(mag) == pytest.approx(row.score_without, abs=1e-6)
        if row.mark_v == "arrow" and not isnan(row.score_v):
            marks[b, a], marks[a, b] = ARROW, TAIL
            assert score.mag(MAG(marks, mag.names)) - score.mag(mag) == pytest.approx(row.score_v, abs=1e-6)
            checked += 1
    assert checked
    assert "score_without" not in DiCoLa(mode="exact").fit(simulate.linear_gaussian(dag, 300, seed=5)).discovery_.to_pandas()


def test_of_a_selected_sample_marks_say_less():
    """A tail says "causes the other, or selection": in the explanation, the report, its script's facts and the drawing."""
    dag = DAG.from_edges([("A", "C"), ("B", "C"), ("C", "D")])
    plain, selected = (discover(Oracle(dag), selection=selection) for selection in (False, True))
    assert "C is a cause of D (directly or through variables not shown)." in str(plain.explain("C", "D"))
    told = str(selected.explain("C", "D"))
    assert "C is a cause of D or of selection of the sample; D is a cause of neither." in told
    assert "D is a cause neither of C nor of the selection of the sample." in told
    for text in (selected.report(), selected.draw()):
        assert "C is a cause of D or of selection of the sample" in text and "(directly or through" not in text
    assert "{u} is a cause of {v} or of selection of the sample" in selected.report()
    assert "selection of the sample" not in plain.draw()
