"""Every learner finds from a perfect test what it promises, alone and under DiCoLa, and works with every other kind of test."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from dicola import PAG, CallableTest, FisherZ, Ledger, Oracle, discover, simulate
from dicola.learners.registry import LEARNERS
from tests.exactness import learners as exactness
from tests.exactness.learners import (
    CHUNK,
    COMPLETE,
    EX4,
    EX5,
    EX6,
    WAYS,
    Tally,
    check,
    check_chunk,
    insufficient_truth,
    main,
    random_truth,
    run_released,
)
from tests.exactness.run import hidden_dag

EXAMPLES = {
    "EX4": (EX4, "T o-> A; A <-> B; X o-> B"),
    "EX5": (EX5, "3 o-> 0; 0 --> 4; 3 o-> 2; 2 --> 1; 0 <-> 1; 2 <-> 4"),
    "EX6": (EX6, "0 --> 1; 2 o-> 0; 0 <-> 5; 2 --> 1; 1 <-> 3; 2 o-> 3; 4 o-> 3; 3 --> 5; 4 --> 5"),
}
CHUNKS = 20  # of 100 graphs


def test_the_complete_learners_are_these_four():
    assert COMPLETE == ("fci", "fci+", "icd", "l-marvel")


@pytest.mark.parametrize("chunk", range(CHUNKS))
@pytest.mark.parametrize("learner", COMPLETE)
def test_a_complete_learner_finds_the_true_pag_and_valid_sets_alone_and_under_dicola(learner, chunk):
    found = check_chunk(1, chunk * CHUNK, (chunk + 1) * CHUNK, [learner])
    assert found == {(learner, way): Tally(CHUNK) for way in WAYS}


@pytest.mark.parametrize("chunk", range(4))
@pytest.mark.parametrize("learner", COMPLETE)
def test_so_it_does_where_sets_of_neighbours_are_not_enough(learner, chunk):
    for number in range(chunk * 50, (chunk + 1) * 50):
        for decompose in WAYS.values():
            assert check(learner, decompose, insufficient_truth(2, number)) == Tally(1)


def test_the_families_hold_what_their_names_promise():
    hidden, bidirected = [random_truth(1, k) for k in range(0, 200, 2)], [random_truth(1, k) for k in range(1, 200, 2)]
    assert all(1 <= len(truth.latents) <= 4 and 4 <= len(truth.mag) <= 9 for truth in hidden)
    assert all(not truth.latents and 4 <= len(truth.mag) <= 9 and truth.mag.invalid() is None for truth in bidirected)
    assert np.mean([share_of_bidirected(truth.mag.marks) for truth in bidirected]) > 0.5


def share_of_bidirected(marks: np.ndarray) -> float:
    double = ((marks == 2) & (marks.T == 2)).sum()
    return float(double / max((marks != 0).sum(), 1))


@pytest.mark.parametrize("decompose", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("learner", COMPLETE)
@pytest.mark.parametrize("name", EXAMPLES)
def test_the_examples_worked_out_by_hand_are_found(name, learner, decompose):
    mag, text = EXAMPLES[name]
    found = discover(Oracle(mag), learner, decompose=decompose)
    assert found.pag == PAG.from_text(text, nodes=mag.names)
    if name != "EX4":
        edge, only = {"EX5": (("1", "4"), "023"), "EX6": (("1", "5"), "0234")}[name]
        assert found.skeleton.separating_set(*edge) == tuple(only)


def has_released(root: Path) -> Path:
    if not (root / "released").is_dir():
        pytest.skip("the released graphs are not among the reference data")
    return root


@pytest.mark.parametrize("learner", COMPLETE)
@pytest.mark.parametrize("case", ["mildew/1", "mildew/2", "mildew/3", "andes/2"])
def test_the_released_pag_is_found_by_every_complete_learner(data_root, case, learner):
    found, truth = run_released(has_released(data_root), case, learner)
    assert found.pag == truth and not found.warnings


@pytest.mark.parametrize(("case", "learner"), [("andes/1", "fci+"), ("andes/3", "icd"), ("andes/1", "l-marvel")])
def test_the_large_released_pags_are_found_as_well(data_root, case, learner):
    found, truth = run_released(has_released(data_root), case, learner)
    assert found.pag == truth and not found.warnings


def test_the_command_counts_by_learner_and_way_and_succeeds():
    said: list[str] = []
    assert main(["12", "--seed", "3"], said.append) == 0
    assert len(said) == len(LEARNERS) * len(WAYS)
    for name, way in [(name, way) for name in LEARNERS for way in WAYS]:
        assert any(line.startswith(f"{name:<10}{way:<8}") and "     12 graphs checked, 0 wrong" in line for line in said)


@pytest.mark.parametrize("bad", ["fci", "fci+", "icd", "l-marvel", "pc"])
def test_the_command_fails_where_a_learner_does(monkeypatch, bad):
    honest = exactness.discover

    def forgetful(test, learner, **settings):
        found = honest(test, learner, **settings)
        if learner != bad:
            return found
        empty = PAG.from_matrix(np.zeros((len(found.pag), len(found.pag)), dtype=np.int8), found.pag.names)
        return type(found)(empty, found.skeleton, found.tree, found.tests, found.settings)

    monkeypatch.setattr(exactness, "discover", forgetful)
    said: list[str] = []
    assert main(["6", "--seed", "3"], said.append) == 1
    assert [line.split()[0] for line in said if "graphs checked" in line and " 0 wrong" not in line] == [bad, bad]


def test_the_command_runs_as_a_process_of_its_own_with_workers():
    command = [sys.executable, "-m", "tests.exactness.learners", "4", "--jobs", "2"]
    done = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("4 graphs checked, 0 wrong") == len(LEARNERS) * len(WAYS)


def test_the_command_fails_where_nothing_was_checked():
    assert main([], lambda text: None) == 1


def test_the_command_runs_the_released_graphs_and_names_those_that_took_too_long(monkeypatch, data_root):
    has_released(data_root)
    said: list[str] = []
    monkeypatch.setenv("DICOLA_DATA", str(data_root))
    monkeypatch.setattr(exactness, "RELEASED", ("mildew/1",))
    monkeypatch.setattr(exactness, "RELEASED_SECONDS", 0)
    assert main(["--released"], said.append) == 0
    assert len(said) == len(COMPLETE) and all("exact" in line and "over the limit of 0" in line for line in said)


def gaussian_frame(seed: int, rows: int = 400):
    dag, latents = hidden_dag(31, seed)
    return simulate.linear_gaussian(dag, rows, seed=seed).drop(columns=list(latents))


def kinds_of_test(seed: int) -> dict[str, object]:
    """The same question asked of rows, of a covariance, of a function with p-values and of one that says yes or no."""
    frame = gaussian_frame(seed)
    fisher = FisherZ(frame, alpha=0.05)
    covariance = FisherZ.from_covariance(np.cov(frame.to_numpy(), rowvar=False), len(frame), names=list(frame), alpha=0.05)
    return {
        "rows": fisher,
        "covariance": covariance,
        "p-values": CallableTest(lambda x, y, z: fisher(x, y, z).p_value, names=list(frame), alpha=0.05),
        "yes or no": CallableTest(lambda x, y, z: fisher(x, y, z).independent, names=list(frame)),
    }


@pytest.mark.parametrize("decompose", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("learner", LEARNERS)
def test_every_learner_works_with_every_kind_of_test_and_separates_every_pair_it_does_not_join(learner, decompose):
    for seed in range(6):
        tests = kinds_of_test(seed)
        found = {kind: discover(test, learner, "paper", decompose) for kind, test in tests.items()}
        confirmed = {f"{kind}, confirmed": discover(test, learner, decompose=decompose) for kind, test in tests.items()}
        for kind, discovery in (found | confirmed).items():
            skeleton = discovery.skeleton
            n = len(skeleton.names)
            assert len(skeleton.separating_sets()) + skeleton.n_edges == n * (n - 1) // 2, (seed, kind)
            assert {frozenset((a, b)) for a, _, b in edges(discovery.pag)} == skeleton.named_edges(), (seed, kind)
        assert found["rows"].pag == found["covariance"].pag and found["rows"].tests == found["covariance"].tests
        assert found["rows"].pag == found["p-values"].pag and found["rows"].skeleton == found["p-values"].skeleton


def edges(pag: PAG) -> list[tuple[str, str, str]]:
    return [(pag.names[a], "-", pag.names[b]) for a, b in pag.pairs()]


@pytest.mark.parametrize("learner", ["fci", "rfci", "fci+", "icd", "lfci", "pc"])
def test_alone_every_recorded_set_was_found_independent_by_the_test(learner):
    for seed in range(12):
        test = FisherZ(gaussian_frame(seed), alpha=0.05)
        for (x, y), z in discover(test, learner, decompose=False).skeleton.separating_sets().items():
            assert test(x, y, z).independent, (seed, x, y, z)


@pytest.mark.parametrize("decompose", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("learner", LEARNERS)
def test_the_number_of_workers_changes_no_byte_of_the_written_answer(tmp_path, learner, decompose):
    for seed in range(3):
        test = FisherZ(gaussian_frame(seed), alpha=0.05)
        folders = [
            discover(test, learner, decompose=decompose, n_jobs=jobs).write(tmp_path / f"{seed}-{decompose}-{jobs}") for jobs in (1, 2)
        ]
        for file in sorted(path.name for path in folders[0].iterdir()):
            if file not in ("timing.json", "report.html"):  # both tell seconds
                assert (folders[0] / file).read_bytes() == (folders[1] / file).read_bytes(), file


@pytest.mark.parametrize("learner", LEARNERS)
def test_the_order_of_the_columns_changes_nothing_and_a_second_run_gives_the_same(learner):
    for seed in range(4):
        frame = gaussian_frame(seed)
        turned = frame[list(np.random.default_rng(seed).permutation(list(frame)))]
        for decompose in WAYS.values():
            one, again, other = (discover(FisherZ(f, alpha=0.05), learner, decompose=decompose) for f in (frame, frame, turned))
            assert one == again
            assert one.pag == other.pag and one.skeleton == other.skeleton and one.tests == other.tests


@pytest.mark.parametrize("learner", LEARNERS)
def test_one_and_two_variables_are_no_trouble(learner):
    for decompose in WAYS.values():
        for text in ("A --> B", "A <-> B"):
            found = discover(Oracle(type(EX4).from_text(text)), learner, decompose=decompose)
            assert str(found.pag) == "A o-o B"
        single = discover(Oracle(type(EX4).from_text("", nodes="A")), learner, decompose=decompose)
        assert len(single.pag) == 1 and single.tests["total"] == 0
        apart = discover(Oracle(type(EX4).from_text("", nodes="ABC")), learner, decompose=decompose)
        assert apart.pag.n_edges == 0 and apart.skeleton.separating_set("A", "C") == ()


@pytest.mark.parametrize("learner", LEARNERS)
def test_tests_are_booked_under_the_three_phases_and_blankets_cost_k_choose_two_at_the_root(learner):
    dag, latents = hidden_dag(31, 5)
    counts = discover(Oracle(dag, latents), learner).tests
    n = len(Oracle(dag, latents))
    assert set(counts) == {"blankets", "leaves", "orientation", "total"} and counts["blankets"] >= n * (n - 1) // 2
    assert counts["total"] == counts["blankets"] + counts["leaves"] + counts["orientation"]


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_learner_asked_about_some_variables_speaks_of_those_only(learner):
    for number in range(20):
        dag, latents = hidden_dag(37, number)
        oracle = Oracle(dag, latents)
        rng = np.random.default_rng(number)
        chosen = sorted(rng.choice(len(oracle), size=len(oracle) - 1, replace=False).tolist())
        skeleton = LEARNERS[learner]().learn_skeleton(Ledger(oracle), chosen)
        assert skeleton.variables == tuple(chosen) and len(skeleton.names) == len(chosen)
        truth = oracle.graph.true_mag([name for name in dag.names if name not in skeleton.names])
        missed = [(a, b) for a, b in truth.pairs() if not skeleton.adjacent(truth.names[a], truth.names[b])]
        assert missed == []
        if learner in COMPLETE:
            assert skeleton.n_edges == len(list(truth.pairs()))
