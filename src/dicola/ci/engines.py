"""Clusters that exist, Dask and Ray, as places where work is done: what all pieces share is sent once, and answers come in order.

A worker that dies changes nothing but the time: its pieces are done by others or, where the cluster gives up on one, here.

Budgets reach there as seconds that are left, since machines have clocks of their own. Whoever waits here looks at the budget as well, so
that a run ends in time however long a piece had to wait for a worker.
"""

from __future__ import annotations

import logging
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from threading import Lock
from typing import Any, Protocol, TypeVar

from threadpoolctl import ThreadpoolController

from dicola.errors import InvalidSetting, Sentence, Setting
from dicola.extras import from_extra
from dicola.watch import Stopped, Watch, current, heed, now, watched_by

Work = TypeVar("Work")
Result = TypeVar("Result")
_UNDER_WAY = 4  # pieces per worker that a cluster has at a time
_SILENT = {"logging_level": logging.ERROR}
_SECONDS = "20s"  # until a scheduler that does not answer counts as none
_LITTLE = 2e8  # multiplications that one thread makes in a twentieth of a second
_LOOK = 0.1  # seconds from one look at the budget to the next, while an answer is awaited


class Engine(Protocol):
    """A place where work is done."""

    def size(self) -> int:
        """How many pieces are worked on at a time."""
        ...

    def each(self, run: Callable[[Work], Result], pieces: Sequence[Work]) -> Iterator[Result]:
        """What ``run`` makes of each piece, in their order."""
        ...


class Dask:
    """The cluster of a Dask scheduler by its address; without one that of the client which is there."""

    def __init__(self, scheduler: str | None = None) -> None:
        self._dask, self._config = from_extra("distributed", "dicola[dask]"), from_extra("dask.config", "dicola[dask]")
        self.client = self._current() if scheduler is None else _dask_client(scheduler)

    def _current(self) -> Any:
        try:
            return self._dask.default_client()
        except ValueError:
            raise InvalidSetting(
                Sentence(
                    "{workers=dask} needs a Dask cluster: make a dask.distributed.Client before, or name the address of a scheduler, "
                    "such as {scheduler}.",
                    scheduler=Setting("scheduler", "tcp://127.0.0.1:8786"),
                )
            ) from None

    def size(self) -> int:
        return max(1, int(sum(self.client.nthreads().values())))

    def each(self, run: Callable[[Work], Result], pieces: Sequence[Work]) -> Iterator[Result]:
        # A task and no data, so that whoever needs it finds it, whichever worker died.
        with self._config.set({"distributed.admin.large-graph-warning-threshold": "1 TiB"}):
            shared = self.client.submit(_same, run, pure=False)
        todo, waiting = iter(pieces), deque[tuple[Any, Work]]()
        # No futures of pieces that wait: a scheduler has enough to do.
        lost = (self._dask.CancelledError, self._dask.KilledWorker)
        try:
            for piece in todo:
                waiting.append((self.client.submit(within, shared, piece, seconds_left(), pure=False), piece))
                if len(waiting) >= _UNDER_WAY * self.size():
                    yield self._answer(waiting, run, lost)
            while waiting:
                yield self._answer(waiting, run, lost)
        finally:
            self.client.cancel([future for future, _ in waiting])

    def _answer(self, waiting: deque[tuple[Any, Work]], run: Callable[[Work], Result], lost: tuple[type[Exception], ...]) -> Result:
        future, piece = waiting[0]
        while True:
            heed()
            try:
                found: Result | Ended = future.result(timeout=_LOOK)
            except self._dask.TimeoutError:
                continue
            except UnboundLocalError:  # Dask's own: the end of an earlier look has cancelled what this one waited for
                if future.status == "error":
                    raise
                continue
            except lost:  # because workers died of the piece, or whenever what is shared was sent
                found = run(piece)
            waiting.popleft()
            return or_stop(found)


def _same(run: Callable[[Work], Result]) -> Callable[[Work], Result]:
    """What all pieces share, as the result of a task."""
    return run


