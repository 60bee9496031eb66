"""Graphs near the best: all of them on few variables, weights by the score, and what they say of marks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import pandas as pd
import pytest

from dicola import MAG, DiCoLa, FisherZ, GaussianBIC, GSquare, InvalidSetting, Knowledge, NeedsData, discover, mag_to_pag, simulate
from dicola.graphs.marks import ARROW, CIRCLE, NONE, TAIL
from dicola.pipeline.plan import Plan
from dicola.score.likelier import Moves
from dicola.score.mag_climb import Known, weighed_moves
from dicola.score.near_best import near_best
from tests.score.test_both_ways import table as categories
from tests.score.test_law import laws
from tests.score.test_mag_climb import Unknown

KINDS = ((NONE, NONE), (TAIL, ARROW), (ARROW, TAIL), (ARROW, ARROW))


def table(rows: int = 300, seed: int = 2) -> pd.DataFrame:
    dag = simulate.er_dag(7, 2.5, seed=seed)
    return simulate.linear_gaussian(dag, rows, seed=seed).drop(columns=list(simulate.hide(dag, 1, seed=seed)))


def every_class(score: GaussianBIC) -> dict[str, float]:
    """The best score of a graph of each class, by trying all graphs."""
    n, found = len(score), dict[str, float]()
    pairs = [(a, b) for a in range(n) for b in range(a + 1, n)]
    for kinds in product(KINDS, repeat=len(pairs)):
        marks = np.zeros((n, n), dtype=np.int8)
        for (a, b), (at_a, at_b) in zip(pairs, kinds, strict=True):
            marks[b, a], marks[a, b] = at_a, at_b
        mag = MAG(marks, score.names)
        if mag.invalid() is None:
            name = str(mag_to_pag(mag))
            found[name] = min(found.get(name, np.inf), score.mag(mag))
    return found


def test_on_three_variables_every_class_is_met_with_its_score():
    frame = table().iloc[:, :3]
    score = GaussianBIC.of(FisherZ(frame))
    wanted = every_class(score)
    empty = MAG(np.zeros((3, 3), dtype=np.int8), score.names)
    moves = replace(Moves.around(score, empty.marks, np.ones((3, 3), dtype=np.bool_), 0.0, None, Known.room_for(3)), settled=0.0)
    found = near_best(empty, moves, within=np.inf, most=10_000)
    best = min(wanted.values())
    assert len(wanted) > 5
    assert {str(each.pag): each.worse for each in found} == pytest.approx({name: value - best for name, value in wanted.items()}, abs=1e-6)
    assert [each.worse for each in found] == sorted(each.worse for each in found)


@pytest.fixture(scope="module")
def found():
    return DiCoLa(mode="balanced", ci_test="fisher_z").fit(table()).discovery_


def test_weights_add_up_and_fall_with_the_score(found):
    near = found.near_best(most=20)
    assert sum(each.probability for each in near.graphs) == pytest.approx(1.0)
    assert near.graphs[0].worse == 0.0 and len(near.graphs) > 1
    first, second = near.top(2)
    assert second.probability / first.probability == pytest.approx(np.exp(-second.worse / 2))
    assert len({str(each.pag) for each in near.graphs}) == len(near.graphs)
    assert found.pag in [each.pag for each in near.graphs]


def test_marks_have_the_weight_of_the_graphs_that_have_them(found):
    near = found.near_best(most=20)
    told = near.to_pandas()
    row = told.iloc[0]
    joined = [each for each in near.graphs if each.pag.marks[each.pag.index(row["u"]), each.pag.index(row["v"])]]
    assert row["adjacent"] == pytest.approx(sum(each.probability for each in joined))
    heads = [each for each in joined if each.pag.marks[each.pag.index(row["u"]), each.pag.index(row["v"])] == ARROW]
    assert row["v_arrow"] == pytest.approx(sum(each.probability for each in heads))


def test_marks_on_which_near_graphs_disagree_become_circles(found):
    near = found.near_best(most=20)
    assert near.undecided_as_circles(found.pag, least=0.0) == found.pag
    cautious, told = near.undecided_as_circles(found.pag), near.to_pandas().set_index(["u", "v"])
    for u, v in told.index:
        a, b = found.pag.index(u), found.pag.index(v)
        if found.pag.marks[a, b] == ARROW:
            is_sure = told.loc[(u, v), "v_arrow"] >= 0.9 * told.loc[(u, v), "adjacent"]
            assert cautious.marks[a, b] == (ARROW if is_sure else CIRCLE)


def test_a_result_that_was_not_scored_says_what_is_needed():
    with pytest.raises(NeedsData, match="balanced"):
        DiCoLa(mode="exact").fit(table()).discovery_.near_best()


@pytest.mark.parametrize("settings", [{"within": 0.0}, {"most": 0}, {"most": 2.5}])
def test_settings_that_are_not_allowed_are_named(found, settings):
    with pytest.raises(InvalidSetting, match=next(iter(settings))):
        found.near_best(**settings)


def test_moves_are_weighed_alike_by_the_kernel_and_in_plain_python():
    is_closed = 0
    for mag, score, law, _ in laws(3, 12):
        obeys = law if law.is_obeyed(mag.marks) else None
        ends = np.argwhere(np.triu(np.ones_like(mag.marks), 1)).astype(np.int64)
        rest = (4, 3.0, Known.room_for(len(score)), obeys)
        fast, plain = (weighed_moves(each, mag.reordered(score.names).marks, ends, *rest) for each in (score, Unknown(score)))
        np.testing.assert_allclose(fast, plain, rtol=0, atol=1e-6)
        is_closed += int(np.isinf(plain).sum())
    assert is_closed > 100


def test_a_class_is_met_once_whatever_the_score_is_asked_by():
    frame = table().iloc[:, :4]
    score = GaussianBIC.of(FisherZ(frame))
    empty, everywhere = MAG(np.zeros((4, 4), dtype=np.int8), score.names), np.ones((4, 4), dtype=np.bool_)
    moves = Moves.around(score, empty.marks, everywhere, 3.0, None, Known.room_for(4))
    fast, plain = (near_best(empty, replace(moves, score=each), within=200.0, most=60) for each in (score, Unknown(score)))
    assert len({str(each.pag) for each in fast}) == len(fast) > 10
    assert {str(each.pag) for each in fast} == {str(each.pag) for each in plain}


@pytest.fixture(scope="module")
def open_too():
    return DiCoLa(mode="balanced", ci_test="fisher_z", undecided="circle").fit(table(150, seed=5)).discovery_


@pytest.fixture(scope="module")
def kept():
    return DiCoLa(mode="balanced", ci_test="fisher_z").fit(table(150, seed=5)).discovery_


class TestUndecidedMarksAsCircles:
    def test_they_are_those_on_which_near_graphs_disagree(self, open_too, kept):
        assert open_too.pag == kept.near_best().undecided_as_circles(kept.pag) != kept.pag
        changed = int((open_too.pag.marks != kept.pag.marks).sum())
        assert any(str(changed) in each and "score nearly as well" in each for each in open_too.warnings)
        assert (open_too.skeleton, open_too.score, open_too.tests) == (kept.skeleton, kept.score, kept.tests)

    def test_each_tells_why(self, open_too, kept):
        a, b = np.argwhere(open_too.pag.marks != kept.pag.marks)[0]
        u, v = (open_too.pag.names[each] for each in (a, b))
        [end] = [end for end in open_too.explain(u, v).ends if end.at == v]
        assert end.mark == "circle" and end.rule == "near tie" and u in end.because and v in end.because
        assert "near tie" in open_too.report()

    def test_the_run_can_be_written_and_made_again(self, open_too, tmp_path):
        assert type(open_too).read(open_too.write(tmp_path / "out")).reasons == open_too.reasons
        again = Plan.from_record(open_too.settings)
        assert again.undecided == "circle"

    def test_what_was_known_beforehand_stays(self):
        frame = table(150, seed=5)
        known = Knowledge(tiers=[list(frame)[:3], list(frame)[3:]])
        found = DiCoLa(mode="balanced", ci_test="fisher_z", undecided="circle", knowledge=known).fit(frame).discovery_
        assert {each.status for each in found.statements} == {"obeyed"}

    def test_it_needs_a_score_and_goes_with_no_legal_graph(self):
        with pytest.raises(InvalidSetting, match="compares graphs by their score"):
            DiCoLa(mode="exact", undecided="circle").fit(table())
        with pytest.raises(InvalidSetting, match="legalize"):
            DiCoLa(mode="balanced", legalize=True, undecided="circle").fit(table())
        with pytest.raises(InvalidSetting, match="'keep' or 'circle'"):
            DiCoLa(undecided="maybe").fit(table())

    def test_where_tests_found_the_graph_it_says_so(self):
        test = GSquare(categories(simulate.er_dag(8, 3, 0), 400, 0, 3))
        found = discover(test, mode="either", undecided="circle")
        assert found.score is None and any("tests found this graph" in each for each in found.warnings)


def test_no_graph_near_the_best_joins_two_lone_variables_for_less_than_the_search_would():
    """An edge that gains a little less than its price, between two that nothing else is joined to, leaves both its marks open."""
    n, names = 300, list("abcdef")
    price = GaussianBIC(np.eye(6), n, names).price
    correlation = np.eye(6)
    correlation[0, 1] = correlation[1, 0] = np.sqrt(-np.expm1(-(price - 0.2) / n))
    found = discover(FisherZ.from_covariance(correlation, n, names), mode="balanced")
    near = found.near_best()
    assert found.pag.n_edges == 0 and near.graphs[0].pag == found.pag


def test_a_test_without_a_hash_can_be_scored():
    """A run keeps the scores it has made, and tests need not be keys of anything."""

    @dataclass
    class Plain(FisherZ):
        table: pd.DataFrame

        def __post_init__(self) -> None:
            FisherZ.__init__(self, self.table)

    rows = simulate.linear_gaussian(simulate.er_dag(5, 2, seed=1), 200, seed=1)
    assert Plain.__hash__ is None and discover(Plain(rows), mode="balanced").pag == discover(FisherZ(rows), mode="balanced").pag
