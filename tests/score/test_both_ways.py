"""Categories by tests that count and by a score on indicators: which edges stand, which triples are decided, and what auto takes."""

from __future__ import annotations

from math import isnan

import numpy as np
import pandas as pd
import pytest

from dicola import DAG, DegenerateGaussian, DiCoLa, Discovery, FisherZ, GSquare, NeedsData, discover, simulate
from dicola.ci.inquiry import Inquiry
from dicola.graphs.marks import ARROW
from dicola.graphs.skeleton import RecordedSets, SeparatingSets
from dicola.learners.collider_policies import Compare
from dicola.orient.colliders import by_separating_set, unshielded_triples
from dicola.orient.equivalence import skeleton_of_mag
from dicola.orient.fixpoint import orient
from dicola.orient.partial import PartialGraph
from dicola.score.both_ways import _DENIED
from dicola.score.search import BestMag


def table(dag: DAG, n: int, seed: int, levels: int = 2) -> pd.DataFrame:
    """Categories with a drawn chance for every combination of levels of the parents."""
    rng, codes = np.random.default_rng(seed), {}
    while len(codes) < len(dag.names):
        for name in dag.names:
            above = dag.parents(name)
            if name in codes or not all(parent in codes for parent in above):
                continue
            chances = rng.dirichlet(np.full(levels, 0.5), size=[levels] * len(above))[tuple(codes[parent] for parent in above)]
            codes[name] = (np.broadcast_to(chances, (n, levels)).cumsum(axis=1) < rng.random((n, 1))).sum(axis=1).clip(0, levels - 1)
    return pd.DataFrame({name: np.array(["u", "v", "w"])[codes[name]] for name in dag.names})


def test_blocks_of_codes_are_those_of_the_table():
    frame = table(simulate.er_dag(6, 2, 5), 300, 5, 3)
    one, other = GSquare(frame).as_blocks(), DegenerateGaussian(frame)
    assert np.array_equal(one.covariance, other.covariance) and np.array_equal(one.begins, other.begins)
    assert one.labels == other.labels and one.verdict(0, 3, (1, 2)) == other.verdict(0, 3, (1, 2))


def both_graphs(test: GSquare) -> tuple[Discovery, Discovery, set[tuple[int, int]], SeparatingSets]:
    """The answer, that of the tests alone, and the edges and sets of the score alone, each from its definition."""
    found, by_tests = discover(test, mode="either"), discover(test, mode="exact")
    alone = orient(by_tests.skeleton, is_collider=Compare(Inquiry(test), by_tests.skeleton.sets))
    scored = skeleton_of_mag(BestMag().refine(Inquiry(test.as_blocks()), alone, 0).mag)
    return found, by_tests, set(scored.edges), scored.sets


def test_an_edge_of_the_score_stands_unless_the_counts_deny_it():
    added = kept_out = by_close_call = 0
    for seed in range(16):
        test = GSquare(table(simulate.er_dag(9, 3, seed), 500, seed, 3))
        found, by_tests, scored, sets = both_graphs(test)
        blocks = test.as_blocks()
        for pair in ((a, b) for a in range(9) for b in range(a + 1, 9)):
            if pair in by_tests.skeleton.edges:
                assert pair in found.skeleton.edges
                continue
            p_value = test.verdict(*pair, by_tests.skeleton.sets[pair]).p_value
            close = p_value <= 2 * test.alpha and pair not in scored
            depends = close and not any(blocks.verdict(*pair, z).independent for z in (by_tests.skeleton.sets[pair], sets[pair]))
            stands = depends or (pair in scored and (isnan(p_value) or p_value <= _DENIED))
            by_close_call += depends
            assert (pair in found.skeleton.edges) == stands
            added, kept_out = added + stands, kept_out + (pair in scored and not stands)
        assert found.score is None and found.evaluations
    assert added > 6 and kept_out > 4 and by_close_call > 0


def test_a_triple_is_decided_where_both_agree():
    decided = left_open = 0
    for seed in range(8):
        test = GSquare(table(simulate.er_dag(9, 3, seed), 500, seed, 3))
        found, _, scored, sets = both_graphs(test)
        by_score = by_separating_set(RecordedSets({pair: found.skeleton.sets[pair] for pair in scored - found.skeleton.edges}, sets))
        by_counts = Compare(Inquiry(test), found.skeleton.sets)
        graph, marks = PartialGraph(9, found.skeleton.edges), found.pag.reordered(found.skeleton.labels).marks
        for a, b, c in unshielded_triples(graph):
            one, other = by_score(a, b, c), by_counts(a, b, c)
            if one is True and other is True:
                assert (marks[a, b] == ARROW and marks[c, b] == ARROW) or found.conflicts
            decided, left_open = decided + (one == other), left_open + (one != other)
        said = [line for line in found.warnings if "could be" in line]
        assert bool(said) == any(by_score(*triple) != by_counts(*triple) for triple in unshielded_triples(graph))
    assert decided > 20 and left_open > 20


def test_a_written_answer_reads_back(tmp_path):
    found = discover(GSquare(table(simulate.er_dag(9, 3, 1), 500, 1, 3)), mode="either")
    found.write(tmp_path)
    again = Discovery.read(tmp_path)
    assert again.pag == found.pag and again.skeleton == found.skeleton


def test_the_default_on_categories():
    dag = simulate.er_dag(8, 2, 3)
    frame = table(dag, 1500, 3, 3)
    found = DiCoLa().fit(frame).discovery_
    assert found.settings["mode"] == "either" and "do not deny" in found.settings["mode_chosen"]
    assert DiCoLa.from_record(found.settings).fit(frame).pag_ == found.pag, "the record of a run makes it again"
    few = DiCoLa().fit(table(dag, 60, 3, 3)).discovery_
    assert few.settings["mode"] == "balanced" and few.settings["test"]["name"] == "DegenerateGaussian"
    two_levels = DiCoLa().fit(table(dag, 1500, 3)).discovery_
    assert two_levels.settings["mode"] == "balanced" and "of two levels" in two_levels.settings["test_chosen"]
    holes = frame.mask(np.random.default_rng(0).random(frame.shape) < 0.02)
    assert DiCoLa().fit(holes).discovery_.settings["mode"] == "either"
    with pytest.raises(NeedsData, match="does not count"):
        discover(FisherZ(simulate.linear_gaussian(dag, 100, 0)), mode="either")


def test_gaps_are_left_out_test_by_test_where_counting_was_asked_for():
    frame = table(simulate.er_dag(8, 2, 3), 1500, 3, 3)
    holes = frame.mask(np.random.default_rng(0).random(frame.shape) < 0.05)
    found = DiCoLa(ci_test="g_square", missing="testwise").fit(holes).discovery_
    assert found.settings["mode"] == "either" and found.pag.n_edges > 3
