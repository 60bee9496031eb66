import numpy as np
import pytest

from dicola.errors import InvalidSetting
from dicola.graphs.dag import DAG
from dicola.simulate import er_dag, linear_gaussian


def regression(frame, child, parents):
    """Least-squares coefficients and the standard deviation of what they leave."""
    design = frame[list(parents)].to_numpy()
    weights, *_ = np.linalg.lstsq(design, frame[child].to_numpy(), rcond=None)
    return weights, float(np.std(frame[child].to_numpy() - design @ weights))


def test_columns_are_all_vertices_in_the_order_of_names():
    dag = DAG.from_edges([("Z", "A"), ("Z", "M")], nodes=["M", "Z", "A", "lonely"])
    frame = linear_gaussian(dag, 7, seed=1)
    assert list(frame.columns) == ["M", "Z", "A", "lonely"]
    assert frame.shape == (7, 4)
    assert (frame.dtypes == np.float64).all()


def test_coefficients_are_between_a_half_and_one_in_size_with_both_signs_and_noise_is_standard():
    dag = er_dag(15, 3, seed=4)
    frame = linear_gaussian(dag, 20_000, seed=4)
    signs = set()
    for child in dag.names:
        weights, left = regression(frame, child, dag.parents(child))
        assert left == pytest.approx(1, abs=0.03)
        assert all(0.46 < abs(weight) < 1.04 for weight in weights)
        signs |= set(np.sign(weights))
    assert signs == {-1.0, 1.0}


def test_a_vertex_is_independent_of_what_is_not_below_it_given_its_parents():
    dag = DAG.from_edges([("A", "B"), ("B", "C")])
    frame = linear_gaussian(dag, 20_000, seed=2)
    weights, _ = regression(frame, "C", ["A", "B"])
    assert abs(weights[0]) < 0.03


def test_coefficients_and_noise_can_be_set():
    frame = linear_gaussian(DAG.from_edges([("A", "B")]), 20_000, seed=1, coefficients=(3.0, 3.0), noise=0.5)
    weights, left = regression(frame, "B", ["A"])
    assert abs(weights[0]) == pytest.approx(3, abs=0.03)
    assert left == pytest.approx(0.5, abs=0.01)
    assert frame["A"].std() == pytest.approx(0.5, abs=0.01)


def test_same_dag_with_arcs_given_in_another_order_gives_the_same_data():
    arcs = er_dag(12, 3, seed=3).arcs()
    nodes = [f"X{i + 1}" for i in range(12)]
    first = linear_gaussian(DAG.from_edges(arcs, nodes), 50, seed=8)
    second = linear_gaussian(DAG.from_edges(arcs[::-1], nodes), 50, seed=8)
    assert first.equals(second)


def test_same_seed_gives_the_same_data_and_another_seed_other_data():
    dag = er_dag(6, 2, seed=1)
    assert linear_gaussian(dag, 20, seed=1).equals(linear_gaussian(dag, 20, seed=1))
    assert not linear_gaussian(dag, 20, seed=1).equals(linear_gaussian(dag, 20, seed=2))
    assert linear_gaussian(dag, 20, np.random.default_rng(1)).equals(linear_gaussian(dag, 20, np.random.default_rng(1)))


def test_one_variable_is_one_contiguous_column():
    values = linear_gaussian(er_dag(6, 2, seed=1), 20, seed=1).to_numpy()
    assert values.flags.f_contiguous


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_samples": 0}, "n_samples must be at least 1"),
        ({"coefficients": (1.0, 0.5)}, "0 <= low <= high"),
        ({"coefficients": (-1.0, 0.5)}, "0 <= low <= high"),
        ({"noise": 0.0}, "above 0"),
        ({"noise": float("nan")}, "above 0"),
    ],
)
def test_settings_are_checked(settings, message):
    with pytest.raises(InvalidSetting, match=message):
        linear_gaussian(DAG.from_edges([("A", "B")]), **{"n_samples": 5, "seed": 1, **settings})
