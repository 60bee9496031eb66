"""``make trust``: are p-values uniform under the null model of each test? One line per test, kinds and size."""

from __future__ import annotations

import sys

import numpy as np

from tests.trust.nulls import cells, fit_of, p_values


def main(replicates: int = 1000, n: int = 2000, only: str = "") -> int:
    """Print the table; answers how many cells fail at 1 % for all of them together."""
    asked = [cell for cell in cells() if only in cell.test]
    failed = 0
    for cell in asked:
        found = p_values(cell, replicates if cell.test != "rcit" else min(replicates, 300), n, seed=11)
        fit = fit_of(found)
        bad = fit < 0.01 / len(asked)
        failed += bad
        sizes = "  ".join(f"{np.mean(found < level):.3f} at {level}" for level in (0.05, 0.01))
        print(  # noqa: T201
            f"{cell.test:21}{cell.x:>11}{cell.y:>11} | {cell.size} {cell.given:11} uniform: {fit:.3f}  {sizes}{'  FAILS' * bad}", flush=True
        )
    return failed


if __name__ == "__main__":
    sys.exit(min(main(*map(int, sys.argv[1:3]), *sys.argv[3:4]), 1))
