"""Sets of vertices as the bits of one Python integer: small, exact, fast, and of any size."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray


def mask_of(vertices: Iterable[int]) -> int:
    """The integer whose set bits are the given vertices."""
    mask = 0
    for v in vertices:
        mask |= 1 << v
    return mask


def members(mask: int) -> list[int]:
    """The vertices of a mask, smallest first."""
    if mask < _SMALL:
        return list(_remembered(mask))
    return _listed(mask)


_SMALL = 1 << 64  # of few variables masks come again and again
_MANY = 20


@lru_cache(maxsize=1 << 14)
def _remembered(mask: int) -> tuple[int, ...]:
    return tuple(_listed(mask))


def _listed(mask: int) -> list[int]:
    if mask.bit_count() > _MANY:  # to take off one bit after the other costs the length of the whole mask each time
        words = np.frombuffer(mask.to_bytes((mask.bit_length() + 7) // 8, "little"), dtype=np.uint8)
        many: list[int] = np.flatnonzero(np.unpackbits(words, bitorder="little")).tolist()
        return many
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found


def union(masks: Sequence[int], of: int) -> int:
    """The masks of the vertices of ``of`` taken together."""
    found = 0
    for v in members(of):
        found |= masks[v]
    return found


def as_words(mask: int, words: int) -> NDArray[np.uint64]:
    """A mask as so many words of 64 bits, the lowest first, as the kernels have it; what lies beyond is cut off."""
    return np.frombuffer((mask & ((1 << 64 * words) - 1)).to_bytes(8 * words, "little"), dtype=np.uint64)


def from_words(words: NDArray[np.uint64]) -> int:
    """The mask of ``as_words``."""
    return int.from_bytes(words.tobytes(), "little")
