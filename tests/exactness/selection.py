"""Selected samples with a perfect test: every learner that allows for them, alone and under DiCoLa, against the true PAG.

From the root of the repository: ``python -m tests.exactness.selection 5000 --seed 1 --jobs 2``.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from joblib import Parallel, delayed

from dicola import DAG, MAG, PAG, Oracle, discover
from dicola.learners.registry import LEARNERS
from tests.exactness.learners import edges_missed, edges_too_many
from tests.exactness.run import wrong_sets
from tests.reference_models import ARROW, TAIL, ancestors, mask, names, random_dag

ALLOWING = tuple(name for name, learner in LEARNERS.items() if learner.allows_selection)
WAYS: dict[str, tuple[dict[str, object], ...]] = {
    "alone": ({"decompose": False},),
    "DiCoLa": ({"stop": "paper"}, {"stop": "auto"}, {"stop": "paper", "leaf_start": "complete", "uig": "relearn"}),
}
DENSITIES = (0.15, 0.25, 0.35, 0.5)
CHUNK = 100


@dataclass(frozen=True)
class Selected:
    """A DAG, what of it is hidden and what was selected on, and the MAG and the PAG over the rest."""

    label: str
    dag: DAG
    hidden: tuple[str, ...]
    selected: tuple[str, ...]
    mag: MAG
    pag: PAG

    def oracle(self) -> Oracle:
        return Oracle(self.dag, self.hidden, self.selected)

    @property
    def has_undirected(self) -> bool:
        return bool(((self.mag.marks == TAIL) & (self.mag.marks.T == TAIL)).any())


def selected_truth(seed: int, number: int) -> Selected:
    """Graph ``number`` of the family ``seed``: 4 to 8 observed variables, up to 3 hidden, 1 to 4 selected on.

    Every third one selects on common effects of pairs in a ring, which leaves undirected cycles; the others on what has most causes.
    """
    rng = np.random.default_rng([seed, number, 17])
    n_observed, n_hidden = int(rng.integers(4, 9)), int(rng.integers(0, 4))
    if number % 3 == 0:
        marks, selected = _with_ring(rng, n_observed + n_hidden)
    else:
        n_selected = int(rng.integers(1, 4))
        marks = random_dag(rng, n_observed + n_hidden + n_selected, float(rng.choice(DENSITIES)))
        selected = sorted(range(len(marks)), key=lambda v: (-marks[v].count(TAIL), v))[:n_selected]
    rest = rng.permutation([v for v in range(len(marks)) if v not in selected]).tolist()
    labels = names(len(marks))
    dag = DAG.from_matrix(marks, labels)
    hidden, chosen = tuple(labels[v] for v in rest[n_observed:]), tuple(labels[v] for v in selected)
    return Selected(f"selected {seed}/{number}", dag, hidden, chosen, dag.true_mag(hidden, chosen), dag.true_pag(hidden, chosen))


def _with_ring(rng: np.random.Generator, n: int) -> tuple[list[list[int]], list[int]]:
    """A sparse DAG of n vertices, and one effect selected on for each two neighbours in a ring of four to n of them."""
    above = random_dag(rng, n, float(rng.uniform(0.05, 0.35)))
    size = int(rng.integers(4, n + 1))
    ring = rng.permutation(n).tolist()[:size]
    marks = [[*row, *[0] * size] for row in above] + [[0] * (n + size) for _ in range(size)]
    for place in range(size):
        for cause in (ring[place], ring[place - 1]):
            marks[cause][n + place], marks[n + place][cause] = ARROW, TAIL
    return marks, list(range(n, n + size))


def untrue_marks(found: PAG, truth: Selected) -> list[str]:
    """Marks that are no true statements of the DAG: a tail at v on u - v says that v is a cause of u or of selection, an arrowhead that
    it is not, whether or not the true MAG has the edge.
    """
    before, dag = ancestors(truth.dag.marks.tolist()), truth.dag
    selected = mask(dag.index(name) for name in truth.selected)
    chosen = {name: before[dag.index(name)] for name in found.names}
    into = 0
    for v in range(len(dag)):
        if selected >> v & 1:
            into |= before[v]
    wrong = []
    for a, b in combinations(range(len(found)), 2):
        for u, v in ((a, b), (b, a)):
            is_cause = bool((chosen[found.names[u]] | into) >> dag.index(found.names[v]) & 1)
            if (found.marks[u, v] == ARROW and is_cause) or (found.marks[u, v] == TAIL and not is_cause):
                wrong.append(f"{'arrowhead' if is_cause else 'tail'} at {found.names[v]} on its edge to {found.names[u]}")
    return wrong


@dataclass(frozen=True)
class Tally:
    """Graphs checked by one learner in one way, and what was wrong with the answers; RFCI may have edges too many."""

    graphs: int = 0
    wrong: tuple[str, ...] = ()
    too_many: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.graphs + other.graphs, self.wrong + other.wrong, self.too_many + other.too_many)


def check(learner: str, way: str, truth: Selected, sets: bool = True) -> Tally:
    """A complete learner against the true PAG, mark for mark; another misses no edge, says nothing untrue, and is right where it has no
    edge too many.
    """
    oracle, faults, too_many = truth.oracle(), [], 0
    for settings in WAYS[way]:
        found = discover(oracle, learner, selection=True, **settings)  # type: ignore[arg-type]
        pag = found.pag.reordered(truth.pag.names)
        faults += wrong_sets(found, oracle) if sets else []
        if not LEARNERS[learner].complete and edges_too_many(pag, truth.mag):
            too_many = 1
            faults += [f"misses {edge}" for edge in edges_missed(pag, truth.mag)] + untrue_marks(pag, truth)
        elif pag != truth.pag:
            faults.append(f"{pag} instead of {truth.pag} ({settings})")
        told = [warning for warning in found.warnings if not warning.startswith("the sample may have been selected: A --> B")]
        if LEARNERS[learner].complete and (found.conflicts or told):
            faults.append(f"conflicts or warnings: {found.conflicts_in_words()} {found.warnings}")
    return Tally(1, tuple(f"{learner} {way}, {truth.label}: {fault}" for fault in faults), too_many)


def check_chunk(seed: int, first: int, last: int, learners: Sequence[str] = ALLOWING) -> dict[tuple[str, str], Tally]:
    """Every learner in both ways on the graphs from ``first`` to before ``last``; separating sets on every fifth."""
    found = {(name, way): Tally() for name in learners for way in WAYS}
    for number in range(first, last):
        truth = selected_truth(seed, number)
        for name, way in found:
            found[name, way] += check(name, way, truth, sets=number % 5 == 0)
    return found


def main(arguments: Sequence[str] | None = None, write: Callable[[str], object] = sys.stdout.write) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.exactness.selection", description=__doc__)
    parser.add_argument("graphs", type=int, help="how many random graphs to check")
    parser.add_argument("--seed", type=int, default=1, help="family of graphs")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--learner", choices=ALLOWING, action="append", help="only this one; may be repeated")
    chosen = parser.parse_args(arguments)
    start, learners = time.perf_counter(), tuple(chosen.learner or ALLOWING)
    chunks = [(first, min(first + CHUNK, chosen.graphs)) for first in range(0, chosen.graphs, CHUNK)]
    parts = Parallel(n_jobs=chosen.jobs)(delayed(check_chunk)(chosen.seed, *chunk, learners) for chunk in chunks)
    failed = not chunks
    for key in [(name, way) for name in learners for way in WAYS] if chunks else []:
        total = sum((part[key] for part in parts), Tally())
        for fault in total.wrong[:5]:
            write(f"{fault}\n")
        more = f", {total.too_many} with edges too many" if total.too_many else ""
        write(f"{key[0]:<10}{key[1]:<8}{total.graphs:>7} graphs checked, {len(total.wrong)} wrong{more}\n")
        failed |= bool(total.wrong)
    write(f"{time.perf_counter() - start:.1f} seconds\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
