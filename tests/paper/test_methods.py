import pytest

from dicola import metrics
from dicola.errors import InvalidSetting
from dicola_experiments.methods import GROUPS, METHODS, PEERS, around, base_of, expanded, is_installed
from dicola_experiments.plan import Setting

IN_JAVA = {name for name in METHODS if name.startswith("tetrad ")}  # test_tetrad.py runs these in a process of their own
PROBLEM = Setting("ER(12,2)", 1, "any", 500).draw(3)


@pytest.mark.parametrize("method", sorted(set(METHODS) - IN_JAVA))
def test_every_method_answers_with_a_graph_counts_and_seconds(method):
    if not is_installed(method):
        pytest.skip(f"{', '.join(PEERS[method].missing)} not installed")
    answer = METHODS[method](PROBLEM.table())
    assert answer.seconds > 0 and answer.tests.get("total", 0) >= 0
    assert bool(answer.tests) != method.startswith("tetrad-port"), "which does not count"
    assert set(answer.graph.names) == set(PROBLEM.table().columns)
    scores = metrics.skeleton_scores(answer.graph, PROBLEM.dag.true_pag(PROBLEM.latents))
    assert scores.f1 > 0.6, "on so easy a problem every method finds most edges"
    assert answer.marked == (method != "rcd l-marvel")


def test_methods_within_dicola_split_and_those_started_from_the_graph_do_not():
    table = PROBLEM.table()
    assert METHODS["dicola+fci/paper"](table).shape["leaves"] > 1
    assert METHODS["uig+fci"](table).shape == {"leaves": 1, "largest_leaf": 11, "depth": 0}


def test_the_default_says_which_mode_it_took():
    assert METHODS["default"](PROBLEM.table()).shape["mode"] == "balanced"


def test_around_one_variable():
    table = PROBLEM.table()
    target = str(table.columns[0])
    assert target in around(table, target).graph.names


def test_groups():
    assert len(GROUPS["native"]) == 6 + 15 + 5
    assert {base_of(name) for name in GROUPS["dicola"]} == {"fci", "rfci", "fci+", "icd", "l-marvel"}
    assert expanded(["uig", "fci", "uig+fci"]) == (*GROUPS["uig"], "fci")
    with pytest.raises(InvalidSetting, match="'fic' is not a method"):
        expanded(["fic"])
