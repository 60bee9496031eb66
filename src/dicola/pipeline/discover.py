"""DiCoLa: divide the variables, learn each part, merge, orient (Li et al. 2026, Algorithm 3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import closing, nullcontext
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Any, Literal

import numpy as np

from dicola.allowed import checked
from dicola.blankets.base import BlanketLearner
from dicola.checkpoint import Checkpoint
from dicola.ci.base import CITest
from dicola.ci.engines import held_if_small
from dicola.ci.inquiry import Evidence, Inquiry
from dicola.ci.workers import Kind
from dicola.decompose.blocks import asked_again
from dicola.decompose.both_sides import BothSides
from dicola.decompose.leaves import learn_leaves
from dicola.decompose.merge import merge_up
from dicola.decompose.tree import GrowTree, Leaf, Tree, grown
from dicola.discovery import Discovery
from dicola.errors import BudgetExceeded, Interrupted, InvalidSetting, Sentence, counted
from dicola.graphs.marks import ARROW, TAIL
from dicola.graphs.pag import PAG
from dicola.knowledge import Knowledge
from dicola.learners.base import Context, Learner
from dicola.orient.fixpoint import Orientation
from dicola.orient.partial import NEAR_TIE, Reason
from dicola.pipeline.forecast import Forecast, forecast_of, say_if_long
from dicola.pipeline.obeying import obeying
from dicola.pipeline.plan import Plan
from dicola.pipeline.repeated import compiled_if_repeated
from dicola.pipeline.so_far import SoFar, watching
from dicola.pipeline.sureness import power_of
from dicola.score.legal import held_to, legalized
from dicola.score.search import Finished
from dicola.statements import Judge
from dicola.watch import Stopped

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
    undecided: Literal["keep", "circle"] = "keep",
    knowledge: Knowledge | None = None,
    contexts: str | Iterable[str] | None = None,
    targets: Mapping[str, Any] | None = None,
    workers: Kind | None = None,
    scheduler: str | None = None,
    max_seconds: float | None = None,
    max_tests: int | None = None,
    max_memory: float | None = None,
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
    undecided : {"keep", "circle"}
        Where graphs are scored, the marks on which graphs that score nearly as well disagree: those of the best graph, or circles.
        See ``NearBest.undecided_as_circles``; what comes of it need not be the PAG of any class.
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
    max_seconds, max_tests, max_memory : float, int, float, optional
        A budget: seconds, tests, and megabytes by which the process may grow. Where one is reached, the answer is a part:
        ``Discovery.complete`` is false, and ``Discovery.undecided`` has the pairs that are not decided yet.
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
    Interrupted
        On Ctrl-C, with the part of the answer that was found; a second Ctrl-C ends at once.

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


def learn(evidence: Evidence, plan: Plan, progress: Progress | None = None) -> SoFar:
    """Algorithm 3: split top-down, learn the leaves, merge bottom-up, orient; then what the mode adds."""
    found = begun(evidence, plan)
    follow(found, progress)
    return found


def begun(evidence: Evidence, plan: Plan) -> SoFar:
    """Who asks, and every choice made: what a run begins with."""
    test = evidence.test if isinstance(evidence, Inquiry) else evidence
    is_slow = test.is_slow  # such a test is not asked the same twice, and by default in processes
    workers = plan.side_by_side("processes" if is_slow else "threads")
    ci = Inquiry(evidence, cache=is_slow, workers=workers)
    ci.account.limit = plan.max_tests
    return SoFar(ci, plan.steps(ci))


def follow(found: SoFar, progress: Progress | None = None) -> None:
    """The steps of a run, one after the other; what each finds is kept, whether or not the next one is finished."""
    ci, steps, clock, plan = found.ci, found.steps, found.clock, found.steps.plan
    found.tree = tree = divided(found, _about(progress, "decompose"))
    say_if_long(found)
    clock.lap("decompose")
    tell = _about(progress, "orient") or (lambda done, total: None)
    if steps.searches_whole:
        tell(0, 1)
        finish(found)
        tell(1, 1)
        return

    found.phase = "leaves"
    context = Context(
        steps.blankets,
        warm=steps.starts_from_uig,
        seed=plan.seed,
        tells_limits=steps.tells_limits,
        selection=plan.selection,
        claims=steps.claims,
    )
    found.leaves = leaves = learn_leaves(tree.leaves, steps.learner, ci, context, ci.workers, _about(progress, "leaves"), found.kept)
    learned = [leaf for leaf in leaves if leaf is not None]
    if len(learned) < len(leaves):
        raise Stopped
    clock.lap("leaves")

    again = BothSides(ci.during("leaves"), getattr(steps.learner, "max_condition_size", None)) if plan.selection else None
    merged = merge_up(tree, learned, ci.labels, ci.names, again)
    if steps.rule.confirm is not None:  # of data: perfect answers stand
        merged = asked_again(ci.during("leaves"), merged, getattr(steps.learner, "max_condition_size", None))
    found.skeleton = skeleton = obeying(merged, steps.claims)
    clock.lap("merge")

    found.phase = "orientation"
    tell(0, 1)
    found.skeleton, found.oriented = steps.learner.orient(ci.during("orientation"), skeleton, steps.orientation, alone=not steps.divides)
    tell(1, 1)
    clock.lap("orientation")
    finish(found)


def run(evidence: Evidence, plan: Plan, progress: Progress | None = None, kept: Checkpoint | None = None) -> Discovery:
    """What a plan finds, with everything that led to it; a part of it where a budget was reached or the run was interrupted.

    Whatever is finished on the way is ``kept``, and read from there.

    Raises
    ------
    Interrupted
        With the partial answer, after Ctrl-C.

    """
    with compiled_if_repeated(evidence, plan.mode, plan.max_seconds), watching(plan) as watch:
        found = begun(evidence, plan)
        found.kept = kept
        is_own = found.ci.n_samples is not None and not found.ci.test.is_slow
        with closing(found.ci), held_if_small(found.ci.n_samples, len(found.ci)) if is_own else nullcontext():
            try:
                follow(found, progress)
            except Stopped:
                found.stopped(watch)
            discovery = _discovery(found)
    if found.note is not None and watch.reason == "interrupted":
        raise Interrupted(discovery)
    return discovery


def _discovery(found: SoFar) -> Discovery:
    """What was found, as a user gets it."""
    ci, steps, tree, skeleton, oriented, answer = found.ci, found.steps, found.tree, found.skeleton, found.oriented, found.answer
    assert tree is not None
    assert skeleton is not None
    assert oriented is not None
    settings = steps.record(ci.test)
    labels = skeleton.labels
    discovery = Discovery(
        pag=oriented.pag.reordered(ci.names),
        skeleton=skeleton,
        tree=tree,
        tests=ci.counts,
        settings=settings,
        warnings=(
            *(() if found.note is None else (found.note,)),
            *ci.workers.notes,
            *ci.test.notes(),
            *((ci.untested.sentence(ci.counts["total"], settings["test"]),) if any(ci.untested) else ()),
            *(steps.blankets.warnings(ci) if steps.divides else ()),
            *_tree_warnings(tree, len(ci)),
            *skeleton.warnings,
            *_orientation_warnings(oriented),
            *(_selection_warnings(oriented.pag) if steps.plan.selection else ()),
            *(str(each) for each in Judge(oriented.pag, skeleton, oriented.conflicts).statements(settings) if each.status == "denied"),
        ),
        conflicts=oriented.conflicts,
        reasons=oriented.reasons,
        evaluations=ci.evaluations,
        score=None if answer is None else answer.score,
        runner_up=None if answer is None else answer.runner_up,
        hidden=() if answer is None else answer.hidden,
        untested=ci.untested,
        power=power_of(ci, steps, oriented.pag, None if answer is None else answer.price) if found.note is None else None,
        seconds=found.clock.seconds(),
        test=ci.test.without_rows(),
        complete=found.note is None,
        undecided=tuple((labels[a], labels[b]) for a, b in sorted(found.undecided)),
    )
    return with_circles(discovery) if steps.plan.undecided == "circle" and discovery.complete else discovery


def with_circles(found: Discovery) -> Discovery:
    """The result with a circle in place of each mark on which graphs that score nearly as well disagree."""
    if found.score is None:  # of two graphs the one that tests found was taken
        return replace(found, warnings=(*found.warnings, Sentence("tests found this graph, so {undecided=circle} changed nothing.")))
    start = perf_counter()
    pag = found.near_best().undecided_as_circles(found.pag)
    place = [found.skeleton.labels.index(name) for name in pag.names]
    ends = [(place[a], place[b]) for a, b in np.argwhere(pag.marks != found.pag.marks).tolist()]
    seconds = perf_counter() - start
    said = counted(
        len(ends),
        "mark is a circle because graphs that score nearly as well have another one there.",
        "marks are circles because graphs that score nearly as well have others there.",
    )
    return replace(
        found,
        pag=pag,
        reasons=found.reasons | {end: Reason(NEAR_TIE, end) for end in ends},
        warnings=(*found.warnings, *((said,) if ends else ())),
        seconds=found.seconds | {"near best": seconds, "total": found.seconds["total"] + seconds},
    )


def forecast(evidence: Evidence, plan: Plan) -> Forecast:
    """What a run will take: the decomposition is made, and nothing else."""
    with watching(plan):
        found = begun(evidence, plan)
        with closing(found.ci):
            try:
                found.tree = divided(found)
            except Stopped:
                raise BudgetExceeded("the budget was spent before the decomposition was known; give a larger one.") from None
        return forecast_of(found)


def _about(progress: Progress | None, phase: str) -> Callable[[int, int], None] | None:
    """Told how far a phase is, if anybody listens."""
    return None if progress is None else partial(progress, phase)


def divided(found: SoFar, say: Callable[[int, int], None] | None = None) -> Tree:
    """The decomposition tree; without decomposition one leaf of all variables."""
    steps = found.steps
    if not steps.divides:
        return Tree((Leaf(tuple(range(len(found.ci)))),))
    question = GrowTree(steps.blankets, steps.rule, steps.plan.uig, say)
    try:
        return grown(found.ci, question)
    except Stopped:
        found.plant(question.root)
        raise


def finish(found: SoFar) -> None:
    """What comes after the rules, or in place of parts: the mode's search for a better MAG; a legal graph where one is asked for."""
    ci, steps, skeleton, oriented = found.ci, found.steps, found.skeleton, found.oriented
    found.phase = "orientation"
    if steps.mode.last_step is not None:
        answer = steps.mode.last_step.finish(ci.during("orientation"), skeleton, oriented, steps.plan.seed, steps.claims, found.kept)
        found.clock.lap("refinement")
    else:
        assert skeleton is not None
        assert oriented is not None
        answer = Finished(skeleton, oriented)
    if answer.score is None and steps.claims is not None and steps.learner.is_legalizable and not steps.plan.selection:
        skeleton, oriented = held_to(steps.claims, answer.skeleton, answer.oriented, by_tests=not steps.learner.needs_data)
        answer = answer._replace(skeleton=skeleton, oriented=oriented)
    if steps.plan.legalize:
        skeleton, oriented = legalized(answer.skeleton, answer.oriented, steps.claims)
        answer = answer._replace(skeleton=skeleton, oriented=oriented)
        found.clock.lap("legality")
    found.skeleton, found.oriented, found.answer = answer.skeleton, answer.oriented, answer


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
