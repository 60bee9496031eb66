"""Graphs near the best: all of them on few variables, weights by the score, and what they say of marks."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest

from dicola import MAG, DiCoLa, FisherZ, GaussianBIC, InvalidSetting, NeedsData, mag_to_pag, simulate
from dicola.graphs.marks import ARROW, CIRCLE, NONE, TAIL
from dicola.score.near_best import near_best

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
    found = near_best(score, empty, np.ones((3, 3), dtype=np.bool_), within=np.inf, most=10_000)
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
            is_sure = told.loc[(u, v), "v_arrow"] >= 0.8 * told.loc[(u, v), "adjacent"]
            assert cautious.marks[a, b] == (ARROW if is_sure else CIRCLE)


def test_a_result_that_was_not_scored_says_what_is_needed():
    with pytest.raises(NeedsData, match="balanced"):
        DiCoLa(mode="exact").fit(table()).discovery_.near_best()


@pytest.mark.parametrize("settings", [{"within": 0.0}, {"most": 0}, {"most": 2.5}])
def test_settings_that_are_not_allowed_are_named(found, settings):
    with pytest.raises(InvalidSetting, match=next(iter(settings))):
        found.near_best(**settings)
