"""Kernels of searches on evidence other than correlations: counts, blocks of columns, latent variables and mixtures.

``depends`` is the one question that differs between kinds of evidence. Numba picks its answer, and that of ``first_separator``, by the
type of the evidence when it compiles a search.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from dicola._kernels.arrays import Bools, Flags, Ints
from dicola._kernels.blocks import Blocks, blocks_depend
from dicola._kernels.compiled import inner, kernel
from dicola._kernels.contingency import Counts, counts_depend
from dicola._kernels.interpreted import by_type
from dicola._kernels.latent import Latent, latent_depends
from dicola._kernels.mixtures import Mixtures, mixtures_depend
from dicola._kernels.partial_correlation import Room, first_separator
from dicola._kernels.stopping import heed

Evidence = Counts | Blocks | Latent | Mixtures


def depends(evidence: Evidence, x: int, y: int, given: Ints) -> bool:
    """Do x and y depend on each other given some variables?"""
    raise NotImplementedError("for kernels only")


@by_type(depends)
def _depends(evidence: Any, x: int, y: int, given: Any) -> Any:
    kind = _kind(evidence)
    if kind is Counts:
        return lambda evidence, x, y, given: counts_depend(evidence, x, y, given)
    if kind is Blocks:
        return lambda evidence, x, y, given: blocks_depend(evidence, x, y, given)
    if kind is Latent:
        return lambda evidence, x, y, given: latent_depends(evidence, x, y, given)
    if kind is Mixtures:
        return lambda evidence, x, y, given: mixtures_depend(evidence, x, y, given)
    return None


def _kind(evidence: Any) -> type | None:
    """The class behind the type of a named tuple."""
    return getattr(evidence, "instance_class", None) if isinstance(evidence, types.BaseNamedTuple) else None


@by_type(first_separator)
def _first_separator(evidence: Any, x: int, y: int, candidates: Any, parts: Any, size: int, limit: float, room: Any) -> Any:
    if _kind(evidence) in (Counts, Blocks, Latent, Mixtures):
        return lambda evidence, x, y, candidates, parts, size, limit, room: _first_by_asking(evidence, x, y, candidates, parts, size, room)
    return None


@inner
def _first_by_asking(evidence: Evidence, x: int, y: int, candidates: Ints, parts: Flags, size: int, room: Room) -> tuple[bool, int]:
    """``first_separator`` set by set."""
    m, chosen, found, tests = len(candidates), room.chosen, room.found, 0
    if size > m:
        return False, 0
    for i in range(size):
        chosen[i] = i
    while True:
        shared = 255
        for i in range(size):
            shared &= parts[chosen[i]]
            found[i] = candidates[chosen[i]]
        if size == 0 or not shared:
            tests += 1
            if tests & 7 == 0:
                heed(tests)
            if not depends(evidence, x, y, found[:size]):
                return True, tests
        at = size - 1
        while at >= 0 and chosen[at] == m - size + at:
            at -= 1
        if at < 0:
            return False, tests
        chosen[at] += 1
        for i in range(at + 1, size):
            chosen[i] = chosen[i - 1] + 1


@kernel
def depend_across(evidence: Evidence, left: Ints, right: Ints, given: Ints) -> Bools:
    """Which pairs, one of ``left`` and one of ``right``, depend on each other given some variables?"""
    dependent = np.empty((len(left), len(right)), np.bool_)
    for i in range(len(left)):
        for j in range(len(right)):
            if j & 7 == 7:
                heed(i * len(right) + j)
            dependent[i, j] = depends(evidence, min(left[i], right[j]), max(left[i], right[j]), given)
    return dependent


@kernel
def depend_given(evidence: Evidence, x: int, y: int, given: Ints) -> bool:
    """``depends`` for callers in Python."""
    return depends(evidence, x, y, given)
