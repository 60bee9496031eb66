"""Every call of a kernel made twice, compiled and by Python, and both held equal to the bit."""

from __future__ import annotations

import importlib
import pkgutil
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher

import dicola._kernels as kernels
from dicola._kernels.compiled import _Way
from dicola._kernels.interpreted import _arrays_in, _of_python, plain_of


def all_kernels() -> list[Any]:
    """All that the library calls, with how each is done."""
    modules = [importlib.import_module(f"{kernels.__name__}.{module.name}") for module in pkgutil.iter_modules(kernels.__path__)]
    found = {each for module in modules for each in vars(module).values() if isinstance(each, Dispatcher)}
    ours = [each for each in found if isinstance(each.__dict__.get("_compile_for_args"), _Way)]
    return sorted(ours, key=lambda each: (each.py_func.__module__, each.py_func.__name__))


def copied(value: Any) -> Any:
    """The same with arrays of its own, as read-only as they were."""
    if isinstance(value, np.ndarray):
        new = value.copy()
        new.flags.writeable = value.flags.writeable
        return new
    if isinstance(value, tuple):
        parts = [copied(each) for each in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value


def same(one: Any, other: Any) -> bool:
    """Are these the same types with the same bits?"""
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return bool(one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes())
    if isinstance(one, tuple):
        return len(one) == len(other) and all(same(a, b) for a, b in zip(one, other, strict=True))
    return bool(one == other or (one != one and other != other))


@contextmanager
def both_ways() -> Iterator[Counter[str]]:
    """While every call of a kernel is made both ways; how often each was called."""
    calls: Counter[str] = Counter()
    ways = {each: each._compile_for_args for each in all_kernels()}

    def doubled(each: Any, way: _Way) -> Any:
        name = f"{each.py_func.__module__}.{each.py_func.__name__}"

        def call(*arguments: Any) -> Any:
            calls[name] += 1
            ours = tuple(copied(argument) for argument in arguments)
            with np.errstate(all="ignore"):
                found = _of_python(plain_of(each.py_func)(*ours))
            expected = way._compiled_for(*arguments)(*arguments)
            each._clear()
            assert same(found, expected), f"{name}: {found} is not {expected}"
            for mine, its in zip(_arrays_in(ours), _arrays_in(arguments), strict=True):
                assert same(mine, its), f"{name} leaves other arguments"
            return expected

        return lambda *arguments: call

    for each, way in ways.items():
        each._clear()
        each._compile_for_args = doubled(each, way)
    try:
        yield calls
    finally:
        for each, way in ways.items():
            each._clear()
            each._compile_for_args = way
