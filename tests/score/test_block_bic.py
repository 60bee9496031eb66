"""The BIC of blocks of columns: what it is, that kernels are their twins, and that it finds graphs of mixed tables."""

from __future__ import annotations

from collections.abc import Iterator
from math import log

import numpy as np
import pandas as pd
import pytest

from dicola import DAG, MAG, BasisFunction, DegenerateGaussian, DiCoLa, FisherZ, InvalidSetting, NeedsData, discover, metrics
from dicola._kernels import block_score, block_trails
from dicola._kernels.compiled import kernel
from dicola._kernels.terms import BlockTerms, Terms
from dicola.ci.inquiry import Inquiry
from dicola.score import order_search as order_search_module
from dicola.score.base import Score, districts_of
from dicola.score.block_bic import BlockBIC
from dicola.score.equivalence_search import equivalence_search
from dicola.score.gaussian_bic import GaussianBIC, district_lists
from dicola.score.mag_climb import climb
from dicola.score.order_search import Grown, order_search, plain_order_search
from dicola.score.registry import score_behind
from dicola.score.search import MagSearch
from tests.reference_models import random_mag
from tests.score.drawn import models
from tests.score.readable_ricf import fitted
from tests.score.test_mag_climb import Unknown, empty, random_dag

WIDTHS, NAMES = (2, 1, 3, 1, 1, 2), tuple("ABCDEF")


class AsBlocks(BlockBIC):
    """Searched as blocks, even where all have one column."""

    def kernel_terms(self) -> BlockTerms:
        return self._terms


def blocks(seed: int, count: int) -> Iterator[BlockBIC]:
    """Scores of blocks, made of the columns of models of single ones."""
    for _, score in models(seed, count, n=14, hidden=4):
        yield BlockBIC(score.correlation, score.n_samples, WIDTHS, NAMES)


def column_graph(mag: MAG, widths: tuple[int, ...]) -> MAG:
    """The graph over columns behind one over blocks: every edge between all pairs of columns, and bidirected ones within a block."""
    begins = np.cumsum([0, *widths])
    marks = np.zeros((begins[-1], begins[-1]), np.int8)
    for a in range(len(widths)):
        for b in range(len(widths)):
            marks[begins[a] : begins[a + 1], begins[b] : begins[b + 1]] = 2 if a == b else mag.marks[a, b]
    np.fill_diagonal(marks, 0)
    return MAG(marks, [f"c{i}" for i in range(len(marks))])


def table(n: int, seed: int) -> pd.DataFrame:
    """A chain, a collider and a hidden common cause among numbers and categories."""
    rng = np.random.default_rng(seed)
    number, hidden = rng.normal(size=(2, n))
    group = (number[:, None] * [0.0, 1.5, -1.5] + rng.gumbel(size=(n, 3))).argmax(axis=1)
    other = rng.integers(3, size=n)
    sum_of = np.array([0.0, 1.0, -1.0])[group] + np.array([1.0, 0.0, -1.2])[other] + hidden + rng.normal(size=n)
    answer = np.where(hidden + 0.7 * rng.normal(size=n) > 0, "yes", "no")
    return pd.DataFrame(
        {"a": number, "b": np.array(["x", "y", "z"])[group], "c": sum_of, "d": np.array(["u", "v", "w"])[other], "e": answer}
    )


TRUTH = DAG.from_edges([("a", "b"), ("b", "c"), ("d", "c"), ("L", "c"), ("L", "e")]).true_pag(["L"])


def test_of_one_variable_it_is_a_ratio_of_determinants_and_the_price_of_its_parents():
    score = next(blocks(0, 1))
    covariance = score.kernel_terms().covariance
    whole, parents, alone = (np.linalg.slogdet(covariance[begin:end, begin:end])[1] for begin, end in ((0, 6), (2, 6), (0, 2)))
    expected = 500 * (whole - parents - alone)
    assert score.local(0, [1, 2]) == pytest.approx(expected + score.price_of(0, 1) + score.price_of(0, 2))
    assert score.local(2, []) == pytest.approx(0), "what happens within a block is free"


def test_an_edge_pays_for_itself_and_for_every_pair_of_columns():
    score = BlockBIC(np.eye(10), 200, WIDTHS)
    for a in range(6):
        for b in range(6):
            assert score.price_of(a, b) == pytest.approx((0.8 + WIDTHS[a] * WIDTHS[b] / 2) * log(200) + log(15) + 1)
    assert score.among([0, 5]).price_of(0, 1) == score.price_of(0, 5)
    assert BlockBIC(np.eye(10), 200, WIDTHS, penalty=1).price_of(0, 2) == score.price_of(0, 2) / 2
    with pytest.raises(InvalidSetting, match="penalty"):
        BlockBIC(np.eye(2), 200, (1, 1), penalty=-1)


