"""The scikit-learn style door."""

from __future__ import annotations

import inspect

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from dicola import FCI, Dataset, DiCoLa, FisherZ, InvalidData, InvalidSetting, discover, simulate


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    dag = simulate.er_dag(10, 2.5, seed=2)
    return simulate.linear_gaussian(dag, 500, seed=2)


def test_fit_gives_what_discover_gives(frame):
    model = DiCoLa(alpha=0.05).fit(frame)
    expected = discover(FisherZ(frame, alpha=0.05))
    assert model.pag_ == model.discovery_.pag == expected.pag and model.discovery_ == expected


def test_fit_takes_a_frame_an_array_and_a_dataset(frame):
    by_frame, by_array, by_set = (DiCoLa().fit(data) for data in (frame, frame.to_numpy(), Dataset.from_frame(frame)))
    assert by_frame.pag_ == by_set.pag_ == by_array.pag_, "the frame names its columns X1, X2, … too"
    assert by_frame.n_features_in_ == 10 and by_frame.feature_names_in_ == tuple(frame.columns)
    assert by_array.feature_names_in_ == tuple(f"X{i + 1}" for i in range(10))


def test_fit_returns_the_model_and_ignores_y(frame):
    model = DiCoLa()
    assert model.fit(frame, None) is model


def test_the_answer_stands_in_the_order_of_the_columns(frame):
    turned = frame[frame.columns[::-1]]
    assert DiCoLa().fit(turned).pag_.names == tuple(turned.columns)


def test_every_setting_of_discover_is_a_setting_of_the_model(frame):
    door = set(inspect.signature(discover).parameters) - {"ci", "progress"}
    assert set(DiCoLa().get_params()) == door | {"ci_test", "alpha"}
    defaults = {name: p.default for name, p in inspect.signature(discover).parameters.items() if name in door}
    assert {name: value for name, value in DiCoLa().get_params().items() if name in door} == defaults


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("learner", FCI(max_condition_size=1)),
        ("n_jobs", 2),
        ("decompose", False),
        ("stop", "reference"),
        ("max_depth", 1),
        ("min_leaf_size", 4),
        ("max_nodes", 3),
        ("blankets", "iamb"),
        ("uig_alpha", 0.2),
        ("uig", "relearn"),
        ("leaf_start", "complete"),
    ],
)
def test_each_setting_reaches_the_run(frame, setting, value):
    model = DiCoLa(**{setting: value}).fit(frame)
    assert model.discovery_ == discover(FisherZ(frame, alpha=0.01), **{setting: value})
    told = model.discovery_.settings
    if setting in ("decompose", "stop", "max_depth", "min_leaf_size", "max_nodes", "uig", "leaf_start"):
        assert told[setting] == value


def test_settings_are_read_and_changed_by_name():
    model = DiCoLa(alpha=0.05)
    assert model.get_params()["alpha"] == 0.05 and model.get_params(deep=False) == model.get_params()
    assert model.set_params(alpha=0.1, learner="fci", n_jobs=2) is model
    assert (model.alpha, model.n_jobs) == (0.1, 2)
    with pytest.raises(InvalidSetting, match=r"'colour' is not a setting of DiCoLa.*alpha"):
        model.set_params(colour="red")


def test_a_clone_has_the_settings_and_nothing_learned(frame):
    model = DiCoLa(learner=FCI(max_condition_size=2), alpha=0.05, blankets="iamb").fit(frame)
    copy = clone(model)
    assert copy is not model and copy.get_params() == model.get_params() and not hasattr(copy, "pag_")
    assert copy.fit(frame).discovery_ == model.discovery_


def test_the_constructor_checks_nothing_and_fit_does(frame):
    for settings, says in (
        ({"learner": "foo"}, "not a learner. Known: fci"),
        ({"ci_test": "foo"}, "not a test. Known: fisher_z"),
        ({"alpha": 2}, "alpha is 2"),
        ({"mode": "fastest"}, "mode is 'fastest'"),
        ({"stop": "soon"}, "stop is 'soon'"),
        ({"uig": "guess"}, "uig is 'guess'"),
        ({"leaf_start": "hot"}, "leaf_start is 'hot'"),
        ({"n_jobs": 0}, "n_jobs is 0"),
        ({"blankets": "mmmb"}, "not a blanket learner"),
        ({"selection": True}, "decompose=False"),
    ):
        with pytest.raises(InvalidSetting, match=says):
            DiCoLa(**settings).fit(frame)


def test_a_failed_fit_leaves_an_earlier_answer_alone(frame):
    model = DiCoLa().fit(frame)
    before = model.pag_
    with pytest.raises(InvalidData):
        model.fit(np.ones((10, 3)))
    assert model.pag_ is before


def test_fit_leaves_the_data_and_the_settings_alone(frame):
    kept, values = frame.copy(), frame.to_numpy().copy()
    model = DiCoLa(alpha=0.05)
    settings = model.get_params()
    model.fit(frame)
    model.fit(values)
    assert frame.equals(kept) and np.array_equal(values, kept.to_numpy()) and model.get_params() == settings


def test_only_changed_settings_are_shown():
    assert repr(DiCoLa()) == "DiCoLa()" and repr(DiCoLa(alpha=0.05, n_jobs=2)) == "DiCoLa(alpha=0.05, n_jobs=2)"


def test_progress_is_told_phase_by_phase(frame):
    told: list[tuple[str, int, int]] = []
    DiCoLa().fit(frame, progress=lambda *step: told.append(step))
    assert list(dict.fromkeys(phase for phase, *_ in told)) == ["decompose", "leaves", "orient"]
    assert all(0 <= done <= total for _, done, total in told)
    for phase in ("leaves", "orient"):
        last = [step for step in told if step[0] == phase][-1]
        assert last[1] == last[2]
