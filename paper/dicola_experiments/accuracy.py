"""The study of accuracy: the default answer beside every mode, learner and library.

All differences are paired: a seed is one graph and one table, the same for every method.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median, mode
from textwrap import fill
from typing import Final

from dicola import InvalidData
from dicola_experiments.files import write_changed
from dicola_experiments.markdown import folded, paragraphs
from dicola_experiments.methods import GROUPS, PEERS
from dicola_experiments.plan import Setting
from dicola_experiments.summary import Mean, Outcome, Results, compared, figure
from dicola_experiments.tables import Table, mean_text, number

DEFAULT = "default"
METRICS: Final = {"f1": "skeleton F1", "mark_f1": "mark F1", "false_edges": "false edges"}
BEGIN, END = "<!-- accuracy: written by `dicola paper report` -->", "<!-- accuracy: end -->"
_WIDTH = 100
_LEGEND = (
    "Means ± standard errors, of as many tables as the last column says. Differences are method minus default on the tables that both "
    "finished. Seconds are the median, of one processor core, without loading and compiling."
)


def is_noise(setting: Setting) -> bool:
    """Are all columns independent, so that every edge is false?"""
    return setting.graph.endswith(",0)")


def metrics_of(setting: Setting) -> tuple[str, ...]:
    """What a setting is judged by: without true edges there is no F1."""
    return ("false_edges",) if is_noise(setting) else ("f1", "mark_f1")


@dataclass(frozen=True)
class Beaten:
    """A method that did better than the default on a setting, by more than one standard error."""

    setting: Setting
    method: str
    metric: str
    default: Mean
    other: Mean
    difference: Mean

    @property
    def errors(self) -> float:
        """The difference in standard errors."""
        return abs(self.difference.value) / self.difference.error if self.difference.error else float("inf")


def beaten(results: Results) -> Iterator[Beaten]:
    """Every setting, method and metric where the default does worse; two tables say too little."""
    for setting in results.settings:
        for method in results.methods:
            for metric in metrics_of(setting):
                found = _against_default(results, setting, method, metric)
                if found is not None and _is_better(found.difference, metric):
                    yield found


def _against_default(results: Results, setting: Setting, method: str, metric: str) -> Beaten | None:
    default, other = results.at(setting, DEFAULT), results.at(setting, method)
    both = None if default is None or other is None or method == DEFAULT else compared(other, default, metric)
    return None if both is None else Beaten(setting, method, metric, both.second, both.first, both.difference)


def _is_better(difference: Mean, metric: str) -> bool:
    gain = -difference.value if metric == "false_edges" else difference.value
    return difference.n > 2 and difference.error is not None and gain > difference.error


def accuracy_tables(results: Results) -> list[Table]:
    """One table per setting with a line per method; then failures."""
    tables = [_setting_table(results, setting) for setting in results.settings]
    return [*tables, beaten_table(results), failures_table(results)] if tables else []


def _setting_table(results: Results, setting: Setting) -> Table:
    metrics = metrics_of(setting)
    counted = setting.graph.startswith("FACTORS")
    head = ("method", *(METRICS[metric] for metric in metrics), *(f"{METRICS[metric]} − default" for metric in metrics))
    head += ("true edges found", "false edges") if counted else ()
    lines = []
    for method in results.methods:
        outcome = results.at(setting, method)
        if outcome is not None:
            means = [mean_text(outcome.mean(metric), metric) for metric in metrics]
            gaps = [_gap(results, setting, method, metric) for metric in metrics]
            edges = [mean_text(outcome.mean(metric), "degree") for metric in ("edges_found", "false_edges")] if counted else []
            lines.append((method, *means, *gaps, *edges, seconds_text(outcome), _runs(outcome)))
    return Table(results.study.name_of(setting), (*head, "seconds", "tables"), tuple(lines))


def _gap(results: Results, setting: Setting, method: str, metric: str) -> str:
    found = _against_default(results, setting, method, metric)
    if found is None:
        return ""
    error = "" if found.difference.error is None else f" ±{number(found.difference.error, metric)}"
    return f"{found.difference.value:+.3f}{error}"


def seconds_text(outcome: Outcome) -> str:
    """The median seconds of the runs that finished, of one core."""
    times = [time for row in outcome.finished if (time := figure(row, "time")) is not None]
    return number(median(times), "time") if times else "–"


def _runs(outcome: Outcome) -> str:
    told = [str(len(outcome.finished))]
    told += [f"{outcome.n_stopped} stopped"] if outcome.n_stopped else []
    return ", ".join(told + ([f"{outcome.n_failed} failed"] if outcome.n_failed else []))


def beaten_table(results: Results) -> Table:
    """A line for each method that beats the default somewhere by more than one standard error."""
    lines = [
        (
            results.study.name_of(each.setting),
            each.method,
            METRICS[each.metric],
            number(each.default.value, each.metric),
            number(each.other.value, each.metric),
            f"{each.difference.value:+.3f} ±{each.difference.error:.3f}",
            f"{each.errors:.1f}",
            str(each.difference.n),
        )
        for each in beaten(results)
    ]
    head = ("setting", "method", "by", "default", "method's", "difference", "standard errors", "tables")
    return Table("Better than the default by more than one standard error", head, tuple(lines))


def failures_table(results: Results) -> Table:
    """What did not come to an answer, by method."""
    lines = []
    for method in results.methods:
        mine = [outcome for outcome in results if outcome.cell.method == method]
        counts = [sum(len(o.finished) for o in mine), sum(o.n_failed for o in mine), sum(o.n_stopped for o in mine)]
        if counts[1] or counts[2]:
            lines.append((method, *map(str, counts), str(sum(o.given_up for o in mine))))
    head = ("method", "finished", "failed or crashed", "stopped by the cap", "settings given up")
    return Table("Runs without an answer", head, tuple(lines))


def summary_table(results: Results) -> Table:
    """A line per setting with edges: the default, exact, FCI alone, our BOSS-FCI, the best peer.

    Of several, the one with the best marks stands there; what it was run on is its own.
    """
    lines = []
    for setting in results.settings:
        if not is_noise(setting):
            groups = (["mode exact"], GROUPS["limited"], ["boss-fci"])
            own = [_pair(_best(results, setting, group)) for group in ([DEFAULT], *groups)]
            peer = _best(results, setting, PEERS)
            named = "–" if peer is None else f"{_pair(peer)} ({peer.cell.method})"
            lines.append((results.study.name_of(setting), *own, named))
    head = ("skeleton F1 / mark F1", "`DiCoLa()`", "`exact`", "FCI alone", "boss-fci", "best other library")
    return Table("The default and others", head, tuple(lines))


def noise_table(results: Results) -> Table:
    """Mean false edges on independent columns."""
    settings = [setting for setting in results.settings if is_noise(setting)]
    lines = []
    for method in results.methods:
        outcomes = [results.at(setting, method) for setting in settings]
        if any(outcomes):
            means = [None if outcome is None else outcome.mean("false_edges") for outcome in outcomes]
            lines.append((method, *(mean_text(mean, "false_edges") for mean in means)))
    return Table("False edges", ("false edges", *map(results.study.name_of, settings)), tuple(lines))


def seconds_table(results: Results) -> Table:
    """Median seconds on each setting; the columns are methods."""
    head = ("seconds", *results.methods)
    outcomes = [(setting, [results.at(setting, method) for method in results.methods]) for setting in results.settings]
    lines = [(results.study.name_of(setting), *(seconds_text(o) if o else "" for o in found)) for setting, found in outcomes]
    return Table("Seconds", head, tuple(lines))


def _best(results: Results, setting: Setting, methods: Iterable[str]) -> Outcome | None:
    """The outcome with the best marks among the methods that finished."""
    found = [(mean.value, outcome) for m in methods if (outcome := results.at(setting, m)) and (mean := outcome.mean("mark_f1"))]
    return max(found, key=lambda each: each[0])[1] if found else None


def _pair(outcome: Outcome | None) -> str:
    """Skeleton and marks, as short as tables in a text can have them."""
    means = [None if outcome is None else outcome.mean(metric) for metric in ("f1", "mark_f1")]
    return " / ".join("–" if mean is None else f"{mean.value:.3f}".removeprefix("0") for mean in means)


def report_page(results: Results) -> str:
    """The whole of ``ACCURACY.md``."""
    study = results.study
    tables = "\n\n".join(f"**{table.title}**\n\n{table.markdown()}" for table in (_setting_table(results, s) for s in results.settings))
    parts = [
        f"# {study.title}",
        "Written by `dicola paper report` from the rows in `results/`; change those, not this file.",
        f"{study.shows}. {_seeds(results)}",
        "![Skeleton and mark F1](figures/accuracy.svg)" if any(not is_noise(s) for s in results.settings) else "",
        summary_table(results).markdown(),
        "## Where the default is not the best",
        _beaten_text(results),
        "## Independent columns",
        "Every edge is false; means over tables.",
        noise_table(results).markdown(),
        "## Seconds",
        "The median of one core, warm: loading and compiling are not counted.",
        seconds_table(results).markdown(),
        "## Runs without an answer",
        _failures_text(results),
        "## All figures",
        _LEGEND,
        folded("One table per setting", tables),
    ]
    return paragraphs(parts) + "\n"


def page_block(results: Results | None) -> str:
    """What ``docs/modes.md`` says of the study."""
    if results is None or not results.settings:
        return _wrapped("No runs yet: `dicola paper run accuracy` makes them, and `dicola paper report` writes them here.")
    noise = noise_table(results)
    return paragraphs(
        [
            _wrapped(
                f"`dicola paper run accuracy`: skeleton F1 / mark F1. {_seeds(results)} Where a column stands for several methods, the "
                "one with the best marks on that setting is shown. Standard errors, all methods, seconds and paired differences are in "
                "`paper/ACCURACY.md`, and `dicola paper show accuracy` prints them."
            ),
            summary_table(results).markdown(),
            "![Skeleton and mark F1 of the default and of others](images/accuracy.svg)",
            _wrapped(f"{_n_beaten(results)} Mean number of false edges on independent columns:" if noise.lines else _n_beaten(results)),
            noise.markdown() if noise.lines else "",
        ]
    )


def write_block(path: Path, text: str) -> Path:
    """Put the text between the two marks of a page; a page without them is refused."""
    page = path.read_text(encoding="utf-8")
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise InvalidData(f"{path} lacks the lines {BEGIN!r} and {END!r}, between which the figures of the study go.")
    return write_changed(path, f"{before}{BEGIN}\n\n{text}\n\n{END}{after}".encode())


def _wrapped(text: str) -> str:
    """Prose in lines as long as those of the documentation."""
    return fill(text, _WIDTH, break_long_words=False, break_on_hyphens=False)


def _seeds(results: Results) -> str:
    seeds = sorted({row["seed"] for outcome in results for row in outcome.rows})
    runs = [len(outcome.finished) for outcome in results]
    usual, others = mode(runs), f"{min(runs)} to {max(runs)}"
    spread = "" if min(runs) == max(runs) else f"; {others} where a method came to no answer on some, or was given others in their place"
    return f"Means over {usual} tables of each setting (seeds {seeds[0]} to {seeds[-1]}){spread}."


def _beaten_text(results: Results) -> str:
    table = beaten_table(results)
    return f"{_n_beaten(results)}\n\n{table.markdown()}" if table.lines else _n_beaten(results)


def _n_beaten(results: Results) -> str:
    cells = [
        (setting, metric)
        for setting in results.settings
        for metric in metrics_of(setting)
        if any(_against_default(results, setting, method, metric) for method in results.methods)
    ]
    worse: Sequence[tuple[float, tuple[Setting, str]]] = [(each.errors, (each.setting, each.metric)) for each in beaten(results)]
    one, two = ({cell for errors, cell in worse if errors > bound} for bound in (1, 2))
    return (
        f"Of {len(cells)} settings and measures some method beats the default by more than one standard error of the paired difference in "
        f"{len(one)}, and by more than two in {len(two)}."
    )


def _failures_text(results: Results) -> str:
    table = failures_table(results)
    return table.markdown() if table.lines else "None."
