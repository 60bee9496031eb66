"""``dicola.compat.fci`` in the place of causal-learn's: same call, same kind of answer, and nothing passed over in silence."""

from __future__ import annotations

import inspect
import sys

import numpy as np
import pandas as pd
import pytest

from dicola import FCI, PAG, FisherZ, InvalidData, InvalidSetting, Knowledge, MissingExtra, compat, discover, simulate
from dicola.graphs.mag import MAG
from tests.graphs.formats.drawn import random_pags

theirs = pytest.importorskip("causallearn.search.ConstraintBased.FCI", reason="causal-learn is not installed")


def table(seed: int = 3, n: int = 9, rows: int = 1500) -> pd.DataFrame:
    dag = simulate.er_dag(n, 2.5, seed)
    return simulate.linear_gaussian(dag, rows, seed).drop(columns=list(simulate.hide(dag, 1, seed)))


def test_every_parameter_of_causal_learn_is_there_with_its_place_and_default():
    ours = inspect.signature(compat.fci).parameters
    for position, (name, parameter) in enumerate(inspect.signature(theirs.fci).parameters.items()):
        if parameter.kind is not inspect.Parameter.VAR_KEYWORD:
            assert list(ours)[position] == name and ours[name].default == parameter.default


def test_it_answers_with_a_general_graph_and_its_edges_and_prints_nothing(capsys):
    from causallearn.graph.Edge import Edge
    from causallearn.graph.GeneralGraph import GeneralGraph

    graph, edges = compat.fci(table().to_numpy(), "fisherz", 0.01)
    assert isinstance(graph, GeneralGraph) and all(isinstance(edge, Edge) for edge in edges)
    assert graph.get_node_names() == [f"X{i + 1}" for i in range(8)] and [node["id"] for node in graph.nodes] == list(range(8))
    assert sorted(map(str, edges)) == sorted(map(str, graph.get_graph_edges())) and edges
    assert capsys.readouterr() == ("", "")


def test_it_is_the_exact_fci_with_selection_or_dicola():
    data = table()
    exact = discover(FisherZ(data.to_numpy(), alpha=0.01), FCI(), decompose=False, selection=True)
    graph, _ = compat.fci(data.to_numpy(), alpha=0.01)
    assert PAG.from_causal_learn(graph) == exact.pag
    assert graph.attributes["discovery"] == exact
    split = discover(FisherZ(data.to_numpy(), alpha=0.01), FCI())
    assert PAG.from_causal_learn(compat.fci(data.to_numpy(), alpha=0.01, decompose=True)[0]) == split.pag


@pytest.mark.parametrize("seed", range(6))
def test_where_neither_errs_it_finds_what_causal_learn_finds(seed, capsys):
    dag = simulate.er_dag(6, 2, seed)
    data = simulate.linear_gaussian(dag, 20_000, seed).to_numpy()
    ours, _ = compat.fci(data, alpha=1e-4)
    if PAG.from_causal_learn(ours) == dag.true_pag():
        assert ours == theirs.fci(data, alpha=1e-4, show_progress=False)[0]


def test_names_come_from_node_names_or_from_the_table():
    data = table()
    assert compat.fci(data)[0].get_node_names() == list(data.columns)
    names = [f"V{i}" for i in range(8)]
    by_array, by_frame = (compat.fci(given, node_names=names)[0] for given in (data.to_numpy(), data))
    assert by_array == by_frame and by_array.get_node_names() == names


def test_the_whole_call_by_place_works_as_there():
    data, names = table(), [f"V{i}" for i in range(8)]
    graph, _ = compat.fci(data.to_numpy(), "fisherz", 0.01, -1, -1, False, None, False, names)
    assert graph == compat.fci(data.to_numpy(), alpha=0.01, node_names=names, show_progress=True)[0]


