"""Genes of known pathways: learn a PAG of their expression; do its edges keep to the pathways?"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dicola import PAG, Dataset, DiCoLa, Discovery, FisherZ, InvalidData, InvalidSetting, discover, read_table
from dicola_experiments.figures import drawing, matrices_figure, save
from dicola_experiments.files import write_changed
from dicola_experiments.plan import Study

if TYPE_CHECKING:
    import pandas as pd

_SHUFFLES = 10_000
_SETTINGS = ("learner", "stops", "alpha", "pathways", "selections")

Facts = dict[str, Any]


@dataclass(frozen=True)
class Selection:
    """Some of the genes: those of the pathways, less those left out, and why."""

    name: str
    left_out: tuple[str, ...]
    why: str
    pathways: Mapping[str, tuple[str, ...]]

    @property
    def genes(self) -> list[str]:
        """All genes of the selection, pathway by pathway."""
        return [gene for genes in self.pathways.values() for gene in genes]


def run_expression(study: Study, data: Path | None, results: Path, figures: Path) -> Facts:
    """Learn a PAG of each selection with each rule that stops the splitting, and in each mode.

    The facts are written as JSON, the mark matrices as figures.
    """
    if data is None:
        raise InvalidSetting(f"{study.name!r} needs a table that the repository does not hold; name its file with --data.")
    frame = _table(read_table(data), study)
    found = {selection.name: _learned(study, selection, frame) for selection in selections(study)}
    facts = {
        "study": study.name,
        "rows": len(frame),
        "alpha": study.more["alpha"],
        "learner": study.more["learner"],
        "selections": [
            {
                "name": selection.name,
                "genes": len(selection.genes),
                "left_out": list(selection.left_out),
                "why": selection.why,
                "runs": [run for run, _ in found[selection.name].values()],
            }
            for selection in selections(study)
        ],
    }
    write_changed(results / f"{study.name}.json", json.dumps(facts, ensure_ascii=False, indent=1).encode() + b"\n")
    with drawing():
        for selection in selections(study):
            pags = {how: pag for how, (_, pag) in list(found[selection.name].items())[:2]}
            save(matrices_figure(pags, selection.pathways), figures / f"{study.name}-{len(selection.genes)}")
    return facts


def read_expression(study: Study, results: Path) -> Facts | None:
    """What a run has written; ``None`` where there was none."""
    file = results / f"{study.name}.json"
    if not file.exists():
        return None
    facts: Facts = json.loads(file.read_text(encoding="utf-8"))
    return facts


def selections(study: Study) -> list[Selection]:
    """The selections that the settings file names."""
    lacking = [name for name in _SETTINGS if name not in study.more]
    if lacking:
        raise InvalidSetting(f"{study.name}.toml lacks {', '.join(map(repr, lacking))}.")
    known = {gene for genes in study.more["pathways"].values() for gene in genes}
    found = []
    for each in study.more["selections"]:
        left_out = tuple(each["left_out"])
        if unknown := [gene for gene in left_out if gene not in known]:
            raise InvalidSetting(f"{study.name}.toml leaves out {unknown[0]!r}, which is in none of its pathways.")
        pathways = {name: tuple(gene for gene in genes if gene not in left_out) for name, genes in study.more["pathways"].items()}
        found.append(Selection(each["name"], left_out, each["why"].strip(), pathways))
    return found


def pathway_facts(pag: PAG, pathways: Mapping[str, Sequence[str]]) -> Facts:
    """How many edges stay within a pathway, beside the share among random pairs of these genes.

    ``chance`` is the share of random relabellings of the genes, pathway sizes kept, with at least
    as many edges within.
    """
    home = {gene: name for name, genes in pathways.items() for gene in genes}
    labels = np.array([list(pathways).index(home[gene]) for gene in pag.names])
    ends = np.array(pag.pairs(), dtype=np.intp).reshape(-1, 2)
    n_within = int((labels[ends[:, 0]] == labels[ends[:, 1]]).sum())
    random = np.random.default_rng(1)
    as_many = 0
    for _ in range(_SHUFFLES):
        shuffled = random.permutation(labels)
        as_many += int((shuffled[ends[:, 0]] == shuffled[ends[:, 1]]).sum()) >= n_within
    sizes = [len(genes) for genes in pathways.values()]
    pairs_within = sum(size * (size - 1) // 2 for size in sizes)
    blocks = []
    for first, second in combinations_with_replacement(pathways, 2):
        inside = [pair for pair in combinations(pag.names, 2) if {home[pair[0]], home[pair[1]]} == {first, second}]
        edges = sum({home[edge.u], home[edge.v]} == {first, second} for edge in pag.edges())
        blocks.append({"between": [first, second], "edges": edges, "pairs": len(inside)})
    n = len(labels)
    return {
        "edges": pag.n_edges,
        "within": n_within,
        "share_within": round(n_within / pag.n_edges, 4) if pag.n_edges else None,
        "expected_share_within": round(pairs_within / (n * (n - 1) // 2), 4),
        "chance": round(as_many / _SHUFFLES, 4),
        "blocks": blocks,
    }


def _learned(study: Study, selection: Selection, frame: pd.DataFrame) -> dict[str, tuple[Facts, PAG]]:
    found = {}
    for how, result in _runs(study, frame[selection.genes]):
        pag = result.pag.reordered(selection.genes)
        tree = {"leaves": result.tree.n_leaves, "largest_leaf": result.tree.largest_leaf, "depth": result.tree.depth}
        ends = Counter(mark.name.lower() for edge in pag.edges() for mark in (edge.mark_u, edge.mark_v))
        marks = {name: ends[name] for name in ("arrow", "tail", "circle")}
        lines = [{"edge": str(edge), "words": words} for edge, words in zip(pag.edges(), pag.in_words(), strict=True)]
        facts = {"how": how, "tests": dict(result.tests), **tree, "marks": marks, **pathway_facts(pag, selection.pathways)}
        found[how] = (facts | {"power": str(result.power), "in_words": lines}, pag)
    return found


def _runs(study: Study, frame: pd.DataFrame) -> Iterator[tuple[str, Discovery]]:
    """The paper's method with each stop rule, then what users of each mode get; ``"auto"`` is the default."""
    ci = FisherZ(frame, alpha=study.more["alpha"])
    for stop in study.more["stops"]:
        yield f'stop="{stop}"', discover(ci, learner=study.more["learner"], stop=stop, mode="paper")
    for mode in study.more.get("modes", ()):
        yield "DiCoLa()" if mode == "auto" else f'mode="{mode}"', DiCoLa(mode=mode, alpha=study.more["alpha"]).fit(frame).discovery_


def _table(dataset: Dataset, study: Study) -> pd.DataFrame:
    wanted = [gene for genes in study.more["pathways"].values() for gene in genes]
    missing = [gene for gene in wanted if gene not in dataset.names]
    if missing:
        raise InvalidData(f"the table lacks {len(missing)} of the {len(wanted)} genes of the study, among them {missing[0]!r}.")
    return dataset.to_frame()[wanted]
