"""The door of the simulators: seeds become random generators, counts are checked."""

from __future__ import annotations

import math
import operator
from typing import SupportsIndex

import numpy as np

from dicola.allowed import number_in
from dicola.errors import InvalidSetting, Sentence, Setting, shown

MOST_DRAWN = 10**9  # of vertices, rows and the like
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
    found = number_in(value)
    if not math.isfinite(found):
        raise _unfit(name, value, what)
    return found


def whole_number(name: str, value: SupportsIndex, least: int) -> int:
    """The value as an int, if it is whole and not below ``least``."""
    try:
        number = operator.index(value)
    except TypeError:
        raise _unfit(name, value, f"a whole number of at least {least}") from None
    if number < least:
        raise _unfit(name, number, f"at least {least}")
    if number > MOST_DRAWN and name != "seed":
        raise _unfit(name, number, f"at most {MOST_DRAWN:,}")
    return number


def _unfit(name: str, value: object, what: str) -> InvalidSetting:
    return InvalidSetting(Sentence("{name} must be {what}; got {value}.", name=Setting(name), what=what, value=shown(value)))
