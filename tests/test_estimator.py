"""DiCoLa as an estimator: what goes in, what comes out, and where scikit-learn takes it."""

from __future__ import annotations

import subprocess
import sys
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from dicola import (
    FCI,
    RFCI,
    Dataset,
    DiCoLa,
    Discovery,
    FisherZ,
    InvalidData,
    InvalidSetting,
    Oracle,
    discover,
    simulate,
)
from dicola.blankets.grow_shrink import IAMB
from dicola.learners.registry import ALL
from dicola.pipeline.modes import MODES
from dicola.pipeline.plan import Plan
from dicola.pipeline.settings import SETTINGS


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    dag = simulate.er_dag(10, 2.5, seed=2)
    return simulate.linear_gaussian(dag, 500, seed=2)


def test_fit_gives_what_discover_gives(frame):
    model = DiCoLa(alpha=0.05).fit(frame)
    expected = discover(FisherZ(frame, alpha=0.05), mode="auto")
    assert model.pag_ == model.discovery_.pag == expected.pag and model.discovery_ == expected


def test_fit_takes_a_frame_an_array_and_a_dataset(frame):
    by_frame, by_array, by_set = (DiCoLa().fit(data) for data in (frame, frame.to_numpy(), Dataset.from_frame(frame)))
    assert by_frame.pag_ == by_set.pag_ == by_array.pag_, "the frame names its columns X1, X2, … too"
    assert by_frame.n_features_in_ == by_array.n_features_in_ == by_set.n_features_in_ == 10


def test_feature_names_are_an_array_where_the_table_has_names(frame):
    columns = {name: frame[name].to_numpy() for name in frame}
    for named in (frame, Dataset.from_frame(frame), columns):
        names = DiCoLa().fit(named).feature_names_in_
        assert names.dtype == object and names.tolist() == list(frame.columns) and all(type(name) is str for name in names)
    positions = frame.set_axis(range(10), axis=1)
    for unnamed in (frame.to_numpy(), frame.to_numpy().tolist(), positions):
        assert not hasattr(DiCoLa().fit(unnamed), "feature_names_in_")
    assert not hasattr(DiCoLa().fit(frame).fit(frame.to_numpy()), "feature_names_in_"), "names of an earlier fit are gone"


def test_fit_returns_the_model_and_ignores_y(frame):
    model = DiCoLa()
    assert model.fit(frame, None) is model


def test_the_answer_stands_in_the_order_of_the_columns(frame):
    turned = frame[frame.columns[::-1]]
    assert DiCoLa().fit(turned).pag_.names == tuple(turned.columns)


def test_every_setting_of_a_plan_is_a_setting_of_the_model():
    assert DiCoLa().get_params() == {name: each.metadata["at_doors"] for name, each in SETTINGS.items()}
    assert Plan(**DiCoLa().get_params()) == Plan(ci_test="auto", mode="auto")
    assert [name for name, each in SETTINGS.items() if each.default != each.metadata["at_doors"]] == ["ci_test", "mode"]


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
    model = DiCoLa(mode="exact", **{setting: value}).fit(frame)
    assert model.discovery_ == discover(FisherZ(frame, alpha=0.01), **{setting: value})
    told = model.discovery_.settings
    if setting in ("decompose", "stop", "max_depth", "min_leaf_size", "max_nodes", "uig", "leaf_start"):
        assert told[setting] == value


def test_settings_are_read_and_changed_by_name():
    model = DiCoLa(alpha=0.05)
    assert model.get_params()["alpha"] == 0.05 and model.get_params(deep=False) == model.get_params()
    assert model.set_params(alpha=0.1, learner="fci", n_jobs=2) is model
    assert (model.alpha, model.n_jobs) == (0.1, 2)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("colour", r"'colour' is not a setting of DiCoLa. Known: alpha"),
        ("alpha__size", r"'alpha__size' is not a setting of DiCoLa. Known: alpha"),
        ("learner__", r"'learner__' is not a setting of DiCoLa: FCI has max_condition_size, "),
        ("learner__colour", r"'learner__colour' is not a setting of DiCoLa: FCI has max_condition_size, "),
        ("blankets__colour", r"'blankets__colour' is not a setting of DiCoLa: AutoBlankets has alpha\."),
    ],
)
def test_an_unknown_setting_is_refused_and_nothing_is_changed(name, says):
    model = DiCoLa()
    with pytest.raises(InvalidSetting, match=says) as refused:
        model.set_params(n_jobs=2, **{name: 1})
    assert isinstance(refused.value, ValueError) and model.get_params() == DiCoLa().get_params()


