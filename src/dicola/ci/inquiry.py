"""An inquiry: asks a test, counts what it takes, and remembers where that pays. The one definition of "number of CI tests"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from dicola.ci.base import CITest
from dicola.ci.questions import Answered, Question, Verdict
from dicola.graphs.skeleton import Variables

PHASES = ("blankets", "leaves", "orientation")
_MOST_AT_ONCE = 256  # conditioning sets handed to a test in one call
Answer = TypeVar("Answer", covariant=True)


class ScoreBeside(Protocol):
    """What an inquiry knows of a score that it carries: its variables, and how to restrict it."""

    names: tuple[str, ...]

    def among(self, variables: Sequence[int]) -> Any:
        """The same score over a choice of the variables."""
        ...


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

    Attributes
    ----------
    labels, names, alpha, n_samples
        Those of the test.

    """

    labels: tuple[str, ...]
    names: tuple[str, ...]
    alpha: float | None
    n_samples: int | None

    def __init__(self, source: CITest | Inquiry, *, cache: bool = False, score: ScoreBeside | None = None) -> None:
        self._look_at(source)
        self._score: ScoreBeside | None = source._score if score is None and isinstance(source, Inquiry) else score
        self._phase = "leaves"
        self._tests: Counter[str] = Counter()
        self._evaluations: Counter[str] = Counter()
        self._memory: dict[tuple[Any, ...], Any] | None = {} if cache else None

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
        return {**vars(self), "_score": self.score}

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def counts(self) -> dict[str, int]:
        """Tests by phase, and their ``total``."""
        by_phase = {phase: self._tests[phase] for phase in PHASES}
        return {**by_phase, "total": sum(by_phase.values())}

    @property
    def evaluations(self) -> dict[str, int]:
        """Evaluations of a score by kind; none of them is a test."""
        return dict(sorted(self._evaluations.items()))

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
        self._evaluations[kind] += count

    def add(self, other: Inquiry) -> None:
        """Count what another inquiry counted.

        Parameters
        ----------
        other : Inquiry
            Its tests by phase and its evaluations are added; what it remembers is not.

        """
        self._tests.update(other._tests)
        self._evaluations.update(other._evaluations)

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
        union = None if self._memory is not None else self._source.side_by_side(parts)
        return None if union is None else self._through(union)

    def fresh(self) -> Inquiry:
        """A new inquiry into the same evidence: nothing counted, nothing remembered."""
        return Inquiry(self._source, cache=self._memory is not None, score=self._score)

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
        if self._memory is None:
            fast = self._source.answer(question)
            if fast is not None:
                self._tests[self._phase] += fast[1]
            return fast
        own = question.key()
        if own is None:
            return None
        key = (self.labels, *own)
        known: Answered[Answer] | None = self._memory.get(key)
        if known is None:
            known = self._source.answer(question)
            if known is not None:
                self._tests[self._phase] += known[1]
                self._memory[key] = known
        return known

    def verdict(self, x: int, y: int, z: Variables) -> Verdict:
        """X ⟂ y | z, counted as one test unless it was remembered.

        Parameters
        ----------
        x, y : int
            Positions in ``labels``, ``x < y``.
        z : tuple of int
            Positions in ``labels``, sorted.

        """
        if self._memory is None:
            self._tests[self._phase] += 1
            return self._source.verdict(x, y, z)
        key = (self.labels[x], self.labels[y], tuple(self.labels[v] for v in z))
        known: Verdict | None = self._memory.get(key)
        if known is None:
            self._tests[self._phase] += 1
            known = self._memory[key] = self._source.verdict(x, y, z)
        return known

    def __call__(self, x: int | str, y: int | str, z: Iterable[int | str] = ()) -> Verdict:
        """Ask one question, by name or by position in ``labels``."""
        return self.verdict(*self.test.positions(x, y, z))

    def first_independent(self, x: int, y: int, sets: Iterable[Variables]) -> Variables | None:
        """The first of some sets that separates x and y.

        Sets behind it are not counted, though a test may be handed some of them: one that answers
        for many sets at once gets them in bunches that grow, so that little is computed in vain.

        Parameters
        ----------
        x, y : int
            Positions in ``labels``, ``x < y``.
        sets : iterable of tuples of int
            Sorted positions; taken one after the other, and not to the end where one separates.

        Returns
        -------
        tuple of int or None
            ``None`` where no set separates them.

        """
        test, alpha = self._source, self.alpha
        if isinstance(test, Inquiry) or self._memory is not None or test.is_slow or alpha is None or not test.answers_in_bunches:
            return next((z for z in sets if self.verdict(x, y, z).independent), None)
        waiting, bunch = iter(sets), 1
        while some := list(islice(waiting, bunch)):
            found = np.flatnonzero(test.p_values(x, y, some) > alpha)
            self._tests[self._phase] += len(some) if not len(found) else int(found[0]) + 1
            if len(found):
                return some[int(found[0])]
            bunch = min(2 * bunch, _MOST_AT_ONCE)
        return None


Evidence = CITest | Inquiry
"""What learners and searches may be handed: a test, or an inquiry into one."""
