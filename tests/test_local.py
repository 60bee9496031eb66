"""Around one variable: exactly what the whole PAG has there, from perfect answers; with fewer tests, from data."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from dicola import DAG, FCI, MAG, CallableTest, FisherZ, InvalidSetting, LocalDiscovery, Oracle, discover, local, mag_to_pag, simulate
from dicola.errors import DicolaError
from dicola.graphs.mag import require_valid
from dicola.graphs.marks import ARROW, TAIL
from dicola.graphs.pag import PAG
from dicola.learners.fci_plus import FCIPlus
from tests.exactness.run import hidden_dag
from tests.exactness.test_textbook_graphs import EX4, EX5, EX6
from tests.reference_models import names, random_large_mag


def edges_of(pag: PAG, target: str) -> set[str]:
    return {str(edge) for edge in pag.edges() if target in (edge.u, edge.v)}


def faults(test: Oracle, truth: PAG, target: str, **settings: object) -> list[str]:
    """Whatever of a local run is not as it says: the edges of the target, and what is claimed elsewhere."""
    found = local(test, target, **settings)
    wrong = [] if {str(edge) for edge in found.edges} == edges_of(truth, target) else [f"around {target}: {found}"]
    true = truth.marks[np.ix_([truth.index(v) for v in found.pag.names], [truth.index(v) for v in found.pag.names])]
    claimed = found.pag.marks
    if ((claimed == ARROW) & (true != ARROW)).any() or ((claimed == TAIL) & (true != TAIL)).any():
        wrong.append(f"from {target}: a mark that does not hold")
    visited = [found.pag.index(v) for v in found.visited]
    if ((claimed[visited] == 0) != (true[visited] == 0)).any() or ((claimed != 0) & (true == 0)).any():
        wrong.append(f"from {target}: edges of a visited variable that differ")
    wrong += [f"{x} and {y} are not separated by {z}" for (x, y), z in found.separating_sets.items() if not test(x, y, z).independent]
    return wrong


def test_the_edges_and_marks_of_the_target_are_those_of_the_true_pag_in_random_dags_with_hidden_variables():
    for number in range(1000):
        dag, hidden = hidden_dag(61, number, most_observed=6 if number % 5 else 8)
        test, truth = Oracle(dag, hidden), dag.true_pag(hidden)
        assert [fault for target in test.names for fault in faults(test, truth, target)] == [], number


def test_so_they_are_in_mags_rich_in_hidden_causes():
    for number in range(150):
        rng = np.random.default_rng([62, number])
        n = int(rng.integers(5, 9))
        mag = MAG.from_matrix(random_large_mag(rng, n, float(rng.uniform(0.05, 0.3)), float(rng.uniform(0.1, 0.4))), names(n))
        test, truth = Oracle(mag), mag_to_pag(mag)
        assert [fault for target in test.names for fault in faults(test, truth, target)] == [], number


def grown_from(mag: MAG, rng: np.random.Generator) -> MAG | None:
    """The MAG with one to three vertices more; ``None`` if what comes of it is none."""
    n, more = len(mag), int(rng.integers(1, 4))
    text = str(mag)
    for v in range(n, n + more):
        for w in range(v):
            if rng.random() < 0.4:
                text += f"; {w} {rng.choice(['-->', '<--', '<->'], p=[0.6, 0.2, 0.2])} {v}"
    try:
        grown = MAG.from_text(text, nodes=[str(v) for v in range(n + more)])
        require_valid(grown)
    except DicolaError:
        return None
    return grown


def test_edges_that_no_set_of_neighbours_removes_are_removed_inside_a_blanket(monkeypatch):
    removed = []
    separator = FCIPlus.separator
    monkeypatch.setattr(FCIPlus, "separator", lambda *given: removed.append(found := separator(*given)) or found)
    rng = np.random.default_rng(63)
    grown = [mag for mag in (grown_from(base, rng) for _ in range(60) for base in (EX5, EX6)) if mag is not None]
    assert len(grown) > 30
    for mag in grown:
        test, truth = Oracle(mag), mag_to_pag(mag)
        assert [fault for target in test.names for fault in faults(test, truth, target)] == [], str(mag)
    assert sum(found[0] is not None for found in removed) > 10  # such edges lie outside blankets as a rule; some of these do not


def test_the_textbook_graphs():
    assert [str(edge) for edge in local(Oracle(EX4), "T").edges] == ["T o-> A"]
    found = local(Oracle(EX6), "5")
    assert (found.causes, found.effects, found.siblings, found.undetermined) == (("3", "4"), (), ("0",), ())


@pytest.mark.parametrize("blankets", ["grow_shrink", "iamb"])
def test_every_blanket_learner_gives_the_true_edges(blankets):
    for number in range(40):
        dag, hidden = hidden_dag(64, number, most_observed=7)
        test, truth = Oracle(dag, hidden), dag.true_pag(hidden)
        assert [fault for target in test.names for fault in faults(test, truth, target, blankets=blankets)] == [], number


def chain(n: int) -> DAG:
    return DAG.from_edges([("Cause", "A"), ("Other", "A"), *((f"A{'' if i == 0 else i}", f"A{i + 1}") for i in range(n))])


def test_the_search_stops_as_soon_as_no_variable_could_decide_a_further_mark():
    found = local(Oracle(chain(40)), "A1")
    assert (found.causes, found.effects, found.undetermined) == (("A",), ("A2",), ())
    assert len(found.visited) <= 3 and found.n_variables == 43 and len(found.pag) < 8


def test_blanket_tests_are_those_of_the_visited_variables_and_each_pair_is_asked_once():
    found = local(Oracle(chain(12)), "A")
    n, visits = found.n_variables, len(found.visited)
    assert found.tests["blankets"] == sum(n - 1 - i for i in range(visits))
    assert found.tests["total"] == found.tests["blankets"] + found.tests["leaves"] and found.tests["orientation"] == 0


def test_every_verdict_computed_is_counted_and_none_computed_twice():
    dag, hidden = hidden_dag(65, 3)
    oracle = Oracle(dag, hidden)
    asked = []

    def ask(x: str, y: str, z: tuple[str, ...]) -> bool:
        asked.append((frozenset((x, y)), frozenset(z)))
        return oracle(x, y, z).independent

    found = local(CallableTest(ask, names=oracle.names), oracle.names[0])
    assert len(asked) == len(set(asked)) == found.tests["total"]


def test_a_bound_on_the_visits_is_kept_and_told():
    whole, one = (local(Oracle(EX6), "1", max_visited=limit) for limit in (None, 1))
    assert len(whole.visited) > 1 and whole.warnings == ()
    assert one.visited == ("1",) and "max_visited" in one.warnings[0]
    assert one.neighbours == whole.neighbours


def test_a_bound_on_the_sets_is_kept_and_told():
    dag, hidden = hidden_dag(66, 1)
    found = local(Oracle(dag, hidden), "V1", max_condition_size=0)
    assert any("max_condition_size" in warning for warning in found.warnings)


def table(seed: int, n: int = 2000) -> tuple[pd.DataFrame, list[str]]:
    """ER(50, 3) with five hidden variables, and the quarter of the others with the most neighbours."""
    dag = simulate.er_dag(50, 3, seed=seed)
    hidden = simulate.hide(dag, 5, seed=seed)
    pag = dag.true_pag(hidden)
    degree = (pag.marks > 0).sum(axis=1)
    busy = [name for name, d in zip(pag.names, degree, strict=True) if d >= np.quantile(degree, 0.75)]
    return simulate.linear_gaussian(dag, n, seed=seed).drop(columns=list(hidden)), busy


def test_with_data_it_takes_fewer_tests_than_dicola_and_fci():
    ours, dicola, fci = [], [], []
    for seed in range(3):
        frame, busy = table(seed)
        test = FisherZ(frame)
        ours.append(local(test, busy[seed % len(busy)]).tests["total"])
        dicola.append(discover(test, stop="paper").tests["total"])
        fci.append(discover(test, FCI(max_possible_dsep_size=2), decompose=False).tests["total"])
    assert np.mean(ours) < np.mean(dicola) < np.mean(fci)


def test_permuting_the_columns_of_a_named_table_changes_nothing():
    frame, busy = table(2, n=300)
    base = local(FisherZ(frame), busy[0])
    order = np.random.default_rng(0).permutation(frame.shape[1])
    other = local(FisherZ(frame[[frame.columns[i] for i in order]]), busy[0])
    assert other == base and other.visited == base.visited and hash(other) == hash(base)


def test_the_result_speaks_and_is_written(tmp_path):
    found = local(Oracle(DAG.from_edges([("Rain", "Wet"), ("Hose", "Wet"), ("Wet", "Slip"), ("L", "Slip"), ("L", "Fall")]), ["L"]), "Slip")
    assert isinstance(found, LocalDiscovery)
    assert str(found).splitlines()[:4] == [
        "direct causes of Slip: Wet",
        "direct effects of Slip: none",
        "sharing a hidden cause with Slip: none",
        "undetermined: Fall",
    ]
    assert "Fall o-> Slip" in str(found) and "visited" in found.summary()
    found.write(tmp_path / "out")
    assert json.loads((tmp_path / "out/local.json").read_text()) == json.loads(found.to_json())
    assert json.loads(found.to_json())["causes"] == ["Wet"]
    assert PAG.read(tmp_path / "out/pag.csv") == found.pag == PAG.read(tmp_path / "out/pag.json")
    assert found.neighbours == ("Wet", "Fall")


def test_a_variable_without_neighbours_is_told_so():
    dag = DAG.from_edges([("A", "B")], nodes=["A", "B", "C"])
    found = local(Oracle(dag), "C")
    assert found.neighbours == () and str(found) == "Nothing is adjacent to C." and found.visited == ("C",)
    assert local(Oracle(DAG.from_edges([], nodes=["A"])), "A").tests["total"] == 0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"target": "wet"}, "Did you mean 'Wet'"),
        ({"target": "Wett"}, "Did you mean 'Wet'"),
        ({"target": "Unlike"}, "not among the variables. They are"),
        ({"target": "Wet", "max_visited": 0}, "max_visited is 0"),
        ({"target": "Wet", "max_visited": True}, "max_visited is True"),
        ({"target": "Wet", "max_condition_size": -1}, "max_condition_size is -1"),
        ({"target": "Wet", "blankets": "rug"}, "not a blanket learner"),
    ],
    ids=str,
)
def test_what_cannot_be_is_told_in_a_sentence(settings, message):
    with pytest.raises(InvalidSetting, match=message):
        local(Oracle(DAG.from_edges([("Rain", "Wet")])), **settings)


def test_a_table_is_no_test():
    with pytest.raises(InvalidSetting, match="FisherZ"):
        local(pd.DataFrame({"A": [1.0, 2.0]}), "A")
