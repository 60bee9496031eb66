"""Whatever is passed to a public constructor or function, nothing but a ``DicolaError`` comes out."""

from __future__ import annotations

from dataclasses import fields
from decimal import Decimal
from inspect import isclass

import numpy as np
import pytest

import dicola
from dicola import GFCI, DicolaError, FisherZ, InvalidSetting, MagBIC, simulate
from dicola.allowed import ALLOWED, check, checked, number_in
from dicola.blankets.registry import BLANKETS
from dicola.errors import shown
from dicola.learners.registry import ALL
from dicola.pipeline.plan import Plan
from tests.wrong_settings import WRONG, calls, cases, escape, main

KNOWN = calls()
NO_CALLS = {"Ledger", "Dataset", "CITest", "Learner"}  # other names, and classes to be inherited from
ANSWERS = {"Bootstrap", "Effect", "JointEffect", "NearBest"}


def test_there_are_at_least_two_thousand_of_them_over_every_public_constructor_and_function():
    assert len(list(cases(KNOWN))) >= 2000
    public = {name for name in dicola.__all__ if callable(getattr(dicola, name))}
    errors = {name for name in public if isclass(getattr(dicola, name)) and issubclass(getattr(dicola, name), BaseException)}
    assert public - errors - NO_CALLS - ANSWERS - set(KNOWN) == set(), "give each a call that works, in tests/wrong_settings.py"
    assert {f"simulate.{name}" for name in simulate.__all__} - set(KNOWN) == {"simulate.network_names"}


@pytest.mark.parametrize("name", KNOWN)
def test_a_call_works_as_it_is(name):
    try:
        KNOWN[name]()
    except DicolaError as error:
        assert "no such" in str(error)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", KNOWN)
def test_nothing_but_our_own_errors_comes_out(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some words are allowed as the name of a folder
    raw = {str(case): error for case in cases({name: KNOWN[name]}) if (error := escape(KNOWN, case)) is not None}
    assert raw == {}


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (lambda: MagBIC(threshold=None), "threshold is None; it must be a number, such as 6."),
        (lambda: GFCI(penalty="x"), "penalty is 'x'; it must be a positive number, such as 2 (the usual price)."),
        (lambda: FisherZ(np.eye(9), alpha=10**309), "it must lie strictly between 0 and 1, for example 0.01."),
        (lambda: GFCI(penalty=Decimal("sNaN")), "penalty is Decimal('sNaN'); it must be a positive number"),
        (lambda: Plan(decompose="no"), "decompose is 'no'; it must be True or False."),
        (lambda: simulate.er_dag(10**309, 2, seed=1), "n must be at most 1,000,000,000; got 10000"),
        (lambda: Plan(n_jobs=10**5000), "n_jobs is a value of type int; it must be a whole number of workers, or -1 for all cores."),
    ],
)
def test_the_sentence_names_the_setting_its_value_and_the_rule(made, says):
    with pytest.raises(InvalidSetting) as caught:
        made()
    assert says in str(caught.value)


def test_every_field_of_ours_is_in_the_table():
    known = {*ALLOWED, "function", "name", "polish", "depth", "learner", "ci_test", "mode", "knowledge", "blankets"}
    classes = [*ALL.values(), *BLANKETS.values(), Plan]
    assert {each.name for kind in classes for each in fields(kind)} - known == set()


def test_a_default_is_not_put_to_the_rule_and_the_signature_stays():
    @checked()
    def door(alpha: float | None = None, *rest: int, seed: int = -1) -> str:
        """What it does."""
        return f"{alpha} {rest} {seed}"

    assert door() == "None () -1" and door(0.5, 1, 2, seed=3) == "0.5 (1, 2) 3" and door.__doc__ == "What it does."
    for arguments in ({"alpha": 2}, {"seed": -2}):
        with pytest.raises(InvalidSetting):
            door(**arguments)


def test_no_kind_raises_whatever_it_is_shown():
    for value in WRONG.values():
        for name, kind in ALLOWED.items():
            assert isinstance(kind.fits(value), bool), (name, shown(value))
        assert isinstance(number_in(value), float)
    check("a setting nobody knows", object())


def test_the_command_fails_where_something_raw_comes_out(monkeypatch):
    said: list[str] = []
    monkeypatch.setattr("tests.wrong_settings.calls", lambda: {"simulate.network": KNOWN["simulate.network"]})
    assert main(said.append) == 0 and said[-1].endswith("1 constructors and functions: 0 raw errors\n")
    monkeypatch.setattr("tests.wrong_settings.escape", lambda known, case: TypeError("raw"))
    assert main(said.append) == 1 and f"{len(WRONG)} raw errors" in said[-1]
