import json

import numpy as np
import pytest

from dicola.errors import InvalidGraph
from dicola.graphs.dag import DAG
from dicola.graphs.marks import MixedGraph
from dicola.graphs.pag import PAG
from dicola.graphs.skeleton import RecordedSets, Skeleton
from dicola.metrics import Scores, compare, skeleton_scores

# By hand. Common edges: A-C (right), B-C (one mark wrong), C-D (both marks wrong). E-F only in truth, A-B only found.
TRUTH = PAG.from_text("A o-> C; B o-> C; C --> D; E o-o F", nodes="ABCDEF")
FOUND = PAG.from_text("A o-> C; B --> C; D o-> C; A <-> B", nodes="ABCDEF")


def numbers(scores: Scores) -> tuple[float, float, float]:
    return scores.precision, scores.recall, scores.f1


def test_skeleton_scores_count_unordered_pairs():
    assert numbers(compare(FOUND, TRUTH).skeleton) == (3 / 4, 3 / 4, 3 / 4)


def test_marks_f1_is_twice_the_hits_over_the_ends_of_both_graphs():
    # Hits: both ends of A-C, the end at C of B-C. Eight ends in each graph.
    marks = compare(FOUND, TRUTH).marks
    assert (marks.hits, marks.found, marks.true) == (3, 8, 8)
    assert numbers(marks) == (3 / 8, 3 / 8, 2 * 3 / (8 + 8))


def test_each_kind_of_mark_is_scored_without_regard_to_the_edge():
    result = compare(FOUND, TRUTH)
    # Found arrowheads: at C from A, B and D, and at both ends of A <-> B. True ones: at C from A and B, at D.
    assert numbers(result.arrowheads) == (2 / 5, 2 / 3, 2 * 2 / 8)
    # Found tail: at B of B --> C. True tail: at C of C --> D.
    assert numbers(result.tails) == (0.0, 0.0, 0.0)
    # Found circles: at A of A o-> C, at D. True circles: at A, at B, and the two of E o-o F.
    assert numbers(result.circles) == (1 / 2, 1 / 4, 2 * 1 / 6)


def test_shd_counts_pairs_whose_edge_differs_and_mark_shd_the_single_marks():
    result = compare(FOUND, TRUTH)
    assert result.shd == 4  # B-C, C-D, A-B, E-F
    assert result.mark_shd == 1 + 2 + 1 + 1


def test_precision_and_recall_change_places_when_the_graphs_do():
    found = PAG.from_text("A o-> B", nodes="ABC")
    truth = PAG.from_text("A o-> B; B --> C", nodes="ABC")
    there, back = compare(found, truth), compare(truth, found)
    assert numbers(there.skeleton) == (1, 1 / 2, 2 / 3)
    assert numbers(back.skeleton) == (1 / 2, 1, 2 / 3)
    assert (there.shd, there.mark_shd) == (back.shd, back.mark_shd) == (1, 1)


def test_a_graph_against_itself_is_perfect():
    result = compare(TRUTH, TRUTH)
    assert all(numbers(scores) == (1, 1, 1) for scores in (result.skeleton, result.marks, result.arrowheads, result.tails, result.circles))
    assert (result.shd, result.mark_shd) == (0, 0)


def test_graphs_are_aligned_by_name_and_never_by_position():
    expected = compare(FOUND, TRUTH)
    rng = np.random.default_rng(1)
    for _ in range(10):
        found, truth = (graph.reordered(rng.permutation(graph.names).tolist()) for graph in (FOUND, TRUTH))
        assert compare(found, truth) == expected


def test_equal_matrices_with_other_names_are_different_graphs():
    matrix = [[0, 2, 0], [3, 0, 0], [0, 0, 0]]
    result = compare(PAG.from_matrix(matrix, "ABC"), PAG.from_matrix(matrix, "CAB"))
    assert result.skeleton.hits == 0
    assert result.shd == 2


