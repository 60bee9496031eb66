"""L-MARVEL: removable means what it says, blankets stay right, and noise never stops the search."""

from __future__ import annotations

import hashlib
from itertools import combinations

import numpy as np
import pytest

from dicola import MAG, CallableTest, FisherZ, LMarvel, Oracle, discover, mag_to_pag, simulate
from dicola.blankets.total_conditioning import TotalConditioning
from dicola.ci.inquiry import Inquiry
from dicola.decompose.uig import independence_graph
from dicola.graphs.bits import mask_of, members
from dicola.learners.base import Context
from dicola.learners.l_marvel import _Removal
from tests.asking import given_rest
from tests.exactness.learners import EX4, EX6, edges_missed, insufficient_truth, random_truth
from tests.exactness.run import hidden_dag, wrong_sets
from tests.reference_models import Marks, collider_connected, mag_by_definition, names, random_mag, random_mag_with_undirected_part

INVALID_WHEN_LIMITED = MAG.from_text(
    "V1 --> V0; V0 --> V3; V5 --> V0; V4 --> V1; V5 --> V1; V3 --> V2; V4 --> V2; V5 --> V2; V5 --> V3", nodes=names(6)
)


def search_on(marks: Marks, max_size: int | None = None, selection: bool = False) -> _Removal:
    """A search about to begin, with the true blankets."""
    blankets = [mask_of(v for v, beside in enumerate(row) if beside) for row in collider_connected(marks)]
    return _Removal(Inquiry(Oracle(MAG.from_matrix(marks, names(len(marks))))), blankets, max_size, selection)


def drawn_mag(seed: int, number: int, most: int = 6) -> Marks:
    rng = np.random.default_rng([seed, number])
    return random_mag(rng, int(rng.integers(3, most + 1)), float(rng.uniform(0.1, 0.6)), float(rng.uniform(0.1, 0.7)))


def induced(marks: Marks, kept: list[int]) -> Marks:
    return [[marks[a][b] for b in kept] for a in kept]


def is_removable_by_definition(marks: Marks, x: int) -> bool:
    """The MAG over the others is the induced graph."""
    kept = [v for v in range(len(marks)) if v != x]
    return mag_by_definition(marks, kept) == induced(marks, kept)


@pytest.mark.parametrize("chunk", range(4))
def test_a_variable_passes_for_removable_iff_the_rest_keeps_its_graph_without_it(chunk):
    counts = {True: 0, False: 0}
    for number in range(chunk * 125, (chunk + 1) * 125):
        marks = drawn_mag(1, number)
        answers = []
        for x in range(len(marks)):
            search = search_on(marks)
            search._find_neighbours(x)
            answers.append(search._is_removable(x))
            assert answers[-1] == is_removable_by_definition(marks, x), (number, x)
            counts[answers[-1]] += 1
        assert any(answers), "every MAG has a removable variable"
    assert min(counts.values()) > 50


def test_in_selected_samples_a_variable_passes_iff_the_rest_keeps_its_adjacencies_and_if_none_does_no_arrowhead_is_left():
    counts, stuck = {True: 0, False: 0}, 0
    for number in range(150):
        rng = np.random.default_rng([11, number])
        marks = random_mag_with_undirected_part(rng, int(rng.integers(4, 7)), most=10)
        answers = []
        for x in range(len(marks)):
            search = search_on(marks, selection=True)
            search._find_neighbours(x)
            answers.append(search._is_removable_if_selected(x))
            kept = [v for v in range(len(marks)) if v != x]
            without, before = np.array(mag_by_definition(marks, kept)), np.array(induced(marks, kept))
            assert answers[-1] == ((without > 0) == (before > 0)).all(), (number, x)
            counts[answers[-1]] += 1
        if not any(answers):
            stuck += 1
            assert all(mark != 2 for row in marks for mark in row), "an undirected graph"
    assert min(counts.values()) > 50 and stuck > 5


def test_neighbours_are_those_of_the_mag_whoever_is_asked_first():
    for number in range(150):
        marks = drawn_mag(2, number, most=7)
        for x in range(len(marks)):
            search = search_on(marks)
            search._find_neighbours(x)
            assert [bool(mark) for mark in marks[x]] == search.adjacency[x].tolist(), (number, x)


@pytest.mark.parametrize("chunk", range(3))
def test_after_every_removal_the_blankets_are_those_of_the_mag_over_the_rest(chunk):
    fell_apart = 0
    for number in range(chunk * 120, (chunk + 1) * 120):
        marks = drawn_mag(3, number, most=7)
        search = search_on(marks)
        remove = search._remove

        def check(x: int, search=search, remove=remove, marks=marks, number=number) -> None:
            nonlocal fell_apart
            before = {v: mask for v, mask in enumerate(search.blankets) if v != x and search.left >> v & 1}
            remove(x)
            kept = list(members(search.left))
            true = collider_connected(mag_by_definition(marks, kept))
            for i, v in enumerate(kept):
                assert search.blankets[v] == mask_of(kept[j] for j, beside in enumerate(true[i]) if beside), (number, x, v)
                fell_apart += (before[v] & ~(1 << x)) != search.blankets[v]

        search._remove = check  # type: ignore[method-assign]
        search.run()
        assert search.forced == 0 and not search.cut_short and search.warnings() == []
        assert [[bool(mark) for mark in row] for row in marks] == search.adjacency.tolist()
    assert fell_apart > 100


