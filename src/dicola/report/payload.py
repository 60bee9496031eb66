"""The facts that the page's script draws from, once, as one JSON text.

Variables are numbers in the fixed order of ``skeleton.labels``; marks are pcalg's codes. Of a split
only the separator and its smaller side are written, for the script can derive the rest; a
separating set is looked up in the tree when asked, as the library does.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from operator import index
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from dicola.decompose.tree import Branch
from dicola.edge_table import SCORE_COLUMNS
from dicola.graphs.marks import ARROW, TAIL
from dicola.graphs.pag import WORDS, WORDS_OF_SELECTED
from dicola.graphs.skeleton import RecordedSets
from dicola.report.communities import MANY, communities, folded_at_start, is_foldable
from dicola.report.drawing import MOST_UNDECIDED, visible_part
from dicola.report.labels import short_label
from dicola.report.layout import layout
from dicola.report.routing import bends
from dicola.report.rule_text import NO_OTHER_MARK, NO_REASON, OPEN, OTHER_RULE, UNDECIDED, meanings_of, rules_of

if TYPE_CHECKING:
    from dicola.discovery import Discovery

_ROOM_FOR_SETS: Final = 600_000  # numbers; a few megabytes


def payload(found: Discovery, table: pd.DataFrame | None = None) -> str:
    """One JSON text, ASCII and free of ``<``: nothing in it can end the element it stands in.

    ``table`` is that of ``dicola.edge_table``, where there is one.
    """
    facts = _facts(found) | {"evidence": _evidence(found, table), "scores": _scores(found, table), "drawn": _drawn(found)}
    # Sets of a learner's own class may hold NumPy's integers.
    return json.dumps(facts, ensure_ascii=True, separators=(",", ":"), default=index).replace("<", "\\u003c")


def _facts(found: Discovery) -> dict[str, Any]:
    labels = found.skeleton.labels
    place = {name: i for i, name in enumerate(labels)}
    pag = found.pag.reordered(labels)
    boxes = layout(visible_part(found)[0])
    edges = pag.edges()
    adjacent = pag.marks != 0
    groups = [group for group in communities(adjacent) if is_foldable(group)] if len(pag) > MANY else []
    shift = bends([(edge.u, edge.v) for edge in edges], boxes)
    ends = [(place[edge.u], place[edge.v]) for edge in edges]
    why = {end: [reason.rule, *reason.witness] for end, reason in found.reasons.items()}
    is_selected = bool(found.settings.get("selection"))
    return {
        "about": _about(found.settings),
        "care": [*found.warnings, *(["The graph is not a legal PAG."] if found.complete and not found.legality.legal else [])],
        "names": list(labels),
        "shown": [short_label(name) for name in labels],
        "boxes": [[boxes[name].x, boxes[name].y, boxes[name].width] for name in labels],
        "edges": [[*pair, int(edge.mark_u), int(edge.mark_v), bend] for pair, edge, bend in zip(ends, edges, shift, strict=True)],
        "why": [[why.get((v, u), 0), why.get((u, v), 0)] for u, v in ends],
        "conflicts": [[c.other, c.at, sentence] for c, sentence in zip(found.conflicts, found.conflicts_in_words(), strict=True)],
        "communities": groups,
        "folded": folded_at_start(groups, adjacent),
        "tree": [_node(node) for node in found.tree.nodes],
        **_sets(found),
        "selection": is_selected,
        "words": {f"{u}{v}": sentence for (u, v), sentence in (WORDS_OF_SELECTED if is_selected else WORDS).items()},
        "meanings": {f"{int(at)}{int(other)}": sentence for (at, other), sentence in meanings_of(found.settings).items()},
        "open": sorted(i for i, edge in enumerate(edges) if not found.is_decided(edge.u, edge.v)),
        "most_open": MOST_UNDECIDED,
        "stopped": OPEN,
        "no_other_mark": NO_OTHER_MARK,
        "undecided": {"1": UNDECIDED, "2": NO_REASON, "3": NO_REASON},
        "rules": {name: asdict(rule) for name, rule in {**rules_of(found.settings), "": OTHER_RULE}.items()},
    }


def _evidence(found: Discovery, table: pd.DataFrame | None) -> list[list[Any] | None] | None:
    """Per edge p-value, names held fixed, sign, partial correlation; ``None`` if no edge has them."""
    if table is None or table["p_value"].isna().all():
        return None
    columns = table[["u", "v", "p_value", "given", "sign", "partial_correlation"]].itertuples(index=False, name=None)
    told = {frozenset((u, v)): None if pd.isna(p) else [_short(part) for part in (p, *rest)] for u, v, p, *rest in columns}
    return [told[frozenset((edge.u, edge.v))] for edge in found.pag.reordered(found.skeleton.labels).edges()]


def _scores(found: Discovery, table: pd.DataFrame | None) -> list[list[Any]] | None:
    """Per edge, by how much the graph scores worse without it and with another mark at either end; ``None`` if none was scored."""
    if table is None or not set(SCORE_COLUMNS) <= set(table):
        return None
    columns = table[["u", "v", *SCORE_COLUMNS]].itertuples(index=False, name=None)
    told = {(u, v): [_short(part) for part in parts] for u, v, *parts in columns}
    told |= {(v, u): [without, at_v, at_u] for (u, v), (without, at_u, at_v) in list(told.items())}
    return [told[edge.u, edge.v] for edge in found.pag.reordered(found.skeleton.labels).edges()]


def _drawn(found: Discovery) -> dict[str, Any] | None:
    """What came of a bootstrap: the number of tables, per edge how often it came and how sure that makes it, and pairs without an edge
    that were adjacent at times.
    """
    if found.bootstrap is None:
        return None
    labels, drawn = found.skeleton.labels, found.bootstrap
    place, pag = {name: i for i, name in enumerate(labels)}, found.pag.reordered(labels)
    apart = [[*sorted((place[u], place[v])), _short(drawn.adjacent(u, v))] for u, v in drawn.counts if not pag.marks[place[u], place[v]]]
    often = [[None if share is None else _short(share) for share in drawn.of_edge(edge)] for edge in pag.edges()]
    return {"tables": drawn.replicates, "told": drawn.summary(), "often": often, "apart": sorted(apart)}


def _short(value: Any) -> Any:
    """A number to four digits; ``None`` in place of a gap."""
    return None if pd.isna(value) else value if isinstance(value, str) else float(f"{value:.4g}")


def _about(settings: Mapping[str, Any]) -> list[str]:
    """The run in a few words: mode where it is not the exact one, learner, test, level, rows."""
    learner, test = settings.get("learner") or {}, settings.get("test") or {}
    mode = settings.get("mode")
    words = [None if mode == "exact" else mode, learner.get("name"), test.get("name")]
    if test.get("alpha") is not None:
        words.append(f"alpha {test['alpha']}")
    if test.get("n_samples") is not None:
        words.append(f"{test['n_samples']:,}".replace(",", "\u202f") + " rows")
    return [str(word) for word in words if word]


def _node(node: object) -> list[Any] | int:
    """A leaf is 0; a branch its children, separator, the number of its smaller side, that side."""
    if not isinstance(node, Branch):
        return 0
    split = node.split
    smaller = 0 if len(split.left) <= len(split.right) else 1
    return [node.left, node.right, list(split.separator), smaller, list((split.left, split.right)[smaller])]


def _sets(found: Discovery) -> dict[str, Any]:
    """The separating sets as the script looks them up.

    ``sets`` has those of each leaf (``None`` where they are too many), ``later`` those that no leaf
    has, each as ``[x, y, *set]``, ``across`` those of pairs that fell in a merge, and ``arrows`` are
    those of the MAG whose ancestors separate.
    """
    facts = found.skeleton.sets.to_dict(found.skeleton.variables)
    mag = facts.get("mag")
    return {
        "sets": _sets_by_leaf(facts.get("tree", ())),
        "across": [[x, y, *z] for x, y, z in facts.get("across", ())],
        "later": [[x, y, *z] for key in ("separating_sets", "separated_later") for x, y, z in facts.get(key, ())],
        "arrows": None if mag is None else _arrows(mag),
    }


def _sets_by_leaf(nodes: Sequence[Mapping[str, Any]]) -> dict[str, list[list[int]]] | None:
    by_leaf: dict[str, list[list[int]]] = {}
    numbers = 0
    for number, node in enumerate(nodes):
        if "separating_sets" not in node:
            continue
        pairs = node["separating_sets"]
        if "blankets" in node:
            pairs = RecordedSets.from_dict(node, node["variables"]).known(node["variables"])
        by_leaf[str(number)] = [[x, y, *z] for x, y, z in pairs]
        numbers += sum(map(len, by_leaf[str(number)]))
        if numbers > _ROOM_FOR_SETS:
            return None
    return by_leaf


def _arrows(mag: Sequence[Sequence[int]]) -> list[list[int]]:
    ends = [end for a, b, at_a, at_b in mag for end in ((a, b, at_a, at_b), (b, a, at_b, at_a))]
    return sorted([u, v] for u, v, at_u, at_v in ends if at_u == TAIL and at_v == ARROW)
