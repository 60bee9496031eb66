"""The climb never makes the score worse, ends in a legal graph, and is that of its readable twin."""

from __future__ import annotations

import numpy as np
import pytest

from dicola import DAG, MAG, FisherZ, mag_to_pag, simulate
from dicola._kernels import mag_climb, mag_score
from dicola._kernels.compiled import kernel
from dicola._kernels.terms import Terms
from dicola.graphs.marks import ARROW, TAIL
from dicola.score.base import Score, districts_of
from dicola.score.gaussian_bic import GaussianBIC, district_arrays
from dicola.score.mag_climb import Known, climb
from tests.score.drawn import models


class Unknown(Score):
    """The same score under another name, for which there is no kernel."""

    def __init__(self, score: GaussianBIC) -> None:
        self._score = score
        self.names, self.n_samples, self.penalty = score.names, score.n_samples, score.penalty

    def district(self, members, arrows, bidirected):
        return self._score.district(members, arrows, bidirected)

    def among(self, variables):
        return Unknown(self._score.among(variables))


def empty(score: Score) -> np.ndarray:
    return np.zeros((len(score), len(score)), dtype=np.int8)


def random_dag(rng: np.random.Generator, n: int) -> np.ndarray:
    marks = np.zeros((n, n), dtype=np.int8)
    order = rng.permutation(n)
    for i in range(n):
        for j in range(i):
            if rng.random() < 0.3:
                marks[order[j], order[i]], marks[order[i], order[j]] = ARROW, TAIL
    return marks


@pytest.mark.parametrize(("max_district", "third", "surcharge"), [(2, None, 0.0), (10, None, 0.0), (10, 0.05, 0.0), (10, None, 3.0)])
def test_the_climb_is_that_of_the_readable_twin(max_district, third, surcharge):
    rng = np.random.default_rng(1)
    for mag, score in models(1, 8, n=8, hidden=2):
        candidates = rng.random((len(score), len(score))) < 0.7
        for start in (empty(score), random_dag(rng, len(score)), mag):
            fast, plain = (
                climb(each, start, candidates | candidates.T, max_district=max_district, third=third, surcharge=surcharge)
                for each in (score, Unknown(score))
            )
            assert np.array_equal(fast.marks, plain.marks)
            assert (fast.n_fits, fast.n_moves) == (plain.n_fits, plain.n_moves)
            assert fast.score == pytest.approx(plain.score, abs=1e-9)
            assert fast.runner_up == pytest.approx(plain.runner_up, abs=1e-9)


def test_the_climb_never_makes_the_score_worse_and_ends_in_an_ancestral_graph():
    rng = np.random.default_rng(2)
    for mag, score in models(2, 60, n=14, hidden=4):
        for start in (empty(score), random_dag(rng, len(score)), mag.to_matrix()):
            climbed = climb(score, start)
            found = MAG(climbed.marks, score.names)
            reason = found.invalid()
            assert reason is None or "not maximal" in reason
            assert climbed.score <= score.mag(MAG(start, score.names)) + 1e-6
            assert climbed.score == pytest.approx(score.mag(found), abs=1e-6)


def test_a_third_move_finds_the_edge_that_is_not_needed():
    dag = DAG.from_edges([("A", "B"), ("C", "B"), ("B", "D"), ("L", "D"), ("L", "E"), ("F", "E")])
    table = simulate.linear_gaussian(dag, 20_000, 3).drop(columns="L")
    score = GaussianBIC.of(FisherZ(table))
    start = MAG.from_text("A --> B; C --> B; B --> D; E --> D; F --> D; E --> F", score.names)
    two, three = climb(score, start), climb(score, start, third=10.0)
    assert np.array_equal(two.marks, start.marks)
    assert three.n_moves == 3 and mag_to_pag(MAG(three.marks, score.names)) == dag.true_pag(["L"])
    assert climb(score, start, third=100.0).n_moves == 0