def test_different_vertices_are_refused_and_named():
    with pytest.raises(InvalidGraph, match="the found graph lacks 'L1', 'L2'; the true graph lacks 'Q'"):
        compare(PAG.from_text("A o-o Q"), PAG.from_text("A o-o L1; A o-o L2"))


def test_a_bare_matrix_is_refused():
    with pytest.raises(InvalidGraph, match="takes two graphs, not a ndarray"):
        compare(TRUTH.to_matrix(), TRUTH)


def test_two_graphs_without_edges_score_zero_at_distance_zero():
    empty = PAG(np.zeros((3, 3)), "ABC")
    result = compare(empty, empty)
    assert all(numbers(scores) == (0, 0, 0) for scores in (result.skeleton, result.marks, result.arrowheads))
    assert (result.shd, result.mark_shd) == (0, 0)


def test_nothing_found_scores_zero():
    result = compare(PAG(np.zeros((6, 6)), "ABCDEF"), TRUTH)
    assert numbers(result.skeleton) == (0, 0, 0)
    assert result.shd == result.mark_shd == 4


def test_any_kind_of_graph_can_be_compared():
    dag = DAG.from_edges([("L", "A"), ("L", "B"), ("C", "B")])
    result = compare(dag.true_mag(["L"]), dag.true_pag(["L"]))
    assert result.skeleton.f1 == 1
    assert numbers(result.arrowheads) == (2 / 3, 1, 4 / 5)


def test_scores_of_random_graphs_equal_a_count_edge_by_edge():
    rng = np.random.default_rng(5)
    for _ in range(20):
        found, truth = (random_graph(rng) for _ in range(2))
        ours, theirs = (by_pair(graph) for graph in (found, truth))
        result = compare(found, truth)
        pairs = ours.keys() | theirs.keys()
        common = ours.keys() & theirs.keys()
        wrong = sum(ours[pair][end] != theirs[pair][end] for pair in common for end in pair)
        assert result.skeleton == Scores(len(common), len(ours), len(theirs))
        assert result.marks == Scores(2 * len(common) - wrong, 2 * len(ours), 2 * len(theirs))
        assert result.shd == sum(ours.get(pair) != theirs.get(pair) for pair in pairs)
        assert result.mark_shd == len(pairs) - len(common) + wrong


def random_graph(rng) -> MixedGraph:
    matrix = rng.integers(1, 4, size=(7, 7))
    edges = np.triu(rng.random((7, 7)) < 0.4, 1)
    return MixedGraph(matrix * (edges | edges.T), rng.permutation(list("ABCDEFG")))


def by_pair(graph: MixedGraph) -> dict[frozenset[str], dict[str, int]]:
    return {frozenset((e.u, e.v)): {e.u: int(e.mark_u), e.v: int(e.mark_v)} for e in graph.edges()}


def test_skeletons_are_scored_like_graphs():
    labels = ("A", "B", "C", "D", "E", "F")
    skeleton = Skeleton(labels, tuple(range(6)), frozenset({(0, 2), (1, 2), (2, 3), (0, 1)}), RecordedSets(), labels[::-1])
    assert skeleton_scores(skeleton, TRUTH) == compare(FOUND, TRUTH).skeleton


def test_to_dict_survives_json():
    result = json.loads(json.dumps(compare(FOUND, TRUTH).to_dict()))
    assert list(result) == ["skeleton", "marks", "arrowheads", "tails", "circles", "shd", "mark_shd"]
    assert result["marks"] == {"precision": 0.375, "recall": 0.375, "f1": 0.375, "hits": 3, "found": 8, "true": 8}
    assert result["shd"] == 4


def test_text_shows_every_score_and_both_distances():
    text = str(compare(FOUND, TRUTH))
    assert text.splitlines()[1].split() == ["skeleton", "0.750", "0.750", "0.750", "3", "4", "4"]
    assert text.endswith("structural Hamming distance: 4 (edges), 5 (marks)")
