"""The results of a study: JSON lines, appended one by one; whatever stops the run, none is lost."""

from __future__ import annotations

import json
import lzma
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from dicola import InvalidData
from dicola_experiments.plan import NORMAL, STRONG, Cell

Row = dict[str, Any]

# A method stopped on that many seeds of a setting is not run further there, and a row without a
# seed says so.
GIVE_UP = 3
NO_SEED = 0


class Rows:
    """The rows of one study: those packed into ``NAME.jsonl.xz``, then those in ``NAME.jsonl``.

    New rows go into the latter. A row is written whole and flushed to the disk before the next run
    is counted as done. A line that a crash cut short is dropped when the file is opened again, and
    its run is made again.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self.path = folder / f"{name}.jsonl"
        self.packed = folder / f"{name}.jsonl.xz"
        self._best: dict[tuple[Any, ...], Row] = {}
        self.n_added = 0
        for row in self._read():
            self._note(row)

    def __iter__(self) -> Iterator[Row]:
        return iter(self._best.values())

    def __len__(self) -> int:
        return len(self._best)

    def of(self, cell: Cell) -> list[Row]:
        """The runs of one cell, by seed."""
        return [row for seed in cell.seeds if (row := self._best.get((*cell.key, seed))) is not None]

    def is_done(self, cell: Cell, seed: int, cap: float) -> bool:
        """Is there a row for that run: finished, or stopped after at least as many seconds?

        A run whose worker was lost is made again.
        """
        row = self._best.get((*cell.key, seed))
        return row is not None and row["status"] != "lost" and (row["status"] == "done" or row["cap"] >= cap)

    def stopped(self, cell: Cell) -> list[int]:
        """Seeds of the cell that took longer than its cap."""
        return [
            row["seed"] for row in self.of(cell) if (row["cap"] >= cell.cap if row["status"] == "capped" else row["seconds"] > cell.cap)
        ]

    def is_given_up(self, cell: Cell) -> bool:
        """Was the cell stopped on so many seeds that it is not run further?"""
        return self.is_done(cell, NO_SEED, cell.cap)

    def had(self, cell: Cell, cap: float) -> bool:
        """Was some seed of the cell granted that many seconds?"""
        return any(row["cap"] >= cap for row in self.of(cell))

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the file for this run alone, mended where a crash left half a line."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab+") as file:
            _lock(file, self.path)
            file.seek(0)
            text = file.read()
            file.truncate(text.rfind(b"\n") + 1)
            for line in text[: text.rfind(b"\n") + 1].splitlines():
                self._note(_parsed(line, self.path))
            self._file = file
            try:
                yield
            finally:
                del self._file

    def add(self, row: Row) -> None:
        """Append one row; it is on the disk when this returns."""
        self._file.write(_line(row))
        self._file.flush()
        os.fsync(self._file.fileno())
        self._note(row)
        self.n_added += 1

    def pack(self) -> Path:
        """Move all rows into the compressed file, in a fixed order, and remove the plain one."""
        text = b"".join(sorted(_line(row) for row in self))
        fresh = self.packed.with_suffix(".part")
        fresh.write_bytes(lzma.compress(text, preset=9 | lzma.PRESET_EXTREME))
        fresh.replace(self.packed)
        self.path.unlink(missing_ok=True)
        return self.packed

    def _read(self) -> Iterator[Row]:
        if self.packed.exists():
            yield from (_parsed(line, self.packed) for line in lzma.decompress(self.packed.read_bytes()).splitlines())
        if self.path.exists():
            text = self.path.read_bytes()
            yield from (_parsed(line, self.path) for line in text[: text.rfind(b"\n") + 1].splitlines())

    def _note(self, row: Row) -> None:
        """Keep the best row of a run: a finished one, else the one with the longest cap."""
        key = (*cell_key(row), row["seed"])
        known = self._best.get(key)
        if (
            known is None
            or known["status"] == "lost"
            or (known["status"] != "done" and (row["status"] == "done" or row["cap"] > known["cap"]))
        ):
            self._best[key] = row


def cell_key(row: Row) -> tuple[Any, ...]:
    """The key of the cell that a row belongs to."""
    sizes = tuple(row.get("coefficients", STRONG))
    drawn = sizes, row.get("errors", NORMAL), row.get("curvature", 0.0)
    return row["kind"], row["graph"], row["hidden"], row["pool"], row["samples"], *drawn, row["method"]


def _lock(file: BinaryIO, path: Path) -> None:
    """Keep others from writing while the file is open, where the system has such locks."""
    try:
        from fcntl import LOCK_EX, LOCK_NB, flock
    except ImportError:
        return
    try:
        flock(file, LOCK_EX | LOCK_NB)
    except OSError:
        raise InvalidData(f"another run is writing to {path}; wait for it, or give this one a folder of its own.") from None


def _line(row: Row) -> bytes:
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _parsed(line: bytes, path: Path) -> Row:
    try:
        row = json.loads(line)
    except ValueError:
        raise InvalidData(f"{path} holds a line that is not JSON; remove it, and its run is made again: {line[:60]!r}.") from None
    if not isinstance(row, dict) or "status" not in row:
        raise InvalidData(f"{path} holds a line that is not a row of a study: {line[:60]!r}.")
    return row
