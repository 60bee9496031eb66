"""Tests by name, and how a test is made from a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from dicola.ci.auto import auto_test
from dicola.ci.base import CITest
from dicola.ci.conditional_gaussian import ConditionalGaussian
from dicola.ci.degenerate_gaussian import BasisFunction, DegenerateGaussian
from dicola.ci.fisher_z import FisherZ
from dicola.ci.g_square import ChiSquare, GSquare
from dicola.ci.gaussian_copula import GaussianCopula
from dicola.ci.kernel_tests import KCI, RCIT
from dicola.errors import InvalidSetting, Sentence, not_allowed
from dicola.registry import Registry

AUTO = "auto"
TESTS: Registry[CITest] = Registry(
    "test", FisherZ, GSquare, ChiSquare, DegenerateGaussian, BasisFunction, GaussianCopula, ConditionalGaussian, RCIT, KCI
)

Recipe = str | Callable[..., CITest]
"""A test until it meets a table: a name, a class, or anything callable as ``recipe(table, alpha=alpha)``."""


def test_on(recipe: Recipe, table: Any, alpha: float) -> CITest:
    """The test that a recipe makes of a table."""
    if not isinstance(recipe, str) and not callable(recipe):
        raise not_allowed(
            "ci_test", recipe, f"it may be a name ({', '.join(TESTS)} or {AUTO}), a class, or a function of (table, alpha=…)."
        )
    try:
        made = _maker(recipe)(table, alpha=alpha)
    except TypeError as error:  # the cause stays in the traceback
        raise not_allowed("ci_test", recipe, f"called with (table, alpha=…) it ends in an error: {error}.") from error
    if not isinstance(made, CITest):
        raise InvalidSetting(
            Sentence("{ci_test} made a {kind}; it must make a conditional independence test (dicola.CITest).", kind=type(made).__name__)
        )
    return made


def _maker(recipe: Recipe) -> Callable[..., CITest]:
    if not isinstance(recipe, str):
        return recipe
    return auto_test if recipe.lower() == AUTO else TESTS.named(recipe)


test_on.__test__ = False  # type: ignore[attr-defined]  # not a test of the suite


def record_of(ci: CITest) -> dict[str, Any]:
    """Everything that was set of a test, by name, with the number of rows behind it."""
    return {"name": getattr(ci, "recorded_as", type(ci).__name__), "alpha": ci.alpha, "n_samples": ci.n_samples, **ci.settings()}


def recipe_from(record: Mapping[str, Any]) -> tuple[Recipe, float]:
    """The recipe and the level behind a record, to make the same test on other rows."""
    entry = TESTS.find(record["name"])
    if entry is None or record["alpha"] is None:
        raise InvalidSetting(
            f"the record speaks of the test {record['name']!r}, which cannot be made from a table. Known: {', '.join(TESTS)}."
        )
    further = {name: value for name, value in record.items() if name not in ("name", "alpha", "n_samples")}
    return partial(entry, **further) if further else entry, float(record["alpha"])
