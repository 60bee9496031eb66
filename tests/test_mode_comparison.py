"""Modes side by side: agreement, score, and independences that the data reject."""

from __future__ import annotations

import json

import pytest

from dicola import DAG, FisherZ, InvalidSetting, NeedsData, Oracle, Table, compare_modes, metrics, simulate
from dicola.mode_comparison import ModeComparison
from dicola.score.gaussian_bic import GaussianBIC
from dicola.score.legal import nearby_mag


@pytest.fixture(scope="module")
def ci() -> FisherZ:
    dag = simulate.er_dag(16, 3, seed=3)
    return FisherZ(simulate.linear_gaussian(dag, 1000, seed=3).drop(columns=list(simulate.hide(dag, 2, seed=3))))


@pytest.fixture(scope="module")
def compared(ci) -> ModeComparison:
    return compare_modes(ci, ["exact", "paper", "balanced"])


def test_each_mode_is_scored_by_a_mag_of_its_class(ci, compared):
    for fit in compared.fits:
        by_mag = GaussianBIC.of(ci).mag(nearby_mag(fit.found.pag.reordered(ci.labels)))
        assert fit.score == (fit.found.score if fit.found.hidden else pytest.approx(by_mag, abs=1e-6))
    balanced = compared.fits[2]
    assert balanced.score == min(fit.score for fit in compared.fits)
    assert balanced.score == pytest.approx(balanced.found.score, abs=0.1), "the MAG of the search and a member of its PAG score equal"


def test_independences_are_those_of_the_pairs_that_are_not_joined(compared):
    for fit in compared.fits:
        n = len(fit.found.pag)
        assert fit.implied <= n * (n - 1) // 2 - fit.found.pag.n_edges
        assert 0 <= fit.rejected <= fit.implied
    assert compared.fits[2].rejected < compared.fits[0].rejected, "a better score, fewer independences too many"


def test_agreement_is_the_f1_of_the_two_graphs(compared):
    exact, paper, _ = (fit.found.pag for fit in compared.fits)
    assert compared.agreement("exact", "paper") == metrics.compare(exact, paper)
    shared = [str(edge) for edge in exact.edges()]
    assert set(compared.agreed) < set(shared) and all(edge in str(paper) for edge in compared.agreed)


def test_the_table_names_every_mode_and_the_figures_are_plain(compared):
    text = str(compared)
    assert all(f"\n{mode} " in text for mode in ("exact", "paper", "balanced"))
    assert f"{len(compared.agreed)} edges have the same marks in every mode." in text
    facts = json.loads(json.dumps(compared.to_dict()))
    assert list(facts["modes"]) == ["exact", "paper", "balanced"] and len(facts["agreement"]) == 3


def test_a_table_is_compared_like_the_test_on_it():
    dag = simulate.er_dag(8, 2, seed=3)
    frame = simulate.linear_gaussian(dag, 300, seed=3)
    for table in (frame, dict(frame.items()), Table.from_frame(frame)):
        assert str(compare_modes(table, ["exact", "paper"])) == str(compare_modes(FisherZ(frame, alpha=0.01), ["exact", "paper"]))
    assert compare_modes(frame.to_numpy(), ["exact", "paper"]).alpha == 0.01
    strict = compare_modes(frame, ["exact", "paper"], alpha=0.001)
    assert strict.alpha == 0.001 and str(strict) == str(compare_modes(FisherZ(frame, alpha=0.001), ["exact", "paper"]))


def test_what_cannot_be_compared_is_refused(ci, compared):
    with pytest.raises(InvalidSetting, match="a level of its own"):
        compare_modes(ci, alpha=0.05)
    with pytest.raises(NeedsData, match="FisherZ"):
        compare_modes(Oracle(DAG.from_edges([("A", "B")])))
    with pytest.raises(InvalidSetting, match="at least two"):
        compare_modes(ci, ["exact", "exact"])
    with pytest.raises(InvalidSetting, match="not among the modes compared"):
        compared.agreement("exact", "accurate")
