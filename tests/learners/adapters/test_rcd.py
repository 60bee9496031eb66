"""rcd's L-MARVEL under dicola: same PAGs as the native one, every question counted, nothing printed."""

from __future__ import annotations

import pytest

from dicola import LMarvel, Oracle, discover, simulate
from dicola.learners.adapters.rcd import RcdLMarvel
from tests.exactness.run import wrong_sets
from tests.learners.adapters.models import Counting, bidirected_mags, hidden_dags

pytest.importorskip("rcd", reason="rcd is not installed")


@pytest.mark.parametrize("decompose", [False, True])
@pytest.mark.parametrize("models", [hidden_dags, bidirected_mags])
def test_with_perfect_answers_it_finds_the_pag_of_the_native_l_marvel(models, decompose):
    for oracle, truth in models(60):
        found = discover(oracle, RcdLMarvel(), decompose=decompose)
        assert found.pag == truth == discover(oracle, LMarvel(), decompose=decompose).pag
        assert wrong_sets(found, oracle) == []
        assert found.warnings == ()


def test_every_verdict_is_counted():
    for oracle, _ in hidden_dags(20):
        test = Counting(oracle)
        found = discover(test, RcdLMarvel(), decompose=False)
        assert found.tests["total"] == test.calls
        assert found.tests["blankets"] == len(oracle) * (len(oracle) - 1) // 2


def test_on_a_leaf_it_takes_the_blankets_of_the_decomposition():
    oracle, _ = next(hidden_dags(1))
    assert discover(oracle, RcdLMarvel(), max_depth=0).tests["blankets"] == len(oracle) * (len(oracle) - 1) // 2


def test_it_prints_nothing_and_two_workers_find_what_one_finds(capsys):
    dag = simulate.er_dag(14, 2.5, seed=3)
    oracle = Oracle(dag, simulate.hide(dag, 2, seed=3))
    one = discover(oracle, RcdLMarvel())
    assert one.tree.n_leaves > 1
    assert one == discover(oracle, RcdLMarvel(), n_jobs=2)
    assert capsys.readouterr() == ("", "")


def test_a_single_variable_has_no_edges():
    assert RcdLMarvel().learn_skeleton(next(hidden_dags(1))[0], [2]).edges == frozenset()
