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
from dicola.orient.equivalence import Legality, MagSets, legality, mag_to_pag, skeleton_of_mag
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


def legal_pag(pag: PAG, claims: Claims | None = None) -> PAG:
    """The graph where it is a legal PAG, else the PAG of a MAG nearby: with claims of one that obeys, and with the marks that they add."""
    if claims is None or claims.selection:
        return pag if legality(pag) else mag_to_pag(nearby_mag(pag))
    known = claims.in_order(pag.names)
    return pag if legality_under(pag, known) else orient(skeleton_of_mag(nearby_mag(pag, Law.of(known))), claims=known).pag


def legalized(skeleton: Skeleton, orientation: Orientation, claims: Claims | None = None) -> tuple[Skeleton, Orientation]:
    """The PAG of a MAG nearby, with the ancestors of each pair as separating set, in place of a graph that is no PAG; else the same.

    With claims the MAG obeys them, and they put their marks on its PAG.
    """
    if legality(orientation.pag) if claims is None else legality_under(orientation.pag, claims, skeleton.sets):
        return skeleton, orientation
    return _nearby(skeleton, orientation, claims, "the graph was no legal PAG; made legal, it differs from what was found in {ends}.")


def held_to(claims: Claims, skeleton: Skeleton, orientation: Orientation, by_tests: bool = True) -> tuple[Skeleton, Orientation]:
    """The PAG of a MAG nearby that obeys, in place of a graph whose marks contradict the claims; else the same.

    Where tests alone decide (``by_tests``), they may deny that one variable causes another, if no path is left for it. What rules
    wanted against a claim stays on record.
    """
    law = Law.of(unless_denied(claims, orientation.pag) if by_tests else claims)
    if law is None or not law.is_contradicted_by(orientation.pag):
        return skeleton, orientation
    said = "tests led to a graph that contradicts what was known beforehand; the one nearby that obeys differs from it in {ends}."
    held, obeying = _nearby(skeleton, orientation, law.claims, said)
    return held, replace(obeying, conflicts=orientation.conflicts)


def unless_denied(claims: Claims, pag: PAG) -> Claims:
    """The claims but those about causes for which no path is left in a graph."""
    law = Law.of(claims)
    return claims if law is None else replace(claims, causes=claims.causes & ~law.denied_causes(pag))


def _nearby(skeleton: Skeleton, orientation: Orientation, claims: Claims | None, said: str) -> tuple[Skeleton, Orientation]:
    near = skeleton_of_mag(nearby_mag(orientation.pag, Law.of(claims)), skeleton.names, skeleton.warnings)
    oriented = orient(near, claims=claims)
    changed = int(np.count_nonzero(oriented.pag.marks != orientation.pag.marks))
    return replace(near, warnings=(*near.warnings, said.format(ends=counted(changed, "edge end")))), oriented
