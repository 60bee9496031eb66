"""Graphs for the tests of the formats: true PAGs, arbitrary marks, and names that break careless writers."""

from __future__ import annotations

from functools import cache

import numpy as np
from hypothesis import strategies as st

from dicola import PAG, simulate

AWKWARD = (
    "<script>alert(1)</script>",
    '"',
    "&",
    "a;b",
    "a,b",
    "\U0001f9ec\u200d\U0001f52c",
    "x" * 200,
    "\u53d8\u91cf",
    "two\nlines",
    "carriage\rreturn",
    "tab\there",
    " blanks around ",
    "back\\slash",
    "ends in \\",
    "\\N",
    "\\n",
    "&amp;",
    "]]>",
    "1st",
    "-5",
    "graph",
    "node",
    "edge",
    "strict",
    "subgraph",
    "digraph",
    "NA",
    "(latent)",
    "a -> b",
    "A o-> B",
    "Graph",
    "%x",
    "n0",
    "n1",
    "\ufeffbom",
    "\u2028",
    "\x85",
    "\x01",
    "\x7f",
    "\x00",
    "'",
    '\\"',
    "{}",
    "[x=1]",
    "//",
    "/*",
    "#",
    "@",
)


def joined(names: list[str] | tuple[str, ...], seed: int = 0, share: float = 0.4) -> PAG:
    """Any marks, selection edges included, on a random skeleton; some nodes stay alone."""
    rng = np.random.default_rng(seed)
    n = len(names)
    edges = np.triu(rng.random((n, n)) < share, 1)
    marks = rng.integers(1, 4, size=(n, n))
    return PAG.from_matrix(marks * (edges | edges.T), names)


@cache
def random_pags() -> tuple[PAG, ...]:
    """200 graphs: 120 true PAGs of random DAGs with hidden variables, some with selection, and 80 with any marks."""
    pags = []
    for seed in range(120):
        dag = simulate.er_dag(6 + seed % 8, 2.5, seed)
        hidden = simulate.hide(dag, min(seed % 3, sum(len(dag.children(name)) > 1 for name in dag.names)), seed)
        selected = [name for name in dag.names if name not in hidden][-1:] if seed % 2 else []
        pags.append(dag.true_pag(hidden, selected))
    pags += [joined([f"V{i}" for i in range(seed % 9)], seed) for seed in range(80)]
    return tuple(pags)


names = st.text(max_size=8) | st.sampled_from(AWKWARD) | st.text(st.sampled_from('ab"\\&<>;,:@%#{}[]()-=+ \n\r\t\x00'), max_size=6)


@st.composite
def graphs(draw: st.DrawFn) -> PAG:
    """Up to five nodes with any names and any marks."""
    chosen = draw(st.lists(names, max_size=5, unique=True))
    n = len(chosen)
    marks = np.zeros((n, n), dtype=int)
    for a in range(n):
        for b in range(a):
            if draw(st.booleans()):
                marks[a, b], marks[b, a] = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    return PAG.from_matrix(marks, chosen)
