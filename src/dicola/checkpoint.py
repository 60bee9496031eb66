"""Finished parts of a long run, kept in a folder as they come, so that the same run goes on where it was stopped.

A folder is bound to one task: the table, the settings that touch the answer, the version. ``task.json``
says which, and another one is refused with what differs. Each part is a file of its own, plain JSON
under its digest and that of the task, written aside and renamed. One that is damaged, or of another
task, counts as not there: its part is done again. The folder is locked while a run uses it.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, TypeVar

from dicola.errors import InvalidData, InvalidSetting, Sentence, Setting, from_pieces, in_pieces, shown
from dicola.files import own_folder
from dicola.transaction import locked

TASK: Final = "task"
_SETTINGS, _COLUMNS = "settings", "columns"
_MOST_LISTED = 5
_PATIENCE = 1.0  # seconds in which a run that was killed, and its workers, are gone
Part = TypeVar("Part")


@dataclass
class Checkpoint:
    """The folder of one task, and its digest."""

    folder: Path
    key: str
    _is_written: bool = field(default=True, repr=False)

    def get(self, name: str, made: Callable[[Any], Part | None]) -> Part | None:
        """What is ``made`` of what was kept under a name; ``None`` where there is nothing, or it is damaged."""
        with suppress(OSError, ValueError, RecursionError, LookupError, TypeError, AttributeError, OverflowError):
            text = (self.folder / f"{name}.json").read_text(encoding="utf-8")
            body = text.partition("\n")[2]
            if text == self._sealed(name, body):
                return made(json.loads(body))
        return None

    def _sealed(self, name: str, body: str) -> str:
        """The text of a file: its digest, which the task and the name are part of, and what is kept."""
        return sha256(f"{self.key} {name} {body}".encode()).hexdigest() + "\n" + body

    def put(self, name: str, value: Any) -> None:
        """Keep a finished part. Where that fails the run goes on, and a warning says once that it is not kept."""
        try:
            if self._is_written:
                _write(self.folder / f"{name}.json", self._sealed(name, json.dumps(value, separators=(",", ":"))))
        except OSError as error:
            self._is_written = False
            warnings.warn(
                f"nothing more is kept in the checkpoint {str(self.folder)!r}: {error.strerror or error}. The run goes on.",
                RuntimeWarning,
                stacklevel=2,
            )


@contextmanager
def checkpoint_in(folder: str | Path, task: Mapping[str, Any]) -> Iterator[Checkpoint]:
    """The checkpoint of a task, held for this run alone.

    Raises
    ------
    InvalidSetting
        The folder belongs to another task; the sentence says what differs.
    InvalidData
        It cannot be written to, holds other things, or another run uses it.

    """
    target = own_folder(folder)
    busy = f"another run uses the checkpoint {str(folder)!r}; wait for it, or name another folder."
    with ExitStack() as held:
        try:
            _refuse_foreign(target)
            held.enter_context(locked(target, make=True, patience=_PATIENCE, busy=busy))
            kept = _opened(target, task)
        except OSError as error:
            raise InvalidData(f"the checkpoint could not be kept in {str(folder)!r}: {error.strerror or error}.") from None
        yield kept


def _opened(folder: Path, task: Mapping[str, Any]) -> Checkpoint:
    head, text = Checkpoint(folder, TASK), json.dumps(task)
    known, now = head.get(TASK, dict), json.loads(text)
    if known is not None and json.dumps(known) != text:
        raise _another(folder, known, now)
    for left in folder.glob(".dicola-*"):
        left.unlink(missing_ok=True)
    if known is None:
        _write(folder / f"{TASK}.json", head._sealed(TASK, text))
    return Checkpoint(folder, sha256(text.encode()).hexdigest())


def _refuse_foreign(folder: Path) -> None:
    """Refuse a folder with other things in it."""
    with suppress(FileNotFoundError):
        names = [path.name for path in folder.iterdir() if not path.name.startswith(".dicola-")]
        if names and f"{TASK}.json" not in names:
            raise InvalidData(f"{str(folder)!r} holds other files and no checkpoint; name a folder of its own for it.")


def _another(folder: Path, known: Any, task: Any) -> InvalidSetting:
    told = [*_settings(known, task), *_columns(known, task)]
    told += [_changed(name, _part(known, name), task[name]) for name in ("rows", "version") if _part(known, name) != task[name]]
    pieces = [piece for each in told or ["it says nothing that is known here"] for piece in ("; ", *in_pieces(each))]
    return InvalidSetting(
        Sentence(
            "the checkpoint in {folder} is of another run: {told}. Make the same run again, or name another folder for {checkpoint}.",
            folder=repr(str(folder)),
            told=from_pieces(pieces[1:]),
        )
    )


def _changed(name: object, before: object, now: object) -> Sentence:
    return Sentence("{name} was {before} and is {now}", name=name, before=shown(before), now=shown(now))


def _part(task: Any, name: str) -> Any:
    return task.get(name) if isinstance(task, dict) else None


def _settings(known: Any, task: Any) -> list[str]:
    before, now = _part(known, _SETTINGS) or {}, task[_SETTINGS]
    names = [name for name in {**before, **now} if before.get(name) != now.get(name)]
    return [_changed(Setting(name), before.get(name), now.get(name)) for name in names]


def _columns(known: Any, task: Any) -> list[str]:
    before, now = _part(known, _COLUMNS) or {}, task[_COLUMNS]
    told = []
    for words, names in (
        ("the table has no longer", [name for name in before if name not in now]),
        ("the table has now", [name for name in now if name not in before]),
        ("other values in", [name for name in now if name in before and before[name] != now[name]]),
    ):
        more = f" and {len(names) - _MOST_LISTED} more" if len(names) > _MOST_LISTED else ""
        told += [f"{words} {', '.join(map(repr, names[:_MOST_LISTED]))}{more}"] if names else []
    return told or (["the columns stand in another order"] if list(before) != list(now) else [])


def _write(file: Path, text: str) -> None:
    """Under its name only once it is whole. What a fall of the power leaves of it is found by its digest."""
    aside = file.with_name(f".dicola-{os.getpid()}-{file.name}")
    try:
        aside.write_text(text, encoding="utf-8")
        aside.replace(file)
    except OSError:
        with suppress(OSError):
            aside.unlink()
        raise
