"""The length of a code for categories: what it is, that equivalent graphs are equally long, and what is chosen by it."""

from __future__ import annotations

from itertools import product
from math import comb, log

import numpy as np
import pandas as pd
import pytest

from dicola import DAG, MAG, DegenerateGaussian, DiCoLa, FisherZ, GSquare, NeedsData, discover, mag_to_pag, simulate
from dicola._kernels.code_length import regrets
from dicola.score.code_length import CodeLength, _two_cells
from dicola.score.legal import nearby_mag


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


def length(frame: pd.DataFrame, names: list[str]) -> float:
    """2 N H + 2 ln C(N, cells), as its definition reads."""
    if not names:
        return 0.0
    n, cells = len(frame), int(np.prod([frame[name].nunique() for name in names]))
    counts = frame.groupby(names).size().to_numpy()
    return float(-2 * (counts * np.log(counts / n)).sum() + regrets(_two_cells(n), n, cells + 1)[cells])


def test_the_regret_is_the_logarithm_of_the_sum_over_all_counts():
    n = 6
    for cells in (1, 2, 3, 4):
        total = 0.0
        for counts in product(range(n + 1), repeat=cells):
            if sum(counts) == n:
                ways, left = 1.0, n
                for k in counts:
                    ways *= comb(left, k) * (k / n) ** k
                    left -= k
                total += ways
        assert regrets(_two_cells(n), n, 5)[cells] == pytest.approx(2 * log(total))


def test_of_a_variable_given_its_parents_it_is_a_difference_of_lengths():
    frame = table(simulate.er_dag(5, 2, 1), 300, 1, 3)
    score = CodeLength.of(GSquare(frame))
    for v, parents in ((0, [1, 2]), (3, [0, 1, 4]), (2, [])):
        names, own = [score.names[u] for u in parents], score.names[v]
        expected = length(frame, [*names, own]) - length(frame, names) - length(frame, [own])
        assert score.local(v, parents) == pytest.approx(expected + 3 * len(parents))


def test_equivalent_dags_are_equally_long():
    rng, differing = np.random.default_rng(3), 0
    for seed in range(40):
        mag = simulate.er_dag(8, 2.5, seed).true_mag([])
        score = CodeLength(rng.integers(3, size=(len(mag), 200)), [3] * len(mag), mag.names)  # whatever the rows are
        other = nearby_mag(mag_to_pag(mag).reordered([mag.names[v] for v in rng.permutation(len(mag))])).reordered(mag.names)
        differing += mag != other
        assert score.along(mag) == pytest.approx(score.along(other), abs=1e-6)
    assert differing > 20


def test_along_an_order_bidirected_edges_become_arrows():
    frame = table(simulate.er_dag(4, 2, 2), 400, 2)
    score = CodeLength.of(GSquare(frame))
    a, b, c, d = range(4)
    joined = MAG.from_text("{0} --> {1}; {1} <-> {2}; {3} --> {2}".format(*score.names), score.names)
    expected = score.local(b, [a]) + score.local(c, [b, d])
    assert score.along(joined) == pytest.approx(expected) or score.along(joined) == pytest.approx(
        score.local(b, [a, c]) + score.local(c, [d])
    )


def test_the_true_graph_has_the_shortest_code_given_rows():
    dag = DAG.from_edges([("A", "B"), ("C", "B"), ("B", "D"), ("E", "D")])
    score, truth = CodeLength.of(GSquare(table(dag, 5000, 7))), dag.true_mag([])
    for other in ("A --> B; C --> B; B --> D", "B --> A; B --> C; B --> D; E --> D", "A --> B; C --> B; B --> D; E --> D; A --> E"):
        assert score.along(truth) < score.along(MAG.from_text(other, score.names))


def test_it_needs_a_test_that_counts_complete_rows():
    frame = table(simulate.er_dag(3, 2, 0), 100, 0)
    with pytest.raises(NeedsData, match="does not count"):
        CodeLength.of(DegenerateGaussian(frame))
    frame.iloc[3, 1] = None
    with pytest.raises(NeedsData, match="gaps"):
        CodeLength.of(GSquare(frame))


def test_blocks_of_codes_are_those_of_the_table():
    frame = table(simulate.er_dag(6, 2, 5), 300, 5, 3)
    one, other = GSquare(frame).as_blocks(), DegenerateGaussian(frame)
    assert np.array_equal(one.covariance, other.covariance) and np.array_equal(one.begins, other.begins)
    assert one.labels == other.labels and one.verdict(0, 3, (1, 2)) == other.verdict(0, 3, (1, 2))


def test_either_takes_the_graph_with_the_shorter_code():
    taken = set()
    for seed in range(8):
        dag = simulate.er_dag(8, 3, seed)
        test = GSquare(table(dag, 400, seed, 3))
        score = CodeLength.of(test)
        found, by_tests = discover(test, mode="either"), discover(test, mode="exact")
        taken.add(found.score is None)
        if found.score is None:
            assert found.pag == by_tests.pag
            continue
        by_score = mag_to_pag(found.skeleton.sets.mag)
        lengths = [score.along(nearby_mag(pag.reordered(score.names))) for pag in (by_score, by_tests.pag)]
        assert lengths[0] <= lengths[1] and found.evaluations
    assert taken == {True, False}


def test_a_collider_of_the_score_counts_where_tests_of_the_blocks_agree():
    doubted = 0
    for seed in range(8):
        dag = simulate.er_dag(8, 3, seed)
        found = discover(GSquare(table(dag, 400, seed, 3)), mode="either")
        if found.score is None:
            continue
        by_score = mag_to_pag(found.skeleton.sets.mag).reordered(found.pag.names)
        mine, its = found.pag.to_matrix(), by_score.to_matrix()
        assert ((mine != 0) == (its != 0)).all() and ((mine == 2) <= (its != 0)).all()
        doubted += int(((mine == 1) & (its != 1)).sum())
        assert any("could be" in line for line in found.warnings) == bool((mine != its).any()) or (mine == its).all()
    assert doubted > 5


def test_the_default_on_categories_compares_both_and_says_so():
    dag = simulate.er_dag(8, 2, 3)
    frame = table(dag, 600, 3)
    found = DiCoLa().fit(frame).discovery_
    assert found.settings["mode"] == "either" and "shorter code" in found.settings["mode_chosen"]
    few = DiCoLa().fit(table(dag, 60, 3, 3)).discovery_
    assert few.settings["mode"] == "balanced" and few.settings["test"]["name"] == "DegenerateGaussian"
    assert DiCoLa.from_record(found.settings).fit(frame).pag_ == found.pag, "the record of a run makes it again"
    holes = frame.mask(np.random.default_rng(0).random(frame.shape) < 0.02)
    assert DiCoLa().fit(holes).discovery_.settings["mode"] == "balanced", "with gaps, blocks by maximum likelihood"
    with pytest.raises(NeedsData, match="does not count"):
        discover(FisherZ(simulate.linear_gaussian(dag, 100, 0)), mode="either")
