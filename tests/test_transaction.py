"""Output is one transaction: the whole new result or the whole old one, whatever happens; nobody else's files are touched."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import stat
import threading
import time
from pathlib import Path

import pytest

from dicola import PAG, Discovery, FisherZ, InvalidData, simulate, transaction
from dicola.local_discovery import LocalDiscovery
from dicola.pipeline.local import local
from dicola.result_folder import digests_in, write_result
from dicola.transaction import JOURNAL, LOCK, UNDO, locked, replace_together
from tests.faults.injections import FAULTS
from tests.faults.results import SCENARIOS, Bench, files_in, found, sizes, writer


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def stopped_after_the_commit(folder: Path, kind: str = "whole", seed: int = 2, moves: int = 3) -> None:
    """A folder as a writer leaves it that is killed after so many moves."""
    child = os.fork()
    if not child:
        honest, left = Path.replace, [moves]

        def replace(self: Path, target: Path) -> Path:
            if not left[0]:
                os.kill(os.getpid(), signal.SIGKILL)
            left[0] -= 1
            return honest(self, target)

        Path.replace = replace
        try:
            writer(kind, seed)(folder)
        finally:
            os._exit(0)
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL
    assert (folder / JOURNAL).is_dir()


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_some_of_the_faults_of_make_faults(scenario, tmp_path):
    bench = Bench(tmp_path)
    bench.all_faults(scenario, step=41)
    bench.full(scenario, list(sizes())[3])
    assert bench.outcome.wrong == [] and bench.outcome.injections > 6


def test_several_writers_never_mix_and_a_reader_sees_one_of_them(tmp_path):
    bench = Bench(tmp_path)
    bench.writers(3, 3)
    assert bench.outcome.wrong == []


def test_a_fault_that_mixes_would_be_noticed(tmp_path, monkeypatch):
    """The bench itself: with plain moves and no journal it finds mixed folders."""

    def plainly(folder: Path, texts: dict[str, str], gone: object = tuple) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")

    monkeypatch.setattr("dicola.files.replace_together", plainly)
    bench = Bench(tmp_path)
    bench.all_faults("another result over one", step=7, faults=FAULTS[:1])
    assert any("mixed" in each for each in bench.outcome.wrong)


@pytest.mark.parametrize("moves", [0, 1, 4])
def test_a_reader_finishes_what_a_writer_that_was_killed_left(moves, tmp_path):
    writer("whole", 1)(tmp_path)
    stopped_after_the_commit(tmp_path, moves=moves)
    assert Discovery.read(tmp_path) == found(2) and not list(tmp_path.glob(".dicola-*"))
    assert PAG.read(tmp_path) == found(2).pag


def test_who_may_not_write_reads_the_new_result_all_the_same(tmp_path, monkeypatch):
    writer("drawn", 1)(tmp_path)
    stopped_after_the_commit(tmp_path)

    def refused(folder: Path) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(transaction, "_finish", refused)
    assert Discovery.read(tmp_path) == found(2) and (tmp_path / JOURNAL).is_dir()
    (tmp_path / JOURNAL).rename(tmp_path / UNDO)
    assert Discovery.read(tmp_path) == found(1, drawn=True), "what is being undone is read as it was"


@pytest.mark.parametrize("kind", ["whole", "settings", "local"])
def test_a_result_takes_the_place_of_another_whatever_their_kinds(kind, tmp_path):
    for other in ("drawn", "settings", "local", "whole"):
        writer(other, 1)(tmp_path)
        (tmp_path / "notes.txt").write_text("mine")
        (tmp_path / "data.csv").write_text("a,b\n")
        writer(kind, 2)(tmp_path)
        writer(kind, 2)(tmp_path / "alone")
        assert files_in(tmp_path) == files_in(tmp_path / "alone")
        assert (tmp_path / "notes.txt").read_text() == "mine" and (tmp_path / "data.csv").exists()
        shutil.rmtree(tmp_path / "alone")


def test_one_written_before_there_were_digests_is_replaced_whole(tmp_path):
    found(1, drawn=True).write(tmp_path)
    for name, newer in (("timing.json", "sha256"), ("discovery.json", "sealed_by")):
        facts = json.loads((tmp_path / name).read_text())
        del facts[newer]
        (tmp_path / name).write_text(json.dumps(facts))
    (tmp_path / "settings.toml").write_text("# dicola\n")
    assert Discovery.read(tmp_path) == found(1, drawn=True)
    found(2).write(tmp_path)
    assert names(tmp_path) == names(found(2).write(tmp_path.parent / "plain"))


def test_every_file_has_a_digest_and_a_reader_notices_each_change(tmp_path):
    folder = found(1, drawn=True).write(tmp_path / "r")
    other = found(2, drawn=True).write(tmp_path / "other")
    assert set(digests_in(folder)) == set(names(folder))
    for name in names(folder):
        for damage in ("other", "flipped", "lost"):
            shutil.copytree(folder, tmp_path / "copy")
            target = tmp_path / "copy" / name
            if damage == "other":
                target.write_bytes((other / name).read_bytes())
            elif damage == "flipped":
                text = bytearray(target.read_bytes())
                text[len(text) // 2] ^= 1
                target.write_bytes(text)
            else:
                target.unlink()
            if damage == "lost" and name in ("report.html", "pag.svg"):
                assert Discovery.read(tmp_path / "copy") == found(1, drawn=True), "these can be made again"
            else:
                with pytest.raises(InvalidData):
                    Discovery.read(tmp_path / "copy")
            shutil.rmtree(tmp_path / "copy")


def test_what_writers_left_is_removed_but_not_while_one_is_at_work(tmp_path):
    (tmp_path / ".dicola-abcdefgh" / "new").mkdir(parents=True)
    (tmp_path / ".dicola-abcdefgh" / "new" / "pag.csv").write_text("half")
    (tmp_path / ".dicola-file").write_text("half")
    began, seen = threading.Event(), []

    def write() -> None:
        began.set()
        found(1).write(tmp_path)
        seen.append(time.monotonic())

    with locked(tmp_path):
        thread = threading.Thread(target=write)
        thread.start()
        began.wait()
        time.sleep(0.2)
        assert (tmp_path / ".dicola-abcdefgh").exists() and not seen
    thread.join()
    assert seen and not list(tmp_path.glob(".dicola-*")) and Discovery.read(tmp_path) == found(1)


def test_a_writer_that_never_ends_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(
        transaction.locked.__wrapped__, "__kwdefaults__", {**transaction.locked.__wrapped__.__kwdefaults__, "patience": 0.1}
    )
    with locked(tmp_path), pytest.raises(InvalidData, match="another process is writing to"):
        found(1).write(tmp_path)


def test_where_folders_have_no_locks_a_file_is_locked(tmp_path, monkeypatch):
    import fcntl

    honest = fcntl.flock

    def flock(place: int, how: int) -> None:
        if stat.S_ISDIR(os.fstat(place).st_mode):
            raise OSError(errno.EBADF, "Bad file descriptor")
        honest(place, how)

    monkeypatch.setattr(fcntl, "flock", flock)
    found(1).write(tmp_path)
    assert (tmp_path / LOCK).exists() and Discovery.read(tmp_path) == found(1)
    with locked(tmp_path), pytest.raises(InvalidData, match="another"), locked(tmp_path, patience=0.05):
        pass


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_wait_until_the_files_are_in_their_places(number, tmp_path, monkeypatch):
    writer("whole", 1)(tmp_path)
    heard: list[str] = []
    honest, before = Path.replace, signal.getsignal(number)

    def replace(self: Path, target: Path) -> Path:
        if self.name == "pag.json":
            os.kill(os.getpid(), number)
        return honest(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    signal.signal(number, lambda number, frame: heard.append("new" if files_in(tmp_path)["pag.csv"] != old else "old"))
    old = files_in(tmp_path)["pag.csv"]
    try:
        writer("whole", 2)(tmp_path)
    finally:
        signal.signal(number, before)
    assert heard == ["new"] and Discovery.read(tmp_path) == found(2)


def test_a_journal_of_others_touches_nothing_outside(tmp_path):
    (tmp_path / "outside.txt").write_text("mine")
    folder = tmp_path / "r"
    (folder / JOURNAL / "new").mkdir(parents=True)
    for bad in ("../outside.txt", str(tmp_path / "outside.txt"), "..", ""):
        (folder / JOURNAL / "files.json").write_text(json.dumps({"texts": [bad], "gone": [bad]}))
        with pytest.raises(InvalidData):
            Discovery.read(folder)
        assert (tmp_path / "outside.txt").read_text() == "mine"


def test_the_current_folder_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    near = local(FisherZ(simulate.linear_gaussian(simulate.er_dag(4, 2, seed=1), 100, seed=1)), target="X1")
    assert isinstance(near, LocalDiscovery)
    for write in (found(1).write, near.write, found(1, drawn=True).bootstrap.write):
        for current in ("", ".", "./", tmp_path):
            with pytest.raises(InvalidData, match="current folder; results need a folder of their own"):
                write(current)
    assert names(tmp_path) == []


def test_a_bootstrap_beside_a_result_does_not_touch_it(tmp_path):
    drawn = found(2, drawn=True).bootstrap
    drawn.write(found(1).write(tmp_path / "without"))
    assert Discovery.read(tmp_path / "without") == found(1) and (tmp_path / "without" / "bootstrap.csv").exists()
    found(1, drawn=True).write(tmp_path / "with")
    with pytest.raises(InvalidData, match="belongs to the result in that folder"):
        drawn.write(tmp_path / "with")
    with pytest.raises(InvalidData, match="belongs to the result in that folder"):
        found(2).pag.write(tmp_path / "with" / "pag.csv")
    assert Discovery.read(tmp_path / "with") == found(1, drawn=True)


def test_a_move_that_cannot_be_undone_either_is_told_and_made_later(tmp_path, monkeypatch):
    writer("whole", 1)(tmp_path)
    honest = Path.rename

    def broken(self: Path, target: Path) -> Path:
        raise OSError(errno.EROFS, "Read-only file system")

    def rename(self: Path, target: Path) -> Path:
        return broken(self, target) if target.name == UNDO else honest(self, target)

    monkeypatch.setattr(Path, "replace", broken)
    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(InvalidData, match="written but not yet in their places"):
        writer("whole", 2)(tmp_path)
    assert (tmp_path / JOURNAL).is_dir() and Discovery.read(tmp_path) == found(2)
    monkeypatch.undo()
    assert Discovery.read(tmp_path) == found(2) and not (tmp_path / JOURNAL).exists()


def test_files_of_one_change_come_and_go_together(tmp_path):
    replace_together(tmp_path / "new" / "folder", {"a": "1", "b": "2"})
    replace_together(tmp_path / "new" / "folder", {"a": "3"}, lambda: ("b", "a", "never there"))
    assert {path.name: path.read_text() for path in (tmp_path / "new" / "folder").iterdir()} == {"a": "3"}
    write_result(tmp_path / "r", {"pag.csv": "x"}, {"total": 1.0})
    assert digests_in(tmp_path / "r").keys() == {"pag.csv", "timing.json"}
