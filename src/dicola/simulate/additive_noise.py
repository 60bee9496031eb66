"""Data that are not quite linear Gaussian: other errors, and effects that bend a little."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dicola.allowed import ANY, checked
from dicola.errors import InvalidSetting
from dicola.graphs.dag import DAG
from dicola.simulate.arguments import Seed, generator, real_number, whole_number
from dicola.simulate.linear_gaussian import checked_sizes, weighted_arcs

Rows = NDArray[np.float64]
_TAILS = 5  # degrees of freedom of Student's t: heavy tails, finite variance and fourth moment

# Each with mean 0 and standard deviation 1.
ERRORS: Final[dict[str, Callable[[np.random.Generator, tuple[int, int]], Rows]]] = {
    "normal": lambda rng, shape: rng.standard_normal(shape),
    "uniform": lambda rng, shape: rng.uniform(-sqrt(3), sqrt(3), shape),
    "laplace": lambda rng, shape: rng.laplace(0.0, sqrt(0.5), shape),
    "exponential": lambda rng, shape: rng.exponential(1.0, shape) - 1.0,
    "student": lambda rng, shape: rng.standard_t(_TAILS, shape) * sqrt((_TAILS - 2) / _TAILS),
}


@checked(seed=ANY)
def additive_noise(
    dag: DAG,
    n_samples: int,
    seed: Seed,
    *,
    coefficients: tuple[float, float] = (0.5, 1.0),
    errors: str = "normal",
    curvature: float = 0.0,
) -> pd.DataFrame:
    """Samples of X_j = sum of w_ij f(X_i) over the parents + e_j, with f a straight line or a bend.

    With normal errors and no curvature the table is that of ``linear_gaussian``, to the last bit.
    Whatever the errors and the bend, the graph is the truth: a variable is independent of what is
    not below it given its parents. What changes is how much of that a correlation can see.

    Parameters
    ----------
    dag : DAG
        The causal graph.
    n_samples : int
        The number of rows.
    seed : int or numpy.random.Generator
        A number draws the same table every time; a generator is used as it is and moves on. The
        coefficients are those that ``linear_gaussian`` draws.
    coefficients : pair of float
        The sizes of the w_ij are uniform between these two; their signs are random.
    errors : {"normal", "uniform", "laplace", "exponential", "student"}
        The family of the e_j, which have mean 0 and standard deviation 1: light-tailed, heavier
        than normal, skewed, heavy-tailed (Student's t with 5 degrees of freedom).
    curvature : float
        With z the standardised column of a cause and s its standard deviation, the cause enters as
        s (z + curvature (z² - 1)): .2 is mild (a line explains 93 % of the effect's variation), 1
        is mostly a parabola (33 %).

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
    >>> dag = DAG.from_edges([("A", "B")])
    >>> skewed = additive_noise(dag, 2000, seed=1, errors="exponential")
    >>> bool(skewed["A"].skew() > 1.5)
    True

    """
    n_samples = whole_number("n_samples", n_samples, least=1)
    low, high = checked_sizes(dag, coefficients, "additive_noise")
    if errors not in ERRORS:
        raise InvalidSetting(f"errors is {errors!r}; it may be {', '.join(map(repr, ERRORS))}.")
    bend = real_number("curvature", curvature, "a number of at least 0")
    if bend < 0:
        raise InvalidSetting(f"curvature must be a number of at least 0; got {curvature!r}.")
    rng = generator(seed, "linear_gaussian")
    arcs = weighted_arcs(dag, low, high, rng)
    variables = ERRORS[errors](rng, (len(dag), n_samples))
    place = {v: i for i, v in enumerate(dag.topological_order())}
    for parent, child, weight in sorted(arcs, key=lambda arc: place[arc[1]]):
        variables[child] += weight * _bent(variables[parent], bend)
    return pd.DataFrame(variables.T, columns=list(dag.names), copy=False)


def _bent(cause: Rows, curvature: float) -> Rows:
    """The cause as its effects see it."""
    spread = float(cause.std())
    if not curvature or not spread:
        return cause
    z = (cause - cause.mean()) / spread
    return np.asarray(cause + spread * curvature * (z**2 - 1))
