"""Graphs that the score can hardly tell from the best, and what they have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dicola.ci.inquiry import Inquiry
from dicola.confidence import way_of, ways_in_columns
from dicola.edge_table import SCORE_COLUMNS
from dicola.errors import NeedsData, counted, not_allowed
from dicola.graphs.mag import MAG
from dicola.graphs.marks import ARROW, CIRCLE, NONE, Mark
from dicola.graphs.pag import PAG
from dicola.orient.equivalence import MagSets
from dicola.score.base import Score
from dicola.score.law import Law
from dicola.score.mag_climb import Known, weighed_moves
from dicola.score.registry import score_behind
from dicola.score.search import MagSearch, surcharge_on
from dicola.statements import claims_in

if TYPE_CHECKING:
    from dicola.discovery import Discovery


_LARGEST_DISTRICT = 10


class Alternative(NamedTuple):
    """A graph, its probability among those met, and by how much it scores worse than the best of them."""

    pag: PAG
    probability: float
    worse: float


@dataclass(frozen=True)
class NearBest:
    """Graphs near the best by score, each with a weight.

    A graph that scores d worse than the best has exp(-d / 2) times its weight, as posterior
    probabilities go by the BIC; the weights of all graphs that were met add up to 1. So this tells
    what the score leaves open near the answer, not what lies far from it.

    Attributes
    ----------
    graphs : tuple of Alternative
        The best first, each with ``pag``, ``probability`` and ``worse``.

    """

    graphs: tuple[Alternative, ...]

    def __str__(self) -> str:
        some = [f"{each.probability:4.0%}  {each.worse:5.1f} worse  {counted(each.pag.n_edges, 'edge')}" for each in self.top(10)]
        rest = [f"and {len(self.graphs) - 10} more"] if len(self.graphs) > 10 else []
        return "\n".join([*some, *rest])

    def top(self, k: int) -> tuple[Alternative, ...]:
        """The k best graphs that mean different things.

        Parameters
        ----------
        k : int
            How many, at most.

        """
        return self.graphs[:k]

    def undecided_as_circles(self, pag: PAG, least: float = 0.9) -> PAG:
        """A graph with a circle in place of each mark on which the graphs near the best disagree.

        Parameters
        ----------
        pag : PAG
            Usually the answer itself. What comes of it need not be the PAG of any class.
        least : float
            The weight, among graphs in which the pair is adjacent, that a mark needs to stay.

        """
        marks, weight = pag.to_matrix(), np.zeros((2, len(pag), len(pag)))
        for each in self.graphs:
            other = each.pag.reordered(pag.names).marks
            weight += each.probability * np.array([other != 0, other == pag.marks])
        marks[(marks != 0) & (weight[1] < least * weight[0])] = CIRCLE
        return PAG(marks, pag.names)

    def to_pandas(self) -> pd.DataFrame:
        """One row per pair that is adjacent in some of the graphs, with the weight of those where it is.

        Returns
        -------
        pandas.DataFrame
            The columns of ``Bootstrap.to_pandas``: ``u``, ``v``, ``adjacent``, one per type of edge,
            and one per end and mark.

        """
        names = self.graphs[0].pag.names
        ways: dict[tuple[int, int], list[float]] = {}
        for pag, weight, _ in self.graphs:
            for a, b in pag.pairs():
                ways.setdefault((a, b), [0.0] * 9)[way_of(pag.marks, a, b)] += weight
        found = sorted(ways.items())
        return ways_in_columns([(names[a], names[b]) for (a, b), _ in found], np.array([each for _, each in found]).reshape(-1, 9))


def score_differences(found: Discovery) -> pd.DataFrame | None:
    """By how much the graph of a result would score worse with one of its edges changed; ``None`` where none was scored.

    One row per edge of the graph, in its order: ``score_without`` if the edge were not there, ``score_u`` and ``score_v`` if the mark
    at that end were another one: the best such edge in the best MAG, all others as they are. Not a number at a circle, where graphs of
    the class differ already, and where no such edge keeps the graph ancestral.
    """
    sets = found.skeleton.sets
    if found.score is None or found.test is None or not isinstance(sets, MagSets):
        return None
    score, marks, law = _scored(found, Inquiry(found.test), sets.mag)
    n = len(found.pag)
    ends = np.argwhere(np.triu(marks[:n, :n] != NONE)).astype(np.int64)
    worth = weighed_moves(score, marks, ends, _LARGEST_DISTRICT, surcharge_on(score), Known.room_for(len(score)), law)
    place = {(score.names[a], score.names[b]): row for (a, b), row in zip(ends.tolist(), worth, strict=True)}
    rows, nothing = [], np.full(4, np.nan)  # an edge that hidden variables alone stand for has no difference of its own
    for edge in found.pag.edges():
        is_turned = (edge.u, edge.v) not in place
        by_kind = place.get((edge.v, edge.u) if is_turned else (edge.u, edge.v), nothing)
        at_u, at_v = (_FORTH, _BACK) if is_turned else (_BACK, _FORTH)
        rows.append((by_kind[0], _otherwise(by_kind, edge.mark_u, at_u), _otherwise(by_kind, edge.mark_v, at_v)))
    told = np.array(rows, dtype=np.float64).reshape(-1, 3)
    return pd.DataFrame(np.where(np.isfinite(told), told, np.nan), columns=list(SCORE_COLUMNS))


def _scored(found: Discovery, asked: Inquiry, mag: MAG) -> tuple[Score, NDArray[np.int8], Law | None]:
    """The score of a result, the marks of its MAG in the order of that, and what is claimed; with the hidden variables that it supposes."""
    claims = claims_in(found.settings, asked.labels)
    if not found.hidden:
        score = score_behind(asked)
        return score, mag.reordered(score.names).marks, Law.of(claims)
    search, every = MagSearch.of(asked, claims=claims).around(mag, found.hidden)
    return search.score, every.reordered(search.score.names).marks, search.law


_FORTH, _BACK = 1, 2  # bits of a kind of edge: an arrowhead at its second vertex, at its first


def _otherwise(by_kind: NDArray[np.float64], mark: Mark, bit: int) -> float:
    """The least that an edge with another mark at one end costs."""
    if mark == CIRCLE:
        return float("nan")
    return float(min(by_kind[kind] for kind in (1, 2, 3) if bool(kind & bit) != (mark == ARROW)))


def near_best(found: Discovery, within: float, most: int) -> NearBest:
    """The graphs near the one of a result, where that was found by its score."""
    sets = found.skeleton.sets
    if found.score is None or found.test is None or not isinstance(sets, MagSets):
        raise NeedsData(
            "graphs near the best are looked for with the score and the correlations of a run in mode 'balanced', in memory: this result "
            "was not found by a score, or was read back from files. Run it with mode='balanced' first."
        )
    if not within > 0:
        raise not_allowed("within", within, "it must be a positive number.")
    if isinstance(most, bool) or not isinstance(most, int) or most < 1:
        raise not_allowed("most", most, "it must be a whole number, 1 at least.")
    search = MagSearch.of(Inquiry(found.test), claims=claims_in(found.settings, found.test.labels))
    near = search.near(sets.mag, within, most, found.hidden)
    weights = np.exp([-each.worse / 2 for each in near])
    weights /= weights.sum()
    return NearBest(
        tuple(
            Alternative(each.pag.reordered(found.pag.names), float(weight), each.worse) for each, weight in zip(near, weights, strict=True)
        )
    )
