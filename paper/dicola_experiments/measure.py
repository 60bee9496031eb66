"""One run of one cell: draw the problem, run the method, compare with the truth."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from dicola import PAG, FisherZ, discover
from dicola.metrics import Comparison, Scores, compare
from dicola_experiments.methods import ALPHA, DEGREE, METHODS, MMB_BY_MMB, Answer, around
from dicola_experiments.plan import NORMAL, STRONG, Cell, Problem, Setting
from dicola_experiments.rows import Row

_DIGITS = 4  # of ratios; seconds keep six
_WARM_UP = Setting("ER(12,3)", 1, "any", 200)


def row_of(cell: Cell, seed: int, cap: float, status: str, facts: dict[str, Any]) -> Row:
    """What names the run, and what is known of it."""
    where = cell.setting
    named: Row = {"kind": cell.kind, "graph": where.graph, "hidden": where.hidden, "pool": where.pool, "samples": where.samples}
    if where.coefficients != STRONG:
        named["coefficients"] = list(where.coefficients)
    if where.errors != NORMAL:
        named["errors"] = where.errors
    if where.curvature:
        named["curvature"] = where.curvature
    return {**named, "method": cell.method, "seed": seed, "status": status, "cap": cap, **facts}


def warm_up(cell: Cell) -> None:
    """Run the method once on something small, so that loading and compiling cost it no seconds."""
    if cell.method != DEGREE:
        _MEASURES[cell.kind](Cell(cell.kind, _WARM_UP, cell.method, 1, cell.cap), _WARM_UP.draw(1))


def measure(cell: Cell, seed: int, data: Path | None = None) -> dict[str, Any]:
    """All figures of one run; ``data`` is the folder of networks outside the repository."""
    return _MEASURES[cell.kind](cell, cell.setting.draw(seed, data))


def _recovery(cell: Cell, problem: Problem) -> dict[str, Any]:
    answer = METHODS[cell.method](problem.table())
    return _recovered(answer, compare(answer.graph, _truth(problem)))


def _accuracy(cell: Cell, problem: Problem) -> dict[str, Any]:
    """The same with counts of edges, which a graph without any needs."""
    answer = METHODS[cell.method](problem.table())
    scores = compare(answer.graph, _truth(problem))
    edges = scores.skeleton
    counts = {"true_edges": edges.true, "edges_found": edges.hits, "false_edges": edges.found - edges.hits}
    return _recovered(answer, scores) | counts


def _recovered(answer: Answer, scores: Comparison) -> dict[str, Any]:
    facts = _cost(answer) | _ratios(scores.skeleton)
    if answer.marked:
        facts |= {f"mark_{name}": value for name, value in _ratios(scores.marks).items()}
        facts |= {"arrowhead_f1": round(scores.arrowheads.f1, _DIGITS), "tail_f1": round(scores.tails.f1, _DIGITS)}
    return facts | answer.shape


def _degrees(cell: Cell, problem: Problem) -> dict[str, Any]:
    start = perf_counter()
    mag = problem.dag.true_mag(problem.latents)
    n_arcs = len(problem.dag.edges())
    return {
        "observed": len(mag),
        "seconds": round(perf_counter() - start, 6),
        "dag_degree": round(2 * n_arcs / len(problem.dag.names), _DIGITS),
        "mag_degree": round(2 * mag.n_edges / len(mag), _DIGITS),
    }


def _population(cell: Cell, problem: Problem) -> dict[str, Any]:
    """From the exact covariance, as if of so many rows: is the PAG the true one, mark for mark?"""
    covariance = problem.covariance()
    ci = FisherZ.from_covariance(covariance.to_numpy(), n_samples=problem.setting.samples, names=covariance.columns, alpha=ALPHA)
    start = perf_counter()
    found = discover(ci, mode=cell.method.removeprefix("mode "))
    scores = compare(found.pag, _truth(problem))
    facts = {"observed": len(found.pag), "seconds": round(perf_counter() - start, 6), "tests": dict(found.tests)}
    exact = {
        "exact_pag": int(scores.mark_shd == 0),
        "exact_skeleton": int(scores.skeleton.hits == scores.skeleton.true == scores.skeleton.found),
    }
    return {**facts, **exact, "f1": round(scores.skeleton.f1, _DIGITS), "mark_f1": round(scores.marks.f1, _DIGITS)}


def _local(cell: Cell, problem: Problem) -> dict[str, Any]:
    """Only the edges of one target.

    The paper does not say what it counts, so we give all three: adjacencies, edges with both marks
    right, and single marks.
    """
    truth, table = _truth(problem), problem.table()
    target = target_of(truth, problem.seed)
    answer = around(table, target) if cell.method == MMB_BY_MMB else METHODS[cell.method](table)
    found, true = _edges_at(answer.graph, target), _edges_at(truth, target)
    common = [(found[other], true[other]) for other in found.keys() & true.keys()]
    counts = {
        "adjacency": Scores(len(common), len(found), len(true)),
        "edge": Scores(sum(mine == theirs for mine, theirs in common), len(found), len(true)),
        "mark": Scores(sum(a == b for ours, theirs in common for a, b in zip(ours, theirs, strict=True)), 2 * len(found), 2 * len(true)),
    }
    facts = {f"{what}_{name}": value for what, scores in counts.items() for name, value in _ratios(scores).items()}
    return {**_cost(answer), "observed": table.shape[1], "target": target, "target_degree": len(true), **facts}


def target_of(truth: PAG, seed: int) -> str:
    """A target "with a relatively large adjacency set".

    It is drawn from the quarter of the variables that has the most neighbours.
    """
    degrees = (truth.to_matrix() != 0).sum(axis=1)
    by_degree = sorted(range(len(truth)), key=lambda v: (-int(degrees[v]), v))
    return truth.names[int(np.random.default_rng(seed).choice(by_degree[: max(1, len(truth) // 4)]))]


def _edges_at(graph: PAG, target: str) -> dict[str, tuple[int, int]]:
    """The neighbours of a vertex, each with the marks at the vertex and at the neighbour."""
    at, marks = graph.names.index(target), graph.to_matrix()
    return {graph.names[v]: (int(marks[v, at]), int(marks[at, v])) for v in np.flatnonzero(marks[at])}


_MEASURES = {"recovery": _recovery, "accuracy": _accuracy, "degrees": _degrees, "local": _local, "population": _population}


def _cost(answer: Answer) -> dict[str, Any]:
    return {
        "observed": len(answer.graph),
        **({"tests": answer.tests} if answer.tests else {}),
        "seconds": round(answer.seconds, 6),
        "cpu_seconds": round(answer.cpu_seconds, 6),
    }


def _ratios(scores: Scores) -> dict[str, float]:
    return {name: round(getattr(scores, name), _DIGITS) for name in ("precision", "recall", "f1")}


def _truth(problem: Problem) -> PAG:
    setting = problem.setting
    key = setting.graph, setting.hidden, setting.pool, problem.seed
    if key not in _TRUTHS:
        while len(_TRUTHS) >= _KEPT:
            del _TRUTHS[next(iter(_TRUTHS))]
        _TRUTHS[key] = problem.dag.true_pag(problem.latents)
    return _TRUTHS[key]


_KEPT = 512
_TRUTHS: dict[tuple[Any, ...], PAG] = {}  # a PAG does not depend on the rows
