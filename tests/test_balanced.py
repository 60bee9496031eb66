"""The mode balanced: legal graphs by score, with everything a discovery has to tell."""

from __future__ import annotations

import json
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from dicola import DAG, DiCoLa, Discovery, FisherZ, InvalidSetting, Knowledge, NeedsData, Oracle, discover, legality, metrics, simulate
from dicola.ci.inquiry import Inquiry
from dicola.claims import Claims
from dicola.score.gaussian_bic import GaussianBIC
from dicola.score.search import MagSearch


def table(seed: int = 1, rows: int = 500, n: int = 20, hidden: int = 2) -> tuple[DAG, tuple[str, ...], pd.DataFrame]:
    dag = simulate.er_dag(n, 3, seed)
    latents = simulate.hide(dag, hidden, seed)
    return dag, latents, simulate.linear_gaussian(dag, rows, seed).drop(columns=list(latents))


@pytest.mark.parametrize("seed", range(4))
def test_the_pag_is_legal_and_that_of_a_mag_with_the_score_told(seed):
    ci = FisherZ(table(seed)[2])
    found = discover(ci, mode="balanced")
    assert legality(found.pag) and not found.conflicts
    mag = found.skeleton.sets.mag
    assert found.hidden or found.score == pytest.approx(GaussianBIC.of(ci).mag(mag), abs=30)
    assert frozenset(mag.pairs()) == found.skeleton.edges
    for (x, y), z in found.skeleton.separating_sets().items():
        assert mag.m_separated(x, y, z)


def test_its_graph_is_hardly_ever_worse_than_that_of_the_learner_alone():
    for seed in range(5):
        ci = FisherZ(table(seed, n=25, hidden=3)[2])
        alone = discover(ci, learner="mag-bic", decompose=False)
        score = GaussianBIC.of(ci)
        found, theirs = discover(ci, mode="balanced"), score.mag(alone.skeleton.sets.leaf_sets[0].otherwise.mag)
        assert found.score <= theirs + 6.0, "hidden variables are paid for in the last climb alone, which may end a little behind"


def cut(rows: int, levels: int = 3, n: int = 14) -> pd.DataFrame:
    """Numbers of which every other one is cut into so many levels."""
    frame = table(2, rows, n)[2]
    for name in list(frame)[::2]:
        frame[name] = pd.qcut(frame[name], levels, labels=[f"level {i}" for i in range(levels)]).astype(str)
    return frame


def test_few_narrow_blocks_are_searched_without_parts(tmp_path):
    found = DiCoLa(mode="balanced").fit(cut(600)).discovery_
    assert found.tree.n_leaves == 1 and found.settings["searched_whole"] and found.tests["leaves"] == 0
    assert found.score is not None and legality(found.pag) and "all variables were learned at once" in found.summary()
    assert DiCoLa.from_record(found.settings).fit(cut(600)).pag_ == found.pag
    found.write(tmp_path)
    assert Discovery.read(tmp_path) == found
    again = DiCoLa.from_record(found.settings).fit(cut(5001)).discovery_
    assert again.pag == DiCoLa(mode="balanced").fit(cut(5001)).pag_ and "searched_whole" not in again.settings, "other rows may have parts"


@pytest.mark.parametrize(
    ("frame", "settings"),
    [
        (cut(600, levels=6), {}),  # wide blocks
        (cut(5001), {}),  # many rows
        (cut(600), {"max_depth": 3}),
        (cut(600), {"blankets": "iamb"}),
        (cut(600), {"min_leaf_size": 4}),
        (cut(600), {"learner": "mag-bic", "decompose": False}),
    ],
)
def test_wide_blocks_many_rows_and_choices_about_parts_have_parts(frame, settings):
    found = DiCoLa(mode="balanced", **settings).fit(frame).discovery_
    assert "searched_whole" not in found.settings and "leaves" in found.seconds and found.score is not None


def test_a_search_without_parts_tells_how_far_it_is():
    told = []
    DiCoLa(mode="balanced").fit(cut(600), progress=lambda *each: told.append(each))
    assert told == [("orient", 0, 1), ("orient", 1, 1)]


def test_a_search_without_parts_that_is_stopped_says_that_nothing_is_decided(tmp_path):
    found = DiCoLa(mode="balanced", max_tests=5).fit(cut(600)).discovery_
    assert found.tests["total"] == 5 and min(found.tests.values()) >= 0
    found.write(tmp_path)
    assert Discovery.read(tmp_path) == found
    assert not found.complete and "nothing is decided" in found.warnings[0] and len(found.undecided) == len(found.pag.edges())


def test_knowledge_is_obeyed_without_parts():
    frame = cut(600)
    names = sorted(frame)
    found = DiCoLa(mode="balanced", knowledge=Knowledge(tiers=[names[:6], names[6:]])).fit(frame).discovery_
    assert found.settings["searched_whole"] and {each.status for each in found.statements} == {"obeyed"}


def test_accurate_is_another_name_for_it_and_says_so(tmp_path):
    ci = FisherZ(table(n=16)[2])
    found, other = (discover(ci, mode=mode) for mode in ("balanced", "accurate"))
    assert other.pag == found.pag and other.evaluations == found.evaluations
    assert other.settings["mode"] == "balanced" and "mode: balanced, as 'accurate' is another name for it" in other.summary()
    assert DiCoLa(mode="Accurate").fit(table(n=16)[2]).pag_ == found.pag
    assert DiCoLa.from_record(found.settings | {"mode": "accurate"}).fit(table(n=16)[2]).pag_ == found.pag, "as recorded before"
    other.write(tmp_path)
    assert Discovery.read(tmp_path) == other


