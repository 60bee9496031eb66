"""Fixtures that several folders of tests share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

# Tests are about compiled kernels, in subprocesses too; ``kernels/test_interpreted.py`` is about those that Python runs.
os.environ["DICOLA_COMPILE"] = "always"


@pytest.fixture(scope="session")
def data_root() -> Path:
    """The folder of reference data: ``$DICOLA_DATA``, or ``shared/data`` beside the repository."""
    repository = Path(__file__).resolve().parents[1]
    root = Path(os.environ.get("DICOLA_DATA", repository.parent / "shared" / "data"))
    if not root.is_dir():
        pytest.skip(f"no reference data at {root}; set DICOLA_DATA to the folder that holds released/ and reference/")
    return root


@pytest.fixture(scope="session")
def dask() -> Iterator[str]:
    """The address of a Dask scheduler with two processes behind it."""
    distributed = pytest.importorskip("distributed", reason="Dask is not installed: pip install dicola[dask]")
    from dicola.ci import engines

    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        yield cluster.scheduler_address
        engines._dask_client(cluster.scheduler_address).close()
        engines._dask_client.cache_clear()
