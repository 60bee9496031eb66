"""Files of a folder that change together: all of them or none, whatever ends the process.

The folder may hold files of others, so it cannot be replaced as a whole. A change is made in steps:

1. The folder is locked, against other writers and against readers; the lock ends with its process.
2. New files are written to a folder aside (``.dicola-…``) and flushed to the disk; links to the old
   ones lie beside them, and a list says which files come and which go.
3. One rename makes this folder the journal, ``.dicola-journal``. Before it nothing has changed;
   after it everything has: whoever comes next finishes what the journal says.
4. The files are moved to their places, then the journal is taken away. SIGINT, SIGTERM and SIGHUP wait for that.

Where a move fails, one rename makes the journal ``.dicola-undo``, and the old files are put back.
A process that died leaves one of the two, and the next writer or reader ends its work under the
lock; a reader that may not write looks through it. Other folders ``.dicola-…`` were never part of
the result, and the next writer removes them.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import mkdtemp
from time import monotonic, sleep
from typing import Any, Final, NamedTuple

from dicola.errors import InvalidData

_PREFIX: Final = ".dicola-"
JOURNAL, UNDO, LOCK = f"{_PREFIX}journal", f"{_PREFIX}undo", f"{_PREFIX}lock"
_LIST, _NEW, _OLD = "files.json", "new", "old"
_PATIENCE = 60.0  # seconds to wait for another writer
_NAP = 0.02
_held: set[int] = set()  # locks of this process: one that is forked must not keep them when this one has died


def _let_go() -> None:
    for lock in _held:
        with suppress(OSError):
            os.close(lock)
    _held.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go)


def replace_together(folder: Path, texts: Mapping[str, str], gone: Callable[[], Iterable[str]] = tuple) -> None:
    """Write some files into a folder, made where it does not exist, and remove those named in ``gone``: all at once or not at all.

    ``gone`` is asked under the lock. ``OSError`` where that cannot be done, ``InvalidData`` where another writer does not come to an end.
    """
    with locked(folder, make=True):
        _finish(folder)
        _clean(folder)
        aside = Path(mkdtemp(prefix=_PREFIX, dir=folder))
        try:
            _put_aside(folder, aside, texts, [name for name in dict.fromkeys(gone()) if name not in texts and (folder / name).is_file()])
            with _undisturbed():
                aside.rename(folder / JOURNAL)
                _flush(folder)
                _carry_out(folder)
        finally:
            shutil.rmtree(aside, ignore_errors=True)


def settle(folder: Path) -> None:
    """End the work of a writer that died, where there is some and we may; else a reader looks through it (``place_of``)."""
    if _left(folder) is None:
        return
    with suppress(OSError), locked(folder):
        _finish(folder)


def place_of(folder: Path, name: str) -> Path:
    """Where the file of that name is read: aside, where a writer died on the way and nobody could end its work."""
    left = _left(folder)
    if left is None:
        return folder / name
    kept = left.place / (_NEW if left.place.name == JOURNAL else _OLD) / name
    if left.place.name == JOURNAL:
        return kept if kept.exists() or name in left.gone else folder / name
    is_new = name in left.texts and not (left.place / _NEW / name).exists()
    return kept if kept.exists() or is_new else folder / name


@contextmanager
def locked(folder: Path, *, shared: bool = False, make: bool = False, patience: float = _PATIENCE, busy: str = "") -> Iterator[None]:
    """Hold a folder for this writer alone, or for readers (``shared``), where the system has such locks.

    ``busy`` is what to say where somebody else holds it for longer than our patience.
    """
    end = monotonic() + patience
    while (lock := _try_lock(folder, shared, make)) is None:
        if monotonic() >= end:
            raise InvalidData(busy or f"another process is writing to {str(folder)!r}; wait for it, or name another folder.")
        sleep(_NAP)
    _held.add(lock)
    try:
        yield
    finally:
        _held.discard(lock)
        if lock >= 0:
            os.close(lock)


def _try_lock(folder: Path, shared: bool, make: bool) -> int | None:
    """The lock; ``None``: somebody else has it, -1: there are no locks here."""
    if make:
        folder.mkdir(parents=True, exist_ok=True)
    if sys.platform == "win32":
        return -1
    import fcntl

    kind = (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB
    lock = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(lock, kind)
    except OSError as error:
        os.close(lock)
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
            return None
        return _lock_of_file(folder / LOCK, kind, shared)  # network file systems lock files alone
    if not _is_there(lock, folder):  # removed and made again while we waited
        os.close(lock)
        return None
    return lock


def _lock_of_file(file: Path, kind: int, shared: bool) -> int | None:
    import fcntl

    try:
        lock = os.open(file, os.O_RDONLY if shared else os.O_RDWR | os.O_CREAT, 0o666)
    except FileNotFoundError:  # nobody has written here since
        return -1
    try:
        fcntl.flock(lock, kind)
    except OSError as error:
        os.close(lock)
        return None if error.errno in (errno.EWOULDBLOCK, errno.EACCES) else -1
    return lock


def _is_there(lock: int, folder: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(lock), folder.stat())
    except FileNotFoundError:
        return False


class _Left(NamedTuple):
    """A journal, or one that is being undone: which files come, and which go."""

    place: Path
    texts: tuple[str, ...]
    gone: tuple[str, ...]


def _left(folder: Path) -> _Left | None:
    for place in (folder / JOURNAL, folder / UNDO):
        if place.is_dir() and not place.is_symlink():
            with suppress(OSError, ValueError, RecursionError):
                said = json.loads((place / _LIST).read_text(encoding="utf-8"))
                if _is_list(said):
                    return _Left(place, tuple(said["texts"]), tuple(said["gone"]))
    return None


def _is_list(said: Any) -> bool:
    """Plain names alone: a folder from others could say anything."""
    if not isinstance(said, dict) or not all(isinstance(said.get(part), list) for part in ("texts", "gone")):
        return False
    names = [*said["texts"], *said["gone"]]
    return all(isinstance(name, str) and _is_plain(name) for name in names)


def _is_plain(name: str) -> bool:
    return name not in ("", ".", "..") and not any(c in name for c in "/\\\0") and not name.startswith(_PREFIX)


def _put_aside(folder: Path, aside: Path, texts: Mapping[str, str], gone: list[str]) -> None:
    """Step 2: everything that the journal will need, safe on the disk."""
    fresh, old = aside / _NEW, aside / _OLD
    fresh.mkdir()
    old.mkdir()
    for name, text in texts.items():
        _write(fresh / name, text)
    for name in (*texts, *gone):
        if (folder / name).is_file():
            _link(folder / name, old / name)
    _write(aside / _LIST, json.dumps({"texts": list(texts), "gone": gone}))
    for place in (fresh, old, aside):
        _flush(place)


def _write(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8", newline="")
    with file.open("rb+") as stream:
        os.fsync(stream.fileno())


def _link(file: Path, other: Path) -> None:
    """A second name for a file; a copy where there is no such thing."""
    try:
        os.link(file, other)
    except (OSError, NotImplementedError):
        shutil.copy2(file, other)


def _carry_out(folder: Path) -> None:
    """Step 4; where it cannot be done, everything is put back."""
    try:
        _finish(folder)
    except BaseException as trouble:
        try:
            (folder / JOURNAL).rename(folder / UNDO)
        except OSError:  # now nothing can be written at all, so that the journal stands
            raise InvalidData(
                f"the files for {str(folder)!r} are written but not yet in their places: {trouble}. They are read as they should be, and "
                "put in their places once the folder can be written to again."
            ) from None
        _finish(folder)
        raise


def _finish(folder: Path) -> None:
    """Do what a journal says, or undo it where that was begun; again and again with the same end."""
    left = _left(folder)
    if left is None:
        return
    if left.place.name == JOURNAL:
        for name in left.gone:
            (folder / name).unlink(missing_ok=True)
        for name in left.texts:
            if os.path.lexists(left.place / _NEW / name):
                (left.place / _NEW / name).replace(folder / name)
    else:
        for name in (*left.texts, *left.gone):
            if (left.place / _OLD / name).exists():
                (left.place / _OLD / name).replace(folder / name)
            elif name in left.texts and not (left.place / _NEW / name).exists():
                (folder / name).unlink(missing_ok=True)
    _flush(folder)
    (left.place / _LIST).unlink()
    shutil.rmtree(left.place, ignore_errors=True)


def _clean(folder: Path) -> None:
    """Remove what writers left that died; none is at work while we have the lock."""
    for path in folder.iterdir():
        if path.name.startswith(_PREFIX) and path.name != LOCK:
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                with suppress(OSError):
                    path.unlink()


def _flush(folder: Path) -> None:
    """What stands in a folder, safe on the disk, where the system can do that."""
    with suppress(OSError):
        place = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(place)
        finally:
            os.close(place)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Signals that end a process wait until this is over; only the main thread hears them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}
    heard: list[int] = []
    for number, handler in before.items():
        if handler is not None and handler is not signal.SIG_IGN:
            signal.signal(number, lambda number, frame: heard.append(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            if handler is not None:
                signal.signal(number, handler)
        for number in heard:
            signal.raise_signal(number)
