"""The mark matrix as R, Tetrad and the reference data write it."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest

from dicola import PAG, InvalidGraph
from dicola.graphs.formats.pcalg import from_csv, to_csv
from tests.graphs.formats.drawn import random_pags
from tests.graphs.test_reference_data import FOLDERS

PAG_ = PAG.from_text("A o-> B; B <-> C; A --> C")
MATRIX = "0,2,2\n1,0,2\n3,2,0\n"


def test_entry_a_b_is_the_mark_at_b():
    assert to_csv(PAG_) == "node,A,B,C\nA,0,2,2\nB,1,0,2\nC,3,2,0\n"


@pytest.mark.parametrize(
    "text",
    [
        '"","A","B","C"\n"A",0,2,2\n"B",1,0,2\n"C",3,2,0\n',  # write.csv
        '"A","B","C"\n"A",0,2,2\n"B",1,0,2\n"C",3,2,0\n',  # write.table with sep = ","
        "A,B,C\n" + MATRIX,  # Tetrad
        "node,A,B,C\r\nA,0.0,2.0,2.0\r\nB,1.0,0.0,2.0\r\nC,3.0,2.0,0.0\r\n",  # pandas, of floats
    ],
)
def test_the_forms_of_r_tetrad_and_pandas_are_read(text):
    assert from_csv(text) == PAG_


@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.parametrize("file", ["true_pag.csv", "source_pag.csv"])
def test_reference_matrices_are_read_and_written_back_byte_for_byte(folder, file, data_root):
    path = data_root / folder / file
    if not path.is_file():
        pytest.skip(f"{folder}/{file} is not among the reference data")
    text = path.read_text(encoding="utf-8").replace("\r\n", "\n")
    pag = PAG.read(path)
    assert to_csv(pag).split() == text.split()
    frame = pd.read_csv(path, index_col=0)
    assert np.array_equal(pag.to_matrix(), frame.to_numpy()) and pag == PAG.from_matrix(frame)


def test_pandas_reads_what_is_written():
    for pag in random_pags():
        if len(pag):
            assert PAG.from_matrix(pd.read_csv(io.StringIO(to_csv(pag)), index_col=0)) == pag


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("node,A,B\nA,0,2\n", "one row a name"),
        ("node,A,B\nA,0,2\nC,1,0\n", "rows named like its columns"),
        ("node,A,B\nA,0,2\nB,1\n", "one entry a column"),
        ("node,A,B\nA,0,x\nB,1,0\n", "numbers only"),
        ("node,A,B\nA,0,4\nB,1,0\n", "holds only 0"),
        ("node,A,B\nA,0,nan\nB,1,0\n", "holds only 0"),
        ("node,A,B\nA,0,2\nB,0,0\n", "at one end only"),
        ("node,A,A\nA,0,2\nA,1,0\n", "more than once"),
        ("", "begins with a line of names"),
    ],
)
def test_what_is_no_mark_matrix_is_refused(text, sentence):
    with pytest.raises(InvalidGraph, match=sentence):
        from_csv(text)
