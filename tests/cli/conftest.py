"""A small simulated table, and the command line in the process of the test."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from dicola.cli.app import app

EXPERIMENTS = Path(__file__).parents[2] / "paper" / "dicola_experiments"
TINY_STUDY = """
title = "Tiny"
shows = "Nothing of the paper"
[[series]]
graph = "ER(12,2)"
hidden = 1
pool = "any"
samples = [200, 400]
methods = ["fci", "dicola+fci/paper"]
repetitions = 2
cap = 60
"""


@pytest.fixture(scope="session")
def small(tmp_path_factory) -> Path:
    """A folder with table.csv, dag.csv, latents.txt and what ``fit`` made of them in results/ and simulated/."""
    folder = tmp_path_factory.mktemp("small")
    runner = CliRunner()
    simulated = runner.invoke(app, f"simulate --er 12,2 --latents 2 --samples 300 --seed 3 --out {folder / 'simulated'}".split())
    assert simulated.exit_code == 0, simulated.output
    for source, name in (("data.csv", "table.csv"), ("dag.csv", "dag.csv"), ("latents.txt", "latents.txt")):
        (folder / name).write_bytes((folder / "simulated" / source).read_bytes())
    assert runner.invoke(app, ["fit", str(folder / "table.csv"), "--out", str(folder / "results")]).exit_code == 0
    (folder / "paper").mkdir()
    (folder / "paper" / "er30-3.toml").write_text(TINY_STUDY)
    (folder / "paper" / EXPERIMENTS.name).symlink_to(EXPERIMENTS)
    return folder
