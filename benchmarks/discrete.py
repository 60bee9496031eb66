"""Graphs of categories: published networks sampled from their probability tables, with variables hidden.

``python benchmarks/discrete.py FOLDER`` reads ``FOLDER/<network>.bif.gz`` (the bnlearn repository's
format), writes one row per run to ``benchmarks/discrete.json`` and prints the means. A part of it:
``--seeds 300,310 --networks asia,child --rows 1000 --methods 'DiCoLa(),G² exact'``. Seconds are those of the processor;
a run that takes more than ``--cap`` of them is given up and counts for nothing.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import io
import json
import re
import signal
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dicola import DAG, PAG, DiCoLa, metrics, simulate

NETWORKS = ("asia", "child", "insurance", "alarm", "win95pts", "mildew", "barley")
SHARES = (0.1, 0.2)
_VARIABLE = re.compile(r"variable\s+(\S+)\s*\{[^{]*\{([^}]*)\}")
_TABLE = re.compile(r"probability\s*\(\s*([^\s|)]+)\s*(?:\|([^)]*))?\)\s*\{([^}]*)\}")
_NUMBERS = re.compile(r"(?:\(([^)]*)\)|table)([^;]*);")


class Network(NamedTuple):
    """A Bayesian network of categories: levels, parents, and chances of the levels by those of the parents."""

    dag: DAG
    levels: dict[str, list[str]]
    parents: dict[str, list[str]]
    chances: dict[str, NDArray[np.float64]]

    @classmethod
    def read(cls, file: Path) -> Network:
        text = gzip.decompress(file.read_bytes()).decode("utf-8")
        levels = {name: [level.strip() for level in inside.split(",")] for name, inside in _VARIABLE.findall(text)}
        parents, chances = {}, {}
        for name, given, inside in _TABLE.findall(text):
            parents[name] = [parent.strip() for parent in given.split(",") if parent.strip()]
            table = np.zeros([*(len(levels[parent]) for parent in parents[name]), len(levels[name])])
            for condition, numbers in _NUMBERS.findall(inside):
                chosen = [level.strip() for level in condition.split(",")] if condition else []
                at = tuple(levels[parent].index(level) for parent, level in zip(parents[name], chosen, strict=True))
                table[at] = [float(number) for number in numbers.split(",")]
            chances[name] = table / table.sum(axis=-1, keepdims=True)
        edges = [(parent, name) for name, above in parents.items() for parent in above]
        return cls(DAG.from_edges(edges, nodes=list(levels)), levels, parents, chances)

    def sample(self, rows: int, seed: int) -> pd.DataFrame:
        """So many rows, each column the words of its levels."""
        rng, codes = np.random.default_rng(seed), dict[str, NDArray[np.int64]]()
        while len(codes) < len(self.levels):
            for name in self.levels:
                if name in codes or not all(parent in codes for parent in self.parents[name]):
                    continue
                ways = self.chances[name][tuple(codes[parent] for parent in self.parents[name])]
                ways = np.broadcast_to(ways, (rows, len(self.levels[name])))
                codes[name] = np.minimum((ways.cumsum(axis=1) < rng.random((rows, 1))).sum(axis=1), len(self.levels[name]) - 1)
        return pd.DataFrame({name: np.array([f"v {level}" for level in self.levels[name]])[codes[name]] for name in self.levels})


def as_codes(frame: pd.DataFrame) -> pd.DataFrame:
    """Words replaced by the positions of their levels, as analysts do."""
    return frame.apply(lambda column: pd.factorize(column, sort=True)[0].astype(float))


def causal_learn(frame: pd.DataFrame) -> PAG:
    """FCI with G² as causal-learn has it, where it is installed."""
    from causallearn.search.ConstraintBased.FCI import fci

    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        graph, _ = fci(as_codes(frame).to_numpy(), "gsq", 0.01, verbose=False, show_progress=False, node_names=list(frame.columns))
    return PAG.from_causal_learn(graph)


METHODS: dict[str, Callable[[pd.DataFrame], PAG]] = {
    "DiCoLa()": lambda frame: DiCoLa().fit(frame).pag_,
    "G² exact": lambda frame: DiCoLa(ci_test="g_square", mode="exact").fit(frame).pag_,
    "DG exact": lambda frame: DiCoLa(ci_test="degenerate_gaussian", mode="exact").fit(frame).pag_,
    "DG balanced": lambda frame: DiCoLa(ci_test="degenerate_gaussian", mode="balanced").fit(frame).pag_,
    "codes exact": lambda frame: DiCoLa(ci_test="fisher_z", mode="exact").fit(as_codes(frame)).pag_,
    "causal-learn FCI G²": causal_learn,
}


class TooLong(Exception):
    """A run has had its time."""


@contextlib.contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Give up what is done here after so many seconds of the processor; 0: never."""

    def give_up(*_: object) -> None:
        raise TooLong

    signal.signal(signal.SIGPROF, give_up)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)


