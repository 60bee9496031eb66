"""``docs/speed.md`` from the figures in ``speed.json``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from textwrap import fill
from typing import Any

Row = dict[str, Any]
_SETTINGS = ("ER(50,3)/5", "MILDEW/3", "ANDES/10")

_INTRODUCTION = """# How fast

Every figure here comes from `make bench`, run part by part on the machine named at the end, with
one core, 2,000 rows and alpha 0.01 unless we say otherwise. Ours and the other tool take turns on
the same tables; a ratio is the median over the seeds of their seconds divided by ours. Our seconds
run from the table to the oriented PAG, with kernels that are already compiled; for the first run
ever see [Start](#start). The figures themselves are in `benchmarks/speed.json`.
"""


def page(figures: dict[str, Any]) -> str:
    """The whole page; a part that was never run is left out."""
    parts: Sequence[tuple[str, str, Callable[[list[Row]], Iterable[str]]]] = (
        ("peers", "## Beside other tools", _peers),
        ("learners", "## Learners beside our FCI", _learners),
        ("questions", "## Questions per second", _questions),
        ("large", "## Large networks", _large),
        ("dense", "## Dense graphs", _dense),
        ("scaling", "## From 50 to 10,000 variables", _scaling),
        ("card", "## A graphics card", _card),
        ("start", "## Start", _start),
    )
    lines = [_INTRODUCTION]
    for name, title, body in parts:
        if name in figures:
            lines += [title, "", *map(_wrapped, body(figures[name])), ""]
    facts = ", ".join(f"{name} {value}" for name, value in figures["machine"].items())
    return "\n".join([*lines, "## Machine", "", _wrapped(f"{facts}."), ""])


def _wrapped(line: str) -> str:
    """Prose in lines of at most 100 columns; a row of a table stays whole."""
    return line if line.startswith("|") else fill(line, 100, break_long_words=False, break_on_hyphens=False)


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(cells)} |" for cells in (heads, ["---"] * len(heads), *rows)]


def _seconds(row: Row) -> str:
    return f"{row['peer_s']:.2f}" + (f" ({row['stopped']} of {row['seeds']} stopped)" if row["stopped"] else "")


def _at_least(row: Row, name: str) -> str:
    return f"{'≥ ' if row['stopped'] else ''}{row[name]:,.0f}"


def _peers(rows: list[Row]) -> Iterable[str]:
    heads = ("setting", "ours", "ms", "the other", "s", "ratio", "ratio of medians")
    yield from _table(
        heads,
        [
            (r["setting"], r["ours"], f"{r['our_ms']:.1f}", r["peer"], _seconds(r), _at_least(r, "ratio"), _at_least(r, "ratio_of_medians"))
            for r in sorted(rows, key=lambda row: _SETTINGS.index(row["setting"]))
        ],
    )
    yield ""
    yield (
        "The number after the slash is how many variables are hidden. causal-learn's FCI has adjacency sets of at most four "
        "variables; its limit does not apply to the Possible-D-Sep phase. FCI alone without any bound is left out on ANDES, where that "
        "phase is exponential in sets of dozens of variables."
    )


def _learners(rows: list[Row]) -> Iterable[str]:
    names = [name for name in rows[0] if name not in ("setting", "fci_ms")]
    yield from _table(
        ("setting", "our FCI, ms", *names), [(r["setting"], f"{r['fci_ms']:.1f}", *(f"{r[name]:.1f} ×" for name in names)) for r in rows]
    )
    yield ""
    yield "Each alone, as multiples of our FCI alone (exact; on ANDES with sets ≤ 4 and Possible-D-Sep ≤ 2)."


def _questions(rows: list[Row]) -> Iterable[str]:
    yield from _table(
        ("size of the set", "questions", "million per second"),
        [(str(r["size"]), f"{r['questions']:,}", f"{r['million_a_second']:.1f}") for r in rows],
    )
    yield ""
    yield "Fisher-Z questions through `sweep_level` on 200 variables, one core."


def _large(rows: list[Row]) -> Iterable[str]:
    yield from _table(
        ("setting", "rows", "seconds", "× corrcoef + inv", "at most", "leaves"),
        [
            (r["setting"], f"{r['rows']:,}", f"{r['seconds']:.2f}", f"{r['ratio']:.1f}", f"{r['largest']:.1f}", f"{r['leaves']:,}")
            for r in rows
        ],
    )
    yield ""
    yield (
        "DiCoLa+FCI, default settings, the whole run, as a multiple of the time that `numpy.corrcoef` and `numpy.linalg.inv` take on "
        "the same data. MUNIN has 39 parentless variables with two children or more, so no more than 39 can be hidden among its "
        "roots."
    )


def _dense(rows: list[Row]) -> Iterable[str]:
    yield from _table(
        ("setting", "way", "ms", "× FCI alone", "tests", "fewer tests", "skeleton F1", "marks F1", "F1 − full recursion"),
        [
            (
                r["setting"],
                r["way"],
                f"{r['ms']:.1f}",
                f"{r['time_ratio']:.2f}",
                f"{r['tests']:,.0f}",
                f"{100 * r['fewer_tests']:.0f} %",
                f"{r['skeleton_f1']:.3f}",
                f"{r['marks_f1']:.3f}",
                f"{r['f1_minus_full']:+.3f} ± {r['standard_error']:.3f}",
            )
            for r in rows
        ],
    )
    yield ""
    yield (
        "Adjacency sets ≤ 4 and Possible-D-Sep sets ≤ 2 everywhere, blankets counted, means over 20 graphs (± standard error). On "
        "dense graphs the parts of full recursion overlap so much that learning them costs more than learning the whole. "
        '`stop="auto"` only makes a split that saves a share of the predicted work at its separator: a negative share splits nearly '
        "as the paper does, a share of 1 never splits and only starts from the independence graph. At 0.05, the default, nearly all "
        "the accuracy of full recursion is there at a fraction of the tests."
    )


def _scaling(rows: list[Row]) -> Iterable[str]:
    phases = ("correlations", "decompose", "leaves", "merge", "orientation")
    yield from _table(
        ("variables", "rows", "cores", "seconds", "× corrcoef + inv", *phases, "leaves", "largest", "tests", "peak GB"),
        [
            (
                f"{r['variables']:,}",
                f"{r['rows']:,}",
                str(r["cores"]),
                f"{r['seconds']:.3g}",
                f"{r['ratio']:.1f}",
                *(f"{r[phase]:.3g}" for phase in phases),
                f"{r['leaves_found']:,}",
                str(r["largest_leaf"]),
                f"{r['tests']:,}",
                f"{r['peak_gb']:.2f}",
            )
            for r in rows
        ],
    )
    yield ""
    yield (
        "Modules of 50 variables with three neighbours on average, joined by one and a half times as many arcs as there are modules "
        "(`simulate.modular_dag`); seconds by phase. What grows with the square of the variables are the correlations and their "
        "inverse in float64 and one int8 matrix of marks; the peak includes the table, our copy of it and the centred one."
    )


def _card(rows: list[Row]) -> Iterable[str]:
    yield from _table(
        ("variables", "rows", "step", "processor, s", "card, s", "ratio"),
        [
            (
                f"{r['variables']:,}",
                f"{r['rows']:,}",
                r["what"],
                "" if r["processor_s"] is None else f"{r['processor_s']:.3f}",
                f"{r['card_s']:.3f}",
                "" if r["processor_s"] is None else f"{r['processor_s'] / r['card_s']:.1f}",
            )
            for r in rows
            if "recall" not in r
        ],
    )
    yield ""
    yield (
        'One NVIDIA H200 (`device="cuda"`, PyTorch 2.11) beside 16 cores of its machine, by `python benchmarks/card.py parts`; seconds '
        "include the way of the matrix to the card and back. Levels are swept by one core of the processor. The answers are the same, "
        "and so are all marks and counts of tests of ten whole runs with different settings (`python benchmarks/card.py marks`)."
    )
    yield ""
    yield from _table(
        ("variables", "rows", "seconds of the whole run", "peak GB", "precision", "recall", "calls decided again"),
        [
            (
                f"{r['variables']:,}",
                f"{r['rows']:,}",
                f"{r['card_s']:.0f}",
                f"{r['peak_gb']:.1f}",
                f"{r['precision']:.3f}",
                f"{r['recall']:.3f}",
                str(r["again"]),
            )
            for r in rows
            if "recall" in r
        ],
    )
    yield ""
    yield (
        "The mode exact from correlations to PAG with the card, on modules as above of which one variable in forty is hidden, by "
        "`python benchmarks/card.py tall` and `wide`; precision and recall are those of the skeleton. Kernels were compiled before: that "
        "adds about a minute the first time. Of the run on 3,000 rows all but half a minute is the descent, on one core; two cores "
        "without a card took 206 s and 7.6 GB. The 100,000 variables (`huge`) are in modules of 50 with two neighbours on average and "
        "one arc between modules for every four of them, and their blankets are those of IAMB at the level 0.4/k² for k variables: the "
        "usual level lets so many false members in that nearly all columns hang together. One table each."
    )


def _start(rows: list[Row]) -> Iterable[str]:
    r = rows[0]
    yield (
        f"`dicola --help` takes {r['help_s']:.2f} s. The first `dicola fit` ever on a machine, where no kernel is compiled yet, takes "
        f"{r['first_fit_s']:.1f} s on MILDEW, report included; the next one takes {r['second_fit_s']:.2f} s."
    )
