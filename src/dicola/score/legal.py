"""A legal PAG in place of a graph that is none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dicola.claims import Claims
from dicola.errors import counted
from dicola.graphs.mag import MAG
from dicola.graphs.marks import MixedGraph
from dicola.graphs.pag import PAG
from dicola.graphs.skeleton import SeparatingSets, Skeleton
from dicola.orient.equivalence import Legality, MagSets, legality, skeleton_of_mag
from dicola.orient.fixpoint import Orientation, orient
from dicola.score.ancestral import ancestral_marks
from dicola.score.law import Law


def nearby_mag(graph: MixedGraph, law: Law | None = None) -> MAG:
    """A MAG as like a partly oriented graph as can be; a member of its class where it is the PAG of one. It obeys the law."""
    marks = ancestral_marks(graph.to_matrix(), law)
    while law is not None and (broken := law.broken_by(marks)).any():
        law = law.without_both(broken)
        marks = law.obeying(marks)
    return MAG(marks, graph.names).maximal()


def legality_under(pag: PAG, claims: Claims, sets: SeparatingSets | None = None) -> Legality:
    """Is this the PAG of some MAG that obeys, with the marks that the claims add?

    Tried is the MAG whose separating sets these are, where there is one, else some that are near: no
    method is known that finds a member of every such class, so that "no" may be said too often.
    """
    if isinstance(sets, MagSets):
        return legality(pag, claims, sets.mag)
    first = legality(pag, claims)
    if first:
        return first
    others = (nearby_mag(pag), nearby_mag(pag, Law.of(claims.in_order(pag.names))))
    return next((found for member in others if (found := legality(pag, claims, member))), first)


def legalized(skeleton: Skeleton, orientation: Orientation, claims: Claims | None = None) -> tuple[Skeleton, Orientation]:
    """The PAG of a MAG nearby, with the ancestors of each pair as separating set, in place of a graph that is no PAG; else the same.

    With claims the MAG obeys them, and they put their marks on its PAG.
    """
    if legality(orientation.pag) if claims is None else legality_under(orientation.pag, claims, skeleton.sets):
        return skeleton, orientation
    legal = skeleton_of_mag(nearby_mag(orientation.pag, Law.of(claims)), skeleton.names, skeleton.warnings)
    oriented = orient(legal, claims=claims)
    changed = int(np.count_nonzero(oriented.pag.marks != orientation.pag.marks))
    said = f"the graph was no legal PAG; made legal, it differs from what was found in {counted(changed, 'edge end')}."
    return replace(legal, warnings=(*legal.warnings, said)), oriented
