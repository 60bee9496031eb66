"""Expressions in the distribution of what was observed: sums, products and quotients of P(… | …).

They print as text and as LaTeX, and ``evaluate`` works them out on a discrete distribution.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property, lru_cache, reduce
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from dicola.errors import InvalidSetting
from dicola.tables.names import name_order

Names = tuple[str, ...]
Values = NDArray[np.float64]
Independent = Callable[[AbstractSet[str], AbstractSet[str], AbstractSet[str]], bool]
"""Are two sets of variables independent given a third?"""


@dataclass(frozen=True, eq=False)
class Distribution:
    """Probabilities of discrete variables, or any table with one axis per variable.

    Parameters
    ----------
    names : tuple of str
        The variables, in the order of the axes.
    values : array
        One axis per variable, as long as it has levels.

    Raises
    ------
    InvalidSetting
        A name is given twice, or there are not as many names as axes.

    Examples
    --------
    >>> joint = Distribution(("X", "Y"), [[0.1, 0.3], [0.2, 0.4]])
    >>> joint.at({"X": 0}).values
    array([0.1, 0.3])

    """

    names: Names
    values: Values

    def __post_init__(self) -> None:
        names, values = tuple(self.names), np.asarray(self.values, dtype=np.float64)
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "values", values)
        if len(set(names)) != len(names) or values.ndim != len(names):
            raise InvalidSetting(f"a distribution has one axis per name, each name once; here are {values.ndim} axes for {list(names)}.")

    def at(self, levels: Mapping[str, int]) -> Distribution:
        """The part of the table where some variables have the levels given, which are numbered from 0."""
        for name in levels:
            if name not in self.names:
                raise InvalidSetting(f"{name!r} is not a variable of this distribution. Its variables: {', '.join(self.names)}.")
        cut = tuple(levels.get(name, slice(None)) for name in self.names)
        return Distribution(tuple(name for name in self.names if name not in levels), self.values[cut])

    def over(self, names: Iterable[str]) -> Distribution:
        """The same table with its axes in the order of the names, all of which it has."""
        order = tuple(names)
        return Distribution(order, self.values.transpose([self.names.index(name) for name in order]))


class Expression(ABC):
    """A function of the values of some variables, computed from a distribution.

    ``str(expression)`` is plain text; a prime marks a variable that is summed over where the same
    variable also stands outside of the sum. Two expressions are equal when they are written alike.
    """

    @property
    @abstractmethod
    def free(self) -> frozenset[str]:
        """The variables that the value depends on: all that are named and not summed over."""

    @abstractmethod
    def written(self, writer: Writer, shown: Mapping[str, str]) -> str:
        """The expression in the signs of the writer; ``shown`` says how the variables are called here."""

    @abstractmethod
    def values(self, joint: Distribution) -> Values:
        """The values, with one axis per variable of the joint, of length 1 where nothing depends on it."""

    @abstractmethod
    def reduced(self, independent: Independent) -> Expression:
        """The same function where the independences hold, with fewer variables behind the bars."""

    def __str__(self) -> str:
        return self.text()

    def text(self, beside: Iterable[str] = ()) -> str:
        """The expression as plain text.

        Parameters
        ----------
        beside : iterable of str, optional
            Variables that are spoken of beside it; one of them that is summed over gets a prime.

        """
        return self.written(TEXT, {name: name for name in self.free.union(beside)})

    def latex(self, beside: Iterable[str] = ()) -> str:
        r"""The expression as LaTeX, for math mode.

        Parameters
        ----------
        beside : iterable of str, optional
            As for ``text``.

        Examples
        --------
        >>> print(sum_over({"Z1"}, product([P(("Y",), ("X", "Z1")), P(("Z1",))])).latex())
        \sum_{Z_{1}} P(Y \mid X, Z_{1})\, P(Z_{1})

        """
        return self.written(LATEX, {name: name for name in self.free.union(beside)})

    def evaluate(self, joint: Distribution, at: Mapping[str, int] | None = None) -> Distribution:
        """Work the expression out.

        Parameters
        ----------
        joint : Distribution
            Of all variables that the expression names, possibly of more.
        at : mapping of names to levels, optional
            Fixes some of the variables that the value depends on.

        Returns
        -------
        Distribution
            One axis per variable in ``free`` and not in ``at``, in the order of the joint. Where
            the joint leaves a value open, as it has no rows for the condition, it is not a number.

        Examples
        --------
        >>> joint = Distribution(("X", "Y"), [[0.1, 0.3], [0.2, 0.4]])
        >>> P(("Y",), ("X",)).evaluate(joint, at={"X": 0}).values
        array([0.25, 0.75])

        """
        missing = sorted(self.mentioned - set(joint.names))
        if missing:
            raise InvalidSetting(f"the distribution lacks {', '.join(missing)}, which the expression names.")
        values = self.values(joint)
        dropped = tuple(axis for axis, name in enumerate(joint.names) if name not in self.free)
        shape = [joint.values.shape[axis] if name in self.free else 1 for axis, name in enumerate(joint.names)]
        kept = tuple(name for name in joint.names if name in self.free)
        whole = Distribution(kept, np.broadcast_to(values, shape).squeeze(axis=dropped))
        return whole if at is None else whole.at(at)

    @cached_property
    def mentioned(self) -> frozenset[str]:
        """All variables named in it, also those summed over."""
        return self.free


@lru_cache(maxsize=4096)
def _sorted(names: Names) -> Names:
    return tuple(names[i] for i in name_order(names))


@dataclass(frozen=True)
class Writer:
    """How signs are written: as text or as LaTeX."""

    bar: str
    dot: str
    total: str
    name: Callable[[str], str]
    fraction: Callable[[str, str], str]
    opened: str
    closed: str


def _latex_name(name: str) -> str:
    """A letter with a number as an index; a longer name upright, with signs that LaTeX reads escaped; primes stay."""
    word = name.rstrip("'")
    primes = name[len(word) :]
    indexed = re.fullmatch(r"([A-Za-z])(\d+)", word)
    if indexed:
        return f"{indexed[1]}_{{{indexed[2]}}}{primes}"
    if len(word) == 1 and word.isalpha():
        return f"{word}{primes}"
    escaped = re.sub(r"([#$%&_{}])", r"\\\1", re.sub(r"[\\^~]", " ", word))
    return rf"\text{{{escaped}}}{primes}"


TEXT = Writer(" | ", " ", "Σ_{{{}}} ", str, "[{}] / [{}]".format, "(", ")")
LATEX = Writer(r" \mid ", r"\, ", r"\sum_{{{}}} ", _latex_name, r"\frac{{{}}}{{{}}}".format, r"\left(", r"\right)")


@dataclass(frozen=True)
class P(Expression):
    """P(variables | given); without variables it is 1.

    Parameters
    ----------
    variables, given : tuple of str
        In any order; they are kept and printed sorted, X2 before X10.

    """

    variables: Names
    given: Names = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "variables", _sorted(tuple(self.variables)))
        object.__setattr__(self, "given", _sorted(tuple(self.given)))

    @cached_property
    def free(self) -> frozenset[str]:
        return frozenset(self.variables + self.given)

    def written(self, writer: Writer, shown: Mapping[str, str]) -> str:
        if not self.variables:
            return "1"
        sides = (", ".join(writer.name(shown[name]) for name in side) for side in (self.variables, self.given) if side)
        return f"P({writer.bar.join(sides)})"

    def values(self, joint: Distribution) -> Values:
        both = joint.values.sum(axis=_axes(joint, set(joint.names) - self.free), keepdims=True)
        return _ratio(both, both.sum(axis=_axes(joint, self.variables), keepdims=True))

    def reduced(self, independent: Independent) -> P:
        given = set(self.given)
        # Most conditions of a long list can go together, so try halves of what cannot go as a whole.
        waiting = [self.given] if given else []
        while waiting:
            names = waiting.pop()
            if independent(set(names), set(self.variables), given.difference(names)):
                given.difference_update(names)
            elif len(names) > 1:
                half = len(names) // 2
                waiting += [names[half:], names[:half]]
        return P(self.variables, tuple(name for name in self.given if name in given))

    def without(self, names: AbstractSet[str]) -> P:
        """Some of its variables summed out."""
        variables = tuple(name for name in self.variables if name not in names)
        return P(variables, self.given) if variables else ONE


ONE = P(())
"""The expression 1."""


@dataclass(frozen=True)
class Product(Expression):
    """A product of two or more expressions; ``product`` builds it."""

    factors: tuple[Expression, ...]

    @cached_property
    def free(self) -> frozenset[str]:
        return frozenset[str]().union(*(factor.free for factor in self.factors))

    @cached_property
    def mentioned(self) -> frozenset[str]:
        return frozenset[str]().union(*(factor.mentioned for factor in self.factors))

    def written(self, writer: Writer, shown: Mapping[str, str]) -> str:
        texts = [factor.written(writer, shown) for factor in self.factors]
        # A sum reaches as far to the right as it can: only the last needs no brackets.
        inner = [f"{writer.opened}{t}{writer.closed}" if isinstance(f, Sum) else t for f, t in zip(self.factors[:-1], texts, strict=False)]
        return writer.dot.join([*inner, texts[-1]])

    def values(self, joint: Distribution) -> Values:
        return reduce(_times, (factor.values(joint) for factor in self.factors))

    def reduced(self, independent: Independent) -> Expression:
        return product(factor.reduced(independent) for factor in self.factors)


@dataclass(frozen=True)
class Sum(Expression):
    """The sum of an expression over all values of some variables; ``sum_over`` builds it."""

    over: Names
    body: Expression

    def __post_init__(self) -> None:
        object.__setattr__(self, "over", _sorted(tuple(self.over)))

    @cached_property
    def free(self) -> frozenset[str]:
        return self.body.free - set(self.over)

    @cached_property
    def mentioned(self) -> frozenset[str]:
        return self.body.mentioned | set(self.over)

    def written(self, writer: Writer, shown: Mapping[str, str]) -> str:
        inside = dict(shown)
        for name in self.over:
            sign = name
            while sign in inside.values():
                sign += "'"
            inside[name] = sign
        return writer.total.format(", ".join(writer.name(inside[name]) for name in self.over)) + self.body.written(writer, inside)

    def values(self, joint: Distribution) -> Values:
        body, axes = self.body.values(joint), _axes(joint, self.over)
        shape = [length if axis in axes else body.shape[axis] for axis, length in enumerate(joint.values.shape)]
        return np.asarray(np.broadcast_to(body, shape).sum(axis=axes, keepdims=True))

    def reduced(self, independent: Independent) -> Expression:
        return sum_over(self.over, self.body.reduced(independent), independent)


@dataclass(frozen=True)
class Quotient(Expression):
    """One expression divided by another; ``quotient`` builds it."""

    top: Expression
    bottom: Expression

    @cached_property
    def free(self) -> frozenset[str]:
        return self.top.free | self.bottom.free

    @cached_property
    def mentioned(self) -> frozenset[str]:
        return self.top.mentioned | self.bottom.mentioned

    def written(self, writer: Writer, shown: Mapping[str, str]) -> str:
        return writer.fraction(self.top.written(writer, shown), self.bottom.written(writer, shown))

    def values(self, joint: Distribution) -> Values:
        return _ratio(self.top.values(joint), self.bottom.values(joint))

    def reduced(self, independent: Independent) -> Expression:
        return quotient(self.top.reduced(independent), self.bottom.reduced(independent))


def product(factors: Iterable[Expression]) -> Expression:
    """The product: no factor 1, no product or quotient inside of it, equal factors cancelled."""
    parts = [_fraction(factor) for factor in factors]
    return _cancelled([top for tops, _ in parts for top in tops], [bottom for _, bottoms in parts for bottom in bottoms])


def quotient(top: Expression, bottom: Expression) -> Expression:
    """The quotient, with equal factors cancelled and quotients of quotients made one."""
    (tops, under), (bottoms, over) = _fraction(top), _fraction(bottom)
    return _cancelled([*tops, *over], [*under, *bottoms])


def _fraction(expression: Expression) -> tuple[list[Expression], list[Expression]]:
    """The factors above and below the line."""
    if isinstance(expression, Quotient):
        return list(factors_of(expression.top)), list(factors_of(expression.bottom))
    return list(factors_of(expression)), []


def _cancelled(tops: list[Expression], bottoms: list[Expression]) -> Expression:
    above, below = list(tops), list[Expression]()
    for factor in bottoms:
        at, rest = next(((i, rest) for i, top in enumerate(above) if (rest := _divided(top, factor)) is not None), (None, ONE))
        if at is None:
            below.append(factor)
        else:
            above[at : at + 1] = factors_of(rest)
    top, bottom = (Product(tuple(side)) if len(side) > 1 else side[0] if side else ONE for side in (above, below))
    return Quotient(top, bottom) if below else top


def _divided(top: Expression, bottom: Expression) -> Expression | None:
    """One factor divided by another where that is simple: A / A, or P(A, B | S) / P(A | S)."""
    if top == bottom:
        return ONE
    if not (isinstance(top, P) and isinstance(bottom, P)) or set(top.given) != set(bottom.given):
        return None
    if not set(bottom.variables) < set(top.variables):
        return None
    return P(top.without(set(bottom.variables)).variables, top.given + bottom.variables)


def sum_over(names: Iterable[str], body: Expression, independent: Independent | None = None) -> Expression:
    """The sum over all values of some variables, simplified where that changes no value.

    A variable that stands in front of the bar in one factor and nowhere else is left out, as
    probabilities sum to 1, and so is one that only ties two factors of a chain; what does not
    depend on the variables goes in front of the sum.

    Parameters
    ----------
    names : iterable of str
        The variables to sum over.
    body : Expression
        What is summed.
    independent : callable, optional
        Independences that may be used.

    Examples
    --------
    >>> print(sum_over({"Y"}, product([P(("Y",), ("X",)), P(("X",))])))
    P(X)
    >>> print(sum_over({"A"}, product([P(("A",)), P(("Y",), ("A",))])))
    P(Y)

    """
    left = sorted(names)
    if isinstance(body, Quotient) and not body.bottom.free.intersection(left):
        return quotient(sum_over(left, body.top, independent), body.bottom)
    left, factors = _opened(left, list(factors_of(body)))
    while (step := _first_summed_out(left, factors, independent)) is not None:
        name, factors = step
        left.remove(name)
    inside = [factor for factor in factors if factor.free.intersection(left)]
    outside = [factor for factor in factors if not factor.free.intersection(left)]
    return product([*outside, Sum(tuple(left), product(_joined(inside, left, independent)))]) if left else product(factors)


def _joined(factors: list[Expression], names: list[str], independent: Independent | None) -> list[Expression]:
    """Factors of which all variables are summed over, written as one probability where they are one."""
    inner = [factor for factor in factors if isinstance(factor, P) and set(factor.variables) <= set(names)]
    for first, second in permutations(inner, 2):
        if (whole := joined(first, second, independent)) is not None:
            return _joined([whole if factor is first else factor for factor in factors if factor is not second], names, independent)
    return factors


def _opened(names: list[str], factors: list[Expression]) -> tuple[list[str], list[Expression]]:
    """Sums among the factors made part of the sum around them, where no name stands for two variables then."""
    for i, factor in enumerate(factors):
        others = factors[:i] + factors[i + 1 :]
        outer = frozenset(names).union(*(other.mentioned for other in others))
        if isinstance(factor, Sum) and not outer.intersection(factor.over) and factor.free.intersection(names):
            return _opened([*names, *factor.over], [*factors[:i], *factors_of(factor.body), *factors[i + 1 :]])
    return names, factors


def _first_summed_out(names: list[str], factors: list[Expression], independent: Independent | None) -> tuple[str, list[Expression]] | None:
    """The first variable whose sum is one probability again, and the factors after that."""
    for name in names:
        beside = [factor for factor in factors if name in factor.free]
        merged = _summed_out(name, beside, independent)
        if merged is not None:
            at = factors.index(beside[0])
            return name, [part for i, factor in enumerate(factors) for part in _replaced(i == at, merged, factor, factor in beside)]
    return None


def _replaced(is_place: bool, merged: P, factor: Expression, is_used: bool) -> Iterator[Expression]:
    if is_place and merged != ONE:
        yield merged
    elif not is_used:
        yield factor


def _summed_out(name: str, factors: list[Expression], independent: Independent | None) -> P | None:
    """The sum over one variable of the factors that name it, where it is one probability again."""
    chain = [factor for factor in factors if isinstance(factor, P)]
    if not 1 <= len(chain) == len(factors):
        return None
    while len(chain) > 1:
        pairs = ((first, second, whole) for first, second in permutations(chain, 2) if (whole := joined(first, second, independent)))
        first, second, whole = next(pairs, (None, None, ONE))
        if first is None:
            return None
        chain = [whole, *(factor for factor in chain if factor is not first and factor is not second)]
    return chain[0].without({name}) if name in chain[0].variables else None


def joined(first: P, second: P, independent: Independent | None = None) -> P | None:
    """The product of P(A | S) and P(B | T) as one probability, if it is one.

    With U all of S and T but for A, it is P(A, B | U) if the first is P(A | U) and the second is
    P(B | A, U): by sight, or by independence.
    """
    head = set(first.variables)
    if head.union(first.given).intersection(second.variables):
        return None
    shared = set(first.given) | set(second.given) - head
    for factor, whole in ((first, shared), (second, shared | head)):
        extra = whole - set(factor.given)
        if extra and (independent is None or not independent(extra, set(factor.variables), set(factor.given))):
            return None
    return P(first.variables + second.variables, tuple(shared))


def factors_of(expression: Expression) -> Iterator[Expression]:
    """The factors of a product, none for 1, the expression itself if it is neither."""
    if isinstance(expression, Product):
        yield from expression.factors
    elif expression != ONE:
        yield expression


def _axes(joint: Distribution, names: Iterable[str]) -> tuple[int, ...]:
    wanted = set(names)
    return tuple(axis for axis, name in enumerate(joint.names) if name in wanted)


def _ratio(top: Values, bottom: Values) -> Values:
    """Not a number where there is nothing to divide by."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(bottom == 0, np.nan, top / bottom))


def _times(first: Values, second: Values) -> Values:
    """0 where either is 0, even if the other is undefined there: what has no weight is not needed."""
    return np.asarray(np.where((first == 0) | (second == 0), 0.0, first * second))
