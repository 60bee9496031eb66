"""Tables in which x and y are independent given the rest, drawn from the null model of each test."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import kstest

from dicola import RCIT, BasisFunction, ChiSquare, CITest, ConditionalGaussian, DegenerateGaussian, FisherZ, GaussianCopula, GSquare
from dicola.tables.table import as_table

LETTERS = np.array(list("pqrs"))
Random = np.random.Generator


class Cell(NamedTuple):
    """A test, the kinds of x, y and of what is held fixed, and how many of these."""

    test: str
    x: str
    y: str
    given: str
    size: int


TESTS: dict[str, Callable[..., CITest]] = {
    "fisher_z": FisherZ,
    "gaussian_copula": GaussianCopula,
    "degenerate_gaussian": DegenerateGaussian,
    "basis_function": BasisFunction,
    "g_square": partial(GSquare, williams=True),  # without it sparse strata are rejected too often, as its docstring says
    "chi_square": ChiSquare,
    "conditional_gaussian": ConditionalGaussian,
    "rcit": RCIT,
}
_KINDS: dict[str, tuple[tuple[str, str], ...]] = {
    "fisher_z": (("continuous", "continuous"),),
    "gaussian_copula": (("continuous", "continuous"), ("continuous", "ordered"), ("ordered", "ordered"), ("continuous", "binary")),
    "degenerate_gaussian": (("continuous", "continuous"), ("continuous", "nominal"), ("nominal", "nominal")),
    "basis_function": (("continuous", "continuous"), ("continuous", "nominal"), ("nominal", "nominal")),
    "g_square": (("nominal", "nominal"), ("binary", "nominal")),
    "chi_square": (("nominal", "nominal"), ("binary", "nominal")),
    "conditional_gaussian": (("continuous", "continuous"), ("continuous", "nominal")),  # of categories alone it is G²
    "rcit": (("continuous", "continuous"), ("continuous", "nominal")),
}
_GIVEN = {"g_square": "nominal", "chi_square": "nominal", "conditional_gaussian": "nominal"}
_LEVELS = {"nominal": 3, "binary": 2, "ordered": 4}


def cells() -> list[Cell]:
    """Every test, every pair of kinds that it takes, sizes 0 to 3; but the conditional Gaussian claims nothing given 3 categories."""
    return [
        Cell(test, x, y, _GIVEN.get(test, "continuous"), size)
        for test, pairs in _KINDS.items()
        for x, y in pairs
        for size in range(3 if test == "conditional_gaussian" else 4)
    ]


def draw(cell: Cell, n: int, random: Random) -> pd.DataFrame:
    """X and Y, independent given Z1, Z2, …, by mechanisms that the test allows for."""
    given = [random.normal(size=n) if cell.given == "continuous" else random.integers(3, size=n) for _ in range(cell.size)]
    # A category that depends on a number breaks the straight lines of blocks; there only numbers depend on what is given.
    is_odd = "nominal" in (cell.x, cell.y) and cell.given == "continuous"
    columns = {
        "X": _drawn(cell.x, given, n, random, depends=not is_odd or cell.x == "continuous"),
        "Y": _drawn(cell.y, given, n, random, depends=not is_odd or cell.y == "continuous"),
    }
    columns |= {f"Z{i + 1}": z if cell.given == "continuous" else LETTERS[z] for i, z in enumerate(given)}
    return pd.DataFrame(columns)


def _drawn(kind: str, given: list[np.ndarray], n: int, random: Random, *, depends: bool) -> np.ndarray:
    share = 0.7 / np.sqrt(max(len(given), 1))
    latent = random.normal(size=n) + (sum(share * z for z in given) if depends else 0.0)
    if kind == "continuous":
        return np.asarray(latent)
    cuts = np.quantile(latent, np.arange(1, _LEVELS[kind]) / _LEVELS[kind])
    codes = np.digitize(latent, cuts)
    return codes.astype(float) if kind in ("ordered", "binary") else LETTERS[codes]


def p_values(cell: Cell, replicates: int, n: int, seed: int) -> np.ndarray:
    """Of x and y given the rest, one per table."""
    random, found = np.random.default_rng([seed, cells().index(cell)]), []
    kinds = {"X": cell.x, "Y": cell.y, **{f"Z{i + 1}": cell.given for i in range(cell.size)}}
    for _ in range(replicates):
        test = TESTS[cell.test](as_table(draw(cell, n, random)).understood(kinds))
        found.append(test("X", "Y", [f"Z{i + 1}" for i in range(cell.size)]).p_value)
    return np.array(found)


def fit_of(found: np.ndarray) -> float:
    """The p-value of Kolmogorov and Smirnov's test that these are uniform."""
    return float(kstest(found, "uniform").pvalue)
