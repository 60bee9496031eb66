"""Random true knowledge: ``python -m tests.exactness.knowledge 2000`` asks oracles.

``… 2000 selection`` does so about selected samples, ``… 200 tables`` asks tables in every mode.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd

from dicola import DAG, MAG, PAG, CITest, Discovery, FisherZ, GSquare, Knowledge, Oracle, discover, metrics
from dicola.claims import Claims
from dicola.graphs.marks import ARROW, CIRCLE, NONE, TAIL
from dicola.simulate import er_dag, hide, linear_gaussian
from dicola.statements import Judge
from tests.exactness.selection import selected_truth

LEARNERS = ("fci", "rfci", "l-marvel", "fci+", "icd")


class Truth:
    """A DAG with hidden variables, and what is true of its observed ones."""

    def __init__(self, dag: DAG, latents: tuple[str, ...], selected: tuple[str, ...] = ()) -> None:
        self.dag, self.latents, self.selected = dag, (*latents, *selected), selected
        self.observed = tuple(name for name in dag.names if name not in self.latents)
        self.whole = dag.true_mag(())
        self.above = {name: set(self.whole.ancestors(name)) - {name} for name in dag.names}
        self.mag: MAG = dag.true_mag(latents, selected)
        groups = [self._touched(hidden) for hidden in self.latents]
        self.confounded = {(a, b) for group in groups for a in group for b in group if a != b}

    def _touched(self, hidden: str) -> set[str]:
        """What a hidden variable causes with nothing observed in between."""
        found, queue = {hidden} & set(self.selected), [hidden]
        for name in queue:  # grows while it is read
            for child in (edge.v for edge in self.whole.edges() if edge.u == name):
                if child in self.latents:
                    queue.append(child)
                    found |= {child} & set(self.selected)
                else:
                    found.add(child)
        return found

    @property
    def pairs(self) -> list[tuple[str, str]]:
        return [(a, b) for a in self.observed for b in self.observed if a != b]

    def causes(self, a: str, b: str) -> bool:
        return a in self.above[b]

    def is_exogenous(self, name: str, beside: Iterable[str] = ()) -> bool:
        """Does no observed variable cause it, and nothing hidden it and another, but for some others?"""
        others = [other for other in (*self.observed, *self.selected) if other != name and other not in set(beside)]
        return not any(self.causes(other, name) or (name, other) in self.confounded for other in others)

    def tiers(self, rng: np.random.Generator, n_tiers: int = 3) -> list[list[str]]:
        order = [name for v in self.dag.topological_order() if (name := self.dag.names[v]) in self.observed]
        cuts = sorted(rng.choice(np.arange(1, len(order)), size=min(n_tiers - 1, len(order) - 1), replace=False).tolist())
        return [order[i:j] for i, j in zip([0, *cuts], [*cuts, len(order)], strict=True)]

    def knowledge(self, rng: np.random.Generator, share: float = 0.15) -> Knowledge:
        """Some statements of every kind, all of them true."""

        def some(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
            return [pair for pair in pairs if rng.random() < share]

        tiers = self.tiers(rng) if rng.random() < 0.4 else []
        closed = [i for i, tier in enumerate(tiers) if not any(self.causes(a, b) for a in tier for b in tier) and rng.random() < 0.5]
        if tiers and rng.random() < 0.5:  # some are free
            tiers = [[name for name in tier if rng.random() < 0.7] for tier in tiers]
        adjacent = {(edge.u, edge.v) for edge in self.mag.edges()}
        is_joined = {*adjacent, *((b, a) for a, b in adjacent)}
        exogenous = [name for name in self.observed if self.is_exogenous(name) and rng.random() < 0.3]
        return Knowledge(
            tiers=tiers,
            closed=closed,
            forbidden=some(pair for pair in self.pairs if not self.causes(*pair)),
            required=some(pair for pair in self.pairs if self.causes(*pair)),
            exogenous=exogenous,
            unconfounded=some(pair for pair in self.pairs if pair not in self.confounded),
            forbidden_adjacent=some(pair for pair in self.pairs if pair not in is_joined),
            required_adjacent=some(pair for pair in self.pairs if pair in is_joined and not set(pair) <= set(exogenous)),
        )

    def contexts(self, rng: np.random.Generator) -> list[str]:
        """Variables that may truly be called contexts, the first of the order; often none."""
        order = [name for v in self.dag.topological_order() if (name := self.dag.names[v]) in self.observed]
        first = order[: int(rng.integers(1, 3))]
        return first if all(self.is_exogenous(name, first) for name in first) else []

    def wrong_marks(self, pag: PAG) -> list[str]:
        """Edges with a mark that is not true, in words."""
        wrong = []
        for edge in pag.edges():
            for at, other, mark in ((edge.u, edge.v, edge.mark_u), (edge.v, edge.u, edge.mark_v)):
                if mark != CIRCLE and (mark == TAIL) != any(self.causes(at, effect) for effect in (other, *self.selected)):
                    wrong.append(f"{edge} at {at}")
        return wrong


def drawn(seed: int, n: int = 8, n_latents: int = 2) -> tuple[Truth, np.random.Generator]:
    rng = np.random.default_rng(seed)
    dag = er_dag(int(rng.integers(5, n + 1)), float(rng.uniform(1.5, 3.5)), seed)
    pool = [name for name in dag.names if sum(a == name for a, _ in dag.arcs()) > 1]
    return Truth(dag, hide(dag, min(len(pool), int(rng.integers(0, n_latents + 1))), seed)), rng


def faults_of_an_oracle(seed: int, learner: str = "fci", decompose: bool = True) -> tuple[list[str], int]:
    """What goes wrong with true knowledge and perfect answers; and how many marks it decided."""
    truth, rng = drawn(seed)
    known, contexts = truth.knowledge(rng), truth.contexts(rng)
    found = discover(Oracle(truth.dag, truth.latents), learner, decompose=decompose, knowledge=known, contexts=contexts)
    return faults_beside(truth, found, truth.dag.true_pag(truth.latents).reordered(found.pag.names))


def faults_beside(truth: Truth, found: Discovery, plain: PAG) -> tuple[list[str], int]:
    """What is wrong with a graph found with knowledge, beside the one without; and how many marks knowledge decided."""
    faults = [f"wrong: {edge}" for edge in truth.wrong_marks(found.pag)]
    if ((found.pag.marks != NONE) != (plain.marks != NONE)).any():
        faults.append("other edges")
    decided = plain.marks != CIRCLE
    if (found.pag.marks[decided] != plain.marks[decided]).any():
        faults.append("a definite mark was lost")
    if found.conflicts:
        faults.append("conflicts")
    faults += [f"denied: {each}" for each in found.statements if each.status == "denied"]
    return faults, int((found.pag.marks[~decided] != CIRCLE).sum())


def faults_with_selection(number: int, learner: str = "fci", decompose: bool = True) -> tuple[list[str], int]:
    """The same for a selected sample."""
    drawn_truth = selected_truth(3, number)
    rng = np.random.default_rng(number)
    truth = Truth(drawn_truth.dag, drawn_truth.hidden, drawn_truth.selected)
    known = truth.knowledge(rng)
    found = discover(drawn_truth.oracle(), learner, decompose=decompose, knowledge=known, selection=True)
    plain = drawn_truth.pag.reordered(found.pag.names)
    return faults_beside(truth, found, plain)


def faults_of_a_search(found: Discovery, known: Knowledge) -> list[str]:
    """Statements that a graph does not obey."""
    judge = Judge(found.pag, found.skeleton, found.conflicts)
    denied = [each for each in judge.statements(found.settings) if each.status == "denied"]
    faults = [str(each) for each in denied if not each.evidence.endswith("as was said.")]  # else the graph obeys, against the data
    mag = getattr(found.skeleton.sets, "mag", None)
    if mag is not None:
        claims = Claims.of(known, mag.names)
        above = np.array([[a in set(mag.ancestors(b)) and a != b for b in mag.names] for a in mag.names])
        both = (mag.marks == ARROW) & (mag.marks.T == ARROW)
        faults += ["barred"] if (above & claims.barred).any() else []
        faults += ["required"] if (claims.causes & ~above).any() and not (claims.causes & claims.apart).any() else []
        faults += ["apart"] if (claims.apart & (mag.marks != NONE)).any() else []
        faults += ["joined"] if (claims.joined & (mag.marks == NONE)).any() else []
        faults += ["confounded"] if (both & claims.never_bidirected(mag.marks != NONE)).any() else []
    return [*faults, *(["conflicts"] if found.conflicts else [])]


def contradicted(found: Discovery) -> list[str]:
    """Statements that no graph with these marks obeys, whatever tests wanted."""
    said = Judge(found.pag, found.skeleton).statements(found.settings)
    return [str(each) for each in said if each.status == "denied" and not each.evidence.endswith("as was said.")]


METHODS: dict[str, dict[str, Any]] = {
    "exact": {"mode": "exact"},
    "paper": {"mode": "paper"},
    "balanced": {"mode": "balanced"},
    "boss-fci": {"learner": "boss-fci"},
    "gfci": {"learner": "gfci"},
    "mag-bic": {"learner": "mag-bic", "decompose": False},
    "either": {"mode": "either"},
}
TESTED = ("exact", "paper")  # there tests may deny a cause
SCORED = ("balanced", "mag-bic", "either")


def counted_table(truth: Truth, seed: int, rows: int = 2000) -> pd.DataFrame:
    """A table of categories: each column of a Gaussian one cut in three."""
    table = linear_gaussian(truth.dag, rows, seed)[list(truth.observed)]
    return pd.DataFrame({name: np.digitize(table[name], table[name].quantile([1 / 3, 2 / 3])).astype(str) for name in table})


def tables(count: int) -> None:
    """Every method on so many tables: does the graph obey random true knowledge, and what are true tiers worth?"""
    for name, settings in METHODS.items():
        begin, faults, scores = perf_counter(), 0, []
        for seed in range(count):
            truth, rng = drawn(seed, n=12, n_latents=3)
            known = truth.knowledge(rng)
            plain = linear_gaussian(truth.dag, 500, seed)[list(truth.observed)]
            test: CITest = GSquare(counted_table(truth, seed)) if name == "either" else FisherZ(plain)
            if name not in TESTED:
                found_with = discover(test, knowledge=known, **settings)
                wrong = faults_of_a_search(found_with, known) if name in SCORED else contradicted(found_with)
                faults += bool(wrong)
                if wrong:
                    sys.stdout.write(f"{seed} {name} {wrong[:2]}\n")
            tiers = Knowledge(tiers=truth.tiers(rng, 4))
            aim = discover(Oracle(truth.dag, truth.latents), knowledge=tiers).pag
            found = [discover(test, knowledge=each, **settings).pag for each in (tiers, None)]
            scores.append([metrics.compare(pag, aim).marks.f1 for pag in found])
        with_tiers, without = np.mean(scores, axis=0)
        held = "" if name in TESTED else f"{faults} disobey"
        said = f"mark F1 {with_tiers:.3f} with tiers, {without:.3f} without; {held}"
        sys.stdout.write(f"{name:9} {said} ({perf_counter() - begin:.0f} s)\n")
        sys.stdout.flush()


def main(count: int, faults_of: Callable[[int, str, bool], tuple[list[str], int]] = faults_of_an_oracle) -> None:
    """So many oracle graphs."""
    begin, wrong, decided = perf_counter(), 0, 0
    for seed in range(count):
        faults, gained = faults_of(seed, LEARNERS[seed % len(LEARNERS)], seed % 2 == 0)
        decided += gained
        if faults:
            wrong += 1
            sys.stdout.write(f"{seed} {faults[:3]}\n")
    sys.stdout.write(f"{count} graphs, {wrong} with a fault, {decided} marks decided by knowledge ({perf_counter() - begin:.0f} s)\n")


if __name__ == "__main__":
    if "tables" in sys.argv[2:]:
        tables(int(sys.argv[1]))
    elif "selection" in sys.argv[2:]:
        main(int(sys.argv[1]), faults_with_selection)
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
