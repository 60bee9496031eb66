from pathlib import Path

import numpy as np
import pytest

from dicola.errors import InvalidData, InvalidSetting
from dicola_experiments.plan import Setting, lacks_folder, load_study
from dicola_experiments.sources import GaussianNetwork, check_graph, draw_source, needs_folder

PAPER = Path(__file__).parents[2] / "paper"


@pytest.fixture
def folder(tmp_path) -> Path:
    (tmp_path / "arth150.csv").write_text("child,parent,coefficient\n4,539,0.5\n8,539,-2\n8,4,1\n")
    (tmp_path / "arth150_nodes.csv").write_text("node,intercept,variance\n4,5,0.25\n8,9,1\n539,-1,4\n")
    return tmp_path


def test_a_given_network_has_its_own_coefficients_intercepts_and_variances(folder):
    network = GaussianNetwork.read(folder, "ARTH150")
    assert network.dag.names == ("4", "8", "539") and set(network.dag.arcs()) == {("539", "4"), ("539", "8"), ("4", "8")}
    rows = network.draw(100_000, seed=1)
    assert list(rows) == ["4", "8", "539"] and network.draw(100, seed=1).equals(network.draw(100, seed=1))
    design = np.column_stack([np.ones(len(rows)), rows["539"], rows["4"]])
    fitted, left, *_ = np.linalg.lstsq(design, rows["8"].to_numpy(), rcond=None)
    assert fitted == pytest.approx([9, -2, 1], abs=0.1) and left[0] / len(rows) == pytest.approx(1, abs=0.02)
    assert rows["539"].var() == pytest.approx(4, abs=0.1) and rows["539"].mean() == pytest.approx(-1, abs=0.05)


def test_a_given_network_is_drawn_from_the_folder_and_hides_what_it_is_told(folder):
    problem = Setting("ARTH150", 1, "any", 50).draw(3, folder)
    assert problem.latents == ("539",) and list(problem.table()) == ["4", "8"]
    with pytest.raises(InvalidSetting, match="name it with --data"):
        Setting("ARTH150", 1, "any", 50).draw(3)
    with pytest.raises(InvalidData, match=r"magic-niab\.csv.* could not be read"):
        draw_source("MAGIC-NIAB", 1, folder)


@pytest.mark.parametrize(
    ("graph", "vertices", "arcs", "hidden"),
    [
        ("ER(20,3)", 20, 30, 0),
        ("SF(20,3)", 20, 30, 0),
        ("SF(20,3,growth)", 20, 30, 0),
        ("HUBS(30,0,2,9)", 30, None, 0),
        ("ER(20,2)+3x6", 23, 38, 3),
        ("FACTORS(2,5)", 12, 10, 2),
        ("HEPAR2", 70, 123, 0),
        ("MUNIN1", 186, 273, 0),
    ],
)
def test_graphs_by_name(graph, vertices, arcs, hidden):
    source = draw_source(graph, 7)
    assert len(source.dag) == vertices and len(source.latents) == hidden and not needs_folder(graph)
    assert source.dag.n_edges == arcs or (arcs is None and 17 <= source.dag.n_edges <= 18)
    assert draw_source(graph, 7) == source


def test_a_graph_that_brings_its_hidden_variables_hides_those():
    problem = Setting("ER(20,2)+3x6", 3, "own", 40).draw(5)
    assert problem.latents == ("H1", "H2", "H3") and problem.table().shape == (40, 20)


def test_errors_and_curvature_tell_settings_apart_and_change_the_rows_alone():
    plain, other = Setting("ER(12,2)", 1, "any", 60), Setting("ER(12,2)", 1, "any", 60, errors="student", curvature=0.2)
    assert plain.key != other.key and str(other).endswith("student errors, curvature 0.2")
    assert plain.draw(2).dag == other.draw(2).dag and not plain.draw(2).table().equals(other.draw(2).table())


@pytest.mark.parametrize(
    ("graph", "pool", "hidden", "said"),
    [
        ("ER(40,2)+5x6", "any", 5, "it may be 'own'"),
        ("ER(40,2)+5x6", "own", 4, r"hides 5 variables"),
        ("ER(40,2)", "own", 4, "it may be 'any' or 'root'"),
        ("BA(40,2)", "any", 4, "neither a random graph"),
    ],
)
def test_names_and_pools_that_do_not_go_together_are_refused(graph, pool, hidden, said):
    with pytest.raises(InvalidSetting, match=said):
        check_graph(graph, pool, hidden)


def test_the_study_of_accuracy_has_every_setting_a_name_and_fresh_seeds():
    study = load_study(PAPER / "accuracy.toml")
    cells = study.cells()
    assert {cell.first_seed for cell in cells} == {5000} and study.kind == "accuracy"
    settings = {cell.setting for cell in cells}
    assert len(settings) == len({study.name_of(setting) for setting in settings}) == 27
    assert {cell.setting.graph for cell in cells if lacks_folder(cell, None)} == {"ARTH150", "MAGIC-NIAB"}
    assert {cell.repetitions for cell in cells if cell.method == "default"} == {100}
    assert {cell.repetitions for cell in cells if cell.method.startswith("tetrad")} == {20}
    trial = study.of_series(["weak"]).with_limits(repetitions=2, first_seed=300)
    assert {(cell.setting.graph, *cell.seeds) for cell in trial.cells()} == {("ER(40,3)", 300, 301)}
    with pytest.raises(InvalidSetting, match="no series of 'accuracy' is called 'feeble'"):
        study.of_series(["feeble"])
