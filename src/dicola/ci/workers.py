"""Work done side by side, in threads or processes; what comes out does not depend on how many there are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeVar

from cloudpickle import dumps
from joblib import Parallel, delayed, effective_n_jobs

from dicola.watch import Watch, current, watched_by

Kind = Literal["threads", "processes"]
Work = TypeVar("Work")
Result = TypeVar("Result")
_SHARES = 16  # portions per worker, so that none waits long for another


@dataclass(frozen=True)
class Workers:
    """``n_jobs`` workers (-1: one per core), in threads or processes."""

    n_jobs: int = 1
    kind: Kind = "threads"

    @property
    def are_many(self) -> bool:
        """Is anything done side by side?"""
        return self.n_jobs != 1

    def each(self, run: Callable[[Work], Result], pieces: Iterable[Work]) -> Iterator[Result]:
        """What ``run`` makes of each piece, in their order."""
        if not self.are_many:
            yield from map(run, pieces)
            return
        waiting, watched = list(pieces), partial(_watched, current(), run)
        kind = self.kind if self.kind == "threads" or _can_be_sent((watched, waiting[:1])) else "threads"  # the answer is the same
        yield from Parallel(n_jobs=self.n_jobs, prefer=kind, return_as="generator")(delayed(watched)(piece) for piece in waiting)

    def portions(self, pieces: Sequence[Work]) -> list[Sequence[Work]]:
        """The pieces in portions of equal size, some for each worker."""
        size = -(-len(pieces) // (_SHARES * effective_n_jobs(self.n_jobs))) or 1
        return [pieces[at : at + size] for at in range(0, len(pieces), size)]


def _watched(watch: Watch | None, run: Callable[[Work], Result], piece: Work) -> Result:
    """What a worker does, under the watch of the run."""
    with watched_by(watch):
        return run(piece)


def _can_be_sent(work: object) -> bool:
    """A user's function may hold what no other process can have, such as an open connection."""
    try:
        dumps(work)
    except Exception:
        return False
    return True
