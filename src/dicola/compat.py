"""Doors in the shape of other libraries: change the import, keep the call.

``from dicola.compat import fci`` stands in for ``from causallearn.search.ConstraintBased.FCI import fci``.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from inspect import Signature, signature
from typing import Any

import pandas as pd

from dicola.allowed import FLAG, NAMES_OR_NONE, WORD, check, checked
from dicola.ci.base import CITest
from dicola.ci.fisher_z import FisherZ
from dicola.ci.g_square import ChiSquare, GSquare
from dicola.ci.kernel_tests import KCI, RCIT
from dicola.ci.testwise import TestwiseFisherZ
from dicola.errors import InvalidSetting
from dicola.extras import from_extra
from dicola.graphs.pag import PAG
from dicola.graphs.relatives import reached
from dicola.knowledge import Knowledge
from dicola.learners.fci import FCI
from dicola.pipeline.discover import discover
from dicola.tables.columns import Kind
from dicola.tables.table import Table, as_table


@checked(independence_test_method=WORD)
def fci(
    dataset: Any,
    independence_test_method: str = "fisherz",
    alpha: float = 0.05,
    depth: int = -1,
    max_path_length: int = -1,
    verbose: bool = False,
    *further: Any,
    **named: Any,
) -> tuple[Any, list[Any]]:
    """Dicola's FCI with the call and the answer of causal-learn's: ``(GeneralGraph, list[Edge])``.

    The search is complete and its orientation includes R5-R7, as causal-learn's does, since it
    allows for selection of the sample. Nothing is printed, and what is not supported is refused.

    Parameters
    ----------
    dataset : DataFrame, array or Table
        Nodes are called X1, X2, … unless a data frame or ``node_names`` names them.
    independence_test_method : {"fisherz", "mv_fisherz", "gsq", "chisq", "kci", "rcit"}
        The test. ``"mv_fisherz"`` tests each question on the rows without gaps in it, ``"gsq"`` and
        ``"chisq"`` take every column for categories, as causal-learn does.
    alpha : float
        Its level.
    depth : int
        Largest set of neighbours to condition on; -1 is no bound.
    max_path_length : int
        Longest discriminating path, in edges; -1 is no bound.
    verbose : bool
        Earns a warning, since nothing is printed.
    *further, **named
        The rest of causal-learn's call: ``background_knowledge`` is causal-learn's own, whose claims
        put marks on edges and neither add nor remove any, or a :class:`dicola.Knowledge` (both
        leave no room for selection);
        ``show_progress`` means nothing here, ``node_names`` names the columns. By name only:
        ``decompose=True`` runs DiCoLa, and leaves no room for selection either
        (``discover(..., selection=True)`` does). An unknown name is refused.

    Returns
    -------
    graph : causallearn.graph.GeneralGraph.GeneralGraph
        The PAG. The whole ``Discovery``, with separating sets, tests and warnings, is
        ``graph.attributes["discovery"]``.
    edges : list of causallearn.graph.Edge.Edge
        Directed edges carry causal-learn's properties: ``dd`` (no other possibly directed path
        between the ends) or ``pd``, and ``nl`` (the edge is visible: no hidden common cause can
        stand behind it) or ``pl``, both as Zhang (2008) defines them.

    Raises
    ------
    InvalidSetting
        Where a setting is not supported or not allowed.
    MissingExtra
        Where causal-learn is not installed, whose graph is the answer.

    """
    if independence_test_method not in _TESTS:
        raise InvalidSetting(
            f"independence_test_method is {independence_test_method!r}; here it may be {', '.join(map(repr, _TESTS))}. For another "
            "test, dicola.discover(CallableTest(…)) takes any function."
        )
    node_names, decompose, background = _further(*further, **named)
    check("node_names", node_names, NAMES_OR_NONE)
    check("decompose", decompose, FLAG)
    from_extra("causallearn.graph.GeneralGraph", "causal-learn")  # before the work, not after it
    if verbose:
        warnings.warn("dicola prints nothing; what the run did is in graph.attributes['discovery'].", stacklevel=2)
    test = _TESTS[independence_test_method](_table(dataset, node_names), alpha)
    knowledge = None if background is None else _knowledge(background, test.names)
    found = discover(
        test,
        FCI(max_condition_size=_limit("depth", depth)),
        decompose=decompose,
        selection=not decompose and knowledge is None,
        knowledge=knowledge,
        max_path_length=None if (longest := _limit("max_path_length", max_path_length)) is None else longest + 1,
    )
    graph = found.pag.to_causal_learn()
    graph.attributes["discovery"] = found
    return graph, _coloured(graph, found.pag)


def _further(
    background_knowledge: Any = None,
    show_progress: bool = True,
    node_names: Sequence[object] | None = None,
    *,
    decompose: bool = False,
    **unknown: Any,
) -> tuple[Sequence[object] | None, bool, Any]:
    """What follows ``verbose`` in causal-learn's call: names, knowledge, and a setting of ours; the rest is refused or means nothing."""
    if unknown:
        raise InvalidSetting(
            f"{', '.join(sorted(unknown))} is no setting of this fci; causal-learn hands it on to tests that are not here."
        )
    return node_names, decompose, background_knowledge


