"""A learner whose package is missing says how to install it."""

from __future__ import annotations

import sys

import pytest

from dicola import DAG, MissingExtra, Oracle, discover
from dicola.extras import from_extra
from dicola.learners.adapters.causal_learn import CausalLearnFCI
from dicola.learners.adapters.rcd import RcdLMarvel

CHAIN = Oracle(DAG.from_edges([("A", "B"), ("B", "C")]))


@pytest.mark.parametrize(
    ("learner", "module", "package"),
    [(CausalLearnFCI(), "causallearn.utils.FAS", "causal-learn"), (RcdLMarvel(), "rcd.l_marvel.l_marvel", "rcd")],
)
def test_a_missing_package_is_named_with_the_command_that_installs_it(learner, module, package, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)  # what is None there cannot be imported
    with pytest.raises(MissingExtra, match=rf"needs {package} .*; install it with: pip install {package}$"):
        discover(CHAIN, learner)


def test_a_package_that_does_not_exist_is_missing():
    with pytest.raises(MissingExtra, match=r"needs nothing like it \(No module named 'no_such_peer'\); install it with"):
        from_extra("no_such_peer.module", "nothing like it")


def test_warnings_of_a_first_import_stay_inside(tmp_path, monkeypatch):
    (tmp_path / "peer_that_warns.py").write_text("import warnings\nwarnings.warn('old', DeprecationWarning)\nvalue = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert from_extra("peer_that_warns", "a peer").value == 1
    monkeypatch.delitem(sys.modules, "peer_that_warns")
