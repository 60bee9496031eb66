"""Results of earlier releases: read as they were meant, and written again as the same bytes."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from dicola import Discovery

LEAVES = {  # written by RFCI on leaves: a pair separated by a split, by a learner, by a blanket, and one separated after the merge
    "edges": ["X2 <-> X3", "X2 --> X5", "X7 o-> X2", "X6 --> X3", "X4 o-> X5", "X5 --> X6"],
    "skeleton": {
        "format": "dicola.skeleton",
        "version": 1,
        "labels": ["X1", "X2", "X3", "X4", "X5", "X6", "X7"],
        "edges": [[1, 2], [1, 4], [1, 6], [2, 5], [3, 4], [4, 5]],
        "warnings": [],
        "tree": [
            {"variables": [0, 1, 2, 3, 4, 5, 6], "left": 1, "right": 2, "separator": []},
            {"variables": [0], "separating_sets": []},
            {"variables": [1, 2, 3, 4, 5, 6], "left": 3, "right": 4, "separator": [1, 4]},
            {
                "variables": [1, 2, 4, 5, 6],
                "separating_sets": [[1, 5, [4, 6]], [2, 4, [1, 5]], [2, 6, []], [4, 6, [1]], [5, 6, []]],
                "blankets": [[2, 4, 6], [1, 5, 6], [1, 5], [2, 4, 6], [1, 2, 5]],
            },
            {"variables": [1, 3, 4], "separating_sets": []},
        ],
        "separated_later": [[1, 3, [5]]],
    },
    "sha256": {
        "pag": "8d4a350b70aa0cb5ff0028519a1fc21b9e35a6f6e3d658c416c09a513951121b",
        "skeleton": "9315f0c449a03d35510619417ef0249644958aad3991af0e2e39cb62ff209fd8",
    },
}
SCORED = {  # written by the mode balanced: the sets follow from a MAG
    "edges": ["X3 --> X1", "X4 --> X1", "X2 o-> X4", "X2 o-o X5", "X3 o-> X4"],
    "skeleton": {
        "format": "dicola.skeleton",
        "version": 1,
        "labels": ["X1", "X2", "X3", "X4", "X5"],
        "edges": [[0, 2], [0, 3], [1, 3], [1, 4], [2, 3]],
        "warnings": [],
        "tree": [
            {"variables": [0, 1, 2, 3, 4], "left": 1, "right": 2, "separator": [1]},
            {"variables": [0, 1, 2, 3], "left": 3, "right": 4, "separator": [2, 3]},
            {"variables": [1, 4], "separating_sets": []},
            {"variables": [0, 2, 3], "separating_sets": []},
            {"variables": [1, 2, 3], "separating_sets": []},
        ],
        "mag": [[0, 2, 2, 3], [0, 3, 2, 3], [1, 3, 3, 2], [1, 4, 3, 2], [2, 3, 3, 2]],
        "separated_later": [],
    },
    "sha256": {
        "pag": "b05b7a579bc3bf765b0b02f9e8b39c37a6ab7624db2441d64128c90a71cd9f0e",
        "skeleton": "b3191bdd9e314962ddab39be542a6bc9682c53459445053fa3d19baae5257a80",
    },
}


def text_of(facts: Any) -> str:
    return json.dumps(facts, ensure_ascii=False, indent=1) + "\n"


def folder_of(result: dict[str, Any], folder: Path) -> Path:
    """A folder as the release of that time left it; ``sha256`` are the digests that it worked out itself."""
    words = {"o": "circle", "<": "arrow", ">": "arrow", "-": "tail"}
    edges = []
    for line in result["edges"]:
        u, sign, v = line.split()
        edges.append({"u": u, "v": v, "mark_u": words[sign[0]], "mark_v": words[sign[-1]]})
    pag = {"format": "dicola.pag", "version": 1, "nodes": result["skeleton"]["labels"], "edges": edges}
    facts = {"format": "dicola.discovery", "version": 1, "tests": {"total": 1}, "settings": {}}
    if result["sha256"] is not None:
        facts["sha256"] = result["sha256"]
    texts = {"pag.json": pag, "skeleton.json": result["skeleton"], "timing.json": {}}
    texts["discovery.json"] = facts | {"warnings": [], "conflicts": [], "reasons": []}
    for name, value in texts.items():
        (folder / name).write_text(text_of(value), encoding="utf-8")
    return folder


@pytest.mark.parametrize("result", [LEAVES, SCORED], ids=["leaves", "scored"])
def test_it_is_read_and_written_again_as_the_same_bytes(result, tmp_path):
    found = Discovery.read(folder_of(result, tmp_path))
    assert sorted(str(found.pag).splitlines()) == sorted(result["edges"])
    again = found.write(tmp_path / "again")
    assert (again / "skeleton.json").read_text(encoding="utf-8") == text_of(result["skeleton"])
    assert json.loads((again / "discovery.json").read_text(encoding="utf-8"))["sha256"] == result["sha256"]


@pytest.mark.parametrize(
    ("pair", "separating_set", "where"),
    [
        (("X1", "X7"), (), "Found at split 0, which divides 7 variables: the two lie on opposite sides."),
        (("X4", "X7"), ("X2", "X5"), "Found at split 2, which divides 6 variables: the two lie on opposite sides."),
        (("X2", "X6"), ("X5", "X7"), "Found by the learner in leaf 3 of 5 variables."),
        (("X5", "X3"), ("X2", "X6"), "Found by the learner in leaf 3 of 5 variables."),
        (("X2", "X4"), ("X6",), "Found while orienting, after the merge."),
    ],
)
def test_sets_of_leaves_are_found_where_they_were(pair, separating_set, where, tmp_path):
    told = Discovery.read(folder_of(LEAVES, tmp_path)).explain(*pair)
    assert told.separation is not None and told.edge is None
    assert told.separation.separating_set == separating_set and told.separation.found == where


def test_pairs_that_no_leaf_wrote_down_are_separated_by_the_smaller_blanket(tmp_path):
    skeleton = deepcopy(LEAVES["skeleton"])
    skeleton["tree"][3]["separating_sets"] = []
    folder = folder_of({**LEAVES, "skeleton": skeleton, "sha256": None}, tmp_path)
    found = Discovery.read(folder)
    assert found.skeleton.separating_set("X2", "X6") == ("X3", "X5", "X7")
    assert found.skeleton.separating_set("X5", "X3") == ("X2", "X6")
    uig = found.tree.leaves[1].uig
    assert uig is not None and [uig.beside(v) for v in range(5)] == [[1, 2, 4], [0, 3, 4], [0, 3], [1, 2, 4], [0, 1, 3]]


def test_sets_of_a_scored_graph_are_the_ancestors_of_the_pair(tmp_path):
    found = Discovery.read(folder_of(SCORED, tmp_path))
    assert found.skeleton.separating_set("X1", "X2") == ("X3", "X4") and found.skeleton.separating_set("X2", "X3") == ()
    separated, joined = found.explain("X1", "X2"), found.explain("X1", "X3")
    assert separated.separation.found == "These are the ancestors of the two in the graph with the best score."
    assert joined.leaves == (), "no leaf had a say"