def test_it_says_how_near_the_next_best_graph_is(tmp_path):
    dag = DAG.from_edges([("A", "B"), ("C", "B"), ("B", "D")])
    gaps = []
    for rows in (60, 5000):
        found = discover(FisherZ(simulate.linear_gaussian(dag, rows, 4)), mode="balanced")
        assert f"scores {found.runner_up:.1f} worse" in found.how_sure()
        assert Discovery.read(found.write(tmp_path / str(rows))).runner_up == found.runner_up
        gaps.append(found.runner_up)
    assert found.pag == dag.true_pag([]) and 0 < gaps[0] < gaps[1]
    assert discover(FisherZ(simulate.linear_gaussian(dag, 60, 4))).runner_up is None


def test_it_says_what_was_run():
    found = discover(FisherZ(table()[2]), mode="balanced")
    assert found.settings["mode"] == "balanced" and found.settings["stop"] == "reference"
    assert found.settings["learner"]["name"] == "mag-bic" and found.settings["learner"]["penalty"] == 2.0
    assert set(found.evaluations) == {"district fits", "parent searches"} and found.tests["total"] > 0
    assert "refinement" in found.seconds and "score: district fits" in found.summary()


def test_it_hangs_on_the_seed_alone_and_not_on_the_order_of_columns(tmp_path):
    frame = table(seed=3)[2]
    mixed = frame.sample(frac=1, axis=1, random_state=2)
    found = [discover(FisherZ(each), mode="balanced", seed=1, n_jobs=jobs) for each, jobs in ((frame, 1), (frame, 2), (mixed, 1))]
    assert found[0] == found[1] and found[2].pag == found[0].pag and found[2].score == found[0].score
    texts = []
    for each, folder in zip(found[:2], (tmp_path / "a", tmp_path / "b"), strict=True):
        each.write(folder)
        texts.append([path.read_bytes() for path in sorted(folder.iterdir()) if path.name not in ("timing.json", "report.html")])
    assert texts[0] == texts[1]


def test_what_is_written_reads_back(tmp_path):
    found = discover(FisherZ(table(seed=4)[2]), mode="balanced")
    found.write(tmp_path)
    assert Discovery.read(tmp_path) == found
    assert "mag" in json.loads((tmp_path / "skeleton.json").read_text())


def test_a_missing_edge_is_explained_by_the_ancestors():
    found = discover(FisherZ(table(seed=2)[2]), mode="balanced")
    (x, y), z = next(item for item in found.skeleton.separating_sets().items() if item[1])
    told = str(found.explain(x, y))
    assert f"independent given {', '.join(z)}" in told and "ancestors" in told
    edge = found.pag.edges()[0]
    assert "leaf" not in str(found.explain(edge.u, edge.v))


def test_it_is_more_accurate_than_tests_alone():
    gains = []
    for seed in range(4):
        dag, latents, frame = table(seed, rows=1000, n=25, hidden=3)
        ci, truth = FisherZ(frame), dag.true_pag(latents)
        by_tests, by_score = (metrics.compare(discover(ci, mode=mode).pag, truth) for mode in ("exact", "balanced"))
        gains.append((by_score.skeleton.f1 - by_tests.skeleton.f1, by_score.marks.f1 - by_tests.marks.f1))
    skeleton, marks = (sum(gain) / len(gains) for gain in zip(*gains, strict=True))
    assert skeleton > 0.03 and marks > 0.08


def test_the_estimator_has_it_too():
    frame = table(seed=5)[2]
    assert DiCoLa(mode="balanced").fit(frame).pag_ == discover(FisherZ(frame), mode="balanced").pag


def test_it_needs_data_and_its_own_learner():
    with pytest.raises(NeedsData):
        discover(Oracle(DAG.from_edges([("A", "B"), ("B", "C")])), mode="balanced")
    with pytest.raises(InvalidSetting, match="mag-bic"):
        discover(FisherZ(table()[2]), mode="balanced", learner="rfci")


def test_searches_over_orders_of_many_variables_join_only_what_is_near():
    frame = table(seed=3, rows=400, n=170, hidden=8)[2]
    ci = Inquiry(FisherZ(frame))
    by_tests = discover(FisherZ(frame), mode="exact")
    marks = by_tests.pag.reordered(ci.labels).marks
    search = MagSearch.of(ci).near_to(marks)
    assert search.joinable is not None and not search.joinable.diagonal().any()
    near = {frozenset(pair) for pair in np.argwhere(search.candidates | (marks != 0)).tolist()}
    around = [np.flatnonzero(row).tolist() for row in marks]
    near |= {frozenset(pair) for beside in around for pair in combinations(beside, 2)}
    assert {frozenset(pair) for pair in np.argwhere(search.joinable).tolist()} == near
    joined = search.dag_near(marks).parents
    assert not (joined & ~search.joinable).any()
    far = MagSearch.of(ci).dag_near(marks).parents
    assert (far & ~search.joinable).any(), "without that some pairs look worth an edge by chance"


def test_claims_bar_what_is_near_as_well():
    frame = table(seed=4, rows=300, n=30, hidden=2)[2]
    ci = Inquiry(FisherZ(frame))
    claims = Claims.of(Knowledge(tiers=[list(frame.columns[:10]), list(frame.columns[10:])]), ci.labels)
    search = MagSearch.of(ci, claims=claims)
    near = search.near_to(np.zeros((len(ci), len(ci)), dtype=np.int8))
    assert np.array_equal(near._bars, search.law.parent_bars | ~search.candidates)
