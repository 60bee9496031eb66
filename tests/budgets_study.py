"""Does every run end when it is told to? Hard tables, every mode and learner, alone and decomposed: a budget, Ctrl-C, and memory.

``python -m tests.budgets_study [--seconds 5] [--only TEXT] [--how seconds,interrupt,memory] [--cold]`` prints one line per run: how long
it took beyond what it was allowed, and whether the answer is valid: labelled where it is a part, each undecided pair an edge of the graph.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from functools import cache, partial
from time import monotonic
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import dicola
from dicola import CITest, DiCoLa, Discovery, FisherZ, GSquare, LocalDiscovery, discover, local, simulate
from dicola.watch import memory_in_use

LEARNERS = ("fci", "rfci", "fci+", "icd", "l-marvel", "lfci", "pc", "gfci", "boss-fci", "mag-bic")
TABLES = ("er-200-6", "er-60-10", "factor-200", "equal-60", "levels-60")
TOLERANCE = {"seconds": 2.0, "interrupt": 1.0, "memory": 2.0}


@cache
def table(name: str) -> pd.DataFrame:
    """One of the hard tables."""
    rng = np.random.default_rng(0)
    if name.startswith("er"):
        _, n, degree = name.split("-")
        return simulate.linear_gaussian(simulate.er_dag(int(n), int(degree), seed=1), 5000, seed=1)
    if name == "levels-60":
        return table("er-60-10").apply(lambda column: pd.qcut(column, 3, labels=False)).astype("category")
    columns, rows = (200, 5000) if name == "factor-200" else (60, 20_000)
    common, own = rng.normal(size=(rows, 1)), rng.normal(size=(rows, columns))
    values = 3.0 * common + own if name == "factor-200" else common + own
    return pd.DataFrame(values, columns=[f"V{i}" for i in range(columns)])


@cache
def test_on(name: str) -> CITest:
    """The independence test that goes with a table."""
    return (GSquare if name == "levels-60" else FisherZ)(table(name), alpha=0.01)


class Case(NamedTuple):
    """A run to be ended, by what it is called."""

    table: str
    told: str
    call: Callable[..., Any]


def ways(name: str) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Every way to learn from a table."""

    few = {"blankets": "iamb"} if name == "levels-60" else {}  # rows enough to count levels given few columns alone

    def learn(learner: str | None = None, **settings: Any) -> Any:
        return discover(test_on(name), learner, **few, **settings)

    for mode in ("exact", "paper", "balanced", "auto", *(("either",) if name == "levels-60" else ())):
        yield f"mode {mode}", partial(learn, mode=mode)
    for learner in LEARNERS:
        yield f"{learner} alone", partial(learn, learner, mode="paper", decompose=False)
        yield f"{learner} decomposed", partial(learn, learner, mode="paper", stop="reference")
    yield "exact, two workers", partial(learn, "fci", n_jobs=2)
    yield "selection", partial(learn, "fci", mode="paper", selection=True)
    yield "legalize", partial(learn, mode="paper", legalize=True)
    yield "local", lambda **budget: local(test_on(name), test_on(name).names[0], **budget)
    yield "bootstrap", lambda **budget: DiCoLa(bootstrap=1000, **budget).fit(table(name)).discovery_


def cases(only: str = "", tables: tuple[str, ...] = TABLES) -> Iterator[Case]:
    """Every table with every way to learn from it."""
    return (Case(name, told, call) for name in tables for told, call in ways(name) if only in f"{name} {told}")


def objection(found: Any) -> str:
    """What is wrong with an answer, if anything."""
    if isinstance(found, LocalDiscovery):
        return "" if found.complete or found.warnings else "not labelled"
    if not isinstance(found, Discovery):
        return f"a {type(found).__name__}"
    edges = found.skeleton.named_edges()
    if any(frozenset(pair) not in edges for pair in found.undecided) or found.pag.n_edges != len(edges):
        return "undecided pairs that are no edges"
    if found.complete and found.undecided:
        return "complete, with undecided pairs"
    if not found.complete and not any("stopped" in warning for warning in found.warnings):
        return "not labelled"
    circles = {frozenset((edge.u, edge.v)) for edge in found.pag.edges() if edge.arrow == "o-o"}
    scored = any("score" in warning for warning in found.warnings[:1])
    return "" if scored or all(frozenset(pair) in circles for pair in found.undecided) else "undecided edges with marks"


def by_budget(case: Case, seconds: float) -> tuple[float, Any]:
    """How much longer than its budget a run takes."""
    start = monotonic()
    found = case.call(max_seconds=seconds)
    return monotonic() - start - seconds, found


def by_signal(case: Case, seconds: float) -> tuple[float, Any]:
    """How long after Ctrl-C a run ends."""
    sent: list[float] = []
    ended = threading.Event()

    def press() -> None:
        if not ended.wait(seconds):
            sent.append(monotonic())
            os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press, daemon=True).start()
    try:
        found = case.call()
        ended.set()
        return -seconds, found
    except dicola.Interrupted as stopped:
        return monotonic() - sent[0], stopped.discovery


def by_memory(case: Case, seconds: float) -> tuple[float, Any]:
    """The same where the process grows beyond its bound after some seconds."""
    filled: list[Any] = []
    grown: list[float] = []
    ended = threading.Event()

    def fill() -> None:
        if not ended.wait(seconds):
            filled.append(np.ones(60_000_000))
            grown.append(monotonic())

    thread = threading.Thread(target=fill, daemon=True)
    thread.start()
    found = case.call(max_memory=400.0)
    ended.set()
    thread.join()
    return monotonic() - grown[0] if grown else -seconds, found


WAYS = {"seconds": by_budget, "interrupt": by_signal, "memory": by_memory}


def main() -> int:
    """Run all and tell; the exit code is the number of runs that did not end as they should."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--only", default="")
    parser.add_argument("--how", default="seconds,interrupt,memory")
    parser.add_argument("--cold", action="store_true", help="compile nothing beforehand, as on first use")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell has jobs in the background ignore it
    if not chosen.cold:
        os.environ["DICOLA_COMPILE"] = "always"
        for case in cases(tables=("er-60-10", "levels-60")):  # so that no compilation is timed
            case.call(max_seconds=0.2)
    bad = 0
    print(f"{'table':12} {'run':22} {'how':10} {'late by':>8}  {'complete':9} {'undecided':>9} {'edges':>6}")
    for case in cases(chosen.only):
        for how in chosen.how.split(","):
            late, found = WAYS[how](case, chosen.seconds if how == "seconds" else 1.0)
            wrong = objection(found) or ("late" if late > TOLERANCE[how] else "")
            bad += bool(wrong)
            many = len(getattr(found, "undecided", ()))
            told = f"{case.table:12} {case.told:22} {how:10} {late:8.2f}  {found.complete!s:9} {many:9} {found.pag.n_edges:6} {wrong}"
            print(told, flush=True)
    print(f"{bad} did not end as they should; {memory_in_use() / 1e6:.0f} MB")
    return min(bad, 99)


if __name__ == "__main__":
    sys.exit(main())
