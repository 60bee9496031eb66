"""Clusters give the bytes of one worker; one of their workers may die."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Lock

import joblib
import pandas as pd
import pytest
from threadpoolctl import threadpool_info

import dicola
from dicola import FCI, CallableTest, DiCoLa, FisherZ, InvalidData, InvalidSetting, MissingExtra, discover, simulate
from dicola.ci import engines
from dicola.ci.engines import ENGINES
from dicola.ci.workers import Workers, engine_at
from dicola.decompose import leaves
from dicola.pipeline.plan import Plan
from dicola.watch import Stopped, Watch, heed, watched_by

NO_TIMES = ("timing.json", "report.html")


def table() -> pd.DataFrame:
    dag = simulate.modular_dag(6, 5, 2, 1, seed=3)
    return simulate.linear_gaussian(dag, 400, seed=3)


@pytest.fixture(scope="module")
def ray() -> Iterator[None]:
    found = pytest.importorskip("ray", reason="Ray is not installed: pip install dicola[ray]")
    yield None
    found.shutdown()


def slow(frame: pd.DataFrame) -> CallableTest:
    inner = FisherZ(frame)
    return CallableTest(lambda x, y, z: inner(x, y, z).p_value, frame.columns)


def bytes_of(found: dicola.Discovery, folder) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in found.write(folder).iterdir() if file.name not in NO_TIMES}


def check_runs(tmp_path, monkeypatch, **engine: str) -> None:
    monkeypatch.setattr(leaves, "_TOGETHER", 8)  # so that there are several tasks
    frame = table()
    small = frame[list(frame.columns[:7])]
    for number, (test, settings) in enumerate(
        [
            (FisherZ(frame), {"learner": FCI(), "stop": "paper"}),
            (FisherZ(frame), {"learner": "l-marvel", "stop": "paper"}),
            (FisherZ(frame), {"mode": "balanced"}),
            (slow(small), {"learner": "rfci", "mode": "paper"}),
        ]
    ):
        one, many = discover(test, **settings), discover(test, **settings, **engine)
        assert one.tests == many.tests
        assert bytes_of(one, tmp_path / f"{number} one") == bytes_of(many, tmp_path / f"{number} many")
    for mode in ("exact", "balanced"):
        drawn = [DiCoLa(mode=mode, bootstrap=5, **where).fit(frame).discovery_ for where in ({}, engine)]
        assert bytes_of(drawn[0], tmp_path / f"{mode} one") == bytes_of(drawn[1], tmp_path / f"{mode} many")


def test_a_dask_cluster_gives_the_bytes_of_one_worker(dask, tmp_path, monkeypatch):
    check_runs(tmp_path, monkeypatch, scheduler=dask)


def test_ray_gives_the_bytes_of_one_worker(ray, tmp_path, monkeypatch):
    before = [signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGINT)]
    check_runs(tmp_path, monkeypatch, workers="ray")
    assert [signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGINT)] == before, "Ray puts handlers of its own there"


def test_a_client_that_is_there_is_taken_and_joblib_may_be_told(dask):
    import distributed

    frame = table()
    one = dicola.bootstrap(frame, 4, mode="exact")
    with distributed.Client(dask):
        assert dicola.bootstrap(frame, 4, mode="exact", workers="dask") == one
        with joblib.parallel_config("dask"):
            assert dicola.bootstrap(frame, 4, mode="exact", n_jobs=2) == one


def piece_and_worker(piece: int) -> tuple[int, int, int]:
    time.sleep(0.05)
    return piece, os.getpid(), max((pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"), default=1)


def test_a_killed_worker_changes_nothing(dask):
    found = []
    for piece, worker, threads in Workers(kind="dask", scheduler=dask).each(piece_and_worker, range(60)):
        found.append(piece)
        assert worker != os.getpid() and threads == 1
        if piece == 3:
            os.kill(worker, signal.SIGKILL)
    assert found == list(range(60))


def test_a_look_that_a_look_before_it_has_cancelled_is_repeated(dask, monkeypatch):
    """Dask joins those who wait for the same data; where a wait ends in time, whoever joined it gets an error of Dask's own."""
    from distributed import Future

    once, result = [True], Future.result

    def cancelled(self, timeout=None):
        if once:
            once.pop()
            raise UnboundLocalError("cannot access local variable 'result' where it is not associated with a value")
        return result(self, timeout)

    monkeypatch.setattr(Future, "result", cancelled)
    workers = Workers(kind="dask", scheduler=dask)
    assert [piece for piece, *_ in workers.each(piece_and_worker, range(3))] == [0, 1, 2] and not once
    with pytest.raises(UnboundLocalError):
        list(workers.each(unbound, range(2)))


def unbound(piece: int) -> int:
    if piece < 0:
        found = piece
    return found


class Deadly:
    """Work that kills whoever unpacks it, so many times."""

    def __init__(self, folder: str, deaths: int) -> None:
        self.folder, self.deaths, self.home = folder, deaths, os.getpid()

    def __call__(self, piece: int) -> tuple[int, int]:
        return piece, os.getpid()

    def __setstate__(self, state: dict[str, object]) -> None:
        vars(self).update(state)
        died = sum(1 for _ in Path(self.folder).iterdir())
        if os.getpid() != self.home and died < self.deaths:
            Path(self.folder, str(died)).touch()
            os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("deaths", [1, 10**6])
