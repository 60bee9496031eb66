"""Data from a DAG: every variable is a random linear function of its parents plus Gaussian noise."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dicola.errors import InvalidSetting
from dicola.graphs.dag import DAG
from dicola.simulate.arguments import Seed, generator, real_number, whole_number


def linear_gaussian(
    dag: DAG, n_samples: int, seed: Seed, *, coefficients: tuple[float, float] = (0.5, 1.0), noise: float = 1.0
) -> pd.DataFrame:
    """Samples of X_j = sum of w_ij X_i over the parents + e_j, the model of Li et al. (2026).

    The w_ij have random signs, the e_j are independent and normal; nothing is rescaled.
    Coefficients are drawn in the order of ``dag.arcs()``, so the order in which the arcs were given
    does not matter.

    Parameters
    ----------
    dag : DAG
        The causal graph.
    n_samples : int
        The number of rows.
    seed : int or numpy.random.Generator
        A number draws the same table every time; a generator is used as it is and moves on.
    coefficients : pair of float
        The sizes of the w_ij are uniform between these two.
    noise : float
        The standard deviation of the e_j.

    Returns
    -------
    pandas.DataFrame
        All variables, in the order of ``dag.names``: drop the hidden ones yourself.

    Raises
    ------
    InvalidSetting
        A setting is not allowed.

    Examples
    --------
    >>> frame = linear_gaussian(DAG.from_edges([("L", "A"), ("L", "B")]), 200, seed=1)
    >>> frame.shape, list(frame.drop(columns="L"))
    ((200, 3), ['A', 'B'])

    """
    n_samples = whole_number("n_samples", n_samples, least=1)
    low, high = _checked(dag, coefficients, noise)
    rng = generator(seed, "linear_gaussian")
    arcs = weighted_arcs(dag, low, high, rng)
    variables = rng.standard_normal((len(dag), n_samples))
    if noise != 1:
        variables *= float(noise)
    _add_causes(variables, dag, arcs)
    return pd.DataFrame(variables.T, columns=list(dag.names), copy=False)


def linear_gaussian_covariance(dag: DAG, seed: Seed, *, coefficients: tuple[float, float] = (0.5, 1.0), noise: float = 1.0) -> pd.DataFrame:
    """The covariance that samples of ``linear_gaussian`` with the same seed approach as they grow.

    Parameters
    ----------
    dag, seed, coefficients, noise
        As in ``linear_gaussian``; with the same values the same coefficients are drawn.

    Returns
    -------
    pandas.DataFrame
        Rows and columns in the order of ``dag.names``.

    Examples
    --------
    >>> dag = DAG.from_edges([("A", "B")])
    >>> exact = linear_gaussian_covariance(dag, seed=1)
    >>> drawn = linear_gaussian(dag, 100_000, seed=1).cov()
    >>> bool(abs(exact - drawn).to_numpy().max() < 0.02)
    True

    """
    low, high = _checked(dag, coefficients, noise)
    influence = np.eye(len(dag))  # of the error of each column on the variable of each row
    _add_causes(influence, dag, weighted_arcs(dag, low, high, generator(seed, "linear_gaussian")))
    return pd.DataFrame(float(noise) ** 2 * influence @ influence.T, index=list(dag.names), columns=list(dag.names))


def _checked(dag: DAG, coefficients: tuple[float, float], noise: float) -> tuple[float, float]:
    """The two sizes of the coefficients, if all three can be."""
    sizes = checked_sizes(dag, coefficients, "linear_gaussian")
    if real_number("noise", noise, "a standard deviation above 0") <= 0:
        raise InvalidSetting(f"noise must be a standard deviation above 0; got {noise!r}.")
    return sizes


def checked_sizes(dag: DAG, coefficients: tuple[float, float], caller: str) -> tuple[float, float]:
    """The two sizes of the coefficients, if they and the graph can be."""
    if not isinstance(dag, DAG):
        raise InvalidSetting(f"{caller} draws from a DAG, not a {type(dag).__name__}; build one with DAG.from_edges(arcs).")
    try:
        low, high = coefficients
    except (TypeError, ValueError):
        raise InvalidSetting(f"coefficients must be two sizes (low, high); got {coefficients!r}.") from None
    low, high = (real_number("coefficients", size, "two sizes (low, high)") for size in (low, high))
    if not 0 <= low <= high:
        raise InvalidSetting(f"coefficients must be two sizes (low, high) with 0 <= low <= high; got {coefficients!r}.")
    return low, high


def weighted_arcs(dag: DAG, low: float, high: float, rng: np.random.Generator) -> list[tuple[int, int, float]]:
    """Every arc as parent, child and coefficient."""
    arcs = [(dag.index(parent), dag.index(child)) for parent, child in dag.arcs()]
    sizes = rng.uniform(low, high, len(arcs))
    signs = rng.choice([-1.0, 1.0], len(arcs))
    return [(parent, child, weight) for (parent, child), weight in zip(arcs, (sizes * signs).tolist(), strict=True)]


def _add_causes(variables: NDArray[np.float64], dag: DAG, arcs: list[tuple[int, int, float]]) -> None:
    """Add to every row, causes first, the rows of its parents times their coefficients; in place."""
    place = {v: i for i, v in enumerate(dag.topological_order())}
    for parent, child, weight in sorted(arcs, key=lambda arc: place[arc[1]]):  # the arcs of a child stay in their order
        variables[child] += weight * variables[parent]
