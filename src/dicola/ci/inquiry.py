"""An inquiry: asks a test, counts what it takes, and remembers where that pays. The one definition of "number of CI tests"."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from functools import partial
from itertools import islice
from time import perf_counter
from typing import Any, NamedTuple, Protocol, Self, TypeVar

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray

from dicola.allowed import check, instance
from dicola.ci.askers import Askers, Search
from dicola.ci.base import CITest
from dicola.ci.questions import Answered, Depends, Question, Verdict
from dicola.ci.untested import NOTHING, Untested
from dicola.ci.workers import Workers
from dicola.graphs.skeleton import Variables
from dicola.watch import Stopped, heed, questioning

PHASES = ("blankets", "leaves", "orientation")
_WORTH_SHARING = 0.03  # seconds of questions for which it pays to send them to workers
_MOST_AT_ONCE = 256  # conditioning sets handed to a test in one call
Answer = TypeVar("Answer", covariant=True)


class ScoreBeside(Protocol):
    """What an inquiry knows of a score that it carries: its variables, and how to restrict it."""

    names: tuple[str, ...]

    def among(self, variables: Sequence[int]) -> Any:
        """The same score over a choice of the variables."""
        ...


class Remembered(NamedTuple):
    """An answer, the phase in which it was asked for, and the tests it took."""

    answer: Any
    phase: str
    tests: int


class Stand(NamedTuple):
    """Where an account stood at some moment."""

    tests: Counter[str] = Counter()
    evaluations: Counter[str] = Counter()
    untested: Untested = NOTHING
    remembered: int = 0


@dataclass
class Account:
    """What was asked: tests by phase, those of them that could not be answered, evaluations of a score by kind and, where answers
    are remembered, the answers.

    ``news`` is the part of ``untested`` that an inquiry which asks this one has not yet taken over. ``limit`` is how many tests there
    may be: who asks for more is stopped.
    """

    tests: Counter[str] = field(default_factory=Counter)
    untested: Untested = NOTHING
    news: Untested = NOTHING
    evaluations: Counter[str] = field(default_factory=Counter)
    memory: dict[tuple[Any, ...], Remembered] | None = None
    limit: int | None = None

    @property
    def total(self) -> int:
        """All tests."""
        return sum(self.tests.values())

    @property
    def is_spent(self) -> bool:
        """Are there more tests than there may be?"""
        return self.limit is not None and self.total > self.limit

    def stop_if_spent(self, more: int = 0) -> None:
        """Leave by ``Stopped`` where there are more tests than there may be, with so many that are not yet counted."""
        if self.limit is not None and self.total + more > self.limit:
            raise Stopped

    def use_up(self, phase: str) -> None:
        """Count as many tests as there may be, however many were computed: what is over goes from the phase that went too far, then from
        those before it.
        """
        if self.limit is None:
            return
        over = self.total - self.limit
        for name in (phase, *reversed([name for name in self.tests if name != phase])):
            taken = min(over, self.tests[name])
            self.tests[name] -= taken
            over -= taken

    def copy(self) -> Account:
        """The same counts, to go back to; the memory is shared."""
        return replace(self, tests=Counter(self.tests), evaluations=Counter(self.evaluations))

    def go_back_to(self, kept: Account) -> None:
        """Forget what was counted since a copy was made."""
        self.tests, self.evaluations, self.untested, self.news = kept.tests, kept.evaluations, kept.untested, kept.news

    def add(self, other: Account) -> None:
        """Take over what another account has; of what both remember, only what is new is counted."""
        if other is self:
            return
        self.evaluations.update(other.evaluations)
        self.note(other.untested)
        if self.memory is None or other.memory is None:
            self.tests.update(other.tests)
            return
        for key, known in other.memory.items():
            if key not in self.memory:
                self.remember(key, known)

    def stand(self) -> Stand:
        """Where it stands, to tell later what was added."""
        return Stand(Counter(self.tests), Counter(self.evaluations), self.untested, len(self.memory or ()))

    def to_dict(self, since: Stand | None = None) -> dict[str, Any] | None:
        """What was added since it stood there, as plain values; ``None`` where answers are remembered that are no verdicts."""
        begin = Stand() if since is None else since
        new = list(islice((self.memory or {}).items(), begin.remembered, None))
        if not all(isinstance(known.answer, Verdict) for _, known in new):
            return None
        verdicts = [[*key, *astuple(known.answer), known.phase, known.tests] for key, known in new]
        return {
            "tests": self.tests - begin.tests,
            "evaluations": self.evaluations - begin.evaluations,
            "untested": [now - before for now, before in zip(self.untested, begin.untested, strict=True)],
            "memory": None if self.memory is None else verdicts,
        }

    @classmethod
    def from_dict(cls, facts: Mapping[str, Any]) -> Account:
        """Read back what ``to_dict`` gave."""
        untested = Untested(*facts["untested"])
        memory: dict[tuple[Any, ...], Remembered] | None = None
        if facts["memory"] is not None:
            memory = {(x, y, tuple(z)): Remembered(Verdict(*answer), phase, n) for x, y, z, *answer, phase, n in facts["memory"]}
        return cls(Counter(facts["tests"]), untested, untested, Counter(facts["evaluations"]), memory)

    def note(self, untested: Untested) -> None:
        """Count what could not be answered."""
        if untested is not NOTHING:
            self.untested += untested
            self.news += untested

    def remember(self, key: tuple[Any, ...], answered: Remembered) -> None:
        """Keep an answer and count what it took."""
        assert self.memory is not None
        self.memory[key] = answered
        self.tests[answered.phase] += answered.tests


class Inquiry:
    """What learners get: the evidence (a test, and a score where one is given) and the account of what was asked of it.

    A test is one verdict needed, however it was computed: total conditioning over k variables is k(k-1)/2 tests, though one matrix
    inverse may answer them all. Each is booked under the phase at hand. With ``cache=True`` a question met again, single or whole, is
    answered from memory and not counted again.

    Parameters
    ----------
    source : CITest or Inquiry
        The test that answers; or another inquiry, which then counts and remembers too.
    cache : bool
        Remember answers.
    score : Score, optional
        The score that goes with the test, for learners and modes that score graphs.
    workers : Workers, optional
        Who shares independent questions, where answers are remembered.

    Attributes
    ----------
    labels, names, alpha, n_samples
        Those of the test.

    """

    labels: tuple[str, ...]
    names: tuple[str, ...]
    alpha: float | None
    n_samples: int | None

    def __init__(
        self, source: CITest | Inquiry, *, cache: bool = False, score: ScoreBeside | None = None, workers: Workers = Workers()
    ) -> None:
        check("source", source, instance(CITest, Inquiry))
        check("cache", cache)
        check("workers", workers, instance(Workers))
        self._look_at(source)
        source.take_untested()  # of what was asked before
        self._score: ScoreBeside | None = source._score if score is None and isinstance(source, Inquiry) else score
        self.scores_made: dict[tuple[tuple[str, ...], float], Any] = {}  # by variables and price: a run asks for them several times
        self._phase = "leaves"
        self.account = Account(memory={} if cache else None)
        self.workers = workers
        self.askers = workers.askers(source) if cache and workers.are_many and not isinstance(source, Inquiry) else None

    def _look_at(self, source: CITest | Inquiry) -> None:
        self._source = source
        self.labels, self.names, self.alpha, self.n_samples = source.labels, source.names, source.alpha, source.n_samples

    @classmethod
    def of(cls, ci: CITest | Inquiry) -> Inquiry:
        """The inquiry itself, or a new one into a test.

        Parameters
        ----------
        ci : CITest or Inquiry
            A new inquiry into a test remembers nothing.

        """
        return ci if isinstance(ci, Inquiry) else cls(ci)

    @property
    def test(self) -> CITest:
        """The test that answers in the end."""
        return self._source.test if isinstance(self._source, Inquiry) else self._source

    def _through(self, source: CITest | Inquiry, phase: str | None = None) -> Self:
        """The same account over another view of the evidence."""
        view = object.__new__(type(self))
        vars(view).update(vars(self))
        view._look_at(source)
        view._phase = self._phase if phase is None else phase
        return view

    def __getstate__(self) -> dict[str, Any]:
        """To another process goes the score of the variables at hand alone, as the test does."""
        return {**vars(self), "_score": self.score, "scores_made": {}, "askers": None}

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def counts(self) -> dict[str, int]:
        """Tests by phase, and their ``total``."""
        by_phase = {phase: self.account.tests[phase] for phase in PHASES}
        return {**by_phase, "total": sum(by_phase.values())}

    @property
    def untested(self) -> Untested:
        """How many of the tests got a default answer, for lack of rows or because a variable was determined."""
        return self.account.untested

    def take_untested(self) -> Untested:
        """The same since this was last asked for, for an inquiry that asks this one."""
        news, self.account.news = self.account.news, NOTHING
        return news

    @property
    def evaluations(self) -> dict[str, int]:
        """Evaluations of a score by kind; none of them is a test."""
        return dict(sorted(self.account.evaluations.items()))

    @property
    def score(self) -> Any:
        """The score given beside the test, over the variables at hand; ``None`` where none was given."""
        if self._score is None or self._score.names == self.labels:
            return self._score
        place = {name: i for i, name in enumerate(self._score.names)}
        return self._score.among([place[name] for name in self.labels])

    def book_score(self, kind: str, count: int) -> None:
        """Count evaluations of a score.

        Parameters
        ----------
        kind : str
            What was evaluated, such as ``"parent searches"``; ``evaluations`` lists the counts by
            it.
        count : int
            How many to add.

        """
        self.account.evaluations[kind] += count

    def during(self, phase: str) -> Inquiry:
        """The same inquiry, counting under another phase.

        Parameters
        ----------
        phase : {"blankets", "leaves", "orientation"}
            Of what is asked of the returned inquiry; this one goes on under its own.

        """
        return self._through(self._source, phase)

    def among(self, variables: Sequence[int] | NDArray[np.int64]) -> Inquiry:
        """The same inquiry over some of the variables, numbered 0, 1, … in the order given.

        Parameters
        ----------
        variables : sequence of int
            Positions in ``labels``.

        """
        return self._through(self._source.among(variables))

    def side_by_side(self, parts: Sequence[Variables]) -> Inquiry | None:
        """The same inquiry over a disjoint union of some sets of variables.

        Parameters
        ----------
        parts : sequence of tuples of int
            Positions in ``labels``; those of the union are numbered through, part after part.

        Returns
        -------
        Inquiry or None
            ``None`` where the test gains nothing by it, or answers are remembered.

        """
        union = None if self.remembers else self._source.side_by_side(parts)
        return None if union is None else self._through(union)

    @property
    def remembers(self) -> bool:
        """Is a question met again answered from memory?"""
        return self.account.memory is not None

    def fresh(self) -> Inquiry:
        """A new inquiry into the same evidence under the same phase: nothing counted, nothing remembered, nobody to share with.

        It may take as many tests as are left to this one.
        """
        self._source.take_untested()  # of what was asked before
        new = self._through(self._source)
        new.account, new.workers = Account(memory={} if self.remembers else None), Workers()
        if self.account.limit is not None:
            new.account.limit = self.account.limit - self.account.total
        return new

    def samples(self) -> NDArray[np.float64]:
        """The rows behind the test, one column per variable in the order of ``labels``."""
        return self._source.samples()

    def ask(self, question: Question[Answer]) -> Answer:
        """The answer to a question: the test's own where it has a faster one, else the plain one.

        Parameters
        ----------
        question : Question
            One about many independences, in positions of ``labels``.

        """
        question.check(self)
        fast = self.answer(question)
        return question.plain(self) if fast is None else fast[0]

    def ask_each(self, questions: Sequence[Question[Answer]]) -> list[Answer]:
        """The answers to questions none of which depends on the answer to another: workers share them where answers are remembered.

        Parameters
        ----------
        questions : sequence of Question
            In positions of ``labels``.

        """
        if self.askers is not None and self._foreseen(self.askers, questions):
            return [self.ask(question) for question in questions]
        if not self._is_shared or len(questions) < 2:
            return [self.ask(question) for question in questions]
        if self.askers is not None:
            return self._side_by_side(self.askers, questions)
        if not all(isinstance(question, Depends) for question in questions):
            return self._shared(questions)
        verdicts = {self._key(*question.verdict(len(self))): question for question in questions if isinstance(question, Depends)}
        self._shared([question for key, question in verdicts.items() if key not in (self.account.memory or ())])
        return [self.ask(question) for question in questions]  # from memory

    @property
    def _is_shared(self) -> bool:
        """Are there others to answer whole questions? Where tests are limited, what each takes depends on what was asked before."""
        is_memory = self.remembers and not isinstance(self._source, Inquiry)
        return is_memory and (self.workers.are_many or self.askers is not None) and self.account.limit is None

    def _shared(self, questions: Sequence[Question[Answer]]) -> list[Answer]:
        """The answers, by all workers once it is seen that this pays."""
        found: list[Answer] = []
        begin, left = perf_counter(), deque(questions)
        while left and (not found or (perf_counter() - begin) / len(found) * len(left) <= _WORTH_SHARING):
            found.append(self.ask(left.popleft()))
        for answers, account in self.workers.each(partial(_asked, self.fresh()), self.workers.portions(tuple(left))):
            self.account.add(account)
            found += answers
        return found

    def _side_by_side(self, askers: Askers, questions: Sequence[Question[Answer]]) -> list[Answer]:
        """The answers, several questions at a time, each with an account of its own."""
        found, left = list[Answer](), deque(questions)
        while left and not askers.are_there:
            found.append(self.ask(left.popleft()))
        for answers, account in askers.each(partial(_asked, self.fresh()), [(question,) for question in left]):
            self.account.add(account)
            found += answers
        return found

    def _foreseen(self, askers: Askers, questions: Sequence[Question[Answer]]) -> bool:
        """Have others answer what these questions will ask for, if that is known beforehand: nothing is counted by it."""
        if self.account.limit is not None or len(questions) < 2:
            return False
        asked = [question.verdicts(len(self)) for question in questions]
        if None in asked:
            return False
        askers.foresee(self.labels, [self._search(*each) for each in asked if each is not None])
        return True

    def _search(self, x: int, y: int, sets: Iterable[Variables], alpha: float | None) -> Search:
        """For the first set that separates, as far as it is not remembered."""
        return Search(x, y, self._unknown(x, y, sets, alpha), alpha)

    def _unknown(self, x: int, y: int, sets: Iterable[Variables], alpha: float | None) -> Iterator[Variables]:
        memory = self.account.memory or {}
        for z in sets:
            known = memory.get(self._key(x, y, z))
            if known is None:
                yield z
            elif known.answer.independent_at(alpha):
                return

    def close(self) -> None:
        """Send home those who answer for a slow test; whatever is asked from now on is asked here."""
        if self.askers is not None:
            self.askers.close()

    def hired(self, workers: Workers) -> Workers:
        """Who learns leaves side by side: threads of this process where others answer for the test, and one worker where answers are
        remembered and tests are limited.

        Parameters
        ----------
        workers : Workers
            Those who were to do it.

        """
        if self.remembers and self.account.limit is not None:
            return Workers()
        return workers if self.askers is None else Workers(2 * effective_n_jobs(workers.n_jobs))

    def _key(self, x: int, y: int, z: Variables) -> tuple[Any, ...]:
        """Under which a verdict is remembered."""
        return self.labels[x], self.labels[y], tuple(self.labels[v] for v in z)

    def answer(self, question: Question[Answer]) -> Answered[Answer] | None:
        """The test's own answer to a question, counted unless it was remembered.

        Parameters
        ----------
        question : Question
            One about many independences, in positions of ``labels``.

        Returns
        -------
        tuple or None
            The answer and the number of verdicts it stands for; ``None``: the test has none of its
            own.

        """
        heed()
        account = self.account
        if account.memory is None:
            fast = self._source.answer(question) if account.limit is None else self._answered(question)
            if fast is not None:
                account.tests[self._phase] += fast[1]
                if (untested := self._source.take_untested()) is not NOTHING:
                    account.note(untested)
                if account.limit is not None:
                    account.stop_if_spent()
            return fast
        own = question.key()
        if own is None:
            return None
        key = (self.labels, *own)
        if key not in account.memory:
            fast = self._answered(question)
            if fast is None:
                return None
            account.remember(key, Remembered(fast, self._phase, fast[1]))
            account.note(self._source.take_untested())
            account.stop_if_spent()
        known: Answered[Answer] = account.memory[key].answer
        return known

    def _answered(self, question: Question[Answer]) -> Answered[Answer] | None:
        """The test's own answer; where tests are limited, it is stopped on the way once there are too many."""
        limit = self.account.limit
        if limit is None:
            return self._source.answer(question)
        with questioning(limit - self.account.total):
            return self._source.answer(question)

    def verdict(self, x: int, y: int, z: Variables) -> Verdict:
        """X ⟂ y | z, counted as one test unless it was remembered.

        Parameters
        ----------
        x, y : int
            Positions in ``labels``, ``x < y``.
        z : tuple of int
            Positions in ``labels``, sorted.

        """
        heed()
        account = self.account
        if account.memory is None:
            account.tests[self._phase] += 1
            if account.limit is not None:
                account.stop_if_spent()
            verdict = self._source.verdict(x, y, z)
            if (untested := self._source.take_untested()) is not NOTHING:
                account.note(untested)
            return verdict
        key = self._key(x, y, z)
        if key not in account.memory:
            if self.askers is None:
                found, untested = self._source.verdict(x, y, z), self._source.take_untested()
            else:
                found, untested = self.askers.verdict(self.labels, x, y, z)
            account.remember(key, Remembered(found, self._phase, 1))
            account.note(untested)
            account.stop_if_spent()
        known: Verdict = account.memory[key].answer
        return known

    def __call__(self, x: int | str, y: int | str, z: Iterable[int | str] = ()) -> Verdict:
        """Ask one question, by name or by position in ``labels``."""
        return self.verdict(*self.test.positions(x, y, z))

    def first_independent(self, x: int, y: int, sets: Iterable[Variables], alpha: float | None = None) -> Variables | None:
        """The first of some sets that separates x and y.

        Sets behind it are not counted, though a test may be handed some of them: one that answers
        for many sets at once gets them in bunches that grow, so that little is computed in vain.

        Parameters
        ----------
        x, y : int
            Positions in ``labels``, ``x < y``.
        sets : iterable of tuples of int
            Sorted positions; taken one after the other, and not to the end where one separates.
        alpha : float, optional
            The level, by default that of the test.

        Returns
        -------
        tuple of int or None
            ``None`` where no set separates them.

        """
        test, level = self._source, self.alpha if alpha is None else alpha
        if self.askers is not None:
            sets = self._ahead(self.askers, x, y, sets, alpha)
        if isinstance(test, Inquiry) or self.remembers or test.is_slow or level is None or not test.answers_in_bunches:
            return next((z for z in sets if self.verdict(x, y, z).independent_at(alpha)), None)
        waiting, bunch = iter(sets), 1
        while some := list(islice(waiting, bunch)):
            heed()
            p_values = test.p_values(x, y, some)
            found = np.flatnonzero(p_values > level)
            needed = len(some) if not len(found) else int(found[0]) + 1
            self.account.tests[self._phase] += needed
            self.account.stop_if_spent()
            test.count_untested(x, y, [z for z, p_value in zip(some[:needed], p_values.tolist(), strict=False) if p_value in (0.0, 1.0)])
            self.account.note(test.take_untested())
            if len(found):
                return some[int(found[0])]
            bunch = min(2 * bunch, _MOST_AT_ONCE)
        return None

    def _ahead(self, askers: Askers, x: int, y: int, sets: Iterable[Variables], alpha: float | None) -> Iterator[Variables]:
        """The same sets; what is asked of them is answered ahead, some at a time."""
        waiting = iter(sets)
        while some := list(islice(waiting, askers.at_a_time * askers.ahead)):
            askers.foresee(self.labels, [self._search(x, y, some, alpha)])
            yield from some


def _asked(ci: Inquiry, questions: Sequence[Question[Answer]]) -> tuple[list[Answer], Account]:
    """What a worker does: the answers, and what they took."""
    own = ci.fresh()
    return [own.ask(question) for question in questions], own.account


Evidence = CITest | Inquiry
"""What learners and searches may be handed: a test, or an inquiry into one."""
