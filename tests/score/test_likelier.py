"""Of graphs that fit about as well, the one that settles fewer marks; what is settled is in every graph of the class."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from dicola import MAG, DiCoLa, FisherZ, GaussianBIC, Knowledge, discover, mag_to_pag, simulate
from dicola._kernels.settled_marks import count_settled
from dicola.ci.inquiry import Inquiry
from dicola.graphs.marks import ARROW, CIRCLE, TAIL
from dicola.score.likelier import Moves, likelier
from dicola.score.mag_climb import Known, climb, kinds_of, marks_of
from dicola.score.search import MANY_ROWS, MagSearch
from tests.score.drawn import models
from tests.score.test_mag_climb import Unknown


def settled_in(mag: MAG) -> set[tuple[int, int]]:
    """The readable twin: pairs (u, v) such that the mark at v of the edge between the two is put by R0 to R3 or R8."""
    m, found = mag.marks, set[tuple[int, int]]()

    def into(u: int, v: int) -> bool:
        return (u, v) in found and m[u, v] == ARROW

    def out_of(u: int, v: int) -> bool:
        return into(u, v) and (v, u) in found and m[v, u] == TAIL

    triples = list(permutations(range(len(mag)), 3))
    apart = [(a, b, c) for a, b, c in triples if m[a, b] and m[b, c] and not m[a, c]]
    joined = [(a, b, c) for a, b, c in triples if m[a, b] and m[b, c] and m[a, c]]
    found |= {(a, b) for a, b, c in apart if m[a, b] == ARROW == m[c, b]}
    before = -1
    while len(found) > before:
        before = len(found)
        for a, b, c in apart:
            if into(a, b) and m[c, b] == TAIL:  # R1
                found |= {(c, b), (b, c)}
            if into(a, b) and into(c, b):  # R3
                besides = [d for d in range(len(mag)) if m[d, a] and m[d, b] == ARROW and m[d, c]]
                found |= {(d, b) for d in besides if not m[a, d] == ARROW == m[c, d]}
        for a, b, c in joined:
            if m[a, c] == ARROW and ((out_of(a, b) and into(b, c)) or (into(a, b) and out_of(b, c))):  # R2
                found.add((a, c))
            if out_of(a, b) and out_of(b, c) and (a, c) in found:  # R8
                found.add((c, a))
    return found


def around(mag: MAG, score, surcharge: float = 3.0) -> Moves:
    everywhere = ~np.eye(len(mag), dtype=np.bool_)
    return Moves.around(score, mag.reordered(score.names).marks, everywhere, surcharge, None, Known.room_for(len(score)))


def test_settled_marks_are_those_of_the_readable_twin_and_stand_in_the_pag():
    n_settled = n_marks = 0
    for mag, score in models(3, 40, n=11, hidden=3):
        moves = around(mag, score)
        kinds = kinds_of(mag.marks, moves.pairs)
        (count,) = count_settled(moves.pairs, kinds, len(mag), np.zeros((0, 2), np.int64))
        settled, pag = settled_in(mag), mag_to_pag(mag).marks
        assert count == len(settled)
        assert all(pag[u, v] != CIRCLE for u, v in settled)
        n_settled, n_marks = n_settled + len(settled), n_marks + int(np.count_nonzero((pag != 0) & (pag != CIRCLE)))
    assert 0.9 * n_marks < n_settled <= n_marks, "the rules that are left out add little"


def test_moves_are_worth_what_they_change_in_score_surcharges_and_settled_marks():
    for mag, score in models(4, 6, n=8, hidden=2):
        moves = around(mag, score)
        kinds = kinds_of(mag.marks, moves.pairs)

        def cost(of, moves=moves, score=score) -> float:
            return score.mag(MAG(marks_of(of, moves.pairs, len(score)), score.names)) + moves.beyond_fit(of)

        worth = moves.worth(kinds, 50.0)
        assert np.isfinite(worth).sum() > 5
        for pair, kind in np.argwhere(np.isfinite(worth)).tolist():
            other = kinds.copy()
            other[pair] = kind
            assert worth[pair, kind] == pytest.approx(cost(other) - cost(kinds), abs=1e-5)
        np.testing.assert_allclose(worth, replace(moves, score=Unknown(score)).worth(kinds, 50.0), rtol=0, atol=1e-5)


def test_the_end_is_never_worse_and_its_score_is_told_anew():
    changed = 0
    for mag, score in models(5, 25, n=10, hidden=2, n_samples=120):
        found = climb(score, mag, surcharge=3.0)
        moves = around(MAG(found.marks, score.names), score)
        end = likelier(found, moves)
        costs = [each.score + moves.beyond_fit(kinds_of(each.marks, moves.pairs)) for each in (found, end)]
        assert costs[1] <= costs[0] + 1e-6 and end.runner_up >= 0
        assert end.score == pytest.approx(score.mag(MAG(end.marks, score.names)), abs=1e-5)
        assert MAG(end.marks, score.names).maximal().invalid() is None
        changed += not np.array_equal(found.marks, end.marks)
    assert changed > 2


def test_what_nothing_tells_apart_from_it_is_the_next_best():
    for mag, score in models(6, 5, n=8, hidden=2):
        found = climb(score, mag, surcharge=3.0)
        moves = around(MAG(found.marks, score.names), score)
        plain = likelier(found, replace(moves, settled=0.0))
        assert plain.runner_up >= 0 and plain.score <= found.score + 1e-6


def test_marks_stay_open_where_rows_are_few(monkeypatch):
    dag = simulate.er_dag(20, 2.5, 4)
    tables = [simulate.linear_gaussian(dag, 60, seed) for seed in range(8)]

    def n_open() -> int:
        return sum(int(np.count_nonzero(discover(FisherZ(each), mode="balanced").pag.marks == CIRCLE)) for each in tables)

    with_it = n_open()
    monkeypatch.setattr("dicola.score.search.likelier", lambda found, moves: found)
    assert with_it > n_open()


@pytest.mark.parametrize("seed", range(4))
def test_what_is_known_is_obeyed(seed):
    table = simulate.linear_gaussian(simulate.er_dag(14, 3, seed), 80, seed=seed)
    first, later = list(table.columns[:4]), list(table.columns[4:])
    found = DiCoLa(mode="balanced", knowledge=Knowledge(tiers=[first, later])).fit(table).discovery_
    assert found.legality
    joined = [(found.pag.index(early), found.pag.index(late)) for early in first for late in later]
    assert all(found.pag.marks[a, b] in (0, ARROW) for a, b in joined)


def test_settled_marks_count_where_that_was_measured():
    table = simulate.linear_gaussian(simulate.er_dag(8, 2, 1), 100, seed=1)
    search = MagSearch.of(Inquiry(FisherZ(table)))
    marks = np.zeros((8, 8), dtype=np.int8)
    many = GaussianBIC(search.score.correlation, MANY_ROWS, search.score.names)
    assert search.moves(marks).settled > 0
    for other in (replace(search, weighs_marks=False), replace(search, score=many), replace(search, score=Unknown(search.score))):
        assert other.moves(marks).settled == 0
