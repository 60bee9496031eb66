"""Digests of whole runs, to tell whether a change of the code changed an answer.

``python -m tests.digests FILE`` writes one line per run; run it before and after a change and compare the two files. A digest covers
marks, adjacencies, separating sets, reasons, conflicts, warnings, the tree and the number of tests.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import dicola
from dicola import CallableTest, FisherZ, Knowledge, Oracle, local, simulate

discover = partial(dicola.discover, mode="paper")
LEARNERS = ("fci", "rfci", "fci+", "icd", "l-marvel", "pc", "gfci", "boss-fci", "mag-bic")
MODES = ("exact", "paper", "balanced", "auto")


def table(name: str, seed: int) -> Any:
    """A simulated table, and the truth behind it."""
    if name == "mildew":
        dag, hidden = simulate.network("mildew"), 3
    else:
        n, degree, hidden = {"er-sparse": (24, 2.5, 2), "er-dense": (16, 5, 2)}[name]
        dag = simulate.er_dag(n, degree, seed=seed)
    latents = simulate.hide(dag, hidden, seed=seed)
    return dag, latents, simulate.linear_gaussian(dag, 700, seed=seed).drop(columns=list(latents))


def facts(found: dicola.Discovery) -> dict[str, Any]:
    """What a run found and how."""
    sets = {f"{x}|{y}": list(z) for (x, y), z in sorted(found.skeleton.separating_sets().items())}
    return {
        "pag": str(found.pag),
        "edges": sorted(sorted(edge) for edge in found.skeleton.named_edges()),
        "sets": sets,
        "tests": dict(found.tests),
        "evaluations": dict(found.evaluations),
        "score": None if found.score is None else round(found.score, 6),
        "warnings": list(found.warnings),
        "reasons": sorted([*pair, why.rule, list(why.witness)] for pair, why in found.reasons.items()),
        "conflicts": [[c.rule, c.other, c.at, list(c.witness)] for c in found.conflicts],
        "tree": [list(node.variables) for node in found.tree.nodes],
    }


def slow(test: FisherZ) -> CallableTest:
    """The same test as a user's own function."""
    return CallableTest(lambda x, y, z: test(x, y, z).p_value, test.names, alpha=0.01)


def runs() -> Iterator[tuple[str, Any]]:
    """Every run with its name."""
    for name in ("er-sparse", "mildew", "er-dense"):
        for seed in (1, 2):
            dag, latents, frame = table(name, seed)
            ci, oracle = FisherZ(frame, alpha=0.01), Oracle(dag, latents)
            for learner in LEARNERS:
                for decompose in (True, False):
                    way = "decomposed" if decompose else "alone"
                    yield f"{name} {seed} {learner} {way}", lambda a=(ci, learner, decompose): discover(*a[:2], decompose=a[2])
                    if learner not in ("gfci", "boss-fci", "mag-bic"):
                        yield (
                            f"{name} {seed} oracle {learner} {way}",
                            lambda a=(oracle, learner, decompose): discover(*a[:2], decompose=a[2]),
                        )
            for mode in MODES:
                yield f"{name} {seed} mode {mode}", lambda a=(ci, mode): discover(a[0], mode=a[1])
            for stop in ("paper", "reference"):
                yield f"{name} {seed} stop {stop}", lambda a=(ci, stop): discover(a[0], stop=a[1])
            for colliders in ("conservative", "majority", "max_p", "order"):
                yield f"{name} {seed} colliders {colliders}", lambda a=(ci, colliders): discover(a[0], colliders=a[1])
            for blankets in ("grow_shrink", "iamb"):
                yield f"{name} {seed} blankets {blankets}", lambda a=(ci, blankets): discover(a[0], blankets=a[1])
            yield f"{name} {seed} relearn", lambda a=ci: discover(a, uig="relearn", leaf_start="complete")
            yield f"{name} {seed} legalize", lambda a=ci: discover(a, legalize=True)
            yield f"{name} {seed} selection", lambda a=ci: discover(a, decompose=False, selection=True)
            names = list(frame.columns)
            known = Knowledge(forbidden=[(names[0], names[1]), (names[3], names[2])])
            yield f"{name} {seed} knowledge", lambda a=(ci, known): discover(a[0], knowledge=a[1])
            limited = dicola.FCI(max_condition_size=2, max_possible_dsep_size=1)
            yield f"{name} {seed} limits", lambda a=(ci, limited): discover(a[0], a[1])
            yield f"{name} {seed} jobs", lambda a=ci: discover(a, n_jobs=2)
            if name != "mildew":
                for learner in ("fci", "rfci", "l-marvel"):
                    yield f"{name} {seed} callable {learner}", lambda a=(slow(ci), learner): discover(*a, max_nodes=9)
            for target in names[:3]:
                yield f"{name} {seed} local {target}", lambda a=(ci, target): local(*a)
                yield f"{name} {seed} oracle local {target}", lambda a=(oracle, target): local(*a)


def main(file: str) -> None:
    """Write the digest of every run; the facts beside it, so that a difference can be looked at."""
    lines = {}
    for name, run in runs():
        found = run()
        if isinstance(found, dicola.LocalDiscovery):
            told = {key: value for key, value in found.to_dict().items() if key != "settings"}
        else:
            told = facts(found)
        lines[name] = {"sha256": sha256(json.dumps(told, sort_keys=True).encode()).hexdigest(), "facts": told}
    Path(file).write_text(json.dumps(lines, indent=0), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
