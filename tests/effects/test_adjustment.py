"""Adjustment sets: textbook graphs, brute force over everything behind a PAG, and reasons."""

from __future__ import annotations

from itertools import combinations, islice

import numpy as np
import pytest

from dicola import DAG, PAG, InvalidGraph, InvalidSetting, legality
from dicola.effects.adjustment import Adjustment
from dicola.effects.separators import minimal_separators, without
from tests.effects import by_definition
from tests.effects.agreement import Tally, compared, drawn
from tests.reference_models import ARROW, CIRCLE, TAIL, mask, subsets


def test_valid_and_minimal_sets_are_those_of_brute_force_over_every_graph_behind_a_pag():
    total = sum((compared(2, number) for number in range(40)), Tally())
    assert not total.faults
    assert total.queries > 300 and total.causal >= 15 and total.with_sets > total.causal


def test_the_empty_set_is_told_from_no_set():
    pag = PAG.from_text("V o-> X; W o-> X; X --> Y")
    assert legality(pag) and pag.adjustment_sets("X", "Y") == [()]
    assert PAG.from_text("X o-> Y").adjustment_sets("X", "Y") == []
    assert PAG.from_text("X <-> Y").adjustment_sets("X", "Y") == []


def test_every_minimal_set_is_listed_the_smaller_first():
    dag = DAG.from_edges([("I", "X"), ("A", "X"), ("A", "B"), ("B", "C"), ("C", "Y"), ("X", "Y"), ("J", "A"), ("K", "B"), ("L", "C")])
    pag = dag.true_pag()
    assert pag.adjustment_sets("X", "Y") == [("A",), ("B",), ("C",)]
    assert len(pag.adjustment_sets("X", "Y", limit=2)) == 2


def test_a_set_of_two_comes_after_a_set_of_one():
    arcs = [("V", "X"), ("X", "Y"), ("A", "X"), ("B", "X"), ("A", "C"), ("B", "C"), ("C", "Y"), ("U", "A"), ("W", "B"), ("Q", "C")]
    assert DAG.from_edges(arcs).true_pag().adjustment_sets("X", "Y") == [("C",), ("A", "B")]


def test_what_x_may_cause_is_never_held_fixed():
    pag = PAG.from_text("V o-> X; W o-> X; X --> M; M --> Y; X --> S")
    criterion = Adjustment.between(pag, "X", "Y")
    assert criterion.named(criterion.forbidden) == ("M", "Y") and criterion.is_valid(0)
    assert not criterion.is_valid(mask(pag.indices(["M"])))


def test_sets_can_be_many_and_are_cut_at_the_limit():
    arcs = [("V", "X"), ("X", "Y"), *((f"{side}{i}", end) for i in range(10) for side, end in (("A", "X"), ("B", "Y")))]
    arcs += [(f"A{i}", f"B{i}") for i in range(10)] + [(f"R{side}{i}", f"{side}{i}") for i in range(10) for side in "AB"]
    pag = DAG.from_edges(arcs).true_pag()
    assert len(pag.adjustment_sets("X", "Y")) == 1000
    assert len(pag.adjustment_sets("X", "Y", limit=None)) == 2**10
    with pytest.raises(InvalidSetting, match="limit is 0"):
        pag.adjustment_sets("X", "Y", limit=0)


def test_the_reason_names_the_edge_that_is_not_visible():
    reason = Adjustment.between(PAG.from_text("W o-o X; X o-o Y"), "W", "Y").reason()
    assert "the path W o-o X o-o Y could be causal" in reason and "its first edge, W o-o X, leaves open" in reason
    known = PAG.from_text("X --> M; M --> Y")  # by knowledge: X is a cause, and may share a hidden one with M
    assert "its first edge, X --> M, is not visible: a hidden common cause may" in Adjustment.between(known, "X", "Y").reason()


def test_the_reason_names_the_path_that_cannot_be_blocked():
    dag = DAG.from_edges(
        [("I", "X"), ("X", "M"), ("M", "Y"), ("L", "X"), ("L", "M"), ("K", "M"), ("N", "Y"), ("O", "Y"), ("P", "Y"), ("P", "X")]
    )
    blocked = [
        (pag, x, y)
        for seed in range(400)
        for pag in (_random_pag(seed),)
        for x in pag.names
        for y in pag.possible_descendants(x)
        if Adjustment.between(pag, x, y).unclear_start is None and not pag.adjustment_sets(x, y)
    ]
    assert blocked and not dag.true_pag(["L"]).adjustment_sets("X", "Y")
    for pag, x, y in blocked:
        reason = Adjustment.between(pag, x, y).reason()
        assert reason.startswith(f"no adjustment set exists for {x} and {y}: the path {x} ") and "is not causal" in reason


