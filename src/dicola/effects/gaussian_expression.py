"""Expressions worked out on a Gaussian distribution: products and quotients add and subtract quadratic forms, sums integrate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dicola.effects.expression import Expression, P, Product, Quotient, Sum
from dicola.errors import InvalidData

Floats = NDArray[np.float64]
_FLAT = 1e-10  # of what is integrated, the least curvature as a share of the largest


@dataclass(frozen=True)
class GaussianForm:
    """A function exp(-½ v'Kv) of some variables, up to a factor that depends on none of them.

    Parameters
    ----------
    names : tuple of str
        The variables.
    curvature : matrix
        K; it need not be that of a distribution, as quotients are such functions too.

    """

    names: tuple[str, ...]
    curvature: Floats

    def slopes(self, y: str, xs: Sequence[str]) -> Floats:
        """How the mean of y changes with each of some variables, the others at their means.

        Parameters
        ----------
        y : str
            Of which this is a distribution, given all others.
        xs : sequence of str
            Some of the others.

        """
        at = self.names.index(y)
        width = self.curvature[at, at]
        if not width > 0:
            raise InvalidData(f"on these rows the expression is no distribution of {y}.")
        places = [self.names.index(x) if x in self.names else None for x in xs]
        return np.array([0.0 if place is None else -self.curvature[at, place] / width for place in places])


def on_gaussian(expression: Expression, covariance: Floats, names: Sequence[str]) -> GaussianForm:
    """An expression worked out on the Gaussian distribution with this covariance.

    In a linear model an effect that is identified is a function of the covariance, whatever the
    errors are like, so that this function serves for them all.

    Parameters
    ----------
    expression : Expression
        As ``identify`` gives it.
    covariance : matrix
        Of all variables that it names.
    names : sequence of str
        Their names, in the order of the matrix.

    Raises
    ------
    InvalidData
        The covariance is singular, or so far from what the graph says that a sum has no value.

    """
    place = {name: i for i, name in enumerate(names)}
    return GaussianForm(tuple(names), _form(expression, covariance, place))


def _form(expression: Expression, covariance: Floats, place: dict[str, int]) -> Floats:
    if isinstance(expression, P):
        return _inverse(covariance, place, (*expression.variables, *expression.given)) - _inverse(covariance, place, expression.given)
    if isinstance(expression, Product):
        return np.asarray(sum(_form(factor, covariance, place) for factor in expression.factors))
    if isinstance(expression, Quotient):
        return _form(expression.top, covariance, place) - _form(expression.bottom, covariance, place)
    assert isinstance(expression, Sum)
    return _integrated(_form(expression.body, covariance, place), [place[name] for name in expression.over])


def _inverse(covariance: Floats, place: dict[str, int], names: Sequence[str]) -> Floats:
    """The inverse of a block of the covariance, with zeros around it."""
    found = np.zeros_like(covariance)
    if names:
        block = np.ix_([place[name] for name in names], [place[name] for name in names])
        try:
            found[block] = np.linalg.inv(covariance[block])
        except np.linalg.LinAlgError:
            raise InvalidData("the columns of the expression depend on each other exactly, so that it has no value.") from None
    return found


def _integrated(curvature: Floats, over: list[int]) -> Floats:
    """What is left once some variables are integrated out."""
    inner = curvature[np.ix_(over, over)]
    values = np.linalg.eigvalsh(inner)
    if not values[0] > _FLAT * max(float(np.abs(values).max()), 1e-300):
        raise InvalidData("on these rows a sum of the expression has no value: they are too far from what the graph says.")
    found = curvature - curvature[:, over] @ np.linalg.solve(inner, curvature[over])
    found[over] = 0.0
    found[:, over] = 0.0
    return np.asarray(found)
