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
    rows = [(e.u, e.v, word_of(e.mark_u), word_of(e.mark_v), e.arrow, _TYPES[e.mark_u, e.mark_v]) for e in graph.edges()]
    return pd.DataFrame(rows, columns=["u", "v", "mark_u", "mark_v", "edge", "type"], dtype="str")
