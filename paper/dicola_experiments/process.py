"""A process that makes runs one after the other, and is stopped where one takes too long."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from dicola_experiments.measure import row_of
from dicola_experiments.methods import PEERS
from dicola_experiments.plan import Cell
from dicola_experiments.rows import Row
from dicola_experiments.worker import task

_HOME = Path(__file__).resolve().parents[1]  # workers find this package there
_START = 120.0  # seconds a worker may take to load, compile and draw data before the cap counts


class Process:
    """A process of its own, begun when it is first needed and again after it had to be stopped."""

    def __init__(self, data: Path | None = None) -> None:
        self._process: asyncio.subprocess.Process | None = None
        self._data = data

    async def run(self, cell: Cell, seed: int, cap: float) -> Row:
        """The row of one run; after ``cap`` seconds the run is stopped with its process."""
        process = self._process = self._process or await self._begin()
        assert process.stdin is not None
        process.stdin.write(task(cell, seed, self._data))
        try:
            started = await self._answer(process, _START + cap)
            answer = started if "failed" in started else await self._answer(process, cap)
        except TimeoutError:
            await self.stop()
            return row_of(cell, seed, cap, "capped", {})
        except EOFError:
            await self.stop()
            why = "the worker ended without an answer; there may not have been enough memory"
            # Another library that crashes would crash again, and its run counts as failed.
            return row_of(cell, seed, cap, "failed" if cell.method in PEERS else "lost", {"seconds": 0.0, "why": why})
        if "failed" in answer:
            return row_of(cell, seed, cap, "failed", {"seconds": 0.0, "why": answer["failed"]})
        return row_of(cell, seed, cap, "done", answer["facts"])

    async def stop(self) -> None:
        """End the process, whatever it does."""
        process, self._process = self._process, None
        if process is None:
            return
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()

    @staticmethod
    async def _begin() -> asyncio.subprocess.Process:
        path = os.pathsep.join(filter(None, (str(_HOME), os.environ.get("PYTHONPATH"))))
        one_core = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
        return await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "dicola_experiments.worker",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={**os.environ, **one_core, "PYTHONPATH": path, "DICOLA_COMPILE": "always"},
            start_new_session=True,  # Ctrl-C is ours to handle
        )

    @staticmethod
    async def _answer(process: asyncio.subprocess.Process, seconds: float) -> dict[str, Any]:
        assert process.stdout is not None
        line = await asyncio.wait_for(process.stdout.readline(), seconds)
        if not line:
            raise EOFError
        answer: dict[str, Any] = json.loads(line)
        return answer
