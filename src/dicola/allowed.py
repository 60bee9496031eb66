"""What every setting may be: one table of kinds and bounds, by the name of the setting, and the door that checks by it.

A door is a function or constructor with ``@checked()``, or a dataclass that calls ``check_fields``.
Whatever comes in, only :class:`dicola.errors.InvalidSetting` comes out: a comparison of something odd
may raise anything, so no value is compared before its type is known.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, fields
from decimal import Decimal
from functools import cache, wraps
from inspect import signature
from math import inf, isfinite, nan
from numbers import Real
from typing import Any, ParamSpec, TypeVar

from dicola.errors import not_allowed

P = ParamSpec("P")
R = TypeVar("R")
MOST = 2**63 - 1  # what the kernels can count


@dataclass(frozen=True)
class Kind:
    """What a setting may be.

    Parameters
    ----------
    rule : str
        The end of a sentence: what it must be.
    fits : callable
        Is a value of this kind? Raises nothing.

    """

    rule: str
    fits: Callable[[object], bool]

    def or_none(self, rule: str) -> Kind:
        """The same, or ``None``."""
        return Kind(rule, lambda value: value is None or self.fits(value))


def number_in(value: object) -> float:
    """The value as a float; not a number where it is none, is too large, or is a word or a truth value."""
    if _is_truth(value) or not isinstance(value, Real | Decimal):
        return nan
    try:
        return float(value)
    except (ArithmeticError, ValueError):  # beyond all floats; a signalling NaN
        return nan


def whole(rule: str, least: int = 0, most: int = MOST) -> Kind:
    """A whole number within bounds."""
    return Kind(rule, lambda value: isinstance(value, int) and not isinstance(value, bool) and least <= value <= most)


def number(rule: str, least: float = -inf, most: float = inf, above: float = -inf) -> Kind:
    """A finite number within bounds."""
    return Kind(rule, lambda value: isfinite(number_in(value)) and above < number_in(value) and least <= number_in(value) <= most)


@cache
def instance(*types: type) -> Kind:
    """An object of one of some classes."""
    return Kind(f"it must be a {' or a '.join(kind.__name__ for kind in types)}.", lambda value: isinstance(value, types))


def _is_level(value: object) -> bool:
    try:
        return 0.0 < float(value) < 1.0  # type: ignore[arg-type]
    except (TypeError, ValueError, ArithmeticError):
        return False


def _is_truth(value: object) -> bool:
    """True or false, NumPy's included, which is too much to import for that."""
    return isinstance(value, bool) or (type(value).__module__ == "numpy" and type(value).__name__ in ("bool", "bool_"))


def _is_flag(value: object) -> bool:
    return _is_truth(value) or (isinstance(value, int) and value in (0, 1))


def _are_names(value: object) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, bytes | type) and getattr(value, "ndim", 1) == 1


def _are_texts(value: object) -> bool:
    """A word, or a collection of words: one that can be walked through again."""
    return isinstance(value, str) or (
        isinstance(value, Collection) and not isinstance(value, bytes) and all(isinstance(each, str) for each in value)
    )


def _are_targets(value: object) -> bool:
    return isinstance(value, Mapping) and all(isinstance(name, str) and _are_texts(aimed) for name, aimed in value.items())


def _is_path(value: object) -> bool:
    try:
        return isinstance(value, str | os.PathLike) and "\0" not in os.fspath(value) and bool(os.fsencode(value))
    except (TypeError, ValueError):
        return False


def takes(count: int) -> Callable[[object], bool]:
    """Can a function be called with so many arguments, as far as that can be seen?"""

    def fits(value: object) -> bool:
        if not callable(value) or isinstance(value, type):
            return False
        try:
            signature(value).bind(*[None] * count)
        except TypeError:
            return False
        except ValueError:  # a function in C that does not tell
            return True
        return True

    return fits


LEVEL = Kind("it must lie strictly between 0 and 1, for example 0.01.", _is_level)
LEVEL_OR_NONE = LEVEL.or_none(LEVEL.rule)
LIMIT = whole("").or_none("it must be a whole number from 0 on, or None for no limit.")
COUNT = whole("it must be a whole number from 1 on.", least=1)
FEW = whole("it must be a whole number from 1 to 10,000.", least=1, most=10_000)
SEED = whole("it must be a whole number from 0 on.", most=10**400)
FLAG = Kind("it must be True or False.", _is_flag)
WORD = Kind("it must be a word.", lambda value: isinstance(value, str))
WORD_OR_NONE = WORD.or_none("it must be a word, or None.")
ANY = Kind("", lambda value: True)
TEXT = Kind("it must be text.", lambda value: isinstance(value, str))
PATH = Kind("it must be the path of a file or folder.", _is_path)
NAMES = Kind("it must be a list of names.", _are_names)
NAMES_OR_NONE = NAMES.or_none(NAMES.rule)
MAPPING_OR_NONE = Kind("", lambda value: isinstance(value, Mapping)).or_none("it must be a dict such as {'sex': 'nominal'}.")
PENALTY = number("it must be a positive number, such as 2 (the usual price).", above=0.0)
WORKERS = Kind(
    "it must be a whole number of workers, or -1 for all cores.",
    lambda value: isinstance(value, int) and not isinstance(value, bool) and value != 0 and -10_000 <= value <= 10_000,
)

