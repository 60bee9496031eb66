"""Settings that cannot be: every public constructor and function, with one argument at a time replaced by something odd.

A call is one that works; ``WRONG`` is what takes the place of an argument. Some of it is allowed here or there, which is as well: what
matters is that nothing but a ``DicolaError`` comes out of it. From the root of the repository: ``python -m tests.wrong_settings``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from functools import cache
from inspect import Parameter, signature
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import dicola
from dicola import DAG, MAG, PAG, DicolaError, FisherZ, Oracle, simulate
from dicola.blankets.registry import BLANKETS
from dicola.learners.registry import ALL

HUGE = 10**309  # no float
WRONG: dict[str, Any] = {
    "None": None,
    "a word": "x",
    "an empty word": "",
    "a number as a word": "1",
    "half a character": "\ud800",
    "bytes": b"x",
    "True": True,
    "minus one": -1,
    "zero": 0,
    "one and a half": 1.5,
    "not a number": float("nan"),
    "infinity": float("inf"),
    "minus infinity": float("-inf"),
    "a huge number": HUGE,
    "a huge negative number": -HUGE,
    "more than 64 bits": 2**70,
    "a signalling NaN": Decimal("sNaN"),
    "a quiet NaN": Decimal("NaN"),
    "a decimal": Decimal("0.5"),
    "a huge fraction": Fraction(HUGE, 3),
    "a complex number": 1j,
    "a NumPy NaN": np.float64("nan"),
    "a missing value": pd.NA,
    "no date": pd.NaT,
    "an empty list": [],
    "a list of numbers": [1, 2],
    "a list of lists": [[1], [2, 3]],
    "a list of None": [None],
    "an empty dict": {},
    "a dict": {"a": 1},
    "a set": {1, "x"},
    "an array": np.arange(3.0),
    "an empty array": np.zeros((0, 0)),
    "an array of objects": np.array([None, "x"], dtype=object),
    "a series": pd.Series([1.0, 2.0]),
    "an object": object(),
    "a type": int,
    "a function": len,
    "a module": sys,
    "not implemented": NotImplemented,
}


class Call(NamedTuple):
    """A call that works, by the names of its arguments; those with a default are replaced as well."""

    of: Callable[..., Any]
    arguments: dict[str, Any]

    def names(self) -> list[str]:
        wanted = [p for p in signature(self.of).parameters.values() if p.kind not in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)]
        return [parameter.name for parameter in wanted]

    def __call__(self, **replaced: Any) -> Any:
        arguments = {**self.arguments, **replaced}
        firsts = [p.name for p in signature(self.of).parameters.values() if p.kind is Parameter.POSITIONAL_ONLY]
        return self.of(*(arguments.pop(name) for name in firsts if name in arguments), **arguments)


def fitted(**settings: Any) -> Any:
    """``DiCoLa`` checks nothing before it is fitted."""
    return dicola.DiCoLa(**settings).fit(frame())


fitted.__signature__ = signature(dicola.DiCoLa)  # type: ignore[attr-defined]


def learned(learner: type) -> Callable[..., Any]:
    """A learner and what it finds: settings that are let in must work."""

    def run(**settings: Any) -> Any:
        return dicola.discover(FisherZ(frame()), learner(**settings))

    run.__signature__ = signature(learner)  # type: ignore[attr-defined]
    return run


def blanketed(blankets: type) -> Callable[..., Any]:
    def run(**settings: Any) -> Any:
        return blankets(**settings).learn(FisherZ(frame()))

    run.__signature__ = signature(blankets)  # type: ignore[attr-defined]
    return run


def asked(test: type) -> Callable[..., Any]:
    """A test and one answer."""

    def run(**settings: Any) -> Any:
        made = test(**settings)
        return made.verdict(0, 1, (2,)) if len(made) > 2 else made

    run.__signature__ = signature(test)  # type: ignore[attr-defined]
    return run


@cache
def frame() -> pd.DataFrame:
    return pd.DataFrame(np.random.default_rng(1).normal(size=(40, 4)) @ (np.eye(4) + 0.5 * np.eye(4, k=1)), columns=list("abcd"))


@cache
def categories() -> pd.DataFrame:
    return pd.DataFrame(np.random.default_rng(1).integers(0, 2, size=(60, 4)), columns=list("abcd")).astype(str)


def calls() -> dict[str, Call]:
    """Every public constructor and function by name, with arguments that work."""
    dag, table = DAG.from_edges([("A", "B"), ("B", "C"), ("L", "C"), ("L", "A")]), frame()
    mag, pag, covariance = MAG.from_text("A --> B"), PAG.from_text("A --> B"), np.cov(table.to_numpy(), rowvar=False)
    three = PAG.from_text("A --> B\nC --> B\nA <-> C")
    found, matrix = dicola.discover(Oracle(dag)), [[0, 2], [3, 0]]
    parts = dicola.Table.from_frame(table)
    facts = {name: getattr(parts, name) for name in ("values", "labels", "names", "kinds", "levels", "points")}
    of_data = {"FisherZ": table, "GaussianCopula": table, "RCIT": table, "KCI": table, "DegenerateGaussian": table, "BasisFunction": table}
    of_data |= {"GSquare": categories(), "ChiSquare": categories(), "ConditionalGaussian": categories()}
    numbers = {"n": 5, "degree": 2, "seed": 1}
    near = dicola.local(Oracle(dag), "B")
    known = {
        **{name: Call(asked(getattr(dicola, name)), {"data": data}) for name, data in of_data.items()},
        **{learner.__name__: Call(learned(learner), {}) for learner in ALL.values()},
        **{f"blankets {name}": Call(blanketed(learner), {}) for name, learner in BLANKETS.items()},
        "CallableTest": Call(asked(dicola.CallableTest), {"function": lambda x, y, z: 0.5, "names": list("abcd")}),
        "FisherZ.from_covariance": Call(FisherZ.from_covariance, {"matrix": covariance, "n_samples": 40}),
        "Oracle": Call(Oracle, {"graph": dag, "latents": "L", "selection": ()}),
        "Inquiry": Call(dicola.Inquiry, {"source": Oracle(dag)}),
        "GaussianBIC": Call(dicola.GaussianBIC, {"correlation": np.corrcoef(table.to_numpy(), rowvar=False), "n_samples": 40}),
        "GaussianBIC.of": Call(dicola.GaussianBIC.of, {"ci": FisherZ(table)}),
        "BlockBIC": Call(dicola.BlockBIC, {"covariance": covariance, "n_samples": 40, "widths": [1, 2, 1]}),
        "BlockBIC.of": Call(dicola.BlockBIC.of, {"ci": dicola.DegenerateGaussian(table)}),
        "DiCoLa": Call(fitted, {}),
        "discover": Call(dicola.discover, {"ci": Oracle(dag, "L")}),
        "discover on data": Call(dicola.discover, {"ci": FisherZ(table), "mode": "auto"}),
        "local": Call(dicola.local, {"ci": Oracle(dag, "L"), "target": "B"}),
        "compare_modes": Call(dicola.compare_modes, {"data": table, "modes": ("exact", "paper")}),
        "compare_tests": Call(dicola.compare_tests, {"data": categories(), "x": "a", "y": "b", "given": ("c",)}),
        "look": Call(dicola.look, {"data": table}),
        "read_table": Call(dicola.read_table, {"path": "no such file.csv"}),
        "Moments": Call(dicola.Moments, {"names": "AB"}),
        "Moments.of_file": Call(dicola.Moments.of_file, {"path": "no such file.csv"}),
        "Moments.partial_fit": Call(lambda rows, weights=None: dicola.Moments().partial_fit(rows, weights), {"rows": table}),
        "Moments.merged": Call(dicola.Moments("AB").merged, {"other": dicola.Moments("AB")}),
        "bootstrap": Call(dicola.bootstrap, {"data": table, "replicates": 2, "mode": "exact"}),
        "identify": Call(dicola.identify, {"pag": pag, "x": "A", "y": "B"}),
        "effect": Call(dicola.effect, {"pag": pag, "x": "A", "y": "B"}),
        "effect of several": Call(dicola.effect, {"pag": three, "x": ["A", "C"], "y": "B"}),
        "legality": Call(dicola.legality, {"pag": pag}),
        "member_mag": Call(dicola.member_mag, {"pag": pag}),
        "mag_to_pag": Call(dicola.mag_to_pag, {"mag": mag}),
        "markov_equivalent": Call(dicola.markov_equivalent, {"first": mag, "second": mag}),
        "metrics.compare": Call(dicola.metrics.compare, {"found": pag, "truth": pag}),
        "compat.fci": Call(dicola.compat.fci, {"dataset": table}),
        "Knowledge": Call(dicola.Knowledge, {"tiers": [["a"], ["b"]], "forbidden": [("b", "c")], "required": [("a", "c")]}),
        "Knowledge.from_text": Call(dicola.Knowledge.from_text, {"text": "/knowledge\naddtemporal\n1 a\n2 b\n"}),
        "Knowledge.read": Call(dicola.Knowledge.read, {"path": "no such file.txt"}),
        "Column": Call(dicola.Column, {"name": "a", "kind": "continuous", "values": np.arange(3.0)}),
        "Table": Call(dicola.Table, facts),
        "Table.from_frame": Call(dicola.Table.from_frame, {"frame": table}),
        "Table.from_array": Call(dicola.Table.from_array, {"array": table.to_numpy()}),
        "Table.rows": Call(parts.rows, {"index": [0, 1]}),
        "Table.choose": Call(parts.choose, {"names": ["a", "b"]}),
        "Table.understood": Call(parts.understood, {}),
        "Discovery": Call(dicola.Discovery, {"pag": pag, "skeleton": found.skeleton, "tree": found.tree, "tests": {}, "settings": {}}),
        "Discovery.read": Call(dicola.Discovery.read, {"folder": "no such folder"}),
        "Discovery.explain": Call(found.explain, {"u": "A", "v": "B"}),
        "LocalDiscovery": Call(dicola.LocalDiscovery, {name: getattr(near, name) for name in near.__dataclass_fields__}),
        "Look": Call(dicola.Look, {"n_rows": 1, "n_columns": 1, "columns": (), "findings": ()}),
        "DAG.from_edges": Call(DAG.from_edges, {"edges": [("A", "B")]}),
        "DAG.true_mag": Call(dag.true_mag, {"latents": "L"}),
        "DAG.true_pag": Call(dag.true_pag, {"latents": "L"}),
        "DAG.d_separated": Call(dag.d_separated, {"x": "A", "y": "C", "z": ["B"]}),
        "MAG.m_separated": Call(mag.m_separated, {"x": "A", "y": "B"}),
        "MAG.marginal": Call(mag.marginal, {"variables": ["A"]}),
        "PAG.is_visible": Call(pag.is_visible, {"u": "A", "v": "B"}),
        "PAG.parents": Call(pag.parents, {"v": "A"}),
        "PAG.reordered": Call(pag.reordered, {"names": ["B", "A"]}),
        "FisherZ.sweep_level": Call(FisherZ(table).sweep_level, {"adjacency": ~np.eye(4, dtype=bool), "size": 1}),
        "FisherZ.positions": Call(FisherZ(table).positions, {"x": "a", "y": "b", "z": ("c",)}),
        "simulate.er_dag": Call(simulate.er_dag, numbers),
        "simulate.scale_free_dag": Call(simulate.scale_free_dag, numbers),
        "simulate.hub_dag": Call(simulate.hub_dag, {**numbers, "hubs": 1, "spokes": 2}),
        "simulate.modular_dag": Call(simulate.modular_dag, {"modules": 2, "size": 3, "degree": 1, "links": 1, "seed": 1}),
        "simulate.factor_dag": Call(simulate.factor_dag, {"factors": 2, "items": 3}),
        "simulate.confounded": Call(simulate.confounded, {"dag": dag, "n_latents": 1, "children": 2, "seed": 1}),
        "simulate.hide": Call(simulate.hide, {"dag": dag, "n_latents": 1, "seed": 1}),
        "simulate.linear_gaussian": Call(simulate.linear_gaussian, {"dag": dag, "n_samples": 5, "seed": 1}),
        "simulate.linear_gaussian_covariance": Call(simulate.linear_gaussian_covariance, {"dag": dag, "seed": 1}),
        "simulate.additive_noise": Call(simulate.additive_noise, {"dag": dag, "n_samples": 5, "seed": 1}),
        "simulate.network": Call(simulate.network, {"name": "asia"}),
    }
    for kind in (DAG, MAG, PAG):
        known[kind.__name__] = Call(kind, {"marks": matrix, "names": ["A", "B"]})
        known[f"{kind.__name__}.from_matrix"] = Call(kind.from_matrix, {"matrix": matrix})
        known[f"{kind.__name__}.from_text"] = Call(kind.from_text, {"text": "A --> B"})
        known[f"{kind.__name__}.read"] = Call(kind.read, {"path": "no such file.csv"})
    return known


class Case(NamedTuple):
    """One argument of one call, replaced."""

    name: str
    argument: str
    wrong: str

    def __str__(self) -> str:
        return f"{self.name}({self.argument}={self.wrong})"


def cases(known: dict[str, Call]) -> Iterator[Case]:
    return (Case(name, argument, wrong) for name, call in known.items() for argument in call.names() for wrong in WRONG)


def escape(known: dict[str, Call], case: Case) -> BaseException | None:
    """What comes out of a case that is no ``DicolaError``."""
    try:
        known[case.name](**{case.argument: WRONG[case.wrong]})
    except DicolaError:
        return None
    except Exception as error:
        return error
    return None


def main(write: Callable[[str], object] = sys.stdout.write) -> int:
    known, number, raw = calls(), 0, 0
    for case in cases(known):
        number += 1
        error = escape(known, case)
        if error is not None:
            raw += 1
            write(f"{case}: {type(error).__name__}: {str(error)[:150]}\n")
    write(f"{number} wrong settings over {len(known)} constructors and functions: {raw} raw errors\n")
    return int(raw > 0)


if __name__ == "__main__":
    sys.exit(main())
