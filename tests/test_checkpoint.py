"""A run that was stopped goes on where it was, to the same answer; another table or setting is refused, and damage is done again."""

from __future__ import annotations

import errno
import json
import os
import signal
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dicola import KCI, DiCoLa, Discovery, FisherZ, InvalidData, InvalidSetting, Knowledge, bootstrap, simulate
from dicola.checkpoint import Checkpoint, checkpoint_in
from dicola.ci.inquiry import Account
from dicola.errors import Sentence, from_pieces, in_pieces
from dicola.learners.adapters.function import FunctionLearner
from dicola.learners.registry import ALL
from dicola.transaction import locked

CASES = {
    **{name: {"learner": name} for name in ALL},
    "balanced": {"mode": "balanced", "bootstrap": 4},
    "exact": {"mode": "exact", "bootstrap": 3},
    "paper": {"mode": "paper", "learner": "fci", "stop": "paper"},
    "with knowledge": {"mode": "balanced", "knowledge": Knowledge(forbidden=[("X1", "X2")])},
    "a slow test": {"ci_test": "rcit", "mode": "exact"},
}


@cache
def table(columns: int = 25, rows: int = 300) -> pd.DataFrame:
    dag = simulate.er_dag(columns, 2.5, seed=2)
    return simulate.linear_gaussian(dag, rows, seed=2).drop(columns=list(simulate.hide(dag, 2, seed=2)))


def texts(found: Discovery) -> dict[str, str]:
    """All files without the seconds: the block of the report that tells them goes."""
    written = found.texts()
    written["report.html"] = written["report.html"].partition("<!-- timing:begin -->")[0]
    return written


def fitted(rows: pd.DataFrame, folder: Path | None = None, **settings: object) -> Discovery:
    return DiCoLa(**settings, checkpoint=folder).fit(rows).discovery_


@pytest.mark.parametrize("case", CASES)
def test_whatever_was_kept_the_answer_has_the_same_bytes(case, tmp_path):
    settings, rows = CASES[case], table() if case != "a slow test" else table(9, 80)
    plain = texts(fitted(rows, **settings))
    assert texts(fitted(rows, tmp_path / "kept", **settings)) == plain
    parts = sorted(path for path in (tmp_path / "kept").iterdir() if path.name != "task.json")
    assert parts
    for path in parts[::2]:
        path.unlink()
    assert texts(fitted(rows, tmp_path / "kept", n_jobs=2, **settings)) == plain
    assert texts(fitted(rows, tmp_path / "kept", **settings)) == plain, "all was kept"


def test_leaves_starts_and_drawn_tables_are_kept_and_not_made_again(tmp_path, monkeypatch):
    settings = {"mode": "balanced", "bootstrap": 3}
    plain = fitted(table(), tmp_path / "kept", **settings)
    names = {path.stem.rpartition("-")[0] or path.stem for path in (tmp_path / "kept").iterdir()}
    assert names == {"task", "leaf", "start", "table"}

    def never(*arguments: object) -> None:
        raise AssertionError("this was done already")

    monkeypatch.setattr("dicola.decompose.leaves.LeafTask.run", never)
    monkeypatch.setattr("dicola.score.order_search.order_search", never)
    monkeypatch.setattr("dicola.pipeline.bootstrap._Again._drawn", never)
    assert fitted(table(), tmp_path / "kept", **settings) == plain


@pytest.mark.parametrize("damage", [b"", b"x", b"\xff", None, "flip", "other name"])
def test_damage_is_found_and_done_again(damage, tmp_path):
    settings = {"mode": "balanced", "bootstrap": 2}
    plain, kept = fitted(table(), tmp_path, **settings), sorted(tmp_path.iterdir())
    whole = {path.name: path.read_bytes() for path in kept}
    for path, content in zip(kept, [*list(whole.values())[1:], whole[kept[0].name]], strict=True):
        old = path.read_bytes()
        flipped = old[: len(old) // 2] + bytes([old[len(old) // 2] ^ 1]) + old[len(old) // 2 + 1 :]
        path.write_bytes({None: old[: len(old) // 2], "flip": flipped, "other name": content}.get(damage, damage))  # type: ignore[arg-type]
    assert fitted(table(), tmp_path, **settings) == plain
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == whole, "and kept again"


def test_what_has_a_right_digest_and_makes_no_sense_is_done_again(tmp_path):
    settings = {"mode": "balanced", "bootstrap": 2}
    plain = fitted(table(), tmp_path, **settings)
    key = Checkpoint(tmp_path, "task").get("task", lambda task: task)
    digest = __import__("hashlib").sha256(json.dumps(key).encode()).hexdigest()
    kept = Checkpoint(tmp_path, digest)
    parts = [path.stem for path in tmp_path.iterdir() if path.stem != "task"]
    assert all(kept.get(name, lambda part: part) for name in parts), "this is how they are sealed"
    for odd in ([], {}, None, 7, {"order": [0], "parents": [[0]], "score": 1.0, "work": 1}, {"leaves": [], "learned": [], "account": {}}):
        for name in parts:
            kept.put(name, odd)
        assert fitted(table(), tmp_path, **settings) == plain


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"alpha": 0.05}, "alpha was 0.01 and is 0.05"),
        ({"bootstrap": 4}, "bootstrap was 2 and is 4"),
        ({"learner": "rfci", "seed": 1}, "learner was {'name': 'fci'} and is {'name': 'rfci'}; seed was 0 and is 1"),
        ({"knowledge": Knowledge(forbidden=[("X1", "X2")])}, "knowledge was None and is {'"),
    ],
)
def test_another_setting_is_refused_and_named(change, says, tmp_path):
    settings = {"learner": "fci", "bootstrap": 2}
    fitted(table(), tmp_path, **settings)
    with pytest.raises(InvalidSetting) as caught:
        fitted(table(), tmp_path, **settings | change)
    assert says in str(caught.value) and "is of another run" in str(caught.value)


