"""Tables that people have, untouched: what a look must name in each of them, by a table of ours and by the raw files."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pandas as pd
import pytest

from dicola import DiCoLa, look, read_table
from dicola.tables.look import Look

# Per table, from its description and from reading it: the columns of each sort of finding and of each kind. What is not listed for a
# table must not be found there; of kinds only those listed are compared. A number counts columns that are too many to list.
TOLD = {
    "real/abalone/data.csv": {"nominal": "Sex", "binary": "", "ordered": "", "skewed": "Height"},
    "real/airfoil_self_noise/data.csv": {
        "ordered": "Chord Velocity", "grades": "Chord Velocity", "nominal": "", "binary": "", "skewed": "Frequency",
    },
    "real/apple_watch_fitbit/data.csv.gz": {
        "function": "norm_heart", "nominal": "activity", "binary": "gender device", "ordered": "", "codes": "activity",
        "skewed": "steps distance entropy_heart entropy_steps norm_heart sd_norm_heart steps_times_distance",
    },
    "real/arabidopsis_isoprenoid.csv": {"nominal": "", "binary": "", "ordered": "", "skewed": "DXPS2(cla1)"},
    "real/arabidopsis_other_pathways_795.csv.gz": {"copy": 56, "nominal": "", "binary": "", "ordered": "", "skewed": 25},
    "real/auto_mpg/data.csv": {"ordered": "cylinders origin", "grades": "cylinders origin", "nominal": "", "binary": ""},
    "real/boston_housing/data.csv": {"binary": "CHAS", "nominal": "RAD", "codes": "RAD", "ordered": "", "skewed": "CRIM ZN B"},
    "real/credit_approval/data.csv": {
        "copy": "A5", "nominal": "A4 A5 A6 A7 A13", "binary": "A1 A9 A10 A12 A16", "ordered": "",
        "gaps": "A1 A2 A4 A6 A7 A14", "gaps_depend": "A14", "skewed": "A8 A11 A14 A15",
    },
    "real/hitters/data.csv": {
        "binary": "League Division NewLeague", "nominal": "", "ordered": "", "gaps": "Salary", "gaps_depend": "Salary",
        "skewed": "CHmRun PutOuts", "near_copy": "CAtBat CHits",
    },
    "real/myocardial_infarction/data.csv.gz": {
        "identifier": "C1", "empty": "C8 C89", "gaps": 108, "nominal": "C7 C45 C124", "binary": 89, "ordered": 19,
        "gaps_depend": 40, "skewed": "C87 C88 C91", "codes": "C7 C45 C124", "grades": 1,
        "determined": "C119",  # a rupture of the heart, which is one of the causes of death in C124
    },
    "real/sachs/all_7466.csv.gz": {
        "nominal": "condition", "binary": "", "ordered": "", "near_copy": "raf mek",
        "skewed": "raf mek plc pip2 pip3 erk akt pka pkc p38 jnk",
    },
    "real/sachs/observational_853.csv": {
        "nominal": "", "binary": "", "ordered": "", "near_copy": "erk akt", "skewed": "raf mek plc pip2 pip3 erk akt pka pkc p38 jnk",
    },
    "real/student_performance/data.csv": {
        "nominal": "Mjob Fjob reason guardian",
        "binary": "school sex address famsize Pstatus schoolsup famsup paid activities nursery higher internet romantic",
        "ordered": "age Medu Fedu traveltime studytime failures famrel freetime goout Dalc Walc health", "grades": 1, "skewed": "absences",
    },
    "real/wine_quality_red/data.csv": {
        "ordered": "quality", "grades": "quality", "nominal": "", "binary": "", "skewed": "residual_sugar chlorides sulphates",
    },
    "real/wine_quality_white/data.csv.gz": {"ordered": "quality", "grades": "quality", "nominal": "", "binary": "", "skewed": "chlorides"},
    "discrete/alarm_10000.csv.gz": {"continuous": "", "binary": 13, "codes": 1, "grades": 1},
    "discrete/asia_10000.csv.gz": {"continuous": "", "binary": 8, "determined": "either"},
    "discrete/barley_10000.csv.gz": {"continuous": "", "binary": "pesticid spndx", "codes": 1, "grades": 1},
    "discrete/child_10000.csv.gz": {
        "continuous": "", "codes": 1, "grades": 1,
        "binary": "BirthAsphyxia HypDistrib Grunting LVHreport CO2Report GruntingReport LVH Sick",
    },
    "discrete/insurance_10000.csv.gz": {
        "continuous": "", "codes": 1, "grades": 1, "binary": "GoodStudent VehicleYear Antilock SeniorTrain Theft AntiTheft OtherCar Airbag",
    },
    "discrete/win95pts_10000.csv.gz": {
        "continuous": "", "binary": 76, "copy": "Problem1 Problem6 Problem3", "near_copy": "AvlblVrtlMmry PSERRMEM TstpsTxt",
    },
}  # fmt: skip
SORTS = ("identifier", "constant", "empty", "date", "text", "copy", "function", "words", "infinite", "markers", "gaps", "gaps_depend",
         "codes", "grades", "skewed", "near_copy", "determined")  # fmt: skip
LEVELLED = ("ordered", "nominal", "binary")
KINDS = ("continuous", *LEVELLED)


def path(data_root: Path, file: str) -> Path:
    if not (data_root / file).exists():
        pytest.skip(f"{file} is not among the reference data")
    return data_root / file


@cache
def seen_in(file: Path) -> Look:
    return look(read_table(file))


@pytest.mark.parametrize("file", TOLD)
def test_a_look_names_what_there_is_to_know_and_nothing_else(file, data_root):
    seen, told = seen_in(path(data_root, file)), TOLD[file]
    for sort in (*SORTS, *KINDS):
        expected = told.get(sort, "" if sort in SORTS else None)
        found = seen.of_kind(sort) if sort in KINDS else seen.about(sort)
        if isinstance(expected, int):
            assert len(found) >= expected, (sort, found)
        elif expected is not None:
            assert set(found) == set(expected.split()), (sort, found)
    assert set(seen.left_out) == {name for finding in seen.findings if finding.leaves_out for name in finding.columns}
    assert all(column.use == "used" or column.name in seen.left_out for column in seen.columns)


@pytest.mark.parametrize("file", TOLD)
def test_gaps_copies_skew_and_identifiers_are_those_of_the_raw_file(file, data_root):
    """Read by pandas and worked out by definition."""
    seen, raw = seen_in(path(data_root, file)), pd.read_csv(path(data_root, file))
    used = [name for name in raw if name not in seen.left_out]
    assert set(seen.about("gaps")) == {name for name in used if raw[name].isna().any()}
    counting = {name for name in raw.select_dtypes("number") if (raw[name].diff().iloc[1:] == 1).all()}
    assert set(seen.about("identifier")) == counting
    codes = {name: pd.factorize(raw[name])[0].tobytes() for name in raw if raw[name].nunique() <= 20 or raw[name].dtype == object}
    values = {name: raw[name].to_numpy().tobytes() for name in raw if name not in codes}
    twice = [name for same in (codes, values) for at, name in enumerate(same) if same[name] in list(same.values())[:at]]
    assert set(seen.about("copy")) == set(twice)
    numbers = [name for name in raw.select_dtypes("number") if name in seen.of_kind("continuous")]
    skewness = {name: float(((raw[name] - raw[name].mean()) ** 3).mean() / raw[name].std(ddof=0) ** 3) for name in numbers}
    assert set(seen.about("skewed")) == {name for name, value in skewness.items() if abs(value) > 2 and name not in seen.about("copy")}


@pytest.mark.parametrize("file", [file for file in TOLD if file.startswith("real/") and "/data.csv" in file])
def test_columns_that_the_description_calls_categories_are_none_that_are_called_numbers(file, data_root):
    seen, described = seen_in(path(data_root, file)), path(data_root, f"{file.rpartition('/')[0]}/meta.json")
    columns = json.loads(described.read_text(encoding="utf-8"))["columns"]
    categories = {name for name, kind in columns.items() if kind == "categorical"}
    assert categories <= {name for kind in LEVELLED for name in seen.of_kind(kind)}
    assert len(columns) == seen.n_columns


@pytest.mark.parametrize("file", [file for file in TOLD if file.startswith("discrete/")])
def test_every_column_of_a_discrete_table_is_a_category(file, data_root):
    seen = seen_in(path(data_root, file))
    assert {name for kind in LEVELLED for name in seen.of_kind(kind)} == {column.name for column in seen.columns}


@pytest.mark.parametrize("file", ["real/credit_approval/data.csv", "real/hitters/data.csv", "real/wine_quality_red/data.csv"])
def test_the_section_of_a_report_has_every_sentence_of_the_look(file, data_root):
    found = DiCoLa().fit(read_table(path(data_root, file))).discovery_
    section = found.report().partition("<h2>The table</h2>")[2].partition("</section>")[0]
    named = {name for sort, names in TOLD[file].items() if sort in SORTS and isinstance(names, str) for name in names.split()}
    assert named and all(f"&#x27;{name}&#x27;" in section or f"'{name}'" in section for name in named)
