"""Every run on data says how much they could tell, wherever its answer is shown."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np
import pandas as pd
import pytest

from dicola import BlockBIC, CallableTest, DegenerateGaussian, Discovery, FisherZ, GaussianBIC, Oracle, discover, local, simulate
from dicola.ci.power import noncentrality_beyond
from tests.ci.test_power import MARGIN, REPEATS, samples

DAG = simulate.er_dag(12, 2.5, seed=4)
TABLE = simulate.linear_gaussian(DAG, 150, seed=4)


@pytest.fixture(scope="module")
def exact() -> Discovery:
    return discover(FisherZ(TABLE))


@pytest.mark.parametrize("mode", ["exact", "balanced"])
def test_the_line_stands_in_summary_report_and_notebook_and_is_read_back(mode, tmp_path):
    found = discover(FisherZ(TABLE), mode=mode)
    told = found.how_sure()
    assert told.startswith("with 150 rows a partial correlation of .") and "edge ends are undecided." in told
    assert f"\npower: {told}" in found.summary()
    assert told[1:] in found.report() and told in found._repr_html_()
    again = Discovery.read(found.write(tmp_path))
    assert again == found and again.how_sure() == told and '"power"' in (tmp_path / "discovery.json").read_text()


def test_undecided_ends_are_the_circles(exact):
    circles = sum((str(edge.mark_u) == "o") + (str(edge.mark_v) == "o") for edge in exact.pag.edges())
    assert f"{circles} of {2 * exact.pag.n_edges} edge ends are undecided." in exact.how_sure()
    nothing = discover(FisherZ(np.random.default_rng(1).normal(size=(50, 3)), alpha=1e-6))
    assert nothing.pag.n_edges == 0 and nothing.how_sure() == str(nothing.power)


def test_total_conditioning_is_mentioned_where_it_decides_what_is_lost(exact):
    ci = FisherZ(TABLE)
    found = discover(ci, mode="paper")
    assert found.power.given_rest == ci.detectable(10, 1 / 12**2) and "given all other variables" in found.how_sure()
    assert exact.power.given_rest is None, "what it does not see is asked again"
    for settings in ({"decompose": False}, {"blankets": "iamb"}, {"mode": "balanced"}):
        assert discover(ci, **settings).power.given_rest is None


def test_a_score_has_the_power_of_its_price():
    found = discover(FisherZ(TABLE), mode="balanced")
    rows, given = found.power.n_samples, found.power.given
    price, seen = GaussianBIC.of(FisherZ(TABLE)).price, 0
    for table in samples(found.power.correlation, given, rows, seed=3):
        score = GaussianBIC(np.corrcoef(table.T), rows)
        gain = score.local(1, range(2, given + 2)) - score.local(1, (0, *range(2, given + 2)))
        seen += gain + score.price > price
    assert abs(seen / REPEATS - 0.8) < MARGIN


def test_a_near_tie_is_called_one(exact, tmp_path):
    near, far = replace(exact, runner_up=1.24), replace(exact, runner_up=31.0)
    assert near.how_sure().endswith("The next-best graph that means something else scores 1.2 worse: a near-tie.")
    assert far.how_sure().endswith("scores 31.0 worse.")
    assert Discovery.read(near.write(tmp_path)) == near


def test_oracles_are_sure_and_tests_of_ones_own_tell_the_circles_alone():
    certain = discover(Oracle(DAG))
    assert certain.how_sure() == "" and certain.power is None and "power" not in certain.summary() + certain.report()
    ci = FisherZ(TABLE)
    own = discover(CallableTest(lambda x, y, z: ci(x, y, z).p_value, names=ci.names, alpha=0.01))
    assert own.power is None and own.how_sure().endswith("edge ends are undecided.") and "rows" not in own.how_sure()


def test_the_surroundings_of_one_variable_come_with_their_power():
    ci = FisherZ(TABLE)
    found = local(ci, ci.names[3], blankets="total_conditioning")
    assert found.summary().endswith(f"\npower: {found.power}") and found.to_dict()["power"]["n_samples"] == 150
    assert found.power.given_rest == ci.detectable(10, 1 / 12**2)
    assert local(Oracle(DAG), ci.names[3]).power is None and "power" not in local(Oracle(DAG), ci.names[3]).summary()


def test_few_rows_are_no_error():
    found = discover(FisherZ(np.random.default_rng(0).normal(size=(9, 3))))
    assert found.power.given <= 5 and found.power.correlation < 1
    assert sqrt(FisherZ(np.random.default_rng(0).normal(size=(9, 3))).limit(found.power.given)) < found.power.correlation


def test_scores_on_blocks_tell_the_share_that_a_link_must_explain():
    frame = TABLE.copy()
    for name in list(frame.columns)[:6]:
        frame[name] = pd.qcut(frame[name], 3, labels=["low", "middle", "high"]).astype(str)
    found = discover(DegenerateGaussian(frame), mode="balanced")
    assert found.power is not None and found.power.strength == "share" and found.power.freedom == 2
    assert "a link between two usual columns (2 degrees of freedom) that explains" in found.how_sure()
    more = discover(DegenerateGaussian(pd.concat([frame] * 4, ignore_index=True)), mode="balanced")
    assert more.power is not None and more.power.correlation < found.power.correlation


def test_an_edge_between_blocks_that_explains_as_much_is_worth_its_price_four_times_of_five():
    rng, n, kept, tables = np.random.default_rng(7), 400, 0, 300
    levels = np.array(["a", "b", "c"])
    score = None
    for _ in range(tables):
        code = rng.integers(3, size=n)
        if score is None:
            plain = DegenerateGaussian(pd.DataFrame({"x": levels[code], "y": rng.normal(size=n)}))
            score = BlockBIC.of(plain)
            noncentrality = noncentrality_beyond(score.price_of(0, 1), 2)
            effect = sqrt(np.expm1(noncentrality / n) / np.var([-1.0, 0.0, 1.0]))
        y = (code - 1) * effect + rng.normal(size=n)
        table = BlockBIC.of(DegenerateGaussian(pd.DataFrame({"x": levels[code], "y": y})))
        kept += table.local(1, [0]) < table.local(1, [])
    assert abs(kept / tables - 0.8) < 3 * sqrt(0.8 * 0.2 / tables)
