from __future__ import annotations

import sys

import matplotlib
import pytest

from dicola import DAG, PAG, InvalidGraph, MissingExtra, Oracle, discover

matplotlib.use("Agg")
import matplotlib.pyplot as plt


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def found():
    return discover(Oracle(DAG.from_edges([("A", "C"), ("B", "C"), ("C", "D"), ("D", "E"), ("cost_$", "E")])))


@pytest.mark.parametrize("kind", ["png", "pdf", "svg"])
def test_figures_are_saved_in_every_format(kind, found, tmp_path) -> None:
    axes = [found.pag.plot(), found.pag.plot_matrix(), found.tree.plot(names=found.skeleton.labels)]
    for number, ax in enumerate(axes):
        ax.figure.savefig(tmp_path / f"{number}.{kind}")
        assert (tmp_path / f"{number}.{kind}").stat().st_size > 1000


def test_axes_that_were_given_are_drawn_on_and_given_back(found) -> None:
    _, (first, second, third) = plt.subplots(1, 3)
    assert found.pag.plot(first) is first and found.pag.plot_matrix(second) is second and found.tree.plot(third) is third
    assert len(plt.get_fignums()) == 1


def test_the_plot_names_every_vertex_and_has_a_mark_for_every_arrowhead_and_circle() -> None:
    pag = PAG.from_text("A o-> B; B <-> C; C --> D")
    ax = pag.plot()
    assert {text.get_text() for text in ax.texts} == set(pag.names)
    kinds = [type(patch).__name__ for patch in ax.patches]
    assert kinds.count("Polygon") == 4 and kinds.count("Circle") == 1 and kinds.count("PathPatch") == 3


def test_the_matrix_shows_the_mark_at_the_column(found) -> None:
    ax = PAG.from_text("A --> B").plot_matrix(order=["A", "B"])
    signs = [dots.get_offsets() for dots in ax.collections if type(dots).__name__ == "PathCollection"]
    places = {tuple(float(x) for x in offsets[0]) for offsets in signs if len(offsets)}
    assert places == {(1.5, 0.5), (0.5, 1.5)}


def test_groups_order_the_matrix_and_are_named(found) -> None:
    ax = found.pag.plot_matrix(groups={"ends": ["E", "A"], "middle": ["C"]})
    assert [label.get_text() for label in ax.get_yticklabels()][:3] == ["E", "A", "C"]
    assert {text.get_text() for text in ax.texts} == {"ends", "middle"}


def test_an_order_that_leaves_out_a_vertex_is_refused(found) -> None:
    with pytest.raises(InvalidGraph, match="every vertex"):
        found.pag.plot_matrix(order=["A"])
    with pytest.raises(InvalidGraph, match="not both"):
        found.pag.plot_matrix(order=list(found.pag.names), groups={"x": ["A"]})
    with pytest.raises(InvalidGraph, match="'Z'"):
        found.pag.plot_matrix(groups={"x": ["Z"]})


def test_the_tree_shows_the_size_of_every_node(found) -> None:
    ax = found.tree.plot()
    shown = sorted(text.get_text() for text in ax.texts if text.get_bbox_patch().get_boxstyle().__class__.__name__ == "Round")
    assert shown == sorted(str(len(node.variables)) for node in found.tree.nodes)


def test_a_graph_without_edges_is_plotted() -> None:
    assert len(PAG.from_matrix([[0, 0], [0, 0]]).plot().texts) == 2


def test_a_missing_matplotlib_is_told_in_a_sentence(found, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.patches", None)
    with pytest.raises(MissingExtra, match="pip install matplotlib"):
        found.pag.plot()
