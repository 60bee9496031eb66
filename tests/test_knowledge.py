from dataclasses import asdict

import numpy as np
import pandas as pd
import pytest

from dicola import DAG, PAG, DiCoLa, Discovery, FisherZ, GSquare, Oracle, discover, local
from dicola.claims import Claims
from dicola.errors import InvalidData, InvalidSetting
from dicola.graphs.marks import ARROW, CIRCLE, TAIL
from dicola.graphs.skeleton import RecordedSets, Skeleton
from dicola.knowledge import Knowledge
from dicola.metrics import compare
from dicola.score.law import Law
from dicola.simulate import er_dag, linear_gaussian
from dicola.statements import Judge
from tests.exactness.knowledge import (
    METHODS,
    contradicted,
    counted_table,
    drawn,
    faults_of_a_search,
    faults_of_an_oracle,
    faults_with_selection,
)

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


def test_claims_pass_on_what_follows_from_them():
    claims = Claims.of(Knowledge(required=[("a", "b"), ("b", "c")], forbidden=[("a", "d")]), tuple("abcd"))
    assert claims.causes[0, 2] and claims.barred[2, 0]
    assert claims.barred[1, 3] and claims.barred[2, 3], "what a causes does not cause d either"
    assert not claims.barred[3, 0]


def test_an_exogenous_variable_leads_out_of_every_edge():
    claims = Claims.of(Knowledge(exogenous=["a"]), tuple("abc"))
    assert claims.barred[:, 0].tolist() == [False, True, True]
    assert claims.never_bidirected()[0].tolist() == [False, True, True]
    oracle = Oracle(DAG.from_edges([("a", "b"), ("b", "c")]))
    assert str(discover(oracle, knowledge=Knowledge(exogenous=["a"])).pag) == "a --> b\nb --> c"


def test_no_hidden_common_cause_does_not_rule_out_a_bidirected_edge_by_way_of_a_third():
    claims = Claims.of(Knowledge(unconfounded=[("a", "b")]), tuple("abc"))
    assert not claims.never_bidirected().any(), "c may share a hidden cause with each"
    edges = np.zeros((3, 3), dtype=np.bool_)
    edges[0, 1] = edges[1, 0] = True
    assert claims.never_bidirected(edges)[0, 1], "no edges to c, so c is not behind it"


def test_an_arrowhead_gets_its_tail_where_nothing_hidden_can_be_behind_the_edge():
    oracle = Oracle(DAG.from_edges([("a", "c"), ("b", "c")]))
    assert str(discover(oracle).pag) == "a o-> c\nb o-> c"
    found = discover(oracle, knowledge=Knowledge(unconfounded=[("a", "c"), ("b", "c")]))
    assert str(found.pag) == "a --> c\nb --> c"
    assert "rules out that something hidden ties the two together" in str(found.explain("a", "c"))


def test_what_follows_along_a_path_is_put():
    oracle = Oracle(DAG.from_edges([("hidden", "p"), ("hidden", "b"), ("q", "b"), ("b", "e")]), latents="hidden")
    assert "p o-> b" in str(discover(oracle).pag).splitlines()
    found = discover(oracle, knowledge=Knowledge(forbidden=[("p", "e")]))
    assert "p <-> b" in str(found.pag).splitlines(), "if p caused b, it would cause e"
    assert "would cause what b causes" in str(found.explain("p", "b"))


@pytest.mark.parametrize(
    ("claims", "said"),
    [
        ({"required": [("a", "b"), ("b", "c"), ("c", "a")]}, "in a circle: 'a' causes 'b', 'b' causes 'c', 'c' causes 'a'"),
        ({"required": [("a", "b"), ("b", "c")], "forbidden": [("a", "c")]}, "through a → b → c"),
        ({"exogenous": ["b"], "required": [("a", "b")]}, "'b' is exogenous"),
        ({"forbidden_adjacent": [("a", "b")], "required_adjacent": [("b", "a")]}, "'a' and 'b' are said to be adjacent and not adjacent"),
        ({"exogenous": ["a", "b"], "required_adjacent": [("a", "b")]}, "exogenous both"),
        ({"exogenous": "a"}, "list of names"),
        ({"unconfounded": [("a", "a")]}, "pair of two different names"),
    ],
)
def test_a_clash_or_a_circle_is_named(claims, said):
    with pytest.raises(InvalidSetting, match=said):
        Knowledge(**claims)


