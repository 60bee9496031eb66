"""Names of columns: distinct, and in the fixed order in which the library works.

Columns are sorted by name before any sum is taken, so that permuting a named table changes
nothing, not even rounding. Answers go back in the user's order.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from dicola.allowed import NAMES, check
from dicola.errors import InvalidData, counted

_RUNS_OF_DIGITS = re.compile(r"([0-9]+)")


def name_order(names: Iterable[str]) -> list[int]:
    """Positions of the names in the fixed order: by numbers inside them, so X2 comes before X10."""
    return list(_name_order(tuple(names)))


@lru_cache(maxsize=16)  # many runs on the rows of one table ask for the same
def _name_order(names: tuple[str, ...]) -> tuple[int, ...]:
    known: dict[str, tuple[bool, int, str]] = {}
    keys = [([known.get(p) or known.setdefault(p, _piece(p)) for p in _RUNS_OF_DIGITS.split(name)], name) for name in names]
    return tuple(sorted(range(len(names)), key=keys.__getitem__))


def _piece(part: str) -> tuple[bool, int, str]:
    """A run of digits by its value (length without leading zeros, digits), before other text."""
    digits = part.lstrip("0")
    return (False, len(digits), digits) if part[:1].isascii() and part[:1].isdigit() else (True, 0, part)


def distinct_names(names: Iterable[object]) -> tuple[str, ...]:
    """Names as distinct, non-empty strings."""
    check("names", names, NAMES)
    result = tuple(map(str, names))
    if len(set(result)) == len(result) and all(map(str.strip, result)) and all(map(str.isprintable, result)):
        return result
    seen: set[str] = set()
    for position, name in enumerate(result, start=1):
        if not name.strip():
            raise InvalidData(f"column {position} has no name; give every column a name.")
        if not name.isprintable() and any("\ud800" <= letter <= "\udfff" for letter in name):
            raise InvalidData(f"the name of column {position}, {name!r}, holds half a character, which no file can store; rename it.")
        if name in seen:
            raise InvalidData(f"the column name {name!r} appears more than once; rename one of them.")
        seen.add(name)
    return result


def named_or_positions(names: Iterable[object] | None, count: int) -> list[str]:
    """The names given, or X1, X2, … by position."""
    if names is None:
        return [f"X{i + 1}" for i in range(count)]
    check("names", names, NAMES)
    given = [str(name) for name in names]
    if len(given) != count:
        raise InvalidData(f"{counted(len(given), 'name was', 'names were')} given for {counted(count, 'column')}.")
    return given
