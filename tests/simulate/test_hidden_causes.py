import pytest

from dicola.errors import InvalidSetting
from dicola.graphs.dag import DAG
from dicola.simulate import confounded, er_dag, factor_dag, linear_gaussian


def test_added_causes_have_as_many_children_as_asked_and_leave_the_graph_as_it_was():
    dag = er_dag(20, 2, seed=1)
    larger, hidden = confounded(dag, 3, children=6, seed=1)
    assert hidden == ("H1", "H2", "H3") and larger.names == (*dag.names, *hidden)
    assert all(len(larger.children(latent)) == 6 and not larger.parents(latent) for latent in hidden)
    assert set(larger.arcs()) >= set(dag.arcs()) and larger.n_edges == dag.n_edges + 18
    assert len({larger.children(latent) for latent in hidden}) == 3


def test_the_same_seed_adds_the_same_causes():
    dag = er_dag(20, 2, seed=1)
    assert confounded(dag, 2, 5, seed=4) == confounded(dag, 2, 5, seed=4) != confounded(dag, 2, 5, seed=5)


def test_causes_that_cannot_be_added_are_named():
    with pytest.raises(InvalidSetting, match="children=3 is too many: the graph has 2 vertices"):
        confounded(DAG.from_edges([("A", "B")]), 1, children=3, seed=1)
    with pytest.raises(InvalidSetting, match="vertex named 'H1' already"):
        confounded(DAG.from_edges([("H1", "B")]), 1, children=1, seed=1)


def test_items_of_a_factor_are_adjacent_and_no_others():
    dag, factors = factor_dag(3, items=4)
    pag = dag.true_pag(factors)
    assert len(pag) == 12 and pag.n_edges == 3 * 6
    place = {name: int(name[1:]) - 1 for name in pag.names}
    assert all(place[a] // 4 == place[b] // 4 for a, b in ((edge.u, edge.v) for edge in pag.edges()))


def test_items_of_a_factor_are_correlated_as_the_docstring_says():
    dag, factors = factor_dag(2, items=3)
    sizes = linear_gaussian(dag, 50_000, seed=1, coefficients=(2.0, 2.0)).drop(columns=list(factors)).corr().abs()
    assert sizes.loc["X1", "X2"] == pytest.approx(0.8, abs=0.01)
    assert sizes.loc["X1", "X4"] < 0.02