def test_with_blocks_of_one_column_it_is_the_gaussian_score():
    for mag, plain in models(3, 10):
        score = AsBlocks(plain.correlation, plain.n_samples, [1] * len(plain), plain.names)
        assert score.price_of(0, 1) == pytest.approx(plain.price)
        terms = BlockBIC(plain.correlation, plain.n_samples, [1] * len(plain), plain.names).kernel_terms()
        assert isinstance(terms, Terms) and terms.price == pytest.approx(plain.price), "and searched at the speed of that one"
        assert score.mag(mag) == pytest.approx(plain.mag(mag), abs=1e-4), "fits end so near the best one"
        one, other = order_search(score, range(len(score))), order_search(plain, range(len(score)))
        assert np.array_equal(one.parents, other.parents) and one.score == pytest.approx(other.score, abs=1e-6)


def test_the_columns_of_a_block_may_be_any_that_say_the_same():
    rng = np.random.default_rng(2)
    for score in blocks(2, 4):
        mixed_up = np.zeros((10, 10))
        for a, b in zip(np.cumsum([0, *WIDTHS[:-1]]), np.cumsum(WIDTHS), strict=True):
            mixed_up[a:b, a:b] = rng.normal(size=(b - a, b - a))
        covariance = mixed_up @ score.kernel_terms().covariance @ mixed_up.T
        scale = np.sqrt(np.diag(covariance))
        other = BlockBIC(covariance / np.outer(scale, scale), score.n_samples, WIDTHS, NAMES)
        inside = other.kernel_terms().covariance[3:6, 3:6]
        assert np.array_equal(inside, np.eye(3)), "those that kernels see are unrelated"
        mag = MAG.from_matrix(random_mag(rng, 6, 0.3, 0.3), NAMES)
        assert other.mag(mag) == pytest.approx(score.mag(mag), abs=1e-4)
        assert np.array_equal(order_search(other, range(6)).parents, order_search(score, range(6)).parents)


def test_a_column_that_its_block_determines_changes_nothing():
    rng = np.random.default_rng(5)
    rows = rng.normal(size=(300, 4)) @ rng.normal(size=(4, 4))
    doubled = np.column_stack([rows[:, :2], rows[:, 0] - rows[:, 1], rows[:, 2:]])
    plain = BlockBIC(np.corrcoef(rows, rowvar=False), 300, (2, 1, 1))
    other = BlockBIC(np.corrcoef(doubled, rowvar=False), 300, (3, 1, 1))
    assert np.diag(other.kernel_terms().covariance).tolist() == [1, 1, 0, 1, 1]
    for v, parents in [(0, [1, 2]), (1, [0]), (2, [0, 1])]:
        priced = [sum(score.price_of(u, v) for u in parents) for score in (plain, other)]
        assert other.local(v, parents) - priced[1] == pytest.approx(plain.local(v, parents) - priced[0], abs=1e-6)


def test_a_fit_that_gives_up_would_not_have_been_better():
    rng, given_up = np.random.default_rng(3), 0
    for score in blocks(3, 25):
        mag = MAG.from_matrix(random_mag(rng, 6, 0.3, 0.5), NAMES)
        for members, arrows, bidirected in districts_of(mag):
            inside, lists, lengths = district_lists(members, arrows, bidirected)
            part, d = score.among(inside)._terms, len(members)
            room = block_score.make_block_room(len(inside), len(part.covariance), d, int(np.diff(part.begins).max()))
            best = block_score.score_blocks(part, np.arange(d), d, lists, lengths, room)
            for enough in (best - 50.0, best - 0.5, best + 0.5):
                found, is_score = _weighed(part, np.arange(d), d, lists, lengths, room, enough)
                given_up += not is_score
                assert found == pytest.approx(best, abs=1e-6) if is_score else enough <= found <= best + 1e-4
    assert given_up > 10


@kernel
def _weighed(part, members, d, lists, lengths, room, enough):
    return block_score.weigh_blocks(part, members, d, lists, lengths, room, enough)


