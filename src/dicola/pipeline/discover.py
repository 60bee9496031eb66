"""DiCoLa: divide the variables, learn each part, merge, orient (Li et al. 2026, Algorithm 3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Any, Literal, NamedTuple

import numpy as np

from dicola.allowed import checked
from dicola.blankets.base import BlanketLearner
from dicola.ci.base import CITest
from dicola.ci.inquiry import Evidence, Inquiry
from dicola.ci.workers import Kind
from dicola.claims import Claims
from dicola.decompose.both_sides import BothSides
from dicola.decompose.leaves import learn_leaves
from dicola.decompose.merge import merge_up
from dicola.decompose.tree import Leaf, Tree
from dicola.decompose.tree import decompose as decompose_variables
from dicola.discovery import Discovery
from dicola.errors import InvalidSetting, Sentence, counted
from dicola.graphs.marks import ARROW, TAIL
from dicola.graphs.pag import PAG
from dicola.graphs.skeleton import Skeleton
from dicola.knowledge import Knowledge
from dicola.learners.base import Context, Learner
from dicola.learners.collider_policies import Agreed, Compare
from dicola.orient.colliders import ColliderPolicy, by_separating_set
from dicola.orient.equivalence import skeleton_of_mag
from dicola.orient.fixpoint import Orientation, orient
from dicola.pipeline.plan import Plan, Steps
from dicola.pipeline.sureness import power_of
from dicola.score.legal import legalized
from dicola.score.search import Refined
from dicola.statements import Judge

_MANY_LEAVES = 20  # leaves per variable beyond which we warn

Progress = Callable[[str, int, int], None]
"""Told the phase, how much of it is done, and how much there is as far as known."""


@checked()
def discover(
    ci: Evidence,
    learner: str | Learner | None = None,
    mode: str = "exact",
    decompose: bool = True,
    stop: str | None = None,
    max_depth: int | None = None,
    min_leaf_size: int | None = None,
    max_nodes: int | None = None,
    n_jobs: int = 1,
    *,
    blankets: str | BlanketLearner = "auto",
    uig_alpha: float | None = None,
    uig: Literal["inherit", "relearn"] = "inherit",
    leaf_start: Literal["auto", "uig", "complete"] = "auto",
    colliders: str | None = None,
    selection: bool = False,
    max_path_length: int | None = None,
    seed: int = 0,
    legalize: bool = False,
    knowledge: Knowledge | None = None,
    contexts: str | Iterable[str] | None = None,
    targets: Mapping[str, Any] | None = None,
    workers: Kind | None = None,
    scheduler: str | None = None,
    progress: Progress | None = None,
) -> Discovery:
    """Learn the PAG over the variables of a conditional independence test.

    Exact for every complete learner and every ``stop`` if the test never errs (Theorem 4).

    Parameters
    ----------
    ci : CITest
        The test, such as ``FisherZ(table)``; or an ``Inquiry`` into one, with a score beside it.
    learner : str or Learner, optional
        The base learner that solves the leaves, by name or with settings; ``"fci"`` where none is chosen, on data in the
        mode exact with small sets, ``FCI(3, 2)``.
    mode : str
        ``"exact"`` is the paper's method, each cut confirmed by the data; ``"paper"`` has it as published. The others score graphs on
        the data behind the test (see ``dicola.pipeline.modes``); ``"auto"`` takes one that fits them, and the settings say why.
    decompose : bool
        ``False`` runs the base learner on all variables at once.
    stop : {"auto", "paper", "reference"}, optional
        When to stop splitting: where it no longer pays (the default), when nothing splits any more, or at the caps of the authors'
        released code.
    max_depth, min_leaf_size, max_nodes : int, optional
        Further limits on the decomposition: splits above a leaf, sizes left whole, nodes of the tree.
    n_jobs : int
        Leaves learned at a time; -1 for all cores. The answer does not depend on it.
    blankets : str or BlanketLearner
        How the independence graphs are learned.
    uig_alpha : float, optional
        The level of the blanket learner; by default its own.
    uig : {"inherit", "relearn"}
        Whether a child inherits the independence graph of its parent.
    leaf_start : {"auto", "uig", "complete"}
        A leaf that could be split further starts from its independence graph or from the complete graph; ``"auto"`` is
        ``"complete"`` for ``stop="reference"``, as released, and in the mode exact on data, else ``"uig"``.
    colliders : str, optional
        How unshielded triples are decided: by the recorded separating set (``"sepset"``), by whether the ends are more independent
        with or without the middle (``"compare"``), by asking about many sets (``"conservative"``, ``"majority"``, ``"max_p"``) or by
        the best DAG of an order search (``"order"``). By default (``"auto"``) ``"compare"`` where data are decomposed in the mode
        exact, else ``"sepset"``.
    selection : bool
        Allow for selection of the sample: that who is in the table depends on effects of its variables.
    max_path_length : int, optional
        Longest discriminating path that is followed, in vertices.
    seed : int
        Seed of the orders that scored modes start from.
    legalize : bool
        Replace a graph that no MAG has as its PAG by that of a MAG nearby; ``Discovery.legality`` tells in any case.
    knowledge : Knowledge, optional
        What comes first, what causes what, and more. It puts marks before any rule is asked, and where graphs are scored only
        those that obey are looked at; ``Discovery.statements`` tells what became of each claim.
    contexts : iterable of str, optional
        Variables that were set from outside, such as a drug or a batch: no other variable causes them, and nothing hidden causes
        them together with another. See ``Knowledge.of_contexts``.
    targets : dict, optional
        What a context acts on, where that is known: ``{"drug": ["pkc"]}``.
    workers : {"threads", "processes", "dask", "ray"}, optional
        What ``n_jobs`` counts; by default processes where a test is slow Python, else threads. With ``"dask"`` and ``"ray"`` the
        cluster says how many there are: that of the client at hand, or of ``scheduler``.
    scheduler : str, optional
        The address of a Dask scheduler, such as ``"tcp://127.0.0.1:8786"``, or of a Ray cluster, such as ``"ray://127.0.0.1:10001"``.
    progress : callable, optional
        Told the phase, how much of it is done and how much there is.

    Returns
    -------
    Discovery
        The PAG with everything that led to it.

    Raises
    ------
    InvalidSetting
        Where a setting is not allowed, or two do not go together.
    NeedsData
        Where graphs are to be scored and the test carries no data.

    Examples
    --------
    >>> from dicola import DAG, Oracle
    >>> dag = DAG.from_edges([("Hidden", "A"), ("Hidden", "B"), ("C", "B")])
    >>> print(discover(Oracle(dag, latents="Hidden")).pag)
    A o-> B
    C o-> B

    """
    settings = {name: value for name, value in locals().items() if name not in ("ci", "progress")}
    if not isinstance(ci, CITest | Inquiry):
        raise InvalidSetting(
            f"discover takes a conditional independence test, not a {type(ci).__name__}; wrap a table as FisherZ(table, alpha=0.01), "
            "or use DiCoLa(...).fit(table)."
        )
    return run(ci, Plan(**settings), progress)


class Learned(NamedTuple):
    """Where the steps lead: who asked, what was chosen and how long it took; the decomposition, the skeleton, its marks, and what the
    mode made of them.
    """

    ci: Inquiry
    steps: Steps
    clock: _Clock
    tree: Tree
    skeleton: Skeleton
    oriented: Orientation
    refined: Refined | None


def learn(evidence: Evidence, plan: Plan, progress: Progress | None = None) -> Learned:
    """Algorithm 3: split top-down, learn the leaves, merge bottom-up, orient; then what the mode adds."""
    is_slow = Inquiry.of(evidence).test.is_slow  # such a test is not asked the same twice, and by default in processes
    workers = plan.side_by_side("processes" if is_slow else "threads")
    ci = Inquiry(evidence, cache=is_slow, workers=workers)
    steps = plan.steps(ci)
    clock = _Clock()

    tree = divided(ci, steps, _about(progress, "decompose"))
    clock.lap("decompose")

    context = Context(
        steps.blankets,
        warm=steps.starts_from_uig,
        seed=plan.seed,
        tells_limits=steps.tells_limits,
        selection=plan.selection,
        claims=steps.claims,
    )
    leaves = learn_leaves(tree.leaves, steps.learner, ci, context, workers, _about(progress, "leaves"))
    clock.lap("leaves")

    again = BothSides(ci.during("leaves"), getattr(steps.learner, "max_condition_size", None)) if plan.selection else None
    skeleton = obeying(merge_up(tree, leaves, ci.labels, ci.names, again), steps.claims)
    clock.lap("merge")

    say = _about(progress, "orient") or (lambda done, total: None)
    say(0, 1)
    skeleton, oriented = steps.learner.orient(ci.during("orientation"), skeleton, steps.orientation, alone=not plan.decompose)
    say(1, 1)
    clock.lap("orientation")

    skeleton, oriented, refined = finished(ci, steps, skeleton, oriented, clock)
    return Learned(ci, steps, clock, tree, skeleton, oriented, refined)


def run(evidence: Evidence, plan: Plan, progress: Progress | None = None) -> Discovery:
    """What a plan finds, with everything that led to it."""
    ci, steps, clock, tree, skeleton, oriented, refined = learn(evidence, plan, progress)
    settings = steps.record(ci.test)
    return Discovery(
        pag=oriented.pag.reordered(ci.names),
        skeleton=skeleton,
        tree=tree,
        tests=ci.counts,
        settings=settings,
        warnings=(
            *ci.test.notes(),
            *((ci.untested.sentence(ci.counts["total"], settings["test"]),) if any(ci.untested) else ()),
            *(steps.blankets.warnings(ci) if plan.decompose else ()),
            *_tree_warnings(tree, len(ci)),
            *skeleton.warnings,
            *_orientation_warnings(oriented),
            *(_selection_warnings(oriented.pag) if plan.selection else ()),
            *(str(each) for each in Judge(oriented.pag, skeleton, oriented.conflicts).statements(settings) if each.status == "denied"),
        ),
        conflicts=oriented.conflicts,
        reasons=oriented.reasons,
        evaluations=ci.evaluations,
        score=None if refined is None else refined.score,
        runner_up=None if refined is None else refined.runner_up,
        untested=ci.untested,
        power=power_of(ci, steps, oriented.pag),
        seconds=clock.seconds(),
        test=ci.test.without_rows(),
    )


def _about(progress: Progress | None, phase: str) -> Callable[[int, int], None] | None:
    """Told how far a phase is, if anybody listens."""
    return None if progress is None else partial(progress, phase)


def divided(ci: Inquiry, steps: Steps, say: Callable[[int, int], None] | None = None) -> Tree:
    """The decomposition tree; without decomposition one leaf of all variables."""
    if not steps.plan.decompose:
        return Tree((Leaf(tuple(range(len(ci)))),))
    return decompose_variables(ci, steps.blankets, steps.rule, steps.plan.uig, say)


def finished(
    ci: Inquiry, steps: Steps, skeleton: Skeleton, oriented: Orientation, clock: _Clock
) -> tuple[Skeleton, Orientation, Refined | None]:
    """What comes after the rules: the mode's search for a better MAG, and a legal graph where one is asked for."""
    refined = None
    if steps.mode.last_step is not None:
        refined = steps.mode.last_step.refine(ci.during("orientation"), oriented, steps.plan.seed, steps.claims)
        if refined is not None:  # else the graph stands as it is
            skeleton = skeleton_of_mag(refined.mag, ci.names, skeleton.warnings)
            doubts = None if refined.doubted_by is None else Inquiry(refined.doubted_by).during("orientation")
            oriented = orient(skeleton, is_collider=_confirmed(skeleton, doubts), claims=steps.claims)
            if doubts is not None:
                ci.account.add(doubts.account)
        clock.lap("refinement")
    if steps.plan.legalize:
        skeleton, oriented = legalized(skeleton, oriented, steps.claims)
        clock.lap("legality")
    return skeleton, oriented, refined


