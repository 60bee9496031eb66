"""BOSS-FCI and GFCI: the DAG's adjacencies, fewer after the tests; GFCI's rule for colliders out of the parents of the later variable."""

from __future__ import annotations

import numpy as np
import pytest

from dicola import DAG, GFCI, BossFCI, Discovery, FisherZ, InvalidSetting, Ledger, NeedsData, Oracle, discover, simulate
from dicola.score.equivalence_search import equivalence_search
from dicola.score.gaussian_bic import GaussianBIC
from dicola.score.order_search import best_of


def gaussian(seed: int, n: int = 14, hidden: int = 2, rows: int = 800) -> FisherZ:
    dag = simulate.er_dag(n, 3, seed)
    return FisherZ(simulate.linear_gaussian(dag, rows, seed).drop(columns=list(simulate.hide(dag, hidden, seed))), alpha=0.01)


@pytest.mark.parametrize("seed", range(6))
def test_edges_lie_in_the_best_dag_and_the_others_have_sets(seed):
    ci = gaussian(seed)
    ledger = Ledger(ci)
    skeleton = BossFCI().learn_skeleton(ledger)
    best = best_of(GaussianBIC.of(ci), 3, 0)
    joined = {tuple(sorted(pair)) for pair in np.argwhere(best.parents).tolist()}
    assert skeleton.edges <= joined
    assert ledger.evaluations == {"parent searches": best.work}
    for x in range(len(ci)):
        for y in range(x + 1, len(ci)):
            assert ((x, y) in skeleton.edges) != (skeleton.sets.get(x, y) is not None)


@pytest.mark.parametrize("seed", range(6))
def test_a_triple_of_the_dag_is_a_collider_iff_it_is_one_there(seed):
    ci = gaussian(seed)
    skeleton = BossFCI().learn_skeleton(ci)
    parents = best_of(GaussianBIC.of(ci), 3, 0).parents
    adjacent = parents | parents.T
    for b in range(len(ci)):
        for a in np.flatnonzero(adjacent[b]).tolist():
            for c in np.flatnonzero(adjacent[b]).tolist():
                if a < c and not adjacent[a, c]:
                    assert (b not in skeleton.sets[a, c]) == (parents[b, a] and parents[b, c])


@pytest.mark.parametrize("learner", ["boss-fci", "gfci"])
def test_a_hidden_common_cause_is_found_where_the_dag_has_none(learner):
    dag = DAG.from_edges([("A", "B"), ("D", "C"), ("L", "B"), ("L", "C")])
    frame = simulate.linear_gaussian(dag, 5000, seed=1).drop(columns=["L"])
    assert discover(FisherZ(frame), learner, decompose=False).pag == dag.true_pag(["L"])
    assert discover(FisherZ(frame), learner).pag == dag.true_pag(["L"])


def test_only_edges_in_triangles_of_the_dag_are_put_to_the_test():
    for seed in range(6):
        ci = gaussian(seed)
        parents = best_of(GaussianBIC.of(ci), 3, 0).parents
        joined = (parents | parents.T).astype(int)
        kept = BossFCI().learn_skeleton(ci).edges
        for x, y in np.argwhere(np.triu(joined)).tolist():
            assert (x, y) in kept or (joined @ joined)[x, y] > 0


def test_a_limit_is_told():
    found = discover(gaussian(2), BossFCI(max_condition_size=0), decompose=False)
    assert any("max_condition_size" in warning for warning in found.warnings)
    assert found.settings["learner"] == {
        "name": "boss-fci",
        "max_condition_size": 0,
        "penalty": 2.0,
        "n_starts": 3,
    }


@pytest.mark.parametrize("learner", ["boss-fci", "gfci"])
def test_an_oracle_has_no_data_to_score(learner):
    with pytest.raises(NeedsData, match="correlations"):
        discover(Oracle(DAG.from_edges([("A", "B")])), learner)


@pytest.mark.parametrize("bad", [0, -1, True, 1.5])
def test_starts_are_counted_from_one(bad):
    with pytest.raises(InvalidSetting, match="n_starts"):
        BossFCI(n_starts=bad)


@pytest.mark.parametrize("learner", ["boss-fci", "gfci"])
def test_selection_is_refused(learner):
    with pytest.raises(InvalidSetting, match="assumes that nothing was selected"):
        discover(gaussian(1), learner, decompose=False, selection=True)


@pytest.mark.parametrize("seed", range(3))
def test_gfci_keeps_to_the_dag_of_the_equivalence_search(seed):
    ci = gaussian(seed)
    ledger = Ledger(ci)
    skeleton = GFCI().learn_skeleton(ledger)
    found = equivalence_search(GaussianBIC.of(ci))
    assert skeleton.edges <= {tuple(sorted(pair)) for pair in np.argwhere(found.parents).tolist()}
    assert ledger.evaluations == {"local scores": found.work}


@pytest.mark.parametrize("learner", ["boss-fci", "gfci"])
@pytest.mark.parametrize("decompose", [False, True])
def test_a_hybrid_can_be_written_and_does_not_hang_on_the_order_of_columns(learner, decompose, tmp_path):
    dag = simulate.er_dag(12, 3, 5)
    frame = simulate.linear_gaussian(dag, 500, 5).drop(columns=list(simulate.hide(dag, 2, 5)))
    turned = frame[list(np.random.default_rng(0).permutation(list(frame)))]
    one, other = (discover(FisherZ(each), learner, decompose=decompose) for each in (frame, turned))
    assert one.pag == other.pag and one.evaluations == other.evaluations
    assert Discovery.read(one.write(tmp_path)) == one
