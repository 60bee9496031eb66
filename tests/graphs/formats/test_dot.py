"""DOT as Graphviz and other tools write it."""

from __future__ import annotations

import pytest

from dicola import PAG, InvalidGraph
from dicola.graphs.formats.dot import from_dot, to_dot
from tests.graphs.formats.drawn import AWKWARD, joined, random_pags


def test_both_ends_of_every_edge_are_drawn():
    assert to_dot(PAG.from_text("A o-> B; B --- C")) == (
        'digraph {\n  "A";\n  "B";\n  "C";\n'
        '  "A" -> "B" [dir=both, arrowtail=odot, arrowhead=normal];\n  "B" -> "C" [dir=both, arrowtail=none, arrowhead=none];\n}\n'
    )


def test_edges_mean_what_is_drawn():
    text = """
    // a comment
# another
    strict digraph "my graph" {
        graph [rankdir=LR]; node [shape=box, label="\\N"]
        size = "3,3"
        a -> b -> c /* plain */
        c -> d [dir=back]; d -> e [dir=none] e -> f [dir=both]
        subgraph cluster_1 { edge [dir=both, arrowtail=odot]; f -> g; g -> {h i} [arrowhead = "odot"] }
        i:port:n -> j [arrowhead=vee, color=red][weight=2]
        "k" + "l"; m [label=<<b>M</b>>, pos="1,2"]
    }
    """
    expected = "a --> b; b --> c; d --> c; d --- e; e <-> f; f o-> g; g o-o h; g o-o i; i --> j"
    assert from_dot(text) == PAG.from_text(expected, nodes=[*"abcdefghij", "kl", "m"])
    assert from_dot("graph { a -- b }") == PAG.from_text("a --- b")


def test_what_tetrad_writes_is_read():
    text = 'digraph g {\n "X1" -> "X2" [arrowtail=none, arrowhead=normal]; \n "X2" -> "X3" [dir=both, arrowtail=odot, arrowhead=odot]; \n}'
    assert from_dot(text) == PAG.from_text("X1 --> X2; X2 o-o X3")


def test_what_causal_learn_draws_is_read():
    utils = pytest.importorskip("causallearn.utils.GraphUtils", reason="causal-learn is not installed")
    for pag in random_pags()[::10]:
        if len(pag):
            assert from_dot(utils.GraphUtils.to_pydot(pag.to_causal_learn()).to_string()) == pag


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_pydot_reads_our_names_and_ends():
    pydot = pytest.importorskip("pydot", reason="pydot is not installed")
    names = [name for name in AWKWARD if "\x00" not in name]
    (graph,) = pydot.graph_from_dot_data(to_dot(joined(names, share=0.2)))
    assert len(graph.get_nodes()) == len(names)
    assert from_dot(graph.to_string()) == joined(names, share=0.2)


def test_labels_are_names_where_all_nodes_have_one():
    assert from_dot('digraph { 0 [label="A&lt;1&gt;\\nB"]; 1 [label=B]; 0 -> 1 }').names == ("A<1>\nB", "B")
    assert from_dot("digraph { 0 [label=1]; 1 [label=0]; 0 -> 1 }") == PAG.from_text("1 --> 0")
    assert from_dot("digraph { 0 [label=A]; 1; 0 -> 1 }").names == ("0", "1")
    huge = "&#" + "9" * 5000 + ";"
    assert from_dot(f'digraph {{ "&#x41;&eacute;&nonsense;&#1114112;{huge}" }}').names == (f"Aé&nonsense;&#1114112;{huge}",)
    assert from_dot("digraph { 0 [label=A]; 1 [label=A]; 0 -> 1 }").names == ("0", "1")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("digraph { a -> b [arrowhead=tee] }", "the shape 'tee', which is no mark"),
        ("digraph { a -> b [dir=up] }", "dir='up' is no direction"),
        ("digraph { a -- b }", "a digraph has no '--' edges"),
        ("graph { a -> b }", "a graph has no '->' edges"),
        ("digraph { a -> b; b -> a }", "given twice with different marks"),
        ("digraph { a -> a }", "an edge to itself"),
        ("digraph { a -> b", "ends too early; '}' is missing"),
        ("digraph { a -> b } }", "has '}' where it may not stand"),
        ('digraph { "a }', "has '\"' where nothing like it may stand"),
        ("digraph { a [label=<b }", "never closed"),
        ("tree { a }", "begins with digraph or graph"),
    ],
)
def test_what_is_no_graph_is_refused_with_the_reason(text, sentence):
    with pytest.raises(InvalidGraph, match=sentence.replace("(", r"\(").replace("|", r"\|")):
        from_dot(text)
