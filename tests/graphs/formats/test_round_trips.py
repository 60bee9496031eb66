"""Every format gives back the graph it was given, name for name and mark for mark, or says which name it cannot hold."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from dicola import DAG, InvalidGraph
from dicola.graphs.formats.registry import FORMATS
from tests.graphs.formats.drawn import AWKWARD, graphs, joined, random_pags

PAG_FORMATS = [entry for name, entry in FORMATS.items() if name != "arcs"]
CANNOT_HOLD = {
    "json": set(),
    "pcalg": set(),
    "edges": set(),
    "causal-learn": set(),
    "cytoscape": set(),
    "tetrad-json": set(),
    "graphml": {"\x00", "\x01"},
    "gexf": {"\x00", "\x01"},
    "dot": {"\x00"},
    "dagitty": {"\x00", "\x01", "\x7f", "two\nlines", "carriage\rreturn", "tab\there", "ends in \\", "graph", "node"},
    "tetrad": {
        *("\x00", "\x01", "two\nlines", "carriage\rreturn", "tab\there", " blanks around ", "ends in \\", "a -> b", "A o-> B"),
        *("a;b", "a,b", "&amp;", "(latent)"),
    },
}


@pytest.mark.parametrize("form", PAG_FORMATS, ids=lambda entry: entry.name)
def test_all_random_pags_come_back_in_the_same_order(form):
    for pag in random_pags():
        back = form.read(form.write(pag))
        assert back == pag
        assert form.name == "edges" or back.names == pag.names


@pytest.mark.parametrize("form", PAG_FORMATS, ids=lambda entry: entry.name)
@settings(max_examples=200, deadline=None)
@given(pag=graphs())
def test_any_names_come_back_or_are_refused_by_name(form, pag):
    try:
        text = form.write(pag)
    except InvalidGraph as refusal:
        assert any(repr(name) in str(refusal) for name in pag.names)
        assert any(repr(letter) in str(refusal) for name in pag.names for letter in [*name, name])
        return
    text.encode("utf-8")
    assert form.read(text) == pag


@pytest.mark.parametrize("form", PAG_FORMATS, ids=lambda entry: entry.name)
def test_a_name_is_refused_only_where_the_grammar_cannot_hold_it(form):
    refused = set()
    for name in AWKWARD:
        pag = joined(("left", name, "right"), share=1)
        try:
            text = form.write(pag)
        except InvalidGraph:
            refused.add(name)
        else:
            assert form.read(text) == pag
    assert refused == CANNOT_HOLD[form.name]


@pytest.mark.parametrize("form", PAG_FORMATS, ids=lambda entry: entry.name)
def test_all_names_it_can_hold_at_once(form):
    pag = joined([name for name in AWKWARD if name not in CANNOT_HOLD[form.name]], seed=1, share=0.2)
    assert form.read(form.write(pag)) == pag


@pytest.mark.parametrize("form", PAG_FORMATS, ids=lambda entry: entry.name)
def test_empty_graphs_and_lonely_nodes_come_back(form):
    for n in range(4):
        pag = joined([f"V{i}" for i in range(n)], share=0)
        assert form.read(form.write(pag)) == pag


def test_arcs_hold_dags_without_lonely_nodes_and_nothing_else():
    arcs = FORMATS["arcs"]
    names = [name for name in AWKWARD if name == name.strip()]
    dag = DAG.from_edges([(names[i], names[i + 1]) for i in range(len(names) - 1)])
    assert arcs.read(arcs.write(dag)) == dag
    with pytest.raises(InvalidGraph, match="without edges, as 'C' is"):
        arcs.write(DAG.from_edges([("A", "B")], nodes="ABC"))
    with pytest.raises(InvalidGraph, match="not directed"):
        arcs.write(joined("AB", seed=1, share=1))
    with pytest.raises(InvalidGraph, match="blanks around names"):
        arcs.write(DAG.from_edges([(" A", "B")]))
