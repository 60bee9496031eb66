"""The table of edges: every edge once, with the words of ``pag.json`` and the sign that is printed."""

from __future__ import annotations

import json

from dicola import DAG, MAG, PAG
from dicola.graphs.formats.native import to_json
from tests.graphs.formats.drawn import AWKWARD, joined, random_pags

COLUMNS = ["u", "v", "mark_u", "mark_v", "edge", "type"]


def test_each_row_is_an_edge_as_pag_json_has_it_and_as_it_is_printed():
    for pag in (*random_pags(), joined(AWKWARD, seed=3, share=0.2)):
        frame = pag.to_pandas()
        assert list(frame.columns) == COLUMNS
        assert frame[COLUMNS[:4]].to_dict("records") == json.loads(to_json(pag))["edges"]
        assert [f"{row.u} {row.edge} {row.v}" for row in frame.itertuples()] == [str(edge) for edge in pag.edges()]


def test_the_type_depends_on_the_sign_alone_and_tells_the_signs_apart():
    pairs = {(row.edge, row.type) for pag in random_pags() for row in pag.to_pandas().itertuples()}
    assert {sign for sign, _ in pairs} == {"o->", "o-o", "-->", "<->", "---", "--o"}
    assert len(pairs) == 6 == len({words for _, words in pairs})


def test_without_edges_the_columns_and_their_types_are_the_same():
    empty, full = (PAG.from_text(text, nodes="AB").to_pandas() for text in ("", "A o-> B"))
    assert len(empty) == 0
    assert list(empty.columns) == COLUMNS
    assert list(empty.dtypes) == list(full.dtypes)


def test_dags_and_mags_have_the_table_too():
    dag = DAG.from_edges([("L", "A"), ("L", "B"), ("A", "C")])
    assert list(dag.to_pandas()["edge"]) == ["-->"] * 3
    mag = dag.true_mag(["L"])
    assert isinstance(mag, MAG)
    assert set(mag.to_pandas()["type"]) == {"hidden common cause", "u causes v"}
