"""PC: for the case in which nothing relevant is hidden."""

from __future__ import annotations

from dataclasses import dataclass

from dicola.ci.inquiry import Inquiry
from dicola.graphs.skeleton import Skeleton
from dicola.learners.adjacency import search_neighbours
from dicola.learners.base import Context, Found, Learner, OrientationSettings
from dicola.learners.collider_policies import collider_policy, where_separated
from dicola.orient.fixpoint import Orientation
from dicola.orient.meek import orient_dag_class


@dataclass(frozen=True)
class PC(Learner):
    """The adjacency search alone, then colliders and Meek's rules: for data without hidden causes.

    Gives the equivalence class of a DAG, if there is no hidden common cause: --> for arcs that all
    DAGs of the class share and o-o for the others. Under DiCoLa a leaf sees a marginal of the
    variables, which need not be a DAG; the adjacency search was nevertheless exact on every such
    leaf tried, without a proof.

    Parameters
    ----------
    max_condition_size : int, optional
        Largest set of neighbours to condition on.

    """

    name, title = "pc", "PC"
    reference = "Spirtes and Glymour (1991); Meek (1995); Colombo and Maathuis (2014)"
    guarantee = "sound and complete for DAGs without hidden variables; not a method for hidden variables"
    is_legalizable = allows_selection = False

    max_condition_size: int | None = None

    @property
    def is_local(self) -> bool:
        return True

    def search(self, ci: Inquiry, context: Context) -> Found:
        return Found(*search_neighbours(ci, context, self.max_condition_size))

    def orient(self, ci: Inquiry, skeleton: Skeleton, settings: OrientationSettings, alone: bool = False) -> tuple[Skeleton, Orientation]:
        """Colliders and Meek's rules instead of those for hidden variables."""
        policy = collider_policy(settings.colliders, ci, skeleton, self.max_condition_size, settings.seed)
        return skeleton, orient_dag_class(skeleton, where_separated(policy, skeleton, settings.claims), settings.claims)