ALLOWED: Mapping[str, Kind] = {
    "alpha": LEVEL,
    **dict.fromkeys(("uig_alpha", "first_alpha"), LEVEL_OR_NONE),
    **dict.fromkeys(("max_condition_size", "max_possible_dsep_size", "max_base_size", "max_hierarchy_size", "max_side"), LIMIT),
    **dict.fromkeys(("max_path_length", "max_visited"), LIMIT),
    **dict.fromkeys(("max_depth", "min_leaf_size", "max_nodes"), whole("", most=10**400).or_none(LIMIT.rule)),
    "max_local_path": whole("", most=1000).or_none("it must be a whole number from 0 on, 1,000 at most, or None for no limit."),
    "max_seconds": number("", above=0.0).or_none("it must be a number of seconds above 0, or None for no limit."),
    "max_tests": whole("").or_none("it must be a whole number of tests from 0 on, or None for no limit."),
    "max_memory": number("", above=0.0).or_none("it must be a number of megabytes above 0, or None for no limit."),
    "n_starts": FEW,
    "max_district": FEW,
    "penalty": PENALTY,
    "threshold": number("it must be a number, such as 6."),
    "level": number("it must lie between 0 and 1, such as 0.95.", above=0.0, most=1.0 - 1e-12),
    "replace": FLAG,
    "members": whole("it must be a number of graphs, at least 1.", least=1),
    "recall": number("it must be a share from 0 to 1, for example 0.1.", least=0.0, most=1.0),
    "min_rows": number("it must be a number of rows from 0 on, for example 5.", least=0.0),
    **dict.fromkeys(("features", "given_features"), FEW),
    "seed": SEED,
    "n_jobs": WORKERS,
    **dict.fromkeys(("decompose", "selection", "legalize", "strict", "polish", "williams", "possible_ancestors"), FLAG),
    **dict.fromkeys(("cache", "verbose"), FLAG),
    **dict.fromkeys(
        ("untestable", "determined", "missing", "uig", "leaf_start", "possible_dsep", "pool", "order", "errors", "undecided"), WORD
    ),
    **dict.fromkeys(("method", "interval"), WORD),
    "device": WORD,
    "scheduler": Kind(
        "it must be an address such as 'tcp://127.0.0.1:8786', or None.",
        lambda value: value is None or (isinstance(value, str) and ":" in value),
    ),
    **dict.fromkeys(("stop", "workers", "colliders"), WORD_OR_NONE),
    **dict.fromkeys(("names", "nodes", "node_names"), NAMES_OR_NONE),
    **dict.fromkeys(("latents", "drop", "missing_values", "given", "modes", "z", "edges", "variables"), NAMES),
    "kinds": MAPPING_OR_NONE,
    "targets": Kind("", _are_targets).or_none("it must be a dict such as {'drug': ['pkc']}."),
    "contexts": Kind("", _are_texts).or_none("it must be a list."),
    **dict.fromkeys(("bootstrap", "bootstrap_seed"), whole("it must be a whole number, 0 at least.")),
    "bootstrap_fraction": number("", most=1.0 - 1e-9, above=0.0).or_none(
        "it must lie between 0 and 1; leave it out to draw with replacement."
    ),
    "text": TEXT,
    **dict.fromkeys(("path", "folder"), PATH),
    "checkpoint": PATH.or_none("it must be the path of a folder."),
    "progress": Kind("", takes(3)).or_none("it must be a function of (phase, done, total)."),
}
"""What a setting may be, by its name, wherever it does not say otherwise at its own door."""


def check(name: str, value: object, kind: Kind | None = None) -> None:
    """Refuse a value that a setting cannot have; by default the table says what it may be."""
    kind = ALLOWED.get(name) if kind is None else kind
    if kind is not None and not kind.fits(value):
        raise not_allowed(name, value, kind.rule)


def check_fields(settings: Any, **own: Kind) -> None:
    """Check every field of a dataclass that is not as it is by default; ``own`` are kinds of this class alone."""
    for name, default in _fields_of(type(settings)):  # type: ignore[arg-type]
        value = getattr(settings, name)
        if value is not default:
            check(name, value, own.get(name))


@cache
def _fields_of(kind: Any) -> tuple[tuple[str, object], ...]:
    return tuple((each.name, each.default) for each in fields(kind))


def checked(**own: Kind) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A function whose arguments are checked before it runs; ``own`` are kinds of this function alone."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        parameters = list(signature(function).parameters.values())
        names = [parameter.name for parameter in parameters if parameter.kind is not parameter.VAR_POSITIONAL]
        kinds = {name: own.get(name, ALLOWED.get(name)) for name in names}
        defaults: dict[str, Any] = {parameter.name: parameter.default for parameter in parameters}

        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            for name, value in (*zip(names, args, strict=False), *kwargs.items()):
                kind = kinds.get(name)
                if kind is not None and value is not defaults[name] and not kind.fits(value):
                    raise not_allowed(name, value, kind.rule)
            return function(*args, **kwargs)

        return call

    return decorate
