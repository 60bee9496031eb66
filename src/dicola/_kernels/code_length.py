"""How long the shortest description of categories by a DAG is, from counts.

Some variables together have a length, that of the normalised maximum likelihood code:
``2 N H + 2 ln C(N, cells)``, with the entropy H and a regret that grows with the cells there are. A
variable given its parents then takes L(all of them) - L(parents), whatever their order, so that Markov
equivalent DAGs are equally long (Silander et al. 2018, qNML).
"""

from __future__ import annotations

from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dicola._kernels.arrays import Floats, Ints
from dicola._kernels.compiled import inner, kernel

_MANY = 4096  # cells up to which they are not renumbered, whether all of them occur or not


class CountedRows(NamedTuple):
    """Rows of categories, and what their lengths are made of."""

    codes: NDArray[np.int16]  # a row per variable, an entry per row of the table
    levels: Ints
    logs: Floats  # k ln k, for every k up to the number of rows
    regrets: Floats  # 2 ln C(N, cells), as far as they go


@kernel
def regrets(two: float, n: int, cells: int) -> Floats:
    """2 ln C(n, r) for r up to so many cells, from C(n, 2): C(n, r + 2) = C(n, r + 1) + n / r · C(n, r)."""
    found, ratio = np.zeros(cells + 1), two
    for r in range(1, cells):
        found[r + 1] = found[r] + 2.0 * log(ratio)
        ratio = 1.0 + n / r / ratio
    return found


@inner
def _length_of(rows: CountedRows, members: Ints, count: int) -> float:
    """The length of some variables together."""
    n, cells, all_cells = rows.codes.shape[1], 1, 1.0
    place = np.zeros(n, np.int64)
    for i in range(count):
        own, many = rows.codes[members[i]], rows.levels[members[i]]
        for r in range(n):
            place[r] = place[r] * many + own[r]
        cells *= many
        all_cells *= many
        if cells > max(_MANY, 4 * n):
            number, found = np.full(cells, -1, np.int64), 0
            for r in range(n):
                if number[place[r]] < 0:
                    number[place[r]] = found
                    found += 1
                place[r] = number[place[r]]
            cells = found
    counts = np.zeros(cells, np.int64)
    for r in range(n):
        counts[place[r]] += 1
    total = rows.logs[n]
    for cell in range(cells):
        total -= rows.logs[counts[cell]]
    last = len(rows.regrets) - 1
    if all_cells <= last:
        return float(2.0 * total + rows.regrets[int(all_cells)])
    # so many cells that almost every row has one of its own
    return float(2.0 * total + rows.regrets[last] + 2.0 * n * log(all_cells / last))


@kernel
def family_length(rows: CountedRows, v: int, parents: Ints) -> float:
    """The length of a variable given its parents."""
    members = np.append(parents, v)
    return _length_of(rows, members, len(members)) - _length_of(rows, parents, len(parents))
