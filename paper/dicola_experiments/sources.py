"""The graphs that a settings file may name, and how to draw them.

- ``ER(50,3)``: 50 vertices of average degree 3, uniform.
- ``SF(60,3)``: the same with a few hubs, scale-free; in ``SF(60,3,growth)`` hubs are causes.
- ``HUBS(50,2,3,12)``: ER(50,2) with 3 hubs of 12 further links each.
- ``ER(40,2)+5x6``: ER(40,2) with 5 added causes of 6 children each, which are what is hidden.
- ``FACTORS(5,12)``: 5 hidden factors with 12 items each.
- A network that comes with dicola, or one of ``paper/networks``.
- ``ARTH150``, ``MAGIC-NIAB``: Gaussian networks with the coefficients estimated from plant data,
  which lie outside the repository.

Graph, hidden variables and data of a repetition have one seed, and a random stream each.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd

from dicola import DAG, InvalidData, InvalidSetting
from dicola.simulate import confounded, er_dag, factor_dag, hub_dag, network, network_names, scale_free_dag

GIVEN: Final = ("ARTH150", "MAGIC-NIAB")
"""Networks whose coefficients are read from a folder."""
OWN = "own"  # the pool of graphs that bring their hidden variables along
_NETWORKS = Path(__file__).resolve().parents[1] / "networks"
_NUMBER = r"(\d+(?:\.\d+)?)"


@dataclass(frozen=True)
class GaussianNetwork:
    """A linear Gaussian network: X_j = intercept + sum of w_ij X_i + e_j, with variances of e_j."""

    dag: DAG
    weights: dict[tuple[str, str], float]
    intercepts: dict[str, float]
    variances: dict[str, float]

    @classmethod
    def read(cls, folder: Path, name: str) -> GaussianNetwork:
        """From ``NAME.csv`` (child, parent, coefficient) and ``NAME_nodes.csv`` (node, …)."""
        arcs, nodes = (_columns(folder / f"{name.lower()}{part}.csv") for part in ("", "_nodes"))
        weights = {(arc["parent"], arc["child"]): float(arc["coefficient"]) for arc in arcs}
        return cls(
            DAG.from_edges(list(weights), [node["node"] for node in nodes]),
            weights,
            {node["node"]: float(node["intercept"]) for node in nodes},
            {node["node"]: float(node["variance"]) for node in nodes},
        )

    def draw(self, n_samples: int, seed: int) -> pd.DataFrame:
        """Rows of all variables."""
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=tuple(b"gaussian_network")))
        errors = rng.standard_normal((len(self.dag), n_samples))
        rows: dict[str, np.ndarray] = {}
        for v in self.dag.topological_order():
            name = self.dag.names[v]
            parents = sum((self.weights[parent, name] * rows[parent] for parent in self.dag.parents(name)), np.zeros(n_samples))
            rows[name] = self.intercepts[name] + parents + self.variances[name] ** 0.5 * errors[v]
        return pd.DataFrame(rows)[list(self.dag.names)]


@dataclass(frozen=True)
class Source:
    """A graph; the variables that it hides of itself; its coefficients, where they are given."""

    dag: DAG
    latents: tuple[str, ...] = ()
    network: GaussianNetwork | None = None


def draw_source(graph: str, seed: int, data: Path | None = None) -> Source:
    """The graph of one repetition; a network is the same in all."""
    if graph in GIVEN:
        return _given(graph, data)
    found = _matched(graph)
    if found is not None:
        draw, numbers = found
        return draw(seed, *numbers)
    if (_NETWORKS / f"{graph.lower()}.csv").exists():
        return Source(_studied(graph.lower()))
    return Source(network(graph.lower()))


def check_graph(graph: str, pool: str, hidden: int) -> None:
    """Complain about a name that stands for no graph, and about a pool that does not go with it."""
    studied = sorted(path.stem for path in _NETWORKS.glob("*.csv"))
    if graph not in GIVEN and _matched(graph) is None and graph.lower() not in (*network_names(), *studied):
        raise InvalidSetting(
            f"{graph!r} is neither a random graph like ER(30,3), SF(60,3), HUBS(50,2,3,12), ER(40,2)+5x6 or FACTORS(5,12) nor a network. "
            f"Known: {', '.join((*network_names(), *studied, *GIVEN))}."
        )
    own = _brings_hidden(graph)
    if pool not in ((OWN,) if own is not None else ("any", "root")):
        allowed = f"{OWN!r}: the graph brings its hidden variables along" if own is not None else "'any' or 'root'"
        raise InvalidSetting(f"pool is {pool!r} with {graph}; it may be {allowed}.")
    if own is not None and own != hidden:
        raise InvalidSetting(f"hidden is {hidden}, but {graph} hides {own} variables.")


def needs_folder(graph: str) -> bool:
    """Is the graph read from a folder that the repository does not hold?"""
    return graph in GIVEN


def _given(graph: str, data: Path | None) -> Source:
    if data is None:
        raise InvalidSetting(
            f"{graph} is read from a folder outside the repository: name it with --data ({graph.lower()}.csv, {graph.lower()}_nodes.csv)."
        )
    found = _read(data, graph)
    return Source(found.dag, network=found)


@cache
def _read(folder: Path, graph: str) -> GaussianNetwork:
    return GaussianNetwork.read(folder, graph)


@cache
def _studied(name: str) -> DAG:
    return DAG.from_edges([(arc["parent"], arc["child"]) for arc in _columns(_NETWORKS / f"{name}.csv")])


def _columns(path: Path) -> list[dict[str, str]]:
    """The lines of a CSV file by the names in its head."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))
    except OSError as error:
        raise InvalidData(f"{str(path)!r} could not be read: {error.strerror or error}.") from None


def _added(seed: int, n: float, degree: float, latents: float, children: float) -> Source:
    return Source(*confounded(er_dag(int(n), degree, seed), int(latents), int(children), seed))


_PATTERNS: Final[dict[re.Pattern[str], Callable[..., Source]]] = {
    re.compile(rf"ER\((\d+), ?{_NUMBER}\)"): lambda seed, n, degree: Source(er_dag(int(n), degree, seed)),
    re.compile(rf"SF\((\d+), ?{_NUMBER}\)"): lambda seed, n, degree: Source(scale_free_dag(int(n), degree, seed)),
    re.compile(rf"SF\((\d+), ?{_NUMBER}, ?growth\)"): lambda seed, n, degree: Source(scale_free_dag(int(n), degree, seed, order="growth")),
    re.compile(rf"HUBS\((\d+), ?{_NUMBER}, ?(\d+), ?(\d+)\)"): lambda seed, n, degree, hubs, spokes: Source(
        hub_dag(int(n), degree, int(hubs), int(spokes), seed)
    ),
    re.compile(rf"ER\((\d+), ?{_NUMBER}\)\+(\d+)x(\d+)"): _added,
    re.compile(r"FACTORS\((\d+), ?(\d+)\)"): lambda seed, factors, items: Source(*factor_dag(int(factors), int(items))),
}


def _matched(graph: str) -> tuple[Callable[..., Source], list[float]] | None:
    for pattern, draw in _PATTERNS.items():
        if found := pattern.fullmatch(graph):
            return draw, [float(number) for number in found.groups()]
    return None


def _brings_hidden(graph: str) -> int | None:
    """How many variables a graph hides of itself; ``None`` where they are drawn from a pool."""
    found = re.search(r"\)\+(\d+)x\d+$|^FACTORS\((\d+)", graph)
    return int(found[1] or found[2]) if found else None
