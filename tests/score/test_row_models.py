"""How likely rows of categories are, and rows of numbers and categories, under a graph: against definitions."""

from __future__ import annotations

import pickle
from math import log

import numpy as np
import pandas as pd
import pytest
from scipy.stats import multivariate_normal
from sklearn.model_selection import GridSearchCV

from dicola import MAG, PAG, DegenerateGaussian, DiCoLa, GSquare, InvalidData, Table
from dicola.ci.columns import columns_of
from dicola.graphs.marks import ARROW, TAIL
from dicola.score.block_model import BlockModel
from dicola.score.count_model import CountModel, blankets_before
from dicola.score.legal import nearby_mag
from dicola.score.row_models import model_behind
from tests.score.readable_ricf import implied


def mixed(n: int = 400, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    group, hidden = rng.integers(3, size=n), rng.normal(size=n)
    x = group + rng.normal(size=n) + hidden
    answer = np.where(x + rng.normal(size=n) > 1, "yes", "no")
    return pd.DataFrame({"a": np.array(list("uvw"))[group], "b": x, "c": hidden + rng.normal(size=n), "d": answer})


def categories(n: int = 600, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    a = rng.integers(3, size=n)
    b = np.where(rng.random(n) < 0.6, a, rng.integers(3, size=n))
    c = np.where(rng.random(n) < 0.6, b % 2, rng.integers(2, size=n))
    return pd.DataFrame({name: np.array(list("uvw"))[codes] for name, codes in zip("abc", (a, b, c), strict=True)})


def of_columns(mag: MAG, begins: np.ndarray) -> MAG:
    """The graph over columns: edges between variables join all their columns, and those of one variable share causes."""
    owner = np.repeat(np.arange(len(mag)), np.diff(begins))
    marks = mag.marks[np.ix_(owner, owner)].copy()
    marks[owner[:, None] == owner] = ARROW
    np.fill_diagonal(marks, 0)
    return MAG(marks, tuple(f"c{i:02d}" for i in range(len(owner))))


@pytest.mark.parametrize(
    "edges",
    ["a --> b; b <-> c; b --> d", "a --> b; c --> d", "a <-> b; b <-> c; c <-> d", "a --> b; a --> c; a --> d; b --> c; b --> d; c --> d"],
)
def test_blocks_are_the_gaussian_model_of_their_columns(edges):
    seen, held_out = mixed(), mixed(200, seed=1)
    mag = MAG.from_text(edges)
    table = Table.from_frame(seen).understood()
    columns, others = columns_of(table), columns_of(Table.from_frame(held_out).understood())
    shown, n = np.asarray(columns[0]), len(seen)
    correlation, deviation = np.corrcoef(shown, rowvar=False), shown.std(axis=0)
    raised = (correlation + np.eye(len(correlation)) / n) / (1 + 1 / n)
    covariance = implied(raised, of_columns(mag, columns.begins)) * np.outer(deviation, deviation)
    model = BlockModel.behind(table, mag)
    marks = nearby_mag(mag).marks
    assert (marks == mag.marks).all() and {ARROW, TAIL} >= set(marks[marks > 0].tolist())
    other = Table.from_frame(held_out).understood()
    expected = multivariate_normal.logpdf(others[0], shown.mean(axis=0), covariance)
    assert model.log_density(other.values) == pytest.approx(expected, rel=1e-4)


def test_counts_are_chances_given_what_comes_before():
    seen, held_out = categories(), categories(50, seed=1)
    table, other = (Table.from_frame(each).understood() for each in (seen, held_out))
    model = CountModel.behind(table, PAG.from_text("a --> b; b --> c"))
    expected = []
    for row in held_out.itertuples():
        total = 0.0
        for name, given in (("a", []), ("b", ["a"]), ("c", ["b"])):
            like = (seen[given] == [getattr(row, each) for each in given]).all(axis=1)
            level, levels = getattr(row, name), seen[name].nunique()
            share = ((seen[name] == level).sum() + 1) / (len(seen) + levels + 1)
            total += log(((seen[name] == level)[like].sum() + share) / (like.sum() + 1))
        expected.append(total)
    assert model.log_density(other.values) == pytest.approx(expected, rel=1e-12)


def test_chances_of_all_rows_together_are_at_most_one():
    """What is left of 1 is for levels that were never seen."""
    table = Table.from_frame(categories(80)).understood()
    every = np.array([[a, b, c] for a in range(3) for b in range(3) for c in range(2)], dtype=np.float64)
    for edges in ("a <-> b; b <-> c", "a --> b; b --> c; a --> c", "a --> b; c --> b"):
        total = np.exp(CountModel.behind(table, PAG.from_text(edges)).log_density(every)).sum()
        assert 0.9 < total < 1


def test_a_blanket_holds_the_district_and_its_parents_and_nothing_that_comes_later():
    mag = MAG.from_text("a --> b; b <-> c; c <-> d; e --> d; b --> f")
    found = {mag.names[v]: "".join(mag.names[u] for u in given) for v, given in blankets_before(mag)}
    assert found == {"a": "", "b": "a", "c": "ab", "e": "", "d": "abce", "f": "b"}


def test_a_missing_edge_makes_other_rows_less_likely():
    for made, edges in (
        (categories, ["a --> b; b --> c", "b --> c; a --> c"]),
        (mixed, ["a --> b; b --> d; b <-> c", "a --> b; b <-> c; a --> d"]),
    ):
        table, other = (Table.from_frame(made(2000, seed)).understood() for seed in (0, 1))
        test = (GSquare if made is categories else DegenerateGaussian)(table)
        models = [model_behind(test, table, MAG.from_text(each)) for each in edges]
        true, false = (model.log_density(other.values).mean() for model in models if model)
        assert true > false + 0.01


def test_levels_that_were_never_seen_are_unlikely_and_not_refused():
    model = DiCoLa().fit(categories())
    usual, odd = (model.score(frame) for frame in (categories(100, 1), categories(100, 1).assign(a="new")))
    assert np.isfinite(odd) and odd < usual - 1
    assert np.isfinite(DiCoLa().fit(mixed()).score(mixed(100, 1).assign(a="new")))


def test_what_is_no_number_and_gaps_are_refused():
    model = DiCoLa().fit(mixed())
    with pytest.raises(InvalidData, match="'b' holds text"):
        model.score(mixed(100, 1).assign(b="high"))
    with pytest.raises(InvalidData, match="missing values in 'a'"):
        model.score(mixed(100, 1).assign(a=None))


@pytest.mark.parametrize("made", [categories, mixed])
def test_a_table_with_gaps_gives_a_model_and_a_stored_one_has_no_rows(made):
    frame = made(1500)
    gaps = frame.mask(np.random.default_rng(0).random(frame.shape) < 0.1)
    model = DiCoLa().fit(gaps)
    stored = pickle.loads(pickle.dumps(model))
    whole = DiCoLa().fit(frame).score(made(300, 1))
    assert model.score(made(300, 1)) == stored.score(made(300, 1)) == pytest.approx(whole, abs=0.1)
    assert len(pickle.dumps(model._model)) < frame.shape[0] * 8


@pytest.mark.parametrize("made", [categories, mixed])
def test_held_out_rows_choose_among_tests_and_modes(made):
    tests = ["g_square", "degenerate_gaussian"] if made is categories else ["conditional_gaussian", "degenerate_gaussian"]
    grid = {"ci_test": tests, "alpha": [1e-200, 0.01], "mode": ["exact"]}
    search = GridSearchCV(DiCoLa(), grid, cv=3, error_score="raise").fit(made())
    scores = dict(zip((each["alpha"] for each in search.cv_results_["params"]), search.cv_results_["mean_test_score"], strict=True))
    assert search.best_params_["alpha"] == 0.01 and len(scores) == 2 and scores[0.01] > scores[1e-200]
