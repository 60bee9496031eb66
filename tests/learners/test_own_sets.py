"""A learner with a class of separating sets of its own, of which only ``get`` is defined: learned, written, read, explained, shown."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest

from dicola import FCI, Discovery, FisherZ, Learner, discover, simulate
from dicola.graphs.skeleton import RecordedSets, SeparatingSets, Skeleton, Variables
from dicola.learners.base import Context, local_test, skeleton_of

FACTS = re.compile(r'<script type="application/json" id="facts">(.*?)</script>', re.DOTALL)


class OwnSets(SeparatingSets):
    """One boolean row per pair, as a method on matrices might keep them; so members are NumPy's integers."""

    def __init__(self, rows: dict[frozenset[int], np.ndarray]) -> None:
        self.rows = rows

    def get(self, x: int, y: int) -> Variables | None:
        row = self.rows.get(frozenset((x, y)))
        return None if row is None else tuple(np.flatnonzero(row))


class TellingSets(OwnSets):
    def provenance(self, x: int, y: int) -> str | None:
        return f"Read from the row of {x} and {y}."


@dataclass(frozen=True)
class Toy(Learner):
    """FCI's answer, kept in another way."""

    name: ClassVar[str] = "toy"
    title: ClassVar[str] = "Toy"
    reference: ClassVar[str] = "none"
    guarantee: ClassVar[str] = "that of FCI"
    complete: ClassVar[bool] = True
    kind: ClassVar[type[OwnSets]] = OwnSets

    shares_runs: bool = False

    @property
    def is_local(self) -> bool:
        return self.shares_runs

    def own(self, found: SeparatingSets, n: int) -> SeparatingSets:
        return self.kind({frozenset((x, y)): np.isin(np.arange(n), z) for x, y, z in found.known(tuple(range(n)))})

    def learn_skeleton(self, ci: Any, variables: Sequence[int] | None = None, context: Context | None = None) -> Skeleton:
        local, chosen = local_test(ci, variables)
        found = FCI().learn_skeleton(local, context=context)
        adjacency = np.zeros((len(chosen), len(chosen)), dtype=bool)
        for a, b in found.edges:
            adjacency[a, b] = adjacency[b, a] = True
        return skeleton_of(ci, chosen, adjacency, self.own(found.sets, len(chosen)), found.warnings)


class TellingToy(Toy):
    name: ClassVar[str] = "telling-toy"
    kind: ClassVar[type[OwnSets]] = TellingSets


class LateToy(Toy):
    """Has sets of its own for the whole graph as well, as a learner that orients in its own way may."""

    name: ClassVar[str] = "late-toy"

    def orient(self, ci, skeleton, settings, alone=False):
        skeleton, oriented = super().orient(ci, skeleton, settings, alone)
        return replace(skeleton, sets=self.own(skeleton.sets, len(skeleton.labels))), oriented


LEARNERS = [Toy(), Toy(shares_runs=True), LateToy()]


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    dag = simulate.er_dag(16, 2.5, seed=5)
    return simulate.linear_gaussian(dag, 500, seed=5).drop(columns=list(simulate.hide(dag, 2, seed=5)))


def facts_of(found: Discovery) -> dict[str, Any]:
    return json.loads(FACTS.search(found.report())[1])


@pytest.mark.parametrize("decompose", [True, False], ids=["decomposed", "alone"])
@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
class TestOwnSets:
    @pytest.fixture
    def found(self, learner, decompose, table) -> Discovery:
        return discover(FisherZ(table, alpha=0.05), learner, decompose=decompose)

    @pytest.fixture
    def wanted(self, decompose, table) -> Discovery:
        return discover(FisherZ(table, alpha=0.05), FCI(), decompose=decompose)

    def test_the_answer_is_that_of_recorded_sets(self, found, wanted):
        assert found.pag == wanted.pag and found.skeleton == wanted.skeleton and found.tests == wanted.tests

    def test_it_can_be_written_and_read_back(self, found, tmp_path):
        back = Discovery.read(found.write(tmp_path / "one"))
        assert back == found and back.skeleton.separating_sets() == found.skeleton.separating_sets()
        back.write(tmp_path / "two")
        assert (tmp_path / "one" / "skeleton.json").read_bytes() == (tmp_path / "two" / "skeleton.json").read_bytes()

    def test_an_edge_and_a_separated_pair_are_explained(self, found):
        edge = found.pag.edges()[0]
        assert found.explain(edge.u, edge.v).edge in str(found.pag).splitlines()
        separated = 0
        for (x, y), z in found.skeleton.separating_sets().items():
            told = found.explain(x, y)
            assert told.edge is None and told.separation.separating_set == z
            separated += bool(z)
        assert separated > 3

    def test_the_report_holds_its_sets(self, found, wanted, learner):
        facts, same = facts_of(found), facts_of(wanted)
        if not isinstance(learner, LateToy):
            assert any(same["sets"].values()) and facts["sets"] == same["sets"] and facts["later"] == []
            return
        later = {(x, y): tuple(z) for x, y, *z in facts["later"]}
        assert facts["sets"] == {} and later == {(x, y): z for x, y, z in wanted.skeleton.sets.known(wanted.skeleton.variables)}


@pytest.mark.parametrize("shares_runs", [True, False])
def test_leaves_do_hold_the_class_of_the_learner(shares_runs, table):
    found = discover(FisherZ(table, alpha=0.05), Toy(shares_runs))
    kept = [sets for sets in found.skeleton.sets.leaf_sets if sets is not None]
    assert len(kept) > 1 and not any(isinstance(sets, RecordedSets) for sets in kept)


@pytest.mark.parametrize("decompose", [True, False], ids=["decomposed", "alone"])
def test_a_class_that_knows_where_its_sets_come_from_is_heard(decompose, table):
    found = discover(FisherZ(table, alpha=0.05), TellingToy(), decompose=decompose)
    told = [found.explain(x, y).separation.found for x, y in found.skeleton.separating_sets()]
    by_learner = [sentence for sentence in told if sentence.startswith("Found by the learner in leaf")]
    assert by_learner and all(re.search(r"variables\. Read from the row of \d+ and \d+\.$", sentence) for sentence in by_learner)


def test_a_class_that_does_not_know_says_so(table):
    found = discover(FisherZ(table, alpha=0.05), LateToy())
    x, y = next(iter(found.skeleton.separating_sets()))
    assert "not on record" in found.explain(x, y).separation.found