def with_all(pag: PAG, names: tuple[str, ...]) -> PAG:
    """The graph with the variables that a sample showed no variation of, next to nothing."""
    matrix, place = np.zeros((len(names), len(names)), dtype=np.int8), [names.index(name) for name in pag.names]
    matrix[np.ix_(place, place)] = pag.to_matrix()
    return PAG.from_matrix(matrix, names)


def runs(
    network: Network, rows: int, share: float, seeds: range, methods: dict[str, Callable[[pd.DataFrame], PAG]], cap: float
) -> Iterator[dict[str, float | int | str]]:
    for seed in seeds:
        hidden = simulate.hide(network.dag, max(1, round(share * len(network.dag.names))), seed=seed)
        frame, truth = network.sample(rows, seed).drop(columns=list(hidden)), network.dag.true_pag(hidden)
        frame = frame.loc[:, (frame != frame.iloc[0]).any()]
        for method, learn in methods.items():
            begin = time.process_time()
            try:
                with at_most(cap):
                    found = learn(frame)
            except TooLong:
                continue
            seconds = time.process_time() - begin
            near = metrics.compare(with_all(found, truth.names), truth)
            yield {
                "rows": rows,
                "share": share,
                "seed": seed,
                "method": method,
                "skeleton": near.skeleton.f1,
                "marks": near.marks.f1,
                "seconds": round(seconds, 3),
            }


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("folder", type=Path, help="where the files <network>.bif.gz lie")
    ask.add_argument("--networks", default=",".join(NETWORKS))
    ask.add_argument("--rows", default="1000,10000")
    ask.add_argument("--seeds", default="300,310", help="the first, and the one behind the last")
    ask.add_argument(
        "--methods", default=",".join(list(METHODS)[:-1]), help="separated by commas; the last of them, causal-learn's, is slow"
    )
    ask.add_argument("--cap", type=float, default=0.0, help="seconds of the processor that a run may take; 0: as long as it likes")
    ask.add_argument("--out", type=Path, default=Path(__file__).with_suffix(".json"))
    given = ask.parse_args()
    found, methods = [], {name: METHODS[name] for name in given.methods.split(",")}
    for name in given.networks.split(","):
        network = Network.read(given.folder / f"{name}.bif.gz")
        for rows in map(int, given.rows.split(",")):
            for share in SHARES:
                part = list(runs(network, rows, share, range(*map(int, given.seeds.split(","))), methods, given.cap))
                found += [{"network": name, **row} for row in part]
                by_method = pd.DataFrame(part).groupby("method", sort=False)
                means = by_method[["skeleton", "marks", "seconds"]].mean().assign(runs=by_method.size())
                cells = "  ".join(
                    f"{method} {row.skeleton:.3f}/{row.marks:.3f} {row.seconds:.2f}s ({row.runs:.0f})" for method, row in means.iterrows()
                )
                print(f"{name}, N = {rows:,}, {share:.0%} hidden: {cells}", flush=True)
    given.out.write_text("[\n" + ",\n".join(json.dumps(row) for row in found) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