def test_a_pair_of_the_blanket_that_are_not_both_neighbours_can_fall_apart():
    mag = MAG.from_text("Y --> W; W <-> X; X <-> U; Z --> U")
    oracle = Oracle(mag)
    search = _Removal(Inquiry(oracle), [mask_of(np.nonzero(row)[0].tolist()) for row in given_rest(oracle)], None)
    u, w, x, y, z = (oracle.labels.index(v) for v in "UWXYZ")
    assert search.blankets[y] >> z & 1
    search._find_neighbours(x)
    assert not search.adjacency[x, y] and not search.adjacency[x, z] and search._is_removable(x)
    search._remove(x)
    assert not search.blankets[y] >> z & 1 and not search.blankets[w] >> u & 1


def test_in_ex4_the_first_variable_of_the_smallest_blanket_that_may_go_is_taken_out_first():
    oracle = Oracle(EX4)
    search = _Removal(Inquiry(oracle), [mask_of(np.nonzero(row)[0].tolist()) for row in given_rest(oracle)], None)
    order: list[str] = []
    remove = search._remove
    search._remove = lambda x: (order.append(oracle.labels[x]), remove(x))  # type: ignore[method-assign, assignment]
    search.run()
    removable = [
        v for v in oracle.labels if is_removable_by_definition(EX4.reordered(oracle.labels).marks.tolist(), oracle.labels.index(v))
    ]
    assert order[0] == removable[0] and len(order) == 3
    assert discover(oracle, "l-marvel").pag == mag_to_pag(EX4)


def test_ex6_is_found_though_only_one_set_separates_its_last_pair():
    for decompose in (False, True):
        found = discover(Oracle(EX6), "l-marvel", decompose=decompose)
        assert found.pag == mag_to_pag(EX6) and found.skeleton.separating_set("1", "5") == ("0", "2", "3", "4")


def coin(seed: int, share: float):
    """Independent with this probability, always the same answer to the same question."""

    def answer(x: str, y: str, z: tuple[str, ...]) -> bool:
        digest = hashlib.blake2b(f"{seed} {x} {y} {z}".encode(), digest_size=4).digest()
        return int.from_bytes(digest, "big") < share * 2**32

    return answer


@pytest.mark.parametrize("decompose", [False, True], ids=["alone", "DiCoLa"])
@pytest.mark.parametrize("share", [0.01, 0.05, 0.3, 0.7])
def test_coin_flips_for_answers_neither_stop_it_nor_lose_a_pair(share, decompose):
    for seed in range(12):
        n = 4 + seed % 6
        found = discover(CallableTest(coin(seed, share), names=names(n)), "l-marvel", decompose=decompose)
        skeleton = found.skeleton
        assert len(skeleton.separating_sets()) + skeleton.n_edges == n * (n - 1) // 2
        assert all({x, y}.isdisjoint(z) for (x, y), z in skeleton.separating_sets().items())
        assert found.pag.n_edges == skeleton.n_edges


def test_what_was_forced_is_told_and_with_an_oracle_nothing_is():
    flips = [discover(CallableTest(coin(seed, 0.01), names=names(8)), "l-marvel", decompose=False) for seed in range(20)]
    assert sum("no variable looked removable at" in " ".join(found.warnings) for found in flips) >= 10
    for number in range(100):
        assert discover(insufficient_truth(4, number).oracle(), "l-marvel", decompose=False).warnings == ()


def test_every_removal_of_a_noisy_run_takes_one_variable_out():
    for seed in range(30):
        n = 8
        test = CallableTest(coin(seed, 0.02), names=names(n))
        search = _Removal(Inquiry(test), [mask_of(np.nonzero(row)[0].tolist()) for row in given_rest(test)], None)
        left: list[int] = []
        remove = search._remove

        def count(x: int, search=search, remove=remove, left=left) -> None:
            remove(x)
            left.append(search.left.bit_count())

        search._remove = count  # type: ignore[method-assign]
        search.run()
        assert left == list(range(n - 1, 0, -1))
        for x, y in combinations(range(n), 2):
            assert bool(search.adjacency[x, y]) != (search.sets.get(x, y) is not None)


def test_data_give_every_pair_an_edge_or_a_set():
    for seed in range(10):
        dag, latents = hidden_dag(43, seed)
        test = FisherZ(simulate.linear_gaussian(dag, 150, seed=seed).drop(columns=list(latents)), alpha=0.05)
        skeleton = discover(test, "l-marvel", decompose=False).skeleton
        n = len(skeleton.names)
        assert len(skeleton.separating_sets()) + skeleton.n_edges == n * (n - 1) // 2


@pytest.mark.parametrize("limit", [0, 1, 2])
def test_limited_it_misses_no_edge_and_says_that_it_was_limited(limit):
    for number in range(100):
        truth = random_truth(12, number)
        for decompose in (False, True):
            found = discover(truth.oracle(), LMarvel(limit), decompose=decompose)
            assert edges_missed(found.pag, truth.mag) == [], truth.label
            if found.skeleton.n_edges > len(list(truth.mag.pairs())):
                assert any("max_condition_size" in warning for warning in found.warnings), truth.label


def test_limited_it_records_valid_separating_sets_all_the_same():
    found = discover(Oracle(INVALID_WHEN_LIMITED), LMarvel(max_condition_size=0), decompose=False)
    assert wrong_sets(found, Oracle(INVALID_WHEN_LIMITED)) == []


@pytest.mark.parametrize("limit", [None, 0, 1])
def test_a_pair_outside_the_blankets_stays_apart_whatever_is_taken_out(limit):
    forced = 0
    for seed in range(14):
        dag = simulate.er_dag(12, 3, seed=seed)
        test = FisherZ(simulate.linear_gaussian(dag, 300, seed=seed).drop(columns=list(dag.names[:2])))
        uig = independence_graph(test, TotalConditioning())
        found = LMarvel(limit).learn_skeleton(test, context=Context(uig=uig))
        assert all(uig.neighbours[a] >> b & 1 for a, b in found.edges), seed
        forced += bool(found.warnings)
    assert forced > 2, "or nothing was taken out that is not removable"
