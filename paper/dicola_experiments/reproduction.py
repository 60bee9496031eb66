"""``REPRODUCTION.md``: what the paper publishes beside what the rows say, and why they differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dicola_experiments.chapters import (
    degree_rows,
    degrees_chapter,
    expression_chapter,
    fewest_tests,
    local_chapter,
    peers_chapter,
    study_chapter,
    tests_saved,
    variants_chapter,
)
from dicola_experiments.claims import Check, checks
from dicola_experiments.figures import figures_of, method_name
from dicola_experiments.folder import SMOKE, Folder
from dicola_experiments.markdown import folded, paragraphs, picture, times
from dicola_experiments.published import Published, one_line, read_facts
from dicola_experiments.summary import Comparison, Results
from dicola_experiments.tables import Table, number


def report_text(folder: Folder, studies: Mapping[str, Results]) -> str:
    """The whole report, in Markdown."""
    published, run = Published.read(folder.path / "published.toml"), read_facts(folder.path / "run.toml")
    recovered = {name: results for name, results in studies.items() if results.study.kind == "recovery"}
    found = {name: list(checks(results)) for name, results in recovered.items()}
    drawn = set(figures_of(studies))
    parts = [
        "# The paper, reproduced",
        "Written by `dicola paper report` from the rows in `results/` and from `published.toml`; change those, not this file. The paper: "
        f"{published.source}.",
        _in_short(studies, found, published),
        _how(run, studies),
        _choices(published),
        *([degrees_chapter(studies["degrees"], published)] if "degrees" in studies else []),
        _claims(found, published),
        *(["## The main figure\n\n" + picture("main", "ER(30,5), ER(50,3) and ANDES")] if "main" in drawn else []),
        *(study_chapter(results, name in drawn, published) for name, results in recovered.items() if len(results.settings) > 0),
        *([variants_chapter(recovered)] if "variants" in drawn else []),
        peers_chapter(recovered),
        *([local_chapter(studies["local"], published)] if "local" in studies else []),
        *(expression_chapter(folder, name) for name in folder.names if folder.study(name).kind == "expression"),
    ]
    return paragraphs(parts) + "\n"


def results_in(folder: Folder) -> dict[str, Results]:
    """All studies with rows, but for the smoke test, real data, and what has a page of its own."""
    others = ("expression", "accuracy")
    found = {name: folder.outcomes(name) for name in folder.names if name != SMOKE and folder.study(name).kind not in others}
    return {name: results for name, results in found.items() if results.settings}


def _in_short(studies: Mapping[str, Results], found: Mapping[str, list[Check]], published: Published) -> str:
    cells = [check for each in found.values() for check in each]
    lines = []
    if cells:
        fewer, faster = sum(check.needs_fewer_tests for check in cells), sum(check.is_faster for check in cells)
        both = [check for check in cells if check.accuracy is not None]
        as_good = sum(check.is_as_accurate for check in both)
        lines = [
            ("fewer tests with DiCoLa than without", "in all settings, for all learners", f"in {fewer} of {len(cells)} cells"),
            (
                "F1 of the skeleton with DiCoLa",
                "improves or matches",
                f"not below by more than a standard error in {as_good} of {len(both)} cells",
            ),
            ("less time with DiCoLa than without", "in all settings, for all learners", f"in {faster} of {len(cells)} cells"),
        ]
    if "dense" in studies and published.table("dense"):
        for base in dict.fromkeys(entry["learner"] for entry in published.table("dense")):
            entries = [entry for entry in published.table("dense") if entry["learner"] == base]
            ours = [
                " → ".join(tests_saved(studies["dense"], base, entry["graph"], stop) for entry in entries)
                for stop in ("paper", "reference", "auto")
            ]
            theirs = " → ".join(f"{entry['saved']:.1%}" for entry in entries)
            text = f"{ours[0]} (`paper`), {ours[1]} (`reference`), {ours[2]} (`auto`)"
            lines.append((f"tests saved from d = 3 to d = 6, {method_name(base)}", theirs, text))
    if "degrees" in studies and published.table("degrees"):
        rows = list(degree_rows(studies["degrees"], published))
        close = sum(verdict for *_, verdict in rows)
        lines.append(("average degrees of the induced MAGs", f"{len(rows)} settings", f"{close} of {len(rows)} met"))
    if "local" in studies:
        lines.append(("fewest tests around one target", "MMB-by-MMB at every N", fewest_tests(studies["local"])))
    table = Table("", ("claim", "published", "ours"), tuple(lines))
    return (
        "## In short\n\n"
        + table.markdown(aligned=False)
        + '\n\nA cell is one setting, number of rows and learner; "with DiCoLa" is full recursion, `stop="paper"`. Cells that disagree are '
        "listed under [Claims](#claims) with the reason."
    )


def _how(run: Mapping[str, Any], studies: Mapping[str, Results]) -> str:
    n_rows = sum(len(outcome.rows) for results in studies.values() for outcome in results)
    facts = [f"- {name}: {run[name]}" for name in ("machine", "date", "hours", "remarks") if run.get(name)]
    commands = "\n".join(run.get("commands", ["dicola paper run all --jobs 2 --budget 5h", "dicola paper report"]))
    return (
        f"## How it was made\n\n{n_rows:,} runs lie in `results/`, one JSON line each: tests by phase, seconds, precision, recall, F1, "
        "marks, leaves.\n\n"
        + "".join(f"{fact}\n" for fact in facts)
        + f"\n```sh\n{commands}\n```\n\nThe same commands go on where the rows end; "
        "`--repetitions 50` completes what was cut short. The repetitions reached stand in every cell, in brackets."
    )


def _choices(published: Published) -> str:
    lines = tuple((entry["what"], entry["setting"], one_line(entry["why"])) for entry in published.table("choices"))
    if not lines:
        return ""
    return "## What the text does not fix\n\n" + Table("", ("open", "setting here", "why"), lines).markdown(aligned=False)


def _claims(found: Mapping[str, list[Check]], published: Published) -> str:
    cells = [(name, check) for name, each in found.items() for check in each]
    if not cells:
        return ""
    stopped = sum(check.only_alone_was_stopped for _, check in cells)
    why = "the learner alone was stopped by the cap, on three tables or on every one tried, and DiCoLa was not"
    beyond = f"; in {stopped} of them {why}" if stopped else ""
    both = [check for _, check in cells if check.accuracy is not None]
    return paragraphs(
        [
            "## Claims",
            "### Fewer tests",
            'DiCoLa with `stop="paper"` needs fewer tests than the learner alone, blankets counted for both, in '
            f"{sum(check.needs_fewer_tests for _, check in cells)} of {len(cells)} cells{beyond}.",
            _exceptions([(name, check) for name, check in cells if not check.needs_fewer_tests], "tests", published),
            "### Accuracy",
            "The mean F1 of the skeleton is not below the learner's by more than the standard error of the difference (same tables, so "
            f"differences are paired) in {sum(check.is_as_accurate for check in both)} of {len(both)} cells; it is above by more than that "
            f"in {sum(check.is_more_accurate for check in both)}.",
            _exceptions([(name, check) for name, check in cells if not check.is_as_accurate], "f1", published),
            "### Less time",
            _time(cells, published),
        ]
    )


def _time(cells: Sequence[tuple[str, Check]], published: Published) -> str:
    """Time in short: a line a learner, the settings where DiCoLa takes less of it."""
    lines = []
    for learner in dict.fromkeys(check.alone.cell.method for _, check in cells):
        mine = [check for _, check in cells if check.alone.cell.method == learner]
        ratios = sorted(check.time.ratio for check in mine if check.is_comparable and check.time is not None)
        spread = f"{times(ratios[0])} to {times(ratios[-1])}" if ratios else "–"
        middle = times(ratios[len(ratios) // 2]) if ratios else "–"
        lines.append((method_name(learner), f"{sum(check.is_faster for check in mine)} of {len(mine)}", middle, spread))
    table = Table("", ("learner", "cells with less time", "median", "range"), tuple(lines))
    return f"CPU seconds with DiCoLa as a multiple of the learner's alone. {published.reason('time')}\n\n{table.markdown()}"


def _exceptions(cells: Sequence[tuple[str, Check]], claim: str, published: Published) -> str:
    """The cells where a claim does not hold, gathered by reason."""
    by_reason: dict[str, list[tuple[str, ...]]] = {}
    for name, check in cells:
        both: Comparison | None = getattr(check, claim)
        learner = check.alone.cell.method
        if both is None or not check.is_comparable:
            figures = (f"{check.alone.n_stopped} stopped", f"{check.dicola.n_stopped} stopped", "–", "–")
        else:
            change = times(both.ratio) if claim == "tests" else f"{both.difference.value:+.3f} ±{both.difference.error or 0.0:.3f}"
            figures = (number(both.second.value, claim), number(both.first.value, claim), change, str(both.difference.n))
        line = (
            f"{check.setting.graph}/{check.setting.hidden} {check.setting.pool}",
            f"{check.setting.samples}",
            method_name(learner),
            *figures,
        )
        by_reason.setdefault(published.reason(claim, learner, name), []).append(line)
    head = ("setting", "N", "learner", "alone", "with DiCoLa", "change", "runs")
    parts = []
    for reason, lines in by_reason.items():
        table = Table("", head, tuple(lines)).markdown()
        cells_here = "one cell" if len(lines) == 1 else f"{len(lines)} cells"
        parts.append(f"Not in {cells_here}. {reason}\n\n{folded(f'The {cells_here}', table) if len(lines) > 8 else table}")
    return "\n\n".join(parts)
