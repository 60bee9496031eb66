"""The page about formats: its code runs, and its table is the registry's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dicola.graphs.formats.registry import FORMATS

PAGE = (Path(__file__).parents[3] / "docs" / "formats.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_the_code_runs_as_printed(block, tmp_path, monkeypatch, capsys):
    pytest.importorskip("causallearn", reason="causal-learn is not installed")
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "formats.md", "exec"), {})
    out = capsys.readouterr().out
    assert out.strip() and "False" not in out


def test_the_table_lists_every_format_with_its_endings_in_order():
    rows = re.findall(r"^\| `([a-z-]+)` \| ([^|]*) \|", PAGE, flags=re.MULTILINE)
    listed = [(name, tuple(re.findall(r"`([^`]*)`", endings))) for name, endings in rows]
    assert listed == [(entry.name, entry.endings) for entry in FORMATS.values()]