def test_the_kernel_is_ricf_on_the_columns():
    rng, joined = np.random.default_rng(1), 0
    for score in blocks(1, 12):
        for mag in (MAG(climb(score, empty(score)).marks, NAMES), MAG.from_matrix(random_mag(rng, 6, 0.3, 0.3), NAMES)):
            joined += int((mag.marks * mag.marks.T == 4).sum()) // 2
            price = sum(score.price_of(a, b) for a in range(6) for b in range(a) if mag.marks[a, b])
            covariance, alone = score.kernel_terms().covariance, score.kernel_terms().alone.sum()
            expected = score.n_samples * (fitted(covariance, column_graph(mag, WIDTHS)) - alone)
            assert score.mag(mag) == pytest.approx(expected + price, abs=1e-2)
    assert joined > 20


def test_the_order_search_is_that_of_the_plain_twin():
    rng = np.random.default_rng(2)
    for score in blocks(2, 8):
        order = rng.permutation(6)
        fast, plain = order_search(score, order), plain_order_search(score, order)
        assert np.array_equal(fast.parents, plain.parents) and np.array_equal(fast.order, plain.order)
        assert fast.score == pytest.approx(plain.score, abs=1e-6)


def larger(seed: int, n: int = 18, rows: int = 300, wide: int = 3) -> BlockBIC:
    """The score of blocks with many relations among them."""
    rng = np.random.default_rng(seed)
    widths = rng.integers(1, wide + 1, size=n)
    begins = np.cumsum([0, *widths])
    values = rng.normal(size=(rows, begins[-1]))
    for v in range(n):
        for u in rng.permutation(v)[:3]:
            own, other = slice(begins[v], begins[v + 1]), slice(begins[u], begins[u + 1])
            values[:, own] += values[:, other] @ rng.uniform(-0.7, 0.7, size=(widths[u], widths[v]))
    return BlockBIC(np.corrcoef(values.T), rows, widths.tolist(), [f"X{i:02}" for i in range(n)])


def test_the_order_search_is_that_of_the_plain_twin_where_pairs_are_barred():
    rng = np.random.default_rng(5)
    for seed in range(4):
        score, bars, order = larger(seed, n=8), rng.random((8, 8)) < 0.2, rng.permutation(8)
        fast, plain = order_search(score, order, bars=bars), plain_order_search(score, order, bars=bars)
        assert np.array_equal(fast.parents, plain.parents) and np.array_equal(fast.order, plain.order)
        assert not (fast.parents & bars.T).any()


def test_what_other_searches_have_worked_out_changes_no_answer():
    rng = np.random.default_rng(6)
    for seed in range(3):
        score, grown = larger(seed), Grown()
        for order in (rng.permutation(18) for _ in range(4)):
            alone, after = order_search(score, order), order_search(score, order, grown=grown)
            assert np.array_equal(after.order, alone.order) and np.array_equal(after.parents, alone.parents)
            assert (after.score, after.work) == (alone.score, alone.work)


def test_trees_without_room_grow_or_are_begun_anew(monkeypatch):
    score, order = larger(7), np.random.default_rng(7).permutation(18)
    roomy = order_search(score, order)
    assert roomy.parents.sum(axis=1).max() > 2
    kept = order_search_module._enlarged
    made = []
    monkeypatch.setattr(order_search_module, "_enlarged", lambda *args: made.append(kept(*args)) or made[-1])
    monkeypatch.setattr(order_search_module, "_ROOM", 2)
    narrow = order_search(score, order)
    assert made and np.array_equal(narrow.order, roomy.order) and (narrow.score, narrow.work) == (roomy.score, roomy.work)
    assert max(len(each.begins) for each in made) > 300
    made.clear()
    for module in (order_search_module, block_trails):
        monkeypatch.setattr(module, "MOST_NODES", 150)
    small = order_search(score, order)
    assert len(made) > 4 and {len(each.begins) for each in made[2:]} == {150}, "more are never held"
    assert np.array_equal(small.order, roomy.order) and small.score == roomy.score and small.work >= roomy.work


def test_a_walk_is_right_where_there_is_no_room_for_its_steps():
    single = larger(8, n=24, wide=1, rows=900)
    wide = np.random.default_rng(8).normal(size=(900, 600))
    covariance = np.block([[single.kernel_terms().correlation, np.zeros((24, 600))], [np.zeros((600, 24)), np.corrcoef(wide.T)]])
    beside = AsBlocks(covariance, 900, [1] * 24 + [600], [*single.names, "X99"])
    room = room_of(beside.kernel_terms(), block_trails.make_block_trails(25, 24))
    assert len(room.own) == 2, "the steps of a walk share one slot"
    prices = beside.kernel_terms().prices.copy()
    prices[:24, :24] = single.price_of(0, 1)
    prices.setflags(write=False)
    beside._terms = beside._terms._replace(prices=prices)
    order = np.random.default_rng(9).permutation(24)
    one, other = order_search(single, order), order_search(beside, [*order.tolist(), 24])
    assert one.parents.sum(axis=1).max() > 3
    assert np.array_equal(other.parents[:24, :24], one.parents) and not other.parents[24].any() and not other.parents[:, 24].any()


