"""What a conditional independence test is: answers to x ⟂ y | z about the variables of some data, and nothing else.

A test numbers its variables 0, 1, … in a fixed order, ``labels``. A new test needs one method, ``p_values``. Counting, phases and memory
are the business of ``dicola.ci.inquiry``.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterable, Sequence
from math import nan
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from dicola.allowed import LEVEL, check
from dicola.ci.power import Strength
from dicola.ci.questions import Adjacency, Answered, Question, Separation, SweepLevel, Verdict
from dicola.ci.untested import NOTHING, Untested
from dicola.errors import InvalidData, InvalidSetting, NeedsData, counted, shown
from dicola.graphs.marks import listed
from dicola.graphs.skeleton import Variables

Answer = TypeVar("Answer")
_SAYS = ("p_values", "verdict")  # what a test is made of; the rest follows from these
_FOLLOWS = ("answer", "log_p_values", "side_by_side", "detectable")


class Statistic(NamedTuple):
    """What stands behind a p-value.

    Attributes
    ----------
    value : float
        The statistic; NaN where a test has none, or where nothing could be tested.
    freedom : float
        Its degrees of freedom; NaN where it has none, as a normal score.
    rows : int or None
        The rows behind it.

    """

    value: float = nan
    freedom: float = nan
    rows: int | None = None


class CITest(ABC):
    """A conditional independence test over ``labels``; ``names`` are the same names in the user's order.

    A subclass defines ``p_values``, or ``verdict`` where it has no p-values, and sets the attributes. Whatever else its parents offer
    as a faster way steps aside then, so that a subclass is asked itself, on every leaf.

    Attributes
    ----------
    labels : tuple of str
        The variables in the fixed order in which the library works; positions refer to it.
    names : tuple of str
        The same names in the user's order.
    alpha : float or None
        The level; ``None`` for an oracle.
    n_samples : int or None
        Rows behind the test; ``None`` where there are none.
    is_slow : bool
        Is a single verdict so slow that answers are worth remembering?

    Examples
    --------
    >>> class Never(CITest):
    ...     labels = names = ("A", "B", "C")
    ...     alpha = 0.05
    ...     def p_values(self, x, y, sets):
    ...         return np.zeros(len(sets))
    >>> Never()("A", "B", ["C"])
    Verdict(independent=False, p_value=0.0)

    """

    labels: tuple[str, ...]
    names: tuple[str, ...]
    alpha: float | None = None
    n_samples: int | None = None
    is_slow: bool = False
    strength: Strength = "correlation"  # what detectable tells
    gaps: ClassVar[tuple[str, ...]] = ()  # ways around gaps: "em" by missing="em", "testwise" by itself; the first is the default
    answers_in_bunches: bool = False  # does the class define p_values, and so answers for many sets at once?

    def __init_subclass__(cls, **settings: Any) -> None:
        """What a class says anew replaces what its parents derived from their own word."""
        super().__init_subclass__(**settings)
        home = {name: next(i for i, each in enumerate(cls.__mro__) if name in vars(each)) for name in (*_SAYS, *_FOLLOWS)}
        said = min(home[name] for name in _SAYS)
        for name in (*_SAYS, *_FOLLOWS):
            if home[name] > said:
                setattr(cls, name, vars(CITest)[name])
        cls.answers_in_bunches = home["p_values"] <= home["verdict"] and home["p_values"] < cls.__mro__.index(CITest)

    def p_values(self, x: int, y: int, sets: Sequence[Variables]) -> NDArray[np.float64]:
        """The p-value of x ⟂ y given each of some sets of variables.

        Parameters
        ----------
        x, y : int
            Positions in ``labels``.
        sets : sequence of tuples of int
            Conditioning sets, sorted positions.

        Returns
        -------
        array of float
            One p-value per set; NaN where the test only says yes or no.

        """
        self._check_defined()
        return np.array([self.verdict(x, y, z).p_value for z in sets], dtype=np.float64)

    def log_p_values(self, x: int, y: int, sets: Sequence[Variables]) -> NDArray[np.float64] | None:
        """Logarithms of the p-values, for ranking where p-values underflow.

        Parameters
        ----------
        x, y, sets
            As in ``p_values``.

        Returns
        -------
        array of float or None
            ``None`` where the p-values are all there is.

        """
        return None

    def statistic(self, x: int, y: int, z: Variables) -> Statistic:
        """The statistic behind the p-value of x ⟂ y | z, its degrees of freedom and the rows.

        Parameters
        ----------
        x, y : int
            Positions in ``labels``.
        z : tuple of int
            Positions in ``labels``, sorted.

        """
        return Statistic(rows=self.n_samples)

    def verdict(self, x: int, y: int, z: Variables) -> Verdict:
        """X ⟂ y | z: independent iff the p-value exceeds ``alpha``.

        Parameters
        ----------
        x, y : int
            Positions in ``labels``, ``x < y``.
        z : tuple of int
            Positions in ``labels``, sorted.

        """
        self._check_defined()
        if self.alpha is None:
            raise InvalidSetting(f"{type(self).__name__} has no level; set its attribute alpha, for example to 0.01.")
        p_value = float(self.p_values(x, y, [z])[0])
        return Verdict(p_value > self.alpha, p_value)

    def _check_defined(self) -> None:
        if type(self).verdict is CITest.verdict and type(self).p_values is CITest.p_values:
            raise InvalidSetting(f"{type(self).__name__} answers nothing yet; define p_values(x, y, sets), one p-value per set.")

    def answer(self, question: Question[Answer]) -> Answered[Answer] | None:
        """A faster answer to a question about many independences.

        Parameters
        ----------
        question : Question
            One of ``dicola.ci.questions``, or of a learner's own.

        Returns
        -------
        tuple or None
            The answer and the number of verdicts it stands for; ``None``: ask verdict by verdict.

        """
        return None

    def among(self, variables: Sequence[int] | NDArray[np.int64]) -> CITest:
        """The same test over some of the variables, numbered 0, 1, … in the order given.

        Only the whole test knows the user's order; ``names`` of a part may be in that of its
        ``labels``.

        Parameters
        ----------
        variables : sequence of int
            Positions in ``labels``.

        """
        return Among(self, tuple(int(v) for v in variables))

    def side_by_side(self, parts: Sequence[Variables]) -> CITest | None:
        """A test over the disjoint union of some sets of variables, for questions inside one.

        Parameters
        ----------
        parts : sequence of tuples of int
            Positions in ``labels``; a variable may be in several parts. Those of the union are
            numbered through, part after part.

        Returns
        -------
        CITest or None
            ``None`` where it would be no faster than one test per part.

        """
        return None

    def rows_to_condition_on(self, size: int) -> int:
        """How many rows it takes to condition on so many variables.

        Parameters
        ----------
        size : int
            The number of variables conditioned on.

        """
        return 0

    def is_weak_given(self, size: int) -> bool:
        """Do the rows leave this test little power given so many variables?

        Parameters
        ----------
        size : int
            The number of variables conditioned on.

        """
        return False

    def detectable(self, size: int, alpha: float | None = None) -> float | None:
        """The partial correlation that this test finds in four samples of five, or what ``strength`` says.

        Parameters
        ----------
        size : int
            The number of variables conditioned on.
        alpha : float, optional
            By default the level of the test.

        Returns
        -------
        float or None
            ``None`` for a test about something else, and where the rows are too few.

        """
        return None

    def usual_freedom(self, size: int) -> int:
        """The degrees of freedom of a question about two usual variables.

        Parameters
        ----------
        size : int
            The number of variables conditioned on.

        """
        return 1

    def take_untested(self) -> Untested:
        """How many questions it could not answer since this was last asked for; an inquiry asks after every question."""
        return NOTHING

    def count_untested(self, x: int, y: int, sets: Sequence[Variables]) -> None:
        """Count those of some questions that cannot be answered.

        For callers of ``p_values``, which may ask in vain and so counts nothing.

        Parameters
        ----------
        x, y, sets
            As in ``p_values``.

        """
        return

    def notes(self) -> tuple[str, ...]:
        """What was done to the table to make it fit this test, in sentences."""
        return ()

    def samples(self) -> NDArray[np.float64]:
        """The rows behind this test, one column per variable in the order of ``labels``; ``NeedsData`` where there are none."""
        raise NeedsData(f"{type(self).__name__} carries no rows; this needs a test made from a table, such as FisherZ(table).")

    def without_rows(self) -> CITest:
        """The same test for questions after the run, without rows that it can do without."""
        return self

    def settings(self) -> dict[str, Any]:
        """Everything that was set, by name; with it and a table the test can be made again."""
        return {} if self.alpha is None else {"alpha": self.alpha}

    def __len__(self) -> int:
        return len(self.labels)

    def __call__(self, x: int | str, y: int | str, z: Iterable[int | str] = ()) -> Verdict:
        """Ask one question, by name or by position in ``labels``."""
        return self.verdict(*self.positions(x, y, z))

    def ask(self, question: Question[Answer]) -> Answer:
        """The answer to a question about many independences; nobody counts.

        Parameters
        ----------
        question : Question
            One of ``dicola.ci.questions``, in positions of ``labels``.

        """
        from dicola.ci.inquiry import Inquiry

        return Inquiry(self).ask(question)

    def sweep_level(
        self, adjacency: Adjacency, size: int, candidates: Adjacency | None = None, tried: Adjacency | None = None
    ) -> list[Separation]:
        """One order-independent level of a search, every edge against all sets of one size.

        See ``dicola.ci.questions.SweepLevel``.

        Parameters
        ----------
        adjacency : matrix of bool
            The edges, frozen for the level.
        size : int
            How many variables to condition on.
        candidates : matrix of bool, optional
            Where the sets for an edge come from: the rows of its two ends. By default their
            neighbours.
        tried : matrix of bool, optional
            Sets that lie within the row of an end are passed over.

        Returns
        -------
        list of Separation
            The edges that fall, each with the first set that separates its ends.

        """
        return self.ask(SweepLevel(adjacency, size, candidates, tried))

    def positions(self, x: int | str, y: int | str, z: Iterable[int | str] = ()) -> tuple[int, int, Variables]:
        """A question by names as ``verdict`` takes it: the pair in order, the set sorted.

        Parameters
        ----------
        x, y : int or str
            Names, or positions in ``labels``.
        z : iterable of int or str
            The same; one name may stand alone.

        Raises
        ------
        InvalidSetting
            A variable is named twice.
        InvalidData
            A name or position is not that of a variable.

        """
        check("z", z)
        a, b = self._position(x), self._position(y)
        z = (z,) if isinstance(z, str) else tuple(z)
        given = tuple(sorted({self._position(v) for v in z}))
        if a == b or a in given or b in given:
            raise InvalidSetting(f"x, y and z must be different variables; got {x!r}, {y!r} and {tuple(z)!r}.")
        return min(a, b), max(a, b), given

    def _position(self, variable: int | str) -> int:
        if isinstance(variable, str):
            try:
                return self.labels.index(variable)
            except ValueError:
                raise InvalidData(f"{variable!r} is not a variable of this test. Its variables: {listed(self.names)}.") from None
        if not isinstance(variable, int | np.integer) or not 0 <= variable < len(self.labels):
            raise InvalidData(f"{shown(variable)} is not a position among {counted(len(self.labels), 'variable')}.")
        return int(variable)


class Among(CITest):
    """Another test seen through a choice of its variables."""

    def __init__(self, whole: CITest, variables: Variables) -> None:
        self._whole = whole
        self._variables = variables
        self.labels = tuple(whole.labels[v] for v in variables)
        chosen = set(self.labels)
        self.names = tuple(name for name in whole.names if name in chosen)
        self.alpha, self.n_samples, self.is_slow = whole.alpha, whole.n_samples, whole.is_slow
        self.answers_in_bunches, self.strength = whole.answers_in_bunches, whole.strength

    def _asked(self, x: int, y: int, z: Variables) -> tuple[int, int, Variables]:
        a, b = self._variables[x], self._variables[y]
        return min(a, b), max(a, b), tuple(sorted(self._variables[v] for v in z))

    def verdict(self, x: int, y: int, z: Variables) -> Verdict:
        return self._whole.verdict(*self._asked(x, y, z))

    def p_values(self, x: int, y: int, sets: Sequence[Variables]) -> NDArray[np.float64]:
        return self._whole.p_values(*self._asked(x, y, ())[:2], [self._asked(x, y, z)[2] for z in sets])

    def log_p_values(self, x: int, y: int, sets: Sequence[Variables]) -> NDArray[np.float64] | None:
        return self._whole.log_p_values(*self._asked(x, y, ())[:2], [self._asked(x, y, z)[2] for z in sets])

    def rows_to_condition_on(self, size: int) -> int:
        return self._whole.rows_to_condition_on(size)

    def is_weak_given(self, size: int) -> bool:
        return self._whole.is_weak_given(size)

    def detectable(self, size: int, alpha: float | None = None) -> float | None:
        return self._whole.detectable(size, alpha)

    def usual_freedom(self, size: int) -> int:
        return self._whole.usual_freedom(size)

    def take_untested(self) -> Untested:
        return self._whole.take_untested()

    def count_untested(self, x: int, y: int, sets: Sequence[Variables]) -> None:
        self._whole.count_untested(*self._asked(x, y, ())[:2], [self._asked(x, y, z)[2] for z in sets])

    def notes(self) -> tuple[str, ...]:
        return self._whole.notes()

    def samples(self) -> NDArray[np.float64]:
        return self._whole.samples()[:, list(self._variables)]


def checked_alpha(alpha: float, name: str = "alpha") -> float:
    """A significance level strictly between 0 and 1."""
    check(name, alpha, LEVEL)
    return float(alpha)
