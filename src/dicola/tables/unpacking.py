"""The bytes of a table in a text file, packed or not, with an eye on how many come out."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import IO, Any, Final

from dicola.errors import InvalidData
from dicola.extras import from_extra
from dicola.files import is_stream

MOST_COLUMNS: Final = 50_000
_LONGEST_LINE: Final = 20_000_000  # bytes
_LONGEST_STREAM: Final = 1_000_000_000  # bytes taken from a pipe, which does not say beforehand how many it has
_PIECE: Final = 1 << 18  # bytes that are looked at together
_ARCHIVES: Final = (".tar", ".tgz", ".tbz", ".tbz2", ".txz", ".7z", ".rar")
# A packed table of numbers grows 2 to 20 times; these are the bytes and cells that are read whatever they
# were packed into, and how often a byte of the file may grow beyond them.
_BYTES: Final = (50_000_000, 200)
_CELLS: Final = (10_000_000, 30)


def refuse_grown(file: Path, size: int, bounds: tuple[int, int] = _BYTES) -> None:
    """Refuse a file that is unpacked to more than what its size could stand for."""
    free, times = bounds
    if size > max(free, times * file.stat().st_size):
        raise InvalidData(
            f"{str(file)!r} is small and unpacks to so much ({size:,} {'bytes' if bounds is _BYTES else 'cells'} and more) that it was "
            "probably made to fill the memory. If you trust it, unpack it and name the file that comes out."
        )


def _unzipped(file: Path) -> IO[bytes]:
    archive = zipfile.ZipFile(file)
    names = archive.namelist()
    if len(names) != 1:
        raise InvalidData(f"{str(file)!r} holds {len(names)} files; unpack it and name the one with the table.")
    return archive.open(names[0])


_OPENERS: Final[dict[str, Callable[[Path], Any]]] = {
    ".gz": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
    ".zip": _unzipped,
    ".zst": lambda file: from_extra("zstandard", "zstandard").open(file, "rb"),
}


class TextSource:
    """A text file that is opened several times: as it lies there, unpacked, or kept from a pipe, which can be read once."""

    def __init__(self, file: Path) -> None:
        self.file = file
        if any(ending.lower() in _ARCHIVES for ending in file.suffixes[-2:]):
            raise InvalidData(f"{str(file)!r} is an archive of files, not a table; unpack it and name the table in it.")
        self._packed = file.suffix.lower() in _OPENERS
        self._opener = _OPENERS.get(file.suffix.lower(), partial(Path.open, mode="rb"))
        self._kept = _drained(file) if is_stream(file) else None

    def open(self) -> io.BufferedReader:
        """The bytes from the beginning on; reading them ends in an error where they can be no table."""
        source = io.BytesIO(self._kept) if self._kept is not None else self._opener(self.file)
        return io.BufferedReader(_Watched(source, self.file, packed=self._packed), _PIECE)


def _drained(file: Path) -> bytes:
    with file.open("rb") as stream:
        kept = stream.read(_LONGEST_STREAM + 1)
    if len(kept) > _LONGEST_STREAM:
        raise InvalidData(f"more than 1 GB came from {str(file)!r}; write it to a file and name that.")
    return kept


class _Watched(io.RawIOBase):
    """Passes bytes on and stops at what no table has: a NUL, a line of more columns than anyone has, or cells without end."""

    def __init__(self, source: IO[bytes], file: Path, *, packed: bool) -> None:
        super().__init__()
        self._source, self._file, self._packed = source, file, packed
        self._bytes = self._cells = 0
        self._begun = self._length = 0  # separators and bytes so far in the line that has not ended

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self._source.close()
        super().close()

    def readinto(self, buffer: Any, /) -> int:
        room = memoryview(buffer)
        piece = self._source.read(min(len(room), _PIECE))
        room[: len(piece)] = piece
        self._look_at(piece)
        return len(piece)

    def _look_at(self, piece: bytes) -> None:
        if b"\0" in piece:
            raise InvalidData(f"{str(self._file)!r} holds the character NUL, as text in UTF-8 never does; save the table as such.")
        first, *rest = piece.split(b"\n", 1)
        self._begun += _separators(first)
        self._length += len(first)
        self._refuse_wide()
        if rest:
            last = piece[piece.rindex(b"\n") + 1 :]
            self._begun, self._length = _separators(last), len(last)
        self._bytes += len(piece)
        self._cells += _separators(piece) + piece.count(b"\n")
        if self._packed:
            refuse_grown(self._file, self._bytes)
            refuse_grown(self._file, self._cells, _CELLS)

    def _refuse_wide(self) -> None:
        if self._begun > MOST_COLUMNS:
            raise InvalidData(f"{str(self._file)!r} has a line of more than {MOST_COLUMNS:,} columns; at most as many are read.")
        if self._length > _LONGEST_LINE:
            raise InvalidData(f"{str(self._file)!r} has a line of more than {_LONGEST_LINE // 10**6} million bytes, which no table has.")


def _separators(piece: bytes) -> int:
    return max(piece.count(separator) for separator in (b",", b";", b"\t"))
