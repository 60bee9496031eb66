"""Graphs of causal-learn, NetworkX and pywhy-graphs: there and back, and all three agree mark for mark."""

from __future__ import annotations

import sys

import networkx as nx
import numpy as np
import pytest

from dicola import DAG, PAG, InvalidGraph, MissingExtra
from dicola.graphs.formats.causal_learn import from_matrix_csv
from tests.graphs.formats.drawn import AWKWARD, joined, random_pags

PAGS = (*random_pags(), joined(AWKWARD, seed=3, share=0.2))


def test_there_are_200_random_pags_with_every_kind_of_edge():
    assert len(random_pags()) == 200
    kinds = {edge.arrow for pag in random_pags() for edge in pag.edges()}
    assert kinds == {"o->", "o-o", "-->", "<->", "---", "--o"}


class TestCausalLearn:
    @pytest.fixture(autouse=True)
    def causal_learn(self):
        return pytest.importorskip("causallearn", reason="causal-learn is not installed")

    def test_there_and_back(self):
        for pag in PAGS:
            graph = pag.to_causal_learn()
            assert PAG.from_causal_learn(graph) == pag
            assert PAG.from_causal_learn(graph.graph, names=pag.names) == pag

    def test_its_own_questions_are_answered_as_ours(self):
        for pag in random_pags()[::7]:
            graph = pag.to_causal_learn()
            node = {name: graph.get_node(name) for name in pag.names}
            names = {"o": "CIRCLE", ">": "ARROW", "-": "TAIL"}
            for edge in pag.edges():
                theirs = graph.get_edge(node[edge.u], node[edge.v])
                assert str(theirs.get_proximal_endpoint(node[edge.u])) == names[str(edge.mark_u)]
                assert str(theirs.get_proximal_endpoint(node[edge.v])) == names[str(edge.mark_v)]
            assert graph.get_num_edges() == pag.n_edges and graph.is_pag()

    def test_ancestors_are_known_to_the_graph_that_was_made(self):
        graph = DAG.from_edges([("A", "B"), ("B", "C"), ("C", "D")]).to_causal_learn()
        a, d = graph.get_node("A"), graph.get_node("D")
        assert graph.is_ancestor_of(a, d) and not graph.is_ancestor_of(d, a)

    def test_the_matrix_has_the_mark_at_the_row(self):
        assert PAG.from_text("A --> B; B o-> C").to_causal_learn().graph.tolist() == [[0, -1, 0], [1, 0, 2], [0, 1, 0]]
        assert from_matrix_csv("causal-learn,A,B\nA,0,-1\nB,1,0\n") == PAG.from_text("A --> B")

    def test_a_graph_built_by_causal_learn_itself_is_taken(self):
        from causallearn.graph.Edge import Edge
        from causallearn.graph.Endpoint import Endpoint
        from causallearn.graph.GeneralGraph import GeneralGraph
        from causallearn.graph.GraphNode import GraphNode

        a, b, c = (GraphNode(name) for name in "ABC")
        graph = GeneralGraph([a, b, c])
        graph.add_edge(Edge(a, b, Endpoint.CIRCLE, Endpoint.ARROW))
        graph.add_directed_edge(b, c)
        assert PAG.from_causal_learn(graph) == PAG.from_text("A o-> B; B --> C")
        graph.add_edge(Edge(b, c, Endpoint.ARROW, Endpoint.ARROW))
        with pytest.raises(InvalidGraph, match=r"the code [45] is no mark of a PAG"):
            PAG.from_causal_learn(graph)

    def test_other_things_are_refused(self):
        for thing in ("text", object(), np.zeros(3), [[0, 1]]):
            with pytest.raises(InvalidGraph):
                PAG.from_causal_learn(thing)


