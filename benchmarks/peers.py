"""The other tools, each as a function from a table to seconds; those that are not installed are left out."""

from __future__ import annotations

import contextlib
import io
import multiprocessing
import os
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from queue import Empty
from time import perf_counter

import pandas as pd

ALPHA = 0.01
Run = Callable[[pd.DataFrame], float]


def causal_learn_fci(table: pd.DataFrame) -> float:
    """FCI of causal-learn with adjacency sets of at most four variables (its limit does not reach Possible-D-Sep)."""
    from causallearn.search.ConstraintBased.FCI import fci

    values = table.to_numpy()
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = perf_counter()
        fci(values, independence_test_method="fisherz", alpha=ALPHA, depth=4, verbose=False, show_progress=False)
        return perf_counter() - start


def rcd_l_marvel(table: pd.DataFrame) -> float:
    """L-MARVEL of rcd with its own Fisher-Z test."""
    from rcd import l_marvel
    from rcd.utilities import ci_tests

    def test(x: int, y: int, given: list[int], data) -> bool:
        return ci_tests.fisher_z(x, y, given, data, significance_level=ALPHA)

    columns = table.reset_index(drop=True)
    columns.columns = range(columns.shape[1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = perf_counter()
        l_marvel.learn_and_get_skeleton(test, columns)
        return perf_counter() - start


def pcalg_rfci(table: pd.DataFrame) -> float:
    """RFCI of pcalg with its C++ skeleton search, through Rscript; seconds as R measures them."""
    script = (
        "suppressMessages(library(pcalg)); d <- as.matrix(read.csv(commandArgs(TRUE)[1]));"
        "s <- list(C = cor(d), n = nrow(d));"
        "t <- system.time(rfci(s, gaussCItest, alpha = 0.01, labels = colnames(d), skel.method = 'stable.fast'))['elapsed']; cat(t)"
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        table.to_csv(path, index=False)
        done = subprocess.run(["Rscript", "-e", script, str(path)], capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1])


def tetrad_fci(table: pd.DataFrame) -> float:
    """Tetrad's FCI through the causal-cmd jar named by DICOLA_TETRAD_JAR; the start of the JVM is in its seconds."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        table.to_csv(path, index=False)
        command = ["java", "-jar", os.environ["DICOLA_TETRAD_JAR"], "--algorithm", "fci", "--test", "fisher-z-test", "--alpha", str(ALPHA)]
        command += ["--dataset", str(path), "--delimiter", "comma", "--data-type", "continuous", "--out", folder]
        start = perf_counter()
        subprocess.run(command, capture_output=True, check=True)
        return perf_counter() - start


def within(seconds: float, run: Run, table: pd.DataFrame) -> tuple[float, bool]:
    """Seconds of a run in a process of its own, and whether it came to its end before it was stopped."""
    context = multiprocessing.get_context("fork")
    answer = context.Queue()
    worker = context.Process(target=lambda: answer.put(run(table)))
    worker.start()
    try:
        return answer.get(timeout=seconds), True
    except Empty:
        return seconds, False
    finally:
        worker.terminate()
        worker.join()


def _has_pcalg() -> bool:
    if shutil.which("Rscript") is None:
        return False
    return subprocess.run(["Rscript", "-e", "library(pcalg)"], capture_output=True, check=False).returncode == 0


def installed() -> dict[str, Run]:
    """The tools found on this machine, by name."""
    found: dict[str, Run] = {}
    if find_spec("causallearn") is not None:
        found["causal-learn FCI"] = causal_learn_fci
    if find_spec("rcd") is not None:
        found["rcd L-MARVEL"] = rcd_l_marvel
    if _has_pcalg():
        found["pcalg RFCI (C++)"] = pcalg_rfci
    if shutil.which("java") and "DICOLA_TETRAD_JAR" in os.environ:
        found["Tetrad FCI"] = tetrad_fci
    return found
