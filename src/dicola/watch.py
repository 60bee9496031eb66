"""Who may end a run, and when: the budget of a run, Ctrl-C, and the place where all that takes long looks up.

Kernels and long loops call ``heed`` (in Python) or its twin in ``dicola._kernels.stopping``. Both read a clock, and every few
hundredths of a second one of them asks the watch of its thread whether to go on. In the main thread Python also runs the handlers of
signals then, so that no kernel is deaf to Ctrl-C. Whatever is to end is left by ``Stopped``; a run turns it into a partial answer.

Nothing here runs by itself: no thread, no timer. A run without a budget is watched as well, for Ctrl-C alone.
"""

from __future__ import annotations

import ctypes
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any, Literal

# What ``signal`` wraps in enumerations, and ten times as fast.
_signal: Any = import_module("_signal")

Reason = Literal["seconds", "tests", "memory", "interrupted"]
_SIGINT, _SIGTERM = int(signal.SIGINT), int(signal.SIGTERM)
PERIOD = 0.02  # seconds from one look to the next
NEXT_LOOK = ctypes.c_double(0.0)  # when that is, by the clock of ``now``; kernels read it where it lies
_PAGES = Path("/proc/self/statm")

now: Callable[[], float] = time.monotonic if sys.platform != "darwin" else partial(time.clock_gettime, time.CLOCK_MONOTONIC)
"""Seconds by a clock that kernels, threads and processes have in common."""


class Stopped(KeyboardInterrupt):
    """A run is to end here; outside of a run it is what Ctrl-C is."""


@dataclass
class Watch:
    """When a run is to end: ``until`` by the clock, or once the process has grown by so many bytes; ``None`` is no limit.

    ``reason`` is why it ended, once it has. All threads of a run share its watch. To another process goes a copy, where the time
    is the same and the growth of memory is counted from there. Tests are counted by accounts, which know how many there may be:
    which of several workers came first must not matter.
    """

    until: float | None = None
    max_memory: int | None = None
    reason: Reason | None = None
    base: int | None = None  # bytes held when it began

    @classmethod
    def of(cls, max_seconds: float | None = None, max_memory: float | None = None) -> Watch:
        """A watch that begins now; memory is how much the process may grow, in megabytes."""
        until = None if max_seconds is None else now() + float(max_seconds)
        return cls(
            until, None if max_memory is None else int(float(max_memory) * 1e6), None, None if max_memory is None else memory_in_use()
        )

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "base": None}

    def end(self, reason: Reason) -> None:
        """All that is watched is to end; the first reason stands."""
        self.reason = self.reason or reason
        NEXT_LOOK.value = 0.0

    def is_over(self) -> bool:
        """Is the run to end? Where it is, ``reason`` says why."""
        if self.reason is None:
            if self.until is not None and now() >= self.until:
                self.end("seconds")
            elif self.max_memory is not None:
                if self.base is None:
                    self.base = memory_in_use()
                if memory_in_use() - self.base > self.max_memory:
                    self.end("memory")
        return self.reason is not None


class _Here(threading.local):
    """By whom this thread is watched, and how many tests the question at hand may take."""

    watch: Watch | None = None
    tests_left: int | None = None


_here = _Here()


def heed(tests: int = 0) -> None:
    """Go on, or leave by ``Stopped``; ``tests`` are those of the question at hand so far."""
    if now() >= NEXT_LOOK.value:
        look_up(tests)


def look_up(tests: int) -> None:
    """What ``heed`` does when it is time; kernels call it too."""
    NEXT_LOOK.value = now() + PERIOD
    watch = _here.watch
    if watch is None:
        return
    if watch.is_over() or (_here.tests_left is not None and tests > _here.tests_left):
        NEXT_LOOK.value = 0.0
        raise Stopped


def end(reason: Reason) -> None:
    """The run of this thread is to end, in all its threads."""
    if _here.watch is not None:
        _here.watch.end(reason)


def current() -> Watch | None:
    """Who watches this thread."""
    return _here.watch


def tests_left() -> int | None:
    """How many tests the question at hand may take; ``None``: any number."""
    return _here.tests_left


@contextmanager
def questioning(tests_left: int) -> Iterator[None]:
    """While a question is answered that may take so many tests."""
    before, _here.tests_left = _here.tests_left, tests_left
    try:
        yield
    finally:
        _here.tests_left = before


@contextmanager
def watched_by(watch: Watch | None) -> Iterator[None]:
    """While a thread works for a run."""
    before, _here.watch = _here.watch, watch
    try:
        yield
    finally:
        _here.watch = before


class Watching:
    """While a run goes on: this thread is watched, and in the main thread the first Ctrl-C ends the run as a budget does, the second at
    once.

    A handler that a program has set itself is left alone. The command line lets the end of the process (SIGTERM) count as Ctrl-C by
    giving both the same handler.
    """

    def __init__(self, watch: Watch) -> None:
        self.watch = watch

    def __enter__(self) -> Watch:
        self._before, _here.watch = _here.watch, self.watch
        self._ours: list[int] = []
        if threading.current_thread() is threading.main_thread():
            self._ours = [each for each in (_SIGINT, _SIGTERM) if _signal.getsignal(each) is signal.default_int_handler]
            for each in self._ours:
                _signal.signal(each, self._press)
        return self.watch

    def __exit__(self, *raised: object) -> None:
        for each in self._ours:
            _signal.signal(each, signal.default_int_handler)
        _here.watch = self._before

    def _press(self, number: int, frame: FrameType | None) -> None:
        is_first = self.watch.reason != "interrupted"
        self.watch.reason = "interrupted"
        NEXT_LOOK.value = 0.0
        if _may_raise_in(frame):  # else whoever looks up next will
            raise Stopped if is_first else KeyboardInterrupt


def _may_raise_in(frame: FrameType | None) -> bool:
    """Is this no function that compiled code calls while it hands over arguments and results? That expects no exception, and crashes."""
    name = "" if frame is None else str(frame.f_globals.get("__name__", ""))
    return name != "numba.core.serialize" and not name.startswith("namedtuple_")


def memory_in_use() -> int:
    """Bytes of memory that the process holds; where the system does not tell, the most that it held so far."""
    import resource

    try:
        return int(_PAGES.read_text().split()[1]) * resource.getpagesize()
    except OSError:
        return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) * (1 if sys.platform == "darwin" else 1024)


def can_measure_memory() -> bool:
    """Does the system tell how much memory the process holds?"""
    try:
        return memory_in_use() > 0
    except (ImportError, OSError):  # Windows
        return False
