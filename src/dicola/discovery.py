"""What a run gives back."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from itertools import combinations
from pathlib import Path
from typing import Any

from dicola.decompose.merge import TreeSets
from dicola.decompose.split import Split
from dicola.decompose.tree import Branch, Leaf, Tree
from dicola.errors import DicolaError, InvalidData, counted
from dicola.files import write_texts
from dicola.graphs.bits import mask_of, members
from dicola.graphs.equivalence import AncestralSets, Legality, legality
from dicola.graphs.formats import native
from dicola.graphs.mag import MAG
from dicola.graphs.marks import Mark
from dicola.graphs.pag import PAG
from dicola.graphs.skeleton import BlanketSets, MaskSets, RecordedSets, SeparatingSets, Skeleton
from dicola.graphs.undirected import UndirectedGraph
from dicola.orient.partial import Conflict, Reason
from dicola.report.card import card
from dicola.report.drawing import draw
from dicola.report.explain import Explanation, conflicts_in_words, explain
from dicola.report.page import page

FILES = ("pag.csv", "pag.json", "pag.svg", "report.html", "skeleton.json", "discovery.json", "timing.json")


@dataclass(frozen=True)
class Discovery:
    """The PAG with everything that led to it. Seconds take no part in equality.

    ``tests`` counts CI tests by phase, ``seconds`` wall-clock time by phase; ``conflicts`` are marks that a rule wanted and did not get;
    ``reasons[a, b]`` says why the mark at b on the edge a - b stands (positions in ``skeleton.labels``). Where graphs were scored,
    ``evaluations`` counts by kind how often, and ``score`` is that of the answer, less being better (``None``: it was not scored).
    """

    pag: PAG
    skeleton: Skeleton
    tree: Tree
    tests: dict[str, int]
    settings: dict[str, Any]
    warnings: tuple[str, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    reasons: dict[tuple[int, int], Reason] = field(default_factory=dict, repr=False)
    seconds: dict[str, float] = field(default_factory=dict, compare=False)
    evaluations: dict[str, int] = field(default_factory=dict)
    score: float | None = None

    @cached_property
    def legality(self) -> Legality:
        """Does the PAG stand for a class of MAGs? Learned from finite data it often does not; the reasons say where."""
        return legality(self.pag)

    def conflicts_in_words(self) -> list[str]:
        """One sentence a conflict."""
        return conflicts_in_words(self.conflicts, self.skeleton.labels)

    def explain(self, u: object, v: object) -> Explanation:
        """Why two variables are joined as they are, mark by mark, or which set separates them; ``str()`` of it is a text to read."""
        return explain(self, u, v)

    def summary(self) -> str:
        """A few lines for a person."""
        tests = ", ".join(f"{phase} {count:,}" for phase, count in self.tests.items() if phase != "total")
        mode, why = self.settings.get("mode", "exact"), self.settings.get("mode_chosen")
        lines = [
            f"{counted(len(self.pag), 'variable')}, {counted(self.pag.n_edges, 'edge')} ({self.pag.ends_in_words()})",
            f"mode: {mode}" + (f", as {why}" if why else ""),
            f"decomposition: {self.tree.in_words()}, depth {self.tree.depth}"
            if self.tree.branches
            else "decomposition: none, the learner ran on all variables at once",
            f"tests: {self.tests['total']:,} ({tests})",
        ]
        if self.evaluations:
            lines.append("score: " + ", ".join(f"{kind} {count:,}" for kind, count in self.evaluations.items()))
        return "\n".join(lines)

    def report(self) -> str:
        """The one-file HTML report."""
        return page(self)

    def _repr_html_(self) -> str:
        return card(self)

    def __hash__(self) -> int:
        return hash(self.pag)

    def write(self, folder: str | Path) -> Path:
        """Write the result into a folder: PAG as CSV, JSON and SVG, a report, separating sets, settings, and timings apart.

        All files are written aside first and moved in at the end; where that fails, what was there before stays. ``discovery.json``
        holds digests of the graph and of the skeleton, so that ``read`` notices files of two runs.
        """
        skeleton = _dump(_skeleton_to_dict(self.skeleton, self.tree))
        texts = {
            "pag.csv": native.to_csv(self.pag),
            "pag.json": native.to_json(self.pag),
            "pag.svg": draw(self.pag),
            "report.html": self.report(),
            "skeleton.json": skeleton,
            "discovery.json": _dump(self._to_dict(_digests(self.pag, skeleton))),
            "timing.json": _dump(self.seconds),
        }
        return write_texts(folder, texts)

    def _to_dict(self, digests: dict[str, str]) -> dict[str, Any]:
        return {
            "format": "dicola.discovery",
            "version": 1,
            "sha256": digests,
            "tests": self.tests,
            **({"evaluations": self.evaluations} if self.evaluations else {}),
            **({} if self.score is None else {"score": self.score}),
            "settings": self.settings,
            "warnings": list(self.warnings),
            "conflicts": [
                [c.rule, c.other, c.at, int(c.standing), int(c.wanted), list(c.witness), c.standing_rule, list(c.standing_witness)]
                for c in self.conflicts
            ],
            "reasons": [[a, b, reason.rule, list(reason.witness)] for (a, b), reason in sorted(self.reasons.items())],
        }

    @classmethod
    def read(cls, folder: str | Path) -> Discovery:
        """Read back what ``write`` wrote."""
        source = Path(folder)
        try:
            texts = {name: (source / name).read_text(encoding="utf-8") for name in FILES if name.endswith(".json")}
            facts, skeleton_facts = json.loads(texts["discovery.json"]), json.loads(texts["skeleton.json"])
            seconds = json.loads(texts["timing.json"])
            pag = native.from_json(texts["pag.json"])
            skeleton, tree = _skeleton_from_dict(skeleton_facts, pag.names)
            if "sha256" in facts and facts["sha256"] != _digests(pag, texts["skeleton.json"]):
                raise InvalidData(
                    f"the files in {str(folder)!r} were not written together: pag.json, skeleton.json and discovery.json are of different "
                    "runs, or one was changed. Write the result again."
                )
            return cls(
                pag=pag,
                skeleton=skeleton,
                tree=tree,
                tests=facts["tests"],
                settings=facts["settings"],
                warnings=tuple(facts["warnings"]),
                conflicts=tuple(
                    Conflict(r, o, a, Mark(s), Mark(w), tuple(z), sr, tuple(sz)) for r, o, a, s, w, z, sr, sz in facts["conflicts"]
                ),
                reasons={(a, b): Reason(rule, tuple(witness)) for a, b, rule, witness in facts["reasons"]},
                seconds=seconds,
                evaluations=facts.get("evaluations", {}),
                score=facts.get("score"),
            )
        except FileNotFoundError as error:
            raise InvalidData(
                f"{str(folder)!r} does not hold a written discovery: there is no file {error.filename!r}. Name a folder that "
                "Discovery.write, or dicola fit, oracle or demo with --out, wrote."
            ) from None
        except DicolaError:
            raise
        except (OSError, LookupError, TypeError, ValueError) as error:
            raise InvalidData(f"{str(folder)!r} does not hold a written discovery: {type(error).__name__}: {error}.") from None


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def _digests(pag: PAG, skeleton: str) -> dict[str, str]:
    """What tells the parts of one result from those of another; the order of the columns takes no part."""
    texts = {"pag": native.to_json(pag.reordered(sorted(pag.names))), "skeleton": skeleton}
    return {name: sha256(text.encode("utf-8")).hexdigest() for name, text in texts.items()}


def _skeleton_to_dict(skeleton: Skeleton, tree: Tree) -> dict[str, Any]:
    later = skeleton.sets if isinstance(skeleton.sets, RecordedSets) else RecordedSets(otherwise=skeleton.sets)
    base = later.otherwise
    mag = base.mag if isinstance(base, AncestralSets) else None
    if mag is not None:  # the sets follow from the MAG; those of the leaves are of no use any more
        base = TreeSets(tree, tuple(None if isinstance(node, Branch) else RecordedSets() for node in tree.nodes))
    assert isinstance(base, TreeSets)
    nodes: list[dict[str, Any]] = []
    for node, sets in zip(tree.nodes, base.leaf_sets, strict=True):
        entry: dict[str, Any] = {"variables": list(node.variables)}
        if isinstance(node, Branch):
            entry |= {"left": node.left, "right": node.right, "separator": list(node.split.separator)}
        else:
            assert isinstance(sets, RecordedSets)
            if isinstance(sets.otherwise, MaskSets | AncestralSets):
                sets = RecordedSets({pair: z for pair in combinations(node.variables, 2) if (z := sets.get(*pair)) is not None})
            entry["separating_sets"] = [[x, y, list(z)] for (x, y), z in sets.items()]
            if isinstance(sets.otherwise, BlanketSets):
                entry["blankets"] = [[node.variables[v] for v in members(mask)] for mask in sets.otherwise.blankets]
        nodes.append(entry)
    return {
        "format": "dicola.skeleton",
        "version": 1,
        "labels": list(skeleton.labels),
        "edges": [list(edge) for edge in sorted(skeleton.edges)],
        "warnings": list(skeleton.warnings),
        "tree": nodes,
        **({} if mag is None else {"mag": [[a, b, int(mag.marks[b, a]), int(mag.marks[a, b])] for a, b in mag.pairs()]}),
        "separated_later": [[x, y, list(z)] for (x, y), z in later.items()],
    }


def _skeleton_from_dict(facts: dict[str, Any], names: tuple[str, ...]) -> tuple[Skeleton, Tree]:
    nodes: list[Leaf | Branch] = []
    leaf_sets: list[SeparatingSets | None] = []
    for entry in facts["tree"]:
        variables = tuple(entry["variables"])
        if "separator" not in entry:
            place, outside, uig = {v: i for i, v in enumerate(variables)}, None, None
            if "blankets" in entry:
                uig = UndirectedGraph.from_masks([mask_of(place[v] for v in row) for row in entry["blankets"]])
                outside = BlanketSets(uig, variables)
            nodes.append(Leaf(variables, uig))
            leaf_sets.append(RecordedSets({(x, y): z for x, y, z in entry["separating_sets"]}, outside))
            continue
        separator = set(entry["separator"])
        left, right = (tuple(v for v in facts["tree"][entry[side]]["variables"] if v not in separator) for side in ("left", "right"))
        nodes.append(Branch(variables, Split(left, right, tuple(entry["separator"])), entry["left"], entry["right"]))
        leaf_sets.append(None)
    tree = Tree(tuple(nodes))
    edges = frozenset((a, b) for a, b in facts["edges"])
    sets: SeparatingSets = TreeSets(tree, tuple(leaf_sets))
    if "mag" in facts:
        labels = facts["labels"]
        sets = AncestralSets(MAG.from_marked_edges([(labels[a], labels[b], at_a, at_b) for a, b, at_a, at_b in facts["mag"]], labels))
    if facts["separated_later"]:
        sets = RecordedSets({(x, y): z for x, y, z in facts["separated_later"]}, otherwise=sets)
    return Skeleton(tuple(facts["labels"]), nodes[0].variables, edges, sets, names, tuple(facts["warnings"])), tree