def test_workers_that_die_while_all_is_sent_change_nothing(dask, tmp_path, deaths):
    found = list(Workers(kind="dask", scheduler=dask).each(Deadly(str(tmp_path), deaths), range(4)))
    assert [piece for piece, _ in found] == [0, 1, 2, 3]
    assert all((worker == os.getpid()) == (deaths > 1) for _, worker in found), "in the end it is done here"
    assert 0 < sum(1 for _ in tmp_path.iterdir()) < 10


def raises(piece: int) -> int:
    if piece == 2:
        raise InvalidData("piece 2 has no rows.")
    return piece


def endless(piece: int) -> int:
    """A piece that only its watch can end; or, so that no test hangs, a minute."""
    until = time.monotonic() + 60.0
    while time.monotonic() < until:
        heed()
        time.sleep(0.001)
    return piece


def test_a_worker_ends_a_piece_whose_time_is_spent_and_lives():
    assert isinstance(engines.within(endless, 1, 0.1), engines.Ended)
    assert engines.within(abs, -1, 0.1) == engines.within(abs, -1, None) == 1


def deaf(piece: int) -> int:
    """A piece that no watch can end."""
    time.sleep(3.0)
    return piece


@pytest.mark.parametrize("run", [endless, deaf])
@pytest.mark.parametrize("kind", ["dask", "ray"])
def test_time_that_is_spent_ends_the_work_there_and_here(kind, run, request):
    address, watch = request.getfixturevalue(kind), Watch.of(0.5)
    with watched_by(watch), pytest.raises(Stopped):
        list(Workers(kind=kind, scheduler=address).each(run, range(20)))
    assert watch.reason == "seconds"
    assert list(Workers(kind=kind, scheduler=address).each(abs, range(4))) == [0, 1, 2, 3], "the workers live, and are free again"


@pytest.mark.parametrize("kind", ["dask", "ray"])
def test_an_error_there_is_raised_here_as_it_is(kind, request):
    address = request.getfixturevalue(kind)
    with pytest.raises(InvalidData, match="piece 2 has no rows"):
        list(Workers(kind=kind, scheduler=address).each(raises, range(5)))


def test_workers_that_are_not_there_are_told_in_a_sentence(dask, monkeypatch):
    with pytest.raises(InvalidSetting, match=r"workers='dask' needs a Dask cluster.* scheduler='tcp://127"):
        discover(FisherZ(table()), workers="dask", stop="paper")
    monkeypatch.setattr(engines, "_SECONDS", "1s")
    with pytest.raises(InvalidSetting, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:1 "):
        discover(FisherZ(table()), scheduler="tcp://127.0.0.1:1", stop="paper")


@pytest.mark.parametrize("kind", list(ENGINES))
def test_a_missing_engine_is_told_in_a_sentence(kind, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, {"dask": "distributed", "ray": "ray"}[kind], None)
    with pytest.raises(MissingExtra, match=rf"pip install dicola\[{kind}\]"):
        discover(FisherZ(table()), workers=kind, stop="paper")


def test_a_scheduler_goes_with_its_own_workers():
    assert engine_at("ray://there:10001") == "ray" and engine_at("tcp://there:8786") == "dask"
    with pytest.raises(InvalidSetting, match=r"workers is 'threads'; with a scheduler it may be 'dask', or left out\."):
        Plan(scheduler="tcp://there:8786", workers="threads")


ONE_THREAD = """
from threadpoolctl import threadpool_info
from dicola.ci.engines import held

def threads(piece):
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]

import scipy.linalg
before = threads(0)
assert before and set(held(threads, 0)) == {1} and threads(0) == before
"""


def test_linear_algebra_has_one_thread_while_a_worker_is_at_work():
    """In a process of its own: what other tests left at work would count here too."""
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    subprocess.run([sys.executable, "-c", ONE_THREAD], check=True, env=environment, timeout=120)


def test_what_cannot_be_sent_to_a_cluster_is_done_here_and_said(dask, monkeypatch):
    monkeypatch.setattr(leaves, "_TOGETHER", 8)  # so that there are several tasks
    frame, held = table(), Lock()
    inner = FisherZ(frame[list(frame.columns[:7])])

    def guarded(x, y, z):
        with held:
            return inner(x, y, z).p_value

    test = CallableTest(guarded, inner.names)
    one, here = discover(test, mode="paper"), discover(test, mode="paper", scheduler=dask)
    assert here.pag == one.pag and here.tests == one.tests
    (said,) = set(here.warnings) - set(one.warnings)
    assert "cannot be sent to the workers of the cluster (workers='dask')" in said


def blas_threads() -> set[int]:
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


def test_linear_algebra_of_small_tables_is_done_in_one_thread():
    """Threads that were asleep take tens of milliseconds to come on some machines; a fit takes as long."""
    before = blas_threads()
    with engines.held_if_small(2000, 50):
        assert blas_threads() == {1}
        with engines.held_if_small(None, 30):
            assert blas_threads() == {1}
        assert blas_threads() == {1}
    assert blas_threads() == before
    with engines.held_if_small(10_000, 1000):
        assert blas_threads() == before
