"""The mark matrix of the R package pcalg as CSV; also dicola's own ``pag.csv``.

Convention: pcalg's ``amat.pag`` (manual page ``amatType``). ``M[a, b]``, row a and column b, is the mark **at b** on the edge between a
and b: 0 no edge, 1 circle, 2 arrowhead, 3 tail. Written with the corner cell ``node``, the names in the first row and the first column;
R takes it with ``as.matrix(read.csv("pag.csv", row.names = 1, check.names = FALSE))``. Read in that form, as R's ``write.csv(amat)`` and
``write.table(amat, sep = ",")`` give it, and as Tetrad saves it, without names of rows.

It says everything that a PAG holds. Other matrices of pcalg (``amat.cpdag``, where 1 is a tail) are not told apart by their look.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dicola.errors import InvalidGraph
from dicola.graphs.formats.texts import csv_rows, csv_text
from dicola.graphs.marks import MOST_NODES, MixedGraph
from dicola.graphs.pag import PAG

CORNER = "node"
CORNERS = ("", CORNER, "causal-learn")


def to_csv(graph: MixedGraph) -> str:
    """First column ``node``, then one column per node; entry [i, j] is the mark at j: 0 none, 1 circle, 2 arrowhead, 3 tail."""
    return matrix_to_csv(graph.marks, graph.names, CORNER)


def from_csv(text: str) -> PAG:
    """Read what ``to_csv``, R or Tetrad writes."""
    _, names, matrix = matrix_from_csv(text)
    return PAG.from_matrix(matrix, names)


def matrix_to_csv(matrix: NDArray[np.int8], names: tuple[str, ...], corner: str) -> str:
    """A square matrix with its names above and beside it."""
    words = [*map(str, range(128)), *map(str, range(-128, 0))]  # to look an entry up is faster than to make it, from the end on if below 0
    rows = (",".join([words[code] for code in row.tolist()]) for row in matrix)
    beside = (csv_text([[name, ""]])[:-1] for name in names)
    return csv_text([[corner, *names]]) + "".join(f"{name}{row}\n" for name, row in zip(beside, rows, strict=True))


def matrix_from_csv(text: str) -> tuple[str, list[str], NDArray[np.float64]]:
    """Corner cell (empty where there is none), names and entries of a square matrix."""
    rows = csv_rows(text)
    n = len(rows) - 1
    if n < 0 or len(rows[0]) not in (n, n + 1) or (n == 0 and rows[0] not in [[corner] for corner in CORNERS]):
        raise InvalidGraph("a mark matrix begins with a line of names, one a column, and has one row a name.")
    corner, names = ("", rows[0]) if len(rows[0]) == n else (rows[0][0], rows[0][1:])
    width = max(map(len, rows[1:]), default=n + 1)
    if width not in (n, n + 1) or (width == n and len(rows[0]) != n) or any(len(row) != width for row in rows[1:]):
        raise InvalidGraph("a mark matrix has one entry a column in each row.")
    if width == n + 1 and [row[0] for row in rows[1:]] != names:
        raise InvalidGraph("a mark matrix has its rows named like its columns, in the same order.")
    if n > MOST_NODES:
        raise InvalidGraph(f"the matrix has {n:,} rows; at most {MOST_NODES:,} are read.")
    matrix = np.zeros((n, n))
    try:
        for values, row in zip(matrix, rows[1:], strict=True):
            values[:] = [float(entry) for entry in row[width - n :]]
    except ValueError:
        raise InvalidGraph("a mark matrix holds numbers only, below and beside its names.") from None
    return corner, names, matrix
