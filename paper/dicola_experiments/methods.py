"""The methods that studies compare, by name: a table in; a graph, counts and seconds out.

- ``fci`` is a learner on all variables at once, with its usual limit on sets from Possible-D-Sep.
- ``dicola+fci/paper`` is the same within DiCoLa, with the rule that stops the splitting. Its leaves
  have no such limit; with ``dicola+fci limited/paper`` they do.
- ``uig+fci`` starts from the independence graph and splits nothing.
- ``causal-learn fci`` is another library's, and ``mode balanced`` is one of the modes.

The name of a group stands for its members.
"""

from __future__ import annotations

import contextlib
import io
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from time import perf_counter, process_time
from typing import Any

import numpy as np
import pandas as pd

from dicola import FCI, PAG, FisherZ, InvalidSetting, Learner, discover, local
from dicola_experiments.extras import from_extra

ALPHA = 0.01
STOPS = ("paper", "reference", "auto")
BASES = ("fci", "rfci", "fci+", "icd", "l-marvel")
MODES = ("exact", "fast", "balanced", "accurate")
_CIRCLE = 1  # pcalg's code, as in PAG.from_matrix


@dataclass(frozen=True)
class Answer:
    """What a method gave back: a graph, tests by phase, and the shape of any decomposition.

    Unless ``marked``, the marks of the graph mean nothing.
    """

    graph: PAG
    marked: bool
    tests: dict[str, int]
    seconds: float
    cpu_seconds: float
    shape: dict[str, int]


Method = Callable[[pd.DataFrame], Answer]


def _alone(base: str | Learner) -> Method:
    return lambda table: _discovered(table, learner=base, decompose=False)


def _dicola(base: str | Learner, stop: str) -> Method:
    return lambda table: _discovered(table, learner=base, stop=stop)


def _warm(base: str) -> Method:
    return lambda table: _discovered(table, learner=base, stop="paper", max_depth=0)


def _mode(mode: str) -> Method:
    return lambda table: _discovered(table, mode=mode)


def _discovered(table: pd.DataFrame, mode: str = "paper", **settings: Any) -> Answer:
    start, cpu = perf_counter(), process_time()
    found = discover(FisherZ(table, alpha=ALPHA), mode=mode, **settings)
    seconds, cpu = perf_counter() - start, process_time() - cpu
    shape = {"leaves": found.tree.n_leaves, "largest_leaf": found.tree.largest_leaf, "depth": found.tree.depth}
    return Answer(found.pag, True, dict(found.tests), seconds, cpu, shape)


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
            start, cpu = perf_counter(), process_time()
            graph, _ = fci(
                table.to_numpy(), "fisherz", ALPHA, verbose=False, show_progress=False, node_names=[str(name) for name in table.columns]
            )
            seconds, cpu = perf_counter() - start, process_time() - cpu
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
        start, cpu = perf_counter(), process_time()
        skeleton = l_marvel.learn_and_get_skeleton(test, columns)
        seconds, cpu = perf_counter() - start, process_time() - cpu
    marks = np.zeros((table.shape[1],) * 2, dtype=np.int8)
    for a, b in skeleton.edges:
        marks[a, b] = marks[b, a] = _CIRCLE
    return Answer(PAG.from_matrix(marks, [str(name) for name in table.columns]), False, {"total": asked}, seconds, cpu, {})


PEERS: dict[str, tuple[str, Method]] = {
    "causal-learn fci": ("causallearn", _causal_learn_fci),
    "rcd l-marvel": ("rcd", _rcd_l_marvel),
}
"""Other libraries' methods: the module each needs, and how it is called."""

_LIMITED = FCI(max_possible_dsep_size=2)

METHODS: dict[str, Method] = {
    "fci": _alone(_LIMITED),
    "fci exact": _alone(FCI()),
    **{base: _alone(base) for base in BASES if base != "fci"},
    **{f"dicola+{base}/{stop}": _dicola(base, stop) for base in BASES for stop in STOPS},
    **{f"dicola+fci limited/{stop}": _dicola(_LIMITED, stop) for stop in STOPS},
    **{f"uig+{base}": _warm(base) for base in BASES},
    "boss-fci": _alone("boss-fci"),
    **{f"mode {mode}": _mode(mode) for mode in MODES},
    **{name: method for name, (_, method) in PEERS.items()},
}

GROUPS: dict[str, tuple[str, ...]] = {
    "alone": ("fci", "fci exact", *(base for base in BASES if base != "fci")),
    "dicola": tuple(f"dicola+{base}/{stop}" for base in BASES for stop in STOPS),
    "uig": tuple(name for name in METHODS if name.startswith("uig+")),
    "peers": tuple(PEERS),
    "modes": tuple(name for name in METHODS if name.startswith("mode ")),
}
GROUPS["native"] = (*GROUPS["alone"], *GROUPS["dicola"], *GROUPS["uig"])
GROUPS["all"] = (*GROUPS["native"], *GROUPS["peers"])

MMB_BY_MMB = "mmb-by-mmb"  # learns around one variable; the others learn all and are judged there
DEGREE = "degree"  # no method: the graphs themselves are measured


def around(table: pd.DataFrame, target: str) -> Answer:
    """MMB-by-MMB for one variable."""
    start, cpu = perf_counter(), process_time()
    found = local(FisherZ(table, alpha=ALPHA), target)
    seconds, cpu = perf_counter() - start, process_time() - cpu
    return Answer(found.pag, True, dict(found.tests), seconds, cpu, {})


def expanded(names: Iterable[str]) -> tuple[str, ...]:
    """Names of methods, groups replaced by their members, each once and in the order given."""
    found: dict[str, None] = {}
    for name in names:
        members = GROUPS.get(name, (name,))
        if name not in (*GROUPS, *METHODS, MMB_BY_MMB, DEGREE):
            raise InvalidSetting(f"{name!r} is not a method. Known: {', '.join((*GROUPS, *METHODS, MMB_BY_MMB, DEGREE))}.")
        found |= dict.fromkeys(members)
    return tuple(found)


def is_installed(method: str) -> bool:
    """Is the library there that the method needs?"""
    return method not in PEERS or find_spec(PEERS[method][0]) is not None


def base_of(method: str) -> str:
    """The base learner of a method named ``dicola+…`` or ``uig+…``; of any other its own name.

    >>> base_of("dicola+fci+/paper"), base_of("uig+icd"), base_of("rfci")
    ('fci+', 'icd', 'rfci')
    """
    name = method.removeprefix("dicola+").removeprefix("uig+").partition("/")[0]
    return name if name in BASES else method
