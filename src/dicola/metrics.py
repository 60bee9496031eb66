"""How close is a found graph to the truth? Skeleton, marks and structural Hamming distance.

Graphs are aligned by the names of their vertices, never by position. A score whose denominator is 0 is 0, as in the experiments of
Li et al. (2026); so two graphs without any edge score 0, although they agree. Their distances are 0 too: ask ``shd`` whether two
graphs are equal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicola.errors import InvalidGraph
from dicola.graphs.marks import ARROW, CIRCLE, TAIL, MixedGraph, listed
from dicola.graphs.skeleton import Skeleton


@dataclass(frozen=True, slots=True)
class Scores:
    """Hits among the things found and the true ones, and the three ratios made of them.

    Attributes
    ----------
    hits : int
        Things found that are true.
    found, true : int
        How many were found, and how many there were to find.

    Examples
    --------
    >>> Scores(hits=3, found=4, true=6).f1
    0.6

    """

    hits: int
    found: int
    true: int

    @property
    def precision(self) -> float:
        """Share of the found that is true; 0 if nothing was found."""
        return self.hits / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        """Share of the true that was found; 0 if there was nothing to find."""
        return self.hits / self.true if self.true else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall, 2 · hits / (found + true); 0 if both are empty."""
        return 2 * self.hits / (self.found + self.true) if self.found + self.true else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Ratios and counts, ready for JSON."""
        return {name: getattr(self, name) for name in ("precision", "recall", "f1", "hits", "found", "true")}


@dataclass(frozen=True, slots=True)
class Comparison:
    """A found graph against the truth.

    Marks on an edge that only one of the graphs has are counted, as misses.

    Attributes
    ----------
    skeleton : Scores
        Counts edges as unordered pairs.
    marks : Scores
        Counts edge ends: each edge has two, and an end is a hit when the other graph has that edge
        with the same mark there.
    arrowheads, tails, circles : Scores
        The same count for one kind of mark.
    shd : int
        The number of pairs whose edge differs, in presence or in a mark.
    mark_shd : int
        Counts 1 for each added or missing edge and 1 for each differing mark on a common edge.

    """

    skeleton: Scores
    marks: Scores
    arrowheads: Scores
    tails: Scores
    circles: Scores
    shd: int
    mark_shd: int

    def to_dict(self) -> dict[str, Any]:
        """All figures, ready for JSON."""
        return {**{kind: scores.to_dict() for kind, scores in self._rows()}, "shd": self.shd, "mark_shd": self.mark_shd}

    def __str__(self) -> str:
        lines = [f"{'':<10} {'precision':>9} {'recall':>9} {'F1':>9} {'hits':>7} {'found':>7} {'true':>7}"]
        lines += [
            f"{kind:<10} {s.precision:>9.3f} {s.recall:>9.3f} {s.f1:>9.3f} {s.hits:>7} {s.found:>7} {s.true:>7}" for kind, s in self._rows()
        ]
        return "\n".join([*lines, f"structural Hamming distance: {self.shd} (edges), {self.mark_shd} (marks)"])

    def _rows(self) -> list[tuple[str, Scores]]:
        return [(kind, getattr(self, kind)) for kind in ("skeleton", "marks", "arrowheads", "tails", "circles")]


def compare(found: MixedGraph, truth: MixedGraph) -> Comparison:
    """Score a found graph against the true one, vertex by name.

    Parameters
    ----------
    found : MixedGraph
        A PAG, or any other graph.
    truth : MixedGraph
        One with the same vertices, in any order; as a rule the true PAG, not the DAG.

    Raises
    ------
    InvalidGraph
        The vertices differ, or something is not a graph.

    Examples
    --------
    >>> from dicola.graphs.pag import PAG
    >>> truth = PAG.from_text("A o-> C; B o-> C; C --> D")
    >>> found = PAG.from_text("C --> D; C o-o A; B o-> C")
    >>> print(compare(found, truth))
               precision    recall        F1    hits   found    true
    skeleton       1.000     1.000     1.000       3       3       3
    marks          0.833     0.833     0.833       5       6       6
    arrowheads     1.000     0.667     0.800       2       2       3
    tails          1.000     1.000     1.000       1       1       1
    circles        0.667     1.000     0.800       2       3       2
    structural Hamming distance: 1 (edges), 1 (marks)

    """
    for graph in (found, truth):
        if not isinstance(graph, MixedGraph):
            raise InvalidGraph(f"compare takes two graphs, not a {type(graph).__name__}. PAG.from_matrix(matrix, names) makes one.")
    _require_same_names(found.names, truth.names)
    order = [truth.index(name) for name in found.names]
    ours, theirs = found.marks, truth.marks[np.ix_(order, order)]
    common, differs = (ours != 0) & (theirs != 0), ours != theirs
    wrong_marks = int(np.count_nonzero(common & differs))
    wrong_edges = int(np.count_nonzero((ours != 0) != (theirs != 0))) // 2
    return Comparison(
        skeleton=skeleton_scores(found, truth),
        marks=Scores(int(np.count_nonzero(common & ~differs)), 2 * found.n_edges, 2 * truth.n_edges),
        arrowheads=_mark_scores(ours, theirs, ARROW),
        tails=_mark_scores(ours, theirs, TAIL),
        circles=_mark_scores(ours, theirs, CIRCLE),
        shd=int(np.count_nonzero(differs | differs.T)) // 2,
        mark_shd=wrong_edges + wrong_marks,
    )


def skeleton_scores(found: MixedGraph | Skeleton, truth: MixedGraph | Skeleton) -> Scores:
    """Score adjacencies alone; takes skeletons as well as graphs.

    Parameters
    ----------
    found : MixedGraph or Skeleton
        What was learned.
    truth : MixedGraph or Skeleton
        The skeleton of the true PAG, not of the DAG: hiding a variable can make others adjacent. It
        has the same vertices, in any order.

    Raises
    ------
    InvalidGraph
        The vertices differ, or something is neither a graph nor a skeleton.

    Examples
    --------
    >>> truth = MixedGraph.from_text("B o-> A; B o-> C")
    >>> skeleton_scores(MixedGraph.from_text("A o-o B", "ABC"), truth).recall
    0.5

    """
    for graph in (found, truth):
        if not isinstance(graph, MixedGraph | Skeleton):
            raise InvalidGraph(
                f"scores are of graphs or skeletons, not of a {type(graph).__name__}. PAG.from_matrix(matrix, names) makes one."
            )
    _require_same_names(found.names, truth.names)
    ours, theirs = _named_edges(found), _named_edges(truth)
    return Scores(len(ours & theirs), len(ours), len(theirs))


def _mark_scores(ours: NDArray[np.int8], theirs: NDArray[np.int8], mark: int) -> Scores:
    mine, true = ours == mark, theirs == mark
    return Scores(int(np.count_nonzero(mine & true)), int(np.count_nonzero(mine)), int(np.count_nonzero(true)))


def _named_edges(graph: MixedGraph | Skeleton) -> frozenset[frozenset[str]]:
    if isinstance(graph, Skeleton):
        return graph.named_edges()
    return frozenset(frozenset((graph.names[a], graph.names[b])) for a, b in graph.pairs())


def _require_same_names(found: tuple[str, ...], truth: tuple[str, ...]) -> None:
    only_found, only_true = sorted(set(found) - set(truth)), sorted(set(truth) - set(found))
    if only_found or only_true:
        sides = [(only_true, "the found graph lacks"), (only_found, "the true graph lacks")]
        lacks = "; ".join(f"{text} {listed(names)}" for names, text in sides if names)
        raise InvalidGraph(f"graphs are compared vertex by vertex, by name: {lacks}. Give both the same vertices.")
