"""MAG to PAG and back, Markov equivalence, legality: all against enumerated classes."""

from __future__ import annotations

from functools import cache
from itertools import combinations, product

import numpy as np
import pytest

from dicola.errors import InvalidGraph
from dicola.graphs.dag import DAG
from dicola.graphs.mag import MAG
from dicola.graphs.pag import PAG
from dicola.orient.equivalence import legality, mag_to_pag, markov_equivalent, member_mag
from tests.reference_models import (
    ARROW,
    CIRCLE,
    TAIL,
    Marks,
    all_classes,
    as_text,
    common_marks,
    equivalence_class,
    independence_model,
    mag_by_definition,
    names,
    random_hidden_dag,
    random_mag,
    random_mag_with_edges,
)


def library_mag(marks: Marks) -> MAG:
    return MAG.from_matrix(marks, names(len(marks)))


@cache
def small_classes(n: int) -> tuple[tuple[Marks, tuple[Marks, ...]], ...]:
    """Every class of MAGs on n vertices (undirected edges included) with its PAG by definition."""
    return tuple((common_marks(members), tuple(members)) for members in all_classes(n).values())


@pytest.mark.parametrize("n", [2, 3, 4])
def test_pag_of_every_small_mag_has_the_marks_common_to_its_class(n):
    """72 MAGs on three and 3,045 on four vertices."""
    for pag, members in small_classes(n):
        for marks in members:
            assert mag_to_pag(library_mag(marks)).to_matrix().tolist() == pag, as_text(marks)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_member_of_every_small_pag_lies_in_its_class(n):
    for pag, members in small_classes(n):
        assert member_mag(PAG.from_matrix(pag)).to_matrix().tolist() in members, as_text(pag)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_small_graphs_are_legal_exactly_when_they_are_the_pag_of_a_class(n):
    """All 1,000 mark matrices on three vertices; on four all true PAGs, all with one mark changed, and random ones."""
    true = {str(pag) for pag, _ in small_classes(n)}
    pairs = list(combinations(range(n), 2))
    kinds = [(0, 0), *product((CIRCLE, ARROW, TAIL), repeat=2)]
    if n < 4:
        candidates = [build(n, dict(zip(pairs, choice, strict=True))) for choice in product(kinds, repeat=len(pairs))]
    else:
        rng = np.random.default_rng(1)
        drawn = rng.integers(0, len(kinds), (1500, len(pairs)))
        candidates = [build(n, {pair: kinds[k] for pair, k in zip(pairs, row, strict=True)}) for row in drawn]
        candidates += [pag for pag, _ in small_classes(n)]
        candidates += [changed for pag, _ in small_classes(n)[::3] for changed in one_mark_changed(pag)]
    legal = 0
    for marks in candidates:
        verdict = legality(PAG.from_matrix(marks))
        assert bool(verdict) == verdict.legal == (str(marks) in true), (as_text(marks), verdict)
        assert bool(verdict.reasons) != verdict.legal
        legal += verdict.legal
    assert legal >= len(true)


def build(n: int, edges: dict[tuple[int, int], tuple[int, int]]) -> Marks:
    marks = [[0] * n for _ in range(n)]
    for (a, b), (at_b, at_a) in edges.items():
        marks[a][b], marks[b][a] = at_b, at_a
    return marks


def one_mark_changed(marks: Marks) -> list[Marks]:
    found = []
    for a, row in enumerate(marks):
        for b, mark in enumerate(row):
            for other in {CIRCLE, ARROW, TAIL} - {mark} if mark else ():
                changed = [list(r) for r in marks]
                changed[a][b] = other
                found.append(changed)
    return found


def test_markov_equivalence_of_small_mags_is_that_of_the_definition():
    rng = np.random.default_rng(2)
    mags = [(i, marks) for i, (_, members) in enumerate(small_classes(4)) for marks in members]
    for _ in range(500):
        (i, one), (j, two) = (mags[int(k)] for k in rng.integers(0, len(mags), 2))
        assert markov_equivalent(library_mag(one), library_mag(two)) == (i == j)
    for _, members in small_classes(4)[::5]:
        one, two = (library_mag(members[int(k)]) for k in rng.integers(0, len(members), 2))
        assert markov_equivalent(one, two)


