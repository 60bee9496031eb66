"""A pandas table with one row per edge, for sorting, filtering and joining; it is not read back.

Convention: ``u``, ``v``, ``mark_u`` and ``mark_v`` as in ``pag.json`` (``circle``, ``arrow``,
``tail``; ``mark_u`` stands at u), ``edge`` the edge between the two as it is printed, ``type`` what
it claims in a few words. Lost: nodes without edges.
"""

from __future__ import annotations

from typing import Final

import pandas as pd

from dicola.graphs.formats.texts import word_of
from dicola.graphs.marks import Mark, MixedGraph

_TYPES: Final = {
    (Mark.TAIL, Mark.ARROW): "u causes v",
    (Mark.ARROW, Mark.ARROW): "hidden common cause",
    (Mark.CIRCLE, Mark.ARROW): "u causes v, or hidden common cause",
    (Mark.CIRCLE, Mark.CIRCLE): "open",
    (Mark.TAIL, Mark.TAIL): "selection",
    (Mark.TAIL, Mark.CIRCLE): "u causes v, or selection",
}


def to_pandas(graph: MixedGraph) -> pd.DataFrame:
    """One row per edge, in the order of ``graph.edges()``."""
    edges = graph.edges()
    columns = {
        "u": [edge.u for edge in edges],
        "v": [edge.v for edge in edges],
        "mark_u": [word_of(edge.mark_u) for edge in edges],
        "mark_v": [word_of(edge.mark_v) for edge in edges],
        "edge": [edge.arrow for edge in edges],
        "type": [_TYPES[edge.mark_u, edge.mark_v] for edge in edges],
    }
    return pd.DataFrame({name: pd.Series(values, dtype="str") for name, values in columns.items()})
