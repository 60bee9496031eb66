"""causal-learn's FCI under dicola: same PAGs as the native one but for its known errors, every question counted, nothing printed."""

from __future__ import annotations

import numpy as np
import pytest

from dicola import FCI, InvalidSetting, Ledger, Oracle, discover, mag_to_pag, simulate
from dicola.graphs.mag import MAG
from dicola.learners.adapters.causal_learn import CausalLearnFCI
from tests.exactness.run import wrong_sets
from tests.learners.adapters.models import Counting, bidirected_mags, hidden_dags
from tests.peers.causal_learn_variation import DEPARTURES, skeleton
from tests.peers.tables import written_for
from tests.reference_models import ARROW, BIDIRECTED, DIRECTED, empty, join, names

pytest.importorskip("causallearn", reason="causal-learn is not installed")


@pytest.mark.parametrize("decompose", [False, True])
@pytest.mark.parametrize("models", [hidden_dags, bidirected_mags])
def test_with_perfect_answers_it_finds_the_pag_of_the_native_fci(models, decompose):
    for oracle, truth in models(60):
        found = discover(oracle, CausalLearnFCI(), decompose=decompose)
        assert found.pag == truth == discover(oracle, FCI(), decompose=decompose).pag
        assert wrong_sets(found, oracle) == []
        assert found.warnings == ()


def mag(directed: str, bidirected: str) -> MAG:
    marks = empty(8)
    for text, edge in ((directed, DIRECTED), (bidirected, BIDIRECTED)):
        for pair in text.split():
            join(marks, int(pair[0]), int(pair[1]), edge)
    assert sum(row.count(ARROW) for row in marks) == len(directed.split()) + 2 * len(bidirected.split())
    return MAG.from_matrix(marks, names(8))


FIRST_SET_LOST = mag("10 30 60 31 41 42 37 64 57", "05 07 15 27 34 47 56")
POSSIBLE_DSEP_TOO_SMALL = mag("01 04 12 31 24 52 34 36 37 56 67", "05 17 26 35 46")


@written_for("causal-learn", "0.1.4.8")
@pytest.mark.parametrize(
    ("graph", "edge", "causes"),
    [(FIRST_SET_LOST, (1, 7), {"first set lost"}), (POSSIBLE_DSEP_TOO_SMALL, (4, 7), {"two steps", "filter", "not through y"})],
)
def test_known_errors_of_its_possible_dsep_phase_keep_an_edge_that_the_native_fci_removes(graph, edge, causes):
    oracle = Oracle(graph)
    truth = FCI().learn_skeleton(oracle).edges
    found = CausalLearnFCI().learn_skeleton(oracle).edges
    assert found == truth | {edge} == skeleton(oracle, DEPARTURES)
    assert {cause for cause in DEPARTURES if skeleton(oracle, DEPARTURES.keys() - {cause}) == truth} == causes


def test_a_split_can_spare_it_its_error():
    assert discover(Oracle(POSSIBLE_DSEP_TOO_SMALL), CausalLearnFCI()).pag == mag_to_pag(POSSIBLE_DSEP_TOO_SMALL)


def test_every_verdict_is_counted_and_no_question_is_asked_twice():
    for oracle, _ in hidden_dags(20):
        test = Counting(oracle)
        assert discover(test, CausalLearnFCI(), decompose=False).tests["total"] == test.calls
        ledger = Ledger(oracle, cache=True)
        CausalLearnFCI().learn_skeleton(ledger)
        assert ledger.counts["leaves"] == ledger.counts["total"] == test.calls


def test_depth_bounds_the_first_phase_and_says_so():
    oracle, truth = next((oracle, truth) for oracle, truth in hidden_dags(60) if FCI().learn_skeleton(oracle).n_edges > 8)
    found = discover(oracle, CausalLearnFCI(depth=0), decompose=False)
    assert found.pag.n_edges >= truth.n_edges
    assert any("up to 0 variables only (depth)" in warning for warning in found.warnings)
    assert discover(oracle, CausalLearnFCI(depth=len(oracle)), decompose=False).warnings == ()
    with pytest.raises(InvalidSetting, match="depth is -1"):
        CausalLearnFCI(depth=-1)


def test_it_prints_nothing_and_two_workers_find_what_one_finds(capsys):
    dag = simulate.er_dag(14, 2.5, seed=3)
    oracle = Oracle(dag, simulate.hide(dag, 2, seed=3))
    one = discover(oracle, CausalLearnFCI())
    assert one.tree.n_leaves > 1
    assert one == discover(oracle, CausalLearnFCI(), n_jobs=2)
    assert one.pag == discover(oracle).pag
    assert capsys.readouterr() == ("", "")


def test_a_single_variable_has_no_edges():
    found = CausalLearnFCI().learn_skeleton(next(hidden_dags(1))[0], [2])
    assert found.edges == frozenset() and np.array_equal(found.adjacency, [[False]])
