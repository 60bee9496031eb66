"""G² against causal-learn's: the same questions in one process, in turns, by seconds of the processor.

``python benchmarks/counting.py FOLDER`` reads ``FOLDER/<network>.bif.gz`` as ``benchmarks/discrete.py`` does. For every network it
asks for the p-values of pairs given all sets of up to three variables, in random order where these are too many, one call per pair;
the numbers are compared. Then FCI of both on the same rows, sets of at most three variables.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import time
import warnings
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from discrete import NETWORKS, Network, as_codes

from dicola import FCI, GSquare, discover

MOST = 3  # variables held fixed
SETS, PAIRS = 60, 100  # asked for per pair, and pairs
ROUNDS = 3


def seconds_of(do: Callable[[], Any]) -> tuple[float, Any]:
    begin = time.process_time()
    found = do()
    return time.process_time() - begin, found


def questions(n: int, rng: np.random.Generator) -> list[tuple[int, int, list[tuple[int, ...]]]]:
    """Pairs, each with sets."""
    asked = []
    for k in rng.permutation(n * (n - 1) // 2)[:PAIRS]:
        x, y = list(combinations(range(n), 2))[k]
        others = [v for v in range(n) if v not in (x, y)]
        if n <= 10:
            sets = [z for size in range(MOST + 1) for z in combinations(others, size)]
        else:
            sets = [tuple(sorted(rng.choice(others, i % (MOST + 1), replace=False).tolist())) for i in range(SETS)]
        asked.append((x, y, sets))
    return asked


def statistics(frame: pd.DataFrame, rng: np.random.Generator) -> tuple[float, int, float]:
    """How many times as fast we are, of how many statistics, and by how much p-values differ at most."""
    from causallearn.utils.cit import CIT

    codes = as_codes(frame)[sorted(frame.columns)].to_numpy()
    asked, ours, theirs = questions(codes.shape[1], rng), [], []
    test = GSquare(codes, min_rows=0.0)
    test.p_values(0, 1, [()])
    apart = 0.0
    for _ in range(ROUNDS):
        seconds, found = seconds_of(lambda: [test.p_values(x, y, sets) for x, y, sets in asked])
        ours.append(seconds)
        peer = CIT(codes, "gsq")
        seconds, other = seconds_of(lambda: [[peer(x, y, z) for z in sets] for x, y, sets in asked])  # noqa: B023
        theirs.append(seconds)
        tested = [test.measure(x, y, sets).defaults < 0 for x, y, sets in asked]
        apart = max(float(np.abs(a - np.array(b))[known].max(initial=0.0)) for a, b, known in zip(found, other, tested, strict=True))
    return min(theirs) / min(ours), sum(len(sets) for _, _, sets in asked), apart


def searches(frame: pd.DataFrame) -> tuple[float, float]:
    """Seconds of FCI, ours and causal-learn's."""
    from causallearn.search.ConstraintBased.FCI import fci

    codes, ours, theirs = as_codes(frame).to_numpy(), [], []

    def peer() -> object:
        with contextlib.redirect_stdout(io.StringIO()):
            return fci(codes, "gsq", 0.01, depth=MOST, verbose=False, show_progress=False)

    discover(GSquare(codes), FCI(max_condition_size=MOST), decompose=False)
    for _ in range(ROUNDS):
        ours.append(seconds_of(lambda: discover(GSquare(codes), FCI(max_condition_size=MOST), decompose=False))[0])
        theirs.append(seconds_of(peer)[0])
    return min(ours), min(theirs)


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("folder", type=Path)
    ask.add_argument("--networks", default=",".join(NETWORKS))
    ask.add_argument("--rows", default="1000,10000")
    ask.add_argument("--searches", action="store_true", help="FCI of both as well, which takes causal-learn long on large networks")
    given = ask.parse_args()
    warnings.simplefilter("ignore")
    for name in given.networks.split(","):
        network = Network.read(given.folder / f"{name}.bif.gz")
        for rows in map(int, given.rows.split(",")):
            frame = network.sample(rows, 1)
            frame = frame.loc[:, (frame != frame.iloc[0]).any()]
            times, many, apart = statistics(frame, np.random.default_rng(1))
            print(f"{name}, {rows:,} rows: {many:,} statistics, {times:.0f} x, p-values within {apart:.0e}", flush=True)
            if given.searches:
                ours, theirs = searches(frame)
                print(f"{name}, {rows:,} rows: FCI {1000 * ours:.1f} ms against {1000 * theirs:.0f}, {theirs / ours:.0f} x", flush=True)


if __name__ == "__main__":
    main()