def test_patterns_stand_for_all_that_they_fit():
    names = ("gene_1", "gene_2", "age", "sex*")
    known = Knowledge(tiers=[["age"], ["gene_*"]], forbidden=[("gene_*", "gene_*")], exogenous=["sex*"]).on(names)
    assert known.tiers == (("age",), ("gene_1", "gene_2"))
    assert known.forbidden == (("gene_1", "gene_2"), ("gene_2", "gene_1"))
    assert known.exogenous == ("sex*",), "a name that is there stands for itself"
    with pytest.raises(InvalidSetting, match="gen_"):
        Knowledge(exogenous=["gen_*"]).on(names)
    with pytest.raises(InvalidSetting, match="tiers 1 and 2"):
        Knowledge(tiers=[["gene_1"], ["gene_*"]]).on(names)
    dag = DAG.from_edges([("age", "gene_1"), ("age", "gene_2")])
    found = discover(Oracle(dag), knowledge=Knowledge(tiers=[["age"], ["gene_*"]], exogenous=["a*"]))
    assert str(found.pag) == "age --> gene_1\nage --> gene_2"
    assert found.settings["knowledge"]["exogenous"] == ("a*",)


def test_contexts_are_caused_by_nothing_and_share_nothing_hidden_but_with_each_other():
    known = Knowledge.of_contexts(["batch", "drug"], ["batch", "drug", "pkc", "raf"], {"drug": ["pkc"]})
    assert ("pkc", "drug") in known.forbidden and ("batch", "drug") not in known.forbidden
    assert ("drug", "raf") in known.unconfounded and ("batch", "drug") not in known.unconfounded
    assert known.required == (("drug", "pkc"),) == known.required_adjacent
    with pytest.raises(InvalidSetting, match="'dose', not among"):
        Knowledge.of_contexts(["dose"], ["batch", "drug"])
    with pytest.raises(InvalidSetting, match="is a context itself"):
        Knowledge.of_contexts(["batch", "drug"], ["batch", "drug", "pkc"], {"drug": ["batch"]})


def test_with_contexts_a_design_that_ties_them_together_takes_nothing_away():
    dag = DAG.from_edges([("design", "drug"), ("design", "batch"), ("drug", "pkc"), ("batch", "raf"), ("pkc", "raf"), ("raf", "erk")])
    oracle = Oracle(dag, latents="design")
    found = discover(oracle, contexts=["drug", "batch"], targets={"drug": ["pkc"]})
    assert {"drug --> pkc", "batch --> raf", "pkc --> raf", "raf --> erk"} <= set(str(found.pag).splitlines())
    assert [each.status for each in found.statements] == ["obeyed", "obeyed", "obeyed"]
    assert [each.kind for each in found.statements] == ["contexts", "contexts", "targets"]
    again = discover(oracle, **{name: found.settings[name] for name in ("contexts", "targets")})
    assert again.pag == found.pag


def test_statements_are_obeyed_undecided_or_denied_with_the_evidence():
    known = Knowledge(
        tiers=[["a"], ["b", "c"]],
        forbidden=[("e", "a"), ("d", "e")],
        required=[("a", "c"), ("a", "e")],
        unconfounded=[("a", "c"), ("d", "e")],
        forbidden_adjacent=[("a", "c")],
        required_adjacent=[("a", "b")],
    )
    found = discover(Oracle(DAG.from_edges([("a", "b"), ("b", "c"), ("d", "e")])), knowledge=known)
    assert [(each.kind, each.said, each.status, each.evidence) for each in found.statements] == [
        ("tiers", "nothing in a later tier causes tier 1 ('a')", "obeyed", "1 edge between them, with its arrowhead where it belongs."),
        ("forbidden", "d does not cause e", "obeyed", "the edge has an arrowhead at d."),
        ("forbidden", "e does not cause a", "obeyed", "no path can lead from e to a."),
        ("required", "a causes c", "undecided", "a path may lead from a to c."),
        ("required", "a causes e", "denied", "no edge joins them and no path can lead from a to e. They are independent given 'b'."),
        ("unconfounded", "nothing hidden causes a and c", "obeyed", "no edge joins them. They are independent given 'b'."),
        (
            "unconfounded",
            "nothing hidden causes d and e",
            "undecided",
            "the edge leaves room for a hidden common cause, and says nothing for one.",
        ),
        ("forbidden_adjacent", "a and c are not adjacent", "obeyed", "They are independent given 'b'."),
        ("required_adjacent", "a and b are adjacent", "obeyed", "an edge joins them."),
    ]
    assert any("a causes e: denied by the data" in line for line in found.warnings)
    assert "9 statements: 6 obeyed, 2 undecided, 1 denied by the data" in found.summary()
    assert "What was known" in found.report()


