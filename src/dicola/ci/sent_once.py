"""What other processes of this machine need, sent once: a file that they map into their memory, so that arrays lie there once for all."""

from __future__ import annotations

import mmap
import pickle
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Generic, TypeVar

from cloudpickle import dumps

Work = TypeVar("Work")
Result = TypeVar("Result")
_LENGTH = struct.Struct("=Q")
_ALIGNED = 64  # where arrays begin, as NumPy likes it


class SentOnce(Generic[Work, Result]):
    """A function by the file that holds it; called in another process, it is read from there once and kept."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __call__(self, piece: Work) -> Result:
        found: Result = _read(self.path)(piece)
        return found


@contextmanager
def sent_once(run: Callable[[Work], Result]) -> Iterator[SentOnce[Work, Result]]:
    """A function ready for other processes, for as long as the context lasts.

    Raises whatever the function raises when it cannot be pickled.
    """
    arrays: list[pickle.PickleBuffer] = []
    parts = [dumps(run, protocol=5, buffer_callback=arrays.append), *(array.raw() for array in arrays)]
    with TemporaryDirectory(prefix="dicola-", ignore_cleanup_errors=True) as folder:
        path = Path(folder, "function")
        with path.open("wb") as file:
            for number in (len(parts), *map(len, parts)):
                file.write(_LENGTH.pack(number))
            for part in parts:
                file.write(b"\0" * (-file.tell() % _ALIGNED))
                file.write(part)
        yield SentOnce(str(path))


@lru_cache(maxsize=1)
def _read(path: str) -> Callable[[Any], Any]:
    """The function in a file; its arrays lie in the file, and what is written to them stays in this process."""
    with Path(path).open("rb") as file:
        whole = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY))
    (many,) = _LENGTH.unpack_from(whole)
    parts, at = list[memoryview](), _LENGTH.size * (many + 1)
    for i in range(many):
        (length,) = _LENGTH.unpack_from(whole, _LENGTH.size * (i + 1))
        at += -at % _ALIGNED
        parts.append(whole[at : at + length])
        at += length
    found: Callable[[Any], Any] = pickle.loads(parts[0], buffers=parts[1:])
    return found
