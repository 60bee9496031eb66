"""A skeleton with the edges that are known beforehand to be there, and without those known not to be."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dicola.claims import Claims
from dicola.graphs.skeleton import Skeleton


def obeying(skeleton: Skeleton, claims: Claims | None) -> Skeleton:
    """The skeleton with the edges that were said to be there, and without those said not to be; no set is made up for these.

    Only here, after the merge: of some variables alone a pair may be adjacent that is not so among all, so that no cut is touched.
    """
    if claims is None or not (claims.apart.any() or claims.joined.any()):
        return skeleton
    apart, joined = (frozenset((a, b) for a, b in np.argwhere(np.triu(said)).tolist()) for said in (claims.apart, claims.joined))
    return replace(skeleton, edges=(skeleton.edges | joined) - apart)
