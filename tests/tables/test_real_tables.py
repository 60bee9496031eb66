"""Tables that people have, untouched: what a look must name in each of them."""

from __future__ import annotations

import pytest

from dicola import look, read_table
from dicola.tables.look import Look

# per table: columns of each sort of finding, and of each kind; a number where there are too many to list
TOLD = {
    "real/abalone/data.csv": {"nominal": "Sex", "near_copy": 0, "left_out": ""},
    "real/airfoil_self_noise/data.csv": {"ordered": "Chord Velocity", "skewed": "Frequency", "left_out": ""},
    "real/apple_watch_fitbit/data.csv.gz": {
        "left_out": "norm_heart", "function": "norm_heart", "nominal": "activity", "binary": "gender device", "codes": "activity",
        "skewed": "steps distance entropy_heart entropy_steps norm_heart sd_norm_heart steps_times_distance",
    },
    "real/arabidopsis_isoprenoid.csv": {"left_out": "", "gaps": ""},
    "real/arabidopsis_other_pathways_795.csv.gz": {"copy": 20, "gaps": ""},
    "real/auto_mpg/data.csv": {"ordered": "cylinders origin", "grades": "cylinders origin", "left_out": ""},
    "real/boston_housing/data.csv": {"binary": "CHAS", "nominal": "RAD", "codes": "RAD", "skewed": "CRIM ZN B", "left_out": ""},
    "real/credit_approval/data.csv": {
        "left_out": "A5", "copy": "A5", "nominal": "A4 A5 A6 A7 A13", "binary": "A1 A9 A10 A12 A16", "gaps": "A1 A2 A4 A6 A7 A14",
        "skewed": "A8 A11 A14 A15", "gaps_depend": "A14",
    },
    "real/hitters/data.csv": {
        "binary": "League Division NewLeague", "gaps": "Salary", "gaps_depend": "Salary", "skewed": "CHmRun PutOuts",
        "near_copy": "CAtBat CHits", "left_out": "",
    },
    "real/myocardial_infarction/data.csv.gz": {
        "identifier": "C1", "left_out": "C1 C8 C89", "empty": "C8 C89", "gaps": 100, "nominal": 3, "binary": 80, "ordered": 15,
        "gaps_depend": 40,
    },
    "real/sachs/all_7466.csv.gz": {"nominal": "condition", "near_copy": "raf mek", "skewed": 8, "left_out": ""},
    "real/sachs/observational_853.csv": {"skewed": 11, "near_copy": "erk akt", "left_out": ""},
    "real/student_performance/data.csv": {"nominal": "Mjob Fjob reason guardian", "binary": 13, "ordered": 12, "left_out": ""},
    "real/wine_quality_red/data.csv": {"ordered": "quality", "skewed": "residual_sugar chlorides sulphates", "left_out": ""},
    "real/wine_quality_white/data.csv.gz": {"ordered": "quality", "skewed": 1, "left_out": ""},
    "discrete/alarm_10000.csv.gz": {"continuous": "", "binary": 13, "nominal": 15, "left_out": ""},
    "discrete/asia_10000.csv.gz": {"binary": 8, "determined": "either", "left_out": ""},
    "discrete/barley_10000.csv.gz": {"continuous": "", "nominal": 30, "left_out": ""},
    "discrete/child_10000.csv.gz": {"continuous": "", "nominal": 5, "left_out": ""},
    "discrete/insurance_10000.csv.gz": {"continuous": "", "nominal": 8, "left_out": ""},
    "discrete/win95pts_10000.csv.gz": {"binary": 76, "copy": "Problem1 Problem6 Problem3", "left_out": "Problem1 Problem6 Problem3"},
}  # fmt: skip
KINDS = ("continuous", "ordered", "nominal", "binary")


def named(seen: Look, sort: str) -> tuple[str, ...]:
    if sort == "left_out":
        return seen.left_out
    return seen.of_kind(sort) if sort in KINDS else seen.about(sort)


@pytest.mark.parametrize("file", TOLD)
def test_a_look_names_what_there_is_to_know(file, data_root):
    if not (data_root / file).exists():
        pytest.skip(f"{file} is not among the reference data")
    seen = look(read_table(data_root / file))
    for sort, expected in TOLD[file].items():
        found = named(seen, sort)
        if isinstance(expected, int):
            assert len(found) >= expected, (sort, found)
        else:
            assert set(found) == set(expected.split()), (sort, found)
    assert all(column.use == "used" or column.name in seen.left_out for column in seen.columns)
