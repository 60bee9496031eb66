"""Vertices that hang together: what a large drawing lays out side by side and may show as one box."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np
from scipy.sparse.csgraph import connected_components

from dicola.report.geometry import Truths

MANY: Final = 120  # vertices up to which a drawing needs no communities
_FOLDABLE: Final = 4  # fewer members are not worth a box of their own
_ROOM: Final = 80  # boxes that one look can take in


def communities(adjacent: Truths) -> list[list[int]]:
    """Groups with more edges inside than chance would put there, each connected, in order of their first vertex.

    Vertices move to the neighbouring group that raises the modularity most, then whole groups do (Blondel et al. 2008). Counts stay
    whole numbers and ties go to the lowest number, so that the same graph gives the same groups.
    """
    links = [Counter(np.nonzero(row)[0].tolist()) for row in adjacent]
    group_of = list(range(len(links)))
    while True:
        moved = _local_moves(links)
        if len(set(moved)) == len(links):
            break
        number = {group: i for i, group in enumerate(dict.fromkeys(moved))}
        group_of = [number[moved[group]] for group in group_of]
        links = _between_groups(links, [number[group] for group in moved])
    within = adjacent & np.equal.outer(group_of, group_of)
    n_parts, part = connected_components(within, directed=False)
    return sorted(np.nonzero(part == p)[0].tolist() for p in range(n_parts))


def folded_at_start(groups: Sequence[Sequence[int]], adjacent: Truths) -> list[int]:
    """Which groups a large drawing first shows as one box: the densest, until one look can take in the rest."""
    density = [adjacent[np.ix_(members, members)].sum() / len(members) for members in groups]
    large = sorted((i for i, members in enumerate(groups) if is_foldable(members)), key=lambda i: (-density[i], i))
    shown, folded = len(adjacent), []
    for number in large:
        if shown <= _ROOM:
            break
        folded.append(number)
        shown -= len(groups[number]) - 1
    return sorted(folded)


def is_foldable(members: Sequence[int]) -> bool:
    """Is a box for these members worth its while?"""
    return len(members) >= _FOLDABLE


def _local_moves(links: list[Counter[int]]) -> list[int]:
    """The group of each vertex once no single move helps; ``links[v][v]`` counts the ends of edges inside v."""
    degree = [sum(row.values()) for row in links]
    ends = sum(degree)
    group_of, total = list(range(len(links))), degree.copy()
    changed = True
    while changed:
        changed = False
        for v, row in enumerate(links):
            own = group_of[v]
            total[own] -= degree[v]
            towards: Counter[int] = Counter({own: 0})
            for w, count in row.items():
                if w != v:
                    towards[group_of[w]] += count
            best = max(towards, key=lambda group: (towards[group] * ends - degree[v] * total[group], group == own, -group))
            group_of[v] = best
            total[best] += degree[v]
            changed |= best != own
    return group_of


def _between_groups(links: list[Counter[int]], group_of: list[int]) -> list[Counter[int]]:
    merged: list[Counter[int]] = [Counter() for _ in range(max(group_of) + 1)]
    for v, row in enumerate(links):
        for w, count in row.items():
            merged[group_of[v]][group_of[w]] += count
    return merged
