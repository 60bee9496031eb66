"""Every learner, alone and under DiCoLa, with a perfect test: what it finds against what is true.

From the root of the repository: ``python -m tests.exactness.learners 2000 --seed 1 --jobs 2``, and with ``--released`` the PAGs that
others published as well.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

from dicola import DAG, MAG, PAG, Discovery, Learner, Oracle, discover, mag_to_pag
from dicola.graphs.formats import native
from dicola.learners.registry import LEARNERS
from tests.exactness.run import hidden_dag, wrong_sets
from tests.reference_models import (
    ARROW,
    BIDIRECTED,
    DIRECTED,
    NONE,
    REVERSED,
    TAIL,
    Marks,
    ancestors,
    empty,
    independence_model,
    is_ancestral,
    join,
    names,
    permuted,
    random_dag,
    random_large_mag,
    separated_by_augmentation,
)

COMPLETE = tuple(name for name, learner in LEARNERS.items() if learner.complete)
WAYS = {"alone": False, "DiCoLa": True}
CHUNK = 100

RELEASED = (*(f"mildew/{i}" for i in (1, 2, 3)), *(f"andes/{i}" for i in (1, 2, 3)))
RELEASED_SECONDS = 60
"""What one learner may take on one released graph, on one ordinary core. Reported by ``--released``, asserted nowhere."""

EX4 = MAG.from_text("T --> A; A <-> B; X --> B")
EX5 = MAG.from_text("3 --> 0; 0 --> 4; 3 --> 2; 2 --> 1; 0 <-> 1; 2 <-> 4", nodes="01234")
EX6 = MAG.from_text("0 --> 1; 2 --> 0; 2 --> 1; 4 --> 3; 3 --> 5; 4 --> 5; 0 <-> 5; 1 <-> 3; 2 <-> 3", nodes="012345")


@dataclass(frozen=True)
class Truth:
    """A graph, what of it is hidden, and the MAG and the PAG over the rest."""

    label: str
    graph: DAG | MAG
    latents: tuple[str, ...]
    mag: MAG
    pag: PAG

    def oracle(self) -> Oracle:
        return Oracle(self.graph, self.latents)


def _most_observed(number: int) -> int:
    """4 to 9 vertices in a quarter of the graphs, 4 to 7 in the others, which take a tenth of the time."""
    return 9 if number % 8 < 2 else 7


def hidden_truth(seed: int, number: int) -> Truth:
    """A DAG with 4 to 9 observed and 1 to 4 hidden variables."""
    dag, latents = hidden_dag(seed, number, _most_observed(number))
    mag = dag.true_mag(latents)
    return Truth(f"hidden {seed}/{number}", dag, tuple(latents), mag, mag_to_pag(mag))


def of_mag(label: str, marks: Marks) -> Truth:
    mag = MAG.from_matrix(marks, names(len(marks)))
    return Truth(label, mag, (), mag, mag_to_pag(mag))


def bidirected_truth(seed: int, number: int) -> Truth:
    """A MAG of 4 to 9 vertices with many bidirected edges."""
    rng = np.random.default_rng([seed, number, 1])
    n = int(rng.integers(4, _most_observed(number) + 1))
    return of_mag(f"bidirected {seed}/{number}", random_large_mag(rng, n, float(rng.uniform(0.1, 0.3)), float(rng.uniform(0.2, 0.6))))


def random_truth(seed: int, number: int) -> Truth:
    """Graph ``number`` of the family ``seed``: hidden variables at even numbers, many bidirected edges at odd ones."""
    return bidirected_truth(seed, number) if number % 2 else hidden_truth(seed, number)


def insufficient_truth(seed: int, number: int) -> Truth:
    """A MAG of 5 to 9 vertices that holds EX5 or EX6; in eight of ten sets of neighbours do not separate all that is separable."""
    for attempt in range(1000):
        rng = np.random.default_rng([seed, number, attempt])
        core = (EX5 if rng.random() < 0.7 else EX6).marks.tolist()
        marks = grown(rng, core, min(len(core) + int(rng.integers(0, 5)), 9), float(rng.uniform(0.1, 0.8)))
        if marks is not None:
            return of_mag(f"insufficient {seed}/{number}", permuted(marks, rng.permutation(len(marks)).tolist()))
    raise AssertionError("a thousand attempts without a MAG")


def grown(
    rng: np.random.Generator, core: Marks, n: int, density: float, kinds: Sequence[tuple[int, int]] = (DIRECTED, REVERSED, BIDIRECTED)
) -> Marks | None:
    """The core with further vertices and edges as far as the graph stays ancestral; ``None`` if it is not maximal."""
    marks = empty(n)
    for a, b in combinations(range(len(core)), 2):
        join(marks, a, b, (core[a][b], core[b][a]))
    for a, b in rng.permutation([pair for pair in combinations(range(n), 2) if not marks[pair[0]][pair[1]]]).tolist():
        if rng.random() < (density / 3 if max(a, b) < len(core) else density):
            join(marks, a, b, kinds[int(rng.integers(len(kinds)))])
            if not is_ancestral(marks):
                join(marks, a, b, (NONE, NONE))
    before = ancestors(marks)
    for a, b in combinations(range(n), 2):
        if not marks[a][b] and not separated_by_augmentation(marks, a, b, (before[a] | before[b]) & ~(1 << a | 1 << b)):
            return None
    return marks


def edges_missed(found: PAG, mag: MAG) -> list[str]:
    """Edges of the true MAG that were not found."""
    pag = found.reordered(mag.names)
    return [f"{mag.names[a]} - {mag.names[b]}" for a, b in mag.pairs() if not pag.marks[a, b]]


def edges_too_many(found: PAG, mag: MAG) -> list[tuple[str, str]]:
    """Edges found that the true MAG lacks."""
    pag = found.reordered(mag.names)
    return [(mag.names[a], mag.names[b]) for a, b in pag.pairs() if not mag.marks[a, b]]


def unsound_marks(found: PAG, mag: MAG) -> list[str]:
    """Marks that are no true statements: an arrowhead at v on u - v says that v is no ancestor of u, a tail that it is one.

    Both are facts about the true MAG whether or not it has the edge.
    """
    pag, before = found.reordered(mag.names), ancestors(mag.marks.tolist())
    wrong = []
    for u in range(len(mag)):
        for v in range(len(mag)):
            is_cause = bool(before[u] >> v & 1)
            if (pag.marks[u, v] == ARROW and is_cause) or (pag.marks[u, v] == TAIL and not is_cause):
                wrong.append(f"{'arrowhead' if is_cause else 'tail'} at {mag.names[v]} on its edge to {mag.names[u]}")
    return wrong


def dag_class(marks: Marks) -> Iterator[Marks]:
    """All DAGs with the same d-separations. They share the skeleton and the unshielded colliders, which prunes the search."""
    n = len(marks)
    pairs = [(a, b) for a, b in combinations(range(n), 2) if marks[a][b]]
    triples = [(a, b, c) for a, c in combinations(range(n), 2) for b in range(n) if marks[a][b] and marks[b][c] and not marks[a][c]]
    wanted = independence_model(marks)
    candidate = empty(n)
    for choice in range(1 << len(pairs)):
        for i, (a, b) in enumerate(pairs):
            join(candidate, a, b, DIRECTED if choice >> i & 1 else REVERSED)
        if any((candidate[a][b] == ARROW == candidate[c][b]) != (marks[a][b] == ARROW == marks[c][b]) for a, b, c in triples):
            continue
        if is_ancestral(candidate) and independence_model(candidate) == wanted:
            yield [list(row) for row in candidate]


def common_arcs(marks: Marks) -> Marks:
    """The class of a DAG as PC draws it: --> where all DAGs of the class agree, o-o where they do not."""
    members = list(dag_class(marks))
    n = len(marks)
    result = empty(n)
    for a, b in combinations(range(n), 2):
        if marks[a][b]:
            kinds = {(member[a][b], member[b][a]) for member in members}
            join(result, a, b, kinds.pop() if len(kinds) == 1 else (1, 1))
    return result


def plain_dag(seed: int, number: int) -> tuple[DAG, PAG]:
    """A DAG of 3 to 5 vertices, nothing hidden, and its class by enumeration."""
    rng = np.random.default_rng([seed, number, 2])
    n = int(rng.integers(3, 6))
    marks = random_dag(rng, n, float(rng.uniform(0.3, 0.9)))
    return DAG.from_matrix(marks, names(n)), PAG.from_matrix(np.array(common_arcs(marks), dtype=np.int8), names(n))


@dataclass(frozen=True)
class Tally:
    """Graphs checked by one learner in one way, and what was wrong with the answers; RFCI and lFCI may have edges too many."""

    graphs: int = 0
    wrong: tuple[str, ...] = ()
    too_many: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.graphs + other.graphs, self.wrong + other.wrong, self.too_many + other.too_many)


def check(learner: str | Learner, decompose: bool, truth: Truth, sets: bool = True) -> Tally:
    """A complete learner against the true PAG, mark for mark, split to the end and while it pays; the others against what they promise.

    RFCI and lFCI miss no edge, and are right where they have none too many; the marks of RFCI are true even then.
    """
    oracle = truth.oracle()
    found = discover(oracle, learner, decompose=decompose, stop="paper")
    name = found.settings["learner"]["name"]
    runs = [found]
    if decompose and name in COMPLETE:
        runs.append(discover(oracle, learner, stop="auto"))
    faults = [fault for run in runs for fault in wrong_sets(run, oracle)] if sets else []
    too_many = 0
    if name in COMPLETE:
        for run in runs:
            if run.pag != truth.pag:
                faults.append(f"{run.pag} instead of {truth.pag} (stop={run.settings['stop']})")
            if run.conflicts or run.warnings:
                faults.append(f"conflicts or warnings: {run.conflicts_in_words()} {run.warnings}")
    else:
        too_many = bool(edges_too_many(found.pag, truth.mag))
        faults += [f"misses {edge}" for edge in edges_missed(found.pag, truth.mag)]
        faults += unsound_marks(found.pag, truth.mag) if name == "rfci" else []
        if not too_many and found.pag != truth.pag:
            faults.append(f"right skeleton, but {found.pag} instead of {truth.pag}")
    way = "DiCoLa" if decompose else "alone"
    return Tally(1, tuple(f"{name} {way}, {truth.label}: {fault}" for fault in faults), too_many)


def check_pc(decompose: bool, seed: int, number: int) -> Tally:
    """PC on a DAG with nothing hidden, against the enumerated class."""
    dag, truth = plain_dag(seed, number)
    found = discover(Oracle(dag), "pc", decompose=decompose)
    faults = wrong_sets(found, Oracle(dag)) + ([] if found.pag == truth else [f"{found.pag} instead of {truth}"])
    return Tally(1, tuple(f"pc, DAG {seed}/{number}: {fault}" for fault in faults))


def check_chunk(seed: int, first: int, last: int, learners: Sequence[str] = tuple(LEARNERS)) -> dict[tuple[str, str], Tally]:
    """Every learner in both ways on the graphs from ``first`` to before ``last``; separating sets on every fifth."""
    found = {(name, way): Tally() for name in learners for way in WAYS}
    for number in range(first, last):
        truth = random_truth(seed, number)
        for name, way in found:
            if name == "pc":
                found[name, way] += check_pc(WAYS[way], seed, number)
            else:
                found[name, way] += check(name, WAYS[way], truth, sets=number % 5 == 0)
    return found


def reference_data() -> Path:
    """The folder of reference data: ``$DICOLA_DATA``, or ``shared/data`` beside the repository."""
    return Path(os.environ.get("DICOLA_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))


def released_truth(root: Path, case: str) -> tuple[DAG, list[str], PAG]:
    """DAG, hidden names and published PAG."""
    folder = root / "released" / case
    with (folder / "nodes.csv").open(encoding="utf-8", newline="") as file:
        nodes = list(csv.DictReader(file))
    dag = DAG.from_edges(native.read_dag(folder / "dag.csv").arcs(), nodes=[row["node"] for row in nodes])
    return dag, [row["node"] for row in nodes if row["latent"] == "1"], PAG.read(folder / "true_pag.csv")


def run_released(root: Path, case: str, learner: str) -> tuple[Discovery, PAG]:
    """What the learner finds under DiCoLa from the DAG, and what was published."""
    dag, latents, truth = released_truth(root, case)
    return discover(Oracle(dag, latents), learner), truth


def check_released(root: Path, write: Callable[[str], object]) -> int:
    """Every complete learner on every released graph; answers how many were wrong."""
    wrong = 0
    for case in RELEASED:
        for learner in COMPLETE:
            start = time.perf_counter()
            found, truth = run_released(root, case, learner)
            seconds = time.perf_counter() - start
            late = f", over the limit of {RELEASED_SECONDS}" if seconds > RELEASED_SECONDS else ""
            is_right = found.pag == truth and not found.warnings
            wrong += not is_right
            write(f"{case:<10}{learner:<10}{'exact' if is_right else 'WRONG':<7}{seconds:6.1f} seconds{late}\n")
    return wrong


def main(arguments: Sequence[str] | None = None, write: Callable[[str], object] = sys.stdout.write) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.exactness.learners", description=__doc__)
    parser.add_argument("graphs", type=int, nargs="?", default=0, help="how many random graphs to check")
    parser.add_argument("--seed", type=int, default=1, help="family of graphs")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--released", action="store_true", help="also the published graphs, under DiCoLa")
    chosen = parser.parse_args(arguments)
    chunks = [(first, min(first + CHUNK, chosen.graphs)) for first in range(0, chosen.graphs, CHUNK)]
    parts = Parallel(n_jobs=chosen.jobs)(delayed(check_chunk)(chosen.seed, *chunk) for chunk in chunks)
    failed = not chunks and not chosen.released
    for key in [(name, way) for name in LEARNERS for way in WAYS] if chunks else []:
        total = sum((part[key] for part in parts), Tally())
        for fault in total.wrong[:5]:
            write(f"{fault}\n")
        more = f", {total.too_many} with edges too many" if total.too_many else ""
        write(f"{key[0]:<10}{key[1]:<8}{total.graphs:>7} graphs checked, {len(total.wrong)} wrong{more}\n")
        failed |= bool(total.wrong)
    if chosen.released:
        failed |= check_released(reference_data(), write) > 0
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
