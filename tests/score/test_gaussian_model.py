"""The Gaussian model of a graph: densities as scipy has them, with the covariance that the graph implies."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

from dicola import MAG, PAG, FisherZ, Oracle, Table, mag_to_pag, simulate
from dicola.score.gaussian_model import GaussianModel
from dicola.score.row_models import model_behind
from tests.score.drawn import models
from tests.score.readable_ricf import edges_of, implied


def drawn(n_columns: int, n_rows: int = 200, seed: int = 0) -> np.ndarray:
    """Rows of columns that all depend on each other, on scales of their own."""
    rng = np.random.default_rng(seed)
    return 3 + (rng.normal(size=(n_rows, n_columns)) @ rng.normal(size=(n_columns, n_columns))) * 10.0 ** np.arange(n_columns)


def model_of(graph: MAG | PAG, rows: np.ndarray) -> GaussianModel:
    table = Table.from_array(rows, graph.names)
    model = GaussianModel.behind(FisherZ(table), table, graph)
    assert model is not None
    return model


def density(rows: np.ndarray, mean: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    return multivariate_normal.logpdf(rows, mean, covariance)


@pytest.mark.parametrize("given", [lambda mag: mag, mag_to_pag], ids=["mag", "pag"])
def test_the_density_is_that_of_the_covariance_which_the_readable_fit_implies(given):
    rng = np.random.default_rng(0)
    joined = 0
    for mag, score in models(0, 60, n=10, hidden=3):
        n = len(mag)
        mean, deviation = rng.normal(size=n), np.exp(rng.normal(size=n))
        rows = rng.normal(size=(20, n)) * deviation + mean
        joined += len(edges_of(mag)[1])
        covariance = implied(score.correlation, mag) * np.outer(deviation, deviation)
        found = GaussianModel(given(mag), mean, deviation, score.correlation).log_density(rows)
        assert found == pytest.approx(density(rows, mean, covariance), rel=1e-5, abs=1e-5)
    assert joined > 100


@pytest.mark.parametrize(
    "graph",
    [
        "X1 --> X2; X1 --> X3; X1 --> X4; X2 --> X3; X2 --> X4; X3 --> X4",
        "X1 <-> X2; X1 <-> X3; X1 <-> X4; X2 <-> X3; X2 <-> X4; X3 <-> X4",
        "X1 --> X2; X1 --> X3; X1 --> X4; X2 <-> X3; X2 <-> X4; X3 <-> X4",
    ],
)
def test_a_complete_graph_has_the_sample_covariance(graph):
    rows = drawn(4)
    expected = density(rows, rows.mean(axis=0), np.cov(rows, rowvar=False, ddof=0))
    assert model_of(MAG.from_text(graph), rows).log_density(rows) == pytest.approx(expected)


def test_a_graph_without_edges_has_independent_columns():
    rows = drawn(3)
    expected = norm.logpdf(rows, rows.mean(axis=0), rows.std(axis=0)).sum(axis=1)
    assert model_of(MAG.from_text("", ["X1", "X2", "X3"]), rows).log_density(rows) == pytest.approx(expected)


def test_the_model_is_in_the_fixed_order_of_the_names_whatever_the_order_of_the_graph():
    rows = drawn(4)
    mag = MAG.from_text("X1 --> X3; X2 --> X3; X3 <-> X4")
    assert model_of(mag.reordered(["X4", "X2", "X1", "X3"]), rows).graph.names == ("X1", "X2", "X3", "X4")


def test_equivalent_graphs_are_equally_likely():
    rows = drawn(3)
    chain, fork = (model_of(MAG.from_text(text, ["X1", "X2", "X3"]), rows) for text in ("X1 --> X2; X2 --> X3", "X2 --> X1; X2 --> X3"))
    assert chain.log_density(rows) == pytest.approx(fork.log_density(rows))
    collider = model_of(MAG.from_text("X1 --> X2; X3 --> X2"), rows)
    assert collider.log_density(rows).mean() != pytest.approx(chain.log_density(rows).mean(), abs=1e-3)


def test_a_graph_that_is_no_pag_has_a_model_too():
    rows = drawn(3)
    cycle = PAG.from_text("X1 --> X2; X2 --> X3; X3 --> X1")
    assert np.isfinite(model_of(cycle, rows).log_density(rows)).all()


def test_extreme_scales_shift_the_density_by_their_logarithm():
    table = simulate.linear_gaussian(simulate.er_dag(4, 2, seed=1), 300, seed=1).to_numpy()
    scale = np.array([1e-180, 1e180, 1.0, 1e-5])
    mag = MAG.from_text("X1 --> X2; X2 <-> X3; X4 --> X3")
    plain, scaled = model_of(mag, table).log_density(table), model_of(mag, table * scale).log_density(table * scale)
    assert scaled == pytest.approx(plain - np.log(scale).sum())


def test_without_a_test_of_all_columns_there_is_no_model():
    table = Table.from_array(drawn(3))
    mag = MAG.from_text("X1 --> X2; X2 --> X3")
    assert isinstance(model_behind(Oracle(mag), table, mag), GaussianModel)
    assert model_behind(FisherZ(table).among([0, 1]), table, mag) is None
    turned = table.to_frame()[["X3", "X2", "X1"]]
    assert model_behind(FisherZ(turned), table, mag) is None, "rows go by the order of the columns"
