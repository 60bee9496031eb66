"""Algebra of correlations: copies, dependences, scales, labelled matrices."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from dicola import FisherZ, InvalidData, look, simulate
from tests.tables.examples import frame, refused


def test_copies_are_named_also_scaled_shifted_and_turned():
    data = frame()
    for copy in (data["b"], 2 * data["b"] - 7, -data["b"]):
        refused(data.assign(d=copy), "'b'", "'d'", "copies")


def test_collinear_columns_are_named():
    data = frame()
    message = refused(data.assign(total=data["a"] + data["c"], d=np.random.default_rng(2).normal(size=50)), "collinear", "'total'")
    assert "'a'" in message and "'c'" in message and "'d'" not in message and "'b'" not in message


def test_of_two_dependences_one_is_named_whole_and_no_other_column():
    data = pd.DataFrame(np.random.default_rng(5).normal(size=(80, 8)), columns=list("abcdefgh"))
    data = data.assign(b=data["a"] - 2 * data["c"], h=data["f"] + data["g"] / 3)
    message = refused(data, "collinear")
    named = {name for name in data if repr(name) in message}
    assert named in ({"a", "b", "c"}, {"f", "g", "h"})


def test_shares_that_add_up_to_one_are_collinear():
    parts = np.random.default_rng(3).dirichlet(np.ones(4), size=80)
    refused(parts, "collinear", "'X1'", "'X4'")


def test_nearly_collinear_columns_are_let_in():
    data = frame()
    FisherZ(data.assign(d=data["a"] + 1e-3 * np.random.default_rng(4).normal(size=50)))


def test_a_labelled_covariance_matrix_brings_its_names():
    data = frame()
    named = FisherZ.from_covariance(data[["c", "a", "b"]].cov(), n_samples=50)
    assert named.names == ("c", "a", "b")
    assert np.allclose(named.correlation, FisherZ(data).correlation)
    assert FisherZ.from_covariance(data.cov(), n_samples=50, names="xyz").names == ("x", "y", "z")
    with pytest.raises(InvalidData, match="different names"):
        FisherZ.from_covariance(data.cov().iloc[::-1], n_samples=50)


@pytest.mark.parametrize("value", [5e-324, 1e-310, 1e-160, 1e160, 1.7e308])
def test_extreme_scales_neither_overflow_nor_underflow(value):
    rare = np.zeros(50)
    rare[-1] = 1.0
    plain, scaled = FisherZ(frame(d=rare)), FisherZ(frame(d=rare * value))
    assert np.allclose(plain.correlation, scaled.correlation, rtol=0, atol=1e-12)


@pytest.mark.parametrize("noise", [3e-5, 2e-5, 1e-5, 5e-6])
def test_a_near_copy_names_the_two_columns_and_no_innocents(noise):
    named = 0
    for seed in range(10):
        rng = np.random.default_rng([seed, 8])
        data = simulate.linear_gaussian(simulate.er_dag(8, 3, seed=seed), 300, seed=seed)
        data["copy"] = data["X3"] + noise * rng.normal(size=300)
        try:
            FisherZ(data)
        except InvalidData as error:
            named += 1
            assert set(re.findall("'([^']+)'", str(error))) == {"X3", "copy"}
        told = [finding for finding in look(data).findings if finding.what in ("function", "copy", "near_copy")]
        assert [re.findall("'([^']+)'", finding.sentence) for finding in told] in ([["copy", "X3"]], [["X3", "copy"]])
    assert named >= 5
