"""Sets of small numbers as the bits of words: ``words[v >> 6]`` has the bit of v.

``dicola.graphs.bits`` has the same in one Python integer.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dicola._kernels.arrays import Ints
from dicola._kernels.compiled import hot, inner

Words = NDArray[np.uint64]

NONE, ONE = np.uint64(0), np.uint64(1)
_TWO, _FOUR, _TOP = np.uint64(2), np.uint64(4), np.uint64(56)
_PAIRS, _FOURS = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
_EIGHTS, _BYTES = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x0101010101010101)
_SPREAD = np.uint64(0x03F79D71B4CB0A89)  # a de Bruijn sequence
_PLACES = np.zeros(64, np.int64)
for _place in range(64):
    _PLACES[(int(_SPREAD) << _place) % (1 << 64) >> 58] = _place

_PROBES = 16  # places of a table that are looked at for a key


@hot
def slot_of(keys: Words, key: np.uint64) -> np.uint64:
    """Where a key stands in a table whose size is a power of two, or else goes; where its part of the table is full, the first goes."""
    mask = np.uint64(len(keys) - 1)
    at = key & mask
    for _ in range(_PROBES):
        if keys[at] in (key, NONE):
            return at
        at = (at + ONE) & mask
    return key & mask


@inner
def bit_of(v: int) -> np.uint64:
    """The bit of v in its word."""
    return ONE << np.uint64(v & 63)


@inner
def has(words: Words, v: int) -> bool:
    """Is v a member?"""
    return bool(words[v >> 6] & bit_of(v))


@inner
def without(word: np.uint64, i: int, v: int) -> np.uint64:
    """Word i of a set without v."""
    return word & ~bit_of(v) if v >> 6 == i else word


@inner
def lowest_bit(word: np.uint64) -> int:
    """The place of the lowest bit.

    One table does for all, since the powers of two times ``_SPREAD`` differ in their first six
    bits.
    """
    return int(_PLACES[((word & (~word + ONE)) * _SPREAD) >> np.uint64(58)])


@inner
def lowest_common(one: Words, other: Words) -> int:
    """The lowest member of both; -1 where there is none."""
    for i in range(len(one)):
        both = one[i] & other[i]
        if both:
            return 64 * i + lowest_bit(both)
    return -1


@hot
def ones(word: np.uint64) -> np.uint64:
    """How many bits are set: added up in pairs, in fours, in eights, and by one product.

    Compilers know these steps, and take the machine's own instruction for them, many words at a time where they can.
    """
    pairs = word - ((word >> ONE) & _PAIRS)
    fours = (pairs & _FOURS) + ((pairs >> _TWO) & _FOURS)
    return (((fours + (fours >> _FOUR)) & _EIGHTS) * _BYTES) >> _TOP


@inner
def size(words: Words) -> int:
    """How many members there are."""
    count = NONE
    for word in words:
        count += ones(word)
    return int(count)


@inner
def spell(words: Words, out: Ints) -> None:
    """Write down the members, in order."""
    at = 0
    for i in range(len(words)):
        rest = words[i]
        while rest:
            out[at] = 64 * i + lowest_bit(rest)
            rest &= rest - ONE
            at += 1
