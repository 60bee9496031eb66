"""Packages that are not installed with dicola itself."""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from types import ModuleType

from dicola.errors import MissingExtra


def from_extra(module: str, package: str) -> ModuleType:
    """Import a module of an optional package; ``MissingExtra`` says how to install it.

    A first import may compile files that warn of their own syntax; this is silenced here, and nowhere else, because the filters that
    do it belong to the whole process and not to a thread.
    """
    if sys.modules.get(module) is not None:
        return import_module(module)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return import_module(module)
    except ImportError as error:
        raise MissingExtra(f"this needs {package} ({error}); install it with: pip install {package}") from error
