"""Tests on tables with gaps: which way a test can go, and the test made in that way."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

import numpy as np

from dicola.ci.base import CITest
from dicola.ci.fisher_z import FisherZ
from dicola.ci.pooled import Pooled
from dicola.ci.registry import TESTS, Recipe, test_on
from dicola.ci.testwise import TestwiseFisherZ
from dicola.errors import InvalidData, InvalidSetting, Sentence, Setting, counted
from dicola.tables.gaps import effective_rows
from dicola.tables.imputation import imputed
from dicola.tables.table import Table

Way = Literal["listwise", "testwise", "em", "impute"]
_ENOUGH_COMPLETE = 0.5  # share of complete rows with which a test that cannot take gaps is content
ASSUMED: dict[str, str] = {
    "listwise": "only complete rows are used, which assumes that gaps are left by chance (missing completely at random)",
    "testwise": "each test uses the rows that have its columns, which assumes that gaps are left by chance (missing completely at random)",
    "em": "correlations are the most likely ones by EM, which assumes that gaps depend on observed values alone (missing at random)",
    "impute": "gaps are filled in several times and the answers pooled, which assumes that gaps depend on observed values alone "
    "(missing at random)",
}


def class_of(recipe: Recipe) -> type[CITest] | None:
    """The class of test that a recipe names; ``None`` where it does not say."""
    if isinstance(recipe, partial):
        recipe = recipe.func
    if isinstance(recipe, str):
        return TESTS.find(recipe)
    return recipe if isinstance(recipe, type) and issubclass(recipe, CITest) else None


def _own_ways(kind: type[CITest] | None) -> tuple[str, ...]:
    """The ways that a class declares where it takes a table; a class that takes it in another way says so anew."""
    taker = next((each for each in kind.__mro__ if "__init__" in vars(each)), None) if kind is not None else None
    return vars(taker).get("gaps", ()) if taker is not None else ()


def way_around_gaps(recipe: Recipe, table: Table, wanted: str) -> Way:
    """How a test is to go about the gaps of a table; ``InvalidSetting`` where it cannot as wanted."""
    kind = class_of(recipe)
    own = _own_ways(kind)
    if wanted in ("listwise", "impute"):
        return wanted  # type: ignore[return-value]
    if wanted != "auto":
        if wanted not in own:
            named = recipe if kind is None else kind.__name__
            raise InvalidSetting(
                Sentence(
                    "{missing} is no way for the test {named}; take {others}.",
                    missing=Setting("missing", wanted),
                    named=named,
                    others=" or ".join(repr(way) for way in (*own, "impute", "listwise")),
                )
            )
        return wanted  # type: ignore[return-value]
    if own:
        return own[0]  # type: ignore[return-value]
    complete = float((~np.isnan(table.values)).all(axis=1).mean())
    return "listwise" if complete >= _ENOUGH_COMPLETE else "impute"


def test_with_gaps(recipe: Recipe, table: Table, alpha: float, way: Way, seed: int) -> CITest:
    """The test that a recipe makes of a table with gaps."""
    if way == "listwise":
        return test_on(recipe, _complete(table), alpha)
    if way == "impute":
        tests = [test_on(recipe, filled, alpha) for filled in imputed(table, seed)]
        return Pooled(tests, effective_rows(~np.isnan(table.values)))
    kind = class_of(recipe)
    if way == "testwise" and kind is FisherZ:
        further: dict[str, Any] = recipe.keywords if isinstance(recipe, partial) else {}
        return TestwiseFisherZ(table, alpha, **further)
    named: Any = TESTS.named(recipe) if isinstance(recipe, str) else recipe
    return test_on(partial(named, missing="em") if way == "em" else named, table, alpha)


test_with_gaps.__test__ = False  # type: ignore[attr-defined]  # not a test of the suite


def _complete(table: Table) -> Table:
    complete = (~np.isnan(table.values)).all(axis=1)
    if complete.sum() < 5:
        raise InvalidData(
            Sentence(
                "{rows} no gaps, too few to go on with {missing=listwise}; take {missing=em} or {missing=impute}.",
                rows=counted(int(complete.sum()), "row has", "rows have"),
            )
        )
    return table.rows(complete)
