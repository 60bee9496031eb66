"""What the rows of a study say.

Means with standard errors for each setting and method, and differences between methods seed by
seed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any

from dicola_experiments.plan import Cell, Setting, Study
from dicola_experiments.rows import NO_SEED, Row, Rows, cell_key


@dataclass(frozen=True)
class Mean:
    """A mean of n values and its standard error, which a single value does not have."""

    value: float
    error: float | None
    n: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Mean | None:
        """Of no values there is none.

        >>> Mean.of([1.0, 3.0])
        Mean(value=2.0, error=1.0, n=2)
        """
        n = len(values)
        if n == 0:
            return None
        mean = sum(values) / n
        error = sqrt(sum((value - mean) ** 2 for value in values) / (n - 1) / n) if n > 1 else None
        return cls(mean, error, n)


@dataclass(frozen=True)
class Outcome:
    """All runs of one method on one setting.

    ``given_up``: it was stopped so often that it was not run further there.
    """

    cell: Cell
    rows: tuple[Row, ...]
    given_up: bool

    @property
    def finished(self) -> tuple[Row, ...]:
        """Runs that came to their end."""
        return tuple(row for row in self.rows if row["status"] == "done")

    @property
    def n_stopped(self) -> int:
        """Runs that their cap ended, or would have if they had not been granted a longer one."""
        return sum(row["status"] == "capped" or row.get("seconds", 0.0) > self.cell.cap for row in self.rows)

    @property
    def n_failed(self) -> int:
        """Runs that ended with an error."""
        return sum(row["status"] in ("failed", "lost") for row in self.rows)

    def on(self, seeds: Collection[int]) -> Outcome:
        """The runs with these seeds alone."""
        return replace(self, rows=tuple(row for row in self.rows if row["seed"] in seeds))

    def mean(self, metric: str) -> Mean | None:
        """The mean over the runs that finished."""
        return Mean.of([value for row in self.finished if (value := figure(row, metric)) is not None])

    def facts(self) -> dict[str, Any]:
        """Everything, for machines."""
        where = self.cell.setting
        means = {metric: self.mean(metric) for metric in METRICS}
        return {
            "graph": where.graph,
            "hidden": where.hidden,
            "pool": where.pool,
            "samples": where.samples,
            "method": self.cell.method,
            "finished": len(self.finished),
            "stopped": self.n_stopped,
            "failed": self.n_failed,
            "given_up": self.given_up,
            "cap": self.cell.cap,
            "means": {metric: {"mean": mean.value, "se": mean.error, "n": mean.n} for metric, mean in means.items() if mean is not None},
        }


METRICS = (
    *("f1", "precision", "recall", "mark_f1", "mark_precision", "mark_recall", "arrowhead_f1", "tail_f1"),
    *("tests", "tests.blankets", "tests.leaves", "tests.orientation", "seconds", "cpu_seconds", "leaves", "largest_leaf", "depth"),
    *("dag_degree", "mag_degree"),
    *("exact_pag", "exact_skeleton"),
    *("true_edges", "edges_found", "false_edges"),
    *("adjacency_precision", "adjacency_recall", "adjacency_f1", "edge_precision", "edge_recall", "edge_f1"),
)


def figure(row: Row, metric: str) -> float | None:
    """One figure of a row, or ``None`` where it has none.

    ``tests`` is the number of all tests, ``tests.leaves`` that of one phase, ``tests.learning``
    that of all but the blankets. ``time`` is what the run, which has one thread, took of a
    processor: it does not depend on who else used the machine.
    """
    if metric == "time":
        metric = "cpu_seconds" if "cpu_seconds" in row else "seconds"
    name, _, part = metric.partition(".")
    value = row.get(name)
    if isinstance(value, dict):
        value = value["total"] - value.get("blankets", 0) if part == "learning" else value.get(part or "total")
    return None if value is None else float(value)


class Results:
    """The rows of a study, by setting and method, in the order of its plan."""

    def __init__(self, study: Study, rows: Rows | Iterable[Row]) -> None:
        self.study = study
        by_cell: dict[tuple[Any, ...], dict[int, Row]] = {}
        for row in rows:
            by_cell.setdefault(cell_key(row), {})[row["seed"]] = row
        self._outcomes: dict[tuple[Setting, str], Outcome] = {}
        for cell in study.cells():
            seeds = by_cell.get(cell.key, {})
            if runs := tuple(seeds[seed] for seed in sorted(seeds) if seed != NO_SEED):
                self._outcomes[cell.setting, cell.method] = Outcome(cell, runs, NO_SEED in seeds)

    def __iter__(self) -> Iterator[Outcome]:
        return iter(self._outcomes.values())

    def at(self, setting: Setting, method: str) -> Outcome | None:
        """What a method did on a setting, if it was run there."""
        return self._outcomes.get((setting, method))

    @property
    def settings(self) -> list[Setting]:
        """Settings that have rows."""
        return list(dict.fromkeys(setting for setting, _ in self._outcomes))

    @property
    def methods(self) -> list[str]:
        """Methods that have rows."""
        return list(dict.fromkeys(method for _, method in self._outcomes))

    def series(self) -> dict[tuple[str, int, str], list[Setting]]:
        """Settings that differ only in the number of rows, by graph, hidden variables and pool.

        Coefficients other than the paper's are named beside the pool.
        """
        found: dict[tuple[str, int, str], list[Setting]] = {}
        for setting in self.settings:
            pool = " ".join(filter(None, (setting.pool, setting.sizes)))
            found.setdefault((setting.graph, setting.hidden, pool), []).append(setting)
        return {key: sorted(settings, key=lambda setting: setting.samples) for key, settings in found.items()}


@dataclass(frozen=True)
class Comparison:
    """A method against another on the seeds that both finished.

    Means of both, and of their difference (first minus second).
    """

    first: Mean
    second: Mean
    difference: Mean

    @property
    def ratio(self) -> float:
        """The first mean over the second."""
        return self.first.value / self.second.value if self.second.value else float("inf")


def compared(first: Outcome, second: Outcome, metric: str) -> Comparison | None:
    """Seed by seed, because the same seed is the same graph and the same table.

    ``None`` where no seed was finished by both.
    """
    mine = {row["seed"]: value for row in first.finished if (value := figure(row, metric)) is not None}
    other = {row["seed"]: value for row in second.finished if (value := figure(row, metric)) is not None}
    seeds = sorted(mine.keys() & other.keys())
    means = [Mean.of(values) for values in ([mine[s] for s in seeds], [other[s] for s in seeds], [mine[s] - other[s] for s in seeds])]
    first_mean, second_mean, difference = means
    if first_mean is None or second_mean is None or difference is None:
        return None
    return Comparison(first_mean, second_mean, difference)