@kernel
def room_of(terms, trails):
    return block_trails.make_block_room(terms, trails)


@pytest.mark.parametrize(("max_district", "third", "surcharge"), [(2, None, 0.0), (10, 0.05, 0.0), (10, None, 3.0)])
def test_the_climb_is_that_of_the_readable_twin(max_district, third, surcharge):
    rng = np.random.default_rng(3)
    for score in blocks(3, 5):
        for start in (empty(score), random_dag(rng, 6)):
            fast, plain = (climb(each, start, None, 6.0, max_district, third, surcharge) for each in (score, Unknown(score)))
            assert np.array_equal(fast.marks, plain.marks) and fast.n_fits == plain.n_fits
            assert fast.score == pytest.approx(plain.score, abs=1e-9) and fast.runner_up == pytest.approx(plain.runner_up, abs=1e-9)


def test_columns_that_determine_each_other_do_no_harm():
    rng = np.random.default_rng(4)
    for _ in range(10):
        values = rng.normal(size=(300, 10))
        values[:, 4] = values[:, 3] - values[:, 5]  # within a block
        values[:, 7] = values[:, 0] + values[:, 1]  # a function of another block
        score = BlockBIC(np.corrcoef(values, rowvar=False), 300, WIDTHS, NAMES)
        fast, plain = order_search(score, range(6)), plain_order_search(score, range(6))
        assert np.isfinite(fast.score) and fast.score == pytest.approx(plain.score, abs=1.0)
        assert np.isfinite(climb(score, empty(score)).score)


def test_it_does_not_matter_which_level_is_left_out():
    rng = np.random.default_rng(5)
    codes, number = rng.integers(3, size=400), rng.normal(size=400)
    number += codes == 1
    found = []
    for shown in ((0, 1), (1, 2), (0, 2)):
        columns = np.column_stack([codes == shown[0], codes == shown[1], number]).astype(float)
        found.append(BlockBIC(np.corrcoef(columns, rowvar=False), 400, (2, 1)).local(1, [0]))
    assert found == pytest.approx([found[0]] * 3)


def test_a_test_of_blocks_names_this_score_and_others_the_gaussian_one():
    frame = table(300, 0)
    for test, width in ((DegenerateGaussian(frame), 7), (BasisFunction(frame.assign(f=frame["a"] ** 2 + frame["c"])), 12)):
        score = score_behind(test, 3.0)
        assert type(score) is BlockBIC and score.penalty == 3.0 and score.widths.sum() == width
        assert score.names == test.labels and score.kernel_terms() is not None
    assert type(score_behind(FisherZ(frame[["a", "c"]]))) is GaussianBIC
    with pytest.raises(NeedsData, match="no blocks of columns"):
        BlockBIC.of(FisherZ(frame[["a", "c"]]))


def test_curves_that_nothing_follows_are_no_part_of_the_score():
    rng = np.random.default_rng(8)
    a, b, noise, more = rng.normal(size=(4, 800))
    frame = pd.DataFrame({"a": a, "b": b, "line": a + noise, "square": b**2 + more, "group": np.where(rng.random(800) < 0.5, "x", "y")})
    test = BasisFunction(frame)
    assert test.widths.tolist() == [3, 3, 1, 3, 3], "a, b, group, line, square"
    assert score_behind(test).widths.tolist() == [1, 2, 1, 1, 1], "the square follows b's curve, and nothing else one"
    part = test.among([1, 4])
    assert score_behind(part).widths.tolist() == [2, 1] and score_behind(test.among([0, 1])).widths.tolist() == [1, 2]


def test_a_subclass_is_searched_by_what_it_says():
    class Dearer(BlockBIC):
        def district(self, members, arrows, bidirected):
            return super().district(members, arrows, bidirected) + 7.0

    score = next(blocks(6, 1))
    own = Dearer(score.kernel_terms().covariance, score.n_samples, WIDTHS, NAMES)
    assert own.kernel_terms() is None and type(own.among([0, 2])) is Dearer
    assert order_search(own, range(6)).score == pytest.approx(order_search(score, range(6)).score + 42)
    assert Score.kernel_terms(score) is None