@pytest.mark.parametrize("seed", range(8))
def test_pag_has_the_marks_common_to_the_enumerated_class_on_five_vertices(seed):
    rng = np.random.default_rng([3, seed])
    for _ in range(25):
        marks = random_mag_with_edges(rng, 5, 9)
        assert mag_to_pag(library_mag(marks)).to_matrix().tolist() == common_marks(equivalence_class(marks)), as_text(marks)


@pytest.mark.parametrize("seed", range(8))
def test_pag_has_the_marks_common_to_the_enumerated_class_on_six_vertices(seed):
    rng = np.random.default_rng([4, seed])
    for _ in range(8):
        marks = random_mag_with_edges(rng, 6, 9)
        assert mag_to_pag(library_mag(marks)).to_matrix().tolist() == common_marks(equivalence_class(marks)), as_text(marks)


@pytest.mark.parametrize("seed", range(4))
def test_true_pag_of_a_dag_with_hidden_variables_is_that_of_the_enumerated_class(seed):
    rng = np.random.default_rng([5, seed])
    for _ in range(12):
        dag, hidden = random_hidden_dag(rng, 5, int(rng.integers(1, 4)), float(rng.uniform(0.2, 0.45)))
        observed = [v for v in range(len(dag)) if v not in hidden]
        want = common_marks(equivalence_class(mag_by_definition(dag, observed)))
        found = DAG.from_matrix(dag, names(len(dag))).true_pag([f"V{v}" for v in hidden])
        assert found.to_matrix().tolist() == want, (as_text(dag), hidden)


def test_allowing_undirected_members_does_not_change_the_pag_of_a_graph_without_selection():
    rng = np.random.default_rng(6)
    for _ in range(25):
        marks = random_mag_with_edges(rng, 5, 7)
        want = common_marks(equivalence_class(marks, undirected=True))
        assert mag_to_pag(library_mag(marks)).to_matrix().tolist() == want, as_text(marks)


@pytest.mark.parametrize("seed", range(4))
def test_mag_to_pag_to_mag_to_pag_is_the_identity_on_pags(seed):
    rng = np.random.default_rng([7, seed])
    for _ in range(30):
        mag = library_mag(random_mag(rng, int(rng.integers(2, 9)), float(rng.uniform(0.1, 0.5)), float(rng.uniform(0.1, 0.8))))
        pag = mag_to_pag(mag)
        member = member_mag(pag)
        assert member.invalid() is None
        assert mag_to_pag(member) == pag, str(mag)
        assert markov_equivalent(member, mag)


def test_member_separates_what_the_mag_separates():
    rng = np.random.default_rng(8)
    for _ in range(40):
        marks = random_mag(rng, int(rng.integers(3, 7)), float(rng.uniform(0.1, 0.5)), float(rng.uniform(0.1, 0.8)))
        member = member_mag(mag_to_pag(library_mag(marks))).to_matrix().tolist()
        assert independence_model(member) == independence_model(marks), as_text(marks)


@pytest.mark.parametrize("seed", range(2))
def test_markov_equivalence_agrees_with_the_definition_on_one_skeleton(seed):
    """Random re-orientations of one skeleton: close calls, equal and unequal."""
    rng = np.random.default_rng([9, seed])
    verdicts = []
    while len(verdicts) < 60:
        one = random_mag_with_edges(rng, 5, 8)
        two = [list(row) for row in one]
        for a, b in combinations(range(5), 2):
            if one[a][b] and rng.random() < 0.3:
                two[a][b], two[b][a] = [(ARROW, TAIL), (TAIL, ARROW), (ARROW, ARROW)][int(rng.integers(3))]
        if library_mag(two).invalid() is None and one != two:
            verdicts.append(independence_model(one) == independence_model(two))
            assert markov_equivalent(library_mag(one), library_mag(two)) == verdicts[-1], (as_text(one), as_text(two))
    assert {True, False} <= set(verdicts)


def test_mags_with_different_skeletons_are_not_equivalent():
    assert not markov_equivalent(MAG.from_text("A --> B", nodes="ABC"), MAG.from_text("A --> B; B --> C"))


def test_a_discriminating_path_tells_mags_apart_that_share_skeleton_and_unshielded_colliders():
    one = MAG.from_text("D --> A; A <-> B; A --> C; B --> C")
    two = MAG.from_text("D --> A; A <-> B; A --> C; B <-> C")
    assert not markov_equivalent(one, two)
    assert str(mag_to_pag(one).reordered("ABCD")) == "B o-> A\nA --> C\nD o-> A\nB --> C"
    assert str(mag_to_pag(two).reordered("ABCD")) == "A <-> B\nA --> C\nD o-> A\nB <-> C"