class TestNetworkX:
    def test_there_and_back_and_the_same_marks_as_causal_learn(self):
        pytest.importorskip("causallearn", reason="causal-learn is not installed")
        for pag in PAGS:
            graph = pag.to_networkx()
            assert PAG.from_networkx(graph) == pag
            codes = pag.to_causal_learn().graph
            position = {name: i for i, name in enumerate(graph.nodes)}
            for u, v, data in graph.edges(data=True):
                for here, there in ((u, v), (v, u)):
                    assert codes[position[here], position[there]] == {"-": -1, ">": 1, "o": 2}[data["marks"][here]]
            assert np.count_nonzero(codes) == 2 * graph.number_of_edges()

    def test_marks_do_not_hang_on_the_order_of_the_ends(self):
        graph = nx.Graph()
        graph.add_nodes_from("BA")
        graph.add_edge("A", "B", marks={"B": ">", "A": "o"})
        assert PAG.from_networkx(graph) == PAG.from_text("A o-> B")

    def test_a_plain_directed_graph_is_one_of_arcs_and_its_names_become_text(self):
        assert DAG.from_networkx(nx.DiGraph([(1, 2), (2, 3)])) == DAG.from_edges([(1, 2), (2, 3)])
        with pytest.raises(InvalidGraph, match="given twice with different marks"):
            PAG.from_networkx(nx.DiGraph([(1, 2), (2, 1)]))

    def test_cytoscape_json_goes_through_networkx(self):
        import json

        from dicola.graphs.formats.cytoscape import from_cytoscape, to_cytoscape

        for pag in PAGS[::5]:
            assert PAG.from_networkx(nx.cytoscape_graph(json.loads(to_cytoscape(pag)))) == pag
        plain = json.dumps(nx.cytoscape_data(nx.DiGraph([("A", "B")])))
        assert from_cytoscape(plain) == PAG.from_text("A --> B")

    def test_other_things_are_refused(self):
        with pytest.raises(InvalidGraph, match="carries no marks"):
            PAG.from_networkx(nx.Graph([("A", "B")]))
        with pytest.raises(InvalidGraph, match="not a graph of NetworkX"):
            PAG.from_networkx([("A", "B")])
        with pytest.raises(InvalidGraph, match="'x' is not a mark"):
            graph = nx.Graph()
            graph.add_edge("A", "B", marks={"A": "x", "B": ">"})
            PAG.from_networkx(graph)


class TestPywhy:
    @pytest.fixture(autouse=True)
    def pywhy_graphs(self):
        return pytest.importorskip("pywhy_graphs", reason="pywhy-graphs is not installed")

    def test_there_and_back_and_the_same_marks_as_causal_learn(self):
        from pywhy_graphs.export.causallearn import graph_to_clearn

        for pag in PAGS:
            graph = pag.to_pywhy()
            assert PAG.from_pywhy(graph) == pag
            if pag.n_edges:
                codes, nodes = graph_to_clearn(graph)
                assert PAG.from_causal_learn(codes, nodes) == pag

    def test_other_kinds_of_its_graphs_are_taken(self, pywhy_graphs):
        admg = pywhy_graphs.ADMG(incoming_directed_edges=[("A", "B")], incoming_bidirected_edges=[("B", "C")])
        assert PAG.from_pywhy(admg) == PAG.from_text("A --> B; B <-> C")
        admg.add_edge("A", "B", "bidirected")
        with pytest.raises(InvalidGraph, match="two edges between 'A' and 'B'"):
            PAG.from_pywhy(admg)
        with pytest.raises(InvalidGraph, match="not a graph of pywhy-graphs"):
            PAG.from_pywhy(nx.Graph())


@pytest.mark.parametrize(
    ("method", "module", "package"),
    [
        ("to_networkx", "networkx", "networkx"),
        ("to_causal_learn", "causallearn.graph.GraphNode", "causal-learn"),
        ("to_pywhy", "pywhy_graphs", "pywhy-graphs"),
    ],
)
def test_a_missing_package_is_named_with_the_command_that_installs_it(method, module, package, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match=rf"needs {package} .*pip install {package}$"):
        getattr(PAG.from_text("A o-> B"), method)()
