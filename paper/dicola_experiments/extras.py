"""Packages that some figures and methods need and that are not installed with dicola."""

from __future__ import annotations

import warnings
from importlib import import_module
from types import ModuleType

from dicola import MissingExtra


def from_extra(module: str, package: str) -> ModuleType:
    """Import a module of such a package, without its warnings; an error says how to install it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return import_module(module)
    except ImportError as error:
        raise MissingExtra(f"this needs {package} ({error}); install it with: pip install {package}") from error