def test_limits_are_handed_on():
    data = table(n=12, seed=5).to_numpy()
    graph, _ = compat.fci(data, depth=0, max_path_length=4)
    settings = graph.attributes["discovery"].settings
    assert settings["learner"]["max_condition_size"] == 0 and settings["max_path_length"] == 5
    free = compat.fci(data)[0].attributes["discovery"].settings
    assert free["learner"]["max_condition_size"] is None and free["max_path_length"] is None


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"independence_test_method": "d_separation"}, "independence_test_method is 'd_separation'; here it may be 'fisherz'"),
        ({"background_knowledge": object()}, "background_knowledge must be causal-learn's BackgroundKnowledge"),
        ({"cache_path": "x.json"}, "cache_path is no setting"),
        ({"depth": -2}, "depth is -2"),
        ({"depth": 1.5}, r"depth is 1\.5"),
        ({"depth": True}, "depth is True"),
        ({"max_path_length": None}, "max_path_length is None"),
        ({"alpha": 2}, "alpha"),
    ],
)
def test_what_is_not_supported_is_refused(settings, sentence):
    with pytest.raises(InvalidSetting, match=sentence):
        compat.fci(table(), **settings)
    with pytest.raises(InvalidData):
        compat.fci(np.full((50, 3), np.nan))


def test_a_missing_causal_learn_is_told_before_the_search(monkeypatch):
    monkeypatch.setitem(sys.modules, "causallearn.graph.GeneralGraph", None)
    monkeypatch.setattr(compat, "discover", lambda *_, **__: pytest.fail("the search ran"))
    with pytest.raises(MissingExtra, match="pip install causal-learn"):
        compat.fci(table())


def test_a_wish_for_words_gets_a_warning():
    with pytest.warns(UserWarning, match="prints nothing"):
        compat.fci(table(), verbose=True)


def properties(pag: PAG) -> dict[str, set[str]]:
    graph = pag.to_causal_learn()
    return {str(edge): {note.name for note in edge.properties} for edge in compat._coloured(graph, pag)}


def test_directed_edges_are_noted_as_zhang_defines_them():
    # W --> U makes U --> V visible, as W is no neighbour of V; W --> V would hide it again.
    assert properties(PAG.from_text("W o-> U; U --> V"))["U --> V"] == {"dd", "nl"}
    assert properties(PAG.from_text("W o-> U; U --> V; W o-> V"))["U --> V"] == {"dd", "pl"}
    # A path of colliders, all parents of V, that ends at U.
    assert properties(PAG.from_text("W o-> T; T <-> U; T --> V; U --> V"))["U --> V"] == {"dd", "nl"}
    assert properties(PAG.from_text("U --> V; U o-> T; T --> V"))["U --> V"] == {"pd", "pl"}
    assert properties(PAG.from_text("U o-> V; V <-> W")) == {"U o-> V": set(), "V <-> W": set()}


def test_without_selection_notes_differ_from_causal_learns_only_where_it_takes_any_parent_for_a_proof(capsys):
    compared = 0
    for pag in random_pags()[:120:2]:
        graph = pag.to_causal_learn()
        ours = properties(pag)
        for edge in theirs.get_color_edges(graph):
            notes = {note.name for note in edge.properties}
            if notes and graph.get_parents(edge.get_node1()):
                assert "nl" in notes
            elif notes:
                compared += 1
                assert notes == ours[str(edge)]
    assert compared > 20


def visible_by_definition(pag: PAG, u: int, v: int) -> bool:
    """Walk every path of colliders into u, one vertex at a time."""
    marks = pag.marks

    def reaches(path: list[int]) -> bool:
        t = path[-1]
        for w in range(len(pag)):
            if w in path or w == v or marks[w, t] != 2:
                continue
            if not marks[w, v]:
                return True
            if marks[t, w] == 2 and marks[w, v] == 2 and marks[v, w] == 3 and reaches([*path, w]):
                return True
        return False

    return reaches([u])


def test_visibility_equals_the_definition_on_random_graphs():
    seen = set()
    for pag in random_pags():
        for edge in pag.edges():
            if pag.is_directed(edge.u, edge.v):
                found = pag.is_visible(edge.u, edge.v)
                seen.add(found)
                assert found == visible_by_definition(pag, pag.index(edge.u), pag.index(edge.v))
    assert seen == {True, False}


