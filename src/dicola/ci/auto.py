"""The test that fits a table: by the kinds of its columns, their shape and the number of rows."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from dicola.ci.base import CITest
from dicola.ci.columns import LEVELLED, normal_scores
from dicola.ci.degenerate_gaussian import BasisFunction, DegenerateGaussian
from dicola.ci.fisher_z import FisherZ
from dicola.ci.g_square import GSquare, rows_needed
from dicola.ci.gaussian_copula import GaussianCopula
from dicola.errors import Sentence, counted
from dicola.tables.columns import USED
from dicola.tables.table import Table, as_table

# Shapes far from Gaussian: samples of Gaussian rows hardly ever show them.
_SKEWED, _HEAVY = 1.5, 5.0
_FEW_ROWS = 20  # with fewer a shape cannot be told
_ROWS_TO_COMPARE = 60  # with fewer the tails of what a bend has made are often no heavier than those of sums, and ranks lose little
_HELD_FIXED = 3  # variables that G² must have the rows to hold fixed
_TAILS = 1.75  # times the squared skewness: more excess kurtosis is a heavy tail
_ONE_ROW = 0.35  # of the sum of squares of a column: more in one row, and skewness and tails are those of this row
_CLEAR = 4.0  # standard errors from which a correlation is clear
_MOST_ROWS, _MOST_COLUMNS = 5_000, 200  # that are looked at to compare numbers and ranks
USUAL: Final = Sentence(
    "the columns hold numbers of usual shape; {ci_test=gaussian_copula} goes by ranks, {ci_test=basis_function} sees curves"
)


def auto_test(data: Table | Any, alpha: float = 0.01) -> CITest:
    """The test that fits a table.

    Continuous columns of usual shape are tested by Fisher's z; where some are skewed or have heavy
    tails, by the Gaussian copula, unless they are skewed as sums of skewed noise are, and related
    more closely as the numbers are than by ranks. Categories are counted (G²) where there are rows enough and most
    have more than two levels, else compared as blocks of indicators; tables of numbers and categories
    are compared as blocks of indicators and curves.

    Parameters
    ----------
    data : Table, DataFrame or array
        The table.
    alpha : float
        The level.

    Raises
    ------
    InvalidData
        The table is not what the test that fits it needs.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> type(auto_test(rng.normal(size=(200, 2)))).__name__, type(auto_test(rng.exponential(size=(200, 2)) ** 2)).__name__
    ('FisherZ', 'GaussianCopula')

    """
    table = as_table(data)
    made: Any = chosen_test(table)[0]
    return made(table, alpha)  # type: ignore[no-any-return]


def chosen_test(table: Table) -> tuple[type[CITest], str]:
    """The class of test that fits a table, which may have gaps, and why in words.

    Parameters
    ----------
    table : Table
        Its kinds are read from its values where that was not done before.

    """
    known = table.understood()
    kinds = [kind if kind in USED else "continuous" for kind in known.kinds]
    levelled = sum(kind in LEVELLED for kind in kinds)
    if not levelled:
        return _for_numbers(known)
    if levelled == len(kinds):
        return _for_categories(known)
    return BasisFunction, Sentence(
        "{n} of {all} columns {hold} categories or grades, so columns are compared as blocks of indicators and curves; "
        "{ci_test=degenerate_gaussian} sees straight lines only, and is a little surer of them",
        n=levelled,
        all=len(kinds),
        hold="holds" if levelled == 1 else "hold",
    )


def _for_numbers(table: Table) -> tuple[type[CITest], str]:
    odd = odd_shapes(table.values) if table.n_samples >= _FEW_ROWS else np.zeros(0, dtype=np.intp)
    if not len(odd):
        return FisherZ, USUAL
    name, more = table.labels[int(odd[0])], f" and {counted(len(odd) - 1, 'more column')} are" if len(odd) > 1 else " is"
    if table.n_samples >= _ROWS_TO_COMPARE and has_tails_of_sums(table.values[:, odd]) and closer_as_numbers(table.values, odd):
        return FisherZ, Sentence(
            "{name!r}{more} far from Gaussian in shape, but closer to others as numbers than as ranks and without heavy tails, so numbers "
            "are compared; {ci_test=gaussian_copula} goes by ranks",
            name=name,
            more=more,
        )
    return GaussianCopula, Sentence(
        "{name!r}{more} far from Gaussian in shape, so ranks are compared; {ci_test=fisher_z} takes the numbers as they are",
        name=name,
        more=more,
    )


def has_tails_of_sums(values: NDArray[np.float64]) -> bool:
    """Are the tails of most columns no heavier than their skewness calls for, and no matter of a single row?

    Of sums of exponential or gamma variables the excess kurtosis is 1.5 times the squared skewness. Where it is more, a few values rule
    all correlations, or a curve has made them, and ranks serve better. Where one row has most of the sum of squares, both are its own, and
    near to 1 : 1.
    """
    skewness, excess = _shapes(values)
    with np.errstate(all="ignore"):
        from_mean = np.abs(values - np.nanmean(values, axis=0)) / np.nanmax(np.abs(values), axis=0)
        largest = np.nanmax(from_mean, axis=0) ** 2 / np.nansum(from_mean**2, axis=0)
    return bool(np.median(excess / np.maximum(skewness**2, 1e-9)) <= _TAILS and np.median(largest) <= _ONE_ROW)


def closer_as_numbers(values: NDArray[np.float64], odd: NDArray[np.intp]) -> bool:
    """Are most of the odd columns' clear correlations larger between the numbers than between their normal scores?

    No scale relates two Gaussian variables more closely than their own (Lancaster 1957), so numbers that a bend made of such are closer
    by the scores of their ranks. Sums of effects and of skewed noise are closer as they are.
    """
    some = odd[:_MOST_COLUMNS]
    others = np.union1d(some, np.arange(min(values.shape[1], _MOST_COLUMNS)))
    rows = values[:_MOST_ROWS, others]
    present = ~np.isnan(rows)
    as_ranks = np.full_like(rows, np.nan)
    for column, there in enumerate(present.T):
        as_ranks[there, column] = normal_scores(rows[there, column])
    places = np.searchsorted(others, some)
    by_numbers, by_ranks = (np.abs(_correlations(each, places)) for each in (rows, as_ranks))
    together = present[:, places].T.astype(np.float64) @ present
    is_clear = np.maximum(by_numbers, by_ranks) > _CLEAR / np.sqrt(np.maximum(together, 1.0))
    is_clear[np.arange(len(places)), places] = False
    return bool(is_clear.any() and 2 * np.count_nonzero((by_numbers > by_ranks) & is_clear) >= np.count_nonzero(is_clear))


def _correlations(values: NDArray[np.float64], places: NDArray[np.intp]) -> NDArray[np.float64]:
    """Of some columns with all, near enough: gaps are taken for the mean."""
    with np.errstate(all="ignore"):
        present = ~np.isnan(values)
        standard = values - np.nansum(values, axis=0) / np.maximum(present.sum(axis=0), 1)
        standard /= np.sqrt(np.nansum(standard**2, axis=0))
    standard = np.nan_to_num(standard)
    return np.asarray(standard[:, places].T @ standard)


def _for_categories(table: Table) -> tuple[type[CITest], str]:
    levels = np.array([len(np.unique(column.values[~column.missing])) for column in table.columns], dtype=np.float64)
    if np.median(levels) <= 2:
        return DegenerateGaussian, Sentence(
            "all columns hold categories or grades, most of them of two levels, so they are compared as indicators; "
            "{ci_test=g_square} counts combinations of levels"
        )
    if table.n_samples >= rows_needed(levels, _HELD_FIXED):
        return GSquare, Sentence(
            "all columns hold categories or grades, and {n:,} rows are enough to count them; {ci_test=degenerate_gaussian} needs fewer",
            n=table.n_samples,
        )
    return DegenerateGaussian, Sentence(
        "all columns hold categories or grades, and {n:,} rows are few to count them, so they are compared as blocks of indicators; "
        "{ci_test=g_square} counts all the same",
        n=table.n_samples,
    )


def odd_shapes(values: NDArray[np.float64]) -> NDArray[np.intp]:
    """The columns that are clearly skewed, or have tails far heavier than Gaussian ones; gaps do not count."""
    skewness, excess = _shapes(values)
    return np.flatnonzero((np.abs(skewness) > _SKEWED) | (excess > _HEAVY))


def _shapes(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Skewness and excess kurtosis of every column."""
    missing = np.isnan(values)
    present = len(values) - missing.sum(axis=0)
    known = np.where(missing, 0.0, values) if missing.any() else values
    with np.errstate(all="ignore"):
        scale = np.abs(known).max(axis=0)
        standard = known / np.where(scale > 0, scale, 1.0)  # so that no power overflows
        standard -= standard.sum(axis=0) / present
        standard[missing] = 0.0
        squares = standard * standard
        variance = squares.sum(axis=0) / present
        skewness = np.einsum("ij,ij->j", squares, standard) / present / variance**1.5
        excess = np.einsum("ij,ij->j", squares, squares) / present / variance**2 - 3.0
    return skewness, excess
