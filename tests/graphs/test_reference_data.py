"""PAGs published with their DAGs are reproduced mark for mark."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from dicola.graphs.dag import DAG
from dicola.graphs.pag import PAG
from dicola.orient.equivalence import legality, mag_to_pag, member_mag

FOLDERS = [f"released/{network}/{i}" for network in ("mildew", "andes") for i in (1, 2, 3)]
FOLDERS += [f"reference/causal_learn_fci/{i}" for i in range(1, 7)]


@pytest.fixture(params=FOLDERS)
def folder(request: pytest.FixtureRequest, data_root: Path) -> Path:
    path = data_root / request.param
    if not path.is_dir():
        pytest.skip(f"{request.param} is not among the reference data")
    return path


def rows(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def read_truth(folder: Path) -> tuple[DAG, list[str], PAG]:
    nodes = rows(folder / "nodes.csv")[1:]
    dag = DAG.from_edges(rows(folder / "dag.csv")[1:], nodes=[name for name, _ in nodes])
    header, *body = rows(folder / "true_pag.csv")
    assert [row[0] for row in body] == header[1:]
    pag = PAG.from_matrix(np.array([[int(cell) for cell in row[1:]] for row in body]), header[1:])
    return dag, [name for name, latent in nodes if latent == "1"], pag


def test_true_pag_reproduces_the_published_one(folder):
    dag, latents, pag = read_truth(folder)
    assert dag.true_pag(latents) == pag


def test_the_published_pag_is_legal_and_the_true_mag_a_member(folder):
    dag, latents, pag = read_truth(folder)
    assert legality(pag)
    assert dag.true_mag(latents).invalid() is None
    assert mag_to_pag(member_mag(pag)) == pag
