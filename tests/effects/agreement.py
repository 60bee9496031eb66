"""Adjustment sets against brute force over everything behind a PAG: ``python -m tests.effects.agreement 500 --seed 1``."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, fields
from itertools import permutations

import numpy as np

from dicola import MAG, PAG, mag_to_pag
from dicola.effects.adjustment import Adjustment
from tests.effects import by_definition
from tests.reference_models import Marks, edge_count, mask, names, random_mag, subsets

OTHERS = 2  # pairs of which the first is no possible cause of the second


@dataclass(frozen=True)
class Tally:
    graphs: int = 0
    queries: int = 0
    causal: int = 0
    with_sets: int = 0
    faults: tuple[str, ...] = ()

    def __add__(self, other: Tally) -> Tally:
        return Tally(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(self)))


def drawn(seed: int, number: int) -> tuple[Marks, PAG, list[tuple[int, int]]]:
    """MAG ``number`` of a family, of four to six vertices, with its PAG and ordered pairs to ask about."""
    rng = np.random.default_rng([seed, number])
    n = int(rng.integers(4, 7))
    while True:
        marks = random_mag(rng, n, float(rng.uniform(0.3, 0.6)), float(rng.uniform(0.05, 0.5)))
        if n - 1 <= edge_count(marks) <= n + 4:
            break
    pag = mag_to_pag(MAG.from_matrix(marks, names(n)))
    below = {(x, y) for x in range(n) for y in pag.indices(pag.possible_descendants(pag.names[x]))}
    others = [pair for pair in permutations(range(n), 2) if pair not in below]
    chosen = rng.permutation(len(others))[:OTHERS]
    return marks, pag, [*sorted(below), *(others[i] for i in sorted(chosen.tolist()))]


def compared(seed: int, number: int) -> Tally:
    """All valid sets and all minimal ones of some pairs, ours beside brute force."""
    marks, pag, pairs = drawn(seed, number)
    faults, causal, with_sets = [], 0, 0
    for (x, y), truth in by_definition.valid_sets(marks, pairs).items():
        criterion = Adjustment.between(pag, pag.names[x], pag.names[y])
        pool = (1 << len(pag)) - 1 & ~(1 << x | 1 << y)
        ours = sorted(z for z in subsets(pool) if criterion.is_valid(z))
        listed = sorted(mask(pag.indices(z)) for z in pag.adjustment_sets(pag.names[x], pag.names[y]))
        if ours != truth or listed != sorted(by_definition.minimal(truth)):
            faults.append(f"[{seed}, {number}] {pag.names[x]}, {pag.names[y]} in {'; '.join(map(str, pag.edges()))}")
        if not truth:
            assert criterion.reason()
        with_sets += bool(truth)
        causal += bool(truth) and bool(criterion.on_the_way)
    return Tally(1, len(pairs), causal, with_sets, tuple(faults))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("graphs", type=int)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    total = sum((compared(given.seed, number) for number in range(given.graphs)), Tally())
    sys.stdout.write(f"{total.graphs} PAGs, {total.queries} pairs, {total.with_sets} with adjustment sets, ")
    sys.stdout.write(f"{total.causal} of these with a causal path, {len(total.faults)} differ\n")
    sys.stdout.write("".join(f"{fault}\n" for fault in total.faults))
    sys.exit(bool(total.faults))


if __name__ == "__main__":
    main()
