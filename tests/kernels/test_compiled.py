"""Kernels are kept on disk where that can be; where it cannot, they are compiled, and that is said once."""

from __future__ import annotations

import errno
import importlib.util
import warnings
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from numba.core.caching import IndexDataCacheFile

from dicola._kernels import compiled

SOURCE = """
from dicola._kernels.compiled import inner, kernel

@inner
def doubled(x):
    return x + x

@kernel
def total(values):
    found = 0.0
    for value in values:
        found += doubled(value)
    return found
"""


@pytest.fixture(autouse=True)
def nothing_said(monkeypatch):
    monkeypatch.setattr(compiled, "_said", [])


def loaded(folder: Path) -> ModuleType:
    """The kernels of SOURCE, loaded anew from a file of their own."""
    spec = importlib.util.spec_from_file_location("kept_kernels", folder / "kept_kernels.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def answer(folder: Path) -> tuple[float, list[str]]:
    """What the kernel says, and the warnings on the way."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = loaded(folder).total(np.arange(4.0))
    return found, [str(each.message) for each in told]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    (tmp_path / "kept_kernels.py").write_text(SOURCE)
    return tmp_path


def kept(folder: Path, ending: str) -> list[Path]:
    return sorted((folder / "__pycache__").glob(f"*.{ending}"))


def test_kernels_are_kept_and_loaded(folder):
    assert answer(folder) == (12.0, [])
    assert len(kept(folder, "nbi")) == len(kept(folder, "nbc")) == 2
    total = loaded(folder).total
    assert total(np.arange(4.0)) == 12.0
    assert sum(total.stats.cache_hits.values()) == 1


def test_without_a_folder_they_are_compiled(folder, monkeypatch):
    (folder / "__pycache__").touch()  # a file where the folder would be
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "kept_kernels.py" / "below"))
    monkeypatch.setenv("HOME", str(folder / "kept_kernels.py" / "below"))
    found, told = answer(folder)
    assert found == 12.0
    assert len(told) == 1 and "no locator" in told[0] and "NUMBA_CACHE_DIR" in told[0]


def test_on_a_full_disk_they_are_compiled(folder, monkeypatch):
    def full(self, path):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(IndexDataCacheFile, "_open_for_write", full)
    found, told = answer(folder)
    assert found == 12.0
    assert len(told) == 1 and "No space left on device" in told[0]


def flipped(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-100])


def overwritten(file: Path) -> None:
    file.write_bytes(b"no pickle")


def emptied(file: Path) -> None:
    file.write_bytes(b"")


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
@pytest.mark.parametrize("damage", [flipped, cut, overwritten, emptied])
def test_a_damaged_file_is_replaced(damage, ending, folder, monkeypatch):
    answer(folder)
    for file in kept(folder, ending):
        damage(file)
    found, told = answer(folder)
    assert found == 12.0
    assert len(told) <= 1  # a bit of the index that only makes another key is not noticed, and costs nothing but the time
    assert ending == "nbi" or "damaged" in told[0]
    monkeypatch.setattr(compiled, "_said", [])
    assert answer(folder) == (12.0, [])
    total = loaded(folder).total
    assert total(np.arange(4.0)) == 12.0
    assert sum(total.stats.cache_hits.values()) == 1


def test_a_damaged_file_that_cannot_be_replaced_is_passed_over(folder, monkeypatch):
    answer(folder)
    for file in kept(folder, "nbi"):
        overwritten(file)

    def read_only(self, path):
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(IndexDataCacheFile, "_open_for_write", read_only)
    found, told = answer(folder)
    assert found == 12.0
    assert len(told) == 1 and "cannot be replaced" in told[0]


def test_a_kernel_is_compiled_again_where_a_module_beside_it_has_changed(folder):
    """It holds the code of what it calls, which may stand in another file."""
    answer(folder)
    (folder / "beside.py").write_text("changed = True")
    compiled._sources_in.cache_clear()
    total = loaded(folder).total
    assert total(np.arange(4.0)) == 12.0
    assert sum(total.stats.cache_hits.values()) == 0
