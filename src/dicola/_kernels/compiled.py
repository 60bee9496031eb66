"""How kernels are compiled: kept on disk where that can be, without Python's lock, without a check of divisions.

A run never fails for want of a place to keep them. Where no folder can be written to, the disk is
full or a kept file is damaged, the kernel is compiled again, and a warning says so once.

A kernel that is not kept is interpreted first, and compiled once that has taken long enough (``dicola._kernels.interpreted``):
compiling all that a run calls takes a minute, and on ten columns Python does the same in a part of a second. Whoever measures sets the
environment variable DICOLA_COMPILE to "always".
"""

from __future__ import annotations

import os
import pickle
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from multiprocessing import parent_process
from pathlib import Path
from typing import Any, Final, TypeVar

from numba import njit
from numba.core import caching

from dicola._kernels.interpreted import IS_POSSIBLE, Interpreted, Outlasted

Function = TypeVar("Function", bound=Callable[..., Any])

# Numba has no types.
_IndexDataCacheFile: Any = caching.IndexDataCacheFile
_FunctionCache: Any = caching.FunctionCache
_NullCache: Any = caching.NullCache
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


class _Absent(Exception):
    """A kernel is not kept, and whoever wanted it has something else to do than to compile it."""


class _Here(threading.local):
    may_be_absent = False  # is a look for a kept kernel one of those?
    compiles = False  # are kernels compiled right away?


_here = _Here()


def _found(kept: Any) -> Any:
    """What a look for a kept kernel has found."""
    if kept is None and _here.may_be_absent:
        raise _Absent
    return kept


class _NoCache(_NullCache):  # type: ignore[misc]
    """Nothing is kept."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        return _found(None)


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
            kept = super().load_overload(sig, target_context)
        except Exception as error:  # a damaged pickle can raise anything
            self._begin_anew(error)
            kept = None
        return _found(kept)

    def is_empty(self) -> bool:
        """Is nothing kept, for any arguments?"""
        return not Path(self._cache_file._index_path).exists()

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


def are_kept() -> bool:
    """Are compiled kernels kept for other processes, as far as was seen?"""
    return not _said


def _compile(function: Function, **options: Any) -> Function:
    options = {"_nrt": True, **options}  # said to Numba in any case: a function would take it over from the one that calls it
    compiled = njit(nogil=True, error_model="numpy", **options)(function)
    if hasattr(compiled, "enable_caching"):  # Numba can be switched off, and then this is the function itself
        try:
            compiled._cache = _Cache(function)
        except (RuntimeError, OSError) as error:
            compiled._cache = _NoCache()
            _say_uncached(str(error))
    kept: Function = compiled
    return kept


class _Way:
    """How a kernel is done for arguments that it was not compiled for in this process."""

    def __init__(self, compiled: Any) -> None:
        self._compiled, self._compiled_for = compiled, compiled._compile_for_args
        self._interpreted = Interpreted(compiled.py_func)
        self._absent: set[tuple[type, ...]] = set()

    def __call__(self, *arguments: Any) -> Any:
        """What is to be called with these arguments: Numba asks."""
        if not may_interpret() or not self._interpreted.may_take(arguments):
            return self._compiled_for(*arguments)
        kinds = tuple(map(type, arguments))
        if kinds not in self._absent:
            if not self._is_empty():
                before, _here.may_be_absent = _here.may_be_absent, True
                try:
                    return self._compiled_for(*arguments)
                except _Absent:
                    pass
                finally:
                    _here.may_be_absent = before
            self._absent.add(kinds)
        return self._try

    def _is_empty(self) -> bool:
        kept = self._compiled._cache
        return isinstance(kept, _NoCache) or kept.is_empty()

    def _try(self, *arguments: Any) -> Any:
        try:
            return self._interpreted(*arguments)
        except Outlasted:
            return self._compiled_for(*arguments)(*arguments)


def may_interpret() -> bool:
    """May kernels be interpreted where they are not kept?"""
    return IS_POSSIBLE and not _here.compiles and os.environ.get("DICOLA_COMPILE", "").lower() != "always"


@contextmanager
def compiling() -> Iterator[None]:
    """While kernels that this thread calls are compiled right away."""
    before, _here.compiles = _here.compiles, True
    try:
        yield
    finally:
        _here.compiles = before


def kernel(function: Function) -> Function:
    """For what the library calls."""
    compiled: Any = _compile(function)
    if hasattr(compiled, "_compile_for_args"):
        compiled._compile_for_args = _Way(compiled)
    kept: Function = compiled
    return kept


def inner(function: Function) -> Function:
    """For functions that only kernels call: without wrappers they compile sooner."""
    return _compile(function, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def hot(function: Function) -> Function:
    """For functions called so often that handing over their arrays would outlast the work."""
    return _compile(function, no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=True)


def lean(function: Function) -> Function:
    """As ``inner``, for functions that make no arrays: they do not count who holds those that they are handed."""
    return _compile(function, no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=False)


def lean_and_hot(function: Function) -> Function:
    """As ``hot``, for functions that make no arrays."""
    return _compile(function, no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=True, _nrt=False)


def inlined(function: Function) -> Function:
    """For steps of a kernel, in one place or two: they are compiled as a part of it."""
    return _compile(function, inline="always")
