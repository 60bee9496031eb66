"""The learner that scores: legal graphs, the same for the same seed and for permuted columns, and only where there are data."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dicola import DAG, Discovery, FisherZ, InvalidSetting, Ledger, NeedsData, Oracle, discover, legality, metrics, simulate
from dicola.learners.base import Context
from dicola.learners.mag_bic import MagBIC
from dicola.orient.equivalence import AncestralSets
from dicola.orient.fixpoint import orient


def table(seed: int = 1, rows: int = 500, n: int = 15, hidden: int = 2) -> tuple[DAG, tuple[str, ...], pd.DataFrame]:
    dag = simulate.er_dag(n, 3, seed)
    latents = simulate.hide(dag, hidden, seed)
    return dag, latents, simulate.linear_gaussian(dag, rows, seed).drop(columns=list(latents))


@pytest.mark.parametrize("seed", range(4))
def test_alone_it_gives_a_legal_pag(seed):
    found = discover(FisherZ(table(seed)[2]), learner="mag-bic", decompose=False)
    assert legality(found.pag)
    assert found.evaluations["district fits"] > 0 and found.evaluations["parent searches"] > 0


def test_each_pair_is_separated_by_its_ancestors():
    ci = FisherZ(table()[2])
    skeleton = MagBIC().learn_skeleton(Ledger(ci))
    sets = skeleton.sets.otherwise
    assert isinstance(sets, AncestralSets)
    mag = sets.mag
    assert mag.invalid() is None and frozenset(mag.pairs()) == skeleton.edges
    for (x, y), z in skeleton.separating_sets().items():
        assert mag.m_separated(x, y, z)
        assert set(z) == (set(mag.ancestors(x)) | set(mag.ancestors(y))) - {x, y}


def test_a_leaf_is_learned_from_its_own_variables():
    _, _, frame = table()
    ci = FisherZ(frame)
    part = [1, 4, 5, 7, 9, 10]
    inside = MagBIC().learn_skeleton(ci, part)
    alone = MagBIC().learn_skeleton(FisherZ(frame[[ci.labels[v] for v in part]]))
    assert inside.named_edges() == alone.named_edges()
    assert (
        orient(inside).pag.edges() == orient(alone).pag.edges()
    )  # of equivalent MAGs rounding decides, and so which sets are written down


def test_with_strong_signals_and_many_rows_it_finds_the_true_pag():
    dag = DAG.from_edges([("A", "C"), ("B", "C"), ("C", "D"), ("L", "D"), ("L", "E"), ("E", "F")])
    frame = simulate.linear_gaussian(dag, 20_000, 3).drop(columns="L")
    found = discover(FisherZ(frame), learner="mag-bic", decompose=False)
    assert found.pag == dag.true_pag(["L"])


def test_it_hangs_on_the_seed_alone_and_not_on_the_order_of_columns():
    frame = table(seed=5)[2]
    found = [
        discover(FisherZ(each), learner="mag-bic", seed=4)
        for each in (frame, frame, frame[list(frame.columns)[::-1]], frame.sample(frac=1, axis=1, random_state=1))
    ]
    assert all(each.pag == found[0].pag and each.evaluations == found[0].evaluations for each in found)
    starts = {MagBIC(n_starts=1).learn_skeleton(FisherZ(frame), None, Context(seed=seed)).edges for seed in range(20)}
    assert len(starts) > 1


def test_under_dicola_it_stops_at_the_caps_where_scores_are_good():
    frame = table(seed=2, n=30, rows=800)[2]
    found = discover(FisherZ(frame), learner="mag-bic")
    assert found.settings["stop"] == "reference" and found.tree.n_leaves > 1
    assert discover(FisherZ(frame), learner="mag-bic", n_jobs=2) == found
    assert discover(FisherZ(frame), learner="mag-bic", stop="paper").settings["stop"] == "paper"


def test_what_is_written_reads_back(tmp_path):
    for decompose in (True, False):
        found = discover(FisherZ(table(seed=3, n=20)[2]), learner="mag-bic", decompose=decompose)
        found.write(tmp_path)
        assert Discovery.read(tmp_path) == found


def test_a_dearer_edge_makes_a_sparser_graph():
    ci = FisherZ(table(seed=4)[2])
    edges = [len(MagBIC(penalty=penalty).learn_skeleton(ci).edges) for penalty in (0.5, 2, 20)]
    assert edges[0] > edges[1] > edges[2]


def test_an_oracle_will_not_do():
    with pytest.raises(NeedsData, match="FisherZ"):
        discover(Oracle(DAG.from_edges([("A", "B"), ("B", "C")])), learner="mag-bic")


@pytest.mark.parametrize("settings", [{"n_starts": 0}, {"max_district": 0}, {"penalty": -1.0}, {"n_starts": 1.5}])
def test_settings_are_checked(settings):
    with pytest.raises(InvalidSetting):
        MagBIC(**settings).learn_skeleton(FisherZ(table()[2]))


@pytest.mark.parametrize("n", [2, 3])
def test_few_variables_are_no_special_case(n):
    rng = np.random.default_rng(n)
    frame = pd.DataFrame(rng.normal(size=(100, n)), columns=list("ABC")[:n])
    frame["B"] += 2 * frame["A"]
    found = discover(FisherZ(frame), learner="mag-bic")
    assert str(found.pag) == "A o-o B"
    assert metrics.compare(found.pag, found.pag).marks.f1 == 1
