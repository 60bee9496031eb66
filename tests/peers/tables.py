"""Simulated tables for runs side by side, and the search for what explains a difference."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from importlib.metadata import PackageNotFoundError, version

import pandas as pd
import pytest

from dicola import FisherZ, simulate

NUMBERS = range(10, 30)
ALPHA = 0.01
Edges = frozenset[tuple[int, int]]


def written_for(package: str, release: str) -> pytest.MarkDecorator:
    """Skip under another release: what is named here was found by reading and running this one."""
    try:
        found = version(package)
    except PackageNotFoundError:
        found = "not installed"
    return pytest.mark.skipif(found != release, reason=f"the departures are those of {package} {release}; here it is {found}")


def table(number: int) -> tuple[pd.DataFrame, FisherZ]:
    """1,000 rows of a linear Gaussian model over 15 to 20 variables, two of them hidden; columns in the order of the test."""
    dag = simulate.er_dag(15 + number % 6, (2.0, 2.5, 3.0)[number % 3], seed=number)
    rows = simulate.linear_gaussian(dag, 1000, seed=number).drop(columns=list(simulate.hide(dag, 2, seed=number)))
    test = FisherZ(rows, alpha=ALPHA)
    return rows[list(test.labels)], test


def causes(departures: Iterable[str], variation: Callable[[Collection[str]], Edges]) -> list[str]:
    """Departures that together give what all of them give, and of which none can be left out."""
    needed = list(departures)
    goal = variation(needed)
    for departure in list(needed):
        rest = [other for other in needed if other != departure]
        if variation(rest) == goal:
            needed = rest
    return needed
