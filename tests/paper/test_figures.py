from __future__ import annotations

import sys

import pytest
from matplotlib.colors import to_rgba

from dicola import PAG, MissingExtra
from dicola_experiments.figures import MARK_COLOURS, figures_of, learners_figure, matrices_figure, write_figures
from dicola_experiments.plan import Series, Setting, Study
from dicola_experiments.summary import Results
from tests.paper.examples import row, study, total

METHODS = ("fci", "dicola+fci/paper", "icd", "dicola+icd/paper", "dicola+fci/auto", "uig+fci")


@pytest.fixture
def results() -> Results:
    rows = []
    for samples in (500, 2000):
        setting = Setting("ER(30,3)", 3, "any", samples)
        for method in METHODS:
            stopped = method == "icd" and samples == 2000
            rows += [
                row(method, seed, "capped" if stopped else "done", setting, **({} if stopped else {"tests": total(1000 + 10 * seed)}))
                for seed in (1, 2, 3)
            ]
            rows += [row(method, 0, "given up", setting)] if stopped else []
    return Results(study(*METHODS, samples=(500, 2000)), rows)


def test_the_same_rows_give_the_same_bytes(results, tmp_path):
    first, second = (write_figures({"mine": results}, tmp_path / name) for name in ("a", "b"))
    assert {path.name for path in first} == {"mine.svg", "mine.png", "variants.svg", "variants.png"}
    for one, other in zip(first, second, strict=True):
        assert one.read_bytes() == other.read_bytes() and one.stat().st_size > 5000


def test_a_learner_alone_is_dashed_and_open_and_within_dicola_solid_and_filled(results):
    panel = learners_figure([results]).axes[0]
    looks = [(line.get_color(), line.get_linestyle(), line.get_markerfacecolor()) for line in panel.lines if line.get_linestyle() != "None"]
    assert len(looks) == 4 and [look[1] for look in looks] == ["--", "-", "--", "-"]
    assert looks[0][0] == looks[1][0] != looks[2][0] == looks[3][0]
    assert (looks[0][2], looks[1][2]) == ("white", looks[1][0])


def test_a_method_that_was_given_up_has_no_point_there_and_the_figure_says_so(results):
    figure = learners_figure([results])
    icd = [line for line in figure.axes[1].lines if line.get_marker() == "D" and line.get_linestyle() == "--"]
    assert [list(line.get_xdata()) for line in icd] == [[500.0]]
    assert figure.get_supxlabel() == "left out, stopped after 60 s on three tables: ICD at 2000"


def test_graphs_of_several_degrees_are_drawn_against_the_degree(tmp_path):
    methods = ("fci", "dicola+fci/paper", "dicola+fci/reference", "dicola+fci/auto")
    series = tuple(Series(f"ER(40,{d})", 2, "any", (2000,), methods, 2, 60.0) for d in (3, 4, 5))
    rows = [row(method, seed, setting=next(iter(s.settings()))) for s in series for method in methods for seed in (1, 2)]
    figures = figures_of({"dense": Results(Study("dense", "T", "S", series), rows)})
    assert list(figures) == ["dense"]
    panels = figures["dense"]().axes
    assert len(panels) == 3 and [label.get_text() for label in panels[0].get_xticklabels()] == ["3", "4", "5"]


def test_a_study_without_learners_within_dicola_has_no_figure():
    rows = [row("fci", 1, setting=Setting("ER(30,3)", 3, "any", samples)) for samples in (500, 2000)]
    assert figures_of({"mine": Results(study("fci", samples=(500, 2000)), rows)}) == {}


def test_the_legend_of_mark_matrices_has_the_colours_in_which_marks_are_drawn():
    figure = matrices_figure({"mine": PAG.from_text("A o-> B; A --> C", nodes=list("ABC"))}, {"all": list("ABC")})
    drawn = {tuple(colour) for drawing in figure.axes[0].collections for colour in drawing.get_facecolor()}
    assert {to_rgba(colour) for colour in MARK_COLOURS.values()} <= drawn
    assert [patch.get_facecolor() for patch in figure.legends[0].get_patches()] == [to_rgba(colour) for colour in MARK_COLOURS.values()]


def test_without_matplotlib_one_is_told_what_to_install(results, tmp_path, monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match="pip install matplotlib"):
        write_figures({"mine": results}, tmp_path)
