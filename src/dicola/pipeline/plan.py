"""The plan of a run: every setting, checked once; the one source of what the doors take and of what a result records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, field, fields
from typing import Any, Literal, NamedTuple

from dicola.blankets.base import BlanketLearner
from dicola.blankets.registry import BLANKETS, blanket_learner
from dicola.ci.base import CITest
from dicola.ci.inquiry import Inquiry
from dicola.ci.registry import Recipe, recipe_from, record_of
from dicola.decompose.tree import STOPS, StopRule, stop_rule
from dicola.errors import InvalidSetting
from dicola.knowledge import Knowledge
from dicola.learners.base import Learner, OrientationSettings, checked_limit
from dicola.learners.collider_policies import POLICIES, checked_policy
from dicola.learners.registry import ALL, learner_named
from dicola.pipeline.modes import AUTO, EXACT, MODES, SCORED, Mode, mode_named
from dicola.registry import described
from dicola.score.registry import doubt_about_scoring, score_behind

METHOD, TUNING = "Method", "Fine tuning"  # headings of the help


def _setting(default: Any, told: str, **shown: Any) -> Any:
    """A field with what the command line shows of it: ``option`` (its name there, ``None``: not there), ``panel``, ``typed`` (the type
    of what is typed), ``choices``, ``metavar``.
    """
    return field(default=default, metadata={"told": told, **shown})


@dataclass(frozen=True)
class Plan:
    """All settings of a run. ``None`` is "not chosen"; whatever was chosen is obeyed or refused.

    ``dicola.discover`` and ``dicola.DiCoLa`` say what each setting means; ``record`` and ``from_record`` lead to
    ``Discovery.settings`` and back.
    """

    learner: str | Learner | None = _setting(
        None, f"Base learner: {', '.join(ALL)} (see: dicola learners); by default fci.", panel=METHOD, choices=lambda: ALL
    )
    ci_test: Recipe = _setting(
        "fisher_z", "Independence test (see: dicola tests).", option="--test", panel=METHOD, choices=lambda: _tests()
    )
    alpha: float = _setting(0.01, "Level of the independence test.", panel=METHOD, typed=float)
    mode: str = _setting(
        "exact",
        f"{', '.join(MODES)}, or {AUTO} (what fits the table); see: dicola modes.",
        panel=METHOD,
        choices=lambda: (*MODES, AUTO),
    )
    decompose: bool = _setting(
        True, "Run the base learner on all variables at once, without decomposition.", option="--alone", panel=METHOD, typed=bool
    )
    knowledge: Knowledge | None = _setting(
        None,
        "What is known beforehand: tiers, forbidden and required causes, as a Tetrad knowledge file.",
        panel=METHOD,
        metavar="FILE",
    )
    selection: bool = _setting(False, "Allow for selection of the sample; goes with --alone.", panel=METHOD, typed=bool)
    n_jobs: int = _setting(1, "Leaves learned at a time; -1 for all cores. The answer does not depend on it.", option="--jobs", typed=int)
    workers: Literal["threads", "processes"] | None = _setting(
        None, "threads or processes; by default processes for slow Python tests.", panel=TUNING, choices=lambda: ("threads", "processes")
    )
    stop: str | None = _setting(
        None,
        "When to stop splitting: auto (where it no longer pays), paper (nothing splits any more) or reference (the authors' caps).",
        panel=TUNING,
        choices=lambda: STOPS,
    )
    max_depth: int | None = _setting(None, "Most splits above a leaf; no limit by default.", panel=TUNING, typed=int)
    min_leaf_size: int | None = _setting(None, "Leave sets of at most so many variables whole.", panel=TUNING, typed=int)
    max_nodes: int | None = _setting(None, "Most nodes of the decomposition; no limit by default.", panel=TUNING, typed=int)
    blankets: str | BlanketLearner = _setting(
        "total_conditioning", "Markov blanket learner (see: dicola blankets).", panel=TUNING, choices=lambda: BLANKETS
    )
    uig_alpha: float | None = _setting(None, "Level of the blanket tests; by default the learner's own.", panel=TUNING, typed=float)
    uig: Literal["inherit", "relearn"] = _setting(
        "inherit",
        "Does a part inherit its independence graph, or is it learned again?",
        panel=TUNING,
        choices=lambda: ("inherit", "relearn"),
    )
    leaf_start: Literal["auto", "uig", "complete"] = _setting(
        "auto", "Where a leaf starts: uig, complete or auto.", panel=TUNING, choices=lambda: ("auto", "uig", "complete")
    )
    colliders: str | None = _setting(
        None, f"How unshielded triples are decided: {', '.join(POLICIES)}.", panel=TUNING, choices=lambda: POLICIES
    )
    max_path_length: int | None = _setting(None, "Longest discriminating path, in vertices; no limit by default.", panel=TUNING, typed=int)
    seed: int = _setting(0, "Seed of the start orders; mode exact draws none.", panel=TUNING, typed=int)
    legalize: bool = _setting(False, "Replace a graph that is no legal PAG by one.", panel=TUNING, typed=bool)

    def __post_init__(self) -> None:
        if str(self.mode).lower() != AUTO:
            mode_named(self.mode)
        for name, allowed in (("uig", ("inherit", "relearn")), ("leaf_start", ("auto", "uig", "complete"))):
            _check_choice(name, getattr(self, name), allowed)
        if self.workers is not None:
            _check_choice("workers", self.workers, ("threads", "processes"))
        if self.stop is not None:
            _check_choice("stop", self.stop, STOPS)
        if self.colliders is not None:
            checked_policy(self.colliders)
        for name in ("max_depth", "min_leaf_size", "max_nodes", "max_path_length"):
            checked_limit(name, getattr(self, name))
        if isinstance(self.n_jobs, bool) or not isinstance(self.n_jobs, int) or self.n_jobs == 0:
            raise InvalidSetting(f"n_jobs is {self.n_jobs!r}; it must be a whole number of workers, or -1 for all cores.")
        if self.knowledge is not None and not isinstance(self.knowledge, Knowledge):
            raise InvalidSetting(
                f"knowledge is a {type(self.knowledge).__name__}; make one: Knowledge(tiers=[...], forbidden=[...], required=[...])."
            )
        if self.selection and self.decompose:
            raise InvalidSetting(
                "with selection of the sample the merge of two parts is not exact (a separator pair may need variables of both sides); "
                "pass decompose=False together with selection=True."
            )

    def steps(self, ci: Inquiry) -> Steps:
        """The plan made concrete for some evidence; ``InvalidSetting`` or ``NeedsData`` where the two do not go together."""
        mode, why = self._mode_for(ci)
        learner = learner_named(self._settled("learner", mode, "fci"))
        stop = self._settled("stop", mode, "auto")
        stop = learner.auto_stop if stop == "auto" else stop
        steps = Steps(
            plan=self,
            mode=mode,
            why=why,
            learner=learner,
            stop=stop,
            rule=stop_rule(stop, len(ci), self.max_depth, self.min_leaf_size, self.max_nodes, learner.work_size),
            blankets=blanket_learner(self.blankets, self.uig_alpha),
            starts_from_uig=self.leaf_start == "uig" or (self.leaf_start == "auto" and stop != "reference"),
            orientation=OrientationSettings(
                self._settled("colliders", mode, "sepset"), self.selection, self.max_path_length, self.seed, self.knowledge
            ),
        )
        steps.check(ci)
        return steps

    def _mode_for(self, ci: Inquiry) -> tuple[Mode, str | None]:
        """The mode; for ``"auto"`` the one that fits the evidence and what was chosen, and the reason in words."""
        if str(self.mode).lower() != AUTO:
            return mode_named(self.mode), None
        scored = MODES[SCORED]
        taken = next((name for name in scored.settings if self._contradicts(name, scored)), None)
        if taken is not None:
            return EXACT, f"{taken}={_shown(getattr(self, taken))} was chosen, which goes with the paper's method"
        doubt = doubt_about_scoring(ci)
        if doubt is not None:
            return EXACT, doubt
        return scored, "the columns can be scored as linear Gaussian, where this mode was the more accurate in simulations"

    def _contradicts(self, name: str, mode: Mode) -> bool:
        chosen, own = getattr(self, name), mode.settings.get(name)
        if chosen is None or own is None:
            return False
        return learner_named(chosen) != learner_named(own) if name == "learner" else chosen != own

    def _settled(self, name: str, mode: Mode, default: str) -> Any:
        """What was chosen, else the mode's own, else the default; a choice that the mode contradicts is refused."""
        chosen, own = getattr(self, name), mode.settings.get(name)
        if self._contradicts(name, mode):
            raise InvalidSetting(
                f"mode={mode.name!r} comes with {name}={own!r}, and {name}={_shown(chosen)} was chosen: "
                f"leave out {name}, or take mode='exact' with it."
            )
        return chosen if chosen is not None else own if own is not None else default

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Plan:
        """The plan behind ``Discovery.settings``, for the same run again, on other rows too."""
        known = {each.name for each in fields(cls)}
        settings = {name: value for name, value in record.items() if name in known}
        if record.get("test") is not None:
            settings["ci_test"], settings["alpha"] = recipe_from(record["test"])
        for name, registry in (("learner", ALL), ("blankets", BLANKETS)):
            facts = dict(record[name])
            settings[name] = registry.named(facts.pop("name"))(**facts)
        if record.get("knowledge") is not None:
            settings["knowledge"] = Knowledge(**record["knowledge"])
        if not record["decompose"]:
            settings["leaf_start"] = "auto"
        return cls(**settings)


