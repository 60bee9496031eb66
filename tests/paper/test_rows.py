import lzma

import pytest

from dicola.errors import InvalidData
from dicola_experiments.measure import row_of
from dicola_experiments.plan import Cell, Setting
from dicola_experiments.rows import Rows

CELL = Cell("recovery", Setting("ER(10,3)", 1, "any", 100), "fci", 5, 2.0, 90.0)


def done(seed: int, seconds: float = 1.0, cap: float = 2.0) -> dict:
    return row_of(CELL, seed, cap, "done", {"seconds": seconds})


def capped(seed: int, cap: float = 2.0) -> dict:
    return row_of(CELL, seed, cap, "capped", {})


def written(folder, *rows) -> Rows:
    store = Rows(folder, "mine")
    with store.writing():
        for row in rows:
            store.add(row)
    return store


def test_rows_come_back_as_they_were_written(tmp_path):
    written(tmp_path, done(2), capped(1))
    again = Rows(tmp_path, "mine")
    assert again.of(CELL) == [capped(1), done(2)]
    assert again.is_done(CELL, 1, 2.0) and again.is_done(CELL, 2, 2.0) and not again.is_done(CELL, 3, 2.0)


def test_a_line_cut_short_is_dropped_and_the_next_row_begins_a_line_of_its_own(tmp_path):
    written(tmp_path, done(1))
    with (tmp_path / "mine.jsonl").open("ab") as file:
        file.write(b'{"kind":"recovery","gra')
    assert len(Rows(tmp_path, "mine")) == 1
    written(tmp_path, done(2))
    assert [row["seed"] for row in Rows(tmp_path, "mine")] == [1, 2]


def test_a_line_that_is_no_row_is_named(tmp_path):
    (tmp_path / "mine.jsonl").write_text("what\n", encoding="utf-8")
    with pytest.raises(InvalidData, match="not JSON"):
        Rows(tmp_path, "mine")
    (tmp_path / "mine.jsonl").write_text("[1]\n", encoding="utf-8")
    with pytest.raises(InvalidData, match="not a row"):
        Rows(tmp_path, "mine")


def test_a_finished_run_counts_under_any_cap_a_stopped_one_under_its_own_and_shorter_ones(tmp_path):
    rows = written(tmp_path, done(1), capped(2))
    assert rows.is_done(CELL, 1, 90.0)
    assert rows.is_done(CELL, 2, 1.0)
    assert not rows.is_done(CELL, 2, 90.0)


def test_of_two_rows_of_a_run_the_better_stands(tmp_path):
    rows = written(tmp_path, capped(1), capped(1, 90.0), done(1, 50.0, 90.0), capped(1))
    assert rows.of(CELL) == [done(1, 50.0, 90.0)]
    assert rows.stopped(CELL) == [1], "it took longer than the cap of the cell"


def test_packed_rows_are_the_same_bytes_in_whatever_order_they_came(tmp_path):
    one, two = written(tmp_path / "1", done(1), done(2)), written(tmp_path / "2", done(2), done(1))
    assert one.pack().read_bytes() == two.pack().read_bytes()
    assert not (tmp_path / "1" / "mine.jsonl").exists()
    assert len(Rows(tmp_path / "1", "mine")) == 2
    assert len(lzma.decompress(one.packed.read_bytes()).splitlines()) == 2


def test_new_rows_are_added_to_packed_ones(tmp_path):
    written(tmp_path, done(1)).pack()
    written(tmp_path, done(2))
    assert [row["seed"] for row in Rows(tmp_path, "mine")] == [1, 2]


def test_two_runs_do_not_write_to_one_file(tmp_path):
    pytest.importorskip("fcntl", reason="this system has no file locks")
    with Rows(tmp_path, "mine").writing(), pytest.raises(InvalidData, match="another run"), Rows(tmp_path, "mine").writing():
        pass
