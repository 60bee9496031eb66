"""The kit of bits and arrays against plain Python; what only kernels can call is called from one."""

from __future__ import annotations

import numpy as np
import pytest

from dicola._kernels import arrays, bits
from dicola._kernels.compiled import kernel
from dicola.graphs.bits import as_words, from_words, mask_of, members


@kernel
def facts_of(words, out):
    bits.spell(words, out)
    return bits.lowest_common(words, words), bits.size(words), [bits.has(words, v) for v in range(64 * len(words))]


@kernel
def without(words, v):
    return np.array([bits.without(words[i], i, v) for i in range(len(words))])


@kernel
def in_order(values):
    sorted_ = np.empty(len(values), np.int64)
    for i in range(len(values)):
        arrays.put_in_order(sorted_, i, values[i])
    return sorted_


@kernel
def grown(values):
    found = np.empty(1, np.int64)
    for i in range(len(values)):
        found = arrays.longer(found, i + 1)
        found[i] = values[i]
    return found


@kernel
def by_value(values, descending):
    return arrays.by_value(values, descending)


@kernel
def rows_and_lengths(matrix):
    rows = arrays.rows_of(matrix)
    return rows, arrays.lengths(rows.begins)


@pytest.mark.parametrize("n", [1, 3, 64, 65, 200])
def test_words_are_the_bits_of_one_integer(n):
    rng = np.random.default_rng(n)
    for share in (0.0, 0.02, 0.3, 1.0):
        mask = mask_of(v for v in range(n) if rng.random() < share)
        words = as_words(mask, (n + 63) // 64).copy()
        out = np.empty(mask.bit_count(), np.int64)
        lowest, size, has = facts_of(words, out)
        assert out.tolist() == members(mask) and from_words(words) == mask
        assert (lowest, size) == ((members(mask) or [-1])[0], mask.bit_count())
        assert [bool(each) for each in has] == [bool(mask >> v & 1) for v in range(64 * len(words))]
        for v in {0, n // 2, n - 1}:
            assert from_words(without(words, v)) == mask & ~(1 << v)


def test_every_bit_of_a_word_is_found():
    for v in range(64):
        assert facts_of(as_words(1 << v | 1 << 63, 1).copy(), np.empty(2, np.int64))[0] == v


def test_values_go_where_they_belong():
    rng = np.random.default_rng(0)
    for n in (0, 1, 2, 17):
        values = rng.integers(0, 9, n)
        assert in_order(values).tolist() == sorted(values.tolist())


def test_equal_values_keep_their_order():
    values = np.array([2, 0, 2, 5, 0, 1])
    assert by_value(values, False).tolist() == [1, 4, 5, 0, 2, 3]
    assert by_value(values, True).tolist() == [3, 0, 2, 5, 1, 4]


def test_a_longer_array_keeps_what_it_has():
    assert grown(np.arange(100))[:100].tolist() == list(range(100))


def test_rows_hold_the_columns_that_are_true():
    matrix = np.random.default_rng(1).random((12, 12)) < 0.3
    rows, lengths = rows_and_lengths(matrix)
    assert isinstance(rows, arrays.Rows) and lengths.tolist() == matrix.sum(1).tolist()
    for i, row in enumerate(matrix):
        assert rows.members[rows.begins[i] : rows.begins[i + 1]].tolist() == np.flatnonzero(row).tolist()
