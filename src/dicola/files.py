"""Files written whole or not at all, and paths that are no files named for what they are."""

from __future__ import annotations

import os
import re
import stat
import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from dicola.errors import DicolaError, InvalidData
from dicola.transaction import replace_together

_OPEN_STREAMS = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")
_LONGEST = 20_000_000  # characters of settings and of what is known
_DEEPEST = 200  # parts of one key; TOML is read in a time that grows with their square
_PART = r"""(?:[\w-]++|"(?:[^"\\\n]|\\.){0,1000}+"|'[^'\n]{0,1000}+')[ \t]*\.[ \t]*"""
_DEEP_KEY = re.compile(rf"(?<![\\\w-])(?:{_PART}){{{_DEEPEST}}}")


def is_stream(path: Path) -> bool:
    """Is this a pipe that was opened for us, such as ``/dev/stdin`` or what a shell makes of ``<(…)``? It can be read once."""
    try:
        return str(path).startswith(_OPEN_STREAMS) and stat.S_ISFIFO(path.stat().st_mode)
    except (OSError, ValueError):
        return False


def refuse_unreadable(path: Path, error: type[DicolaError]) -> None:
    """Refuse what cannot be read to an end: no file, a folder, a device, or a pipe that nobody may ever write to."""
    shown = repr(str(path))
    try:
        kind = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError, ValueError):
        raise error(f"there is no file {shown}.") from None
    except OSError as trouble:
        raise error(f"{shown} could not be read: {trouble.strerror or trouble}.") from None
    if stat.S_ISDIR(kind):
        raise error(f"{shown} is a folder, not a file; name a file in it.")
    if stat.S_ISFIFO(kind) and not is_stream(path):
        raise error(f"{shown} is a named pipe (FIFO), not a file; write what it holds to a file, or send it to /dev/stdin.")
    if not stat.S_ISREG(kind) and not is_stream(path):
        raise error(f"{shown} is a terminal, a device or a socket, not a file; write what it holds to a file first.")


def text_from(path: Path, what: str, error: type[DicolaError]) -> str:
    """The text of a file in UTF-8 that someone wrote by hand: settings, or what is known."""
    if os.path.lexists(path):  # what is not there is said by who opens it
        refuse_unreadable(path, error)
    try:
        with path.open(encoding="utf-8") as stream:
            text = stream.read(_LONGEST + 1)
    except (OSError, ValueError) as trouble:
        raise error(f"the {what} {str(path)!r} could not be read: {getattr(trouble, 'strerror', None) or trouble}.") from None
    if len(text) > _LONGEST:
        raise error(f"the {what} {str(path)!r} holds more than {_LONGEST // 10**6} million characters, which none needs.")
    return text


def toml_from(text: str, what: str, error: type[DicolaError]) -> dict[str, Any]:
    """What a text in TOML says."""
    if _DEEP_KEY.search(text):
        raise error(f"the {what} has a key of more than {_DEEPEST} parts, with a dot between each two, which none needs.")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise error(f"the {what} is not TOML that we can read: it is nested too deeply.") from None
    except ValueError as trouble:
        raise error(f"the {what} is not TOML: {trouble}.") from None


def writable_folder(folder: str | Path) -> Path:
    """The folder, if results could be written there; asked before a long run, so that it does not end in vain. Nothing is made yet."""
    target = Path(folder)
    nearest = next(path for path in (target, *target.absolute().parents) if os.path.lexists(path))
    if not nearest.is_dir():
        raise InvalidData(f"{str(nearest)!r} is a file; the results need a folder.")
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise InvalidData(f"the results could not be written to {str(folder)!r}: {str(nearest)!r} is not writable.")
    return target


def own_folder(folder: str | Path) -> Path:
    """A folder that several files can be written to; the current folder is none: it holds other things, and would be named by mistake."""
    target = writable_folder(folder)
    if not str(folder) or (target.is_dir() and target.samefile(Path.cwd())):
        raise InvalidData(f"{str(folder)!r} is the current folder; results need a folder of their own, such as 'results'.")
    return target


def write_texts(folder: str | Path, texts: Mapping[str, str], gone: Callable[[], Iterable[str]] = tuple) -> Path:
    """Write several text files into a folder: all of them, or none; ``dicola.transaction`` says how.

    Files named in ``gone``, of an earlier result, are taken away along with it.
    """
    target = writable_folder(folder)
    for name in texts:
        if (target / name).is_dir():
            raise InvalidData(f"{str(target / name)!r} is a folder; no file of that name could be written there.")
    try:
        replace_together(target, texts, gone)
    except OSError as error:
        raise InvalidData(f"the results could not be written to {str(folder)!r}: {error.strerror or error}.") from None
    return target
