"""DiCoLa: divide the variables, learn each part, merge, orient (Li et al. 2026, Algorithm 3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, fields, is_dataclass
from functools import partial
from time import perf_counter
from typing import Any, Literal

from joblib import Parallel, delayed

from dicola.blankets.base import BlanketLearner
from dicola.blankets.names import blanket_learner
from dicola.ci.base import CITest
from dicola.ci.ledger import Ledger
from dicola.decompose.merge import merge_up
from dicola.decompose.tree import Leaf, Tree, stop_rule
from dicola.decompose.tree import decompose as decompose_variables
from dicola.discovery import Discovery
from dicola.errors import InvalidSetting
from dicola.graphs.pag import PAG
from dicola.graphs.skeleton import Skeleton
from dicola.knowledge import Knowledge
from dicola.learners.base import Context, Learner, OrientationSettings
from dicola.learners.names import learner_named, name_or_learner
from dicola.learners.together import bunches, learn_together
from dicola.modes import chosen_mode
from dicola.orient.equivalence import skeleton_of_mag
from dicola.orient.fixpoint import Orientation, orient
from dicola.score.legal import legalized

_MANY_LEAVES = 20  # leaves a variable from which on the user is told

Progress = Callable[[str, int, int], None]
"""Told the phase, how much of it is done, and how much there is as far as known."""


def discover(
    ci: CITest,
    learner: str | Learner = "fci",
    mode: str = "exact",
    decompose: bool = True,
    stop: str = "auto",
    max_depth: int | None = None,
    min_leaf_size: int | None = None,
    max_nodes: int | None = None,
    n_jobs: int = 1,
    *,
    blankets: str | BlanketLearner = "total_conditioning",
    uig_alpha: float | None = None,
    uig: Literal["inherit", "relearn"] = "inherit",
    leaf_start: Literal["auto", "uig", "complete"] = "auto",
    colliders: str = "sepset",
    selection: bool = False,
    max_path_length: int | None = None,
    seed: int = 0,
    legalize: bool = False,
    knowledge: Knowledge | None = None,
    progress: Progress | None = None,
) -> Discovery:
    """Learn the PAG over the variables of a conditional independence test.

    Exact for every complete learner and every ``stop`` if the test never errs (Theorem 4). Other modes than ``"exact"`` score graphs on
    the data behind the test (see ``dicola.modes``); ``"auto"`` takes one that fits them, and the settings say why.
    ``seed`` is that of the orders they start from.

    ``decompose=False`` runs the base learner on all variables at once. ``stop`` says when to stop splitting: ``"auto"`` where it no
    longer pays, ``"paper"`` when nothing splits any more, ``"reference"`` at the caps of the authors' released code; ``max_depth``,
    ``min_leaf_size`` and ``max_nodes`` are further limits. ``blankets`` and its level ``uig_alpha`` (``None``: the learner's default)
    build the independence graphs, ``uig`` says whether a child inherits its parent's. A leaf that could be split further starts from its
    independence graph (``leaf_start="uig"``) or from the complete graph; ``"auto"`` is ``"complete"`` for ``stop="reference"``, as
    released, else ``"uig"``. ``colliders`` decides unshielded triples by the recorded separating set (``"sepset"``) or by asking again
    (``"conservative"``, ``"majority"``, ``"max_p"``) or by the best DAG of an order search (``"order"``). ``selection=True`` allows for
    selection of the sample, without decomposition. ``legalize=True`` replaces a graph that no MAG has as its PAG by that of a MAG nearby;
    ``Discovery.legality`` tells in any case. ``knowledge`` of what comes first and what causes what puts marks before any rule is asked; it
    neither adds edges nor removes them, and a claim that the graph denies is a warning. ``n_jobs`` leaves are learned at a time; the
    answer does not depend on it.
    """
    if not isinstance(ci, CITest):
        raise InvalidSetting(
            f"discover takes a conditional independence test, not a {type(ci).__name__}; wrap a table as FisherZ(table, alpha=0.01), "
            "or use DiCoLa(...).fit(table)."
        )
    preset, why = chosen_mode(mode, ci)
    learner, stop, colliders = (
        preset.setting("learner", name_or_learner(learner), "fci"),
        preset.setting("stop", stop, "auto"),
        preset.setting("colliders", colliders, "sepset"),
    )
    base = learner_named(learner)
    stop = base.auto_stop if stop == "auto" else stop
    blanket = blanket_learner(blankets, uig_alpha)
    rule = stop_rule(stop, len(ci), max_depth, min_leaf_size, max_nodes, base.work_size)
    orientation = OrientationSettings(colliders, selection, max_path_length, seed, knowledge)
    if selection and not base.allows_selection:
        raise InvalidSetting(f"{base.title} assumes that nothing was selected; selection=True goes with the other learners.")
    if legalize and (selection or base.name == "pc"):
        raise InvalidSetting("legalize=True makes the PAG of a MAG without selection; leave it out for PC and with selection=True.")
    if knowledge is not None:
        _check_knowledge(knowledge, ci, base, refined=preset.refine is not None or legalize, selection=selection)
    if preset.needs_data or base.needs_data or colliders == "order":
        ci.correlations()
    _check_choices(uig=uig, leaf_start=leaf_start, n_jobs=n_jobs, selection=selection, decompose=decompose)
    warm = leaf_start == "uig" or (leaf_start == "auto" and stop != "reference")
    clock = _Clock()
    ledger = Ledger(ci, cache=ci.is_slow)
    say = progress or (lambda phase, done, total: None)

    warnings = blanket.warnings(ci) if decompose else ()
    tree = (
        decompose_variables(ledger, blanket, rule, uig, lambda done, total: say("decompose", done, total))
        if decompose
        else Tree((Leaf(tuple(range(len(ci)))),))
    )
    clock.lap("decompose")

    skeletons = learn_leaves(tree, base, ledger, n_jobs, blanket, warm, seed, lambda done, total: say("leaves", done, total))
    clock.lap("leaves")

    skeleton = merge_up(tree, skeletons, ci.names)
    clock.lap("merge")

    say("orient", 0, 1)
    skeleton, oriented = base.orient(ledger.during("orientation"), skeleton, orientation, alone=not decompose)
    say("orient", 1, 1)
    clock.lap("orientation")

    score = None
    if preset.refine is not None:
        by_tests = partial(_pag_by_tests, ledger.during("leaves"), n_jobs, blankets, uig_alpha, uig)
        mag, score = preset.refine(ledger.during("orientation"), oriented, seed, by_tests)
        skeleton = skeleton_of_mag(mag, ci.names, skeleton.warnings)
        oriented = orient(skeleton)
        clock.lap("refinement")
    if legalize:
        skeleton, oriented = legalized(skeleton, oriented)
        clock.lap("legality")

    return Discovery(
        pag=oriented.pag.reordered(ci.names),
        skeleton=skeleton,
        tree=tree,
        tests=ledger.counts,
        settings={
            "learner": described(base),
            "test": described_test(ci),
            "mode": preset.name,
            **({} if why is None else {"mode_chosen": why}),
            "decompose": decompose,
            "stop": stop,
            "max_depth": max_depth,
            "min_leaf_size": min_leaf_size,
            "max_nodes": max_nodes,
            "blankets": described(blanket),
            "uig": uig,
            "leaf_start": "uig" if warm and decompose else "complete",
            "colliders": colliders,
            "selection": selection,
            "max_path_length": max_path_length,
            "seed": seed,
            "legalize": legalize,
            "knowledge": None if knowledge is None else asdict(knowledge),
        },
        warnings=(
            *warnings,
            *_tree_warnings(tree, len(ci)),
            *skeleton.warnings,
            *_orientation_warnings(oriented),
            *(() if knowledge is None else knowledge.denied_by(oriented.pag)),
        ),
        conflicts=oriented.conflicts,
        reasons=oriented.reasons,
        evaluations=ledger.evaluations,
        score=score,
        seconds=clock.seconds(),
    )


def learn_leaves(
    tree: Tree,
    learner: Learner,
    ledger: Ledger,
    n_jobs: int,
    blankets: BlanketLearner,
    warm: bool,
    seed: int = 0,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Skeleton]:
    """Learn the skeleton of every leaf, each with a ledger of its own so that counts do not depend on who came first."""
    leaves = tree.leaves
    parts = [(leaf.variables, leaf.uig) for leaf in leaves if leaf.uig is not None]
    together = warm and len(parts) == len(leaves)

    def learn(bunch: range) -> tuple[list[Skeleton], Ledger]:
        own = ledger.fresh()
        if together:
            return learn_together(learner, own, parts[bunch.start : bunch.stop], Context(blankets, warm=True, seed=seed)), own
        context = (Context(blankets, leaves[i].uig, warm, seed) for i in bunch)
        return [learner.learn_skeleton(own, leaves[i].variables, each) for i, each in zip(bunch, context, strict=True)], own

    jobs = bunches(len(leaf.variables) for leaf in leaves) if together else [range(i, i + 1) for i in range(len(leaves))]
    learned: Iterable[tuple[list[Skeleton], Ledger]] = (
        map(learn, jobs)
        if n_jobs == 1
        else Parallel(n_jobs=n_jobs, require="sharedmem", return_as="generator")(delayed(learn)(job) for job in jobs)
    )
    skeletons: list[Skeleton] = []
    for found, own in learned:
        ledger.add(own)
        skeletons += found
        progress(len(skeletons), len(leaves))
    return skeletons


def _pag_by_tests(
    ci: CITest, n_jobs: int, blankets: str | BlanketLearner, uig_alpha: float | None, uig: Literal["inherit", "relearn"]
) -> PAG:
    """The PAG of the mode exact, in the fixed order of the variables; what it asks is booked with ``ci``."""
    return discover(ci, n_jobs=n_jobs, blankets=blankets, uig_alpha=uig_alpha, uig=uig).pag.reordered(ci.labels)


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


def _check_choices(*, uig: str, leaf_start: str, n_jobs: int, selection: bool, decompose: bool) -> None:
    for name, value, allowed in (
        ("uig", uig, ("inherit", "relearn")),
        ("leaf_start", leaf_start, ("auto", "uig", "complete")),
    ):
        if value not in allowed:
            raise InvalidSetting(f"{name} is {value!r}; it may be {' or '.join(repr(a) for a in allowed)}.")
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int) or n_jobs == 0:
        raise InvalidSetting(f"n_jobs is {n_jobs!r}; it must be a whole number of workers, or -1 for all cores.")
    if selection and decompose:
        raise InvalidSetting(
            "with selection of the sample the merge of two parts is not exact (a separator pair may need variables of both sides); "
            "pass decompose=False together with selection=True."
        )


def _check_knowledge(knowledge: Knowledge, ci: CITest, base: Learner, *, refined: bool, selection: bool) -> None:
    if not isinstance(knowledge, Knowledge):
        raise InvalidSetting(
            f"knowledge is a {type(knowledge).__name__}; make one: Knowledge(tiers=[...], forbidden=[...], required=[...])."
        )
    knowledge.check_names(ci.names)
    if selection:
        raise InvalidSetting("knowledge speaks of causes, and with selection of the sample marks speak of more; leave one of them out.")
    if refined or not base.takes_knowledge:
        raise InvalidSetting(
            "knowledge puts marks before the rules are asked; graphs chosen by their score, made legal, or learned by PC do not heed them. "
            "Take mode='exact' or 'fast' with another learner."
        )


def described(part: Learner | BlanketLearner) -> dict[str, Any]:
    """A part by its name and settings."""
    return {"name": part.name, **({each.name: getattr(part, each.name) for each in fields(part)} if is_dataclass(part) else {})}


def described_test(ci: CITest) -> dict[str, Any]:
    """A test by its name, level and number of rows."""
    return {"name": type(ci).__name__, "alpha": ci.alpha, "n_samples": ci.n_samples}


def _tree_warnings(tree: Tree, n: int) -> list[str]:
    if tree.n_leaves <= _MANY_LEAVES * n:
        return []
    return [
        f"{n} variables were split into {tree.n_leaves} overlapping leaves: the graph is dense, and splitting it costs more than it saves. "
        "Bound it with stop='auto', max_depth or max_nodes."
    ]


def _orientation_warnings(oriented: Orientation) -> list[str]:
    warnings = []
    if oriented.conflicts:
        warnings.append(f"the rules claimed both ways at {len(oriented.conflicts)} edge ends; the first claim stands (see conflicts).")
    if oriented.ambiguous:
        warnings.append(f"{len(oriented.ambiguous)} unshielded triples could be colliders or not; no rule used them.")
    if oriented.cut_short:
        warnings.append(
            "discriminating paths were followed up to max_path_length vertices only; marks that rest on longer ones stay circles."
        )
    return warnings