def test_a_surcharge_turns_the_bidirected_edges_that_the_data_do_not_ask_for():
    spared = 0
    for mag, score in models(8, 20):
        free = climb(score, mag)
        charged = climb(score, free.marks, surcharge=3.0)
        for found in (free, charged):
            assert found.score == pytest.approx(score.mag(MAG(found.marks, score.names)), abs=1e-6), "without surcharges"
        joined = [np.count_nonzero((found.marks == ARROW) & (found.marks.T == ARROW)) // 2 for found in (free, charged)]
        assert charged.score + 3 * joined[1] <= free.score + 3 * joined[0] + 1e-6
        spared += joined[0] - joined[1]
    assert spared > 5


def test_a_second_climb_finds_nothing_more():
    for _, score in models(3, 10):
        climbed = climb(score, empty(score))
        again = climb(score, climbed.marks)
        assert again.n_moves == 0
        assert np.array_equal(again.marks, climbed.marks)


def test_no_edge_is_added_outside_the_candidates_and_the_start():
    for _, score in models(4, 10):
        start = empty(score)
        start[0, 1], start[1, 0] = ARROW, TAIL
        allowed = np.zeros(start.shape, dtype=np.bool_)
        allowed[2, 3] = allowed[3, 2] = True
        found = climb(score, start, allowed).marks
        assert not found[~(allowed | (start != 0))].any()


def test_districts_stay_within_their_limit():
    for _, score in models(5, 20, n=14, hidden=5):
        found = MAG(climb(score, empty(score), max_district=2).marks, score.names)
        assert max(len(found.district(name)) for name in found.names) <= 2


def test_a_climb_in_slices_is_the_same_climb(monkeypatch):
    calls, kernel = [], mag_climb.climb
    for _, score in models(6, 10):
        whole = climb(score, empty(score))
        monkeypatch.setattr("dicola.score.mag_climb._SLICE", 7)
        monkeypatch.setattr(mag_climb, "climb", lambda *state: calls.append(1) or kernel(*state))
        sliced = climb(score, empty(score))
        monkeypatch.undo()
        assert np.array_equal(whole.marks, sliced.marks)
        assert whole[1:] == sliced[1:]
    assert len(calls) > 20


def test_scores_found_by_one_climb_serve_the_next():
    for _, score in models(9, 10):
        known = Known.room_for(len(score))
        first, alone = climb(score, empty(score), known=known), climb(score, empty(score))
        again, charged = (climb(score, first.marks, surcharge=surcharge, known=known) for surcharge in (0.0, 3.0))
        assert np.array_equal(first.marks, alone.marks) and first.n_fits == alone.n_fits
        assert again.n_fits == 0 and again.score == first.score
        fresh = climb(score, first.marks, surcharge=3.0)
        assert np.array_equal(charged.marks, fresh.marks) and charged.n_fits < fresh.n_fits


def test_a_full_table_of_scores_changes_the_work_and_not_the_result(monkeypatch):
    for _, score in models(7, 5, n=12, hidden=3):
        whole = climb(score, empty(score))
        monkeypatch.setattr("dicola.score.mag_climb._table_size", lambda n: 32)
        small = climb(score, empty(score))
        monkeypatch.undo()
        assert np.array_equal(whole.marks, small.marks)
        assert small.n_fits > whole.n_fits


@kernel
def bound(terms, members, d, lists, lengths, room):
    return mag_score.bound_ones(terms, members, d, lists, lengths, room)


def test_no_district_scores_below_its_bound():
    near = far = 0
    for mag, score in models(8, 40, n=10, hidden=4):
        for members, arrows, joined in districts_of(mag):
            if len(members) > 1:
                _, block, arrays = district_arrays(score.correlation, members, arrows, joined)
                found = bound(Terms(block, float(score.n_samples), score.price), *arrays)
                gap = score.district(members, arrows, joined) - found
                assert gap > 0
                near, far = near + (gap < 0.01), far + (gap > 1)
    assert near > 10 and far > 3


def test_there_is_no_bound_where_a_variable_is_nearly_a_copy():
    table = np.random.default_rng(4).normal(size=(400, 2))
    score = GaussianBIC(np.corrcoef(np.column_stack([table, table[:, 0] + 1e-3 * table[:, 1]]), rowvar=False), 400)
    for joined, is_known in (((0, 1), True), ((0, 2), False)):
        _, block, arrays = district_arrays(score.correlation, joined, [], [joined])
        assert np.isfinite(bound(Terms(block, 400.0, score.price), *arrays)) == is_known
