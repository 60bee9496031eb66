"""Runs made on a cluster: by the workers of a Dask scheduler or of Ray, each with a process of its own that can be stopped."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from dicola import InvalidSetting
from dicola_experiments.extras import from_extra
from dicola_experiments.plan import Cell
from dicola_experiments.process import Process
from dicola_experiments.rows import Row

_SECONDS = "20s"  # until a scheduler that does not answer counts as none
_own = threading.local()  # the process of a worker, and the loop that waits for it


def made_here(cell: Cell, seed: int, cap: float, data: Path | None) -> Row:
    """What a worker of the cluster does: one run, in a process that it keeps for the next."""
    if not hasattr(_own, "process"):
        _own.loop, _own.process = asyncio.new_event_loop(), Process(data)
    row: Row = _own.loop.run_until_complete(_own.process.run(cell, seed, cap))
    return row


class Cluster:
    """A cluster by the address of its scheduler; ``ray://…`` and ``ray`` (on this machine) are Ray, all others Dask."""

    def __init__(self, scheduler: str) -> None:
        try:
            self.ask, self.size, self._leave = _ray(scheduler) if scheduler.startswith("ray") else _dask(scheduler)
        except (OSError, ValueError) as error:
            raise InvalidSetting(f"no scheduler answers at {scheduler} ({error}).") from error
        self._waiting = ThreadPoolExecutor(max(1, self.size))

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *raised: object) -> None:
        self._leave()
        self._waiting.shutdown(wait=False, cancel_futures=True)

    async def run(self, *run: Any) -> Row:
        """The row of one run; its arguments are those of ``made_here``."""
        return await asyncio.get_running_loop().run_in_executor(self._waiting, self.ask, *run)


def _dask(scheduler: str) -> tuple[Callable[..., Row], int, Callable[[], None]]:
    client = from_extra("distributed", "dicola[dask]").Client(scheduler, timeout=_SECONDS)
    return lambda *run: client.submit(made_here, *run, pure=False).result(), sum(client.nthreads().values()), client.close


def _ray(scheduler: str) -> tuple[Callable[..., Row], int, Callable[[], None]]:
    ray = from_extra("ray", "dicola[ray]")
    ray.init(address=None if scheduler == "ray" else scheduler, log_to_driver=False, logging_level=logging.ERROR)
    task = ray.remote(made_here).options(max_retries=-1)
    return lambda *run: ray.get(task.remote(*run)), int(ray.cluster_resources().get("CPU", 1)), ray.shutdown
