"""Tables of means: as text for the terminal, as Markdown for the report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dicola_experiments.plan import Setting
from dicola_experiments.summary import Mean, Outcome, Results

TITLES = {
    "f1": "F1 of the skeleton",
    "adjacency_f1": "F1 of the neighbours",
    "edge_f1": "F1 of the edges with both marks right",
    "mark_f1": "F1 of the marks",
    "exact_pag": "Share of exact PAGs",
    "exact_skeleton": "Share of exact skeletons",
    "tests": "Independence tests, blankets counted",
    "time": "CPU seconds",
}
METRICS_OF = {
    "recovery": ("f1", "mark_f1", "tests", "time"),
    "population": ("exact_pag", "exact_skeleton", "f1", "mark_f1"),
    "local": ("adjacency_f1", "edge_f1", "mark_f1", "tests", "time"),
}
LEGEND = "mean ± standard error (runs finished); stopped: the cap ended the run"


@dataclass(frozen=True)
class Table:
    """A heading, names of columns, and lines of as many cells."""

    title: str
    head: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]

    def text(self) -> str:
        """Columns under one another."""
        widths = [max(len(line[column]) for line in (self.head, *self.lines)) for column in range(len(self.head))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in (self.head, *self.lines)]
        return "\n".join([self.title, *(f"  {line}".rstrip() for line in lines)])

    def markdown(self, aligned: bool = True) -> str:
        """A Markdown table, without its title; ``aligned`` to the right, as figures are."""
        rule = ["---", *["---:" if aligned else "---"] * (len(self.head) - 1)]
        return "\n".join(f"| {' | '.join(line)} |" for line in (self.head, rule, *self.lines))


def study_tables(results: Results) -> list[Table]:
    """One table per series and metric: one line per method, one column per number of rows.

    Where every series has one number of rows, there is one column per graph instead.
    """
    kind = results.study.kind
    if kind == "degrees":
        return [_degrees_table(results)]
    return [
        _table(results, where, settings, metric) for where, settings in _columns(results).items() for metric in METRICS_OF.get(kind, ())
    ]


def _degrees_table(results: Results) -> Table:
    """A line a graph, a column a pool."""
    lines: dict[str, dict[str, Outcome]] = {}
    for outcome in results:
        setting = outcome.cell.setting
        lines.setdefault(f"{setting.graph}/{setting.hidden}", {})[setting.pool] = outcome
    pools = list(dict.fromkeys(pool for by_pool in lines.values() for pool in by_pool))
    body = [
        (
            graph,
            mean_text(next(iter(by_pool.values())).mean("dag_degree"), "dag_degree"),
            *(cell_text(by_pool.get(pool), "mag_degree") for pool in pools),
        )
        for graph, by_pool in lines.items()
    ]
    return Table("Average degrees", ("graph", "the graph's", *(f"the MAG's, pool {pool}" for pool in pools)), tuple(body))


def expression_table(facts: dict[str, Any]) -> Table:
    """How many edges of each run stay within a pathway, beside what chance would have."""
    head = ("genes", "run", "edges", "within a pathway", "by chance", "p", "tests", "leaves", "largest leaf")
    lines = []
    for selection in facts["selections"]:
        for run in selection["runs"]:
            share = "–" if run["share_within"] is None else f"{run['within']} ({run['share_within']:.0%})"
            chance = (f"{run['expected_share_within']:.0%}", f"{run['chance']:.3f}")
            size = (f"{run['tests']['total']:,}", str(run["leaves"]), str(run["largest_leaf"]))
            lines.append((str(selection["genes"]), run["how"], str(run["edges"]), share, *chance, *size))
    return Table(f"Edges within a pathway, {facts['rows']} arrays, alpha = {facts['alpha']:g}", head, tuple(lines))


def _columns(results: Results) -> dict[str, dict[str, Setting]]:
    """Settings that share a table, by what tells them apart: the number of rows, else the graph."""
    series = results.series()
    if all(len(settings) == 1 for settings in series.values()):
        found: dict[str, dict[str, Setting]] = {}
        for (graph, hidden, pool), (setting,) in series.items():
            samples = f", N = {setting.samples}" if setting.samples else ""
            found.setdefault(f"{_pool(pool)}{samples}", {})[f"{graph}/{hidden}"] = setting
        return found
    return {
        f"{graph}, {hidden} hidden, {_pool(pool)}": {f"N = {setting.samples}": setting for setting in settings}
        for (graph, hidden, pool), settings in series.items()
    }


def _pool(pool: str) -> str:
    return f"pool {pool}"


def _table(results: Results, where: str, settings: dict[str, Setting], metric: str) -> Table:
    lines = []
    for method in results.methods:
        outcomes = [results.at(setting, method) for setting in settings.values()]
        if any(outcome is not None for outcome in outcomes):
            lines.append((method, *(cell_text(outcome, metric) for outcome in outcomes)))
    return Table(f"{TITLES[metric]}: {where}", ("method", *settings), tuple(lines))


def cell_text(outcome: Outcome | None, metric: str) -> str:
    """A mean with its standard error and the runs behind it; what was stopped is told.

    A method that was given up keeps the mean of the runs that finished, few as they are.
    """
    if outcome is None:
        return ""
    mean = outcome.mean(metric)
    remarks = [str(len(outcome.finished))] if mean is not None else []
    remarks += [f"{outcome.n_stopped} stopped"] if outcome.n_stopped else []
    remarks += [f"{outcome.n_failed} failed"] if outcome.n_failed else []
    return f"{mean_text(mean, metric)} ({', '.join(remarks)})" if remarks else mean_text(mean, metric)


def mean_text(mean: Mean | None, metric: str) -> str:
    """A mean and its error with the digits that the metric deserves; a dash where there is none.

    >>> mean_text(Mean(1234.5, 21.0, 50), "tests"), mean_text(Mean(0.81234, 0.004, 50), "f1")
    ('1,234 ±21', '0.812 ±0.004')
    """
    if mean is None:
        return "–"
    error = "" if mean.error is None else f" ±{number(mean.error, metric)}"
    return f"{number(mean.value, metric)}{error}"


def number(value: float, metric: str) -> str:
    """Counts whole, degrees with two digits, ratios with three, few seconds with more."""
    if metric.startswith("tests"):
        return f"{value:,.0f}"
    if metric.endswith("degree"):
        return f"{value:.2f}"
    if metric == "time":
        return f"{value:,.1f}" if value >= 10 else f"{value:.2f}" if value >= 1 else f"{value:.4f}"
    return f"{value:.3f}"
