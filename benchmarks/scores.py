"""The default mode at size, beside ``exact``: seconds, memory, and how near both are to the true PAG.

``python benchmarks/scores.py`` draws a random graph of 5,000 observed variables (degree 3, one in twenty hidden) and 10,000 rows, and
learns it in both modes, with one worker. ``--columns``, ``--rows`` and ``--tables`` are others.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time

from dicola import DiCoLa, simulate
from dicola.metrics import compare

HIDDEN = 20  # one variable in so many


def main() -> None:
    """Draw, learn and compare."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--columns", type=int, default=5000)
    asked.add_argument("--rows", type=int, default=10_000)
    asked.add_argument("--tables", type=int, default=1)
    asked.add_argument("--first-seed", type=int, default=300)
    options = asked.parse_args()
    for seed in range(options.first_seed, options.first_seed + options.tables):
        hidden = options.columns // (HIDDEN - 1)
        dag = simulate.er_dag(options.columns + hidden, 3, seed=seed)
        latents = simulate.hide(dag, hidden, seed=seed)
        table, truth = simulate.linear_gaussian(dag, options.rows, seed=seed).drop(columns=list(latents)), dag.true_pag(latents)
        for name, mode in (("exact", {"mode": "exact"}), ("default", {})):
            begin, before = time.perf_counter(), time.process_time()
            found = DiCoLa(**mode).fit(table).discovery_
            seconds, used, scores = time.perf_counter() - begin, time.process_time() - before, compare(found.pag, truth)
            sys.stdout.write(
                f"{options.columns:,} columns, {options.rows:,} rows, seed {seed}, {name} ({found.settings['mode']}): {seconds:.0f} s, "
                f"processor {used:.0f} s, peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.1f} GB, "
                f"skeleton F1 {scores.skeleton.f1:.3f}, marks F1 {scores.marks.f1:.3f}\n"
            )
            sys.stdout.flush()


if __name__ == "__main__":
    main()
