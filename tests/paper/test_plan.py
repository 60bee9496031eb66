from pathlib import Path

import pytest

from dicola.errors import InvalidSetting
from dicola.simulate import network
from dicola_experiments.plan import Setting, Study, load_study, paper_cap

PAPER = Path(__file__).parents[2] / "paper"
SERIES = '[[series]]\ngraph = "ER(10,3)"\nhidden = 1\npool = "any"\nsamples = [100, 200]\nmethods = ["fci"]\n'


def study(tmp_path: Path, text: str) -> Study:
    path = tmp_path / "mine.toml"
    path.write_text('title = "T"\nshows = "S"\n' + text, encoding="utf-8")
    return load_study(path)


def test_every_settings_file_of_the_paper_can_be_read():
    names = {path.stem for path in PAPER.glob("*.toml")}
    assert {"er30-3", "er30-5", "er50-3-5", "er50-3-7", "mildew", "barley", "andes", "link", "dense", "degrees", "smoke"} <= names
    for name in ("er30-3", "er30-5", "er50-3-5", "er50-3-7", "mildew", "barley", "andes", "link", "dense", "degrees", "smoke"):
        assert load_study(PAPER / f"{name}.toml").cells()


def test_link_is_in_the_smoke_study_and_its_graph_is_built_but_not_run():
    (link,) = [series for series in load_study(PAPER / "smoke.toml").series if series.graph == "LINK"]
    assert not link.run
    assert len(next(link.settings()).draw(1).dag.names) == 724


def test_a_series_is_cut_into_one_cell_for_each_setting_and_method(tmp_path):
    cells = study(tmp_path, SERIES + "repetitions = 4\ncap = 5\nlast_cap = true\n").cells()
    assert [(cell.setting.samples, cell.method, cell.repetitions, cell.cap, cell.last_cap) for cell in cells] == [
        (100, "fci", 4, 5, None),
        (200, "fci", 4, 5, 90.0),
    ]


def test_without_a_cap_it_is_the_papers(tmp_path):
    (cell, _) = study(tmp_path, SERIES).cells()
    assert cell.cap == paper_cap(cell.setting) == 10 * 9
    assert cell.last_cap is None
    assert cell.repetitions == 50


def test_cells_that_two_series_share_are_run_once_with_the_larger_number_of_repetitions(tmp_path):
    cells = study(tmp_path, SERIES + "repetitions = 2\n" + SERIES + "repetitions = 7\n").cells()
    assert [cell.repetitions for cell in cells] == [7, 7]


def test_limits_given_by_hand_rule_all_series(tmp_path):
    mine = study(tmp_path, SERIES + "cap = 60\nlast_cap = true\n").with_limits(repetitions=3, cap=2.5)
    assert {(cell.repetitions, cell.cap, cell.last_cap) for cell in mine.cells()} == {(3, 2.5, None)}


def test_some_methods_can_be_picked_or_left_out(tmp_path):
    mine = study(tmp_path, SERIES.replace('["fci"]', '["alone", "peers"]'))
    assert mine.with_limits(methods=["icd", "dicola", "peers"], skip=["rcd l-marvel"]).series[0].methods == ("icd", "causal-learn fci")
    with pytest.raises(InvalidSetting, match="'lcd' is not a method"):
        mine.with_limits(skip=["lcd"])


def test_groups_of_methods_stand_for_their_members_each_once(tmp_path):
    mine = study(tmp_path, SERIES.replace('["fci"]', '["rfci", "alone", "dicola+fci/paper"]'))
    assert mine.series[0].methods == ("rfci", "fci", "fci exact", "fci+", "icd", "l-marvel", "dicola+fci/paper")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (SERIES.replace("ER(10,3)", "ER(10)"), "neither a random graph"),
        (SERIES.replace('"any"', '"all"'), "pool is 'all'"),
        (SERIES.replace('["fci"]', '["fsi"]'), "'fsi' is not a method"),
        (SERIES + "colour = 1\n", "unknown is 'colour'"),
        (SERIES.replace("hidden = 1\n", ""), "'hidden' is missing"),
        ("kind = 'table'\n", "kind is 'table'"),
        ("series", "not a settings file"),
    ],
)
def test_mistakes_in_a_settings_file_are_named(tmp_path, text, said):
    with pytest.raises(InvalidSetting, match=said):
        study(tmp_path, text)


def test_a_settings_file_without_title_or_not_there(tmp_path):
    (tmp_path / "bare.toml").write_text('shows = "S"\n', encoding="utf-8")
    with pytest.raises(InvalidSetting, match="lacks 'title'"):
        load_study(tmp_path / "bare.toml")
    with pytest.raises(InvalidSetting, match="could not be read"):
        load_study(tmp_path / "none.toml")


def test_a_repetition_is_the_same_for_every_method_and_differs_by_seed():
    setting = Setting("ER(12,3)", 2, "any", 30)
    first, again, other = setting.draw(1), setting.draw(1), setting.draw(2)
    assert first.dag == again.dag and first.latents == again.latents
    assert first.table().equals(again.table())
    assert first.dag != other.dag
    assert first.table().shape == (30, 10)


def test_a_network_is_the_same_in_all_repetitions_and_its_hidden_variables_are_not():
    setting = Setting("MILDEW", 3, "root", 10)
    assert setting.draw(1).dag == setting.draw(2).dag == network("mildew")
    assert len({setting.draw(seed).latents for seed in range(1, 8)}) > 1
    assert setting.n_observed == 32