def test_another_table_is_refused_with_the_columns_that_changed(tmp_path):
    fitted(table(), tmp_path)
    other = table().copy()
    other.iloc[3, 2] += 1e-9
    for rows, says in (
        (other, f"other values in {other.columns[2]!r}."),
        (table().iloc[:-1], "rows was 300 and is 299"),
        (table().iloc[:, 1:], f"the table has no longer {table().columns[0]!r}."),
        (table().assign(new=np.random.default_rng(0).normal(size=300)), "the table has now 'new'"),
    ):
        with pytest.raises(InvalidSetting) as caught:
            fitted(rows, tmp_path)
        assert says in str(caught.value)


def test_another_version_is_refused(tmp_path, monkeypatch):
    fitted(table(), tmp_path)
    monkeypatch.setattr("dicola.pipeline.checkpoints.__version__", "99")
    with pytest.raises(InvalidSetting, match=r"version was '.*' and is '99'"):
        fitted(table(), tmp_path)


def test_the_number_of_workers_and_the_order_of_columns_are_no_other_task(tmp_path):
    plain = fitted(table(), tmp_path, bootstrap=2)
    again = fitted(table()[table().columns[::-1]], tmp_path, bootstrap=2, n_jobs=2, workers="threads")
    assert again.pag == plain.pag and again.tests == plain.tests


def test_two_runs_at_once_are_refused(tmp_path):
    with locked(tmp_path), pytest.raises(InvalidData, match="another run uses the checkpoint"):
        fitted(table(), tmp_path)


def test_a_folder_with_other_things_and_the_current_one_are_refused(tmp_path, monkeypatch):
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(InvalidData, match="holds other files and no checkpoint"):
        fitted(table(), tmp_path)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidData, match="current folder"):
        fitted(table(), Path())
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_own_code_is_refused_as_it_may_change(tmp_path):
    def mine(rows: object, alpha: float) -> FisherZ:
        return FisherZ(rows, alpha=alpha)

    for settings in ({"ci_test": mine}, {"learner": FunctionLearner(lambda data: data, "mine")}):
        with pytest.raises(InvalidSetting, match="checkpoint is for tests and learners of this library"):
            fitted(table(), tmp_path / "kept", **settings)
    fitted(table(5, 60), tmp_path / "class", ci_test=KCI)


def test_where_nothing_can_be_kept_the_run_goes_on_and_says_so_once(tmp_path, monkeypatch):
    plain = fitted(table(), bootstrap=2)
    honest = Path.write_text

    def full(self: Path, text: str, **options: object) -> int:
        if "task" in self.name:
            return honest(self, text, **options)
        honest(self, text[:3])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.warns(RuntimeWarning, match="nothing more is kept in the checkpoint .* No space left") as said:
        found = fitted(table(), tmp_path / "kept", bootstrap=2)
    assert found == plain and len(said) == 1 and [path.name for path in (tmp_path / "kept").iterdir()] == ["task.json"]


def test_the_function_bootstrap_keeps_its_tables_too(tmp_path):
    plain = bootstrap(table(), 4, mode="exact")
    assert bootstrap(table(), 4, mode="exact", checkpoint=tmp_path) == plain == bootstrap(table(), 4, mode="exact", checkpoint=tmp_path)
    with pytest.raises(InvalidSetting, match=r"resampling was .* and is"):
        bootstrap(table(), 4, seed=1, mode="exact", checkpoint=tmp_path)


def test_an_error_of_the_run_itself_is_passed_on_as_it_is(tmp_path):
    task = {"version": "1", "settings": {}, "rows": 1, "columns": {}}
    with pytest.raises(OSError, match="of the run"), checkpoint_in(tmp_path, task):
        raise OSError("of the run")


def test_a_child_that_is_forked_does_not_hold_the_lock(tmp_path):
    reader, writer = os.pipe()
    with locked(tmp_path):
        child = os.fork()
        if not child:
            os.read(reader, 1)
            os._exit(0)
    with locked(tmp_path, patience=5.0):
        os.write(writer, b"x")
    os.waitpid(child, 0)


def test_sentences_and_accounts_are_read_back_as_they_were():
    for sentence in ("plain", Sentence("{n} rows; try {blankets=iamb} or {max_depth}.", n=5)):
        back = from_pieces(json.loads(json.dumps(in_pieces(sentence))))
        assert back == sentence and getattr(sentence, "pieces", back.pieces) == back.pieces
    account = Account()
    account.tests["leaves"] += 3
    assert Account.from_dict(json.loads(json.dumps(account.to_dict()))) == account
    assert account.to_dict(account.stand())["tests"] == {}


@pytest.mark.parametrize("moment", [0, 1, 4, 9])
def test_killed_at_any_moment_the_same_run_ends_with_the_same_bytes(moment, tmp_path, monkeypatch):
    settings = {"mode": "balanced", "bootstrap": 3}
    plain = texts(fitted(table(), **settings))
    child = os.fork()
    if not child:
        honest, left = Path.replace, [moment]

        def replace(self: Path, target: Path) -> Path:
            if not left[0]:
                os.kill(os.getpid(), signal.SIGKILL)  # a part is written, and not yet under its name
            left[0] -= 1
            return honest(self, target)

        Path.replace = replace
        try:
            fitted(table(), tmp_path, **settings)
        finally:
            os._exit(0)
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL
    assert len(list(tmp_path.glob("[!.]*"))) == moment and len(list(tmp_path.glob(".dicola-*"))) == 1
    assert texts(fitted(table(), tmp_path, **settings)) == plain and not list(tmp_path.glob(".dicola-*"))
