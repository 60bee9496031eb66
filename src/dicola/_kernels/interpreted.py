"""Kernels run by Python itself, where compiling them would outlast their work.

A kernel is a Python function, and its own source is its plain twin: the same steps in the same order, and so the same bits. What
differs is looked after here. Kernels call each other as they stand; ``heed`` and what is picked by type have a form for Python; a
logarithm of nothing is minus infinity; and numbers of NumPy are handed back as those of Python.

Interpreting ends where it does not pay: after a share of the time that compiling would take, the arguments are as they were before,
and the caller compiles. A run whose budget leaves no time for that goes on by Python, which can be stopped at any moment. Time decides
nothing but who does the work.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from math import atanh, copysign, exp, inf, log, nan, sqrt
from types import BuiltinFunctionType, CodeType, FunctionType
from typing import Any, Final

import numba
import numpy as np
from numba.core.dispatcher import Dispatcher
from numba.extending import overload

from dicola.watch import current, heed, now

_LARGE: Final = 1 << 23  # bytes of arguments for which Python is not tried
_SECONDS_TO_COMPILE: Final = 1e-3  # about that much per byte of Python's code, in a kernel and all that it calls
_SHARE: Final = 0.25  # of the time to compile, which interpreting may take
_CAUTION: Final = 3.0  # on a slow machine, or one with other work, it takes so many times as long
# Before NumPy 2 a Python number made a wider type of a narrow one, which Numba does not.
IS_POSSIBLE: Final = int(np.__version__.partition(".")[0]) >= 2


class Outlasted(BaseException):
    """The kernel takes longer in Python than it may."""


class _Here(threading.local):
    until: float = inf  # when the kernel that this thread interprets is to be given up
    spent: float = 0.0  # seconds that this thread has interpreted


_here = _Here()
_typeof: Any = numba.typeof
_choices: dict[Any, list[Callable[..., Any]]] = {}
_stand_ins: dict[Any, Callable[..., Any]] = {}
_namespaces: dict[int, dict[str, Any]] = {}
_plain: dict[Any, Callable[..., Any]] = {}
_lock = threading.RLock()


def by_type(function: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """For what differs with the type of the first argument: the decorated function gets types and gives what to do, or ``None``.

    The choice becomes a part of the kernel that makes it; a function in between would hand all arrays on once more, at every call.
    """

    def register(choose: Callable[..., Any]) -> Callable[..., Any]:
        _choices.setdefault(function, []).append(choose)
        found: Callable[..., Any] = overload(function, strict=False, inline="always")(choose)
        return found

    return register


def in_python(function: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """For what Python is to call in place of a function that only compiled code can call, or that means something else there."""

    def register(plain: Callable[..., Any]) -> Callable[..., Any]:
        _stand_ins[function] = plain
        return plain

    return register


@in_python(log)
def _log(value: float) -> float:
    return log(value) if value > 0.0 else -inf if value == 0.0 else nan


@in_python(sqrt)
def _sqrt(value: float) -> float:
    return nan if value < 0.0 else sqrt(value)


@in_python(atanh)
def _atanh(value: float) -> float:
    return atanh(value) if abs(value) < 1.0 else copysign(inf, value) if abs(value) == 1.0 else nan


@in_python(exp)
def _exp(value: float) -> float:
    try:
        return exp(value)
    except OverflowError:
        return inf


def plain_heed(tests: int) -> None:
    """``heed``; and leave a kernel that has had its time."""
    heed(tests)
    if now() > _here.until:
        raise Outlasted


def plain_of(source: FunctionType) -> Any:
    """The plain form of a kernel, by the function that it was made from."""
    with _lock:
        return _copy(source)


def _plain_of(value: Any) -> Any:
    """A function as Python calls it; anything else as it is."""
    if not isinstance(value, Dispatcher | FunctionType | BuiltinFunctionType):
        return value
    if value in _stand_ins:
        return _stand_ins[value]
    if value in _choices:
        return _plain.setdefault(value, _picking(value))
    return _copy(value.py_func) if isinstance(value, Dispatcher) else value


def _copy(source: FunctionType) -> Any:
    """The same function where names stand for plain functions."""
    if source not in _plain:
        _plain[source] = FunctionType(
            source.__code__, _namespace(source.__globals__), source.__name__, source.__defaults__, source.__closure__
        )
    return _plain[source]


def _namespace(names: dict[str, Any]) -> dict[str, Any]:
    """The names of a module, each for the plain form of what it stands for."""
    if id(names) not in _namespaces:
        found = _namespaces[id(names)] = dict(names)  # first of all, since functions of a module call each other
        found.update({name: _plain_of(value) for name, value in names.items()})
    return _namespaces[id(names)]


def _picking(function: Any) -> Callable[..., Any]:
    """What differs with the type of its first argument, for Python."""
    picked: dict[type, Callable[..., Any]] = {}

    def pick(*arguments: Any) -> Any:
        kind = type(arguments[0])
        if kind not in picked:
            types = [_typeof(each) for each in arguments]
            with _lock:
                picked[kind] = next(_copy(chosen) for choose in _choices[function] if (chosen := choose(*types)) is not None)
        return picked[kind](*arguments)

    return pick


class Interpreted:
    """A kernel that Python runs, for as long as that may pay."""

    def __init__(self, source: FunctionType) -> None:
        self.source = source
        self.to_compile = 0.0  # seconds, about
        self.left = inf  # seconds that it may still take

    def may_take(self, arguments: tuple[Any, ...]) -> bool:
        """Is there time left, and are the arguments small? Or is there no time to compile?"""
        if not self.to_compile:
            self.to_compile = seconds_to_compile(self.source)
            self.left = min(self.left, _SHARE * self.to_compile)
        is_small = self.left > 0.0 and sum(each.nbytes for each in _arrays_in(arguments)) <= _LARGE
        return is_small or self._is_too_late_to_compile()

    def _is_too_late_to_compile(self) -> bool:
        watch = current()
        return watch is not None and watch.until is not None and watch.until - now() < _CAUTION * self.to_compile

    def __call__(self, *arguments: Any) -> Any:
        """What the kernel gives; ``Outlasted`` leaves the arguments as they were."""
        written = [each for each in _arrays_in(arguments) if each.flags.writeable]
        before = [each.copy() for each in written]
        start, outer = now(), _here.until
        _here.until = inf if self._is_too_late_to_compile() else start + self.left
        try:
            with np.errstate(all="ignore"):
                return _of_python(plain_of(self.source)(*arguments))
        except Outlasted:
            for each, old in zip(written, before, strict=True):
                each[...] = old
            raise
        finally:
            taken = now() - start
            _here.until = outer
            _here.spent += taken
            self.left -= taken


def seconds_interpreted() -> float:
    """For how long this thread has had Python run kernels."""
    return _here.spent


def seconds_to_compile(source: FunctionType) -> float:
    """How long it takes to compile a kernel with all that it calls, about."""
    return _SECONDS_TO_COMPILE * _size(_called_by(source, set()))


def _called_by(source: FunctionType, known: set[FunctionType]) -> set[FunctionType]:
    """A function of a kernel with all that it calls."""
    if source not in known:
        known.add(source)
        for name in _names_in(source.__code__):
            called = source.__globals__.get(name)
            if isinstance(called, Dispatcher):
                _called_by(called.py_func, known)
            elif isinstance(called, FunctionType) and called in _choices:
                known |= _largest_choice(called)
    return known


def _largest_choice(function: FunctionType) -> set[FunctionType]:
    """Of all that a function may stand for, by the type of its argument, that which is longest, with all that it calls."""
    found: list[set[FunctionType]] = []
    for choose in _choices[function]:
        names = [_names_in(each) for each in choose.__code__.co_consts if isinstance(each, CodeType)]
        called = [[choose.__globals__.get(name) for name in some] for some in names]
        found += [_called_by(each.py_func, set()) for some in called for each in some if isinstance(each, Dispatcher)]
    return max(found, key=_size, default=set())


def _size(functions: set[FunctionType]) -> int:
    return sum(len(each.__code__.co_code) for each in functions)


def _names_in(code: CodeType) -> set[str]:
    return set(code.co_names).union(*[_names_in(each) for each in code.co_consts if isinstance(each, CodeType)])


def _arrays_in(values: Any) -> Iterator[Any]:
    """All arrays in tuples of tuples."""
    for each in values:
        if isinstance(each, np.ndarray):
            yield each
        elif isinstance(each, tuple):
            yield from _arrays_in(each)


def _of_python(value: Any) -> Any:
    """Numbers as compiled code hands them back."""
    if isinstance(value, np.generic):
        return value.item()
    if not isinstance(value, tuple):
        return value
    parts = [_of_python(each) for each in value]
    return type(value)._make(parts) if hasattr(value, "_make") else tuple(parts)
