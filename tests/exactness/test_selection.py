"""Selection of the sample: every learner that allows for it is exact, alone and under DiCoLa."""

from __future__ import annotations

import numpy as np
import pytest

from dicola import DAG, FCI, MAG, Discovery, InvalidSetting, Oracle, discover, mag_to_pag
from dicola.blankets.registry import BLANKETS
from dicola.decompose.both_sides import BothSides, Separated
from dicola.learners.registry import LEARNERS
from tests.exactness import blankets, selection
from tests.exactness.learners import EX5, EX6, grown
from tests.exactness.run import Tally, check
from tests.exactness.selection import ALLOWING, CHUNK, WAYS, check_chunk, main, selected_truth, untrue_marks
from tests.reference_models import (
    BIDIRECTED,
    DIRECTED,
    REVERSED,
    UNDIRECTED,
    bits,
    common_marks,
    equivalence_class,
    names,
    random_selection_mag,
)

RING = [(v, s) for s, pair in (("S1", "AB"), ("S2", "BC"), ("S3", "CD"), ("S4", "DA")) for v in pair]
SELECTED = ["S1", "S2", "S3", "S4"]
MISLEADING = DAG.from_edges([("A", "B"), ("A", "C"), ("B", "D"), ("D", "S"), ("C", "S")])


def selected_dag(seed: int, n_observed: int) -> tuple[DAG, list[str], list[str], list[list[int]]]:
    """A DAG, its hidden and its selected vertices, and the MAG they leave."""
    rng = np.random.default_rng([23, seed])
    mag, marks, observed, selected = random_selection_mag(rng, n_observed, int(rng.integers(1, 3)), int(rng.integers(0, 3)))
    labels = names(len(marks))
    chosen = [labels[v] for v in bits(selected)]
    hidden = [name for v, name in enumerate(labels) if v not in observed and name not in chosen]
    return DAG.from_matrix(marks, labels), hidden, chosen, mag


@pytest.mark.parametrize("n", [4, 5, 6])
def test_the_true_pag_is_found_where_the_sample_was_selected(n):
    undirected = 0
    for seed in range(50):
        dag, hidden, selected, mag = selected_dag(seed, n)
        truth = dag.true_pag(hidden, selected)
        undirected += any(mag[a][b] == 3 == mag[b][a] for a in range(n) for b in range(n))
        for learner in (FCI(), FCI(possible_dsep="textbook")):
            settings = {"decompose": False, "selection": True, "learner": learner}
            assert check(Oracle(dag, hidden, selected), truth, settings) == Tally(1), f"graph {n}/{seed}"
    assert undirected >= 20


@pytest.mark.parametrize("decompose", [False, True])
def test_it_is_what_all_members_of_the_enumerated_class_share(decompose):
    for seed in range(100, 140):
        dag, hidden, selected, mag = selected_dag(seed, 4)
        found = discover(Oracle(dag, hidden, selected), decompose=decompose, stop="paper", selection=True).pag
        assert found.to_matrix().tolist() == common_marks(equivalence_class(mag, undirected=True)), f"graph 4/{seed}"


def test_these_learners_allow_for_selection():
    assert ALLOWING == ("fci", "rfci", "fci+", "icd", "l-marvel")


@pytest.mark.parametrize("learner", ALLOWING)
def test_a_learner_finds_the_true_pag_of_selected_samples_alone_and_under_dicola(learner):
    found = check_chunk(1, 0, 2 * CHUNK, [learner])
    assert found == {(learner, way): selection.Tally(2 * CHUNK) for way in WAYS}


def test_most_of_these_graphs_have_undirected_edges_and_the_search_after_merges_is_what_makes_them_right(monkeypatch):
    truths = [selected_truth(1, number) for number in range(CHUNK)]
    assert sum(truth.has_undirected for truth in truths) > 0.8 * CHUNK
    monkeypatch.setattr(BothSides, "separated", lambda self, edges, split: Separated({}, True))
    wrong = [truth for truth in truths if discover(truth.oracle(), stop="paper", selection=True).pag != truth.pag]
    assert len(wrong) > 10


@pytest.mark.parametrize("settings", [{"decompose": False}, {"stop": "paper"}, {"stop": "paper", "uig": "relearn"}], ids=str)
@pytest.mark.parametrize("learner", ALLOWING)
def test_the_undirected_four_cycle(learner, settings):
    found = discover(Oracle(DAG.from_edges(RING), selection=SELECTED), learner, selection=True, **settings)
    assert str(found.pag) == "A --- B\nA --- D\nB --- C\nC --- D"
    assert found.skeleton.separating_set("A", "C") == ("B", "D") and found.skeleton.separating_set("B", "D") == ("A", "C")
    assert found.legality and not found.warnings and not found.conflicts


