"""Between MAGs and PAGs: the PAG of a MAG, a member MAG of a PAG, Markov equivalence, legality."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any

import numpy as np

from dicola.allowed import checked, instance
from dicola.claims import Claims
from dicola.errors import InvalidGraph
from dicola.graphs.bits import members
from dicola.graphs.mag import MAG
from dicola.graphs.marks import ARROW, CIRCLE, TAIL, Mark
from dicola.graphs.pag import PAG
from dicola.graphs.skeleton import SeparatingSets, Skeleton, Variables
from dicola.orient.colliders import ColliderPolicy
from dicola.orient.fixpoint import orient


class AncestralSets(SeparatingSets):
    """Separating sets of a MAG, worked out when asked: the ancestors of the pair."""

    def __init__(self, mag: MAG) -> None:
        self.mag = mag

    def get(self, x: int, y: int) -> Variables | None:
        if not (0 <= x < len(self.mag) and 0 <= y < len(self.mag)) or y in self.mag.around[x]:
            return None
        return tuple(members(self.mag.canonical_separator(x, y)))


class MagSets(AncestralSets):
    """The sets of a MAG that stands for the whole answer: the MAG itself is written."""

    def to_dict(self, variables: Variables) -> dict[str, Any]:
        """The edges of the MAG: ``{"mag": [[a, b, mark at a, mark at b], ...]}``."""
        return {"mag": [[a, b, int(self.mag.marks[b, a]), int(self.mag.marks[a, b])] for a, b in self.mag.pairs()]}

    @classmethod
    def from_dict(cls, facts: Mapping[str, Any], labels: Sequence[str]) -> MagSets:
        """Read back what ``to_dict`` wrote; ``labels`` name the vertices."""
        return cls(MAG.from_marked_edges([(labels[a], labels[b], at_a, at_b) for a, b, at_a, at_b in facts["mag"]], labels))

    def provenance(self, x: int, y: int) -> str | None:
        return "These are the ancestors of the two in the graph with the best score."


def skeleton_of_mag(mag: MAG, names: tuple[str, ...] | None = None, warnings: tuple[str, ...] = ()) -> Skeleton:
    """The adjacencies of a MAG, each other pair separated by its ancestors.

    ``names`` are in the user's order.
    """
    edges = frozenset(mag.pairs())
    return Skeleton(mag.names, tuple(range(len(mag))), edges, MagSets(mag), mag.names if names is None else names, warnings)


@checked(mag=instance(MAG))
def mag_to_pag(mag: MAG) -> PAG:
    """The PAG of the Markov equivalence class of a MAG.

    Complete, also with undirected edges (Zhang 2008).

    Parameters
    ----------
    mag : MAG
        Must be one: ``mag.invalid()`` is not asked here.

    """
    has_selection = any(mag.around[a][b] == TAIL == mag.around[b][a] for a, b in mag.pairs())
    return orient(skeleton_of_mag(mag), selection=has_selection, is_collider=by_ancestors(mag)).pag


def by_ancestors(mag: MAG) -> ColliderPolicy:
    """What ``by_separating_set`` says for ``MagSets``, with no set made for it."""
    return lambda a, b, c: not mag.canonical_separator(a, c) >> b & 1


@checked(pag=instance(PAG))
def member_mag(pag: PAG) -> MAG:
    """One MAG of the class.

    o-> becomes -->, --o becomes -->, and the o-o part is directed without a new collider: Zhang
    (2006), arrowhead augmentation.

    Parameters
    ----------
    pag : PAG
        Where it is not legal, what comes back need not be a MAG; ``legality`` tells.

    Raises
    ------
    InvalidGraph
        The o-o part is not chordal, as that of every PAG is.

    """
    marks = pag.to_matrix()
    marks[(marks == CIRCLE) & (pag.marks.T == ARROW)] = TAIL
    marks[(marks == CIRCLE) & (pag.marks.T == TAIL)] = ARROW
    circles = marks == CIRCLE
    circle_part = [set(np.nonzero(row)[0].tolist()) for row in circles]
    order = cardinality_order(circle_part)
    if not _is_perfect(order, circle_part):
        raise InvalidGraph("the o-o edges contain a cycle without a chord, which no PAG has.")
    place = np.argsort(order)
    marks[circles] = np.where(place[:, None] < place, ARROW, TAIL)[circles]
    return MAG(marks, pag.names)


def cardinality_order(neighbours: Sequence[AbstractSet[int]]) -> list[int]:
    """Maximum cardinality search: next comes the vertex with most neighbours before it.

    Of equals it is the first.
    """
    weight, is_left, order = [0] * len(neighbours), [True] * len(neighbours), list[int]()
    waiting = [(0, v) for v in range(len(neighbours))]  # a heap; of what stands there twice the first counts
    while waiting:
        _, v = heappop(waiting)
        if not is_left[v]:
            continue
        is_left[v] = False
        order.append(v)
        for u in neighbours[v]:
            if is_left[u]:
                weight[u] += 1
                heappush(waiting, (-weight[u], u))
    return order


def _is_perfect(order: list[int], neighbours: Sequence[AbstractSet[int]]) -> bool:
    """Are the neighbours before each vertex joined to the last of them?

    For this order: iff the graph is chordal (Tarjan and Yannakakis 1984).
    """
    place = {v: i for i, v in enumerate(order)}
    for v in order:
        earlier = sorted((place[u], u) for u in neighbours[v] if place[u] < place[v])
        if any(u not in neighbours[earlier[-1][1]] for _, u in earlier[:-1]):
            return False
    return True


@checked(first=instance(MAG), second=instance(MAG))
def markov_equivalent(first: MAG, second: MAG) -> bool:
    """Do two MAGs entail the same independences? Same PAG, decided in polynomial time.

    Parameters
    ----------
    first, second : MAG
        With the same vertices, in any order.

    """
    return mag_to_pag(first) == mag_to_pag(second)


@dataclass(frozen=True)
class Legality:
    """Whether a PAG stands for a class of MAGs, and if not, why not."""

    legal: bool
    reasons: tuple[str, ...]

    def __bool__(self) -> bool:
        return self.legal


@checked(
    pag=instance(PAG),
    claims=instance(Claims).or_none("it must be Claims, or None."),
    member=instance(MAG).or_none("it must be a MAG, or None."),
)
def legality(pag: PAG, claims: Claims | None = None, member: MAG | None = None) -> Legality:
    """Is this the PAG of some MAG?

    Builds a member, checks that it is a MAG, and compares its PAG mark for mark.

    Parameters
    ----------
    pag : PAG
        One learned from finite data is often not legal.
    claims : Claims, optional
        What was known beforehand: then it is the PAG of a MAG with the marks that this adds.
    member : MAG, optional
        A MAG to try, where one is known.

    Returns
    -------
    Legality
        True or false as a condition; its ``reasons`` say where the graph goes wrong.

    """
    try:
        mag = member_mag(pag) if member is None else member
    except InvalidGraph as error:
        return Legality(False, (str(error),))
    reason = mag.invalid()
    if reason is not None:
        return Legality(False, (f"its member graph is no MAG: {reason}",))
    complete = mag_to_pag(mag) if claims is None else orient(skeleton_of_mag(mag), claims=claims.in_order(mag.names)).pag
    complete = complete.reordered(pag.names)
    differences = []
    if (complete.marks != 0).sum() != (pag.marks != 0).sum():
        differences.append("no graph with these edges obeys what was known beforehand.")
    for a, b in pag.pairs():
        for x, y in ((a, b), (b, a)):
            if pag.marks[x, y] != complete.marks[x, y]:
                has, wants = (_mark_in_words(int(graph.marks[x, y])) for graph in (pag, complete))
                differences.append(
                    f"the edge {pag.names[x]!r} - {pag.names[y]!r} has {has} at {pag.names[y]!r}; the class of its members has {wants}."
                )
    return Legality(not differences, tuple(differences))


def _mark_in_words(mark: int) -> str:
    return f"a {Mark(mark).name.lower()}" if mark else "no such edge"