def test_an_edge_said_to_be_there_stays_though_the_data_deny_it():
    oracle = Oracle(DAG.from_edges([("a", "b"), ("b", "c")], nodes="abcd"))
    found = discover(oracle, knowledge=Knowledge(required_adjacent=[("c", "d")]))
    assert "c" in found.pag.neighbours("d")
    assert found.statements[0].status == "denied" and found.statements[0].evidence.endswith("The edge stands as was said.")


def test_an_edge_said_not_to_be_there_goes_and_no_rule_uses_the_pair():
    dag = DAG.from_edges([("a", "b"), ("b", "c"), ("a", "c")])
    for learner in ("fci", "rfci", "pc"):
        found = discover(Oracle(dag), learner, knowledge=Knowledge(forbidden_adjacent=[("a", "c")]))
        assert str(found.pag) == "a o-o b\nb o-o c"
        assert found.statements[0].status == "denied" and "left out as was said" in found.statements[0].evidence
        assert any("could be a collider or not" in line for line in found.warnings)
        assert "a and c are not adjacent, as was known beforehand." in str(found.explain("a", "c"))


def test_pc_takes_knowledge_and_goes_on_from_there():
    dag = DAG.from_edges([("a", "b"), ("b", "c")])
    assert str(discover(Oracle(dag), "pc").pag) == "a o-o b\nb o-o c"
    assert str(discover(Oracle(dag), "pc", knowledge=Knowledge(forbidden=[("b", "a")])).pag) == "a --> b\nb --> c"
    square = DAG.from_edges([("a", "b"), ("a", "c"), ("a", "d"), ("c", "d"), ("d", "b")])
    known = Knowledge(required=[("c", "d"), ("d", "b")])
    assert "a --> b" in str(discover(Oracle(square), "pc", knowledge=known).pag).splitlines(), "Meek's fourth rule"


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
        ("/knowledge\nforbiddengroup\nage dose\n", "line 3 .* two lines"),
        ("/knowledge\nage dose\n", "known here are"),
    ],
)
def test_a_broken_file_is_named_by_line(text, said):
    with pytest.raises(InvalidData, match=said):
        Knowledge.from_text(text)


def test_groups_and_tiers_in_any_order_are_read_as_tetrad_reads_them():
    text = "/knowledge\naddtemporal\n4 pain\n1* age\n1 sex\n\nforbiddengroup\nage sex\ndose drug\n\nrequiredgroup\ndose\npain gene_*\n"
    known = Knowledge.from_text(text)
    assert known.tiers == (("age", "sex"), ("pain",)) and known.closed == (0,)
    assert set(known.forbidden) == {(a, b) for a in ("age", "sex") for b in ("dose", "drug")}
    assert known.required == (("dose", "gene_*"), ("dose", "pain"))
    with pytest.raises(InvalidData, match="no place for 'exogenous'"):
        Knowledge(exogenous=["age"]).to_text()


def test_toml_has_every_kind(tmp_path):
    file = tmp_path / "known.toml"
    file.write_text('[knowledge]\ntiers = [["age"], ["dose"]]\nexogenous = ["age"]\nunconfounded = [["age", "dose"]]\n', encoding="utf-8")
    assert Knowledge.read(file) == Knowledge([["age"], ["dose"]], exogenous=["age"], unconfounded=[("age", "dose")])
    file.write_text('exogenous = ["age"]\n', encoding="utf-8")
    assert Knowledge.read(file) == Knowledge(exogenous=["age"])
    for text, said in (("a = 1", "no kind of statement"), ("a = ", "not TOML"), ("knowledge = 1", "no kind of statement")):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(InvalidData, match=said):
            Knowledge.read(file)


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


@pytest.mark.parametrize("learner", ["fci", "rfci", "l-marvel"])
def test_with_true_statements_every_mark_is_true_and_none_of_the_true_pag_is_lost(learner):
    gained = 0
    for seed in range(40):
        faults, decided = faults_of_an_oracle(seed, learner, decompose=seed % 2 == 0)
        assert not faults, seed
        gained += decided
    assert gained > 100, "the statements are of use"


def test_in_a_selected_sample_true_statements_put_true_marks_only_and_lose_none():
    gained = 0
    for number in range(100):
        faults, decided = faults_with_selection(number, ("fci", "rfci", "l-marvel")[number % 3], decompose=number % 2 == 0)
        assert not faults, number
        gained += decided
    assert gained > 100


