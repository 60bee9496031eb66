"""Processes that answer what a slow test is asked, so that all that learns, counts and remembers stays where it is.

Each has the test, sent once, and answers some questions at a time, a few milliseconds of work. Whoever learns here asks ahead: what an
answer needs next is handed out to whoever is free, and then asked one by one, as if alone; the answers are there already. Hence what
comes out, and what is counted, does not depend on who answered. What was answered in vain is known if somebody else should ask it.

The processes are begun once the test has taken long enough. Until they are there, and where they died, the test is asked here.
"""

from __future__ import annotations

import os
import pickle
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from functools import partial
from multiprocessing.connection import Client, Connection, Listener, wait
from queue import Empty, SimpleQueue
from time import perf_counter
from traceback import format_exc
from typing import Any, NamedTuple, Protocol, TypeVar

from cloudpickle import dumps
from joblib.externals.loky import ProcessPoolExecutor

from dicola.ci.engines import held
from dicola.ci.questions import Verdict
from dicola.ci.sent_once import SentOnce, sent_once
from dicola.ci.untested import Untested
from dicola.graphs.skeleton import Variables
from dicola.watch import Watch, current, heed, watched_by

Work = TypeVar("Work")
Result = TypeVar("Result")
Key = tuple[str, str, tuple[str, ...]]
_WORTH_HELP = 0.1  # seconds that a test has taken before others are called
_AT_A_TIME = 0.01  # seconds of questions that are sent together
_MOST = 256  # questions that are sent together
_TRIES = 3  # to have processes
_IDLE = 300  # seconds after which processes that nobody needs end
_LOOK = 0.05  # seconds from one look at the budget to the next

_POOLS: dict[int, ProcessPoolExecutor] = {}


class Asked(Protocol):
    """What is asked: a test."""

    labels: tuple[str, ...]

    def verdict(self, x: int, y: int, z: Variables) -> Verdict:
        """X ⟂ y | z."""
        ...

    def among(self, variables: Sequence[int]) -> Any:
        """The same test on some of its variables."""
        ...

    def take_untested(self) -> Untested:
        """What could not be answered since this was last asked for."""
        ...


class Search:
    """Verdicts on a pair that are asked for one after the other, up to the first that is independent at the level ``alpha``."""

    def __init__(self, x: int, y: int, sets: Iterable[Variables], alpha: float | None = None) -> None:
        self.x, self.y, self.alpha, self._sets = x, y, alpha, iter(sets)
        self.is_over = False

    def next(self, most: int, known: Callable[[int, int, Variables], Verdict | None]) -> tuple[Variables, ...]:
        """The next sets to be asked about, without those that are known."""
        found: list[Variables] = []
        while len(found) < most and not self.is_over:
            z = next(self._sets, None)
            verdict = None if z is None else known(self.x, self.y, z)
            if z is not None and verdict is None:
                found.append(z)
            self.is_over = z is None or (verdict is not None and verdict.independent_at(self.alpha))
        return tuple(found)


class Part(NamedTuple):
    """Some sets of a search."""

    x: int
    y: int
    sets: tuple[Variables, ...]
    alpha: float | None


class Bunch(NamedTuple):
    """Parts of searches among some variables (``None``: all) that are sent together."""

    variables: Variables | None
    parts: tuple[Part, ...]


class Answers(NamedTuple):
    """What came of a bunch: for each part verdicts with what could not be answered, and the seconds that all of them took."""

    verdicts: list[list[tuple[Verdict, Untested]]]
    seconds: float


