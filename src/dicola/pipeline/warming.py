"""Compiling kernels before they are needed, in several processes: one compiles at a time, and keeps what it has for all.

A first run on few columns interprets its kernels. One on more compiles what it needs, one kernel after the other, and so does the next
run of a process that has interpreted for a while: more are likely to come. Kernels of one part of the work are compiled together here,
and parts share none that takes long, so that processes do not do the same.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import numpy as np
import pandas as pd
from numba.core import event

from dicola import simulate
from dicola._kernels import growth
from dicola._kernels.compiled import compiling, may_interpret
from dicola.blankets.grow_shrink import IAMB
from dicola.blankets.total_conditioning import TotalConditioning
from dicola.ci.base import CITest
from dicola.ci.degenerate_gaussian import DegenerateGaussian
from dicola.ci.fisher_z import FisherZ
from dicola.ci.g_square import GSquare
from dicola.ci.inquiry import Inquiry
from dicola.decompose.tree import decompose, stop_rule
from dicola.errors import Interrupted
from dicola.learners.registry import ALL
from dicola.pipeline.discover import discover
from dicola.score.mag_climb import climb
from dicola.score.order_search import best_of
from dicola.score.registry import score_behind
from dicola.tables.table import Table


def numbers(rows: int = 300) -> pd.DataFrame:
    """A small table of numbers that has work for every kernel."""
    dag = simulate.er_dag(12, 3, seed=1)
    return simulate.linear_gaussian(dag, rows, seed=1).drop(columns=list(simulate.hide(dag, 2, seed=1)))


def categories() -> pd.DataFrame:
    """The same in two or three levels."""
    table = numbers(400)
    return pd.DataFrame({name: pd.qcut(table[name], 2 + i % 2, labels=False).astype(str) for i, name in enumerate(table)})


def _split() -> None:
    test = FisherZ(numbers(1500))
    decompose(Inquiry(test), TotalConditioning(), stop_rule("auto", len(test)).confirmed(len(test), test.n_samples))


def _climb(test: CITest) -> None:
    score = score_behind(Inquiry(test))
    climb(score, np.zeros((len(score), len(score)), dtype=np.int8))


def _search_orders(test: CITest) -> None:
    best_of(score_behind(Inquiry(test)), 1)


def _run_all() -> None:
    """Whole runs; what other parts have compiled is there already."""
    for mode in ("exact", "paper", "balanced"):
        for rows in (300, 1500):
            discover(FisherZ(numbers(rows)), mode=mode)
    for learner in ALL:
        for alone in (False, True):
            discover(FisherZ(numbers()), learner, "paper", decompose=not alone)
    discover(GSquare(categories()), mode="either")
    discover(DegenerateGaussian(categories()), mode="balanced")


PARTS: Mapping[str, Callable[[], object]] = {
    "splitting": _split,
    "climbs": lambda: _climb(FisherZ(numbers())),
    "climbs of blocks": lambda: _climb(DegenerateGaussian(categories())),
    "orders": lambda: _search_orders(FisherZ(numbers())),
    "orders of blocks": lambda: _search_orders(DegenerateGaussian(categories())),
    "blankets": lambda: IAMB().learn(Inquiry(FisherZ(numbers()))),
    "searches": lambda: discover(FisherZ(numbers()), "fci", "paper", decompose=False),
    "counting": lambda: discover(GSquare(categories()), "fci", "paper", blankets="iamb", decompose=False),
}
"""Parts of the work by name, those that take longest to compile first."""
REST = "whole runs"
_BY_TESTS = ("exact", "paper")
# What one process compiles and what another does, where something takes long: by whether a run goes by tests, and on blocks of columns.
_PARTED = {
    (True, False): (("blankets", "searches"), ("splitting",)),
    (False, False): (("splitting",), ("climbs", "orders")),
    (False, True): (("orders of blocks",), ("climbs of blocks",)),
}
_TIME_TO_COMPILE = 300.0  # seconds; a run with less may not spend them so
_MOST_INTERPRETED = {True: 150, False: 50}  # columns in such modes, and in those that score


class Warmed(NamedTuple):
    """What it took to get the kernels of a part: compiled ones, and seconds."""

    part: str
    compiled: int
    seconds: float


class _Count(event.Listener):
    """How many kernels were compiled, rather than loaded."""

    count = 0

    def on_start(self, event: object) -> None:
        self.count += 1

    def on_end(self, event: object) -> None:
        """Nothing: it was counted."""


def warmed(part: str) -> Warmed:
    """Have the kernels of a part compiled and kept; Ctrl-C is none of the small run's that does it."""
    start, count = perf_counter(), _Count()
    with event.install_listener("numba:compile", count), compiling():
        try:
            (_run_all if part == REST else PARTS[part])()
        except Interrupted:
            raise KeyboardInterrupt from None
    return Warmed(part, count.count, perf_counter() - start)


def is_first_use() -> bool:
    """Was no tree ever grown here, so that the kernels are not compiled yet?"""
    kept = getattr(growth.grow, "_cache", None)
    folder = getattr(kept, "cache_path", None)
    return folder is not None and not any(Path(folder).glob("growth.grow-*.nbi"))


def is_compiled_first(table: Table, mode: str, max_seconds: float | None = None) -> bool:
    """Is it better to compile before this run than to begin it with kernels that Python interprets?

    Only for what is not compiled yet, and known beforehand: numbers, more columns than Python does in a few seconds, and time for it.
    """
    if max_seconds is not None and max_seconds < _TIME_TO_COMPILE:
        return False
    most = _MOST_INTERPRETED[mode in _BY_TESTS] if may_interpret() else 0
    return len(table.names) > most and is_first_use() and set(table.understood().kinds) == {"continuous"}


def warm_before(mode: str, has_blocks: bool = False) -> None:
    """Before runs on numbers, or on blocks of columns: compile half of what takes long in another process, and meanwhile the rest here."""
    ours, theirs = _PARTED.get((mode in _BY_TESTS, has_blocks), ((), ()))
    if not theirs:  # nothing takes long
        return
    with subprocess.Popen(_command(theirs), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as other:
        try:
            for part in ours:
                warmed(part)
        except BaseException:
            other.kill()
            raise


def _command(parts: Iterable[str]) -> list[str]:
    script = "import sys; from dicola.pipeline.warming import warmed; [warmed(part) for part in sys.argv[1:]]"
    return [sys.executable, "-c", script, *parts]
