"""dicola: causal discovery among observed variables when some are hidden.

The public names stand in ``__init__.pyi``, once for type checkers and for us; each loads when it is first used.
"""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path
from typing import Any

from dicola._version import __version__ as __version__

_STUB = ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
_IMPORTS = [(node.module or "", alias) for node in _STUB.body if isinstance(node, ast.ImportFrom) for alias in node.names]
_HOME = {alias.asname: (module, alias.name) for module, alias in _IMPORTS}

__all__ = [public for public, (_, own) in _HOME.items() if public == own and not public.startswith("_")]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'dicola' has no attribute {name!r}")
    module, own = _HOME[name]
    value = import_module(f"dicola.{own}") if module == "dicola" else getattr(import_module(module), own)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