class Askers:
    """Some processes that have a test; ``close`` sends them home."""

    def __init__(self, test: Asked, n_jobs: int) -> None:
        self._test, self._n_jobs = test, n_jobs
        self._answer = Answerer(test)
        self._place = {label: at for at, label in enumerate(test.labels)}
        self._known: dict[Key, tuple[Verdict, Untested]] = {}
        self._seconds, self._count = 0.0, 0
        self._here, self._free = threading.Lock(), SimpleQueue[Connection]()
        self._lines: set[Connection] = set()
        self._listener: Listener | None = None
        self._is_closed, self._while_open = False, ExitStack()
        self._work, self._tries = partial(serve, "", b""), _TRIES

    @property
    def are_there(self) -> bool:
        """Has any of the processes come?"""
        return bool(self._lines)

    @property
    def at_a_time(self) -> int:
        """How many questions are worth a message."""
        return max(1, min(_MOST, int(_AT_A_TIME * self._count / self._seconds))) if self._seconds else 1

    @property
    def ahead(self) -> int:
        """How many messages are worth their answers where the first may make the others vain: as many as there are idle processes."""
        return max(1, self._free.qsize())

    def verdict(self, labels: tuple[str, ...], x: int, y: int, z: Variables) -> tuple[Verdict, Untested]:
        """X ⟂ y | z among the variables with these labels, and what of it could not be answered."""
        key = labels[x], labels[y], tuple([labels[v] for v in z])
        if key not in self._known:
            self.foresee(labels, [Search(x, y, (z,))])
        return self._known[key]

    def foresee(self, labels: tuple[str, ...], searches: Iterable[Search]) -> None:
        """Have searches made whose answers are asked for next."""
        waiting, under_way = deque(searches), dict[Connection, tuple[Bunch, list[Search]]]()
        try:
            while waiting or under_way:
                while (line := self._line(not under_way)) is not None:
                    under_way[line] = made = self._bunch(labels, waiting or self._begun(under_way))
                    if not made[0].parts:
                        self._free.put(line)
                        del under_way[line]
                        break
                    self._send(line, made[0])
                if not under_way and waiting:
                    made = self._bunch(labels, waiting)
                    self._note(labels, *made, self._answered_here(made[0]), waiting)
                for heard in wait(list(under_way), _LOOK) if under_way else ():
                    assert isinstance(heard, Connection)
                    made = under_way.pop(heard)
                    self._note(labels, *made, self._received(heard) or self._answered_here(made[0]), waiting)
                heed()
        finally:
            for line in under_way:
                self._lose(line)

    def _bunch(self, labels: tuple[str, ...], waiting: deque[Search]) -> tuple[Bunch, list[Search]]:
        """What is sent next: a fair share of the searches that wait, as far as they go in a few milliseconds."""

        def known(x: int, y: int, z: Variables) -> Verdict | None:
            found = self._known.get((labels[x], labels[y], tuple([labels[v] for v in z])))
            return None if found is None else found[0]

        variables = None if len(labels) == len(self._place) else tuple([self._place[label] for label in labels])
        left, share, parts, taken = self.at_a_time, -(-len(waiting) // self._n_jobs), list[Part](), list[Search]()
        while waiting and left > 0 and len(parts) < share:
            search = waiting.popleft()
            if sets := search.next(left, known):
                left -= len(sets)
                parts.append(Part(search.x, search.y, sets, search.alpha))
                taken.append(search)
        return Bunch(variables, tuple(parts)), taken

    @staticmethod
    def _begun(under_way: Mapping[Connection, tuple[Bunch, list[Search]]]) -> deque[Search]:
        """Where nothing waits: the search that goes on, if what is asked now does not end it."""
        return deque([search for _, taken in under_way.values() for search in taken if not search.is_over][:1])

    def each(self, run: Callable[[Work], Result], pieces: Sequence[Work]) -> Iterator[Result]:
        """What ``run`` makes of each piece, in their order, several at a time, so that there is something to ask for all processes."""
        run = partial(_watched, current(), run)
        with ThreadPoolExecutor(2 * self._n_jobs) as threads:
            yield from threads.map(run, pieces)

    def close(self) -> None:
        """Let the processes go."""
        self._is_closed = True
        for line in list(self._lines):
            self._lose(line)
        if self._listener is not None:
            with suppress(OSError, EOFError), Client(self._listener.address):  # whoever waits for the next to come
                pass
        self._while_open.close()

    def _note(self, labels: tuple[str, ...], bunch: Bunch, searches: list[Search], found: Answers, waiting: deque[Search]) -> None:
        """Know what came of a bunch; searches that are not over wait for their turn again."""
        self._seconds, self._count = self._seconds + found.seconds, self._count + sum(map(len, found.verdicts))
        for part, search, answers in zip(bunch.parts, searches, found.verdicts, strict=True):
            for z, answer in zip(part.sets, answers, strict=False):
                self._known[labels[part.x], labels[part.y], tuple([labels[v] for v in z])] = answer
            search.is_over |= answers[-1][0].independent_at(part.alpha)
            if not search.is_over and search not in waiting:
                waiting.append(search)

    def _answered_here(self, bunch: Bunch) -> Answers:
        with self._here:
            found = self._answer(bunch)
            if self._listener is None and not self._is_closed and self._seconds + found.seconds > _WORTH_HELP:
                self._call()
        return found

    def _line(self, patiently: bool) -> Connection | None:
        """A process that is free; ``None`` where there is none, though one will be if we wait for it ``patiently``."""
        while self._lines:
            try:
                return self._free.get(timeout=_LOOK) if patiently else self._free.get_nowait()
            except Empty:
                heed()
                if not patiently:
                    break
        return None

    def _send(self, line: Connection, bunch: Bunch) -> None:
        with suppress(OSError):  # it died; whoever waits for its answer will see
            line.send(bunch)

    def _received(self, line: Connection) -> Answers | None:
        """What a process has answered; ``None`` where it died."""
        try:
            found: Answers | Exception = pickle.loads(line.recv_bytes())
        except (EOFError, OSError):
            self._lose(line)
            return None
        self._free.put(line)
        if isinstance(found, Exception):
            raise found
        return found

    def _lose(self, line: Connection) -> None:
        self._lines.discard(line)
        line.close()

    def _call(self) -> None:
        """Call for the processes, and go on without them."""
        known = self._while_open.enter_context(sent_once(self._answer))
        secret = os.urandom(32)
        self._listener = listener = self._while_open.enter_context(Listener(backlog=self._n_jobs, authkey=secret))
        self._work = partial(serve, listener.address, secret)
        threading.Thread(target=_quietly, args=(partial(self._welcome, listener, known),), daemon=True).start()
        self._hire()

    def _hire(self) -> None:
        """Have processes come, and others where one dies, with which all are ended; without them all is asked here."""
        if self._tries and not self._is_closed:
            self._tries -= 1
            with suppress(RuntimeError, OSError):
                hired = [_pool(self._n_jobs).submit(self._work) for _ in range(self._n_jobs)]
                hired[0].add_done_callback(lambda first: self._hire() if first.exception() is not None else None)

    def _welcome(self, listener: Listener, known: SentOnce[Bunch, Answers]) -> None:
        """Wait for those who come."""
        while not self._is_closed:
            line = listener.accept()
            threading.Thread(target=_quietly, args=(partial(self._take_in, line, known),), daemon=True).start()

    def _take_in(self, line: Connection, known: SentOnce[Bunch, Answers]) -> None:
        """Ask somebody who came, from when it has read the test."""
        line.send(known)
        line.recv()
        self._lines.add(line)
        self._free.put(line)
        if self._is_closed:
            self._lose(line)


class Answerer:
    """A test that answers bunches of questions."""

    def __init__(self, test: Asked) -> None:
        self._test, self._parts = test, dict[Variables | None, Asked]()

    def __call__(self, bunch: Bunch) -> Answers:
        return held(self._answers, bunch)  # there are other workers

    def _answers(self, bunch: Bunch) -> Answers:
        begin, test = perf_counter(), self._among(bunch.variables)
        test.take_untested()  # of what was asked before
        return Answers([list(self._first(test, part)) for part in bunch.parts], perf_counter() - begin)

    @staticmethod
    def _first(test: Asked, part: Part) -> Iterator[tuple[Verdict, Untested]]:
        for z in part.sets:
            yield (found := test.verdict(part.x, part.y, z)), test.take_untested()
            if found.independent_at(part.alpha):
                return

    def _among(self, variables: Variables | None) -> Asked:
        if variables not in self._parts:
            self._parts[variables] = self._test if variables is None else self._test.among(variables)
        return self._parts[variables]

    def __getstate__(self) -> dict[str, Any]:
        return {"_test": self._test, "_parts": {}}


def _pool(n_jobs: int) -> ProcessPoolExecutor:
    """Processes that stay for the next run, for some minutes; others where some have died.

    They are not those of joblib, of which there is one set a program: two threads that need different numbers of them wait forever.
    """
    if n_jobs not in _POOLS or _POOLS[n_jobs]._flags.broken is not None or _POOLS[n_jobs]._flags.shutdown:
        _POOLS[n_jobs] = ProcessPoolExecutor(n_jobs, timeout=_IDLE)
    return _POOLS[n_jobs]


def serve(address: str, secret: bytes) -> None:
    """What a process does: answer until nobody asks any more."""
    with suppress(OSError, EOFError), Client(address, authkey=secret) as line:
        answer = line.recv()
        answer(Bunch(None, ()))
        line.send("ready")
        while True:
            line.send_bytes(_as_bytes(answer, line.recv()))


def _as_bytes(answer: Callable[[Bunch], Answers], bunch: Bunch) -> bytes:
    """The answers ready to be sent, or the error that came instead; one that cannot be sent is told in words."""
    try:
        return pickle.dumps(answer(bunch))
    except Exception as error:
        error.add_note(f"In a worker:\n{format_exc()}")
        try:
            return bytes(dumps(error))
        except Exception:
            return pickle.dumps(RuntimeError(f"{type(error).__name__}: {error}"))


def _quietly(work: Callable[[], object]) -> None:
    """What a process that died has left behind is done without it."""
    with suppress(Exception):
        work()


def _watched(watch: Watch | None, run: Callable[[Work], Result], piece: Work) -> Result:
    with watched_by(watch):
        return run(piece)
