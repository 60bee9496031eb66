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
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pandas as pd

from dicola import CallableTest, DiCoLa, Discovery, FisherZ, GSquare, discover, simulate
from dicola.decompose import leaves
from dicola.learners.registry import ALL
from dicola.pipeline.modes import MODES

NO_TIMES = ("timing.json", "report.html")
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


@contextmanager
def killing(scheduler: str, after: float = 0.05) -> Iterator[None]:
    """Kill a worker of a cluster shortly after the work has begun."""
    from distributed import Client

    with Client(scheduler, set_as_default=False) as client:
        deadline = time.monotonic() + 60
        while len(pids := client.run(os.getpid)) < 2 and time.monotonic() < deadline:
            time.sleep(0.1)
    timer = threading.Timer(after, os.kill, (next(iter(pids.values())), signal.SIGKILL))
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def main() -> int:
    """Compare all; the number of runs that differ."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--kill", action="store_true")
    asked.add_argument("--only", default="")
    options = asked.parse_args()
    leaves._TOGETHER = 10  # so that there are many tasks
    who: dict[str, dict[str, Any]] = {
        f"{jobs} {kind}": {"n_jobs": jobs, "workers": kind} for jobs in (2, 8) for kind in ("threads", "processes")
    }
    cluster = None
    if find_spec("distributed"):
        from distributed import LocalCluster

        cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0")
        who["dask"] = {"scheduler": cluster.scheduler_address}
    if find_spec("ray") and not options.kill:
        who["ray"] = {"workers": "ray"}
    if options.kill:
        who = {"dask": who["dask"]}
    wrong = total = 0
    for name, make in runs():
        if options.only not in name:
            continue
        wanted = files(make())
        for engine, settings in who.items():
            with killing(cluster.scheduler_address) if options.kill and cluster else tempfile.TemporaryDirectory():
                found = files(make(**settings))
            total += 1
            if found != wanted:
                wrong += 1
                sys.stdout.write(f"{name}, {engine}: other bytes in {', '.join(key for key in wanted if found.get(key) != wanted[key])}\n")
        sys.stdout.write(f"{name}: {len(wanted)} files, {', '.join(who)}\n")
        sys.stdout.flush()
    sys.stdout.write(f"{total} runs compared with one worker, {wrong} differ\n")
    if cluster is not None:
        cluster.close()
    return wrong


if __name__ == "__main__":
    sys.exit(main())
