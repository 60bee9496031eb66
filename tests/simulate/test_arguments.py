import numpy as np
import pytest

from dicola.errors import InvalidSetting
from dicola.simulate import er_dag, linear_gaussian, network
from dicola.simulate.arguments import generator, whole_number


def test_one_seed_gives_every_purpose_a_stream_of_its_own():
    graph, data = generator(1, "er_dag"), generator(1, "linear_gaussian")
    assert abs(np.corrcoef(graph.random(1000), data.random(1000))[0, 1]) < 0.1


def test_same_seed_and_purpose_give_the_same_stream():
    assert np.array_equal(generator(1, "hide").random(5), generator(np.int64(1), "hide").random(5))


def test_a_generator_is_used_as_it_is():
    rng = np.random.default_rng(1)
    assert generator(rng, "hide") is rng


def test_whole_number_takes_integers_of_any_library_and_refuses_fractions():
    assert whole_number("n", np.int32(4), least=1) == 4
    with pytest.raises(InvalidSetting, match=r"n must be a whole number of at least 1; got 4\.5"):
        whole_number("n", 4.5, least=1)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: er_dag(10, "3", 1), "degree must be a number"),
        (lambda: er_dag(10, None, 1), "degree must be a number"),
        (lambda: network(5), "5 is not a known network"),
        (lambda: linear_gaussian(network("asia"), 10, 1, coefficients=3), "two sizes"),
        (lambda: linear_gaussian(network("asia"), 10, 1, coefficients=(1, 2, 3)), "two sizes"),
        (lambda: linear_gaussian(network("asia"), 10, 1, coefficients=("a", "b")), "two sizes"),
        (lambda: linear_gaussian(network("asia"), 10, 1, noise="loud"), "standard deviation above 0"),
        (lambda: linear_gaussian([("A", "B")], 10, 1), "from a DAG, not a list"),
    ],
)
def test_arguments_of_the_wrong_kind_get_a_sentence(call, words):
    with pytest.raises(InvalidSetting, match=words):
        call()
