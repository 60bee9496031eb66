"""Where kernels may be ended: ``heed`` in a loop that can take long.

It reads a clock, and where that is past the time of the next look it calls ``dicola.watch.look_up`` in Python, which decides; in the
main thread handlers of signals run then. What either of them raises leaves the kernel. The clock, the time and the function are symbols
of the process, so that kernels kept on disk find them again.

Numba does not free the arrays of a kernel that is left so: a stop costs the memory of one kernel.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any

import llvmlite.binding
import llvmlite.ir
import numba.core.cgutils
from numba import types
from numba.extending import intrinsic

from dicola._kernels.compiled import inner
from dicola._kernels.interpreted import in_python, plain_heed
from dicola.watch import NEXT_LOOK, look_up

# Neither Numba nor what it is made of has types.
binding: Any = llvmlite.binding
ir: Any = llvmlite.ir
cgutils: Any = numba.core.cgutils
_CLOCK, _NEXT, _QUESTION = "dicola_clock", "dicola_next_look", "dicola_look_up"
_ON_WINDOWS = sys.platform == "win32"
# The number of the clock behind ``monotonic``: on Linux the one that is read in a few nanoseconds, and is right to some milliseconds.
_WHICH = 6
_LONG, _SHORT, _REAL = ir.IntType(64), ir.IntType(32), ir.DoubleType()


def _address(function: Any) -> int:
    return int(ctypes.cast(function, ctypes.c_void_p).value or 0)


_system: Any = getattr(ctypes, "windll").kernel32 if _ON_WINDOWS else ctypes.CDLL(None)  # noqa: B009
binding.add_symbol(_CLOCK, _address(_system.GetTickCount64 if _ON_WINDOWS else _system.clock_gettime))
binding.add_symbol(_NEXT, ctypes.addressof(NEXT_LOOK))
binding.add_symbol(_QUESTION, id(look_up))  # the function itself, as Python holds it


def _outside(module: Any, kind: Any, name: str) -> Any:
    """What lies at a symbol of the process."""
    return module.globals.get(name) or cgutils.add_global_variable(module, kind, name)


def _is_time(builder: Any) -> Any:
    """Is the next look due?"""
    module = builder.module
    if _ON_WINDOWS:
        clock = cgutils.get_or_insert_function(module, ir.FunctionType(_LONG, []), _CLOCK)
        now = builder.fdiv(builder.uitofp(builder.call(clock, []), _REAL), ir.Constant(_REAL, 1e3))
    else:
        read = cgutils.alloca_once(builder, ir.ArrayType(_LONG, 2))
        clock = cgutils.get_or_insert_function(module, ir.FunctionType(_SHORT, [_SHORT, read.type]), _CLOCK)
        builder.call(clock, [ir.Constant(_SHORT, _WHICH), read])
        seconds, rest = (builder.sitofp(builder.load(cgutils.gep_inbounds(builder, read, 0, i)), _REAL) for i in range(2))
        now = builder.fadd(seconds, builder.fmul(rest, ir.Constant(_REAL, 1e-9)))
    return builder.fcmp_ordered(">=", now, builder.load_atomic(_outside(module, _REAL, _NEXT), "monotonic", 8))


@intrinsic
def _intrinsic(typing: Any, tests: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        with builder.if_then(_is_time(builder), likely=False):
            python = context.get_python_api(builder)
            lock = python.gil_ensure()
            asked = builder.bitcast(_outside(builder.module, _LONG, _QUESTION), python.pyobj)
            number = python.long_from_longlong(arguments[0])
            answer = python.call_function_objargs(asked, (number,))
            python.decref(number)
            has_raised = cgutils.is_null(builder, answer)
            python.decref(answer)  # nothing to do for what is null
            python.gil_release(lock)
            with builder.if_then(has_raised, likely=False):
                context.call_conv.return_exc(builder)
        return context.get_dummy_value()

    return types.none(types.int64), generate


_heed: Any = _intrinsic


@inner
def heed(tests: int) -> None:
    """Go on, or leave the kernel by an exception; ``tests`` are those of the question at hand so far."""
    _heed(tests)


in_python(heed)(plain_heed)
