"""What knowledge claims, by position: matrices over the variables at hand, with all that follows from the claims alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dicola.errors import InvalidSetting
from dicola.graphs.marks import ARROW, TAIL

if TYPE_CHECKING:
    from dicola.knowledge import Knowledge

Bools = NDArray[np.bool_]
Pair = tuple[int, int]


class Given(NamedTuple):
    """A mark at the second vertex of an edge that stands before any rule is asked."""

    other: int
    at: int
    mark: int


@dataclass(frozen=True, eq=False)
class Claims:
    """Knowledge over some variables: what must hold in every graph that obeys.

    Causes and what is no cause are closed: with "a causes b" and "a does not cause c" goes "b does
    not cause c", as causing passes on. The last three matrices are symmetric.

    Attributes
    ----------
    labels : tuple of str
        The variables.
    barred : matrix of bool
        ``barred[a, b]``: a does not cause b.
    causes : matrix of bool
        ``causes[a, b]``: a causes b.
    unconfounded : matrix of bool
        Nothing hidden causes both.
    apart : matrix of bool
        There is no edge between the two.
    joined : matrix of bool
        There is one.
    exogenous : vector of bool
        Nothing causes it together with another.
    selection : bool
        May the sample have been selected? A tail then says "causes the other, or selection", an
        arrowhead "neither": "a does not cause b" alone puts no mark, and two exogenous variables
        may be adjacent.

    """

    labels: tuple[str, ...]
    barred: Bools
    causes: Bools
    unconfounded: Bools
    apart: Bools
    joined: Bools
    exogenous: Bools
    selection: bool = False

    @classmethod
    def of(cls, knowledge: Knowledge, labels: Sequence[str], selection: bool = False) -> Claims:
        """The claims about these variables; patterns must be spelled out.

        Raises
        ------
        InvalidSetting
            Two claims contradict each other; the message names them.

        """
        place, n = {name: i for i, name in enumerate(labels)}, len(labels)
        exogenous = np.zeros(n, dtype=np.bool_)
        exogenous[[place[name] for name in knowledge.exogenous if name in place]] = True

        def matrix(pairs: Iterable[tuple[str, str]], symmetric: bool = True) -> Bools:
            found = np.zeros((n, n), dtype=np.bool_)
            for a, b in pairs:
                if a in place and b in place:
                    found[place[a], place[b]] = True
                    found[place[b], place[a]] |= symmetric
            return found

        barred = matrix([*knowledge.forbidden, *((b, a) for a, b in knowledge.required)], symmetric=False)
        tiers = [[place[name] for name in tier if name in place] for tier in knowledge.tiers]
        for number, tier in enumerate(tiers):
            earlier = [v for before in tiers[: number + (number in knowledge.closed)] for v in before]
            barred[np.ix_(tier, earlier)] = True
        barred[:, exogenous] = True
        causes = _passed_on(matrix(knowledge.required, symmetric=False))
        unconfounded = matrix(knowledge.unconfounded)
        unconfounded[exogenous] = unconfounded[:, exogenous] = True
        for square in (barred, unconfounded):
            np.fill_diagonal(square, False)
        apart, joined = matrix(knowledge.forbidden_adjacent), matrix(knowledge.required_adjacent)
        if not selection:
            apart |= exogenous[:, None] & exogenous & ~np.eye(n, dtype=np.bool_)
        claims = cls(tuple(labels), barred, causes, unconfounded, apart, joined, exogenous, selection)
        claims._check(knowledge)
        return replace(claims, barred=_with_causes(barred, causes))

    def __bool__(self) -> bool:
        return bool(self.barred.any() or self.causes.any() or self.unconfounded.any() or self.apart.any() or self.joined.any())

    def in_part(self, labels: Sequence[str]) -> Claims:
        """What still holds of some of the variables once the others count as hidden.

        Causes stay causes, and what no set separates is separated by none of fewer variables. But a
        pair that others separate may be adjacent without them, and what was a common cause in the
        table is a hidden one now, unless one of the two is exogenous.
        """
        if tuple(labels) == self.labels:
            return self
        place = {name: i for i, name in enumerate(self.labels)}
        at = np.array([place[name] for name in labels], dtype=np.int64)
        exogenous, block = self.exogenous[at], np.ix_(at, at)
        alone = exogenous[:, None] | exogenous
        return Claims(
            tuple(labels),
            self.barred[block],
            self.causes[block],
            self.unconfounded[block] & alone,
            exogenous[:, None] & exogenous & ~np.eye(len(at), dtype=np.bool_) & (not self.selection),
            self.joined[block],
            exogenous,
            self.selection,
        )

    def in_order(self, labels: Sequence[str]) -> Claims:
        """The same claims with the variables in another order."""
        if tuple(labels) == self.labels:
            return self
        place = {name: i for i, name in enumerate(self.labels)}
        at = np.array([place[name] for name in labels], dtype=np.int64)
        squares = {name: getattr(self, name)[np.ix_(at, at)] for name in ("barred", "causes", "unconfounded", "apart", "joined")}
        return Claims(tuple(labels), exogenous=self.exogenous[at], selection=self.selection, **squares)

    def beside_hidden(self, names: Sequence[str]) -> Claims:
        """The same claims with hidden variables behind the others, which nothing causes and which bear on none that is exogenous."""
        n, more = len(self.labels), len(names)
        squares = {name: np.pad(getattr(self, name), (0, more)) for name in ("barred", "causes", "unconfounded", "apart", "joined")}
        barred, exogenous = squares["barred"], np.pad(self.exogenous, (0, more))
        barred[:, n:] = True
        barred[n:, exogenous] = True
        np.fill_diagonal(barred, False)
        return Claims((*self.labels, *names), exogenous=exogenous, selection=self.selection, **squares)

    def marks(self, edges: Iterable[Pair]) -> Iterator[Given]:
        """The marks they put on the edges of a graph, edge by edge in order."""
        for a, b in sorted((min(edge), max(edge)) for edge in edges):
            for one, other in ((a, b), (b, a)):
                if self.causes[one, other] or (self.selection and self.exogenous[one]):
                    yield Given(other, one, TAIL)
                if self.barred[one, other] and not self.selection:
                    yield Given(other, one, ARROW)

    def never_bidirected(self, adjacency: Bools | None = None) -> Bools:
        """Pairs whose edge cannot be <->, if these and no others may be adjacent (``None``: all may).

        Behind a <-> b stands a path from a to b, each step of it two variables with a hidden common
        cause, which are adjacent then. So <-> is out where no steps but those said to have none lead
        from one to the other. With selection a path may lead through what was selected by: none are.
        """
        if self.selection:
            return np.zeros_like(self.unconfounded)
        steps = ~self.unconfounded if adjacency is None else adjacency & ~self.unconfounded
        group = _components(steps)
        return np.asarray(self.unconfounded & (group[:, None] != group))

    def _check(self, knowledge: Knowledge) -> None:
        circle = _a_circle(knowledge.required)
        if circle is not None:
            said = ", ".join(f"{a!r} causes {b!r}" for a, b in pairwise(circle))
            raise InvalidSetting(f"what is required goes in a circle: {said}; take one of them back.")
        for a, b in np.argwhere(self.causes & self.barred).tolist():
            one, other = self.labels[a], self.labels[b]
            way = _a_way(knowledge.required, one, other)
            through = f" (through {' → '.join(way)})" if len(way) > 2 else ""
            raise InvalidSetting(
                f"{one!r} is required to cause {other!r}{through} and forbidden to, by a tier, a pair or as {other!r} is exogenous; "
                "take one of them back."
            )
        for a, b in np.argwhere(np.triu(self.apart & self.joined)).tolist():
            why = "exogenous both" if self.exogenous[a] and self.exogenous[b] else "not adjacent"
            raise InvalidSetting(f"{self.labels[a]!r} and {self.labels[b]!r} are said to be adjacent and {why}; take one of them back.")


def _passed_on(pairs: Bools) -> Bools:
    """The transitive closure (Warshall 1962), over the few variables that have pairs."""
    found = pairs.copy()
    for via in np.flatnonzero(pairs.any(axis=0) & pairs.any(axis=1)).tolist():
        found |= found[:, via, None] & found[via]
    return found


def _with_causes(barred: Bools, causes: Bools) -> Bools:
    """What is no cause, given what is: an effect causes neither its causes nor what they do not cause, and so on."""
    first = barred | causes.T
    for a, b in np.argwhere(causes).tolist():
        first[b] |= barred[a]
    found = first.copy()
    for a, b in np.argwhere(causes).tolist():
        found[:, a] |= first[:, b]
    np.fill_diagonal(found, False)
    return found


def _components(steps: Bools) -> NDArray[np.int64]:
    """The smallest vertex that steps lead to, by vertex."""
    group = np.full(len(steps), -1, dtype=np.int64)
    for start in range(len(steps)):
        if group[start] >= 0:
            continue
        new = np.zeros(len(steps), dtype=np.bool_)
        new[start] = True
        while new.any():
            group[new] = start
            new = steps[new].any(axis=0) & (group < 0)
    return group


def _a_circle(pairs: Iterable[tuple[str, str]]) -> list[str] | None:
    """A way from a cause to itself, if there is one."""
    pairs = list(pairs)
    for a, b in pairs:
        if way := _a_way(pairs, b, a):
            return [a, *way]
    return None


def _a_way(pairs: Iterable[tuple[str, str]], start: str, end: str) -> list[str]:
    """The names on a shortest way from one to the other; none where there is none."""
    after: dict[str, list[str]] = {}
    for a, b in pairs:
        after.setdefault(a, []).append(b)
    ways = {start: [start]}
    for name in (queue := [start]):  # grows while it is read
        for other in after.get(name, ()):
            if other not in ways:
                ways[other] = [*ways[name], other]
                queue.append(other)
    return ways.get(end, [])
