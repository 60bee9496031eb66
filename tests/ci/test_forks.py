"""Copies of a process share work: answers in order, errors as they are, and nothing is lost with a copy that dies."""

from __future__ import annotations

import os
import signal
import threading
import time
from functools import partial
from pathlib import Path

import pytest

from dicola import InvalidData
from dicola.ci.forks import can_fork, forked
from dicola.ci.workers import Workers

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot copy a process")


def by_whom(piece: int) -> tuple[int, int]:
    time.sleep(0.002)
    return piece, os.getpid()


def test_answers_come_in_order_and_several_processes_gave_them():
    found = list(forked(by_whom, range(60), 3))
    assert [piece for piece, _ in found] == list(range(60))
    assert len({who for _, who in found}) == 3 and os.getpid() in {who for _, who in found}


def test_more_pieces_than_a_pipe_holds():
    assert list(forked(abs, range(-20_001, 0), 2)) == list(range(20_001, 0, -1))
    assert list(forked(abs, [], 2)) == [] and list(forked(abs, [-3], 4)) == [3]


class Odd(Exception):
    """One that cannot be read back from a pickle."""

    def __init__(self, one: str, other: str) -> None:
        super().__init__(f"{one} {other}")


def fails(error: Exception, home: int, piece: int) -> int:
    time.sleep(0.002)
    if os.getpid() != home:
        raise error
    return piece


@pytest.mark.parametrize(
    ("error", "kind", "words"),
    [(InvalidData("no rows."), InvalidData, "no rows"), (Odd("a", "b"), (RuntimeError, Odd), "a b")],
    ids=["ours", "one that cannot be sent"],
)
def test_an_error_in_a_copy_is_raised_here(error, kind, words):
    with pytest.raises(kind, match=words):
        list(forked(partial(fails, error, os.getpid()), range(50), 2))


def dies(home: int, piece: int) -> int:
    time.sleep(0.002)
    if os.getpid() != home and piece > 10:
        os.kill(os.getpid(), signal.SIGKILL)
    return piece


def test_what_a_killed_copy_leaves_is_done_here():
    assert list(forked(partial(dies, os.getpid()), range(40), 3)) == list(range(40))


def test_copies_end_with_the_generator():
    pieces = forked(by_whom, range(5000), 3)
    others = {who for _, who in (next(pieces) for _ in range(20))} - {os.getpid()}
    pieces.close()
    assert others
    deadline = time.monotonic() + 10
    while any(_is_alive(child) for child in others) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not any(_is_alive(child) for child in others)


def _is_alive(child: int) -> bool:
    try:
        return Path(f"/proc/{child}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def test_a_process_with_other_threads_is_not_copied():
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    try:
        assert not can_fork() and not Workers(2, "processes", is_own=True).start_at_once
    finally:
        done.set()
        thread.join()
    assert not Workers(2, "processes").start_at_once, "foreign code is not run in a copy"