def test_the_settings_of_a_learner_are_read_by_name():
    model = DiCoLa(learner=FCI(max_condition_size=2), blankets=IAMB(alpha=0.1))
    shown = model.get_params()
    assert shown["learner__max_condition_size"] == 2 and shown["blankets__alpha"] == 0.1
    assert not any("__" in name for name in model.get_params(deep=False))
    assert not any("__" in name for name in DiCoLa(learner="rfci").get_params()), "a name has no settings to show"


def test_a_setting_of_a_learner_is_changed_in_a_copy():
    learner = FCI(possible_dsep="textbook")
    model = DiCoLa(learner=learner).set_params(learner__max_condition_size=2)
    assert model.learner == FCI(max_condition_size=2, possible_dsep="textbook") and learner == FCI(possible_dsep="textbook")


@pytest.mark.parametrize(("chosen", "made"), [(None, FCI(max_condition_size=1)), ("rfci", RFCI(max_condition_size=1))])
def test_a_learner_by_name_is_made_when_a_setting_of_it_is_changed(chosen, made):
    assert DiCoLa(learner=chosen).set_params(learner__max_condition_size=1).learner == made
    both = DiCoLa().set_params(learner__max_condition_size=1, learner=chosen, blankets="iamb", blankets__alpha=0.2)
    assert both.learner == made and both.blankets == IAMB(alpha=0.2)


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
        ({"blankets": "cfs_mi"}, "not a blanket learner"),
        ({"selection": True, "learner": "lfci"}, "lFCI assumes that nothing was selected"),
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


def test_in_a_notebook_it_shows_its_settings_and_what_it_learned(frame):
    model = DiCoLa(learner=FCI(max_condition_size=3), alpha=0.05)
    before = model._repr_mimebundle_()["text/html"]
    after = model.fit(frame)._repr_mimebundle_()["text/html"]
    assert "0.05" in before and "max_condition_size" in before and "arrowheads" not in before
    assert after.endswith(model.discovery_._repr_html_())


def test_scikit_learn_is_loaded_for_the_estimator_only():
    code = "import sys, dicola; dicola.discover, dicola.FisherZ, dicola.Discovery; print('sklearn' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize(
    "settings",
    [
        *({"learner": name} for name in ALL),
        *({"learner": name, "decompose": False} for name in ALL),
        *({"mode": mode} for mode in (*MODES, "auto") if mode != "either"),  # that one is for categories
        {"ci_test": partial(FisherZ, untestable="independent"), "alpha": 0.05},
        {"learner": FCI(max_condition_size=1), "blankets": "iamb", "uig_alpha": 0.2},
        {"uig": "relearn", "leaf_start": "complete", "max_depth": 2, "colliders": "majority", "legalize": True},
        {"stop": "reference", "min_leaf_size": 3, "max_nodes": 9},
    ],
    ids=str,
)
def test_a_run_is_repeated_from_its_record_alone(frame, settings, tmp_path):
    first = DiCoLa(**settings).fit(frame).discovery_
    first.write(tmp_path)
    record = Discovery.read(tmp_path).settings
    for why in ("mode_chosen", "blankets_chosen", "test_chosen"):
        assert record.pop(why, None) == first.settings.pop(why, None), "why something was taken is not a setting"
    model = DiCoLa.from_record(record)
    assert model.fit(frame).discovery_ == first
    assert model.set_params(n_jobs=2).fit(frame[:250]).discovery_.settings["test"]["n_samples"] == 250


def test_a_record_of_a_test_without_a_table_is_refused():
    known = discover(Oracle(simulate.er_dag(5, 2, seed=0)))
    with pytest.raises(InvalidSetting, match="Oracle"):
        DiCoLa.from_record(known.settings)


def test_what_is_no_record_is_refused_in_a_sentence():
    with pytest.raises(InvalidSetting, match="no record of a run: it lacks learner, blankets, decompose"):
        DiCoLa.from_record({})