class Steps(NamedTuple):
    """A plan made concrete: every choice is made."""

    plan: Plan
    mode: Mode
    why: str | None
    learner: Learner
    stop: str
    rule: StopRule
    blankets: BlanketLearner
    starts_from_uig: bool
    orientation: OrientationSettings

    def check(self, ci: Inquiry) -> None:
        """Refuse what the parts cannot do together, or not on this evidence."""
        plan, learner, refined = self.plan, self.learner, self.mode.last_step is not None or self.plan.legalize
        if plan.selection and not learner.allows_selection:
            raise InvalidSetting(f"{learner.title} assumes that nothing was selected; selection=True goes with the other learners.")
        if plan.legalize and (plan.selection or not learner.is_legalizable):
            raise InvalidSetting("legalize=True makes the PAG of a MAG without selection; leave it out for PC and with selection=True.")
        if plan.knowledge is not None:
            plan.knowledge.check_names(ci.names)
            if plan.selection:
                raise InvalidSetting(
                    "knowledge speaks of causes, and with selection of the sample marks speak of more; leave one of them out."
                )
            if refined or not learner.takes_knowledge:
                raise InvalidSetting(
                    "knowledge puts marks before the rules are asked; graphs chosen by their score, made legal, or learned by PC do not "
                    "heed them. Take mode='exact' or 'fast' with another learner."
                )
        if self.mode.needs_data or learner.needs_data or self.orientation.colliders == "order":
            score_behind(ci)

    def record(self, test: CITest) -> dict[str, Any]:
        """What a result keeps of the settings: with it the run can be made again."""
        plan = self.plan
        kept = {name: getattr(plan, name) for name in ("decompose", "max_depth", "min_leaf_size", "max_nodes", "uig")}
        later = {name: getattr(plan, name) for name in ("selection", "max_path_length", "seed", "legalize")}
        return {
            "learner": described(self.learner),
            "test": record_of(test),
            "mode": self.mode.name,
            **({} if self.why is None else {"mode_chosen": self.why}),
            **kept,
            "stop": self.stop,
            "blankets": described(self.blankets),
            "leaf_start": "uig" if self.starts_from_uig and plan.decompose else "complete",
            "colliders": self.orientation.colliders,
            **later,
            "knowledge": None if plan.knowledge is None else asdict(plan.knowledge),
        }


def defaults() -> dict[str, Any]:
    """Every setting with its default."""
    return {each.name: each.default for each in fields(Plan) if each.default is not MISSING}


def _tests() -> Any:
    from dicola.ci.registry import TESTS

    return TESTS


def _check_choice(name: str, value: object, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise InvalidSetting(f"{name} is {value!r}; it may be {' or '.join(repr(each) for each in allowed)}.")


def _shown(chosen: Any) -> str:
    return repr(chosen.name) if isinstance(chosen, Learner) else repr(chosen)