@cache
def _dask_client(scheduler: str) -> Any:
    """A connection to a scheduler, kept as long as this process lives."""
    dask = from_extra("distributed", "dicola[dask]")
    try:
        return dask.Client(scheduler, timeout=_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise InvalidSetting(Sentence("no Dask scheduler answers at {at} ({error}).", at=scheduler, error=str(error))) from error


@contextmanager
def _own_signals() -> Iterator[None]:
    """Put back what this process does on SIGTERM and Ctrl-C: Ray replaces it, and runs could no longer be ended in their own way."""
    is_main = threading.current_thread() is threading.main_thread()  # no other thread may say
    before = {each: signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGINT)} if is_main else {}
    try:
        yield
    finally:
        for each, handler in before.items():
            if handler is not None:  # else one that is not Python's
                signal.signal(each, handler)


class Ray:
    """A Ray cluster by its address; without one that which is there, or else one on this machine."""

    def __init__(self, scheduler: str | None = None) -> None:
        self._ray = from_extra("ray", "dicola[ray]")
        if not self._ray.is_initialized():
            try:
                with _own_signals():
                    self._ray.init(
                        address=scheduler, log_to_driver=False, include_dashboard=False if scheduler is None else None, **_SILENT
                    )
            except (OSError, ValueError) as error:
                raise InvalidSetting(Sentence("no Ray cluster answers at {at} ({error}).", at=scheduler, error=str(error))) from error

    def size(self) -> int:
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def each(self, run: Callable[[Work], Result], pieces: Sequence[Work]) -> Iterator[Result]:
        ray = self._ray
        shared, task = ray.put(run), ray.remote(within).options(max_retries=-1)
        waiting = deque[Any]()
        # Where this ends early, what is under way comes to its end: Ray 2.60 now and then aborts the program that cancels it.
        for piece in pieces:
            waiting.append(task.remote(shared, piece, seconds_left()))
            if len(waiting) >= _UNDER_WAY * self.size():
                yield self._answer(waiting)
        while waiting:
            yield self._answer(waiting)

    def _answer(self, waiting: deque[Any]) -> Any:
        reference = waiting[0]
        while True:
            heed()
            try:
                found = self._ray.get(reference, timeout=_LOOK)
            except self._ray.exceptions.GetTimeoutError:
                continue
            except self._ray.exceptions.RayTaskError as error:
                raise error.cause from error
            waiting.popleft()
            return or_stop(found)


ENGINES: dict[str, Callable[[str | None], Engine]] = {"dask": Dask, "ray": Ray}


class _OneThread:
    """Linear algebra in one thread for as long as any worker of this process is at work."""

    def __init__(self) -> None:
        self._lock, self._busy, self._limits = Lock(), 0, None

    def __enter__(self) -> None:
        with self._lock:
            self._busy += 1
            if self._busy == 1:
                self._limits = _libraries().limit(limits=1)

    def __exit__(self, *raised: object) -> None:
        with self._lock:
            self._busy -= 1
            if not self._busy and self._limits is not None:
                self._limits.restore_original_limits()


@cache
def _libraries() -> ThreadpoolController:
    """Those of linear algebra, which NumPy and SciPy each bring; to look for them takes ten milliseconds."""
    import scipy.linalg  # noqa: F401  # so that its library is among them

    return ThreadpoolController()


_one_thread = _OneThread()


def held_if_small(rows: int | None, columns: int) -> AbstractContextManager[None]:
    """BLAS in one thread for as long as the work on a table takes, if that is little: threads that were asleep take longer to come than
    they save, tens of milliseconds on some machines.
    """
    is_small = max(rows or 0, columns) * columns**2 <= _LITTLE
    return _one_thread if is_small else nullcontext()


def held(run: Callable[[Work], Result], piece: Work) -> Result:
    """What a worker does with a piece: BLAS is held to one thread, as there are other workers."""
    with _one_thread:
        return run(piece)


class Ended:
    """What a worker gives back for a piece that had no time left; an exception would end the worker with it."""


def seconds_left() -> float | None:
    """What the run of this thread has left; ``None``: no limit."""
    watch = current()
    return None if watch is None or watch.until is None else watch.until - now()


def within(run: Callable[[Work], Result], piece: Work, seconds: float | None) -> Result | Ended:
    """What a worker of a cluster does with a piece, in so many seconds at most."""
    try:
        with watched_by(None if seconds is None else Watch.of(seconds)):
            return held(run, piece)
    except Stopped:
        return Ended()


def or_stop(found: Result | Ended) -> Result:
    """What a worker has found; a run whose time ended there ends here."""
    if isinstance(found, Ended):
        watch = current()
        if watch is not None:
            watch.end("seconds")
        raise Stopped
    return found
