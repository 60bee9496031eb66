import numpy as np
import pytest

from dicola import DAG, Discovery, Oracle, discover
from dicola.errors import InvalidData, InvalidSetting
from dicola.graphs.marks import ARROW, CIRCLE, TAIL, Mark
from dicola.graphs.pag import PAG
from dicola.knowledge import Knowledge
from dicola.simulate import er_dag, hide

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
        ({"tiers": [["age"]], "closed": ["age"]}, "numbers of tiers"),
        ({"tiers": 3}, "tiers is 3"),
        ({"forbidden": "age"}, "forbidden is 'age'"),
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
    said = known.denied_by(PAG.from_text("dose <-> pain; age --> pain", LABELS))
    assert [line.split(",")[0] for line in said] == ["dose was said to cause drug", "dose was said to cause pain"]
    assert known.denied_by(PAG.from_text("pain --> age", LABELS))[-1].startswith("pain was said not to cause age")


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


def true_claims(dag: DAG, latents: tuple[str, ...], rng: np.random.Generator) -> Knowledge:
    """Some claims that hold in the graph: tiers along an order of the variables, pairs of causes and of no causes."""
    observed = [name for name in dag.names if name not in latents]
    whole = dag.true_mag(())
    causes = {(a, b) for b in observed for a in observed if a != b and a in whole.ancestors(b)}
    order = [name for v in dag.topological_order() if (name := dag.names[v]) in observed]
    cut = int(rng.integers(1, len(order)))
    not_causes = [pair for a in observed for b in observed if a != b and (pair := (a, b)) not in causes]
    pick = lambda pairs: [pair for pair in sorted(pairs) if rng.random() < 0.2]  # noqa: E731
    tiers = [order[:cut], order[cut:]] if rng.random() < 0.5 else []
    return Knowledge(tiers=tiers, forbidden=pick(not_causes), required=pick(causes))


@pytest.mark.parametrize("learner", ["fci", "rfci", "l-marvel"])
def test_with_true_claims_every_mark_is_true_and_none_of_the_true_pag_is_lost(learner):
    gained = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        dag = er_dag(7, 3, seed)
        latents, whole = hide(dag, 1, seed), dag.true_mag(())
        known = true_claims(dag, latents, rng)
        found = discover(Oracle(dag, latents), learner, knowledge=known)
        truth = dag.true_pag(latents).reordered(found.pag.names)
        assert ((found.pag.marks != 0) == (truth.marks != 0)).all()
        decided = truth.marks != CIRCLE
        assert (found.pag.marks[decided] == truth.marks[decided]).all()
        for edge in found.pag.edges():
            for at, other, mark in ((edge.u, edge.v, edge.mark_u), (edge.v, edge.u, edge.mark_v)):
                if mark != Mark.CIRCLE:
                    assert (mark == Mark.TAIL) == (at in whole.ancestors(other)), (seed, str(edge), known)
        gained += int((found.pag.marks[~decided] != CIRCLE).sum())
        assert not found.conflicts
    assert gained > 100, "the claims are of use"


def test_a_rule_that_wants_otherwise_is_a_conflict_and_the_claim_stands():
    dag = DAG.from_edges([("a", "c"), ("b", "c")])
    found = discover(Oracle(dag), knowledge=Knowledge(required=[("c", "a")]))
    assert str(found.pag).splitlines()[0] == "c --> a"
    assert found.conflicts and any("arrowhead" in line or "both ways" in line for line in found.warnings)


def test_a_claim_that_the_graph_denies_is_a_warning_and_a_reason_is_given_for_those_that_stand():
    dag = DAG.from_edges([("a", "b"), ("b", "c")])
    found = discover(Oracle(dag), knowledge=Knowledge(tiers=[["a"], ["b"]], required=[("a", "c")]))
    assert str(found.pag) == "a o-> b\nb --> c"
    assert any("a was said to cause c, but there is no edge" in line for line in found.warnings)
    assert "known beforehand" in str(found.explain("a", "b"))
    assert found.settings["knowledge"]["tiers"] == (("a",), ("b",))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"learner": "pc"}, "learned by PC"),
        ({"selection": True, "decompose": False}, "selection of the sample"),
        ({"legalize": True}, "made legal"),
        ({"knowledge": {"tiers": []}}, "make one"),
        ({"knowledge": Knowledge(forbidden=[("a", "z")])}, "not among the variables"),
    ],
)
def test_where_knowledge_cannot_be_used_this_is_said(settings, said):
    oracle = Oracle(DAG.from_edges([("a", "b"), ("b", "c")]))
    with pytest.raises(InvalidSetting, match=said):
        discover(oracle, **{"knowledge": Knowledge(forbidden=[("c", "a")]), **settings})


def test_results_with_knowledge_are_written_and_read_again(tmp_path):
    found = discover(Oracle(DAG.from_edges([("a", "b"), ("b", "c")])), knowledge=Knowledge(tiers=[["a"], ["b", "c"]]))
    found.write(tmp_path / "out")
    assert Discovery.read(tmp_path / "out").pag == found.pag
