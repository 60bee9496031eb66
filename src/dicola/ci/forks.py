"""Copies of this very process that share some work: they have everything it has, at once, so that nothing is started or sent.

A copy has no threads but the one that made it. So a process with others is not copied (they may hold a lock, and nobody would ever open
it), nor is one copied for the sake of foreign code, which may have started threads of its own (OpenMP) that a copy waits for in vain.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import struct
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from traceback import format_exc
from typing import Any, NoReturn, TypeVar

from cloudpickle import dumps

Work = TypeVar("Work")
Result = TypeVar("Result")
_PIECE = struct.Struct("=I")
_MOST_PIECES = 4096  # their numbers fit into a pipe that nobody reads yet

_LEAVING: list[int] = []  # copies that are ending: to give their memory back takes them some milliseconds


def can_fork() -> bool:
    """Is this a process that can be copied without risk?"""
    return sys.platform == "linux" and threading.active_count() == 1 and threading.current_thread() is threading.main_thread()


def forked(run: Callable[[Work], Result], pieces: Sequence[Work], n_jobs: int) -> Iterator[Result]:
    """What ``run`` makes of each piece, in their order, by this process and copies of it, so many together.

    Whoever is free takes the next piece. What a copy leaves undone because it was killed is done here. Copies end with the generator.
    """
    _LEAVING[:] = [child for child in _LEAVING if not os.waitpid(child, os.WNOHANG)[0]]
    step = -(-len(pieces) // _MOST_PIECES) or 1
    bunches = [pieces[at : at + step] for at in range(0, len(pieces), step)]
    todo, put = os.pipe()
    os.write(put, b"".join(_PIECE.pack(number) for number in range(len(bunches))))
    os.close(put)
    copies: dict[Connection, int] = {}
    try:
        for _ in range(min(n_jobs, len(bunches)) - 1):
            told, tell = os.pipe()
            if not (child := _copied()):
                os.close(told)
                for other in copies:
                    other.close()
                _work(run, bunches, todo, Connection(tell, readable=False))
            os.close(tell)
            copies[Connection(told, writable=False)] = child
        found: dict[int, list[Result]] = {}
        for number in range(len(bunches)):
            while number not in found:
                own = os.read(todo, _PIECE.size)
                _hear(copies, found, None if not own else 0.0)
                if own or not copies:
                    (at,) = _PIECE.unpack(own) if own else (number,)
                    found[at] = [run(piece) for piece in bunches[at]]
            yield from found.pop(number)
    finally:
        os.close(todo)
        for heard in list(copies):
            _end(copies, heard)


def _copied() -> int:
    """0 in the copy; its number in the process that was copied."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()  # else both would write what waits
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads, as Python counts those of BLAS, which ends them before
        return os.fork()


def _hear(copies: dict[Connection, int], found: dict[int, list[Any]], timeout: float | None) -> None:
    """Take in what has come, and let go of copies that have ended."""
    for heard in wait(list(copies), timeout) if copies else ():
        assert isinstance(heard, Connection)
        try:
            number, answer, error = pickle.loads(heard.recv_bytes())
        except (EOFError, OSError, pickle.UnpicklingError):
            _end(copies, heard)
            continue
        if error is not None:
            raise error
        found[number] = answer


def _end(copies: dict[Connection, int], heard: Connection) -> None:
    """End a copy, whatever it does."""
    child = copies.pop(heard)
    heard.close()
    os.kill(child, signal.SIGKILL)  # it is ours until we have waited for it
    if not os.waitpid(child, os.WNOHANG)[0]:
        _LEAVING.append(child)


def _work(run: Callable[[Any], Any], bunches: Sequence[Sequence[Any]], todo: int, tell: Connection) -> NoReturn:
    """What a copy does until nothing is left: never more than that, whatever happens."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that was copied ends us
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        gc.freeze()  # what was there before stays where it is, so that its memory remains shared
        while number := os.read(todo, _PIECE.size):
            (at,) = _PIECE.unpack(number)
            try:
                message = at, [run(piece) for piece in bunches[at]], None
                sent = dumps(message)
            except Exception as error:
                error.add_note(f"In a worker:\n{format_exc()}")
                sent = _as_bytes(at, error)
            tell.send_bytes(sent)
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    finally:
        os._exit(0)


def _as_bytes(at: int, error: Exception) -> bytes:
    """An error ready to be sent; one that cannot be is told in words."""
    try:
        sent = bytes(dumps((at, None, error)))
        pickle.loads(sent)
    except Exception:
        return bytes(dumps((at, None, RuntimeError(f"{type(error).__name__}: {error}"))))
    return sent
