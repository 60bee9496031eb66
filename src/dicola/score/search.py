"""Searches for the MAG with the best score: from orders, from a partly oriented graph, from both; and what is kept of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from dicola._kernels.mag_climb import FREE
from dicola._kernels.terms import BlockTerms
from dicola.blankets.auto import AutoBlankets
from dicola.blankets.total_conditioning import TotalConditioning
from dicola.checkpoint import Checkpoint
from dicola.ci.inquiry import Inquiry
from dicola.claims import Claims
from dicola.errors import NeedsData
from dicola.graphs.mag import MAG
from dicola.graphs.marks import ARROW, TAIL
from dicola.graphs.skeleton import Skeleton
from dicola.orient.equivalence import by_ancestors, mag_to_pag, member_mag, skeleton_of_mag
from dicola.orient.fixpoint import Orientation, orient
from dicola.score.ancestral import Marks, ancestral_marks, marks_of_dag
from dicola.score.base import OrderedDag, Score, to_precision
from dicola.score.bends import relations_bend
from dicola.score.gaussian_bic import GaussianBIC
from dicola.score.hidden_columns import LARGE, HiddenColumns, HiddenVariable, Supposed
from dicola.score.law import Law
from dicola.score.likelier import Moves, likelier
from dicola.score.mag_climb import Allowed, Climbed, Known, climb
from dicola.score.near_best import NearGraph, near_best
from dicola.score.order_search import best_of, kept_search
from dicola.score.registry import score_behind

_FEW = 150  # variables up to which candidates are all pairs that depend given the rest at 5 %; beyond, at 1/k^2
_DEPEND, _DEPEND_AGAIN = (
    0.05,
    0.0056,
)  # in drawn tables correlations vary twice as much around the truth: the same quantile, times the root of two
MANY_ROWS, _DECISIVE = (
    22_000,
    20.0,
)  # rows from which three moves are looked at, and what they must gain: for less they did more harm than good
_WEIGHED = 250  # variables up to which marks that are settled count
_HIDDEN = 3.0  # what a hidden variable costs beyond its edges
FEW_ORDERS, _STARTS = 150, 6  # variables up to which searches from random orders are made beside that from the decomposition; how many
_ALIKE, _ALIKE_OF_BLOCKS = (
    3,
    2,
)  # searches that end alike, and none better, after which no other one is made: two may end beside the best one
_NARROW, _ROWS_WITHOUT_PARTS = 4, 5_000  # columns of a block, and rows, up to which parts do not lead to better graphs of blocks
_STARTS_OF_BLOCKS = 3  # where variables are blocks of columns: more led to the same graphs, or to none better
_LARGEST, _LARGEST_OF_BLOCKS = (
    10,
    4,
)  # variables of a district; of blocks, in the last step, larger ones took two fifths of the time, for nothing

Scored = TypeVar("Scored", Climbed, OrderedDag)


@dataclass(frozen=True)
class MagSearch:
    """A score, the pairs between which edges may be added, and who books the work."""

    ci: Inquiry
    score: Score
    candidates: NDArray[np.bool_]
    threshold: float = 6.0
    max_district: int = _LARGEST
    third: float | None = None
    surcharge: float = 0.0
    known: Known | None = None
    law: Law | None = None
    kept: Checkpoint | None = None
    joinable: NDArray[np.bool_] | None = None  # the pairs that a search over orders may join; ``None``: all
    n_hidden: int = 0  # variables of the score that are supposed, the last ones
    weighs_marks: bool = True  # do marks that are settled count in the end?

    @classmethod
    def of(
        cls,
        ci: Inquiry,
        penalty: float = 2.0,
        threshold: float = 6.0,
        max_district: int | None = None,
        level: float = _DEPEND,
        claims: Claims | None = None,
    ) -> MagSearch:
        """The search on the data behind a test; candidates are the pairs that depend on each other given all the rest, or given what the
        rows of a wide table allow. All graphs obey what is claimed of the variables.
        """
        score, n = score_behind(ci, penalty), len(ci)
        largest = (_LARGEST_OF_BLOCKS if _has_blocks(score) else _LARGEST) if max_district is None else max_district
        is_wide = ci.n_samples is not None and ci.n_samples < ci.test.rows_to_condition_on(n - 2)
        blankets = AutoBlankets() if is_wide else TotalConditioning(level if n <= _FEW else 1 / n**2)
        candidates = blankets.learn(ci.during("blankets"))
        return cls(ci, score, candidates, threshold, largest, known=Known.room_for(n), law=Law.of(claims))

    def climb(self, start: Marks) -> Climbed:
        """The climb from an ancestral graph."""
        start = start if self.law is None or self.law.is_obeyed(start) else self.law.obeying(start)
        allowed = Allowed(self.candidates, self.law)
        found = climb(self.score, start, allowed, self.threshold, self.max_district, self.third, self.surcharge, self.known)
        self.ci.book_score("district fits", found.n_fits)
        return found

    def from_dag(self, found: OrderedDag) -> Climbed:
        """The climb from the DAG of an order search, which has all edges worth having."""
        return replace(self, candidates=np.zeros_like(self.candidates)).climb(marks_of_dag(found.parents))

    @property
    def n_starts(self) -> int:
        """How many random orders are worth a search."""
        return _STARTS_OF_BLOCKS if _has_blocks(self.score) else _STARTS

    def dag_of_orders(self, n_starts: int, seed: int, before: OrderedDag | None = None) -> OrderedDag:
        """The best DAG of some searches from random orders, of few where these end as one ``before`` did."""
        alike = _ALIKE_OF_BLOCKS if _has_blocks(self.score) else _ALIKE
        return self._booked(best_of(self.score, n_starts, seed, self._bars, self.kept, before, alike))

    def dag_near(self, marks: Marks) -> OrderedDag:
        """The best DAG near the order of a partly oriented graph."""
        return self.dag_from(order_of(marks, self.law))

    def dag_from(self, order: Sequence[int]) -> OrderedDag:
        """The best DAG near an order."""
        return self._booked(kept_search(self.score, order, self._bars, self.kept, "start-near"))

    @property
    def _bars(self) -> NDArray[np.bool_] | None:
        bars = None if self.law is None else self.law.parent_bars
        if self.joinable is None:
            return bars
        return ~self.joinable if bars is None else bars | ~self.joinable

    def near_to(self, marks: Marks) -> MagSearch:
        """The search in which orders join only candidates, and pairs that are neighbours or have one in common in a graph.

        Of several hundred variables so many pairs are far apart that some look worth an edge by chance; and time grows with the pairs.
        """
        adjacent = csr_array(marks != 0)
        reached = np.asarray((adjacent @ adjacent).todense(), dtype=np.bool_)
        return replace(self, joinable=self.candidates | (marks != 0) | (reached & ~np.eye(len(marks), dtype=np.bool_)))

    def _booked(self, found: OrderedDag) -> OrderedDag:
        self.ci.book_score("parent searches", found.work)
        return found

    def finished(self, found: Climbed) -> Climbed:
        """The last climbs.

        With many rows they are those three moves ahead, and from another graph of the class. With few a bidirected edge pays for the
        hidden variable it claims: turning -> into <-> is free otherwise, and noise decides. Before the last climb that would cut ways.
        Of linear Gaussian graphs that fit about as well one is taken that settles fewer marks.
        """
        if self.score.n_samples < MANY_ROWS:
            kept = np.zeros_like(self.candidates)  # to add edges was the work of the climbs before
            last = replace(self, candidates=kept, threshold=self.threshold + _HIDDEN, surcharge=_HIDDEN).climb(found.marks)
            # only the climb before has looked at edges to add
            gain = found.score - last.score + _HIDDEN * (_joined(found.marks) - _joined(last.marks))
            before = found.runner_up if abs(found.score - last.score) < FREE else 0.0
            moves = self.moves(last.marks)
            last = last._replace(runner_up=min(last.runner_up, gain + before))
            return likelier(last, moves) if moves.settled else last
        ahead = replace(self, third=_DECISIVE)
        found = ahead.climb(found.marks)
        return best([found, ahead.climb(member_mag(mag_to_pag(self._mag_of_all(found))).marks)])

    def moves(self, marks: Marks) -> Moves:
        """Changes of one edge of a graph, by what the end of a search goes by.

        Settled marks count where it was measured what comes of it, and not where that would take longer than all the rest.
        """
        known = Known.room_for(len(self.score)) if self.known is None else self.known
        is_measured = isinstance(self.score, GaussianBIC) and self.score.n_samples < MANY_ROWS and len(self.score) <= _WEIGHED
        weighs, candidates = self.weighs_marks and is_measured, self.candidates
        if weighs:  # an edge by chance between two variables that nothing else is joined to settles no mark, and would come cheaper
            joined = (marks != 0).any(axis=0)
            candidates = candidates & (joined | joined[:, None])
        found = Moves.around(self.score, marks, candidates, surcharge_on(self.score), self.law, known)
        return found if weighs else replace(found, settled=0.0)

    def supposed(self, dag: OrderedDag, known: Sequence[HiddenVariable] | None = None) -> Supposed | None:
        """The DAG with hidden variables beside the others, where these pay; near such as are ``known``, else whatever is found."""
        if not isinstance(self.score, GaussianBIC) or self.score.kernel_terms() is None:
            return None
        # what is claimed of two observed variables might be broken by way of a hidden one between them
        exogenous, caused = None if self.law is None else self.law.claims.exogenous, self.law is None
        stand_ins = known is None and len(self.score) <= LARGE and self._is_straight
        columns = HiddenColumns(self.score, _HIDDEN, self._bars, exogenous, caused, stand_ins=stand_ins)
        found = columns.beside(dag) if known is None else columns.again(dag, known)
        return found if found.n_hidden else None

    @property
    def _is_straight(self) -> bool:
        """Are relations straight, as far as rows can show it?"""
        try:
            return not relations_bend(self.ci.samples())
        except NeedsData:
            return True

    def beside(self, found: Supposed) -> MagSearch:
        """The search over graphs with hidden variables that are supposed: each is a variable like others, with edges to any."""
        n, score = len(self.score), found.score
        candidates = found.candidates_from(self.candidates)
        law = None if self.law is None else Law.of(self.law.claims.beside_hidden(score.names[n:]))
        return replace(
            self, score=score, candidates=candidates, known=Known.room_for(len(score)), law=law, joinable=None, n_hidden=len(score) - n
        )

    def refined_beside(self, found: Supposed | None) -> Refined | None:
        """The MAG that the climbs from a DAG with hidden variables end with; ``None`` where there are none, or it would break a claim."""
        if found is None:
            return None
        wider = self.beside(found)
        winner = wider.climbed(found)
        mag = wider.mag(winner)
        if self.law is not None and not self.law.is_obeyed_by_mag(mag):
            return None
        return Refined(mag, found.score_at(self.score.price), _finite(winner.runner_up), self.score.price, found.hidden)

    def eased(self, dag: OrderedDag) -> MagSearch:
        """The search with a lower price, where the edges of a DAG call for one; with many rows they never do."""
        if not isinstance(self.score, GaussianBIC) or self.score.n_samples >= MANY_ROWS:
            return self
        score = self.score.eased(dag.parents)
        return self if score is self.score else replace(self, score=score, known=Known.room_for(len(score)))

    def near(self, mag: MAG, within: float, most: int, hidden: Sequence[HiddenVariable] = ()) -> list[NearGraph]:
        """Classes that score nearly as well as a MAG, by what ``finished`` goes by; it may suppose hidden variables."""
        search, found = self.around(mag, hidden)
        found = found.reordered(search.score.names)
        return near_best(found, search.moves(found.marks), within, most, self.score.names)

    def around(self, mag: MAG, hidden: Sequence[HiddenVariable]) -> tuple[MagSearch, MAG]:
        """The search that ended with a MAG, and where it ended: with the hidden variables that it supposes."""
        dag = self.dag_near(mag.reordered(self.score.names).marks)
        last = self.eased(dag)
        found = last.supposed(dag if last is self else last.dag_from(dag.order.tolist()), hidden) if hidden else None
        if found is None:
            return last, mag
        wider = last.beside(found)
        return wider, MAG(wider.climbed(found).marks, wider.score.names)

    def climbed(self, found: Supposed) -> Climbed:
        """Where climbs over graphs with hidden variables end."""
        return self.finished(self.climb(self.from_dag(found.dag).marks))

    def obeying(self, found: Climbed) -> Climbed:
        """The graph, or where it breaks a claim by a bidirected edge, one near it without that edge."""
        search = self
        while search.law is not None and (broken := search.law.broken_by(found.marks)).any():
            search = replace(search, law=search.law.without_both(broken))
            found = search.climb(found.marks)
        return found

    def mag(self, found: Climbed) -> MAG:
        """The MAG of a climb over the observed variables: with an edge for each pair that no set separates."""
        every = self._mag_of_all(found)
        return every.marginal(self.score.names[: -self.n_hidden]) if self.n_hidden else every

    def _mag_of_all(self, found: Climbed) -> MAG:
        return MAG(found.marks, self.score.names).maximal()


def _has_blocks(score: Score) -> bool:
    """Are variables blocks of columns in the eyes of a score?"""
    return isinstance(score.kernel_terms(), BlockTerms)


def surcharge_on(score: Score) -> float:
    """What a bidirected edge costs in the last climb beyond the price of an edge: nothing with many rows."""
    return _HIDDEN if score.n_samples < MANY_ROWS else 0.0


def best(found: Iterable[Scored]) -> Scored:
    """The one with the best score, the first of equals."""
    return min(found, key=lambda each: to_precision(each.score))


def _joined(marks: Marks) -> int:
    """The number of bidirected edges."""
    return int(np.count_nonzero((marks == ARROW) & (marks.T == ARROW))) // 2


def order_of(marks: Marks, law: Law | None = None) -> list[int]:
    """The order of a partly oriented graph, made ancestral."""
    return linear_extension(ancestral_marks(marks, law))


def linear_extension(marks: Marks) -> list[int]:
    """Positions, every parent before its children; of those that may come next the first."""
    parents = (marks.T == TAIL) & (marks == ARROW)  # parents[u, v]: u -> v
    waiting, order = parents.sum(axis=0), list[int]()
    while len(order) < len(marks):
        v = int(np.flatnonzero(waiting == 0)[0])
        waiting -= parents[v]
        waiting[v] = -1
        order.append(v)
    return order


class Refined(NamedTuple):
    """A MAG with its score, and by how much the best graph of another class that was met is worse, where one was.

    ``price`` is what an edge cost in the end; the score is by the usual one, so that it can be compared. ``hidden`` has the
    hidden variables that were supposed.
    """

    mag: MAG
    score: float
    runner_up: float | None
    price: float | None = None
    hidden: tuple[HiddenVariable, ...] = ()


class Finished(NamedTuple):
    """The answer of a last step; scores, price and hidden variables, as in ``Refined``, where the graph was chosen by them alone."""

    skeleton: Skeleton
    oriented: Orientation
    score: float | None = None
    runner_up: float | None = None
    price: float | None = None
    hidden: tuple[HiddenVariable, ...] = ()


class BestMag:
    """A last step: the MAG with the best score that is found from what the decomposition found."""

    def check(self, ci: Inquiry) -> None:
        """Refuse evidence that no score goes with; ``NeedsData``."""
        score_behind(ci)

    def takes_all(self, ci: Inquiry) -> bool:
        """Is the best graph found as well without parts, and sooner? So it is with narrow blocks of columns and not too many rows.

        What tests found of the parts leads to graphs that random orders miss where blocks are wide: on MILDEW with 10,000 rows
        to skeletons better by .02.
        """
        if len(ci) > FEW_ORDERS:
            return False
        terms = score_behind(ci).kernel_terms()
        return isinstance(terms, BlockTerms) and terms.n_samples <= _ROWS_WITHOUT_PARTS and int(np.diff(terms.begins).max()) <= _NARROW

    def finish(
        self,
        ci: Inquiry,
        skeleton: Skeleton | None,
        found: Orientation | None,
        seed: int,
        claims: Claims | None = None,
        kept: Checkpoint | None = None,
    ) -> Finished:
        """The best MAG as an answer: its skeleton, the names in the user's order, and its PAG with what the claims add.

        ``skeleton`` and ``found`` are what came of the parts, ``None`` where there were none.
        """
        refined = self.refine(ci, found, seed, claims, kept)
        scored = skeleton_of_mag(refined.mag, ci.names, () if skeleton is None else skeleton.warnings)
        oriented = orient(scored, is_collider=by_ancestors(refined.mag), claims=claims)
        return Finished(scored, oriented, refined.score, refined.runner_up, refined.price, refined.hidden)

    def refine(
        self, ci: Inquiry, found: Orientation | None, seed: int, claims: Claims | None = None, kept: Checkpoint | None = None
    ) -> Refined:
        """From the oriented graph, or from none, to a MAG.

        It is where the climb from a DAG ends: the best of that near the order of the graph and, up to 150 variables, of random orders;
        with many rows from both. Beyond, orders join only what is near in the graph. Where hidden variables pay, the climb is one over
        graphs with them, and they are left out of what it ends with.
        Edges are added only once those of the DAG stand as they should: sooner they would be in the way. Every graph obeys the claims.
        """
        search = replace(MagSearch.of(ci, claims=claims), kept=kept)
        if found is None:
            return self._refined(search, [search.dag_of_orders(search.n_starts, seed)])
        marks = found.pag.marks
        few = len(marks) <= FEW_ORDERS
        search = search if few else search.near_to(marks)
        near = search.dag_near(marks)
        return self._refined(search, [near, search.dag_of_orders(search.n_starts, seed, near)] if few else [near])

    def again(self, ci: Inquiry, order: Sequence[int], hidden: Sequence[HiddenVariable] = ()) -> MAG:
        """The same on other rows of a table, where a graph over the variables is known already: here the order of it (``order_of``), and
        the hidden variables that it supposes.

        One search, near that order, takes the place of the decomposition and of random orders. Settled marks do not count: what is asked
        is how often the rows speak for a mark, and where they hardly do, drawn ones would leave it open twice as often.
        """
        search = replace(MagSearch.of(ci, level=_DEPEND_AGAIN), weighs_marks=False)
        return self._refined(search, [search.dag_from(order)], hidden).mag

    def _refined(self, search: MagSearch, dags: list[OrderedDag], hidden: Sequence[HiddenVariable] | None = None) -> Refined:
        """From DAGs to a graph: hidden variables are supposed where they pay, edges added, and the last climbs made, by the price that
        the best of the DAGs calls for.
        """
        dag, large = best(dags), len(search.score) > LARGE
        last = search.eased(dag)
        found = last.refined_beside(last.supposed(dag if large or last is search else last.dag_from(dag.order.tolist()), hidden))
        if found is not None and search.score.n_samples < MANY_ROWS and not large:
            return found
        starts = dags if search.score.n_samples >= MANY_ROWS else [dag]  # with few rows the better score is by chance
        start = best([search.from_dag(each) for each in starts])
        winner = last.obeying(last.finished(last.climb(start.marks)))
        score = winner.score if last is search else search.score.mag(MAG(winner.marks, search.score.names))
        # with many rows the score of a MAG is right in the end; of a large table hidden variables are looked for less
        if found is not None and (found.score if large else search.score.mag(found.mag)) < score:
            return found
        return Refined(search.mag(winner), score, _finite(winner.runner_up), last.score.price)


def _finite(number: float) -> float | None:
    return number if np.isfinite(number) else None
