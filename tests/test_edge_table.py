"""The table of edges with evidence: the weakest test by asking them all, and where the columns stay empty."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from dicola import DAG, PAG, CallableTest, FisherZ, InvalidData, Oracle, discover, simulate
from dicola.ci.base import CITest
from dicola.ci.gaussian_copula import GaussianCopula
from dicola.ci.questions import Verdict
from dicola.edge_table import edge_table
from dicola.graphs.skeleton import RecordedSets, Skeleton
from tests.graphs.formats.drawn import joined

EVIDENCE = ["p_value", "given", "sign", "partial_correlation"]


def table_of(pag: PAG, ci: CITest | None = None) -> pd.DataFrame:
    everything = tuple(range(len(pag)))
    return edge_table(pag, Skeleton(pag.names, everything, frozenset(pag.pairs()), RecordedSets(), pag.names), ci)


def table(n: int, rows: int, seed: int) -> pd.DataFrame:
    frame = simulate.linear_gaussian(simulate.er_dag(n, 3, seed), rows, seed)
    return frame[np.random.default_rng(seed).permutation(frame.columns)]


def sets_around(pag: PAG, u: str, v: str) -> list[tuple[str, ...]]:
    pools = ([w for w in pag.neighbours(end) if w not in (u, v)] for end in (u, v))
    return [(), *(z for pool in pools for size in (1, 2) for z in combinations(pool, size))]


def logarithm(ci: CITest, u: str, v: str, z: tuple[str, ...]) -> float:
    x, y, given = ci.positions(u, v, z)
    return float(ci.log_p_values(x, y, [given])[0])


def assert_is_the_weakest(pag: PAG, ci: CITest, found: pd.DataFrame) -> None:
    assert len(found) == pag.n_edges
    for row in found.itertuples():
        verdicts = [ci(row.u, row.v, z) for z in sets_around(pag, row.u, row.v)]
        given = tuple(row.given.split(", ")) if row.given else ()
        told = ci(row.u, row.v, given)
        assert row.p_value == told.p_value == max(verdict.p_value for verdict in verdicts)
        logs = [logarithm(ci, row.u, row.v, z) for z in sets_around(pag, row.u, row.v)]
        assert logarithm(ci, row.u, row.v, given) == pytest.approx(max(logs), rel=1e-12)
        assert set(given) in [set(z) for z in sets_around(pag, row.u, row.v)]


class Plain(CITest):
    """Fisher's z test without its kernels: one verdict after the other."""

    def __init__(self, test: FisherZ) -> None:
        self.test = test
        self.labels, self.names, self.alpha, self.n_samples = test.labels, test.names, test.alpha, test.n_samples

    def verdict(self, x: int, y: int, z: tuple[int, ...]) -> Verdict:
        assert x < y and list(z) == sorted(z)
        return self.test.verdict(x, y, z)

    def log_p_values(self, x: int, y: int, sets: list[tuple[int, ...]]) -> np.ndarray:
        return self.test.log_p_values(x, y, sets)


@pytest.mark.parametrize("rows", [6, 30, 1000])
@pytest.mark.parametrize("seed", range(4))
def test_each_edge_has_the_largest_p_value_given_at_most_two_neighbours_of_an_end(rows, seed):
    frame = table(12, rows, seed)
    ci, pag = FisherZ(frame), joined(list(frame.columns), seed, share=0.25)
    assert_is_the_weakest(pag, ci, table_of(pag, ci))


@pytest.mark.parametrize("seed", range(3))
def test_a_test_without_kernels_is_asked_for_the_same_sets(seed):
    frame = table(10, 200, seed)
    ci, pag = FisherZ(frame), joined(list(frame.columns), seed, share=0.3)
    plain, fast = table_of(pag, Plain(ci)), table_of(pag, ci)
    assert_is_the_weakest(pag, ci, plain)
    pd.testing.assert_frame_equal(plain[["p_value", "given"]], fast[["p_value", "given"]])
    assert plain[["sign", "partial_correlation"]].isna().all(axis=None)


def test_the_copula_of_numbers_alone_is_asked_for_the_same_sets():
    frame = table(9, 200, seed=8)
    ci, pag = GaussianCopula(frame), joined(list(frame.columns), 8, share=0.3)
    assert_is_the_weakest(pag, ci, table_of(pag, ci))


