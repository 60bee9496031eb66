"""What gaps cost: 20 % of all cells missing, each way around them beside the complete table. ``python benchmarks/gaps.py 20``."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd

from dicola import DiCoLa, DicolaError, metrics, simulate

SHARE, ROWS = 0.2, 2000
WAYS = ("complete", "em", "impute", "testwise", "listwise")


def holes(frame: pd.DataFrame, by_chance: bool, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    if by_chance:
        return frame.mask(rng.random(frame.shape) < SHARE)
    first = frame.iloc[:, 0]
    odds = 1 / (1 + np.exp(-1.5 * (first - first.mean()) / first.std()))
    lost = rng.random(frame.shape) < (odds * SHARE / odds.mean()).to_numpy()[:, None]
    lost[:, 0] = False
    return frame.mask(lost)


def scores(name: str, by_chance: bool, seed: int, ways: tuple[str, ...]) -> dict[str, tuple[float, float]]:
    dag = simulate.er_dag(30, 3, seed=seed) if name == "ER(30,3)" else simulate.network("alarm")
    hidden = simulate.hide(dag, 3, seed=seed)
    whole = simulate.linear_gaussian(dag, ROWS, seed=seed).drop(columns=list(hidden))
    gaps, truth = holes(whole, by_chance, seed + 1000), dag.true_pag(hidden)
    found = {}
    for way in ways:
        try:
            pag = (DiCoLa().fit(whole) if way == "complete" else DiCoLa(missing=way).fit(gaps)).pag_
            near = metrics.compare(pag, truth)
            found[way] = (near.skeleton.f1, near.marks.f1)
        except DicolaError:
            found[way] = (0.0, 0.0)  # no row is complete
    return found


def main(repeats: int, ways: tuple[str, ...]) -> None:
    print(f"| | {' | '.join(ways)} |\n|---|{'---|' * len(ways)}")
    for name in ("ER(30,3)", "ALARM"):
        for by_chance in (True, False):
            runs = [scores(name, by_chance, seed, ways) for seed in range(repeats)]
            means = {way: np.mean([run[way] for run in runs], axis=0) for way in ways}
            cells = " | ".join(f"{edges:.3f} / {marks:.3f}".replace("0.", ".") for edges, marks in means.values())
            print(f"| {name}, {'by chance' if by_chance else 'by one column'} | {cells} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20, tuple(sys.argv[2].split(",")) if len(sys.argv) > 2 else WAYS)
