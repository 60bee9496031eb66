"""What a hundred drawn tables cost: ``python benchmarks/bootstrap.py`` on MILDEW, 3 variables hidden, 2,000 rows.

Per mode the time of a bootstrap as a multiple of one run, and how much faster two workers are than one. Medians of rounds in which the
three take turns, on a quiet machine; time on the wall, and time of the processors, which other work on the machine disturbs less.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from time import perf_counter, process_time
from typing import NamedTuple

import dicola
from dicola import DiCoLa, simulate

REPLICATES, ROWS, RUNS = 100, 2000, 20


class Time(NamedTuple):
    """Seconds on the wall, and of processors."""

    wall: float
    busy: float


def timed(work: Callable[[], object], runs: int = 1) -> Time:
    """What some work takes, on average over some runs."""
    wall, busy = perf_counter(), _busy()
    for _ in range(runs):
        work()
    return Time((perf_counter() - wall) / runs, (_busy() - busy) / runs)


def _busy() -> float:
    children = getrusage(RUSAGE_CHILDREN)
    return process_time() + children.ru_utime + children.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--modes", default="exact,balanced")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    dag = simulate.network("mildew")
    table = simulate.linear_gaussian(dag, ROWS, seed=asked.seed).drop(columns=list(simulate.hide(dag, 3, seed=asked.seed)))
    for mode in asked.modes.split(","):
        rounds = [_round(table, mode) for _ in range(asked.rounds + 1)][1:]  # the first one compiles
        for at, clock in enumerate(Time._fields):
            one, drawn, by_two = (median(times[i][at] for times in rounds) for i in range(3))
            told = f"one run {1000 * one:.1f} ms, {REPLICATES} tables {drawn:.3f} s = {drawn / one:.1f} x, by two workers {by_two:.3f} s"
            print(f"{mode}, {clock}: {told}{f' = {drawn / by_two:.2f} x as fast' if clock == 'wall' else ''}", flush=True)


def _round(table: object, mode: str) -> tuple[Time, Time, Time]:
    return (
        timed(lambda: DiCoLa(mode=mode).fit(table), RUNS),
        timed(lambda: dicola.bootstrap(table, REPLICATES, mode=mode)),
        timed(lambda: dicola.bootstrap(table, REPLICATES, n_jobs=2, mode=mode)),
    )


if __name__ == "__main__":
    main()
