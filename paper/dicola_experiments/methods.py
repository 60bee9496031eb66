"""The methods that studies compare, by name: a table in; a graph, counts and seconds out.

- ``fci`` is a learner on all variables at once, with its usual limit on sets from Possible-D-Sep.
- ``dicola+fci/paper`` is the same within DiCoLa, with the rule that stops the splitting. Its leaves
  have no such limit; with ``dicola+fci limited/paper`` they do.
- ``uig+fci`` starts from the independence graph and splits nothing.
- ``default`` is ``DiCoLa().fit(table)``, and ``mode balanced`` is one of the modes.
- ``fci (3, 2)`` is FCI alone with sets of at most 3 neighbours, and 2 of Possible-D-Sep.
- ``causal-learn fci`` is another library's (see ``peers``).

The name of a group stands for its members.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pandas as pd

from dicola import FCI, DiCoLa, Discovery, FisherZ, InvalidSetting, Learner, discover, local
from dicola_experiments.answers import ALPHA, Answer, Clock, Method
from dicola_experiments.peers import PEERS

__all__ = ["ALPHA", "GROUPS", "METHODS", "PEERS", "Answer", "Method", "around", "base_of", "expanded", "is_installed"]

STOPS = ("paper", "reference", "auto")
BASES = ("fci", "rfci", "fci+", "icd", "l-marvel")
MODES = ("exact", "paper", "balanced")
LIMITS = ((3, 2), (4, 2))  # of sets of neighbours and of Possible-D-Sep, for FCI alone


def _alone(base: str | Learner) -> Method:
    return lambda table: _discovered(table, learner=base, decompose=False)


def _dicola(base: str | Learner, stop: str) -> Method:
    return lambda table: _discovered(table, learner=base, stop=stop)


def _warm(base: str) -> Method:
    return lambda table: _discovered(table, learner=base, stop="paper", max_depth=0)


def _mode(mode: str) -> Method:
    return lambda table: _discovered(table, mode=mode)


def _discovered(table: pd.DataFrame, mode: str = "paper", **settings: Any) -> Answer:
    clock = Clock()
    found = discover(FisherZ(table, alpha=ALPHA), mode=mode, **settings)
    return _answer(found, *clock.stop())


def _limited(neighbours: int, possible_dsep: int) -> Method:
    learner = FCI(max_condition_size=neighbours, max_possible_dsep_size=possible_dsep)
    return lambda table: _discovered(table, "exact", learner=learner, decompose=False)


def _default(table: pd.DataFrame) -> Answer:
    """What a user gets who chooses nothing, and which mode that is."""
    clock = Clock()
    found = DiCoLa().fit(table).discovery_
    answer = _answer(found, *clock.stop())
    return replace(answer, shape=answer.shape | {"mode": str(found.settings["mode"])})


def _answer(found: Discovery, seconds: float, cpu_seconds: float) -> Answer:
    shape = {"leaves": found.tree.n_leaves, "largest_leaf": found.tree.largest_leaf, "depth": found.tree.depth}
    return Answer(found.pag, True, dict(found.tests), seconds, cpu_seconds, shape)


_LIMITED = FCI(max_possible_dsep_size=2)

METHODS: dict[str, Method] = {
    "fci": _alone(_LIMITED),
    "fci exact": _alone(FCI()),
    **{base: _alone(base) for base in BASES if base != "fci"},
    **{f"dicola+{base}/{stop}": _dicola(base, stop) for base in BASES for stop in STOPS},
    **{f"dicola+fci limited/{stop}": _dicola(_LIMITED, stop) for stop in STOPS},
    **{f"uig+{base}": _warm(base) for base in BASES},
    "boss-fci": _alone("boss-fci"),
    "default": _default,
    **{f"mode {mode}": _mode(mode) for mode in MODES},
    **{f"fci {limits}": _limited(*limits) for limits in LIMITS},
    **{name: peer.run for name, peer in PEERS.items()},
}

GROUPS: dict[str, tuple[str, ...]] = {
    "alone": ("fci", "fci exact", *(base for base in BASES if base != "fci")),
    "dicola": tuple(f"dicola+{base}/{stop}" for base in BASES for stop in STOPS),
    "uig": tuple(name for name in METHODS if name.startswith("uig+")),
    "peers": ("causal-learn fci", "rcd l-marvel"),  # those that the paper's studies stand beside
    "tetrad": tuple(name for name in PEERS if name.startswith("tetrad")),
    "limited": tuple(f"fci {limits}" for limits in LIMITS),
    "modes": tuple(name for name in METHODS if name.startswith("mode ")),
}
GROUPS["native"] = (*GROUPS["alone"], *GROUPS["dicola"], *GROUPS["uig"])
GROUPS["all"] = (*GROUPS["native"], *GROUPS["peers"])

MMB_BY_MMB = "mmb-by-mmb"  # learns around one variable; the others learn all and are judged there
DEGREE = "degree"  # no method: the graphs themselves are measured


def around(table: pd.DataFrame, target: str) -> Answer:
    """MMB-by-MMB for one variable."""
    clock = Clock()
    found = local(FisherZ(table, alpha=ALPHA), target)
    return Answer(found.pag, True, dict(found.tests), *clock.stop(), {})


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
    return method not in PEERS or not PEERS[method].missing


def base_of(method: str) -> str:
    """The base learner of a method named ``dicola+…`` or ``uig+…``; of any other its own name.

    >>> base_of("dicola+fci+/paper"), base_of("uig+icd"), base_of("rfci")
    ('fci+', 'icd', 'rfci')
    """
    name = method.removeprefix("dicola+").removeprefix("uig+").partition("/")[0]
    return name if name in BASES else method
