"""The plan of a run: every setting, checked once; the one source of what the doors take and of what a result records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from dicola.allowed import NAMES, check_fields
from dicola.blankets.base import BlanketLearner
from dicola.blankets.registry import BLANKETS, blanket_learner
from dicola.ci.base import CITest
from dicola.ci.card import checked_device
from dicola.ci.inquiry import Inquiry
from dicola.ci.registry import recipe_from, record_of
from dicola.ci.workers import Kind, Workers, engine_at
from dicola.claims import Claims
from dicola.decompose.tree import StopRule, stop_rule
from dicola.errors import InvalidSetting, Sentence, Setting, not_allowed
from dicola.knowledge import Knowledge
from dicola.learners.base import Learner, OrientationSettings
from dicola.learners.collider_policies import checked_policy
from dicola.learners.fci import FCI
from dicola.learners.registry import ALL, learner_named
from dicola.pipeline.modes import AUTO, COUNTED, EXACT, MODES, SCORED, Mode, mode_named, reason_for
from dicola.pipeline.settings import SETTINGS, Settings
from dicola.registry import described
from dicola.score.both_ways import is_counted
from dicola.score.registry import doubt_about_scoring, score_behind, scored_as

_FEW_CONDITIONS = FCI(3, 2)  # on data larger sets remove more true edges than false ones
MOST_SCORED = 5000  # variables up to which "auto" scores, for some minutes and gigabytes; both grow with the square
_NAMES_OR_NONE = NAMES.or_none("it must be a list.")
_OF_THE_PARTS = ("learner", "stop", "max_depth", "min_leaf_size", "max_nodes", "blankets", "uig_alpha", "uig", "leaf_start")
_OF_THE_METHOD = ("learner", "stop", "colliders", "selection")  # "auto" scores nothing where one of these is chosen


@dataclass(frozen=True)
class Plan(Settings):
    """All settings of a run, checked. Whatever was chosen is obeyed or refused.

    ``record`` and ``from_record`` lead to ``Discovery.settings`` and back.
    """

    def __post_init__(self) -> None:
        check_fields(self, drop=_NAMES_OR_NONE, missing_values=_NAMES_OR_NONE)
        if str(self.mode).lower() != AUTO:
            mode_named(self.mode)
        for name in ("uig", "leaf_start", "workers", "stop", "missing", "undecided"):
            self._check_choice(name)
        checked_device(self.device)
        if self.scheduler is not None and self.workers not in (None, engine_at(self.scheduler)):
            raise not_allowed("workers", self.workers, f"with a scheduler it may be {engine_at(self.scheduler)!r}, or left out.")
        if self.colliders == AUTO:
            object.__setattr__(self, "colliders", None)  # not chosen
        if self.colliders is not None:
            checked_policy(self.colliders)
        if self.contexts is not None:
            object.__setattr__(self, "contexts", tuple(as_list(self.contexts)))
        if self.knowledge is not None and not isinstance(self.knowledge, Knowledge):
            raise InvalidSetting(
                f"knowledge is a {type(self.knowledge).__name__}; make one: Knowledge(tiers=[...], forbidden=[...], required=[...])."
            )

    def known(self, names: Iterable[str]) -> Knowledge | None:
        """What is known beforehand of these variables, patterns spelled out and contexts included; ``None`` where that is nothing.

        Raises
        ------
        InvalidSetting
            A name is not among them, or two claims contradict each other.

        """
        there = tuple(names)
        known = None if self.knowledge is None else self.knowledge.on(there)
        if self.contexts or self.targets:
            aims = {name: as_list(aimed) for name, aimed in (self.targets or {}).items()}
            told = Knowledge.of_contexts(as_list(self.contexts or ()), there, aims)
            known = told if known is None else known.together_with(told)
        return known or None

    def record_of_knowledge(self) -> dict[str, Any]:
        """What a result keeps of what was known beforehand."""
        return {
            "knowledge": None if self.knowledge is None else asdict(self.knowledge),
            **({"contexts": as_list(self.contexts)} if self.contexts else {}),
            **({"targets": {name: as_list(aims) for name, aims in self.targets.items()}} if self.targets else {}),
        }

    def side_by_side(self, usual: Kind, is_own: bool = False) -> Workers:
        """Who does what can be done side by side; the usual workers where none were chosen. ``is_own`` as for ``Workers``."""
        kind = self.workers or (usual if self.scheduler is None else engine_at(self.scheduler))
        return Workers(self.n_jobs, kind, self.scheduler, is_own).reached()

    def _check_choice(self, name: str) -> None:
        value, setting = getattr(self, name), SETTINGS[name]
        if value is setting.default:
            return
        allowed = setting.metadata["choices"]()
        if value not in allowed:
            raise not_allowed(name, value, f"it may be {' or '.join(repr(each) for each in allowed)}.")

    def steps(self, ci: Inquiry) -> Steps:
        """The plan made concrete for some evidence; ``InvalidSetting`` or ``NeedsData`` where the two do not go together."""
        mode, why = self._mode_for(ci)
        mode = mode.on(ci.n_samples)
        doubts = ci.alpha is not None and not mode.trusts_blankets  # perfect answers confirm every cut
        learner = learner_named(self._settled("learner", mode, _FEW_CONDITIONS if doubts else "fci"))
        stop = self._settled("stop", mode, "auto")
        stop = learner.auto_stop if stop == "auto" else stop
        rule = stop_rule(stop, len(ci), self.max_depth, self.min_leaf_size, self.max_nodes, learner.work_size)
        is_open = isinstance(self.blankets, str) and self.blankets == AUTO
        asked_for = mode.settings.get("blankets", self.blankets) if is_open else self.blankets
        blankets, blankets_chosen = blanket_learner(asked_for, self.uig_alpha).settled(ci)
        known = self.known(ci.names)
        claims = None if known is None else Claims.of(known, ci.labels, self.selection)
        steps = Steps(
            plan=self,
            mode=mode,
            why=why,
            learner=learner,
            stop=stop,
            rule=rule.confirmed(len(ci), ci.n_samples) if doubts else rule,
            blankets=blankets,
            blankets_chosen=blankets_chosen,
            starts_from_uig=self.leaf_start == "uig" or (self.leaf_start == "auto" and stop != "reference" and not doubts),
            orientation=OrientationSettings(
                self._settled("colliders", mode, "compare" if doubts and self.decompose else "sepset"),
                self.selection,
                self.max_path_length,
                self.seed,
                claims,
            ),
        )
        steps.check(ci)
        return steps._replace(searches_whole=self._searches_whole(mode, ci))

    def _mode_for(self, ci: Inquiry) -> tuple[Mode, str | None]:
        """The mode; for ``"auto"`` the one that fits the evidence and what was chosen; and why, where it is not the one asked for."""
        if str(self.mode).lower() != AUTO:
            return mode_named(self.mode), reason_for(self.mode)
        taken = next((name for name in _OF_THE_METHOD if getattr(self, name) is not None and getattr(self, name) is not False), None)
        if taken is not None:
            chosen = _shown(taken, getattr(self, taken))
            return EXACT, Sentence(
                "{chosen} was chosen, which goes with the paper's method; {mode=balanced} scores graphs instead", chosen=chosen
            )
        if doubt := doubt_about_scoring(ci):
            return EXACT, Sentence("{doubt}; {mode=balanced} is for columns that can be scored", doubt=doubt)
        if len(ci) > MOST_SCORED:
            return EXACT, Sentence(
                "{n:,} variables are more than {most:,}, where scoring takes minutes; {mode=balanced} scores them all the same",
                n=len(ci),
                most=MOST_SCORED,
            )
        if is_counted(ci):
            return MODES[COUNTED], Sentence(
                "levels are counted, and a score on their indicators adds the edges that the counts do not deny, which was the more "
                "accurate in simulations; {mode=exact} goes by tests alone"
            )
        return MODES[SCORED], Sentence(
            "the columns can be scored as {kind}, where this mode was the more accurate in simulations; {mode=exact} goes by tests alone",
            kind=scored_as(ci),
        )

    def _searches_whole(self, mode: Mode, ci: Inquiry) -> bool:
        """Does the last step look at all variables at once, and was nothing chosen about parts, or who learns them?"""
        may_be_chosen = _OF_THE_PARTS if self.decompose else ("learner",)
        chosen = any(getattr(self, name) != SETTINGS[name].default for name in may_be_chosen)
        return mode.last_step is not None and not chosen and mode.last_step.takes_all(ci)

    def _contradicts(self, name: str, mode: Mode) -> bool:
        chosen, own = getattr(self, name), mode.settings.get(name)
        if chosen is None or own is None:
            return False
        return learner_named(chosen) not in (own, learner_named(own.name)) if name == "learner" else chosen != own

    def _settled(self, name: str, mode: Mode, default: Any) -> Any:
        """What was chosen, else the mode's own, else the default; a choice that the mode contradicts is refused."""
        chosen, own = getattr(self, name), mode.settings.get(name)
        if self._contradicts(name, mode):
            raise InvalidSetting(
                Sentence(
                    "{mode} comes with {own}, and {chosen} was chosen: leave out {name}, or take {mode=exact} with it.",
                    mode=Setting("mode", mode.name),
                    own=_shown(name, own),
                    chosen=_shown(name, chosen),
                    name=Setting(name),
                )
            )
        return chosen if chosen is not None else own if own is not None else default

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Plan:
        """The plan behind ``Discovery.settings``, for the same run again, on other rows too."""
        missing = [name for name in ("learner", "blankets", "decompose") if name not in record]
        if missing:
            raise InvalidSetting(f"this is no record of a run: it lacks {', '.join(missing)}. Pass the settings of a Discovery.")
        settings = {name: value for name, value in record.items() if name in SETTINGS}
        if record.get("test") is not None:
            settings["ci_test"], settings["alpha"] = recipe_from(record["test"])
        if settings.get("mode") == "fast":  # what that was: the mode exact with the colliders of the record
            settings["mode"] = EXACT.name
        if record.get("searched_whole"):  # nothing was chosen about parts, which other rows may have
            settings = {name: value for name, value in settings.items() if name not in _OF_THE_PARTS}
        for name, registry in (("learner", ALL), ("blankets", BLANKETS)):
            if name not in settings:
                continue
            facts = dict(record[name])
            settings[name] = registry.named(facts.pop("name"))(**facts)
        if not settings.get("targets"):
            settings.pop("targets", None)
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
    blankets_chosen: str | None
    starts_from_uig: bool
    orientation: OrientationSettings
    searches_whole: bool = False

    @property
    def divides(self) -> bool:
        """Are the variables divided, and parts of them learned?"""
        return self.plan.decompose and not self.searches_whole

    @property
    def claims(self) -> Claims | None:
        """What is known beforehand, by position."""
        return self.orientation.claims

    @property
    def tells_limits(self) -> bool:
        """Is it worth telling that a search met a limit? Not if the learner is the one that we take on data where none is chosen."""
        return self.learner != _FEW_CONDITIONS

    def check(self, ci: Inquiry) -> None:
        """Refuse what the parts cannot do together, or not on this evidence."""
        objection = next(self._objections(), None)
        if objection is not None:
            raise InvalidSetting(objection)
        if self.mode.needs_data or self.learner.needs_data or self.orientation.colliders == "order":
            score_behind(ci)
        if self.mode.last_step is not None:
            self.mode.last_step.check(ci)

    def _objections(self) -> Iterator[str]:
        plan, learner = self.plan, self.learner
        if plan.selection and not learner.allows_selection:
            yield Sentence("{title} assumes that nothing was selected; {selection=True} goes with the other learners.", title=learner.title)
        if plan.legalize and (plan.selection or not learner.is_legalizable):
            yield Sentence("{legalize=True} makes the PAG of a MAG without selection; leave it out for PC and with {selection=True}.")
        if plan.undecided == "circle" and self.mode.last_step is None:
            yield Sentence(
                "{undecided=circle} compares graphs by their score, and {mode} has none; take {mode=balanced}, or see how often "
                "marks come with {bootstrap}.",
                mode=Setting("mode", self.mode.name),
            )
        if plan.undecided == "circle" and plan.legalize:
            yield Sentence("{legalize=True} gives the PAG of a class, and {undecided=circle} marks that none need have; leave one out.")
        if self.claims is not None and not learner.takes_knowledge:
            yield Sentence("{title} does not heed what is known beforehand; take another learner.", title=learner.title)

    def record(self, test: CITest) -> dict[str, Any]:
        """What a result keeps of the settings: with it the run can be made again."""
        plan = self.plan
        kept = {name: getattr(plan, name) for name in ("max_depth", "min_leaf_size", "max_nodes", "uig")}
        later = {name: getattr(plan, name) for name in ("selection", "max_path_length", "seed", "legalize", "undecided")}
        return {
            "learner": described(self.learner),
            "test": record_of(test),
            "mode": self.mode.name,
            **({} if self.why is None else {"mode_chosen": self.why}),
            "decompose": plan.decompose,
            **({"searched_whole": True} if self.searches_whole else {}),
            **kept,
            "stop": self.stop,
            "blankets": described(self.blankets),
            **({} if self.blankets_chosen is None else {"blankets_chosen": self.blankets_chosen}),
            "leaf_start": "uig" if self.starts_from_uig and self.divides else "complete",
            "colliders": self.orientation.colliders,
            **later,
            **{name: limit for name in ("max_seconds", "max_tests", "max_memory") if (limit := getattr(plan, name)) is not None},
            **plan.record_of_knowledge(),
        }


def as_list(names: str | Iterable[str]) -> list[str]:
    """One name, or several."""
    return [names] if isinstance(names, str) else list(names)


def _shown(name: str, chosen: Any) -> Setting:
    return Setting(name, chosen.name if isinstance(chosen, Learner) else None if isinstance(chosen, Knowledge) else chosen)