def test_a_pair_that_fell_in_a_merge_is_told_written_and_read_back(tmp_path):
    found = discover(Oracle(DAG.from_edges(RING), selection=SELECTED), stop="paper", selection=True)
    assert found.tree.n_leaves == 2
    pair = ("A", "C") if set(found.tree.branches[0].split.separator) == {0, 2} else ("B", "D")
    told = found.explain(*pair).separation
    assert told is not None and told.found.startswith("Found in a merge: a set that takes variables of both sides")
    again = Discovery.read(found.write(tmp_path / "ring"))
    assert again == found and again.explain(*pair).separation == told
    assert (again.write(tmp_path / "again") / "skeleton.json").read_bytes() == (tmp_path / "ring" / "skeleton.json").read_bytes()


def test_a_limit_that_kept_the_merge_from_separating_is_told():
    oracle = Oracle(DAG.from_edges(RING), selection=SELECTED)
    found = discover(oracle, FCI(max_condition_size=1), stop="paper", selection=True)
    assert found.pag.n_edges == 5
    assert [str(warning) for warning in found.warnings] == ["sets of neighbours were tried up to 1 variable only (max_condition_size)."]


@pytest.mark.parametrize("decompose", [False, True])
@pytest.mark.parametrize("learner", ALLOWING)
def test_the_smallest_graph_that_once_gave_a_false_cause(learner, decompose):
    found = discover(Oracle(MISLEADING, selection="S"), learner, decompose=decompose, stop="paper", selection=True)
    assert str(found.pag) == "A --- B\nA --- C\nB --- D\nC --- D"


def insufficient_mag(number: int) -> MAG:
    """A MAG with undirected edges that holds EX5 or EX6, where sets of neighbours do not separate all that is separable."""
    kinds = (DIRECTED, REVERSED, BIDIRECTED, UNDIRECTED, UNDIRECTED, UNDIRECTED)
    for attempt in range(1000):
        rng = np.random.default_rng([29, number, attempt])
        core = (EX5 if rng.random() < 0.7 else EX6).marks.tolist()
        marks = grown(rng, core, min(len(core) + int(rng.integers(1, 4)), 8), float(rng.uniform(0.2, 0.8)), kinds)
        if marks is not None and any(row[v] == 3 == marks[v][u] for u, row in enumerate(marks) for v in range(len(marks))):
            return MAG.from_matrix(marks, names(len(marks)))
    raise AssertionError("a thousand attempts without a MAG")


@pytest.mark.parametrize("learner", [name for name in ALLOWING if LEARNERS[name].complete])
def test_so_does_a_complete_learner_where_sets_of_neighbours_are_not_enough(learner):
    for number in range(40):
        mag = insufficient_mag(number)
        assert mag.invalid() is None
        for settings in ({"decompose": False}, {"stop": "paper"}):
            found = discover(Oracle(mag), learner, selection=True, **settings)
            assert found.pag.reordered(mag.names) == mag_to_pag(mag), (number, settings)


@pytest.mark.parametrize("name", blankets.SAFE)
def test_blanket_learners_are_right_in_selected_samples(name):
    for number in range(40):
        assert blankets.check(BLANKETS[name](), selected_truth(3, number)).wrong == ()


@pytest.mark.parametrize("learner", [name for name, learner in LEARNERS.items() if not learner.allows_selection])
@pytest.mark.parametrize("decompose", [False, True])
def test_other_learners_refuse(learner, decompose):
    with pytest.raises(InvalidSetting, match="assumes that nothing was selected; selection=True goes with the other learners"):
        discover(Oracle(MISLEADING, selection="S"), learner, decompose=decompose, selection=True)


def test_a_directed_edge_is_told_to_claim_less_in_a_selected_sample():
    dag = DAG.from_edges([("A", "S"), ("L", "S"), ("L", "B"), ("C", "B")])  # A is no cause of B
    found = discover(Oracle(dag, "L", "S"), selection=True)
    assert str(dag.true_mag("L", "S")) == "A --> B\nC --> B" and str(found.pag) == "A o-> B\nC o-> B" and found.warnings == ()
    more = DAG.from_edges([("A", "B"), ("C", "B"), ("B", "D")])
    assert discover(Oracle(more), selection=True).warnings[0].endswith("A is a cause of B, or of selection, and B of neither.")


def test_an_untrue_mark_is_noticed():
    truth = selected_truth(1, 0)
    assert untrue_marks(truth.pag, truth) == []
    marks = truth.mag.to_matrix()
    marks[marks > 0] = 5 - marks[marks > 0]
    assert len(untrue_marks(type(truth.pag).from_matrix(marks, truth.mag.names), truth)) == int((marks > 0).sum())


def test_the_command_counts_by_learner_and_way_and_fails_where_a_run_is_wrong(monkeypatch):
    said: list[str] = []
    assert main(["6", "--learner", "fci"], said.append) == 0
    assert [line.split()[:4] for line in said[:-1]] == [["fci", way, "6", "graphs"] for way in WAYS]
    monkeypatch.setattr(BothSides, "separated", lambda self, edges, split: Separated({}, True))
    assert main(["30", "--learner", "fci"], said.append) == 1
    assert main(["0"], said.append) == 1
