import csv
import json
import os
from pathlib import Path

import pytest

from dicola.errors import InvalidSetting
from dicola.simulate import hide, network, network_names

DATA = Path(os.environ.get("DICOLA_DATA", Path(__file__).parents[3] / "shared" / "data")) / "networks"

# Nodes and arcs as published by the bnlearn Bayesian Network Repository.
PUBLISHED = {
    "asia": (8, 8),
    "sachs": (11, 17),
    "child": (20, 25),
    "insurance": (27, 52),
    "water": (32, 66),
    "mildew": (35, 46),
    "alarm": (37, 46),
    "barley": (48, 84),
    "hailfinder": (56, 66),
    "hepar2": (70, 123),
    "win95pts": (76, 112),
    "pathfinder": (109, 195),
    "andes": (223, 338),
    "diabetes": (413, 602),
    "link": (724, 1125),
    "munin": (1041, 1397),
}


def test_network_names_are_the_published_ones_smallest_first():
    assert network_names() == tuple(PUBLISHED)


@pytest.mark.parametrize("name", PUBLISHED)
def test_network_has_the_published_number_of_nodes_and_arcs(name):
    dag = network(name)
    assert (len(dag), dag.n_edges) == PUBLISHED[name]


@pytest.mark.parametrize("name", PUBLISHED)
def test_network_equals_the_reference_edge_list_and_keeps_its_node_order(name):
    if not DATA.is_dir():
        pytest.skip("the reference data are not here; set DICOLA_DATA to their folder")
    dag = network(name)
    index = json.loads((DATA / "index.json").read_text(encoding="utf-8"))[name]
    with (DATA / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        arcs = {(row["parent"], row["child"]) for row in csv.DictReader(file)}
    assert dag.names == tuple(index["nodes"])
    assert set(dag.arcs()) == arcs
    assert {name for name in dag.names if not dag.parents(name) and not dag.children(name)} == set(index["isolated"])


def test_asia_is_the_chest_clinic_of_lauritzen_and_spiegelhalter():
    assert set(network("asia").arcs()) == {
        ("asia", "tub"),
        ("smoke", "lung"),
        ("smoke", "bronc"),
        ("tub", "either"),
        ("lung", "either"),
        ("either", "xray"),
        ("either", "dysp"),
        ("bronc", "dysp"),
    }


def test_network_names_are_read_in_capitals_too():
    assert network("Mildew") == network("mildew")


def test_unknown_network_is_refused_with_the_known_ones():
    with pytest.raises(InvalidSetting, match=r"'mildue' is not a known network. Known: asia, .*mildew.*, munin"):
        network("mildue")


def test_three_parentless_variables_of_mildew_can_be_hidden():
    dag = network("mildew")
    latents = hide(dag, 3, seed=1, pool="root")
    assert len(latents) == 3
    assert all(not dag.parents(name) and len(dag.children(name)) >= 2 for name in latents)
