"""The score of a district, by the kind of terms: on single columns, or on blocks of them.

Numba picks the fit by the type of the terms when it compiles a climb.
"""

from __future__ import annotations

from typing import Any

from dicola._kernels.arrays import Ints
from dicola._kernels.block_score import BlockRoom, bound_blocks, weigh_blocks
from dicola._kernels.interpreted import by_type
from dicola._kernels.mag_score import Room, bound_ones, score_ones
from dicola._kernels.terms import BlockTerms, Terms, has_blocks

AnyTerms = Terms | BlockTerms
AnyRoom = Room | BlockRoom


def score_district(terms: AnyTerms, members: Ints, d: int, lists: Ints, lengths: Ints, room: AnyRoom, enough: float) -> tuple[float, bool]:
    """The part of a district in the score, with the prices of its edges; see ``mag_score.misfit`` for the lists.

    A fit may end sooner once this will not be below what is ``enough``. Answers what it found, and whether that is the score.
    """
    raise NotImplementedError("for kernels only")


@by_type(score_district)
def _score_district(terms: Any, members: Any, d: int, lists: Any, lengths: Any, room: Any, enough: float) -> Any:
    if has_blocks(terms):
        return lambda terms, members, d, lists, lengths, room, enough: weigh_blocks(terms, members, d, lists, lengths, room, enough)
    return lambda terms, members, d, lists, lengths, room, enough: (score_ones(terms, members, d, lists, lengths, room), True)


def bound_district(terms: AnyTerms, members: Ints, d: int, lists: Ints, lengths: Ints, room: AnyRoom) -> tuple[float, bool]:
    """What that part cannot be below, minus infinity where nothing is known; and whether it is that part itself."""
    raise NotImplementedError("for kernels only")


@by_type(bound_district)
def _bound_district(terms: Any, members: Any, d: int, lists: Any, lengths: Any, room: Any) -> Any:
    if has_blocks(terms):
        return lambda terms, members, d, lists, lengths, room: bound_blocks(terms, members, d, lists, lengths, room)
    return lambda terms, members, d, lists, lengths, room: (bound_ones(terms, members, d, lists, lengths, room), False)
