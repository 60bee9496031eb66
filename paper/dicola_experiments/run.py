"""Run a study: every cell, every seed, several at a time, each within its cap.

Stopped at any moment and started again, it goes on where it was.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

from dicola import InvalidSetting
from dicola_experiments.measure import row_of
from dicola_experiments.methods import PEERS, is_installed
from dicola_experiments.plan import Cell, Study, lacks_folder
from dicola_experiments.rows import GIVE_UP, NO_SEED, Row, Rows
from dicola_experiments.worker import task

_HOME = Path(__file__).resolve().parents[1]  # workers find this package there
_START = 120.0  # seconds a worker may take to load, compile and draw data before the cap counts
_OVERHEAD = 0.02  # seconds a run takes besides, for the estimate


@dataclass(frozen=True)
class Standing:
    """How far a study is. ``seconds_left`` is an estimate from the runs so far."""

    done: int
    total: int
    seconds_left: float
    last: str = ""

    @property
    def is_complete(self) -> bool:
        """Is nothing left to run?"""
        return self.done == self.total


def run_study(
    study: Study,
    rows: Rows,
    jobs: int = 1,
    budget: float | None = None,
    progress: Callable[[Standing], None] = lambda standing: None,
    data: Path | None = None,
) -> Standing:
    """Make the missing runs and append their rows; begin none when the budget is spent.

    Left out are methods that are not installed, and networks read from a folder where ``data``
    names none.
    """
    if jobs < 1:
        raise InvalidSetting(f"jobs is {jobs}; it must be a whole number of workers from 1 on.")
    with rows.writing():
        return asyncio.run(_Run(_cells(study, data), rows, budget, progress, data).go(jobs))


def standing(study: Study, rows: Rows, data: Path | None = None) -> Standing:
    """How far the study is, without running anything."""
    return _Run(_cells(study, data), rows, None, lambda standing: None).standing()


def _cells(study: Study, data: Path | None) -> list[Cell]:
    """Those that can be run here."""
    return [cell for cell in study.cells() if is_installed(cell.method) and not lacks_folder(cell, data)]


class _Run:
    """Workers take cells from a queue.

    Within a cell the seeds follow one another, so what is given up does not depend on the workers.
    """

    def __init__(
        self, cells: list[Cell], rows: Rows, budget: float | None, progress: Callable[[Standing], None], data: Path | None = None
    ) -> None:
        self._cells, self._rows, self._progress, self._data = cells, rows, progress, data
        self._end = None if budget is None else monotonic() + budget
        self._todo = {cell.key: sum(1 for _ in self._missing(cell)) for cell in cells}
        self._total = sum(self._todo.values())
        self._jobs = 1
        self._taken: dict[str, tuple[int, float]] = {}
        for cell in cells:
            for row in rows.of(cell):
                self._take(row)

    async def go(self, jobs: int) -> Standing:
        self._jobs = jobs
        queue = deque(cell for cell in self._cells if self._todo[cell.key])
        self._progress(self.standing())
        async with asyncio.TaskGroup() as group:
            for _ in range(min(jobs, len(queue))):
                group.create_task(self._work(queue))
        return self.standing()

    async def _work(self, queue: deque[Cell]) -> None:
        worker = _Worker(self._data)
        try:
            while queue and not self._is_over():
                cell = queue.popleft()
                for seed, cap in self._missing(cell):
                    if self._is_over():
                        break
                    row = await worker.run(cell, seed, cap)
                    self._note(cell, row)
        finally:
            await worker.stop()

    def _missing(self, cell: Cell) -> Iterator[tuple[int, float]]:
        """The runs that a cell still needs, each with its cap.

        The row of one run is known before we ask for the next.
        """
        for seed in cell.seeds:
            if self._rows.is_given_up(cell):
                break
            if not self._rows.is_done(cell, seed, cell.cap):
                yield seed, cell.cap
        if cell.last_cap is not None and not self._rows.had(cell, cell.last_cap):
            for seed in self._rows.stopped(cell)[:1]:
                yield seed, cell.last_cap

    def _note(self, cell: Cell, row: Row) -> None:
        self._rows.add(row)
        self._take(row)
        if len(self._rows.stopped(cell)) >= GIVE_UP and not self._rows.is_given_up(cell):
            self._rows.add(row_of(cell, NO_SEED, cell.cap, "given up", {}))
        self._todo[cell.key] = sum(1 for _ in self._missing(cell))
        self._progress(self.standing(f"{cell}, seed {row['seed']}"))

    def standing(self, last: str = "") -> Standing:
        left = sum(self._todo.values())
        return Standing(self._total - left, self._total, self._seconds_left(), last)

    def _seconds_left(self) -> float:
        """Runs left times the mean seconds of their method so far, or of all methods."""
        n, seconds = (sum(column) for column in zip(*self._taken.values(), strict=True)) if self._taken else (0, 0.0)
        overall = seconds / n if n else 1.0
        left = 0.0
        for cell in self._cells:
            n, seconds = self._taken.get(cell.method, (0, 0.0))
            left += self._todo[cell.key] * (seconds / n if n else overall)
        return left / self._jobs

    def _take(self, row: Row) -> None:
        n, seconds = self._taken.get(row["method"], (0, 0.0))
        self._taken[row["method"]] = n + 1, seconds + _OVERHEAD + float(row["seconds"] if "seconds" in row else row["cap"])

    def _is_over(self) -> bool:
        return self._end is not None and monotonic() >= self._end


class _Worker:
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
            env={**os.environ, **one_core, "PYTHONPATH": path},
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
