"""A legal PAG in place of a graph that is none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dicola.errors import counted
from dicola.graphs.mag import MAG
from dicola.graphs.marks import MixedGraph
from dicola.graphs.skeleton import Skeleton
from dicola.orient.equivalence import legality, skeleton_of_mag
from dicola.orient.fixpoint import Orientation, orient
from dicola.score.ancestral import ancestral_marks


def nearby_mag(graph: MixedGraph) -> MAG:
    """A MAG as like a partly oriented graph as can be; a member of its class where it is the PAG of one."""
    return MAG(ancestral_marks(graph.to_matrix()), graph.names).maximal()


def legalized(skeleton: Skeleton, orientation: Orientation) -> tuple[Skeleton, Orientation]:
    """The PAG of a MAG nearby, with the ancestors of each pair as separating set, in place of a graph that is no PAG; else the same."""
    if legality(orientation.pag):
        return skeleton, orientation
    legal = skeleton_of_mag(nearby_mag(orientation.pag), skeleton.names, skeleton.warnings)
    oriented = orient(legal)
    changed = int(np.count_nonzero(oriented.pag.marks != orientation.pag.marks))
    said = f"the graph was no legal PAG; made legal, it differs from what was found in {counted(changed, 'edge end')}."
    return replace(legal, warnings=(*legal.warnings, said)), oriented
