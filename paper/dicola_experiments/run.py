"""Run a study: every cell, every seed, several at a time, each within its cap.

Stopped at any moment and started again, it goes on where it was.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from dicola import InvalidSetting
from dicola_experiments.cluster import Cluster
from dicola_experiments.measure import row_of
from dicola_experiments.methods import is_installed
from dicola_experiments.plan import Cell, Study, lacks_folder
from dicola_experiments.process import Process
from dicola_experiments.rows import GIVE_UP, NO_SEED, Row, Rows

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
    scheduler: str | None = None,
) -> Standing:
    """Make the missing runs and append their rows; begin none when the budget is spent.

    With a ``scheduler`` all workers of its cluster make them. Left out are methods that are not
    installed, and networks read from a folder where ``data`` names none.
    """
    if jobs < 1:
        raise InvalidSetting(f"jobs is {jobs}; it must be a whole number of workers from 1 on.")
    with rows.writing(), nullcontext() if scheduler is None else Cluster(scheduler) as cluster:
        runs = _Run(_cells(study, data), rows, budget, progress, data, cluster)
        return asyncio.run(runs.go(jobs if cluster is None else cluster.size))


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
        self,
        cells: list[Cell],
        rows: Rows,
        budget: float | None,
        progress: Callable[[Standing], None],
        data: Path | None = None,
        cluster: Cluster | None = None,
    ) -> None:
        self._cells, self._rows, self._progress, self._data, self._cluster = cells, rows, progress, data, cluster
        self._end = None if budget is None else monotonic() + budget
        self._todo = {cell.key: sum(1 for _ in self._missing(cell)) for cell in cells}
        self._total = sum(self._todo.values())
        self._jobs = 1
        self._begun: set[tuple[str, str]] = set()
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
        worker = Process(self._data)
        own: set[tuple[str, str]] = set()
        try:
            while queue and not self._is_over():
                cell = self._next(queue, own)
                for seed, cap in self._missing(cell):
                    if self._is_over():
                        break
                    row = await (worker.run(cell, seed, cap) if self._cluster is None else self._cluster.run(cell, seed, cap, self._data))
                    self._note(cell, row)
        finally:
            await worker.stop()

    def _next(self, queue: deque[Cell], own: set[tuple[str, str]]) -> Cell:
        """The first cell by a method that this worker has made ready, or that none has; else the first.

        To make a method ready takes longer than many a run, so two workers part the methods among them.
        """
        cell = next((cell for cell in queue if (ready := (cell.kind, cell.method)) in own or ready not in self._begun), queue[0])
        queue.remove(cell)
        own.add((cell.kind, cell.method))
        self._begun.add((cell.kind, cell.method))
        return cell

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
