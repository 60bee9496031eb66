"""The facts that the page's script draws from, once, as one JSON text.

Variables are numbers in the fixed order of ``skeleton.labels``; marks are pcalg's codes. Of a split only the separator and its smaller
side are written, for the script can derive the rest; a separating set is looked up in the tree when asked, as the library does.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import combinations
from typing import Any, Final

import numpy as np

from dicola.decompose.merge import TreeSets
from dicola.decompose.tree import Branch
from dicola.graphs.marks import ARROW, TAIL
from dicola.graphs.pag import WORDS
from dicola.graphs.skeleton import RecordedSets
from dicola.orient.equivalence import AncestralSets
from dicola.report.communities import MANY, communities, folded_at_start, is_foldable
from dicola.report.explain import conflicts_in_words
from dicola.report.labels import short_label
from dicola.report.layout import layout
from dicola.report.result import Result
from dicola.report.routing import bends
from dicola.report.rule_text import MEANINGS, NO_REASON, OTHER_RULE, UNDECIDED, rules_of

_ROOM_FOR_SETS: Final = 600_000  # numbers; a few megabytes


def payload(found: Result) -> str:
    """One JSON text, ASCII and free of ``<``, so that nothing in it can end the element it stands in."""
    return json.dumps(_facts(found), ensure_ascii=True, separators=(",", ":")).replace("<", "\\u003c")


def _facts(found: Result) -> dict[str, Any]:
    labels = found.skeleton.labels
    place = {name: i for i, name in enumerate(labels)}
    pag = found.pag.reordered(labels)
    boxes = layout(found.pag)
    edges = pag.edges()
    adjacent = pag.marks != 0
    groups = [group for group in communities(adjacent) if is_foldable(group)] if len(pag) > MANY else []
    shift = bends([(edge.u, edge.v) for edge in edges], boxes)
    ends = [(place[edge.u], place[edge.v]) for edge in edges]
    sets, later = _recorded_sets(found)
    return {
        "about": _about(found.settings),
        "care": [*found.warnings, *(["The graph is not a legal PAG."] if not found.legality.legal else [])],
        "names": list(labels),
        "shown": [short_label(name) for name in labels],
        "boxes": [[boxes[name].x, boxes[name].y, boxes[name].width] for name in labels],
        "edges": [[*pair, int(edge.mark_u), int(edge.mark_v), bend] for pair, edge, bend in zip(ends, edges, shift, strict=True)],
        "why": [[_reason(found, v, u), _reason(found, u, v)] for u, v in ends],
        "conflicts": [
            [c.other, c.at, sentence] for c, sentence in zip(found.conflicts, conflicts_in_words(found.conflicts, labels), strict=True)
        ],
        "communities": groups,
        "folded": folded_at_start(groups, adjacent),
        "tree": [_node(node) for node in found.tree.nodes],
        "sets": sets,
        "later": later,
        "arrows": _arrows(found),
        "words": {f"{u}{v}": sentence for (u, v), sentence in WORDS.items()},
        "meanings": {f"{int(at)}{int(other)}": sentence for (at, other), sentence in MEANINGS.items()},
        "undecided": {"1": UNDECIDED, "2": NO_REASON, "3": NO_REASON},
        "rules": {
            name: {"roles": dict(rule.roles), "sentence": rule.sentence, "apart": rule.apart}
            for name, rule in {**rules_of(found.settings), "": OTHER_RULE}.items()
        },
    }


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


def _reason(found: Result, other: int, at: int) -> list[Any] | int:
    reason = found.reasons.get((other, at))
    return 0 if reason is None else [reason.rule, *reason.witness]


def _node(node: object) -> list[Any] | int:
    """A leaf is 0; a branch its two children, its separator, and its smaller side behind the number of that side."""
    if not isinstance(node, Branch):
        return 0
    split = node.split
    smaller = 0 if len(split.left) <= len(split.right) else 1
    return [node.left, node.right, list(split.separator), smaller, list((split.left, split.right)[smaller])]


def _arrows(found: Result) -> list[list[int]] | None:
    """The arrows of the MAG whose ancestors separate; ``None`` where separating sets were found by tests."""
    sets = found.skeleton.sets
    if not isinstance(sets, AncestralSets):
        return None
    return np.argwhere((sets.mag.marks == ARROW) & (sets.mag.marks.T == TAIL)).tolist()


def _recorded_sets(found: Result) -> tuple[dict[str, list[list[int]]] | None, list[list[int]]]:
    """The sets that leaves recorded, by leaf, each as ``[x, y, *set]`` (``None`` where they are too many), and those found later."""
    sets = found.skeleton.sets
    later = sets if isinstance(sets, RecordedSets) else RecordedSets(otherwise=sets)
    by_leaf: dict[str, list[list[int]]] = {}
    numbers = 0
    if isinstance(later.otherwise, TreeSets):
        for number, (node, recorded) in enumerate(zip(found.tree.nodes, later.otherwise.leaf_sets, strict=True)):
            if recorded is None or numbers > _ROOM_FOR_SETS:
                continue
            known = ((x, y, recorded.get(x, y)) for x, y in combinations(node.variables, 2))
            by_leaf[str(number)] = [[x, y, *z] for x, y, z in known if z is not None]
            numbers += sum(map(len, by_leaf[str(number)]))
    return (by_leaf if numbers <= _ROOM_FOR_SETS else None), [[x, y, *z] for (x, y), z in later.items()]
