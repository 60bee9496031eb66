"""Choosing settings by the rows left out: the score, pipelines, and the searches of scikit-learn."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.stats import multivariate_normal
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from dicola import FCI, CallableTest, Dataset, DiCoLa, FisherZ, InvalidData, NeedsData, Oracle, simulate
from dicola.score.gaussian_model import GaussianModel
from dicola.score.legal import nearby_mag
from dicola.tables.table import as_table
from tests.score.readable_ricf import implied


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return simulate.linear_gaussian(simulate.er_dag(10, 2.5, seed=2), 500, seed=2)


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    """Few rows of a sparse graph, so that false edges show."""
    return simulate.linear_gaussian(simulate.er_dag(15, 1, seed=0), 100, seed=0)


class Dependent(FisherZ):
    """Calls nothing independent, and knows the correlations."""

    def p_values(self, x, y, sets):
        return np.zeros(len(sets))


def test_the_score_is_the_mean_log_density_of_the_rows(frame):
    seen, held_out = frame[:400], frame[400:]
    model = DiCoLa(alpha=0.05).fit(seen)
    mag = nearby_mag(model.pag_)
    deviation = seen.std(ddof=0).to_numpy()
    covariance = implied(seen.corr().to_numpy(), mag) * np.outer(deviation, deviation)
    expected = multivariate_normal.logpdf(held_out.to_numpy(), seen.mean().to_numpy(), covariance).mean()
    assert mag.names == tuple(frame.columns) and model.score(held_out) == pytest.approx(expected, rel=1e-7)


def test_a_saturated_graph_has_the_likelihood_of_the_sample_covariance(frame):
    rows = frame.to_numpy()[:, :4]
    model = DiCoLa(ci_test=Dependent, decompose=False).fit(rows)
    assert model.pag_.n_edges == 6
    expected = multivariate_normal.logpdf(rows, rows.mean(axis=0), np.cov(rows, rowvar=False, ddof=0)).mean()
    assert model.score(rows) == pytest.approx(expected)


def test_more_rows_make_other_rows_more_likely():
    table = simulate.linear_gaussian(simulate.er_dag(15, 3, seed=4), 6000, seed=4)
    few, many = (DiCoLa().fit(table[:n]).score(table[5000:]) for n in (60, 5000))
    assert few < many - 0.1


def test_the_order_and_the_names_of_the_columns_do_not_matter(frame):
    turned = frame[frame.columns[::-1]]
    expected = DiCoLa().fit(frame).score(frame)
    assert DiCoLa().fit(turned).score(turned) == expected
    assert DiCoLa().fit(Dataset.from_frame(turned)).score(turned) == expected


def test_columns_without_names_are_taken_by_position(frame):
    turned = frame[frame.columns[::-1]]
    model = DiCoLa().fit(turned)
    with pytest.warns(UserWarning, match="was fitted with feature names"):
        by_position = model.score(turned.to_numpy())
    assert by_position == model.score(turned)


def test_other_columns_are_refused(frame):
    model = DiCoLa().fit(frame)
    with pytest.raises(ValueError, match="same order"):
        model.score(frame[frame.columns[::-1]])
    with pytest.raises(ValueError, match="now missing:\n- X10"):
        model.score(frame.drop(columns="X10"))
    with pytest.raises(ValueError, match="X has 9 features, but DiCoLa is expecting 10"):
        DiCoLa().fit(frame.to_numpy()).score(frame.to_numpy()[:, :9])


def test_gaps_text_and_no_rows_are_refused(frame):
    model = DiCoLa().fit(frame)
    with pytest.raises(InvalidData, match="missing values in 'X1'"):
        model.score(frame.mask(frame["X1"] > 0))
    with pytest.raises(InvalidData, match="holds text"):
        model.score(frame.assign(X1="high"))
    with pytest.raises(InvalidData, match="0 sample"):
        model.score(frame[:0])
    assert np.isfinite(model.score(frame[:1])), "a single row is enough"


def test_a_score_needs_a_fit(frame):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        DiCoLa().score(frame)


def test_a_test_without_correlations_is_scored_by_those_of_the_columns(frame):
    truth = Oracle(simulate.er_dag(10, 2.5, seed=2))
    model = DiCoLa(ci_test=lambda table, alpha: CallableTest(lambda x, y, z: truth(x, y, z).independent, table.names, alpha)).fit(frame)
    known = GaussianModel.behind(FisherZ(frame), as_table(frame), model.pag_)
    assert model.score(frame) == known.log_density(as_table(frame).values).mean()


def test_a_test_of_other_columns_has_no_score(frame):
    few = CallableTest(lambda x, y, z: True, frame.columns[:3], 0.01)
    with pytest.raises(NeedsData, match="CallableTest was not about the columns of the table"):
        DiCoLa(ci_test=lambda table, alpha: few).fit(frame).score(frame)


def test_the_rows_of_fit_are_not_kept(frame):
    table = pd.concat([frame] * 40)
    model = DiCoLa().fit(table)
    stored = pickle.dumps(model)
    assert len(stored) < table.to_numpy().nbytes / 10
    with pytest.raises(NeedsData, match="does not carry the rows"):
        pickle.loads(stored).effect("X1", "X2")


def test_a_fit_forgets_the_model_of_the_fit_before(frame):
    model = DiCoLa().fit(frame[:100])
    model.score(frame)
    assert model.fit(frame).score(frame) == DiCoLa().fit(frame).score(frame)


def test_a_pipeline_learns_from_what_comes_out_of_the_steps_before(frame):
    pipe = Pipeline([("scale", StandardScaler()), ("dicola", DiCoLa())]).set_output(transform="pandas").fit(frame)
    assert pipe["dicola"].pag_ == DiCoLa().fit(frame).pag_ and list(pipe["dicola"].feature_names_in_) == list(frame.columns)
    deviations = np.log(frame.std(ddof=0)).sum()
    assert pipe.score(frame) - deviations == pytest.approx(DiCoLa().fit(frame).score(frame))
    pipe.set_params(dicola__learner__max_condition_size=1)
    assert pipe["dicola"].learner == FCI(max_condition_size=1)


def test_held_out_rows_choose_a_level_that_is_neither_blind_nor_credulous(table):
    model = DiCoLa(mode="exact", decompose=False)
    search = GridSearchCV(model, {"alpha": [1e-30, 0.01, 0.9]}, cv=5, error_score="raise").fit(table)
    assert search.best_params_ == {"alpha": 0.01}
    assert search.best_estimator_.discovery_ == model.set_params(alpha=0.01).fit(table).discovery_


def test_settings_of_the_learner_are_searched_too(table):
    grid = {"learner__max_condition_size": [0, 2, None], "alpha": [0.01, 0.05]}
    search = GridSearchCV(DiCoLa(), grid, cv=3, error_score="raise").fit(table)
    assert set(search.best_params_) == set(grid) and isinstance(search.best_estimator_.learner, FCI)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all() and len(set(search.cv_results_["mean_test_score"])) > 1


def test_learners_are_searched_by_name_and_with_settings(table):
    search = GridSearchCV(DiCoLa(), {"learner": ["rfci", FCI(max_condition_size=0)]}, cv=3, error_score="raise").fit(table)
    assert search.best_estimator_.pag_.names == tuple(table.columns)


def test_cross_validation_scores_the_rows_left_out(table):
    scores = cross_validate(DiCoLa(), table, cv=3, return_estimator=True, error_score="raise")
    assert scores["test_score"][0] == scores["estimator"][0].score(table[:34]) == DiCoLa().fit(table[34:]).score(table[:34])