@pytest.mark.parametrize(
    ("mag", "pag"),
    [
        ("A --> B", "A o-o B"),
        ("A <-> B", "A o-o B"),
        ("A --- B", "A o-o B"),
        ("A --> B; B --> C", "A o-o B\nB o-o C"),
        ("A --> B; C --> B", "A o-> B\nC o-> B"),
        ("A --> C; B --> C; C --> D", "A o-> C\nB o-> C\nC --> D"),
        ("A <-> C; B <-> C; C --> D", "A o-> C\nB o-> C\nC --> D"),
        ("A --> B; B --> C; A --> C", "A o-o B\nA o-o C\nB o-o C"),
    ],
)
def test_textbook_mags_have_their_textbook_pags(mag, pag):
    found = mag_to_pag(MAG.from_text(mag))
    assert str(found.reordered(sorted(found.names))) == pag


@pytest.mark.parametrize("seed", range(3))
def test_every_true_pag_is_legal(seed):
    rng = np.random.default_rng([10, seed])
    for _ in range(20):
        n = int(rng.integers(4, 10))
        dag, hidden = random_hidden_dag(rng, n, int(rng.integers(0, 5)), float(rng.uniform(0.15, 0.5)))
        pag = DAG.from_matrix(dag, names(len(dag))).true_pag([f"V{v}" for v in hidden])
        verdict = legality(pag)
        assert verdict and verdict.legal and verdict.reasons == (), str(pag)


def test_a_true_pag_with_one_mark_changed_is_illegal_unless_it_is_another_pag():
    """On five vertices: legal verdicts are checked by enumerating the class of the member."""
    rng = np.random.default_rng(11)
    for _ in range(12):
        marks = mag_to_pag(library_mag(random_mag_with_edges(rng, 5, 7))).to_matrix().tolist()
        for changed in one_mark_changed(marks):
            pag = PAG.from_matrix(changed, names(5))
            verdict = legality(pag)
            if verdict:
                member = member_mag(pag).to_matrix().tolist()
                assert common_marks(equivalence_class(member)) == changed
            else:
                assert verdict.reasons and all(isinstance(reason, str) and reason for reason in verdict.reasons)


def test_a_circle_cycle_without_chord_is_no_pag():
    for n in (4, 5, 6):
        cycle = PAG.from_text("; ".join(f"V{i} o-o V{(i + 1) % n}" for i in range(n)))
        verdict = legality(cycle)
        assert not verdict and "chord" in verdict.reasons[0]
        with pytest.raises(InvalidGraph, match="chord"):
            member_mag(cycle)


def test_a_chord_makes_the_circle_cycle_a_pag():
    assert legality(PAG.from_text("A o-o B; B o-o C; C o-o D; D o-o A; A o-o C"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("A --> B", ["'A'", "'B'", "tail", "circle"]),
        ("A o-> B", ["'A'", "'B'", "arrow", "circle"]),
        ("A o-o B; C o-> B", ["circle"]),
        ("A --> B; B --> C; C --> A", ["cycle"]),
        ("A --> B; B --> C; C <-> A", ["almost directed cycle"]),
        ("A --- B; C o-> B", ["undirected"]),
        ("A o-> B; C o-> B; B o-o D", ["'B'", "'D'"]),
    ],
)
def test_an_illegal_pag_is_told_with_the_reason(text, words):
    verdict = legality(PAG.from_text(text))
    assert not verdict.legal and all(word in " ".join(verdict.reasons) for word in words), verdict.reasons


def test_each_mark_that_differs_is_a_reason_of_its_own():
    assert len(legality(PAG.from_text("A --> B; C --> D")).reasons) == 4


def test_a_member_of_a_tail_circle_edge_is_directed_away_from_the_tail():
    assert str(member_mag(PAG.from_text("A --o B"))) == "A --> B"


def test_directing_the_circle_part_makes_no_new_unshielded_collider():
    rng = np.random.default_rng(12)
    for _ in range(60):
        pag = mag_to_pag(library_mag(random_mag(rng, 8, 0.4, 0.0)))
        member = member_mag(pag)
        for b in range(8):
            for a, c in combinations(sorted(member.around[b]), 2):
                if c not in member.around[a] and member.around[a][b] == ARROW == member.around[c][b]:
                    assert pag.around[a][b] == ARROW == pag.around[c][b]