def _counted(made: type[GSquare]) -> Callable[[Table, float], CITest]:
    """A test of counts as causal-learn has it: every column is categories, every table is tested, and no freedom is independence."""

    def test(table: Table, alpha: float) -> CITest:
        kinds: dict[str, Kind] = dict.fromkeys(table.names, "nominal")
        return made(table.understood(kinds), alpha, min_rows=0, determined="independent")

    return test


_TESTS: dict[str, Callable[[Table, float], CITest]] = {
    "fisherz": FisherZ,
    "mv_fisherz": TestwiseFisherZ,
    "gsq": _counted(GSquare),
    "chisq": _counted(ChiSquare),
    "kci": KCI,
    "rcit": RCIT,
}


def _knowledge(given: Any, names: Sequence[str]) -> Knowledge:
    """What causal-learn's ``BackgroundKnowledge`` claims of these variables, patterns spelled out; our own as it is."""
    if isinstance(given, Knowledge):
        return given
    try:
        tiers = [sorted(node.get_name() for node in given.tier_map[tier]) for tier in sorted(given.tier_map)]
        closed = [place for place, tier in enumerate(sorted(given.tier_map)) if tier in given.forbidden_within_tiers]
        forbidden, required = (
            {(a.get_name(), b.get_name()) for a, b in getattr(given, f"{kind}_rules_specs")}
            | _matching(getattr(given, f"{kind}_pattern_rules_specs"), names)
            for kind in ("forbidden", "required")
        )
    except AttributeError:
        raise InvalidSetting("background_knowledge must be causal-learn's BackgroundKnowledge, a dicola.Knowledge, or None.") from None
    return Knowledge([tier for tier in tiers if tier], sorted(forbidden), sorted(required), closed)


def _matching(patterns: Iterable[tuple[str, str]], names: Sequence[str]) -> set[tuple[str, str]]:
    """The pairs of different names that match a pair of regular expressions from their first letter on."""
    return {(a, b) for one, other in patterns for a in names for b in names if a != b and re.match(one, a) and re.match(other, b)}


_own = list(signature(fci).parameters.values())[:6]
fci.__signature__ = Signature([*_own, *signature(_further).parameters.values()])  # type: ignore[attr-defined]  # for help and editors


def _limit(name: str, value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int) or value < -1:
        raise InvalidSetting(f"{name} is {value!r}; it must be a whole number, or -1 for no limit.")
    return None if value == -1 else value


def _table(dataset: Any, names: Sequence[object] | None) -> Table:
    if names is None:
        return as_table(dataset)
    if isinstance(dataset, Table | pd.DataFrame):
        dataset = (dataset.to_frame() if isinstance(dataset, Table) else dataset).to_numpy()
    return Table.from_array(dataset, names)


def _coloured(graph: Any, pag: PAG) -> list[Any]:
    """The edges of the graph with what causal-learn notes at the directed ones."""
    noted = from_extra("causallearn.graph.Edge", "causal-learn").Edge.Property
    edges: list[Any] = graph.get_graph_edges()
    for edge in edges:
        u, v = edge.get_node1().get_name(), edge.get_node2().get_name()
        if pag.is_directed(u, v):
            edge.properties.append(noted.pd if _has_detour(pag, u, v) else noted.dd)
            edge.properties.append(noted.nl if pag.is_visible(u, v) else noted.pl)
    return edges


def _has_detour(pag: PAG, u: str, v: str) -> bool:
    """Is there a possibly directed path from u to v besides the edge between them?"""
    return v in reached(u, lambda t: [w for w in pag.possible_children(t) if (t, w) != (u, v)])
