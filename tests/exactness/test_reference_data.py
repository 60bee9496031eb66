"""Graphs and data that others published: their PAGs are found from their DAGs, their skeletons from their samples."""

from __future__ import annotations

import csv
from pathlib import Path
from statistics import mean

import pytest

from dicola import DAG, PAG, FisherZ, Oracle, discover, metrics, read_table
from dicola.graphs.formats import native
from tests.exactness.run import wrong_sets


def read_case(root: Path, folder: str) -> tuple[Path, DAG, list[str], PAG]:
    """Folder, DAG, hidden names and published PAG."""
    path = root / folder
    if not path.is_dir():
        pytest.skip(f"{folder} is not among the reference data")
    with (path / "nodes.csv").open(encoding="utf-8", newline="") as file:
        nodes = list(csv.DictReader(file))
    dag = DAG.from_edges(native.read_dag(path / "dag.csv").arcs(), nodes=[row["node"] for row in nodes])
    return path, dag, [row["node"] for row in nodes if row["latent"] == "1"], PAG.read(path / "true_pag.csv")


SMALL = [*(f"released/mildew/{i}" for i in (1, 2, 3)), *(f"reference/causal_learn_fci/{i}" for i in range(1, 7))]
LARGE = [f"released/andes/{i}" for i in (1, 2, 3)]


@pytest.mark.parametrize("folder", LARGE + SMALL)
def test_the_published_pag_is_found_from_its_dag(data_root, folder):
    _, dag, latents, truth = read_case(data_root, folder)
    found = discover(Oracle(dag, latents))
    assert found.pag == truth
    assert found.legality and not found.conflicts and not found.warnings


@pytest.mark.parametrize("folder", SMALL)
def test_alone_it_is_found_as_well_and_every_separating_set_is_valid(data_root, folder):
    _, dag, latents, truth = read_case(data_root, folder)
    for decompose in (True, False):
        found = discover(Oracle(dag, latents), decompose=decompose)
        assert found.pag == truth and wrong_sets(found, Oracle(dag, latents)) == []


def test_decomposition_finds_more_of_the_mildew_skeletons_than_fci_alone(data_root):
    scores: dict[bool, list[float]] = {True: [], False: []}
    for i in (1, 2, 3):
        path, _, _, truth = read_case(data_root, f"released/mildew/{i}")
        test = FisherZ(read_table(path / "data.csv.gz"), alpha=0.01)
        assert test.n_samples == 2000 and len(test) == 32
        for decompose in (True, False):
            scores[decompose].append(metrics.compare(discover(test, decompose=decompose).pag, truth).skeleton.f1)
    assert mean(scores[True]) >= 0.94
    assert mean(scores[True]) > mean(scores[False])
    assert all(with_parts > alone for with_parts, alone in zip(scores[True], scores[False], strict=True))


def test_decomposition_takes_fewer_tests_on_mildew(data_root):
    for i in (1, 2, 3):
        path, *_ = read_case(data_root, f"released/mildew/{i}")
        test = FisherZ(read_table(path / "data.csv.gz"), alpha=0.01)
        assert discover(test).tests["total"] < discover(test, decompose=False).tests["total"] / 2