def test_with_many_rows_the_score_finds_the_true_graph_of_a_mixed_table():
    test = DegenerateGaussian(table(20_000, 1))
    assert discover(test, mode="balanced").pag == TRUTH
    for learner in ("gfci", "boss-fci", "mag-bic"):
        near = metrics.compare(discover(test, learner).pag, TRUTH)
        assert near.skeleton.f1 == 1.0 and near.marks.f1 > 0.7
    dag = equivalence_search(score_behind(test))
    assert dag.score == pytest.approx(order_search(score_behind(test), dag.order).score)


def test_the_default_on_a_mixed_table_scores_and_says_so():
    model = DiCoLa().fit(table(1500, 2))
    settings = model.discovery_.settings
    assert settings["mode"] == "balanced" and settings["test"]["name"] == "BasisFunction"
    assert "scored as blocks of indicators and curves" in settings["mode_chosen"]
    assert metrics.compare(model.pag_, TRUTH).skeleton.f1 > 0.8
    assert DiCoLa().fit(table(1500, 2)).pag_ == model.pag_


def test_a_test_with_answers_of_its_own_is_not_scored_unasked():
    class Own(DegenerateGaussian):
        def p_values(self, x, y, sets):
            return np.zeros(len(sets))

    found = discover(Own(table(300, 3)), mode="auto")
    assert found.settings["mode"] == "exact" and "answers of its own" in found.settings["mode_chosen"]


def test_blocks_are_searched_from_fewer_orders_than_single_columns():
    rng = np.random.default_rng(0)
    numbers = pd.DataFrame(rng.normal(size=(60, 3)), columns=list("abc"))
    levels = numbers.assign(c=rng.choice(list("xyz"), 60))
    starts = [MagSearch.of(Inquiry(test)).n_starts for test in (FisherZ(numbers), DegenerateGaussian(numbers), DegenerateGaussian(levels))]
    assert starts == [6, 6, 3]


@kernel
def bound(terms, members, d, lists, lengths, room):
    return block_score.bound_blocks(terms, members, d, lists, lengths, room)


def bound_of(score: BlockBIC, members, arrows, joined) -> tuple[float, bool]:
    inside, lists, lengths = district_lists(members, arrows, joined)
    terms, d = score.among(inside).kernel_terms(), len(members)
    room = block_score.make_block_room(len(inside), len(terms.covariance), d, int(np.diff(terms.begins).max()))
    return bound(terms, np.arange(d), d, lists, lengths, room)


def test_no_district_scores_below_its_bound():
    rng, exact, far = np.random.default_rng(3), 0, 0
    for score in blocks(8, 30):
        as_blocks = AsBlocks(score._terms.covariance, score.n_samples, WIDTHS, NAMES)
        mag = MAG.from_matrix(random_mag(rng, 6, 0.3, 0.5), NAMES)
        for members, arrows, joined in districts_of(mag):
            if len(members) > 1:
                found, is_score = bound_of(as_blocks, members, arrows, joined)
                gap = score.district(members, arrows, joined) - found
                assert abs(gap) < 1e-3 if is_score else gap > 0
                exact, far = exact + is_score, far + (gap > 1)
    assert exact > 3 and far > 5


def test_there_is_no_bound_where_a_column_is_nearly_a_copy():
    values = np.random.default_rng(4).normal(size=(400, 4))
    columns = np.column_stack([values, values[:, 0] + 1e-3 * values[:, 1]])
    score = AsBlocks(np.corrcoef(columns, rowvar=False), 400, [2, 2, 1])
    for joined, is_known in (((0, 1), True), ((0, 2), False)):
        assert np.isfinite(bound_of(score, joined, [], [joined])[0]) == is_known


def test_trees_that_do_not_hold_one_order_get_more_nodes(monkeypatch):
    rng = np.random.default_rng(3)
    factors = rng.normal(size=(600, 3))
    columns = factors @ rng.normal(size=(3, 60)) + 1.7 * rng.normal(size=(600, 60))
    score, order = BlockBIC(np.corrcoef(columns, rowvar=False), 600, [2] * 30), rng.permutation(30)
    roomy = order_search(score, order)
    for most in (16, 40, 90, 200):
        monkeypatch.setattr(order_search_module, "MOST_NODES", most)
        grown = order_search_module.Grown()
        small = order_search(score, order, grown=grown)
        assert np.array_equal(small.order, roomy.order) and np.array_equal(small.parents, roomy.parents) and small.score == roomy.score
        assert grown.most_nodes > most, "no such tree holds all that some step asks for"
