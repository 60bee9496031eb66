"""Options made from the settings of a run, and the plan made from what was typed."""

from __future__ import annotations

from collections.abc import Mapping
from csv import reader
from dataclasses import Field, fields, replace
from inspect import Parameter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dicola.cli.grouped import Group, option
from dicola.cli.option_names import is_switched_off, option_name
from dicola.cli.options import FLAG, completing
from dicola.errors import InvalidData, InvalidSetting
from dicola.files import refuse_unreadable
from dicola.pipeline.settings import SETTINGS, TABLE, TUNING

if TYPE_CHECKING:
    from dicola.pipeline.plan import Plan

_LIMITS = {
    "max_condition_size": "Largest conditioning set of the adjacency search; no limit by default.",
    "max_possible_dsep_size": "Largest conditioning set from Possible-D-Sep; no limit by default.",
}  # settings of learners
_OF_KIND = {kind: f"Columns that are {kind}, separated by commas." for kind in ("nominal", "ordered", "continuous")}  # short for --kinds
BUDGETS = ("max_seconds", "max_tests", "max_memory")
ABOUT_THE_TABLE = ("kinds", "drop", "missing", "missing_values", "strict", *_OF_KIND)
NAMES = "{choices}"  # stands for names that are filled in when the help is shown: they come from registries, which load in a second


def settings_of_a_run(*names: str) -> Group:
    """The options of these settings, or of all, those of learners included."""
    chosen = [_option(SETTINGS[name]) for name in names or SETTINGS]
    limits = [] if names else [_limit(name, told) for name, told in _LIMITS.items()]
    return Group((*chosen, *([] if names and "kinds" not in names else map(_of_kind, _OF_KIND)), *limits))


def _of_kind(kind: str) -> Parameter:
    info = typer.Option(option_name(kind), metavar="NAMES", rich_help_panel=TABLE, help=_OF_KIND[kind])
    return option(kind, Annotated[str | None, info], None)


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
    settings |= about_the_table(typed)
    settings |= {name: not value for name, value in settings.items() if is_switched_off(name)}
    settings["contexts"] = tuple(words(settings.get("contexts"))) or None
    settings["targets"] = _targets(settings.get("targets"))
    if settings.get("knowledge") is not None:
        if Path(settings["knowledge"]).exists():
            refuse_unreadable(Path(settings["knowledge"]), InvalidData)
        settings["knowledge"] = Knowledge.read(settings["knowledge"])
    settings["learner"] = _learner(settings["learner"], {name: typed[name] for name in _LIMITS if typed.get(name) is not None})
    return Plan(**settings)


def about_the_table(typed: Mapping[str, Any]) -> dict[str, Any]:
    """Lists of names and kinds of columns from what was typed."""
    kinds = {}
    for entry in words(typed.get("kinds")):
        name, is_given, kind = entry.rpartition("=")
        if not is_given or not name:
            raise InvalidSetting(f"--kinds holds {entry!r}; each entry is a name, an equals sign and a kind: sex=nominal.")
        kinds[name] = kind
    for kind in _OF_KIND:
        for name in words(typed.get(kind)):
            if kinds.get(name, kind) != kind:
                raise InvalidSetting(f"{name!r} is said to be {kinds[name]} and {kind}; it can be one only.")
            kinds[name] = kind
    lists = {name: tuple(words(typed[name])) or None for name in ("drop", "missing_values") if name in typed}
    return {**({"kinds": kinds or None} if "kinds" in typed else {}), **lists}


def _targets(text: str | None) -> dict[str, list[str]] | None:
    """What each context acts on, from what was typed."""
    found: dict[str, list[str]] = {}
    for entry in words(text):
        context, is_given, aimed = entry.partition("=")
        if not is_given or not context or not aimed:
            raise InvalidSetting(f"--targets holds {entry!r}; each entry is a context, an equals sign and a column: drug=pkc.")
        found.setdefault(context, []).append(aimed)
    return found or None


def words(text: str | None) -> list[str]:
    """Entries separated by commas; one that holds a comma stands in double quotes."""
    return [word.strip() for word in next(reader([text], skipinitialspace=True), []) if word.strip()] if text else []


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
