"""What do two workers gain? Paper runs on ANDES and a slow Python test, by one worker and by two.

``python benchmarks/workers.py`` times both in turns. The slow test spins for a millisecond, or as many as ``--milliseconds`` says
(``--sleep``: sleeps, which measures who waits for whom on a machine that others use). Processes are started beforehand, as they stay for
the next run.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from dicola import CallableTest, FisherZ, discover, simulate

PAPER = Path(__file__).resolve().parents[1] / "paper"
SKIPPED = ("icd", "dicola+icd/reference")  # these run into their cap, which two workers meet as one does


class Slow:
    """Fisher's z, a millisecond later."""

    def __init__(self, test: FisherZ, seconds: float, sleeps: bool) -> None:
        self.test, self.seconds, self.sleeps = test, seconds, sleeps

    def __call__(self, x: str, y: str, z: tuple[str, ...]) -> float:
        until = time.perf_counter() + self.seconds
        if self.sleeps:
            time.sleep(self.seconds)
        while time.perf_counter() < until:
            pass
        return self.test(x, y, z).p_value


def slow_runs(sleeps: bool, milliseconds: float) -> Iterator[tuple[str, Callable[[int], Any]]]:
    """Names, and what makes a run by so many workers: FCI alone and decomposed."""
    for name, dag in (("ER(36,3)/4", simulate.er_dag(36, 3, seed=5)), ("MILDEW/3", simulate.network("mildew"))):
        frame = simulate.linear_gaussian(dag, 1000, seed=4).drop(columns=list(simulate.hide(dag, 4 if name[0] == "E" else 3, seed=4)))
        test = FisherZ(frame, alpha=0.01)
        for how, settings in (("alone", {"decompose": False}), ("mode exact", {"mode": "exact"}), ("mode paper", {"mode": "paper"})):
            yield f"slow test, {name}, FCI {how}", partial(_slow_run, Slow(test, milliseconds / 1000, sleeps), test.names, settings)


def _slow_run(function: Slow, names: tuple[str, ...], settings: dict[str, Any], jobs: int) -> Any:
    return discover(CallableTest(function, names), "fci", n_jobs=jobs, workers="processes", **settings)


def paper_run(repetitions: int, jobs: int) -> int:
    """The runs of the paper's study on ANDES, in a folder of their own; how many there were."""
    sys.path.insert(0, str(PAPER))
    from dicola_experiments.plan import load_study
    from dicola_experiments.rows import Rows
    from dicola_experiments.run import run_study

    study = load_study(PAPER / "andes.toml").with_limits(repetitions=repetitions, methods=["native"], skip=SKIPPED)
    with tempfile.TemporaryDirectory() as folder:
        return run_study(study, Rows(Path(folder), "andes"), jobs).done


def seconds(run: Callable[[int], Any], jobs: int) -> tuple[float, float]:
    """Those on the clock, and those of this process and of all that it started and that have ended."""
    begin, before = time.perf_counter(), _used()
    run(jobs)
    return time.perf_counter() - begin, _used() - before


def _used() -> float:
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def main() -> None:
    """Time all, one worker and two in turns."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--only", default="", help="a word in the name of what is timed")
    asked.add_argument("--sleep", action="store_true")
    asked.add_argument("--milliseconds", type=float, default=1.0, help="that a slow test takes")
    asked.add_argument("--rounds", type=int, default=3)
    asked.add_argument("--repetitions", type=int, default=3, help="of the paper's study")
    options = asked.parse_args()
    runs = [
        *slow_runs(options.sleep, options.milliseconds),
        (f"ANDES paper runs, {options.repetitions} repetitions", partial(paper_run, options.repetitions)),
    ]
    for name, run in runs:
        if options.only.lower() in name.lower():
            is_slow = name.startswith("slow")
            if is_slow:
                run(2)  # whose processes stay
            times = [[seconds(run, jobs) for jobs in (1, 2)] for _ in range(options.rounds if is_slow else 1)]
            one, two = (median(each[k][0] for each in times) for k in (0, 1))
            ratios = [each[0][0] / each[1][0] for each in times]
            cpu = "" if is_slow else f", processor {times[0][0][1]:.1f} and {times[0][1][1]:.1f} s"
            load = os.getloadavg()[0]
            sys.stdout.write(
                f"{name}: one worker {one:.2f} s, two {two:.2f} s, ratio {median(ratios):.2f} "
                f"({min(ratios):.2f} to {max(ratios):.2f}){cpu}, load {load:.1f}\n"
            )
            sys.stdout.flush()


if __name__ == "__main__":
    main()
