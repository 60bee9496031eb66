"""Fixtures that several folders of tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data_root() -> Path:
    """The folder of reference data: ``$DICOLA_DATA``, or ``shared/data`` beside the repository."""
    repository = Path(__file__).resolve().parents[1]
    root = Path(os.environ.get("DICOLA_DATA", repository.parent / "shared" / "data"))
    if not root.is_dir():
        pytest.skip(f"no reference data at {root}; set DICOLA_DATA to the folder that holds released/ and reference/")
    return root
