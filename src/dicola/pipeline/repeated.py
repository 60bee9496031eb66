"""Runs that are repeated: once Python has interpreted kernels for a while, the next run of the process compiles what it needs.

A first run does not wait for a compiler, and a process that ends after it never does. Whoever runs a second time will mostly go on.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

from dicola._kernels.compiled import are_kept, compiling, may_interpret
from dicola._kernels.interpreted import seconds_interpreted
from dicola.ci.fisher_z import FisherZ
from dicola.ci.inquiry import Evidence, Inquiry
from dicola.watch import current

_ENOUGH = 1.0  # seconds of interpreting in all runs before


@contextmanager
def compiled_if_repeated(evidence: Evidence, mode: str, max_seconds: float | None = None) -> Iterator[None]:
    """While a run goes on: it compiles what it needs where Python has interpreted kernels for a second before, in this thread.

    A run whose time is limited goes on as it would. Ctrl-C while others are compiled for it ends the run before it has found anything.
    """
    watch = current()
    is_limited = max_seconds is not None or (watch is not None and watch.until is not None)
    if is_limited or seconds_interpreted() < _ENOUGH or not may_interpret():
        yield
        return
    test = Inquiry.of(evidence).test
    if are_kept():  # else it was said that nothing can be kept, and nobody can compile for somebody else
        _say_once()
        if hasattr(test, "blocks") or isinstance(test, FisherZ):
            _warm_once(mode.lower(), hasattr(test, "blocks"))
    with compiling():
        yield


@lru_cache
def _say_once() -> None:
    warnings.warn(
        "the inner loops of dicola are compiled for this run, once after an installation, which takes up to a minute; "
        "'dicola warm-up' does so beforehand.",
        RuntimeWarning,
        stacklevel=2,
    )


@lru_cache
def _warm_once(mode: str, has_blocks: bool) -> None:
    """Have what takes longest compiled in two processes; the run itself compiles the rest. What was compiled before is loaded."""
    from dicola.pipeline.warming import warm_before  # which makes runs itself

    warm_before(mode, has_blocks)
