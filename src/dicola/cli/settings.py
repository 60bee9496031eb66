"""Settings in a TOML file: read before the options of the command line, written beside the results, so that a run can be repeated."""

from __future__ import annotations

import json
import tomllib
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dicola._version import __version__
from dicola.errors import InvalidSetting
from dicola.files import write_texts

if TYPE_CHECKING:
    from dicola.tables.table import Table

FILE = "settings.toml"
_HOW_NOT_WHAT = {"config", "out", "json", "quiet", "jobs"}  # options that do not touch the answer


def _read(ctx: typer.Context, file: Path | None) -> Path | None:
    """Take the settings of the file as the defaults of the command's other options."""
    if file is not None and not ctx.resilient_parsing:
        ctx.default_map = {**(ctx.default_map or {}), **_settings_in(file, _options(ctx))}
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


def write_settings(ctx: typer.Context, folder: Path, about: str = "") -> None:
    """Write the settings in force, defaults included, into ``settings.toml``; ``about`` is a remark on the input."""
    values = {
        key: ctx.params[parameter.name]
        for key, parameter in _options(ctx).items()
        if parameter.name not in _HOW_NOT_WHAT and ctx.params.get(parameter.name) is not None
    }
    remarks = [f"# dicola {__version__}, {ctx.info_name}; repeat with --config {FILE}", *([f"# {about}"] if about else [])]
    lines = [*remarks, *(f"{key} = {_toml(value)}" for key, value in values.items())]
    write_texts(folder, {FILE: "\n".join(lines) + "\n"})


def about(file: Path, dataset: Table) -> str:
    """What tells one table from another: its name, size and hash."""
    content = sha256(file.read_bytes()).hexdigest()
    return f"{json.dumps(file.name, ensure_ascii=False)}: {dataset.n_samples} rows, {len(dataset.names)} columns, SHA-256 {content}"


def _options(ctx: typer.Context) -> dict[str, Any]:
    """The options of the command by their long names without dashes in front."""
    named = {}
    for parameter in ctx.command.params:
        longest = max(parameter.opts, key=len)
        if longest.startswith("--") and parameter.name != "help":
            named[longest.removeprefix("--")] = parameter
    return named


def _settings_in(file: Path, options: dict[str, Any]) -> dict[str, Any]:
    try:
        with file.open("rb") as stream:
            given = tomllib.load(stream)
    except OSError as error:
        raise InvalidSetting(f"the settings file {str(file)!r} could not be read: {error.strerror or error}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidSetting(f"the settings file {str(file)!r} is not TOML: {error}.") from None
    settings: dict[str, Any] = {}
    for name, value in given.items():
        key = name.replace("_", "-")
        if key not in options or key == "config":
            known = ", ".join(option for option in options if option != "config")
            raise InvalidSetting(f"the settings file {str(file)!r} sets {name!r}, which is no option of this command. Known: {known}.")
        option = options[key]
        if isinstance(value, dict) or isinstance(value, list) != bool(getattr(option, "multiple", False)):
            expected = "a list" if getattr(option, "multiple", False) else "a single value"
            raise InvalidSetting(f"the settings file {str(file)!r} must give {name!r} {expected}; got {value!r}.")
        settings[option.name] = [_word(entry) for entry in value] if isinstance(value, list) else _word(value)
    return settings


def _word(value: Any) -> str:
    """A value as it would be typed on the command line."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _toml(value: Any) -> str:
    if isinstance(value, bool | int | float):
        return str(value).lower()
    if isinstance(value, list | tuple):
        return f"[{', '.join(_toml(entry) for entry in value)}]"
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
