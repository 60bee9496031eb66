"""Options made from the settings of a run, and the plan made from what was typed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, fields, replace
from inspect import Parameter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dicola.cli.grouped import Group, option
from dicola.cli.option_names import is_switched_off, option_name
from dicola.cli.options import FLAG, completing
from dicola.errors import InvalidSetting
from dicola.pipeline.settings import SETTINGS, TUNING

if TYPE_CHECKING:
    from dicola.pipeline.plan import Plan

_LIMITS = {
    "max_condition_size": "Largest conditioning set of the adjacency search; no limit by default.",
    "max_possible_dsep_size": "Largest conditioning set from Possible-D-Sep; no limit by default.",
}  # settings of learners
NAMES = "{choices}"  # stands for names that are filled in when the help is shown: they come from registries, which load in a second


def settings_of_a_run(*names: str) -> Group:
    """The options of these settings, or of all, those of learners included."""
    chosen = [_option(SETTINGS[name]) for name in names or SETTINGS]
    limits = [] if names else [_limit(name, told) for name, told in _LIMITS.items()]
    return Group((*chosen, *limits))


def _limit(name: str, told: str) -> Parameter:
    return option(name, Annotated[int | None, typer.Option(option_name(name), rich_help_panel=TUNING, help=told)], None)


def _option(setting: Field[Any]) -> Parameter:
    shown = setting.metadata
    info = typer.Option(
        option_name(setting.name),
        help=shown["told"],
        rich_help_panel=shown["panel"],
        metavar=FLAG if shown["typed"] is bool else shown["metavar"],
        autocompletion=shown["choices"] and completing(shown["choices"]),
    )
    kind = shown["typed"] if setting.default is not None else shown["typed"] | None
    return option(setting.name, Annotated[kind, info], False if is_switched_off(setting.name) else shown["at_doors"])


def with_names(parameter: Any) -> None:
    """Fill the names to choose from into the help of an option."""
    if NAMES in (getattr(parameter, "help", None) or ""):
        *some, last = SETTINGS[parameter.name].metadata["choices"]()
        parameter.help = parameter.help.replace(NAMES, f"{', '.join(some)} or {last}")


def plan_of(typed: Mapping[str, Any]) -> Plan:
    """The plan of a run with these settings, as typed."""
    from dicola.knowledge import Knowledge
    from dicola.pipeline.plan import Plan

    settings = {name: value for name, value in typed.items() if name in SETTINGS}
    settings |= {name: not value for name, value in settings.items() if is_switched_off(name)}
    if settings.get("knowledge") is not None:
        settings["knowledge"] = Knowledge.read(settings["knowledge"])
    settings["learner"] = _learner(settings["learner"], {name: typed[name] for name in _LIMITS if typed.get(name) is not None})
    return Plan(**settings)


def _learner(name: str | None, limits: Mapping[str, int]) -> Any:
    """The learner of that name with the limits that were given; ``None`` where nothing was chosen."""
    from dicola.learners.registry import learner_named

    if name is None and not limits:
        return None
    learner: Any = learner_named(name or "fci")
    known = {field.name for field in fields(learner)}
    for limit in limits:
        if limit not in known:
            raise InvalidSetting(f"the learner {name!r} has no setting {option_name(limit)}.")
    return replace(learner, **limits)