def test_a_variable_determined_by_the_others_is_met_as_the_test_meets_it():
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(10, 12)), columns=list("ABCDEFGHIJKL"))
    frame["D"] = frame["A"] + frame["B"]  # with more columns than rows the test takes such tables
    ci, pag = FisherZ(frame), PAG.from_text("A o-o B; A o-o C; A o-o D; B o-o D; A o-o E; D o-o E; C o-o E; B o-o F; D o-o F")
    found = table_of(pag, ci)
    assert_is_the_weakest(pag, ci, found)
    assert (found["p_value"] == 1.0).any()  # D given A and B


def test_with_five_rows_only_one_variable_is_held_fixed():
    frame = table(6, 5, seed=1)
    ci = FisherZ(frame, untestable="raise")
    found = table_of(joined(list(frame.columns), 1, share=0.7), ci)
    assert not found["p_value"].isna().any() and not found["given"].str.contains(",").any()


def test_partial_correlation_and_sign_are_those_given_the_weakest_set():
    frame = table(12, 300, seed=7)
    ci, pag = FisherZ(frame), joined(list(frame.columns), 7, share=0.3)
    found = table_of(pag, ci)
    for row in found.itertuples():
        x, y, *z = (ci.labels.index(name) for name in (row.u, row.v, *(row.given.split(", ") if row.given else ())))
        assert row.partial_correlation == ci.partial_correlation(min(x, y), max(x, y), tuple(z))
        assert row.sign == ("+" if row.partial_correlation > 0 else "-")
    assert set(found["sign"]) == {"+", "-"}


def test_of_a_hub_the_neighbours_shared_with_the_other_end_are_tried_first():
    names = [f"V{i:02}" for i in range(45)]
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.normal(size=(500, 45)), columns=names)
    frame["V44"] = frame["V43"] + 0.1 * rng.normal(size=500)  # the last two of all: V44 explains why V00 and V01 go with each other
    frame["V00"], frame["V01"] = frame["V44"] + rng.normal(size=500), frame["V44"] + rng.normal(size=500)
    star = [f"V00 o-o {name}" for name in names[1:]]
    ci = FisherZ(frame)
    alone, shared = (table_of(PAG.from_text("; ".join([*star, *more])), ci).iloc[0] for more in ([], ["V01 o-o V44"]))
    assert (shared["u"], shared["v"]) == ("V00", "V01")
    assert alone["p_value"] < 1e-6 and "V44" not in alone["given"]
    assert shared["p_value"] > 0.1 and "V44" in shared["given"]


class YesOrNo(Plain):
    """A test that only says yes or no."""

    def verdict(self, x: int, y: int, z: tuple[int, ...]) -> Verdict:
        return Verdict(self.test.verdict(x, y, z).independent)


def test_without_p_values_the_columns_are_there_and_empty():
    frame = table(8, 200, seed=2)
    pag = joined(list(frame.columns), 2)
    never = CallableTest(lambda x, y, z: pytest.fail("a slow test is not asked"), names=frame.columns)
    oracle = Oracle(DAG.from_edges([], nodes=frame.columns))
    for ci in (None, never, oracle, YesOrNo(FisherZ(frame))):
        found = table_of(pag, ci)
        assert list(found.columns) == [*pag.to_pandas().columns, *EVIDENCE, "leaves"]
        assert found[list(EVIDENCE)].isna().all(axis=None)


def test_a_graph_without_edges_has_the_same_columns_of_the_same_types():
    frame = table(4, 100, seed=1)
    ci = FisherZ(frame)
    empty, full = (table_of(PAG.from_text(text, nodes=frame.columns), ci) for text in ("", "X1 o-> X2"))
    assert len(empty) == 0 and len(full) == 1
    assert list(empty.dtypes.items()) == list(full.dtypes.items())


def test_leaves_are_those_of_the_explanation():
    frame = simulate.linear_gaussian(simulate.network("asia"), 2000, seed=1)
    ci = FisherZ(frame)
    found = discover(ci)
    rows = edge_table(found.pag, found.skeleton, ci)
    assert found.tree.n_leaves > 1
    for row in rows.itertuples():
        assert row.leaves == ", ".join(map(str, found.explain(row.u, row.v).leaves)) != ""


def test_a_learned_edge_came_no_nearer_to_removal_than_the_level_of_the_test():
    ci = FisherZ(simulate.linear_gaussian(simulate.er_dag(8, 2, 1), 500, 1), alpha=0.01)
    found = discover(ci, decompose=False)
    assert (edge_table(found.pag, found.skeleton, ci)["p_value"] <= 0.01).all()


def test_a_test_of_another_table_is_refused():
    ci = FisherZ(table(4, 100, seed=1))
    with pytest.raises(InvalidData, match=r"the test does not know 'Y'; pass one made from the table that the graph was learned from\."):
        table_of(PAG.from_text("X1 o-> Y"), ci)
