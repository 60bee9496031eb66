"""The folder of a result: its files are written as one, sealed by digests of them all, and checked when they are read.

What changes from run to run stands in ``timing.json``: the seconds and, under ``sha256``, the digest
of every file of the result, of the seconds too. All other files are the same bytes whenever the same
run is made, but for the block of the report that tells the seconds.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from dicola.errors import InvalidData
from dicola.files import own_folder, refuse_unreadable, write_texts
from dicola.transaction import locked, place_of, settle

SEAL: Final = "timing.json"
REPORT: Final = "report.html"
_FOR_PEOPLE: Final = (REPORT, "pag.svg")
_DIGESTS: Final = "sha256"
NAMES: Final = (
    *("pag.csv", "edges.csv", "pag.json", "pag.svg", REPORT, "skeleton.json", "discovery.json", SEAL),
    *("bootstrap.csv", "consensus.csv", "local.json", "settings.toml"),
)
"""Every name that a file of a result can have."""


def write_result(folder: str | Path, texts: Mapping[str, str], seconds: Mapping[str, float]) -> Path:
    """Write the files of a result, sealed, in the place of those of an earlier one; files of others are left alone.

    Raises
    ------
    InvalidData
        The folder cannot be written, or is the current one.

    """
    target = own_folder(folder)
    return write_texts(target, _sealed(texts, seconds), lambda: _files_in(target))


def write_beside(folder: str | Path, texts: Mapping[str, str]) -> Path:
    """Write files that are no result of their own; those of a result that is there are not touched."""
    target = Path(folder)

    def none_of_them() -> tuple[str, ...]:
        taken = sorted(digests_in(target).keys() & texts.keys())
        if taken:
            raise InvalidData(f"{str(target / taken[0])!r} belongs to the result in that folder; write to another folder.")
        return ()

    return write_texts(target, texts, none_of_them)


def remake(folder: Path, name: str, text: str, seal: Mapping[str, str]) -> None:
    """Put another text in the place of one file of the result that has this seal."""

    def still_the_same() -> tuple[str, ...]:
        if digests_in(folder) != dict(seal):
            raise InvalidData(f"the result in {str(folder)!r} was written anew in between; try again.")
        return ()

    if not seal:  # written before there were seals
        write_texts(folder, {name: text}, still_the_same)
        return
    facts = json.loads(text_of(folder, SEAL))
    facts[_DIGESTS] = {**seal, name: digest(text)}
    write_texts(folder, {name: text, SEAL: dumped(facts)}, still_the_same)


@contextmanager
def reading(folder: Path) -> Iterator[None]:
    """Keep writers away while a result is read; what one that died has left is finished first."""
    if not folder.is_dir():
        yield
        return
    settle(folder)
    with ExitStack() as held:
        with suppress(PermissionError):  # a folder that cannot be listed
            held.enter_context(locked(folder, shared=True))
        yield


def check_seal(folder: Path, seal: Mapping[str, str], seconds: Mapping[str, Any]) -> None:
    """Refuse a result of whose files one was changed, lost or put there by another run.

    The report and the drawing can be made again from the others, so that it is no loss where somebody has removed them.
    """
    broken = [name for name, known in seal.items() if name != SEAL and not _is_as_written(place_of(folder, name), known)]
    if seal.get(SEAL) != digest(json.dumps(dict(seconds))):
        broken.append(SEAL)
    if broken:
        raise InvalidData(
            f"its files were not written together: {', '.join(broken)} {'is' if len(broken) == 1 else 'are'} of another run, damaged, "
            "changed or lost. Put back what was there, or write the result again."
        )


def seal_of(facts: dict[str, Any]) -> dict[str, str]:
    """Take the digests out of what ``timing.json`` holds; there are none in results of before."""
    seal = facts.pop(_DIGESTS, {})
    if not isinstance(seal, dict) or not all(name in NAMES and isinstance(known, str) for name, known in seal.items()):
        raise InvalidData(f"{SEAL} has no {_DIGESTS!r} that can be used; it must be digests by the names of files.")
    return seal


def digests_in(folder: Path) -> dict[str, str]:
    """The seal of the result in a folder; empty where there is none."""
    with suppress(OSError, ValueError, RecursionError, AttributeError):
        return seal_of(json.loads(text_of(folder, SEAL)))
    return {}


def digest(text: str) -> str:
    """SHA-256 of a text as it is written."""
    return sha256(text.encode("utf-8")).hexdigest()


def dumped(value: Any) -> str:
    """JSON as it stands in the files of a result."""
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def _sealed(texts: Mapping[str, str], seconds: Mapping[str, float]) -> dict[str, str]:
    seal = {name: digest(text) for name, text in texts.items()} | {SEAL: digest(json.dumps(dict(seconds)))}
    return {**texts, SEAL: dumped({**seconds, _DIGESTS: seal})}


def _files_in(folder: Path) -> tuple[str, ...]:
    """The files of the result in a folder: those it has sealed; before there were seals, all with such names."""
    if seal := digests_in(folder):
        return tuple(seal)
    is_result = any((folder / name).is_file() for name in ("discovery.json", "local.json"))
    return tuple(name for name in NAMES if is_result and (folder / name).is_file())


def _is_as_written(file: Path, known: str) -> bool:
    if not os.path.lexists(file):
        return file.name in _FOR_PEOPLE
    refuse_unreadable(file, InvalidData)
    return sha256(file.read_bytes()).hexdigest() == known


def text_of(folder: Path, name: str) -> str:
    """The text of one file of the result; ``FileNotFoundError`` where there is none."""
    file = place_of(folder, name)
    if file.exists():  # what is missing is named by who reads
        refuse_unreadable(file, InvalidData)
    try:
        with file.open(encoding="utf-8", newline="") as stream:  # a name may hold a carriage return
            return stream.read()
    except UnicodeDecodeError:
        raise InvalidData(f"{name} is not text in UTF-8.") from None
