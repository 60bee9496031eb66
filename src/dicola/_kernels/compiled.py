"""How kernels are compiled: kept on disk where that can be, without Python's lock, without a check of divisions.

A run never fails for want of a place to keep them. Where no folder can be written to, the disk is
full or a kept file is damaged, the kernel is compiled again, and a warning says so once.
"""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from multiprocessing import parent_process
from pathlib import Path
from typing import Any, Final, TypeVar

from numba import njit
from numba.core import caching

Function = TypeVar("Function", bound=Callable[..., Any])

# Numba has no types.
_IndexDataCacheFile: Any = caching.IndexDataCacheFile
_FunctionCache: Any = caching.FunctionCache
_SEAL: Final = b"sha256 of the above:"  # pickle stops before it


@cache
def _sources_in(folder: Path) -> str:
    """A digest of all modules in a folder: a kernel holds the code of those that it calls, and is as old as the oldest of them."""
    return sha256(b"".join(each.read_bytes() for each in sorted(folder.glob("*.py")))).hexdigest()


class _SealedFile(_IndexDataCacheFile):  # type: ignore[misc]
    """Numba's files with a digest at the end: machine code with a wrong bit would not be noticed when it is loaded."""

    def _save_data(self, name: str, data: object) -> None:
        body = self._dump(data)
        with self._open_for_write(self._data_path(name)) as file:
            file.write(body + _SEAL + sha256(body).digest())

    def _load_data(self, name: str) -> object:
        whole = Path(self._data_path(name)).read_bytes()
        body, seal, digest = whole.rpartition(_SEAL)
        if seal and sha256(body).digest() != digest:
            raise pickle.UnpicklingError(f"{name} is damaged")
        return pickle.loads(whole)  # Numba's own files have no digest; one that was cut short ends too early for pickle


class _Cache(_FunctionCache):  # type: ignore[misc]
    """Numba's cache of one kernel; what goes wrong in it is said and not raised."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        try:
            stamp: object = _sources_in(Path(function.__code__.co_filename).parent)
        except OSError:  # from an archive
            stamp = self._impl.locator.get_source_stamp()
        self._cache_file = _SealedFile(cache_path=self._cache_path, filename_base=self._impl.filename_base, source_stamp=stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception as error:  # a damaged pickle can raise anything
            self._begin_anew(error)
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except Exception as error:  # most of all a full disk
            _say_uncached(f"{self.cache_path} could not be written to ({error})")

    def _begin_anew(self, error: Exception) -> None:
        """Forget what is kept, so that the next run finds whole files."""
        try:
            self.flush()
        except OSError:
            self.disable()
            _say_uncached(f"a file in {self.cache_path} is damaged and cannot be replaced")
        else:
            _say_once(f"a compiled kernel in {self.cache_path} was damaged ({type(error).__name__}); it is compiled again.")


_said: list[str] = []


def _say_uncached(reason: str) -> None:
    _say_once(
        f"compiled kernels are not kept on disk, so every run compiles them again, which takes some seconds: {reason}. "
        "Set the environment variable NUMBA_CACHE_DIR to a folder that can be written to."
    )


def _say_once(sentence: str) -> None:
    """Warn of the first thing that went wrong; hundreds of kernels would say the same."""
    if not _said and parent_process() is None:
        _said.append(sentence)
        warnings.warn(sentence, RuntimeWarning, stacklevel=2)


def _compile(function: Function, **options: Any) -> Function:
    compiled = njit(nogil=True, error_model="numpy", **options)(function)
    if hasattr(compiled, "enable_caching"):  # Numba can be switched off, and then this is the function itself
        try:
            compiled._cache = _Cache(function)
        except (RuntimeError, OSError) as error:
            _say_uncached(str(error))
    kept: Function = compiled
    return kept


def kernel(function: Function) -> Function:
    """For what the library calls."""
    return _compile(function)


def inner(function: Function) -> Function:
    """For functions that only kernels call: without wrappers they compile sooner."""
    return _compile(function, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def hot(function: Function) -> Function:
    """For functions called so often that handing over their arrays would outlast the work."""
    return _compile(function, no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=True)


def inlined(function: Function) -> Function:
    """For steps of a kernel, in one place or two: they are compiled as a part of it."""
    return _compile(function, inline="always")