def test_with_selection_no_cause_alone_is_no_arrowhead_but_beside_another_one_it_is():
    arcs = [("a", "c"), ("b", "c"), ("c", "d")]
    said = Knowledge(forbidden=[("a", "b"), ("d", "c")], required=[("c", "d")])
    found = discover(Oracle(DAG.from_edges(arcs)), selection=True, knowledge=said)
    assert str(found.pag) == "a o-> c\nb o-> c\nc --> d"
    tied = discover(Oracle(DAG.from_edges([("a", "s"), ("b", "s")]), (), "s"), selection=True, knowledge=Knowledge(forbidden=[("a", "b")]))
    assert str(tied.pag) == "a o-o b" and tied.statements[0].status == "undecided"
    known = discover(Oracle(DAG.from_edges([("a", "b")])), selection=True, knowledge=Knowledge(exogenous=["a"]))
    assert str(known.pag) == "a --o b" and known.statements[0].status == "obeyed"


@pytest.mark.parametrize("method", ["boss-fci", "gfci"])
def test_learners_that_score_end_in_a_graph_that_obeys(method):
    mended = 0
    for seed in range(24):
        truth, rng = drawn(seed, n=12, n_latents=3)
        table = linear_gaussian(truth.dag, 500, seed)[list(truth.observed)]
        found = discover(FisherZ(table), knowledge=truth.knowledge(rng), **METHODS[method])
        assert not contradicted(found), seed
        mended += any("contradicts what was known" in each for each in found.warnings)
    assert mended


def test_tests_may_deny_a_cause_but_no_directed_path_stands_where_none_may_be():
    for seed in (*range(10), 64):
        truth, rng = drawn(seed, n=12, n_latents=3)
        table = linear_gaussian(truth.dag, 500, seed)[list(truth.observed)]
        found = discover(FisherZ(table), knowledge=truth.knowledge(rng))
        assert all("causes" in each for each in contradicted(found)), seed


@pytest.mark.parametrize("method", ["balanced", "mag-bic", "either"])
def test_a_search_by_score_looks_at_graphs_that_obey_only(method):
    for seed in range(12):
        truth, rng = drawn(seed, n=10, n_latents=2)
        table = linear_gaussian(truth.dag, 400, seed)[list(truth.observed)]
        known = truth.knowledge(rng)
        test = GSquare(counted_table(truth, seed, 600)) if method == "either" else FisherZ(table)
        found = discover(test, knowledge=known, **METHODS[method])
        assert not faults_of_a_search(found, known), seed
        if method == "balanced":
            assert found.legality


@pytest.mark.parametrize("method", ["exact", "balanced", "boss-fci", "gfci", "mag-bic"])
def test_true_tiers_bring_every_method_nearer_to_what_perfect_answers_give_with_them(method):
    scores = []
    for seed in range(8):
        truth, rng = drawn(seed + 100, n=10, n_latents=2)
        test = FisherZ(linear_gaussian(truth.dag, 500, seed)[list(truth.observed)])
        tiers = Knowledge(tiers=truth.tiers(rng, 4))
        aim = discover(Oracle(truth.dag, truth.latents), knowledge=tiers).pag
        scores.append([compare(discover(test, knowledge=each, **METHODS[method]).pag, aim).marks.f1 for each in (tiers, None)])
    with_tiers, without = np.mean(scores, axis=0)
    assert with_tiers > without + 0.03


def test_categories_are_scored_among_graphs_that_obey():
    rng = np.random.default_rng(0)
    a = rng.integers(0, 3, 600)
    b = (a + (rng.random(600) < 0.3)) % 3
    c = (b + (rng.random(600) < 0.3)) % 3
    frame = pd.DataFrame({"a": a, "b": b, "c": c}).astype(str)
    found = discover(GSquare(frame), mode="either", knowledge=Knowledge(tiers=[["a"], ["b"], ["c"]], exogenous=["a"]))
    assert str(found.pag) == "a --> b\nb --> c"
    assert {each.status for each in found.statements} == {"obeyed"}


def test_knowledge_and_legalize_go_together():
    table = linear_gaussian(er_dag(10, 3, 2), 200, 2)
    known = Knowledge(tiers=[["X1", "X2", "X3"], ["X4", "X5", "X6", "X7", "X8", "X9", "X10"]])
    found = discover(FisherZ(table), knowledge=known, legalize=True)
    assert found.legality
    assert found.statements[0].status == "obeyed"


