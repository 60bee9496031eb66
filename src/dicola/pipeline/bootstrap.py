"""A run made again on tables drawn from the rows of one: how much of the answer is chance?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from dataclasses import replace as with_changes
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator, SeedSequence, default_rng
from numpy.typing import NDArray

from dicola.allowed import check_fields, number, whole
from dicola.calibration import CALIBRATIONS
from dicola.checkpoint import Checkpoint
from dicola.ci.base import CITest
from dicola.ci.engines import held_if_small
from dicola.ci.inquiry import Inquiry
from dicola.ci.workers import Workers
from dicola.confidence import Bootstrap, keys_of
from dicola.discovery import Discovery
from dicola.errors import BudgetExceeded, Interrupted, InvalidData, InvalidSetting, Sentence, not_allowed
from dicola.orient.equivalence import mag_to_pag
from dicola.pipeline.checkpoints import kept_of
from dicola.pipeline.discover import Progress, learn, run
from dicola.pipeline.modes import EXACT, mode_named
from dicola.pipeline.plan import Plan
from dicola.pipeline.preparation import Prepared, prepare
from dicola.pipeline.settings import SETTINGS
from dicola.pipeline.so_far import watching, why_stopped
from dicola.score.hidden_columns import HiddenVariable
from dicola.score.search import BestMag, order_of
from dicola.statements import claims_in
from dicola.tables.table import Table, as_table
from dicola.watch import Stopped, Watch, current, end, heed

Keys = NDArray[np.int64]
_TRIES = 20  # draws for one table before we give up
_FEWEST_ROWS = 5
_HALF = 0.5  # share of the rows that is drawn without replacement where none is said
_WORTH_PROCESSES = 8.0  # seconds of work for which it pays to start some
_GAUSSIAN = ("FisherZ", "GaussianCopula")
_WHY = ("mode_chosen", "blankets_chosen")  # words about choices


@dataclass(frozen=True)
class Resampling:
    """How tables are drawn: how many, the seed, with or without replacement, and of how many rows."""

    replicates: int = 100
    seed: int = 0
    replace: bool = True
    fraction: float | None = None

    def __post_init__(self) -> None:
        check_fields(
            self,
            replicates=whole("it must be a whole number, 1 at least.", least=1),
            seed=whole("it must be a whole number, 0 at least."),
            fraction=number("", most=1.0, above=0.0).or_none("it must be above 0, and 1 at most."),
        )
        if not self.replace and self.share == 1.0:
            raise not_allowed("fraction", self.fraction, "without replacement all tables would be the same; draw fewer rows.")

    @property
    def share(self) -> float:
        """Rows of a drawn table as a share of all."""
        return self.fraction or (1.0 if self.replace else _HALF)

    def streams(self) -> list[SeedSequence]:
        """A seed of its own for each table, so that none depends on who draws the others."""
        return SeedSequence(int(self.seed)).spawn(int(self.replicates))

    def rows(self, n: int, rng: Generator) -> NDArray[np.int64]:
        """The rows of one table."""
        many = round(self.share * n)
        if many < _FEWEST_ROWS:
            raise InvalidData(f"{self.share:g} of {n} rows are {many}; a drawn table needs at least {_FEWEST_ROWS}.")
        return rng.integers(0, n, many) if self.replace else rng.choice(n, many, replace=False)


def bootstrap(
    data: Table | Any,
    replicates: int = 100,
    seed: int = 0,
    n_jobs: int = 1,
    *,
    replace: bool = True,
    fraction: float | None = None,
    **settings: Any,
) -> Bootstrap:
    """Learn from many tables drawn from the rows of one, and count what comes again.

    The table is understood once, and test and mode are chosen once, on all rows. Each drawn table
    has a seed of its own, so that the counts depend neither on ``n_jobs`` nor on ``replicates``:
    the first 50 of 100 tables are those of 50. Where graphs are scored, the search on a drawn table
    starts near the graph of all rows; in simulations frequencies were the same as from scratch.

    Parameters
    ----------
    data : DataFrame, array, dict, sparse matrix or Table
        One column per variable.
    replicates : int
        The number of tables.
    seed : int
        Seed of the draws; with ``settings`` the same as of :class:`dicola.DiCoLa`, the seed of the
        searches is theirs.
    n_jobs : int
        Tables learned from at a time; -1 for all cores. The counts do not depend on it.
    replace : bool
        Draw with replacement (the bootstrap), or without (subsampling).
    fraction : float, optional
        Rows per table as a share of all; by default all with replacement, half without.
    **settings
        Those of :class:`dicola.DiCoLa`: ``mode``, ``alpha``, ``kinds``, ….

    Returns
    -------
    Bootstrap
        Frequencies of adjacencies, types of edges and marks, and a consensus.

    Raises
    ------
    InvalidSetting
        Where a setting is not known or not allowed.
    InvalidData
        Where the table is not what the test needs, or time and again those drawn from it are not.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> a, c = rng.normal(size=(2, 500))
    >>> b = a + c + rng.normal(size=500)
    >>> found = bootstrap({"A": a, "B": b, "C": c}, 20)
    >>> found.to_pandas()[["u", "v", "adjacent", "o->", "<-o"]]
       u  v  adjacent  o->  <-o
    0  A  B       1.0  1.0  0.0
    1  B  C       1.0  0.0  1.0
    >>> print(found.consensus)
    A o-> B
    C o-> B

    """
    unknown = [name for name in settings if name not in SETTINGS]
    if unknown:
        raise InvalidSetting(f"{unknown[0]!r} is not a setting of a run. Known: {', '.join(SETTINGS)}.")
    resampling = Resampling(replicates, seed, replace, fraction)
    plan = Plan(**{name: each.metadata["at_doors"] for name, each in SETTINGS.items()} | settings | {"bootstrap": 0, "n_jobs": n_jobs})
    table = as_table(data)
    with watching(plan) as watch:
        prepared = prepared_within(table, plan, watch)
        with kept_of(prepared, {"resampling": asdict(resampling)}) as kept:
            found = run(prepared.test, prepared.plan, kept=kept)
            found.refuse_if_partial("A bootstrap")
            drawn = drawn_again(prepared, found, resampling, kept=kept)
    if watch.reason == "interrupted":
        raise Interrupted(with_changes(found, bootstrap=drawn, complete=False))
    if drawn is None:
        raise BudgetExceeded("the budget was spent before one drawn table was learned from; give a larger one.")
    return drawn


def prepared_within(table: Table, plan: Plan, watch: Watch) -> Prepared:
    """A table made ready for its test, where the budget lets it."""
    try:
        with held_if_small(table.n_samples, len(table.names)):
            return prepare(table, plan)
    except Stopped:
        if watch.reason == "interrupted":
            raise
        raise BudgetExceeded("the budget was spent before the table was made ready for a test; give a larger one.") from None


def learned_from(table: Table, plan: Plan, progress: Progress | None = None) -> tuple[Prepared, Discovery]:
    """What a plan finds in a table, with the bootstrap that it asks for; all of it within one budget."""
    with watching(plan) as watch:
        prepared = prepared_within(table, plan, watch)
        return prepared, learned_from_prepared(prepared, progress)


def learned_from_prepared(prepared: Prepared, progress: Progress | None = None) -> Discovery:
    """The same for a table that is ready."""
    with watching(prepared.plan) as watch, kept_of(prepared) as kept:
        try:
            found = prepared.told(with_bootstrap(prepared, run(prepared.test, prepared.plan, progress, kept), progress, kept))
        except Interrupted as stopped:
            raise Interrupted(prepared.told(stopped.discovery)) from None
    if not found.complete and watch.reason == "interrupted":
        raise Interrupted(found)
    return found


def with_bootstrap(prepared: Prepared, found: Discovery, progress: Progress | None = None, kept: Checkpoint | None = None) -> Discovery:
    """The result with the bootstrap that the plan asks for, if it asks for one; a part of an answer gets none."""
    plan = prepared.plan
    if not plan.bootstrap or not found.complete:
        return found
    resampling = Resampling(plan.bootstrap, plan.bootstrap_seed, plan.bootstrap_fraction is None, plan.bootstrap_fraction)
    notes = list(found.warnings)
    drawn = drawn_again(prepared, found, resampling, progress, kept, notes)
    found = found if len(notes) == len(found.warnings) else with_changes(found, warnings=tuple(notes))
    learned = 0 if drawn is None else drawn.replicates
    if learned == resampling.replicates:
        return with_changes(found, bootstrap=drawn)
    watch = current()
    note = Sentence(
        "the run was stopped, as {why}: the graph is whole, and {learned} of {asked} drawn tables were learned from.",
        why=why_stopped((watch and watch.reason) or "tests"),
        learned=learned,
        asked=resampling.replicates,
    )
    return with_changes(found, bootstrap=drawn, complete=False, warnings=(note, *found.warnings))


def drawn_again(
    prepared: Prepared,
    found: Discovery,
    resampling: Resampling,
    progress: Progress | None = None,
    kept: Checkpoint | None = None,
    notes: list[str] | None = None,
) -> Bootstrap | None:
    """The run behind a result on tables drawn from its rows, as many as the budget allows; ``None`` where that is none. What comes of
    each is ``kept``; ``notes`` get what is to be said of the workers.

    Several workers are threads where all is done before processes have started, and else processes; the answer is the same.
    """
    again = _Again.of(prepared, found, resampling)
    workers = again.workers(prepared.plan, found.seconds["total"])
    told = progress or (lambda phase, done, total: None)
    keys: list[Keys] = []
    redrawn, left = 0, again.max_tests
    streams = resampling.streams()
    for answer in again.all(workers, streams, kept):
        if left is not None:
            left = left if left < 0 else left - answer.tests
            if left < 0:
                end("tests")
                continue  # for the workers to come to their end
        keys.append(answer.keys)
        redrawn += answer.redrawn
        told("bootstrap", len(keys), len(streams))
    if notes is not None:
        notes += [note for note in workers.notes if note not in notes]
    if not keys:
        return None
    facts = {"seed": int(resampling.seed), "replace": resampling.replace, "fraction": resampling.share}
    known = claims_in(found.settings, found.pag.names)
    return Bootstrap.of(found.pag, keys, **facts, calibration=_calibration(prepared, found, resampling), redrawn=redrawn, claims=known)


def _name(number: int) -> str:
    """Under which the answer of a drawn table is kept."""
    return f"table-{number:06d}"


class _Answer(NamedTuple):
    """What came of one drawn table, and how many before it were of no use."""

    keys: Keys
    redrawn: int
    tests: int = 0

    @classmethod
    def read(cls, kept: Any) -> _Answer:
        """Read back what is kept."""
        return cls(np.array(kept["keys"], dtype=np.int64), kept["redrawn"], kept["tests"])


@dataclass(frozen=True)
class _Again:
    """A run that can be made again on any rows: everything is chosen."""

    prepared: Prepared
    plan: Plan
    place: NDArray[np.int64]  # of each variable of the answer among those of the test
    order: list[int] | None  # of the graph of the whole, where searches start near it
    hidden: tuple[HiddenVariable, ...]  # that it supposes
    resampling: Resampling

    @property
    def max_tests(self) -> int | None:
        """How many tests all drawn tables may take together."""
        return self.plan.max_tests

    @classmethod
    def of(cls, prepared: Prepared, found: Discovery, resampling: Resampling) -> _Again:
        mode = found.settings["mode"]
        limit = prepared.plan.max_tests
        left = None if limit is None else max(0, limit - found.tests["total"])
        plan = with_changes(prepared.plan, mode=mode, n_jobs=1, workers=None, scheduler=None, bootstrap=0, max_tests=left)
        is_scored = isinstance(mode_named(mode).last_step, BestMag)
        # What is known would have to be obeyed, and then the search is made as a whole.
        order = order_of(found.pag.reordered(found.skeleton.labels).marks) if is_scored and plan.known(found.pag.names) is None else None
        light = prepared._replace(look=with_changes(prepared.look, table=None))
        place = np.array([found.skeleton.labels.index(name) for name in found.pag.names], dtype=np.int64)
        return cls(light, plan, place, order, found.hidden, resampling)

    def workers(self, plan: Plan, seconds: float) -> Workers:
        """Who draws and learns, where one run takes so many seconds."""
        is_own = not self.prepared.test.is_slow and all(_is_ours(each) for each in (self.prepared.test, plan.learner, plan.blankets))
        processes = plan.side_by_side("processes", is_own)
        is_worth_it = processes.start_at_once or seconds * self.resampling.replicates > _WORTH_PROCESSES
        return processes if is_worth_it else plan.side_by_side("threads")

    def all(self, workers: Workers, streams: Sequence[SeedSequence], kept: Checkpoint | None = None) -> Iterator[_Answer]:
        """What comes of each table, in their order, up to the first that the run was stopped at; read from what is kept, and kept."""
        known = {} if kept is None else {at: kept.get(_name(at), _Answer.read) for at in range(len(streams))}
        missing = [stream for at, stream in enumerate(streams) if known.get(at) is None]
        fresh = self._learned(workers, workers.portions(missing) if kept is None or workers.are_many else [[each] for each in missing])
        for at in range(len(streams)):
            answer = known.get(at)
            if answer is None:
                answer = next(fresh, None)
                if answer is None:
                    return
                if kept is not None:
                    kept.put(_name(at), {"keys": answer.keys.tolist(), "redrawn": answer.redrawn, "tests": answer.tests})
            yield answer

    def _learned(self, workers: Workers, portions: list[Sequence[SeedSequence]]) -> Iterator[_Answer]:
        """What the workers find, up to the first that the run was stopped at; then it is waited for the others to come to their end."""
        is_over = False
        try:
            for portion, answers in zip(portions, workers.each(self.each, portions), strict=True):
                yield from [] if is_over else answers
                is_over |= len(answers) < len(portion)
        except Stopped:  # a signal, in the thread that waits for the workers
            return

    def each(self, streams: Sequence[SeedSequence]) -> list[_Answer]:
        """What comes of each of some tables, up to the first that the run was stopped at."""
        found: list[_Answer] = []
        table = self.prepared.table
        with suppress(Stopped), held_if_small(table.n_samples, len(table.names)):
            for stream in streams:
                heed()
                found.append(self._drawn(default_rng(stream)))
        return found

    def _drawn(self, rng: Generator) -> _Answer:
        for redrawn in range(_TRIES):
            rows = self.resampling.rows(self.prepared.table.n_samples, rng)
            try:
                marks, tests = self._marks(self.prepared.on_rows(rows))
                return _Answer(keys_of(marks[np.ix_(self.place, self.place)]), redrawn, tests)
            except InvalidData as error:
                last = error
        raise InvalidData(
            Sentence("of {tries} tables drawn from the rows none could be learned from; the last one: {last}", tries=_TRIES, last=str(last))
        )

    def _marks(self, test: CITest) -> tuple[NDArray[np.int8], int]:
        """The marks that a drawn table gives, its variables in the order of the labels, and the tests it took."""
        if self.order is None:
            found = learn(test, self.plan)
            assert found.oriented is not None
            return found.oriented.pag.marks, found.ci.account.total
        asked = Inquiry(test)
        return mag_to_pag(BestMag().again(asked, self.order, self.hidden)).marks, asked.account.total


def _is_ours(part: object) -> bool:
    """Is a test, or a learner, one of this library, and no door to another?"""
    name = type(part).__module__
    return isinstance(part, str | None) or (name.startswith("dicola.") and not name.startswith("dicola.learners.adapters"))


def _calibration(prepared: Prepared, found: Discovery, resampling: Resampling) -> str | None:
    """The name of the maps from frequencies to probabilities that were made for such a run; ``None``: there are none.

    They are for numbers, the choices that a mode makes by itself, and tables of as many rows drawn with replacement.
    """
    record, mode = found.settings, found.settings["mode"]
    if mode not in CALIBRATIONS or record["test"]["name"] not in _GAUSSIAN or not resampling.replace or resampling.share != 1.0:
        return None
    usual = Plan(mode=mode).steps(Inquiry(prepared.test)).record(prepared.test)
    is_usual = all(record[name] == usual[name] for name in usual if name not in ("test", "seed", *_WHY))
    return mode if is_usual and (mode != EXACT.name or record["test"]["alpha"] == SETTINGS["alpha"].default) else None
