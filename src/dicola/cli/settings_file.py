"""Settings in a TOML file: read before the options of the command line, written beside the results, so that a run can be repeated."""

from __future__ import annotations

import os
from hashlib import sha256
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from dicola._version import __version__
from dicola.cli.terminal import json_line
from dicola.errors import InvalidSetting, counted
from dicola.files import text_from, toml_from
from dicola.transaction import place_of, settle

if TYPE_CHECKING:
    from dicola.tables.table import Table

FILE = "settings.toml"
_LISTS = ("contexts", "drop")  # options of names between commas, which a file may list
_HOW_NOT_WHAT = {
    "config",
    "out",
    "json",
    "quiet",
    "jobs",
    "workers",
    "scheduler",
    "device",
    "checkpoint",
    "forecast",
}  # options that do not touch the answer


def _read(ctx: typer.Context, file: Path | None) -> Path | None:
    """Take the settings of the file as the defaults of the command's other options."""
    if file is not None and not ctx.resilient_parsing:
        ctx.default_map = {**(ctx.default_map or {}), **_settings_in(file, _options(ctx), _files(ctx))}
    return file


Config = Annotated[
    Path | None,
    typer.Option(
        "--config",
        metavar="FILE",
        is_eager=True,
        callback=_read,
        help="TOML file of settings, named like the options; options win over it.",
    ),
]


def settings_text(ctx: typer.Context, folder: Path, about: str = "") -> str:
    """The text of ``settings.toml`` in a folder: the settings in force, defaults included; ``about`` is a remark on the input.

    Files are named as seen from there, so that the settings can be used from anywhere.
    """
    knowledge = ctx.params.get("knowledge")
    tables = _knowledge_table(knowledge) if isinstance(knowledge, Path) and knowledge.suffix == ".toml" else []
    values = {
        key: _seen_from(folder, value) if isinstance(value, Path) else value
        for key, parameter in _options(ctx).items()
        if key not in _HOW_NOT_WHAT and not (key == "knowledge" and tables) and (value := ctx.params.get(parameter.name)) is not None
    }
    remarks = [f"# dicola {__version__}, {ctx.info_name}; repeat with --config {FILE}", *([f"# {about}"] if about else [])]
    lines = [*remarks, *(f"{key} = {_toml(value)}" for key, value in values.items()), *tables]
    return "\n".join(lines) + "\n"


def _knowledge_table(file: Path) -> list[str]:
    """What a TOML file says of what is known, as a table of a settings file: the file may be written over."""
    from dataclasses import asdict

    from dicola.knowledge import Knowledge

    said = {kind: value for kind, value in asdict(Knowledge.read(file)).items() if value}
    return ["", "[knowledge]", *(f"{kind} = {_toml(value)}" for kind, value in said.items())]


def about(file: Path, table: Table) -> str:
    """What tells one table from another: its name, size and hash."""
    content = f", SHA-256 {sha256(file.read_bytes()).hexdigest()}" if file.is_file() else ""  # a pipe has been read
    size = f"{counted(table.n_samples, 'row')}, {counted(len(table.names), 'column')}"
    return f"{json_line(file.name)}: {size}{content}"


def _seen_from(folder: Path, file: Path) -> str:
    """The path from a folder to a file; the whole path where there is none, as between drives."""
    file = file.parent.resolve() / file.name
    try:
        return Path(os.path.relpath(file, folder.resolve())).as_posix()
    except ValueError:
        return str(file)


def _options(ctx: typer.Context) -> dict[str, Any]:
    """The options of the command by their long names without dashes in front."""
    named = {max(parameter.opts, key=len): parameter for parameter in ctx.command.params if parameter.name != "help"}
    return {name.removeprefix("--"): parameter for name, parameter in named.items() if name.startswith("--")}


def _files(ctx: typer.Context) -> set[str]:
    """The parameters of the command that name files to read."""
    parameters = signature(ctx.command.callback or _files, eval_str=True).parameters.values()
    kinds = {each.name: get_args(each.annotation)[:1] for each in parameters if each.name not in _HOW_NOT_WHAT}
    return {name for name, kind in kinds.items() if Path in (*kind, *(each for part in kind for each in get_args(part)))}


def _settings_in(file: Path, options: dict[str, Any], files: set[str]) -> dict[str, Any]:
    settle(file.parent)  # what a writer that died has left
    source = place_of(file.parent, file.name)
    given = toml_from(text_from(source, "settings file", InvalidSetting), f"settings file {str(file)!r}", InvalidSetting)
    settings: dict[str, Any] = {}
    for name, value in given.items():
        key = name.replace("_", "-")
        if key not in options or key == "config":
            known = ", ".join(option for option in options if option != "config")
            raise InvalidSetting(f"the settings file {str(file)!r} sets {name!r}, which is no option of this command. Known: {known}.")
        option = options[key]
        if key == "kinds" and isinstance(value, dict):
            value = ",".join(_in_csv(f"{column}={kind}") for column, kind in value.items())
        if key == "targets" and isinstance(value, dict):
            value = ",".join(_in_csv(f"{context}={aimed}") for context, aims in value.items() for aimed in _several(aims))
        if key in _LISTS and isinstance(value, list):
            value = ",".join(_in_csv(str(name)) for name in value)
        if key == "knowledge" and isinstance(value, dict):
            value = file.name  # ``Knowledge.read`` finds the table there
        if isinstance(value, dict) or isinstance(value, list) != bool(getattr(option, "multiple", False)):
            expected = "a list" if getattr(option, "multiple", False) else "a single value"
            raise InvalidSetting(f"the settings file {str(file)!r} must give {name!r} {expected}; got {value!r}.")
        if option.name in files:
            value = file.parent / str(value)
        settings[option.name] = [_word(entry) for entry in value] if isinstance(value, list) else _word(value)
    return settings


def _several(value: Any) -> list[str]:
    return [str(each) for each in value] if isinstance(value, list) else [str(value)]


def _in_csv(word: str) -> str:
    """A word as an entry between commas."""
    return '"' + word.replace('"', '""') + '"' if any(c in word for c in ',"') or word != word.strip() else word


def _word(value: Any) -> str:
    """A value as it would be typed on the command line."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _toml(value: Any) -> str:
    if isinstance(value, bool | int | float):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return f"[{', '.join(_toml(entry) for entry in value)}]"
    if any("\ud800" <= letter <= "\udfff" for letter in str(value)):
        raise InvalidSetting(f"{str(value)!r} is no text in UTF-8, so no settings file can hold it; rename the file, or leave out --out.")
    return json_line(str(value))
