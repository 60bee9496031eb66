"""What GFCI and BOSS-FCI share: from the DAG with the best score to the skeleton of a MAG."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from dicola.ci.inquiry import Inquiry
from dicola.ci.questions import Adjacency
from dicola.learners.adjacency import limit_warning, separate_in_triangles, start_from_dag
from dicola.learners.base import Context, Found, Learner
from dicola.score.law import Law


@dataclass(frozen=True)
class Hybrid(Learner):
    """Score first, then test: edges of a DAG that hidden variables may have brought in are tested.

    Parameters
    ----------
    max_condition_size : int, optional
        Largest set that such a test conditions on.
    penalty : float
        The price of an edge in the score; 2 is the usual one.

    """

    allows_selection = False
    needs_data = True

    max_condition_size: int | None = None
    penalty: float = 2.0

    @abstractmethod
    def dag(self, ci: Inquiry, seed: int, law: Law | None) -> tuple[Adjacency, Sequence[int]]:
        """The DAG that the score prefers on the data behind the test, and an order for it.

        Parameters
        ----------
        ci : Inquiry
            The test whose data are scored; evaluations of the score are booked in it.
        seed : int
            Of what is drawn at random.
        law : Law, optional
            What it must obey.

        Returns
        -------
        parents : matrix of bool
            ``parents[v, u]`` says u → v.
        order : sequence of int
            Every parent comes before its children.

        """

    def search(self, ci: Inquiry, context: Context) -> Found:
        adjacency, sets = start_from_dag(*self.dag(ci, context.seed, Law.of(context.claims_on(ci))))
        finished = separate_in_triangles(ci, adjacency, sets, self.max_condition_size)
        return Found(adjacency, sets, limit_warning(finished, self.max_condition_size))
