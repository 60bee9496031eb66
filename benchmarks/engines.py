"""Do all engines write the same files? Every learner and every mode, by 1, 2 and 8 workers, in threads and processes, on Dask and Ray.

``python benchmarks/engines.py`` compares the files of each run, byte for byte, with those of one worker; times are left out. With
``--kill`` a worker of the Dask cluster is killed during every run. Engines that are not installed are left out.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pandas as pd

from dicola import CallableTest, DiCoLa, Discovery, FisherZ, GSquare, discover, simulate
from dicola.ci import askers
from dicola.decompose import leaves
from dicola.learners.registry import ALL
from dicola.pipeline.modes import MODES

NO_TIMES = ("timing.json", "report.html")
PATIENCE = 15.0  # seconds for a worker to come back
FOREIGN = ("causal-learn", "rcd")  # learners of other libraries, which an installation may lack


def runs() -> Iterator[tuple[str, Any]]:
    """Names of runs, and what makes one given who works."""
    dag = simulate.modular_dag(5, 6, 2.5, 2, seed=4)
    frame = simulate.linear_gaussian(dag, 500, seed=4).drop(columns=list(simulate.hide(dag, 2, seed=4)))
    test, few = FisherZ(frame), FisherZ(frame[list(frame.columns[:9])])
    slow = CallableTest(lambda x, y, z: few(x, y, z).p_value, few.names)
    for learner in ALL:
        if not any(name in learner for name in FOREIGN):
            yield learner, lambda learner=learner, **who: discover(test, learner, mode="paper", **who)
            if not ALL.named(learner).needs_data:
                yield f"{learner}, slow test", lambda learner=learner, **who: discover(slow, learner, mode="paper", **who)
    words = frame.apply(lambda column: pd.qcut(column, 3, labels=["low", "middle", "high"]).astype(str))
    for mode in MODES:
        table, asked = (words, GSquare(words)) if mode == "either" else (frame, test)  # which counts levels
        by = {"ci_test": "g_square"} if mode == "either" else {}
        yield f"mode {mode}", lambda mode=mode, asked=asked, **who: discover(asked, mode=mode, **who)
        drawn = partial(_drawn, table, mode=mode, bootstrap=12, **by)
        yield f"mode {mode}, bootstrap", drawn


def _drawn(table: pd.DataFrame, **settings: Any) -> Discovery:
    return DiCoLa(**settings).fit(table).discovery_


def files(found: Any) -> dict[str, bytes]:
    """What a result writes."""
    with tempfile.TemporaryDirectory() as folder:
        return {file.name: file.read_bytes() for file in found.write(Path(folder, "out")).iterdir() if file.name not in NO_TIMES}


class Cluster:
    """Two Dask workers with a process each, for as long as both live or come back; then two others."""

    def __init__(self) -> None:
        self._made: Any = None

    def scheduler(self) -> str:
        """Where they listen, once both are there."""
        import dask
        from distributed import LocalCluster

        dask.config.set({"distributed.comm.timeouts.connect": "3s"})  # rather than 30, to those who are dead
        until = time.monotonic() + PATIENCE
        while self._made is not None and len(self.workers()) < 2:
            if time.monotonic() > until:  # a nanny whose worker died while it started may give up
                self.close()
            time.sleep(0.05)
        if self._made is None:
            self._made = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0")
        return str(self._made.scheduler_address)

    def workers(self) -> list[int]:
        """The processes that are there."""
        from distributed import Client

        with Client(self._made, set_as_default=False) as client:
            return list(client.run(os.getpid, on_error="ignore").values())

    def close(self) -> None:
        """Send them home."""
        if self._made is not None:
            self._made.close()
        self._made = None

    @contextmanager
    def losing_one(self, after: float = 0.05) -> Iterator[None]:
        """Kill a worker shortly after the work has begun."""
        timer = threading.Timer(after, os.kill, (self.workers()[0], signal.SIGKILL))
        timer.start()
        try:
            yield
        finally:
            timer.cancel()


def engines(cluster: Cluster, kills: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    """Names of those who may work, and the settings that say so."""
    if not kills:
        yield from ((f"{jobs} {kind}", {"n_jobs": jobs, "workers": kind}) for jobs in (2, 8) for kind in ("threads", "processes"))
    if find_spec("distributed"):
        yield "dask", {"scheduler": cluster.scheduler()}
    if find_spec("ray") and not kills:
        yield "ray", {"workers": "ray"}


def compared(make: Any, cluster: Cluster, kills: bool) -> dict[str, list[str]]:
    """The files that differ from those of one worker, by engine."""
    wanted, found = files(make()), dict[str, list[str]]()
    for engine, settings in engines(cluster, kills):
        with cluster.losing_one() if kills else nullcontext():
            made = files(make(**settings))
        found[engine] = [name for name in {**wanted, **made} if made.get(name) != wanted.get(name)]
    return found


def main() -> int:
    """Compare all; the number of runs that differ."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--kill", action="store_true")
    asked.add_argument("--only", default="")
    options = asked.parse_args()
    leaves._TOGETHER = 10  # so that there are many tasks
    askers._WORTH_HELP = 0.0  # so that slow tests, which are not slow here, are answered by others
    cluster, wrong, total = Cluster(), 0, 0
    for name, make in runs():
        if options.only not in name:
            continue
        begin, found = time.monotonic(), compared(make, cluster, options.kill)
        total, wrong = total + len(found), wrong + sum(map(bool, found.values()))
        told = [f"other bytes by {engine} in {', '.join(names)}" for engine, names in found.items() if names]
        sys.stdout.write(f"{name}: {'; '.join(told) or 'same bytes'} ({', '.join(found)}; {time.monotonic() - begin:.0f} s)\n")
        sys.stdout.flush()
    sys.stdout.write(f"{total} runs compared with one worker, {wrong} differ\n")
    cluster.close()
    return wrong


if __name__ == "__main__":
    sys.exit(main())
