"""Tests by a statistic that is χ² where x and y are independent, on evidence that kernels can search."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Generic, Literal, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, chdtri, gammaln

from dicola._kernels import evidence as kernel
from dicola._kernels.arrays import Rows
from dicola._kernels.evidence import Evidence
from dicola.ci.base import CITest, Statistic
from dicola.ci.questions import Adjacency, Answered, Question, Verdict
from dicola.ci.untested import NOTHING, Untested
from dicola.errors import not_allowed
from dicola.graphs.skeleton import Variables

Answer = TypeVar("Answer")
Kind = TypeVar("Kind", bound=Evidence)
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Default = Literal["dependent", "independent"]
_UNDERFLOW = 1e-280
_STEPS = 200


class Measured(NamedTuple):
    """What a test measured for one pair and set after the other, an entry for each.

    Attributes
    ----------
    statistics : array of float
        χ² under independence.
    freedoms : array of int
        Degrees of freedom.
    rows : array of int
        The rows behind each.
    defaults : array of int
        -1 where the statistic decides; else what is answered without one, 1 for dependent.

    """

    statistics: Floats
    freedoms: Ints
    rows: Ints
    defaults: Ints

    def p_values(self) -> Floats:
        """0 or 1 where something is answered without a statistic."""
        p_values = chdtrc(np.maximum(self.freedoms, 1), self.statistics)
        return np.where(self.defaults < 0, p_values, 1.0 - self.defaults)


class Tallied:
    """A test whose kernels count what they could not answer."""

    evidence: Any

    @cached_property
    def tally(self) -> Ints:
        """Questions without rows enough and questions about something determined, as kernels meet them."""
        return np.zeros(len(Untested._fields), dtype=np.int64)

    def take_untested(self) -> Untested:
        """How many questions it could not answer since this was last asked for."""
        tally = vars(self).get("tally")
        if tally is None or not tally.any():
            return NOTHING
        taken = Untested(*tally.tolist())
        tally[:] = 0
        return taken

    def count_untested(self, x: int, y: int, sets: Sequence[Variables]) -> None:
        """Count those of some questions that cannot be answered.

        Parameters
        ----------
        x, y, sets
            As in ``p_values``.

        """
        for z in sets:
            kernel.depend_given(self.evidence, x, y, np.array(z, dtype=np.int64))


WORKED_OUT = ("evidence", "limits", "tally")
"""Attributes of tests by evidence that are made when asked for, by each part of a test for itself."""


class EvidenceTest(Tallied, CITest, Generic[Kind]):
    """A test that measures a statistic which is χ² under independence.

    A subclass says what it measures; p-values, verdicts and the searches in kernels follow.
    """

    alpha: float
    n_samples: int

    @abstractmethod
    def measure_pairs(self, x: Ints, y: Ints, sets: Sequence[Variables]) -> Measured:
        """The statistics of some pairs, each given its own set.

        Parameters
        ----------
        x, y : array of int
            Positions in ``labels``, that of x before that of y.
        sets : sequence of tuples of int
            Conditioning sets, sorted positions: one per pair.

        """

    def measure(self, x: int, y: int, sets: Sequence[Variables]) -> Measured:
        """The statistic of x and y given each of some sets.

        Parameters
        ----------
        x, y : int
            Positions in ``labels``.
        sets : sequence of tuples of int
            Conditioning sets, sorted positions.

        """
        return self.measure_pairs(np.full(len(sets), x, dtype=np.int64), np.full(len(sets), y, dtype=np.int64), sets)

    @abstractmethod
    def evidence_at(self, alpha: float) -> Kind:
        """What kernels need to answer at a level.

        Parameters
        ----------
        alpha : float
            The level.

        """

    @abstractmethod
    def _chosen(self, variables: NDArray[np.int64]) -> dict[str, Any]:
        """The data of a choice of the variables, as attributes."""

    @cached_property
    def evidence(self) -> Kind:
        """What kernels need to answer at the level of the test."""
        return self.evidence_at(self.alpha)

    @cached_property
    def limits(self) -> Floats:
        """Unused by this evidence, and asked for by the searches: a limit per number of variables."""
        return np.zeros(len(self.labels) + 1)

    def given_rest(self, alpha: float, inside: NDArray[np.int64]) -> Adjacency | None:
        """Which pairs of some variables depend on each other given all others?

        Parameters
        ----------
        alpha : float
            The level.
        inside : array of int
            Positions in ``labels``.

        Returns
        -------
        matrix of bool or None
            ``None`` where there is no faster way than pair by pair.

        """
        return None

    def grown_blankets(self, targets: Ints, starts: Rows, levels: Sequence[float], most: int) -> Answered[Adjacency] | None:
        """Who is in the blanket of each target, grown from its row of ``starts``, the strongest first?

        Parameters
        ----------
        targets : array of int
            Positions in ``labels``.
        starts : Rows
            The members that each blanket begins with.
        levels : two floats
            That given nothing, and that given something.
        most : int
            No test conditions on more variables.

        Returns
        -------
        matrix of bool with the number of tests, or None
            One row per target; ``None`` where there is no faster way than question by question.

        """
        return None

    def among(self, variables: Sequence[int] | NDArray[np.int64]) -> Self:
        chosen = np.array(variables, dtype=np.int64)
        part = object.__new__(type(self))
        vars(part).update({name: value for name, value in vars(self).items() if name not in WORKED_OUT})
        vars(part).update(self._chosen(chosen))
        part.labels = part.names = tuple(self.labels[v] for v in chosen.tolist())
        return part

    def __getstate__(self) -> dict[str, Any]:
        """Without what is worked out when asked for; arrays would come back writeable, for which kernels are compiled once more."""
        return {name: value for name, value in vars(self).items() if name not in WORKED_OUT}

    def p_values(self, x: int, y: int, sets: Sequence[Variables]) -> Floats:
        return self.measure(x, y, sets).p_values()

    def statistic(self, x: int, y: int, z: Variables) -> Statistic:
        found = self.measure(x, y, [z])
        if found.defaults[0] >= 0:
            return Statistic(rows=int(found.rows[0]))
        return Statistic(float(found.statistics[0]), float(found.freedoms[0]), int(found.rows[0]))

    def log_p_values(self, x: int, y: int, sets: Sequence[Variables]) -> Floats:
        """From an expansion where the p-values underflow."""
        found = self.measure(x, y, sets)
        logs = log_survival(np.maximum(found.freedoms, 1), found.statistics)
        return np.where(found.defaults < 0, logs, np.where(found.defaults == 1, -np.inf, 0.0))

    def verdict(self, x: int, y: int, z: Variables) -> Verdict:
        p_value = float(self.p_values(x, y, [z])[0])
        return Verdict(not kernel.depend_given(self.evidence, x, y, np.array(z, dtype=np.int64)), p_value)

    def answer(self, question: Question[Answer]) -> Answered[Answer] | None:
        return question.by_evidence(self)


def critical_values(alpha: float, largest: int) -> Floats:
    """Of χ² at a level, by degrees of freedom from 0 on, where nothing is above the critical value."""
    values = np.append(np.inf, chdtri(np.arange(1, largest + 1), alpha))
    values.setflags(write=False)
    return values


def log_survival(freedoms: Ints, statistics: Floats) -> Floats:
    """The logarithm of the probability that a χ² variable exceeds a value.

    Where it underflows it comes from Lentz's continued fraction of the incomplete gamma function.

    >>> log_survival(np.array([2, 2]), np.array([2.0, 4000.0])).round(9).tolist()
    [-1.0, -2000.0]
    """
    with np.errstate(divide="ignore"):
        logs = np.log(chdtrc(freedoms, statistics))
    small = logs < np.log(_UNDERFLOW)
    if small.any():
        logs[small] = _log_tail(freedoms[small] / 2.0, statistics[small] / 2.0)
    return np.asarray(logs)


def _log_tail(a: Floats, x: Floats) -> Floats:
    """The logarithm of Γ(a, x)/Γ(a) for x far above a."""
    b = x + 1.0 - a
    c = np.full_like(b, 1e300)
    d = 1.0 / b
    h = d
    for i in range(1, _STEPS):
        factor = -i * (i - a)
        b = b + 2.0
        d = 1.0 / (factor * d + b)
        c = b + factor / c
        h = h * (d * c)
        if (np.abs(d * c - 1.0) < 1e-15).all():
            break
    return np.asarray(-x + a * np.log(x) - gammaln(a) + np.log(h))


def checked_default(name: str, value: str) -> bool:
    """Does this setting mean that what cannot be tested counts as dependent?"""
    if value not in ("dependent", "independent"):
        raise not_allowed(name, value, "it may be 'dependent' or 'independent'.")
    return value == "dependent"
