"""The best parents of a variable, by the kind of score: of single columns, or of blocks of them.

Numba picks the search by the type of the terms when it compiles a search for orders.
"""

from __future__ import annotations

from typing import Any

from dicola._kernels.arrays import Ints
from dicola._kernels.block_parents import changes_block, first_change_of_blocks, search_blocks
from dicola._kernels.block_trails import BlockRoom, BlockTrails, make_block_room
from dicola._kernels.interpreted import by_type
from dicola._kernels.parent_search import Room, Trails, changes_one, first_change_of_ones, make_room, search_ones, share_worth_a_price
from dicola._kernels.terms import BlockTerms, Terms, has_blocks

AnyTerms = Terms | BlockTerms
AnyTrails = Trails | BlockTrails
AnyRoom = Room | BlockRoom


def room_for(terms: AnyTerms, trails: AnyTrails) -> AnyRoom:
    """Room for searches that leave such trails."""
    raise NotImplementedError("for kernels only")


@by_type(room_for)
def _room_for(terms: Any, trails: Any) -> Any:
    if has_blocks(terms):
        return lambda terms, trails: make_block_room(terms, trails)
    return lambda terms, trails: make_room(trails)


def least_share(terms: AnyTerms) -> float:
    """The share of the variance left that a candidate must take away to be worth its price; unused for blocks."""
    raise NotImplementedError("for kernels only")


@by_type(least_share)
def _least_share(terms: Any) -> Any:
    if has_blocks(terms):
        return lambda terms: 0.0
    return lambda terms: share_worth_a_price(terms)


def changes(terms: AnyTerms, trails: AnyTrails, room: AnyRoom, place: int, v: int, other: int, least: float) -> bool:
    """Would ``other`` as one more candidate change the trail of v at this place?"""
    raise NotImplementedError("for kernels only")


@by_type(changes)
def _changes(terms: Any, trails: Any, room: Any, place: int, v: int, other: int, least: float) -> Any:
    if has_blocks(terms):
        return lambda terms, trails, room, place, v, other, least: changes_block(terms, trails, room, place, v, other)
    return lambda terms, trails, room, place, v, other, least: changes_one(terms, trails, room, place, v, other, least)


def first_change(terms: AnyTerms, trails: AnyTrails, room: AnyRoom, place: int, v: int, pool: Ints, begin: int, end: int) -> int:
    """The first of ``pool`` from ``begin`` on that ``changes`` the trail of v at this place; ``end`` where none before it does."""
    raise NotImplementedError("for kernels only")


@by_type(first_change)
def _first_change(terms: Any, trails: Any, room: Any, place: int, v: int, pool: Any, begin: int, end: int) -> Any:
    if has_blocks(terms):
        return lambda terms, trails, room, place, v, pool, begin, end: first_change_of_blocks(
            terms, trails, room, place, v, pool, begin, end
        )
    return lambda terms, trails, room, place, v, pool, begin, end: first_change_of_ones(terms, trails, room, place, v, pool, begin, end)


def search(terms: AnyTerms, trails: AnyTrails, room: AnyRoom, place: int, v: int, pool: Ints, size: int) -> bool:
    """Grow and shrink the parents of v among the first ``size`` of ``pool``; ``False`` where its trail outgrows its room."""
    raise NotImplementedError("for kernels only")


@by_type(search)
def _search(terms: Any, trails: Any, room: Any, place: int, v: int, pool: Any, size: int) -> Any:
    if has_blocks(terms):
        return lambda terms, trails, room, place, v, pool, size: search_blocks(terms, trails, room, place, v, pool, size)
    return lambda terms, trails, room, place, v, pool, size: search_ones(terms, trails, room, place, v, pool, size)
