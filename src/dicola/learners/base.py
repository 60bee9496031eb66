"""What a base learner is: settings, a guarantee, and one method."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import ClassVar, NamedTuple

from dicola.allowed import ALLOWED, LIMIT, check, check_fields
from dicola.blankets.base import BlanketLearner
from dicola.blankets.total_conditioning import TotalConditioning
from dicola.ci.inquiry import Evidence, Inquiry
from dicola.ci.questions import Adjacency
from dicola.claims import Claims
from dicola.errors import InvalidSetting
from dicola.graphs.skeleton import Pair, SeparatingSets, Skeleton, Variables
from dicola.graphs.undirected import UndirectedGraph
from dicola.learners.collider_policies import checked_policy, collider_policy, where_separated
from dicola.orient.fixpoint import Orientation, orient


class Context(NamedTuple):
    """What the decomposition knows of a leaf and a learner may use.

    Parameters
    ----------
    blankets : BlanketLearner
        How to learn blankets where no graph is known.
    uig : UndirectedGraph, optional
        The independence graph over the variables.
    warm : bool
        Start the search from ``uig`` instead of the complete graph, each pair outside it separated
        by the smaller of its two blankets.
    start : UndirectedGraph, optional
        Start from this graph instead; nothing is known of the pairs outside it, and nobody asks.
    seed : int
        That of what is drawn at random.
    tells_limits : bool
        Warn where a search met a limit; not worth telling where nobody but us has set it.
    selection : bool
        May the sample have been selected, so that two variables may be tied by an undirected edge?
    claims : Claims, optional
        What is known beforehand of all variables.

    """

    blankets: BlanketLearner = TotalConditioning()
    uig: UndirectedGraph | None = None
    warm: bool = False
    start: UndirectedGraph | None = None
    seed: int = 0
    tells_limits: bool = True
    selection: bool = False
    claims: Claims | None = None

    def claims_on(self, ci: Inquiry) -> Claims | None:
        """What is known beforehand of the variables at hand, the others being hidden."""
        return None if self.claims is None else self.claims.in_part(ci.labels)

    def useless_on(self, ci: Inquiry) -> Adjacency | None:
        """``[v, x]``: v is known not to cause x, so that it helps to separate x from another only if it causes that one.

        With selection of the sample causes of selection help as well, and nothing is known to be useless.
        """
        claims = self.claims_on(ci)
        return claims.barred if claims is not None and claims.barred.any() and not claims.selection else None

    def blanket_graph(self, ci: Inquiry) -> UndirectedGraph:
        """Who is in whose Markov blanket: as the decomposition knows it, else learned here."""
        return UndirectedGraph.from_matrix(self.blankets.learn(ci.during("blankets"))) if self.uig is None else self.uig


class Found(NamedTuple):
    """What a learner found: adjacencies, a separating set for every other pair, what to tell the user.

    All in the positions of the variables at hand.
    """

    adjacency: Adjacency
    sets: SeparatingSets
    warnings: Sequence[str] = ()


@dataclass(frozen=True)
class OrientationSettings:
    """How the skeleton is to be oriented.

    Parameters
    ----------
    colliders : str
        The policy by which unshielded triples are decided, as in ``discover``.
    selection : bool
        Allow for selection of the sample.
    max_path_length : int, optional
        Longest discriminating path that is followed, in vertices.
    seed : int
        That of what is drawn at random.
    claims : Claims, optional
        What is known beforehand.

    """

    colliders: str = "sepset"
    selection: bool = False
    max_path_length: int | None = None
    seed: int = 0
    claims: Claims | None = None

    def __post_init__(self) -> None:
        check_fields(self)
        checked_policy(self.colliders)


class Learner(ABC):
    """A learner of skeletons. A frozen dataclass of its settings; ``None`` means no limit.

    ``complete`` says whether it finds the true skeleton of every MAG from perfect answers when no limit is set, ``needs_data``
    whether it scores graphs on the data behind the test, so that no oracle will do.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    reference: ClassVar[str]
    guarantee: ClassVar[str]
    complete: ClassVar[bool] = False
    allows_selection: ClassVar[bool] = True
    needs_data: ClassVar[bool] = False
    takes_knowledge: ClassVar[bool] = True
    is_legalizable: ClassVar[bool] = True  # is what it gives the PAG of a MAG, up to errors of the test?
    auto_stop: ClassVar[str] = "auto"  # what stop="auto" means for it

    def __post_init__(self) -> None:
        if not is_dataclass(self):
            return
        if type(self).__module__.startswith("dicola."):
            check_fields(self)
        for each in fields(self):  # of a learner of the user's own these names alone have a meaning here
            if each.name.startswith("max_"):
                checked_limit(each.name, getattr(self, each.name))

    @property
    def is_local(self) -> bool:
        """Does what it finds in one part of a graph without edges to the others not depend on these? Then leaves can share a run."""
        return False

    @property
    def work_size(self) -> int:
        """Sets of at most this size make up most of its work; more than three are left out, since most edges fall before them."""
        limit = getattr(self, "max_condition_size", None)
        return 3 if limit is None else min(3, limit)

    def search(self, ci: Inquiry, context: Context) -> Found:
        """The search itself, over all variables of an inquiry; what a learner defines.

        One that needs more than this may define ``learn_skeleton`` in its place.

        Parameters
        ----------
        ci : Inquiry
            What is asked.
        context : Context
            What the decomposition knows of its variables.

        Returns
        -------
        Found
            In positions of ``ci``.

        """
        raise InvalidSetting(f"{type(self).__name__} needs a method search(ci, context), which gives a dicola.learners.base.Found.")

    def learn_skeleton(self, ci: Evidence, variables: Sequence[int] | None = None, context: Context | None = None) -> Skeleton:
        """The skeleton over some variables, with a separating set for every other pair.

        Parameters
        ----------
        ci : CITest or Inquiry
            What is asked; an inquiry also counts.
        variables : sequence of int, optional
            Positions in ``ci.labels``, in any order; all of them by default.
        context : Context, optional
            What the decomposition knows of these variables; nothing by default.

        Returns
        -------
        Skeleton
            In positions of ``ci``, whatever the choice of variables.

        """
        local, chosen = local_test(ci, variables)
        return skeleton_of(ci, chosen, *self.search(local, context or Context()))

    def orient(self, ci: Inquiry, skeleton: Skeleton, settings: OrientationSettings, alone: bool = False) -> tuple[Skeleton, Orientation]:
        """Orient the skeleton over all variables.

        The complete rules from the recorded separating sets, the same for all learners but those
        with a step of their own.

        Parameters
        ----------
        ci : Inquiry
            Asked where the collider policy, or a step of the learner's own, needs further tests.
        skeleton : Skeleton
            As ``learn_skeleton`` found it, or as merged from the leaves.
        settings : OrientationSettings
            Collider policy, selection of the sample, limits and knowledge.
        alone : bool
            Did this learner find the skeleton by itself, without decomposition?

        Returns
        -------
        skeleton : Skeleton
            The given one, but for learners that remove further edges on the way.
        orientation : Orientation
            The PAG with the reason for every mark.

        """
        policy = collider_policy(settings.colliders, ci, skeleton, getattr(self, "max_condition_size", None), settings.seed)
        decide = where_separated(policy, skeleton, settings.claims)
        return skeleton, orient(
            skeleton,
            selection=settings.selection,
            max_path_length=settings.max_path_length,
            is_collider=decide,
            claims=settings.claims,
        )