def test_a_visible_edge_has_no_hidden_common_cause_in_any_dag_behind_the_pag():
    for seed in range(60):
        dag = simulate.er_dag(7, 2.5, seed)
        hidden = simulate.hide(dag, min(2, sum(len(dag.children(name)) > 1 for name in dag.names)), seed)
        pag = dag.true_pag(hidden)
        mag: MAG = dag.true_mag(hidden)
        for edge in pag.edges():
            if pag.is_directed(edge.u, edge.v) and pag.is_visible(edge.u, edge.v):
                assert mag.marks[mag.index(edge.u), mag.index(edge.v)] == 2
                for name in hidden:
                    kids = set(dag.children(name))
                    assert not {edge.u, edge.v} <= kids


def counts(n: int = 800) -> np.ndarray:
    """A → B → C and D of its own, in numbers that are categories."""
    rng = np.random.default_rng(2)
    columns = [rng.integers(3, size=n)]
    for _ in range(2):
        columns.append(np.where(rng.random(n) < 0.6, columns[-1], rng.integers(3, size=n)))
    return np.column_stack([*columns, rng.integers(2, size=n)])


@pytest.mark.parametrize("method", ["gsq", "chisq"])
def test_categories_are_counted_as_there(method):
    ours, _ = compat.fci(counts(), method, 0.01)
    assert ours == theirs.fci(counts(), method, 0.01, show_progress=False)[0]


def test_gaps_are_left_out_test_by_test_as_there():
    data = simulate.linear_gaussian(simulate.er_dag(5, 2, seed=1), 1000, seed=1).to_numpy()
    data[np.random.default_rng(0).random(data.shape) < 0.1] = np.nan
    ours, _ = compat.fci(data, "mv_fisherz", 0.01)
    assert ours == theirs.fci(data, "mv_fisherz", 0.01, show_progress=False)[0]


@pytest.mark.parametrize("method", ["kci", "rcit"])
def test_tests_by_kernels_see_curves(method):
    rng = np.random.default_rng(0)
    a, noise, alone = rng.normal(size=(3, 250))
    graph, edges = compat.fci(np.column_stack([a, a**2 + 0.5 * noise, alone]), method, 0.01)
    assert [(edge.get_node1().get_name(), edge.get_node2().get_name()) for edge in edges] == [("X1", "X2")]
    assert graph.attributes["discovery"].settings["test"]["name"] == method.upper()


def test_background_knowledge_of_causal_learn_puts_marks():
    from causallearn.graph.GraphNode import GraphNode
    from causallearn.utils.PCUtils.BackgroundKnowledge import BackgroundKnowledge

    x1, x2, x3 = (GraphNode(f"X{i}") for i in (1, 2, 3))
    known = BackgroundKnowledge().add_required_by_node(x1, x2).add_forbidden_by_pattern("X3", "X2")
    pag = PAG.from_causal_learn(compat.fci(counts(), "gsq", 0.01, background_knowledge=known)[0])
    assert pag.is_directed("X1", "X2")
    tiers = BackgroundKnowledge().add_node_to_tier(x1, 0).add_node_to_tier(x2, 1).add_node_to_tier(x3, 1)
    found = compat.fci(counts(), "gsq", 0.01, background_knowledge=tiers)[0].attributes["discovery"]
    assert found.settings["knowledge"]["tiers"] == (("X1",), ("X2", "X3")) and not found.settings["selection"]


def test_our_own_knowledge_is_background_knowledge_too():
    known = Knowledge(exogenous=["X1"], required_adjacent=[("X2", "X3")])
    graph, _ = compat.fci(counts(), "gsq", 0.01, background_knowledge=known)
    found = graph.attributes["discovery"]
    assert found.pag.is_directed("X1", "X2") and "X3" in found.pag.neighbours("X2")
    assert len(found.statements) == 2 and found.statements[0].status == "obeyed"
