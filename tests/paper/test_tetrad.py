"""Tetrad runs in workers, so that no test shares a process with a Java machine."""

from __future__ import annotations

import pytest

from dicola_experiments.peers import PEERS, Peer
from dicola_experiments.plan import Series, Study
from dicola_experiments.rows import Rows
from dicola_experiments.run import run_study
from dicola_experiments.tetrad import SEARCHES

METHODS = tuple(f"tetrad {search}" for search in SEARCHES)


def study(*methods: str, repetitions: int) -> Study:
    series = Series("ER(12,2)", 1, "any", (500,), methods, repetitions, cap=60.0, kind="accuracy", first_seed=3)
    return Study("mine", "T", "S", (series,), "accuracy")


@pytest.mark.skipif(bool(PEERS[METHODS[0]].missing), reason=f"not installed: {', '.join(PEERS[METHODS[0]].missing)}")
def test_every_search_of_tetrad_answers_and_one_machine_serves_all_tables(tmp_path):
    rows = Rows(tmp_path, "mine")
    assert run_study(study(*METHODS, repetitions=2), rows).is_complete
    assert len(rows) == 2 * len(METHODS)
    for row in rows:
        assert row["status"] == "done" and row["f1"] > 0.6 and row["mark_f1"] > 0.3 and row["seconds"] > 0, row
        assert "tests" not in row


def test_a_peer_says_what_it_lacks():
    assert Peer(PEERS["rcd l-marvel"].run, ("json", "no_such_module")).missing == ["no_such_module"]
