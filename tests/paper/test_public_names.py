"""The experiments stand outside the library: they use what it shows to everybody, nothing else."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import dicola

FILES = sorted((Path(__file__).parents[2] / "paper" / "dicola_experiments").glob("*.py"))
PUBLIC = {"dicola": set(dicola.__all__)} | {f"dicola.{name}": None for name in ("compat", "metrics", "simulate")}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_only_public_names_of_the_library_are_imported(file):
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            assert not [alias.name for alias in node.names if alias.name.partition(".")[0] == "dicola"], "names are imported one by one"
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "dicola":
            assert node.module in PUBLIC, node.module
            names = {alias.name for alias in node.names}
            assert not {name for name in names if name.startswith("_")} and names <= (PUBLIC[node.module] or names)


def test_there_are_files_to_look_at():
    assert len(FILES) > 15
