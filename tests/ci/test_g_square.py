"""G² and χ²: the numbers of SciPy and causal-learn, what cannot be tested, exact functions, gaps."""

from __future__ import annotations

import pickle
from math import factorial, log

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2, chi2_contingency

from dicola import ChiSquare, DiCoLa, GSquare, InvalidData, InvalidSetting, discover
from dicola._kernels import contingency as kernel
from dicola._kernels.arrays import flat_rows
from dicola._kernels.interpreted import plain_of
from dicola.blankets.auto import AutoBlankets
from dicola.ci.by_evidence import log_survival
from dicola.learners.registry import LEARNERS

LETTERS = np.array(list("abcd"))


def frame(n: int = 400, seed: int = 0, levels: tuple[int, ...] = (2, 3, 4, 2, 3)) -> pd.DataFrame:
    """A chain of categories: each follows the one before in half of the rows."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(levels[0], size=n)]
    for many in levels[1:]:
        columns.append(np.where(rng.random(n) < 0.5, columns[-1] % many, rng.integers(many, size=n)))
    return pd.DataFrame({name: LETTERS[codes] for name, codes in zip("ABCDE", columns, strict=False)})


def twin(table: pd.DataFrame, x: str, y: str, z: list[str], lambda_: str) -> tuple[float, int]:
    """The definition, by SciPy, stratum by stratum."""
    statistic, freedom = 0.0, 0
    for _, rows in table.groupby(z) if z else [((), table)]:
        counts = pd.crosstab(rows[x], rows[y]).to_numpy()
        if min(counts.shape) > 1:
            found = chi2_contingency(counts, correction=False, lambda_=lambda_)
            statistic, freedom = statistic + found.statistic, freedom + found.dof
    return statistic, freedom


@pytest.mark.parametrize(("made", "lambda_"), [(GSquare, "log-likelihood"), (ChiSquare, "pearson")])
@pytest.mark.parametrize("z", [[], ["C"], ["C", "D"], ["C", "D", "E"]])
def test_statistic_and_freedom_are_those_of_scipy_within_strata(made, lambda_, z):
    table, test = frame(), made(frame(), min_rows=0)
    found = test.measure(*test.positions("A", "B")[:2], [test.positions("A", "B", z)[2]])
    statistic, freedom = twin(table, "A", "B", z, lambda_)
    assert found.statistics[0] == pytest.approx(statistic, rel=1e-10) and found.freedoms[0] == freedom
    assert test("A", "B", z).p_value == pytest.approx(chi2.sf(statistic, freedom), rel=1e-8)


@pytest.mark.parametrize(("made", "name"), [(GSquare, "gsq"), (ChiSquare, "chisq")])
def test_p_values_are_those_of_causal_learn(made, name):
    cit = pytest.importorskip("causallearn.utils.cit", reason="causal-learn is not installed")
    test = made(frame(300), min_rows=0)
    theirs, rng = cit.CIT(test.codes.T.astype(int), name), np.random.default_rng(1)
    for _ in range(60):
        x, y, *z = rng.permutation(5)[: int(rng.integers(2, 6))].tolist()
        assert test(x, y, z).p_value == pytest.approx(theirs(x, y, z), abs=1e-8)


def test_more_strata_than_rows_are_counted_as_well():
    """So many combinations that only those that occur are numbered; the kernel knows both ways."""
    rng = np.random.default_rng(3)
    table = pd.DataFrame({name: LETTERS[rng.integers(4, size=500)] for name in "ABCDEFGH"})
    test = GSquare(table, min_rows=0, williams=False)
    z = list("CDEFGH")
    assert len(table) < 4**6
    statistic, freedom = twin(table, "A", "B", z, "log-likelihood")
    found = test.measure(0, 1, [(2, 3, 4, 5, 6, 7)])
    assert (found.statistics[0], found.freedoms[0]) == (pytest.approx(statistic, rel=1e-10), freedom)


@pytest.mark.parametrize("gaps", [False, True])
def test_sets_of_rows_count_what_codes_count_to_the_last_digit(gaps):
    """Of 3,000 rows small tables are counted by the bits of their levels; without these places the rows are gone through."""
    table, rng = frame(3000), np.random.default_rng(4)
    if gaps:
        table = table.mask(rng.random(table.shape) < 0.1)
    test = GSquare(table)
    nowhere = np.full(5, -1)
    nowhere.setflags(write=False)
    by_codes = test.evidence._replace(places=nowhere)
    pairs, sets = [(0, 1), (2, 4)], [(), (3,), (1, 3), (0, 1, 3)]
    for x, y in pairs:
        asked = [tuple(v for v in z if v not in (x, y)) for z in sets]
        x_, y_ = np.full(len(asked), x), np.full(len(asked), y)
        (by_bits, whole), (plain, same) = (kernel.tables_of(each, x_, y_, *flat_rows(asked)) for each in (test.evidence, by_codes))
        assert by_bits.tobytes() == plain.tobytes() and (whole == same).all()


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("williams", [False, True])
def test_rows_in_order_give_what_cells_give_to_the_last_digit(gaps, williams):
    """Where cells are far more than rows, the rows are sorted; the cells would say the same."""
    rng = np.random.default_rng(8)
    codes = np.where(rng.random((7, 300)) < 0.3, rng.integers(12, size=300), rng.integers(12, size=(7, 300))).T
    table = pd.DataFrame(codes.astype(str), columns=list("ABCDEFG"))
    counts = GSquare(table.mask(rng.random(table.shape) < 0.1) if gaps else table, min_rows=0, williams=williams).evidence
    by_row, by_cell, many = (plain_of(each.py_func) for each in (kernel._table_by_row, kernel._table_by_cell, kernel._many_cells))
    for given in ((), (2,), (2, 3), (2, 3, 4), (2, 3, 4, 5, 6)):
        question = (counts, 0, 1, np.array(given, dtype=np.int64))
        found = by_row(*question)
        assert found == by_cell(*question, many(*question)) and found[4] > 0


def test_a_part_of_a_test_counts_the_rows_of_its_own_levels():
    table = frame(3000)
    table["F"] = np.array([f"level {i}" for i in np.random.default_rng(6).integers(40, size=3000)])
    test = GSquare(table)
    assert test._places[test.positions("A", "F")[1]] == -1  # too many levels
    part = test.among(test.positions("E", "A", ["F", "C"])[2] + test.positions("E", "A")[:2])
    for z in ([], ["C"], ["F"]):
        assert part("A", "E", z) == test("A", "E", z)


def test_williams_factor_is_that_of_the_formula():
    table = frame()
    counts = pd.crosstab(table["A"], table["B"]).to_numpy()
    n, rows, columns = counts.sum(), counts.sum(axis=1), counts.sum(axis=0)
    factor = 1 + (n * (1 / rows).sum() - 1) * (n * (1 / columns).sum() - 1) / (6 * n * (len(rows) - 1) * (len(columns) - 1))
    plain, corrected = (GSquare(table, williams=each).measure(0, 1, [()]).statistics[0] for each in (False, True))
    assert corrected == pytest.approx(plain / factor, rel=1e-12) and factor > 1


def test_with_gaps_a_test_is_that_of_its_complete_rows():
    table = frame(600)
    rng = np.random.default_rng(5)
    for name in table:
        table.loc[rng.random(600) < 0.1, name] = None
    test = GSquare(table)
    for z in ([], ["C"], ["C", "E"]):
        complete = table.dropna(subset=["A", "B", *z])
        assert test("A", "B", z).p_value == pytest.approx(GSquare(complete)("A", "B", z).p_value, rel=1e-12)
        assert test.measure(0, 1, [test.positions("A", "B", z)[2]]).rows[0] == len(complete)


def test_too_few_rows_per_degree_of_freedom_are_answered_as_set():
    few = frame(40)
    for untestable in ("dependent", "independent"):
        test = GSquare(few, untestable=untestable)
        verdict = test("A", "B", ["C", "D", "E"])
        assert verdict.independent == (untestable == "independent") and verdict.p_value == float(verdict.independent)
    assert GSquare(few, min_rows=0)("A", "B", ["C", "D", "E"]).p_value not in (0.0, 1.0)


def test_a_function_of_what_is_given_is_answered_as_set():
    table = frame(500)
    table["F"] = table["A"] + table["B"]
    for determined in ("dependent", "independent"):
        test = GSquare(table, determined=determined)
        assert test("C", "F", ["A", "B"]).independent == (determined == "independent")
        assert not test("B", "F").independent and not test("B", "F", ["A"]).independent


def test_critical_values_beyond_the_table_are_right_to_six_digits():
    counts = GSquare(frame()).evidence._replace(critical=np.array([np.inf]))
    for freedom in (5001, 20_000):
        assert kernel._critical.py_func(counts, freedom) == pytest.approx(chi2.isf(0.01, freedom), rel=1e-6)


def test_logarithms_of_p_values_go_on_where_they_underflow():
    freedoms, values = np.array([2, 4, 10, 4]), np.array([1500.0, 3000.0, 2000.0, 7.0])
    terms = [log(sum((x / 2) ** i / factorial(i) for i in range(k // 2))) for k, x in zip(freedoms.tolist(), values.tolist(), strict=True)]
    assert log_survival(freedoms, values) == pytest.approx(terms - values / 2, rel=1e-9)
    assert (np.diff(log_survival(np.full(5, 6), np.linspace(1000, 9000, 5))) < 0).all()


def test_numbers_are_categories_if_they_are_few():
    codes = np.random.default_rng(0).integers(3, size=(200, 3))
    assert GSquare(codes).levels.tolist() == [3, 3, 3]
    wide = pd.DataFrame({"A": np.arange(200) * 1.5 % 31, "B": codes[:, 0]})
    with pytest.raises(InvalidData, match="'A' has 62 different numbers, and a test by counting needs categories"):
        GSquare(wide)


@pytest.mark.parametrize(
    ("settings", "told"),
    [({"alpha": 2}, "alpha"), ({"min_rows": -1}, "min_rows is -1"), ({"untestable": "maybe"}, "it may be 'dependent' or 'independent'")],
)
def test_settings_are_checked(settings, told):
    with pytest.raises(InvalidSetting, match=told):
        GSquare(frame(), **settings)


def test_blankets_do_not_condition_on_everything_where_counts_cannot_carry_it():
    assert "IAMB" in AutoBlankets().settled(GSquare(frame(1500, levels=(4,) * 5)))[1]
    assert "total conditioning" in AutoBlankets().settled(GSquare(frame(1500, levels=(2,) * 4)))[1]


@pytest.mark.parametrize("decompose", [True, False])
@pytest.mark.parametrize("learner", LEARNERS)
def test_every_learner_takes_it(learner, decompose):
    found = discover(GSquare(frame(2000)), learner, decompose=decompose)
    assert {(edge.u, edge.v) for edge in found.pag.edges()} == {("A", "B"), ("B", "C"), ("C", "D"), ("D", "E")}


def test_it_is_found_by_name_and_its_settings_are_recorded():
    model = DiCoLa(ci_test="g_square", alpha=0.05).fit(frame())
    record = model.discovery_.settings["test"]
    assert record["name"] == "GSquare" and record["min_rows"] == 5.0 and not record["williams"]
    assert DiCoLa.from_record(model.discovery_.settings).fit(frame()).pag_ == model.pag_


def test_a_copy_answers_alike():
    test = GSquare(frame())
    copy = pickle.loads(pickle.dumps(test))
    assert copy("A", "B", ["C"]) == test("A", "B", ["C"]) and not copy.codes.flags.writeable
