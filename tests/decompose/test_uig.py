"""ConstructUIG: the independence graph, learned from scratch or inherited, is the same."""

from __future__ import annotations

import numpy as np

from dicola import DAG, Ledger, Oracle
from dicola.blankets.grow_shrink import IAMB, GrowShrink
from dicola.blankets.total_conditioning import TotalConditioning
from dicola.decompose.uig import independence_graph
from dicola.graphs.bits import mask_of
from tests.decompose.drawn import random_split, small_mag, uig_over, valid_splits
from tests.decompose.readable_descent import inherited_graph
from tests.graphs.parts import induced
from tests.reference_models import PathSeparation

BLANKETS = (TotalConditioning(), GrowShrink(), IAMB())


def test_it_is_the_augmented_graph_with_every_blanket_learner():
    for seed in range(60):
        mag = small_mag(seed, most=7)
        for blankets in BLANKETS:
            assert np.array_equal(independence_graph(Oracle(mag), blankets).to_matrix(), mag.augmented()), seed


def test_separation_in_it_implies_separation_in_the_mag():
    for seed in range(40):
        mag = small_mag(seed, most=5)
        paths = PathSeparation(mag.marks.tolist())
        for split in valid_splits(uig_over(mag, tuple(range(len(mag))))):
            given = mask_of(split.separator)
            assert all(paths.separated(a, b, given) for a in split.left for b in split.right), (seed, split)


def test_an_inherited_graph_is_the_graph_from_scratch():
    appeared = vanished = 0
    for seed in range(120):
        mag = small_mag(seed)
        oracle = Oracle(mag)
        parent = independence_graph(oracle, TotalConditioning())
        for split in valid_splits(parent):
            for side in (split.left, split.right):
                kept = tuple(sorted(side + split.separator))
                place = [kept.index(v) for v in split.separator]
                part = oracle.among(kept)
                child = inherited_graph(part, parent, kept, place, TotalConditioning())
                assert child == independence_graph(part, TotalConditioning()), (seed, split)
                appeared += sum(bool(new & ~old) for new, old in zip(child.neighbours, induced(parent, kept).neighbours, strict=True))
                vanished += sum(bool(old & ~new) for new, old in zip(child.neighbours, induced(parent, kept).neighbours, strict=True))
    assert appeared > 50 and vanished > 50, "pairs inside separators do change both ways"


def test_inheritance_holds_down_a_line_of_random_cuts_with_every_blanket_learner():
    for seed in range(60):
        rng = np.random.default_rng([79, seed])
        oracle = Oracle(small_mag(seed, most=8))
        for blankets in BLANKETS:
            variables, graph = tuple(range(len(oracle))), independence_graph(oracle, blankets)
            while (split := random_split(graph, rng)) is not None:
                kept = tuple(sorted((split.left if rng.random() < 0.5 else split.right) + split.separator))
                variables = tuple(variables[v] for v in kept)
                part = oracle.among(variables)
                graph = inherited_graph(part, graph, kept, [kept.index(v) for v in split.separator], blankets)
                assert graph == independence_graph(part, blankets), seed


def test_only_pairs_inside_the_separator_are_asked_again():
    for seed in range(30):
        ledger = Ledger(Oracle(small_mag(seed)))
        parent = independence_graph(ledger, TotalConditioning())
        split = random_split(parent, np.random.default_rng(seed))
        if split is not None:
            before = ledger.counts["blankets"]
            kept = tuple(sorted(split.left + split.separator))
            inherited_graph(ledger.among(kept), parent, kept, [kept.index(v) for v in split.separator], TotalConditioning())
            size = len(split.separator)
            assert ledger.counts == {**ledger.counts, "blankets": before + size * (size - 1) // 2, "leaves": 0}


def test_the_parents_graph_is_left_alone():
    oracle = Oracle(DAG.from_edges([("X", "A"), ("A", "Y"), ("X", "B"), ("Y", "B")]))
    parent = independence_graph(oracle, TotalConditioning())
    before = parent.neighbours
    inherited_graph(oracle.among([0, 2, 3]), parent, (0, 2, 3), [1, 2], TotalConditioning())
    assert parent.neighbours == before
