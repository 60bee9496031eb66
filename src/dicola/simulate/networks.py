"""The structures of published Bayesian networks, from the bnlearn Bayesian Network Repository (Scutari 2010).

``networks/<name>.csv`` lists the arcs, ``networks/nodes.json`` the nodes of every network in the order of its BIF file, isolated
ones included. ``scripts/read_networks.py`` writes both from the BIF files that the Python package pgmpy carries.
"""

from __future__ import annotations

import csv
import json
from importlib.resources import files

from dicola.errors import InvalidSetting
from dicola.graphs.dag import DAG

_FOLDER = files("dicola.simulate") / "networks"


def network(name: str) -> DAG:
    """A published network by its name; the structure alone, without its probabilities.

    Parameters
    ----------
    name : str
        One of ``network_names()``, in capitals or not.

    Raises
    ------
    InvalidSetting
        There is no such network; the message lists those there are.

    Examples
    --------
    >>> network("mildew")
    <DAG: 35 vertices, 46 edges>
    >>> network("ASIA").parents("dysp")
    ('bronc', 'either')

    """
    nodes = _nodes()
    key = str(name).lower()
    if key not in nodes:
        raise InvalidSetting(f"{name!r} is not a known network. Known: {', '.join(nodes)}.")
    _header, *arcs = csv.reader((_FOLDER / f"{key}.csv").read_text(encoding="utf-8").splitlines())
    return DAG.from_edges(arcs, nodes=nodes[key])


def network_names() -> tuple[str, ...]:
    """The networks at hand, smallest first.

    Examples
    --------
    >>> network_names()[:3]
    ('asia', 'sachs', 'child')

    """
    return tuple(_nodes())


def _nodes() -> dict[str, list[str]]:
    nodes: dict[str, list[str]] = json.loads((_FOLDER / "nodes.json").read_text(encoding="utf-8"))
    return nodes
