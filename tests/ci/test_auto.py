"""``ci_test="auto"``: the test that fits the columns, with the reason; plain numbers stay with Fisher's z, to the byte."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from dicola import DiCoLa, FisherZ, discover, simulate
from dicola.ci.auto import auto_test, chosen_test, has_tails_of_sums, odd_shapes
from dicola.cli.app import app
from dicola.tables.table import as_table

DAG = simulate.er_dag(6, 2, seed=1)
NUMBERS = simulate.linear_gaussian(DAG, 600, seed=1)
LETTERS = np.array(list("pqrstuvw"))


def letters(n: int, levels: int, columns: int = 5) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    first = rng.integers(levels, size=n)
    codes = [first, *(np.where(rng.random(n) < 0.5, first, rng.integers(levels, size=n)) for _ in range(columns - 1))]
    return pd.DataFrame({f"V{i}": LETTERS[column] for i, column in enumerate(codes)})


TABLES = {
    "FisherZ": (NUMBERS, "basis_function"),
    "GaussianCopula": (np.exp(2 * NUMBERS), "fisher_z"),
    "GSquare": (letters(1000, 3), "degenerate_gaussian"),
    "DegenerateGaussian": (letters(300, 8), "g_square"),
    "BasisFunction": (NUMBERS.assign(word=LETTERS[np.arange(600) % 3]), "degenerate_gaussian"),
}


@pytest.mark.parametrize("name", TABLES)
def test_the_test_that_fits_is_taken_and_another_is_named(name):
    frame, other = TABLES[name]
    made, why = chosen_test(as_table(frame))
    assert made.__name__ == name == type(auto_test(frame)).__name__ and f"ci_test='{other}'" in why


@pytest.mark.parametrize("change", [np.exp, lambda x: x**3], ids=["exp", "cube"])
def test_skewed_and_heavy_tailed_columns_go_by_ranks(change):
    assert type(auto_test(change(NUMBERS * 3))).__name__ == "GaussianCopula"
    first, second = (DiCoLa().fit(each) for each in (change(NUMBERS * 3), np.exp(NUMBERS * 4)))
    assert first.pag_ == second.pag_ and first.discovery_.settings["test"]["name"] == "GaussianCopula"


@pytest.mark.parametrize("seed", range(3))
def test_straight_lines_with_skewed_noise_keep_their_numbers_and_bent_scales_do_not(seed):
    dag = simulate.er_dag(12, 3, seed=seed)
    skewed = simulate.additive_noise(dag, 800, seed, errors="exponential")
    assert len(odd_shapes(skewed.to_numpy())) > 2
    made, why = chosen_test(as_table(skewed))
    assert made is FisherZ and "closer to others as numbers" in why and "ci_test='gaussian_copula'" in why
    for bend in (np.exp, lambda x: x**3):
        bent = simulate.linear_gaussian(dag, 800, seed=seed)
        assert chosen_test(as_table(bend(bent / bent.std())))[0].__name__ == "GaussianCopula"
    tailed = simulate.additive_noise(dag, 800, seed, errors="student") ** 3
    assert chosen_test(as_table(tailed))[0].__name__ == "GaussianCopula"


def test_gaps_and_columns_without_relations_leave_skewed_numbers_to_a_rule():
    skewed = simulate.additive_noise(simulate.er_dag(12, 3, seed=0), 800, 0, errors="exponential")
    with_gaps = skewed.mask(np.random.default_rng(0).random(skewed.shape) < 0.1)
    assert chosen_test(as_table(with_gaps))[0] is FisherZ
    assert [chosen_test(as_table(skewed[:rows]))[0].__name__ for rows in (59, 60)] == ["GaussianCopula", "FisherZ"]
    apart = pd.DataFrame(np.random.default_rng(1).exponential(size=(300, 4)), columns=list("abcd"))
    assert chosen_test(as_table(apart))[0].__name__ == "GaussianCopula"  # nothing speaks for the numbers
    found = DiCoLa().fit(skewed).discovery_
    assert found.settings["test"]["name"] == "FisherZ" and "goes by ranks" in found.settings["test_chosen"]
    assert not any("skewed" in note for note in found.warnings)  # that is said with the choice
    asked = DiCoLa(ci_test="fisher_z").fit(skewed).discovery_
    assert any("skewed" in note for note in asked.warnings)


@pytest.mark.parametrize("rows", [60, 200, 1000, 5000])
def test_tails_of_one_row_are_no_tails_of_sums(rows):
    rng = np.random.default_rng(rows)
    lognormal = pd.DataFrame(np.exp(2 * rng.normal(size=(rows, 6))), columns=list("abcdef"))
    lognormal["c"] += lognormal["a"]
    assert not has_tails_of_sums(lognormal.to_numpy())
    noise = rng.standard_cauchy(size=(rows, 4))
    related = pd.DataFrame({"a": noise[:, 0], "b": noise[:, 1], "c": noise[:, :3].sum(axis=1), "d": noise.sum(axis=1)})
    assert chosen_test(as_table(related))[0].__name__ == "GaussianCopula"
    assert has_tails_of_sums(rng.exponential(size=(rows, 30)))


def test_a_column_without_a_value_in_the_first_rows_is_compared_in_silence():
    table = simulate.additive_noise(simulate.er_dag(12, 3, seed=0), 5200, 0, errors="exponential")
    table.iloc[:5000, 0] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        chosen_test(as_table(table))


def test_plain_numbers_are_tested_as_before():
    found = DiCoLa(mode="exact").fit(NUMBERS).discovery_
    assert found == discover(FisherZ(NUMBERS), mode="exact") and "test_chosen" not in found.settings


def test_gaussian_samples_are_not_odd():
    rng = np.random.default_rng(3)
    assert not len(odd_shapes(rng.normal(size=(100, 400)))) and not len(odd_shapes(rng.uniform(size=(60, 400))))
    with_gaps = rng.exponential(size=(200, 2)) ** 2
    with_gaps[::3, 0] = np.nan
    assert odd_shapes(with_gaps).tolist() == [0, 1]


def test_the_reason_is_told_and_the_run_can_be_made_again():
    model = DiCoLa().fit(TABLES["BasisFunction"][0])
    assert "test: BasisFunction, as 1 of 7 columns" in model.discovery_.summary()
    again = DiCoLa.from_record(model.discovery_.settings).fit(TABLES["BasisFunction"][0])
    assert again.pag_ == model.pag_ and "test_chosen" not in again.discovery_.settings


def test_with_gaps_the_choice_is_the_same():
    frame = TABLES["BasisFunction"][0].copy()
    frame.loc[::7, "X2"] = np.nan
    frame.loc[::11, "word"] = None
    settings = DiCoLa().fit(frame).discovery_.settings
    assert settings["test"]["name"] == "BasisFunction" and settings["missing"] == "em" and settings["test"]["n_samples"] < 600
    some = letters(1000, 3)
    some.loc[::9, "V1"] = None
    assert DiCoLa().fit(some).discovery_.settings["missing"] == "testwise"


def test_the_command_line_takes_it_and_says_why(tmp_path):
    letters(800, 3).to_csv(tmp_path / "t.csv", index=False)
    for options in ([], ["--test", "auto"]):
        done = CliRunner().invoke(app, ["fit", str(tmp_path / "t.csv"), *options])
        assert done.exit_code == 0 and "test: GSquare, as all columns hold categories" in done.stdout
        assert "--test degenerate_gaussian needs fewer" in done.stdout