def test_the_surroundings_of_one_variable_heed_knowledge():
    for seed in range(20):
        truth, rng = drawn(seed)
        oracle, known = Oracle(truth.dag, truth.latents), truth.knowledge(rng)
        whole = discover(oracle, knowledge=known).pag
        target = truth.observed[0]
        found = local(oracle, target, knowledge=known).pag
        assert not truth.wrong_marks(found)
        assert set(found.neighbours(target)) == set(whole.neighbours(target))
        told = local(oracle, target, knowledge=known).statements
        decided = {each.said: each.status for each in discover(oracle, knowledge=known).statements}
        assert [each.said for each in told] == list(decided)
        assert all(each.status in ("undecided", decided[each.said]) for each in told)
        plain = local(oracle, target).pag
        for other in plain.neighbours(target):
            for a, b in ((target, other), (other, target)):
                mark = plain.marks[plain.index(a), plain.index(b)]
                assert mark in (CIRCLE, found.marks[found.index(a), found.index(b)])
    with pytest.raises(InvalidSetting, match="not among the variables"):
        local(oracle, target, knowledge=Knowledge(exogenous=["nobody"]))


def test_a_rule_that_wants_otherwise_is_a_conflict_and_the_claim_stands():
    dag = DAG.from_edges([("a", "c"), ("b", "c")])
    found = discover(Oracle(dag), knowledge=Knowledge(required=[("c", "a")]))
    assert str(found.pag).splitlines()[0] == "c --> a"
    assert found.conflicts and any("arrowhead" in line or "both ways" in line for line in found.warnings)


def test_a_claim_that_the_graph_denies_is_a_warning_and_a_reason_is_given_for_those_that_stand():
    dag = DAG.from_edges([("a", "b"), ("b", "c")], nodes="abcd")
    found = discover(Oracle(dag), knowledge=Knowledge(tiers=[["a"], ["b"]], required=[("a", "d")]))
    assert str(found.pag) == "a o-> b\nb --> c"
    assert any("a causes d: denied by the data. No edge joins them" in line for line in found.warnings)
    assert "known beforehand" in str(found.explain("a", "b"))
    assert found.settings["knowledge"]["tiers"] == (("a",), ("b",))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"contexts": ["z"]}, "contexts and targets name 'z'"),
        ({"contexts": ["a"], "knowledge": Knowledge(required=[("b", "a")])}, "'b' is required to cause 'a' and forbidden"),
        ({"targets": ["a"]}, "it must be a dict"),
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


def test_statements_and_the_run_itself_come_back_from_what_was_written(tmp_path):
    truth, _ = drawn(3, n=10)
    table = linear_gaussian(truth.dag, 300, 3)[list(truth.observed)]
    a, b, c, *_ = truth.observed
    model = DiCoLa(contexts=a, targets={a: b}, knowledge=Knowledge(exogenous=[c], required_adjacent=[(b, "X*")])).fit(table)
    found = model.discovery_
    found.write(tmp_path / "out")
    read = Discovery.read(tmp_path / "out")
    assert read.statements == found.statements and len(found.statements) > 3
    assert read.legality and found.legality
    again = DiCoLa.from_record(read.settings).fit(table)
    assert again.pag_ == model.pag_ and again.discovery_.statements == found.statements


def test_an_arrowhead_decides_a_statement_whatever_circles_lie_beside_it():
    """X --o W --o Y would make X a cause of Y, were it not for the arrowhead at X: no path of a graph behind can go there."""
    known = Knowledge(tiers=[["X", "Y"]], closed=[0], required=[("Z", "V")], forbidden=[("V", "Y")])
    pag = PAG.from_text("X <-> Y; X o-o W; W o-> Y; Z <-> V; Z o-o U; U o-> V; V o-o T; T o-> Y; V <-> Y", nodes=[*"XYZVWUT"])
    names = pag.names
    skeleton = Skeleton(names, tuple(range(len(names))), frozenset(pag.pairs()), RecordedSets({}), names)
    told = Judge(pag, skeleton).statements({"knowledge": asdict(known)})
    assert [(each.kind, each.status) for each in told] == [("closed", "obeyed"), ("forbidden", "obeyed"), ("required", "denied")]
    assert told[1].evidence == told[2].evidence.replace("at Z", "at V") == "the edge has an arrowhead at V."
    law = Law.of(Claims.of(known, names))
    assert law is not None and np.argwhere(law.denied_causes(pag)).tolist() == [list(pag.indices(["Z", "V"]))]


def test_reasons_of_several_pairs_are_sentences():
    known = Knowledge(tiers=[["A", "B"], ["C"]])
    pag = PAG.from_text("A o-o C; B o-o C")
    skeleton = Skeleton(pag.names, (0, 1, 2), frozenset(pag.pairs()), RecordedSets({}), pag.names)
    (told,) = Judge(pag, skeleton).statements({"knowledge": asdict(known)})
    assert told.status == "undecided" and told.evidence == "A path may lead from C to A. A path may lead from C to B."