def _confirmed(skeleton: Skeleton, doubts: Inquiry | None) -> ColliderPolicy | None:
    """Of the colliders and other triples by the sets, those that a test confirms; all else stays open. All where there is no doubt."""
    return None if doubts is None else Agreed(by_separating_set(skeleton.sets), Compare(doubts, skeleton.sets))


def obeying(skeleton: Skeleton, claims: Claims | None) -> Skeleton:
    """The skeleton with the edges that were said to be there, and without those said not to be; no set is made up for these.

    Only here, after the merge: of some variables alone a pair may be adjacent that is not so among all, so that no cut is touched.
    """
    if claims is None or not (claims.apart.any() or claims.joined.any()):
        return skeleton
    apart, joined = (frozenset((a, b) for a, b in np.argwhere(np.triu(said)).tolist()) for said in (claims.apart, claims.joined))
    return replace(skeleton, edges=(skeleton.edges | joined) - apart)


class _Clock:
    """Seconds by phase."""

    def __init__(self) -> None:
        self._laps: dict[str, float] = {}
        self._start = self._last = perf_counter()

    def lap(self, phase: str) -> None:
        now = perf_counter()
        self._laps[phase] = now - self._last
        self._last = now

    def seconds(self) -> dict[str, float]:
        return {**self._laps, "total": self._last - self._start}


