"""A function that other processes read from a file is the function, arrays and all."""

from __future__ import annotations

import numpy as np
import pytest

from dicola.ci.sent_once import _read, sent_once
from dicola.ci.workers import Workers


def test_arrays_lie_in_the_file_and_can_be_written_to():
    numbers, words = np.arange(10.0), {"a": np.arange(6, dtype=np.int8).reshape(2, 3, order="F")}
    with sent_once(lambda piece: (numbers, words, piece)) as sent:
        found, others, piece = sent(7)
        assert piece == 7 and (found == numbers).all() and (others["a"] == words["a"]).all()
        found[0] = 99.0
        assert sent(1)[0][0] == 99.0 and numbers[0] == 0.0, "it is read once, and what is written stays with the reader"
        _read.cache_clear()
        assert sent(1)[0][0] == 0.0
        _read.cache_clear()


def test_each_process_reads_it_once_however_many_pieces_there_are():
    seen: list[int] = []
    found = list(Workers(2, "processes").each(lambda piece: seen.append(piece) or len(seen), range(8)))
    assert sum(each == 1 for each in found) <= 2 and max(found) >= 4 and not seen


def test_what_cannot_be_pickled_says_so():
    with pytest.raises(TypeError), sent_once((each for each in ()).send):
        pass
