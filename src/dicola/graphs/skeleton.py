"""A skeleton: who is adjacent, and for every other pair a set that separates it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dicola.errors import InvalidGraph, counted
from dicola.graphs.bits import members
from dicola.graphs.marks import listed

if TYPE_CHECKING:
    from dicola.graphs.undirected import UndirectedGraph

Variables = tuple[int, ...]
Pair = tuple[int, int]


class SeparatingSets(ABC):
    """Answers "which set separates x and y?" for an unordered pair; ``None`` where none is known.

    ``None`` (unknown, or adjacent) and ``()`` (marginally independent) are different answers.

    A class of your own needs ``get`` alone: every pair is then asked when the sets are written, and
    read back they are ``RecordedSets``. A class that can be written in a shorter way says so in
    ``to_dict``, and one that knows where a set comes from tells it in ``provenance``.
    """

    @abstractmethod
    def get(self, x: int, y: int) -> Variables | None:
        """The separating set of the pair, sorted, or ``None``."""

    def prepare(self, pairs: Iterable[Pair]) -> None:
        """Told which pairs will be asked for next; a chance to answer them together."""
        return

    def __getitem__(self, pair: Pair) -> Variables:
        found = self.get(*pair)
        if found is None:
            raise KeyError(pair)
        return found

    def known(self, variables: Variables) -> Iterator[tuple[int, int, Variables]]:
        """Every pair of the variables that has a set, with that set."""
        return ((x, y, z) for x, y in combinations(variables, 2) if (z := self.get(x, y)) is not None)

    def relabelled(self, variables: Variables) -> SeparatingSets:
        """The same sets with position i read as ``variables[i]``."""
        return RelabelledSets(self, variables)

    def parted(self, parts: Sequence[tuple[Variables, UndirectedGraph]]) -> Sequence[SeparatingSets]:
        """The sets of each part, where several were learned side by side and numbered through.

        A part is its variables, which ascend, and the independence graph its search began with.
        """
        firsts = accumulate((len(variables) for variables, _ in parts), initial=0)
        return [RelabelledSets(self, variables, first) for (variables, _), first in zip(parts, firsts, strict=False)]

    def to_dict(self, variables: Variables) -> dict[str, Any]:
        """The sets of all pairs of the variables as plain values, the way they stand in a file.

        Unless a class knows a shorter way: ``{"separating_sets": [(x, y, set), ...]}``.
        """
        return {"separating_sets": list(self.known(variables))}

    def provenance(self, x: int, y: int) -> str | None:
        """Where the set of the pair was found, as a sentence; ``None`` where nobody noted it."""
        return None

    def leaves_with(self, x: int, y: int) -> tuple[int, ...]:
        """The numbers of the leaves in which a learner decided the pair; none where no leaf did."""
        return ()


class RelabelledSets(SeparatingSets):
    """Sets of another class, its positions ``first``, ``first + 1``, … read as ``variables``."""

    def __init__(self, base: SeparatingSets, variables: Variables, first: int = 0) -> None:
        self.base, self.variables, self.first = base, variables, first
        self._place = {v: i for i, v in enumerate(variables, first)}

    def get(self, x: int, y: int) -> Variables | None:
        if x not in self._place or y not in self._place:
            return None
        z = self.base.get(self._place[x], self._place[y])
        return None if z is None else tuple(sorted([self.variables[v - self.first] for v in z]))

    def provenance(self, x: int, y: int) -> str | None:
        return self.base.provenance(self._place[x], self._place[y])


class BlanketSets(SeparatingSets):
    """Pairs outside an independence graph, each separated by the smaller of its two blankets.

    The sets are worked out when asked. The vertices of the graph are positions in ``variables``,
    which ascend.
    """

    def __init__(self, graph: UndirectedGraph, variables: Variables) -> None:
        self.graph, self.variables = graph, variables

    def _place(self, x: int) -> int | None:
        at = bisect_left(self.variables, x)
        return at if at < len(self.variables) and self.variables[at] == x else None

    def get(self, x: int, y: int) -> Variables | None:
        a, b = (self._place(x), self._place(y)) if x < y else (self._place(y), self._place(x))
        if a is None or b is None:
            return None
        smaller, other = self.graph.beside(a), self.graph.beside(b)
        if b in smaller:
            return None
        if len(other) < len(smaller):
            smaller = other
        return tuple([self.variables[v] for v in smaller])

    def relabelled(self, variables: Variables) -> BlanketSets:
        """The same sets with position i read as ``variables[i]``; ``variables`` ascend."""
        return BlanketSets(self.graph, tuple([variables[v] for v in self.variables]))

    def to_dict(self, variables: Variables) -> dict[str, Any]:
        """The blankets, from which the sets follow: ``{"blankets": [[...], ...]}``."""
        return {"blankets": [[self.variables[v] for v in self.graph.beside(a)] for a in range(len(self.graph))]}

    @classmethod
    def from_dict(cls, facts: Mapping[str, Any], variables: Variables) -> BlanketSets:
        """Read back what ``to_dict`` wrote."""
        # Its kernels take a while to load, and whoever only orients a graph needs none of them.
        from dicola.graphs.undirected import UndirectedGraph

        place = {v: i for i, v in enumerate(variables)}
        return cls(UndirectedGraph.from_rows([sorted(place[v] for v in row) for row in facts["blankets"]]), variables)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BlanketSets) and self.variables == other.variables and self.graph == other.graph


class MaskSets(SeparatingSets):
    """Separating sets kept as masks: for a learner that decides pairs by the thousand.

    ``masks`` has sets by pair; ``apart[v]`` is a mask of vertices and the one set that separates v
    from all of them.
    """

    def __init__(self, masks: dict[Pair, int], apart: dict[int, tuple[int, int]]) -> None:
        self.masks, self.apart = masks, apart

    def get(self, x: int, y: int) -> Variables | None:
        found = self.masks.get((x, y) if x < y else (y, x))
        for one, other in ((x, y), (y, x)):
            far, separating_set = self.apart.get(one, (0, 0))
            if found is None and far >> other & 1:
                found = separating_set
        return None if found is None else tuple(members(found))


class RecordedSets(SeparatingSets):
    """Separating sets written down as they were found; the one owner of the unordered-pair key.

    Pairs that were never written down are put to ``otherwise``, where there is one.
    """

    def __init__(self, sets: Mapping[Pair, Iterable[int]] | None = None, otherwise: SeparatingSets | None = None) -> None:
        self._sets: dict[Pair, Variables] = {}
        self.otherwise = otherwise
        for pair, z in (sets or {}).items():
            self[pair] = z

    def get(self, x: int, y: int) -> Variables | None:
        found = self._sets.get((x, y) if x < y else (y, x))
        return self.otherwise.get(x, y) if found is None and self.otherwise is not None else found

    def prepare(self, pairs: Iterable[Pair]) -> None:
        if self.otherwise is not None:
            self.otherwise.prepare(pairs)

    def __setitem__(self, pair: Pair, z: Iterable[int]) -> None:
        x, y = pair
        self._sets[(x, y) if x < y else (y, x)] = tuple(sorted(z))

    def add(self, x: int, y: int, z: Variables) -> None:
        """Write down a set that is sorted already, for a pair ``x < y``: what a search answers."""
        self._sets[x, y] = z

    def add_all(self, found: Iterable[tuple[Pair, Variables]]) -> None:
        """The same for many pairs."""
        self._sets.update(found)

    def __len__(self) -> int:
        return len(self._sets)

    def __contains__(self, pair: Pair) -> bool:
        x, y = pair
        return ((x, y) if x < y else (y, x)) in self._sets

    def __iter__(self) -> Iterator[Pair]:
        return iter(sorted(self._sets))

    def items(self) -> Iterator[tuple[Pair, Variables]]:
        """Pairs written down with their sets, sorted."""
        return iter(sorted(self._sets.items()))

    def pairs(self) -> dict[Pair, Variables]:
        """What was written down, in the order in which it was."""
        return self._sets

    def relabelled(self, variables: Variables) -> RecordedSets:
        """The same sets with position i read as ``variables[i]``."""
        otherwise = None if self.otherwise is None else self.otherwise.relabelled(variables)
        sets = {(variables[x], variables[y]): tuple([variables[v] for v in z]) for (x, y), z in self._sets.items()}
        if tuple(sorted(variables)) != variables:
            return RecordedSets(sets, otherwise)
        found = RecordedSets(otherwise=otherwise)
        found._sets = sets  # what was in order stays so
        return found

    @property
    def uig(self) -> UndirectedGraph | None:
        """The independence graph whose blankets separate the other pairs, where there is one."""
        return self.otherwise.graph if isinstance(self.otherwise, BlanketSets) else None

    def parted(self, parts: Sequence[tuple[Variables, UndirectedGraph]]) -> Sequence[SeparatingSets]:
        if self.otherwise is not None and self.uig is None:
            return super().parted(parts)
        part_of, whole = [i for i, (variables, _) in enumerate(parts) for _ in variables], [v for variables, _ in parts for v in variables]
        found = [RecordedSets(otherwise=None if uig.is_complete else BlanketSets(uig, variables)) for variables, uig in parts]
        written = [part._sets for part in found]
        for (x, y), z in self._sets.items():
            written[part_of[x]][whole[x], whole[y]] = tuple([whole[v] for v in z]) if z else ()
        return found

    def to_dict(self, variables: Variables) -> dict[str, Any]:
        """What was written down, and what ``otherwise`` writes where that is not pairs as well."""
        below = {} if self.otherwise is None else self.otherwise.to_dict(variables)
        pairs = below.pop("separating_sets", [])
        if self._sets:
            own = [(x, y, z) for (x, y), z in self._sets.items()]
            pairs = sorted([*own, *(entry for entry in pairs if entry[:2] not in self._sets)])
        return {"separating_sets": pairs, **below}

    @classmethod
    def from_dict(cls, facts: Mapping[str, Any], variables: Variables) -> RecordedSets:
        """Read back what ``to_dict`` wrote, of this class or of another that a leaf may have."""
        otherwise = BlanketSets.from_dict(facts, variables) if "blankets" in facts else None
        return cls({(x, y): z for x, y, z in facts["separating_sets"]}, otherwise)

    def provenance(self, x: int, y: int) -> str | None:
        return None if self.otherwise is None or (x, y) in self else self.otherwise.provenance(x, y)

    def leaves_with(self, x: int, y: int) -> tuple[int, ...]:
        return () if self.otherwise is None else self.otherwise.leaves_with(x, y)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RecordedSets) and self._sets == other._sets and self.otherwise == other.otherwise


class LaterSets(RecordedSets):
    """Sets found after the merge, over those of the merged skeleton."""

    def to_dict(self, variables: Variables) -> dict[str, Any]:
        """What the sets below write, and ``{"separated_later": [(x, y, set), ...]}``."""
        below = {} if self.otherwise is None else self.otherwise.to_dict(variables)
        return below | {"separated_later": [(x, y, z) for (x, y), z in self.items()]}

    def provenance(self, x: int, y: int) -> str | None:
        return "Found while orienting, after the merge." if (x, y) in self else super().provenance(x, y)


@dataclass(frozen=True, eq=False)
class Skeleton:
    """Adjacencies over some variables and a separating set for every non-adjacent pair.

    Inside, vertices are positions in ``labels`` (the fixed order in which the library works);
    outside they are names, given back in the user's order.

    Attributes
    ----------
    labels : tuple of str
        All variables of the test, also where the skeleton is over a part of them.
    variables : tuple of int
        Those of this skeleton.
    edges : frozenset of pairs of int
        Each with the smaller position first.
    sets : SeparatingSets
        By pair of positions.
    names : tuple of str
        The names of ``variables`` in the user's order.
    warnings : tuple of str
        What the learner had to say, such as which limit cut it short.

    """

    labels: tuple[str, ...]
    variables: Variables
    edges: frozenset[Pair]
    sets: SeparatingSets
    names: tuple[str, ...]
    warnings: tuple[str, ...] = field(default=())

    @cached_property
    def _index(self) -> dict[str, int]:
        return {self.labels[v]: v for v in self.variables}

    def _position(self, name: object) -> int:
        found = self._index.get(str(name))
        if found is None:
            raise InvalidGraph(f"{str(name)!r} is not a variable of this skeleton. Its variables: {listed(self.names)}.")
        return found

    def adjacent(self, x: object, y: object) -> bool:
        """Is there an edge between the two named variables?

        Parameters
        ----------
        x, y : str
            Names of two variables.

        """
        a, b = sorted((self._position(x), self._position(y)))
        return (a, b) in self.edges

    def separating_set(self, x: object, y: object) -> tuple[str, ...] | None:
        """Names that separate x and y; ``None`` where x and y are adjacent.

        Parameters
        ----------
        x, y : str
            Names of two different variables.

        Raises
        ------
        InvalidGraph
            A variable is named twice, or is not of the skeleton.

        """
        a, b = self._position(x), self._position(y)
        if a == b:
            raise InvalidGraph(f"{str(x)!r} was named twice; a separating set belongs to two different variables.")
        if (min(a, b), max(a, b)) in self.edges:
            return None
        return tuple(self.labels[v] for v in self.sets[a, b])

    def separating_sets(self) -> dict[tuple[str, str], tuple[str, ...]]:
        """The set of every non-adjacent pair, keyed by the pair in the order of ``names``."""
        pairs = combinations(self.names, 2)
        return {(x, y): z for x, y in pairs if (z := self.separating_set(x, y)) is not None}

    @cached_property
    def adjacency(self) -> NDArray[np.bool_]:
        """Symmetric boolean matrix in the order of ``names``."""
        place = {self._index[name]: i for i, name in enumerate(self.names)}
        matrix = np.zeros((len(self.names), len(self.names)), dtype=np.bool_)
        for a, b in self.edges:
            matrix[place[a], place[b]] = matrix[place[b], place[a]] = True
        return matrix

    @property
    def n_edges(self) -> int:
        """Number of edges."""
        return len(self.edges)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Skeleton):
            return NotImplemented
        same_edges = set(self.names) == set(other.names) and self.named_edges() == other.named_edges()
        return same_edges and all(set(z) == set(other.separating_set(x, y) or ()) for (x, y), z in self.separating_sets().items())

    def named_edges(self) -> frozenset[frozenset[str]]:
        """Edges as unordered pairs of names."""
        return frozenset(frozenset((self.labels[a], self.labels[b])) for a, b in self.edges)

    def __repr__(self) -> str:
        return f"<Skeleton: {counted(len(self.variables), 'variable')}, {counted(len(self.edges), 'edge')}>"
