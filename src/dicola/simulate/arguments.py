"""The door of the simulators: seeds become random generators, counts are checked."""

from __future__ import annotations

import math
import operator
from typing import SupportsFloat, SupportsIndex

import numpy as np

from dicola.errors import InvalidSetting, Sentence, Setting

Seed = int | np.random.Generator


def generator(seed: Seed, purpose: str) -> np.random.Generator:
    """The random stream of a seed for one purpose; a ``Generator`` is used as it is and moves on.

    One number may seed the graph, the hidden variables and the data of an experiment: each purpose has a stream of its own, so the
    coefficients do not repeat the random bits that chose the arcs.
    """
    if isinstance(seed, np.random.Generator):
        return seed
    key = tuple(purpose.encode())
    return np.random.default_rng(np.random.SeedSequence(whole_number("seed", seed, least=0), spawn_key=key))


def real_number(name: str, value: float, what: str) -> float:
    """The value as a float, if it is a finite number; ``what`` says what is allowed."""
    if isinstance(value, bool | str) or not isinstance(value, SupportsFloat) or not math.isfinite(value):
        raise _unfit(name, value, what)
    return float(value)


def whole_number(name: str, value: SupportsIndex, least: int) -> int:
    """The value as an int, if it is whole and not below ``least``."""
    try:
        number = operator.index(value)
    except TypeError:
        raise _unfit(name, value, f"a whole number of at least {least}") from None
    if number < least:
        raise _unfit(name, number, f"at least {least}")
    return number


def _unfit(name: str, value: object, what: str) -> InvalidSetting:
    return InvalidSetting(Sentence("{name} must be {what}; got {value!r}.", name=Setting(name), what=what, value=value))
