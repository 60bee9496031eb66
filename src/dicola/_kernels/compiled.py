"""How kernels are compiled: kept on disk, without Python's lock, without a check of divisions."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from numba import njit

Function = TypeVar("Function", bound=Callable[..., Any])

_compile: Callable[..., Any] = partial(njit, cache=True, nogil=True, error_model="numpy")


def kernel(function: Function) -> Function:
    """For what the library calls."""
    compiled: Function = _compile(function)
    return compiled


def inner(function: Function) -> Function:
    """For functions that only kernels call: without wrappers they compile sooner."""
    compiled: Function = _compile(function, no_cpython_wrapper=True, no_cfunc_wrapper=True)
    return compiled


def hot(function: Function) -> Function:
    """For functions called so often that handing over their arrays would outlast the work."""
    compiled: Function = _compile(function, no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=True)
    return compiled


def inlined(function: Function) -> Function:
    """For steps of a kernel, in one place or two: they are compiled as a part of it."""
    compiled: Function = _compile(function, inline="always")
    return compiled
