"""Sets of vertices as the bits of one Python integer: small, exact, fast, and of any size."""

from __future__ import annotations

from collections.abc import Iterable


def mask_of(vertices: Iterable[int]) -> int:
    """The integer whose set bits are the given vertices."""
    mask = 0
    for v in vertices:
        mask |= 1 << v
    return mask


def members(mask: int) -> list[int]:
    """The vertices of a mask, smallest first."""
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found
