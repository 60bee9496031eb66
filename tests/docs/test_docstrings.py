"""Everything public tells what it takes: NumPy-style sections under the idea in one line."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import pytest

import dicola
from dicola import compat, metrics, simulate
from dicola.errors import DicolaError


def takes(function: Any) -> set[str]:
    """The parameters of a function that a user may give."""
    known = inspect.signature(function).parameters
    return {name for name in known if name not in ("self", "cls", "args", "kwargs") and not name.startswith("_")}


def public() -> Iterator[tuple[str, Any]]:
    """Public functions and classes, and the public methods that the classes define themselves."""
    names = {name: getattr(dicola, name) for name in dicola.__all__ if not inspect.ismodule(getattr(dicola, name))}
    for module in (simulate, metrics, compat):
        own = {name: thing for name, thing in vars(module).items() if inspect.isfunction(thing) and not name.startswith("_")}
        names |= {f"{module.__name__}.{name}": thing for name, thing in own.items() if thing.__module__.startswith(module.__name__)}
    for name, thing in names.items():
        yield name, thing
        if inspect.isclass(thing) and not issubclass(thing, DicolaError):
            for method, value in vars(thing).items():
                function = value.__func__ if isinstance(value, classmethod | staticmethod) else value
                is_new = not any(hasattr(parent, method) for parent in thing.__mro__[1:])  # else its parent tells
                if inspect.isfunction(function) and not method.startswith("_") and is_new:
                    yield f"{name}.{method}", function


EVERYTHING = dict(public())


@pytest.mark.parametrize("name", EVERYTHING)
def test_what_is_public_says_what_it_takes(name):
    thing = EVERYTHING[name]
    text = inspect.getdoc(thing) or ""
    assert text, f"{name} has no docstring"
    if inspect.isclass(thing):
        if issubclass(thing, DicolaError) or inspect.isabstract(thing):
            return
        assert "Parameters\n---" in text or "Attributes\n---" in text or not takes(thing), f"{name} does not list what it takes"
        return
    missing = [each for each in takes(thing) if each not in text]
    assert not takes(thing) or "Parameters\n---" in text, f"{name} takes {', '.join(sorted(takes(thing)))} and has no section on them"
    assert not missing, f"{name} does not speak of {', '.join(missing)}"
