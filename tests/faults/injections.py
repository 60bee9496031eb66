"""Faults on purpose: a child process that is ended, or whose disk fails, at its n-th file operation.

The operations are those that Python announces to its audit hooks, and ``fsync``. A fault comes before one of them, and so after the one
before it.
"""

from __future__ import annotations

import errno
import os
import resource
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from dicola.errors import DicolaError

_CHANGES = ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.truncate")
_EVENTS = (*_CHANGES, "open", "os.listdir", "os.scandir", "shutil.rmtree")
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
DONE, REFUSED, RAW, DELAYED = 0, 3, 4, 5  # how a child may end by itself


class Fault(NamedTuple):
    """A signal, or the error that operations raise from here on (``lasting``) or once."""

    name: str
    signal: int = 0
    error: int = 0
    lasting: bool = False

    def strike(self, event: str, at: int, first: int, writes: bool) -> None:
        """At operation ``at``, with the fault due at ``first``."""
        if self.signal and at == first:
            os.kill(os.getpid(), self.signal)
        if self.error and writes and (at == first or (self.lasting and at > first)):
            raise OSError(self.error, os.strerror(self.error))


FAULTS = (
    Fault("SIGKILL", signal=signal.SIGKILL),
    Fault("SIGTERM", signal=signal.SIGTERM),
    Fault("SIGINT", signal=signal.SIGINT),
    Fault("full disk", error=errno.ENOSPC),
    Fault("read-only", error=errno.EROFS, lasting=True),
    Fault("refused once", error=errno.EACCES),
)


class Ended(NamedTuple):
    """How a child came to its end, by a signal or with one of the codes above, and how many operations it made."""

    signal: int
    code: int
    operations: int


def operations(work: Callable[[], Any], folder: Path) -> int:
    """How many file operations some work makes in a folder."""
    return struck(work, folder, None, 0).operations


def struck(work: Callable[[], Any], folder: Path, fault: Fault | None, at: int) -> Ended:
    """Do some work in a process of its own, with the fault before operation ``at`` in the folder."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.close(reader)
        code = RAW
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            signal.signal(signal.SIGINT, signal.default_int_handler)  # it is passed over in what a shell has put into the background
            count = _watch(folder, fault, at)
            try:
                work()
                code = DONE
            except DicolaError as error:
                code = DELAYED if "not yet in their places" in str(error) else REFUSED
            except KeyboardInterrupt:
                code = 128 + signal.SIGINT
            os.write(writer, str(count[0]).encode())
        finally:
            os._exit(code)
    os.close(writer)
    said = os.read(reader, 20)
    os.close(reader)
    _, status = os.waitpid(child, 0)
    return Ended(
        os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0, os.WEXITSTATUS(status) if os.WIFEXITED(status) else -1, int(said or b"-1")
    )


def with_file_limit(work: Callable[[], Any], most: int) -> Ended:
    """Do some work in a process none of whose files may grow beyond so many bytes."""

    def limited() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        work()

    return struck(limited, Path("/nowhere"), None, 0)


def _watch(folder: Path, fault: Fault | None, first: int) -> list[int]:
    """Count the operations in a folder, and strike when the time has come."""
    count, inside = [0], str(folder)

    def due(event: str, writes: bool) -> None:
        at = count[0]
        count[0] += 1
        if fault is not None:
            fault.strike(event, at, first, writes)

    def hear(event: str, args: tuple[Any, ...]) -> None:
        if event in _EVENTS and args and isinstance(args[0], str | os.PathLike) and os.fspath(args[0]).startswith(inside):
            due(event, event in _CHANGES or (event == "open" and bool(_flags(args) & _WRITING)))

    honest = os.fsync

    def fsync(place: int) -> None:
        due("fsync", True)
        honest(place)

    sys.addaudithook(hear)
    os.fsync = fsync  # only in the child, which ends with it
    return count


def _flags(args: tuple[Any, ...]) -> int:
    return args[2] if len(args) > 2 and isinstance(args[2], int) else 0
