"""A search scores by what the score says: kernels step aside where a subclass says something else."""

from __future__ import annotations

import numpy as np
import pytest

from dicola import MAG, InvalidSetting
from dicola.score.ancestral import marks_of_dag
from dicola.score.base import Score
from dicola.score.equivalence_search import equivalence_search
from dicola.score.gaussian_bic import GaussianBIC
from dicola.score.mag_climb import climb
from dicola.score.order_search import best_of, order_search
from tests.score.drawn import models
from tests.score.test_order_search import problem

EXTRA = 7.0


class Dearer(GaussianBIC):
    """Every district costs more."""

    def district(self, members, arrows, bidirected):
        return super().district(members, arrows, bidirected) + EXTRA


class DearerAlone(GaussianBIC):
    """Every variable of a DAG costs more."""

    def local(self, v, parents):
        return super().local(v, parents) + EXTRA


class Renamed(GaussianBIC):
    """The same score with something beside it."""

    def sheet(self) -> str:
        return ", ".join(self.names)


def copied(kind: type[GaussianBIC], score: GaussianBIC) -> GaussianBIC:
    return kind(score.correlation, score.n_samples, score.names, score.penalty)


def test_only_a_score_that_is_the_plain_one_has_terms_for_kernels():
    score = problem(0)
    terms = score.kernel_terms()
    assert terms is not None and terms.correlation is score.correlation
    assert (terms.n_samples, terms.price) == (float(score.n_samples), score.price)
    assert copied(Renamed, score).kernel_terms() is not None
    assert copied(Dearer, score).kernel_terms() is None
    assert copied(DearerAlone, score).kernel_terms() is None
    assert Score.kernel_terms(score) is None


@pytest.mark.parametrize("kind", [Dearer, DearerAlone])
def test_orders_and_classes_are_scored_by_the_subclass(kind):
    score = problem(1, p=6)
    own = copied(kind, score)
    for search in (lambda s: order_search(s, range(6)), lambda s: best_of(s, 2), equivalence_search):
        found, plain = search(own), search(score)
        assert np.array_equal(found.parents, plain.parents), "a constant changes no choice of parents"
        assert found.score == pytest.approx(plain.score + 6 * EXTRA)
        assert found.score == pytest.approx(own.mag(MAG(marks_of_dag(found.parents), own.names)) + (kind is DearerAlone) * 6 * EXTRA)


def test_a_climb_is_scored_by_the_subclass():
    joined = 0
    for _, score in models(11, 4, n=7, hidden=2):
        own, empty = copied(Dearer, score), np.zeros((len(score), len(score)), np.int8)
        found, plain = climb(own, empty), climb(score, empty)
        districts = {frozenset(MAG(found.marks, own.names).district(name)) for name in own.names}
        assert found.score == pytest.approx(own.mag(MAG(found.marks, own.names)), abs=1e-6)
        assert found.score == pytest.approx(score.mag(MAG(found.marks, own.names)) + EXTRA * len(districts), abs=1e-6)
        joined += not np.array_equal(found.marks, plain.marks)
    assert joined, "where districts cost, fewer and larger ones are better"


def test_a_part_stays_what_it_is():
    score = copied(Dearer, problem(2, p=5))
    part = score.among([3, 1, 4])
    assert type(part) is Dearer and part.kernel_terms() is None
    assert part.names == tuple(score.names[v] for v in (3, 1, 4)) and not part.correlation.flags.writeable
    assert part.local(0, [2]) == pytest.approx(score.local(3, [4]))
    assert len(score) == 5, "the whole is left alone"


def test_another_price_changes_the_price_alone():
    score = problem(3)
    cheap = GaussianBIC(score.correlation, score.n_samples, penalty=1)
    assert (cheap.penalty, cheap.price) == (1.0, score.price / 2)
    assert cheap.local(0, [1, 2]) == pytest.approx(score.local(0, [1, 2]) - score.price)
    with pytest.raises(InvalidSetting, match="penalty"):
        GaussianBIC(score.correlation, score.n_samples, penalty=0)
