"""Work done side by side, in threads, processes or on a cluster; what comes out does not depend on how many there are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal, TypeVar, get_args

from cloudpickle import dumps
from joblib import Parallel, delayed, effective_n_jobs
from joblib.parallel import ThreadingBackend, get_active_backend

from dicola.ci.askers import Asked, Askers
from dicola.ci.engines import ENGINES, held
from dicola.ci.forks import can_fork, forked
from dicola.ci.sent_once import sent_once
from dicola.errors import Sentence, Setting
from dicola.watch import Watch, current, watched_by

Kind = Literal["threads", "processes", "dask", "ray"]
KINDS: tuple[Kind, ...] = get_args(Kind)
Work = TypeVar("Work")
Result = TypeVar("Result")
_SHARES = 32  # portions per worker, so that none waits long for another


@dataclass(frozen=True)
class Workers:
    """``n_jobs`` workers (-1: one per core) in threads or processes, or those of a cluster.

    ``scheduler`` is where the cluster listens. ``is_own``: nothing but code of this library runs, so that processes may be copies of
    this one. ``notes`` get a sentence where work could not go where it should.
    """

    n_jobs: int = 1
    kind: Kind = "threads"
    scheduler: str | None = None
    is_own: bool = False
    notes: list[str] = field(default_factory=list, repr=False, compare=False)

    @property
    def are_many(self) -> bool:
        """Is anything done side by side?"""
        return self.n_jobs != 1 or self.kind in ENGINES

    def reached(self) -> Workers:
        """The same, with a connection to the cluster; ``InvalidSetting`` where none answers, ``MissingExtra`` where nobody could ask."""
        if self.kind in ENGINES:
            ENGINES[self.kind](self.scheduler)
        return self

    @property
    def start_at_once(self) -> bool:
        """Is nothing lost by processes, however little there is to do?"""
        return self.kind == "processes" and self.is_own and can_fork() and not _is_configured()

    def each(self, run: Callable[[Work], Result], pieces: Iterable[Work]) -> Iterator[Result]:
        """What ``run`` makes of each piece, in their order."""
        if not self.are_many:
            yield from map(run, pieces)
            return
        waiting, there = list(pieces), run
        run = partial(_watched, current(), run)
        if len(waiting) < 2:
            yield from map(run, waiting)
        elif self.kind in ENGINES and not _can_be_sent((there, waiting[0])):
            self._note()
            yield from map(run, waiting)
        elif self.kind in ENGINES:  # on machines with clocks of their own
            yield from ENGINES[self.kind](self.scheduler).each(there, waiting)
        elif self.start_at_once:
            yield from forked(partial(held, run), waiting, effective_n_jobs(self.n_jobs))
        elif self.kind == "processes" and _can_be_sent((run, waiting[0])):
            with nullcontext(run) if _is_configured() else sent_once(run) as known:
                yield from self._by_joblib(known, waiting)
        else:  # the answer is the same
            yield from replace(self, kind="threads")._by_joblib(run, waiting)

    def _note(self) -> None:
        """Say that the cluster had nothing to do."""
        told = Sentence(
            "the test or the learner holds something that cannot be sent to the workers of the cluster ({workers}), such as an open "
            "connection, so all was done here by one worker.",
            workers=Setting("workers", self.kind),
        )
        if told not in self.notes:
            self.notes.append(told)

    def _by_joblib(self, run: Callable[[Work], Result], waiting: list[Work]) -> Iterator[Result]:
        yield from Parallel(n_jobs=self.n_jobs, prefer=self.kind, return_as="generator")(delayed(held)(run, piece) for piece in waiting)

    def askers(self, test: Asked) -> Askers | None:
        """Processes that answer what a slow test is asked; ``None`` where there are to be none, or the test cannot be sent to them."""
        if self.kind != "processes" or effective_n_jobs(self.n_jobs) == 1 or _is_configured() or not _can_be_sent(test):
            return None
        return Askers(test, effective_n_jobs(self.n_jobs))

    def portions(self, pieces: Sequence[Work]) -> list[Sequence[Work]]:
        """The pieces in portions of equal size, some for each worker."""
        many = ENGINES[self.kind](self.scheduler).size() if self.kind in ENGINES else effective_n_jobs(self.n_jobs)
        size = -(-len(pieces) // (_SHARES * many)) or 1
        return [pieces[at : at + size] for at in range(0, len(pieces), size)]


def _watched(watch: Watch | None, run: Callable[[Work], Result], piece: Work) -> Result:
    """What a worker does, under the watch of the run."""
    with watched_by(watch):
        return run(piece)


def engine_at(scheduler: str) -> Kind:
    """Whose address it is."""
    return "ray" if scheduler.startswith("ray:") else "dask"


def _is_configured() -> bool:
    """Has the user told joblib where work is done, as by ``joblib.parallel_config("dask")``?"""
    return not isinstance(get_active_backend(prefer="threads")[0], ThreadingBackend)


def _can_be_sent(work: object) -> bool:
    """A user's function may hold what no other process can have, such as an open connection."""
    try:
        dumps(work)
    except Exception:
        return False
    return True