def local_test(ci: Evidence, variables: Sequence[int] | None) -> tuple[Inquiry, Variables]:
    """The test restricted to the variables, and their positions in the whole; inside a learner they are 0, 1, ….

    Positions are sorted, so that the fixed order of the names rules the leaf as well.
    """
    inquiry = Inquiry.of(ci)
    if variables is None:
        return inquiry, tuple(range(len(ci)))
    chosen = tuple(sorted(variables))
    return inquiry.among(chosen), chosen


def skeleton_of(ci: Evidence, variables: Variables, adjacency: Adjacency, sets: SeparatingSets, warnings: Sequence[str] = ()) -> Skeleton:
    """The learner's local answer in the positions of the whole test ``ci``."""
    pairs = edges_of(adjacency)
    if len(variables) == len(ci):  # then their positions are those of the whole
        return Skeleton(ci.labels, variables, frozenset(pairs), sets, ci.names, tuple(warnings))
    edges = frozenset([(variables[i], variables[j]) for i, j in pairs])
    names = tuple([ci.labels[v] for v in variables])
    return Skeleton(ci.labels, variables, edges, sets.relabelled(variables), names, tuple(warnings))


def edges_of(adjacency: Adjacency) -> list[Pair]:
    """The edges of a symmetric matrix, each with its smaller end first, sorted."""
    ones, others = adjacency.nonzero()
    is_first = ones < others
    return list(zip(ones[is_first].tolist(), others[is_first].tolist(), strict=True))


def checked_limit(name: str, value: int | None) -> None:
    """A limit is a whole number from 0 on, or ``None``."""
    check(name, value, ALLOWED.get(name, LIMIT))