def _random_pag(seed: int) -> PAG:
    rng = np.random.default_rng([5, seed])
    arcs = [(f"V{i}", f"V{j}") for i, j in combinations(range(8), 2) if rng.random() < 0.35]
    return DAG.from_edges(arcs, nodes=[f"V{i}" for i in range(8)]).true_pag(["V0", "V1"])


def test_a_graph_that_is_no_pag_is_judged_by_the_legal_one_next_to_it():
    pag = PAG.from_text("A --> B; B --> C; C --> A; D o-> A")
    assert not legality(pag)
    criterion = Adjustment.between(pag, "D", "C")
    assert legality(criterion.pag) and criterion.grounds.note is not None
    assert criterion.pag.names == pag.names


def test_a_graph_with_marks_from_knowledge_is_judged_as_it_is():
    known = PAG.from_text("W --> X; X --> Y; W --> Y; V --> X")
    criterion = Adjustment.between(known, "X", "Y")
    assert not legality(known) and criterion.pag is known and criterion.grounds.note is None
    assert known.adjustment_sets("X", "Y") == [("W",)]


def test_with_marks_from_knowledge_no_wrong_set_is_named():
    """Some marks of the true MAG are told; what is named valid must be so in every member that has them. Sets may be missed."""
    named = missed = 0
    for number in range(30):
        marks, pag, _ = drawn(11, number)
        rng, told = np.random.default_rng(number), pag.to_matrix()
        for a, b in np.argwhere(told == CIRCLE).tolist():
            if rng.random() < 0.35:
                told[a, b] = marks[a][b]
                told[b, a] = ARROW if marks[a][b] == TAIL else told[b, a]
        known = PAG(told, pag.names)
        pairs = [(x, y) for x in range(len(known)) for y in known.indices(known.possible_descendants(known.names[x]))]
        for (x, y), truth in by_definition.valid_sets(marks, pairs, told.tolist()).items():
            criterion = Adjustment.between(known, known.names[x], known.names[y])
            ours = {z for z in subsets((1 << len(known)) - 1 & ~(1 << x | 1 << y)) if criterion.is_valid(z)}
            assert ours <= set(truth)
            named, missed = named + bool(ours), missed + (ours < set(truth))
    assert named > 10 and missed > 0


def test_selection_and_a_name_given_twice_are_refused():
    with pytest.raises(InvalidGraph, match="selection"):
        PAG.from_text("A --- B; B --- C").adjustment_sets("A", "B")
    with pytest.raises(InvalidGraph, match="X was named twice"):
        PAG.from_text("X o-> Y").adjustment_sets("X", "X")
    with pytest.raises(InvalidGraph, match="'Z' is not a vertex"):
        PAG.from_text("X o-> Y").adjustment_sets("X", "Z")


def _separates(neighbours: list[int], a: int, b: int, given: int) -> bool:
    seen = new = 1 << a
    while new:
        new = (
            mask(w for v in range(len(neighbours)) if new >> v & 1 for w in range(len(neighbours)) if neighbours[v] >> w & 1)
            & ~seen
            & ~given
        )
        seen |= new
    return not seen >> b & 1


@pytest.mark.parametrize("seed", range(30))
def test_minimal_separators_are_those_of_all_subsets(seed):
    rng = np.random.default_rng(seed)
    n, density = int(rng.integers(3, 9)), float(rng.uniform(0.2, 0.7))
    joined = np.triu(rng.random((n, n)) < density, 1)
    neighbours = [mask(np.flatnonzero(row).tolist()) for row in joined | joined.T]
    gone = mask(v for v in range(2, n) if rng.random() < 0.25)
    pool = ((1 << n) - 1) & ~(3 | gone)
    valid = [z for z in subsets(pool) if _separates(neighbours, 0, 1, z)]
    smallest = {z for z in valid if not any(other != z and not other & ~z for other in valid)}
    found = list(islice(minimal_separators(without(neighbours, gone), 0, 1), 1000))
    assert len(found) == len(set(found)) and set(found) == smallest