def _tree_warnings(tree: Tree, n: int) -> list[str]:
    if tree.n_leaves <= _MANY_LEAVES * n:
        return []
    return [
        Sentence(
            "{n} variables were split into {leaves} overlapping leaves: the graph is dense, and splitting it costs more than it saves. "
            "Bound it with {stop=auto}, {max_depth} or {max_nodes}.",
            n=n,
            leaves=tree.n_leaves,
        )
    ]


def _selection_warnings(pag: PAG) -> list[str]:
    """How to read ``-->``: the edge looks the same as without selection and claims less; the others speak for themselves."""
    if not ((pag.marks == ARROW) & (pag.marks.T == TAIL)).any():
        return []
    return ["the sample may have been selected: A --> B says that A is a cause of B, or of selection, and B of neither."]


def _orientation_warnings(oriented: Orientation) -> list[str]:
    warnings = []
    if oriented.conflicts:
        warnings.append(
            f"the rules claimed both ways at {counted(len(oriented.conflicts), 'edge end')}; the first claim stands (see conflicts)."
        )
    if oriented.ambiguous:
        warnings.append(
            counted(
                len(oriented.ambiguous),
                "unshielded triple could be a collider or not; no rule used it.",
                "unshielded triples could be colliders or not; no rule used them.",
            )
        )
    if oriented.cut_short:
        warnings.append(
            Sentence(
                "discriminating paths were followed up to {max_path_length} vertices only; marks that rest on longer ones stay circles."
            )
        )
    return warnings
