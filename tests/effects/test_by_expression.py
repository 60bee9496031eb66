"""Numbers by expressions beyond adjustment, and effects of several variables that are set together."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import dicola
from dicola import DAG, PAG, DiCoLa, InvalidData, InvalidSetting, JointEffect, Table, identify, simulate
from dicola.effects.by_expression import REPLICATES, estimate_by, values_by
from dicola.effects.expression import P, product, sum_over
from dicola.effects.gaussian_expression import on_gaussian
from dicola.simulate.arguments import generator
from dicola.simulate.linear_gaussian import weighted_arcs
from tests.effects.coverage import World

FRONT_DOOR = DAG.from_edges([("X", "M"), ("M", "Y"), ("L", "X"), ("L", "Y")])
BY_MEDIATOR = sum_over({"M"}, product([P(("M",), ("X",)), sum_over({"X"}, product([P(("Y",), ("M", "X")), P(("X",))]))]))
TWO_DOSES = DAG.from_edges([("I", "X1"), ("J", "X1"), ("X1", "L"), ("L", "X2"), ("K", "X2"), ("X2", "Y"), ("X1", "Y"), ("L", "Y")])


def controlled(world: World, xs: list[str], y: str) -> np.ndarray:
    """The effects of variables that are set together, by the coefficients: arrows into them are cut."""
    dag = world.dag
    weights = np.zeros((len(dag), len(dag)))
    for parent, child, weight in weighted_arcs(dag, 0.5, 1.0, generator(world.seed, "linear_gaussian")):
        weights[child, parent] = weight
    weights[[dag.index(x) for x in xs]] = 0.0
    return np.linalg.inv(np.eye(len(dag)) - weights)[dag.index(y), [dag.index(x) for x in xs]]


def test_on_the_true_covariance_every_expression_gives_the_true_effects():
    asked = 0
    for seed in range(60):
        world = World.drawn(seed)
        pag, rng = world.dag.true_pag(world.hidden), np.random.default_rng(seed)
        covariance = simulate.linear_gaussian_covariance(world.dag, world.seed).loc[world.observed, world.observed].to_numpy()
        for size in (1, 2, 2, 3):
            *xs, y = (world.observed[v] for v in rng.permutation(len(world.observed))[: size + 1])
            found = identify(pag, xs, y).expression
            if found is not None:
                slopes = on_gaussian(found, covariance, world.observed).slopes(y, xs)
                np.testing.assert_allclose(slopes, controlled(world, xs, y), atol=1e-9)
                asked += 1
    assert asked > 80


def test_the_effect_through_a_mediator_is_within_its_error():
    off, covered = [], 0
    for seed in range(40):
        world = World(FRONT_DOOR, ("L",), seed)
        (own,) = estimate_by(BY_MEDIATOR, Table.from_frame(world.table(400)).understood(), ["X"], "Y", seed=seed).values()
        truth = world.total_effect("X", "Y")
        off.append((own.value - truth) / own.error)
        covered += own.interval[0] <= truth <= own.interval[1]
    assert np.abs(off).max() < 4 and abs(np.mean(off)) < 0.6 and 0.7 < np.std(off) < 1.3
    assert covered >= 35


def counted_table(seed: int, rows: int = 4000) -> tuple[pd.DataFrame, float]:
    """Binary variables with a hidden cause of treatment and outcome, and the true effect on the probability of "yes"."""
    rng = np.random.default_rng(seed)
    hidden = rng.random(rows) < 0.5
    x = rng.random(rows) < np.where(hidden, 0.8, 0.3)
    m = rng.random(rows) < np.where(x, 0.9, 0.2)
    y = rng.random(rows) < 0.1 + 0.5 * m + 0.3 * hidden
    named = pd.DataFrame({"X": x, "M": m, "Y": y}).replace({True: "yes", False: "no"})
    return named, 0.7 * 0.5


def test_categories_are_counted():
    off = []
    for seed in range(12):
        frame, truth = counted_table(seed)
        (own,) = estimate_by(BY_MEDIATOR, Table.from_frame(frame).understood(), ["X"], "Y", seed=seed).values()
        assert own.method == "plug-in" and any(str(REPLICATES) in each for each in own.notes)
        off.append((own.value - truth) / own.error)
    assert np.abs(off).max() < 3.5
    naive = dicola.effect(PAG.from_text("A o-> X; X --> Y").reordered(("A", "X", "Y")), "X", "Y", frame.assign(A=frame["M"])).value
    assert abs(naive - truth) > 0.1, "what is seen is not the effect"


def test_an_effect_by_an_expression_has_a_number_an_interval_and_a_sentence(monkeypatch):
    monkeypatch.setattr("dicola.effects.identification.beyond_adjustment", lambda pag, x, y: BY_MEDIATOR)
    world = World(FRONT_DOOR, ("L",), 3)
    pag = PAG.from_text("X o-> M; M o-> Y; X o-> Y")
    found = dicola.effect(pag, "X", "Y", world.table(2000))
    assert found.by == "expression" and found.value == pytest.approx(world.total_effect("X", "Y"), abs=5 * found.estimate.error)
    assert found.interval[0] < found.value < found.interval[1] and found.robustness is None
    assert "Σ_{M} P(M | X)" in found.sentence and "One unit more of X" in found.sentence
    words = world.table(50).assign(M=["a", "b", "c", "d", "e"] * 10)
    assert "beside numbers" in dicola.effect(pag, "X", "Y", words).reason


def test_rows_that_are_too_few_are_told():
    table = Table.from_frame(World(FRONT_DOOR, ("L",), 0).table(5)).understood()
    with pytest.raises(InvalidData, match="too few"):
        values_by(BY_MEDIATOR, table, ["X"], "Y")
    frame = pd.DataFrame({"X": ["a", "b"] * 20, "M": ["a", "b"] * 20, "Y": ["a", "b", "b", "b"] * 10})
    with pytest.raises(InvalidData, match="have no rows"):
        values_by(BY_MEDIATOR, Table.from_frame(frame).understood(), ["X"], "Y")


class TestSeveralTreatments:
    world = World(TWO_DOSES, (), 5)

    def test_two_doses_with_a_mediator_between_them_have_their_effects(self):
        pag = TWO_DOSES.true_pag()
        found = dicola.effect(pag, ["X2", "X1"], "Y", self.world.table(3000))
        assert isinstance(found, JointEffect) and found.identified and found.x == ("X1", "X2")
        truth = controlled(self.world, ["X1", "X2"], "Y")
        for value, error, true in zip(found.effects.values(), [each.error for each in found.estimates.values()], truth, strict=True):
            assert abs(value - true) < 4 * error
        assert abs(self.world.total_effect("X1", "Y") - truth[0]) > 0.1, "the effect of one alone is another one"
        assert "With X1 and X2 set" in found.sentence and json.dumps(found.to_dict())

    def test_the_fitted_model_allows_for_discovery(self):
        model = DiCoLa(mode="balanced").fit(self.world.table(3000))
        for interval in ("split", "bootstrap", "naive"):
            found = model.effect(["X1", "X2"], "Y", interval=interval, replicates=20)
            assert found.identified and set(found.intervals) == {"X1", "X2"}
        again = model.discovery_.effect(["X1", "X2"], "Y", self.world.table(3000), interval="naive")
        assert again.effects == pytest.approx(found.effects)
        assert model.discovery_.effect(["X1", "X2"], "Y").estimates == {}

    def test_what_is_not_identified_has_a_reason(self):
        found = dicola.effect(PAG.from_text("A o-o B; B o-o C"), ["A", "B"], "C")
        assert not found.identified and found.reason and found.reason in found.sentence
        selected = DiCoLa(selection=True).fit(self.world.table(300)).effect(["X1", "X2"], "Y")
        assert "selection" in selected.reason

    def test_categories_have_one_effect_of_all_together(self):
        rng = np.random.default_rng(1)
        a, b = rng.random((2, 3000)) < 0.5
        y = rng.random(3000) < 0.2 + 0.3 * a + 0.3 * b
        frame = pd.DataFrame({"A": a, "B": b, "Y": y}).replace({True: "yes", False: "no"})
        told = values_by(P(("Y",), ("A", "B")), Table.from_frame(frame).understood(), ["A", "B"], "Y")
        assert told == {"A and B": pytest.approx(0.6, abs=0.06)}

    def test_wrong_calls(self):
        pag = TWO_DOSES.true_pag()
        with pytest.raises(InvalidSetting):
            dicola.effect(pag, ["X1", "Y"], "Y")
        with pytest.raises(InvalidSetting, match="split"):
            DiCoLa().fit(self.world.table(200)).effect(["X1"], "Y", interval="often")
