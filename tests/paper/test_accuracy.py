from __future__ import annotations

import pytest

from dicola.errors import InvalidData
from dicola_experiments.accuracy import (
    BEGIN,
    END,
    accuracy_tables,
    beaten,
    noise_table,
    page_block,
    report_page,
    seconds_table,
    summary_table,
    write_block,
)
from dicola_experiments.accuracy_figure import accuracy_figure
from dicola_experiments.figures import drawing, save
from dicola_experiments.plan import Series, Setting, Study
from dicola_experiments.rows import Row
from dicola_experiments.summary import Results
from tests.paper.examples import row

WEAK, NOISE = Setting("ER(20,2)", 2, "any", 500, (0.1, 0.5)), Setting("ER(20,0)", 0, "any", 100)
METHODS = ("default", "mode exact", "fci (3, 2)", "fci (4, 2)", "boss-fci", "tetrad fcit", "causal-learn fci")


def rows(setting: Setting, method: str, skeleton: list[float], marks: list[float], **facts) -> list[Row]:
    named = {"kind": "accuracy", "coefficients": list(setting.coefficients), **facts}
    return [
        row(method, seed, setting=setting, f1=f1, mark_f1=mark, **named)
        for seed, (f1, mark) in enumerate(zip(skeleton, marks, strict=True), 1)
    ]


@pytest.fixture
def results() -> Results:
    study = Study(
        "accuracy",
        "Accuracy",
        "Something",
        (
            Series("ER(20,2)", 2, "any", (500,), METHODS, coefficients=(0.1, 0.5), kind="accuracy", cap=60.0, name="weak"),
            Series("ER(20,0)", 0, "any", (100,), METHODS, kind="accuracy", cap=60.0, name="noise"),
        ),
        "accuracy",
    )
    return Results(
        study,
        [
            *rows(WEAK, "default", [0.8, 0.7, 0.9], [0.6, 0.5, 0.7], cpu_seconds=0.02),
            *rows(WEAK, "mode exact", [0.7, 0.6, 0.8], [0.3, 0.2, 0.4]),
            *rows(WEAK, "fci (3, 2)", [0.6] * 3, [0.2] * 3),
            *rows(WEAK, "fci (4, 2)", [0.5] * 3, [0.25] * 3),
            *rows(WEAK, "tetrad fcit", [0.75, 0.65, 0.85], [0.65, 0.56, 0.75]),
            *(row("causal-learn fci", seed, "capped", WEAK, kind="accuracy", coefficients=[0.1, 0.5]) for seed in (1, 2, 3)),
            row("causal-learn fci", 0, "given up", WEAK, kind="accuracy", coefficients=[0.1, 0.5]),
            *(row("default", seed, setting=NOISE, kind="accuracy", false_edges=seed) for seed in (1, 2, 3)),
            *(row("boss-fci", seed, setting=NOISE, kind="accuracy", false_edges=0) for seed in (1, 2, 3)),
        ],
    )


def test_a_method_that_beats_the_default_is_named_with_the_paired_difference(results):
    marks, edges = beaten(results)
    assert (marks.setting, marks.method, marks.metric, marks.difference.n) == (WEAK, "tetrad fcit", "mark_f1", 3)
    assert marks.difference.value == pytest.approx(0.16 / 3) and marks.errors > 10
    assert (edges.setting, edges.method, edges.metric) == (NOISE, "boss-fci", "false_edges"), "fewer is better"


def test_tables_have_differences_to_the_default_seconds_and_what_did_not_finish(results):
    weak, noise, better, without = accuracy_tables(results)
    lines = {line[0]: line[1:] for line in weak.lines}
    assert weak.title == "weak, N = 500" and lines["default"] == ("0.800 ±0.058", "0.600 ±0.058", "", "", "0.0200", "3")
    assert lines["mode exact"][2:4] == ("-0.100 ±0.000", "-0.300 ±0.000")
    assert lines["causal-learn fci"] == ("–", "–", "", "", "–", "0, 3 stopped")
    assert noise.head[:3] == ("method", "false edges", "false edges − default") and noise.lines[1][1:3] == ("0.000 ±0.000", "-2.000 ±0.577")
    assert [line[:3] for line in better.lines] == [
        ("weak, N = 500", "tetrad fcit", "mark F1"),
        ("noise, N = 100", "boss-fci", "false edges"),
    ]
    assert without.lines == (("causal-learn fci", "0", "0", "3", "1"),)


def test_the_summary_takes_of_a_group_the_one_with_the_best_marks(results):
    (line,) = summary_table(results).lines
    assert line == ("weak, N = 500", ".800 / .600", ".700 / .300", ".500 / .250", "– / –", ".750 / .653 (tetrad fcit)")
    assert noise_table(results).lines == (("default", "2.000 ±0.577"), ("boss-fci", "0.000 ±0.000"))
    assert seconds_table(results).lines[0][:3] == ("weak, N = 500", "0.0200", "0.2500")


def test_the_page_and_the_block_say_where_the_default_is_beaten(results):
    page, block = report_page(results), page_block(results)
    said = "Of 3 settings and measures some method beats the default by more than one standard error of the paired difference in 2"
    assert said in page and said in " ".join(block.split()) and "(seeds 1 to 3)" in " ".join(block.split())
    assert max(len(line) for line in block.splitlines() if not line.startswith("|")) <= 100
    assert "No runs yet" in page_block(Results(results.study, [])) == page_block(None)


def test_the_block_is_put_between_its_marks_and_nothing_else_changes(tmp_path):
    page = tmp_path / "modes.md"
    page.write_text(f"before\n\n{BEGIN}\nold\n{END}\n\nafter\n")
    for text in ("new", "newer"):
        write_block(page, text)
        assert page.read_text() == f"before\n\n{BEGIN}\n\n{text}\n\n{END}\n\nafter\n"
    page.write_text("no marks")
    with pytest.raises(InvalidData, match="lacks the lines"):
        write_block(page, "new")


def test_the_figure_is_drawn_with_every_setting_that_has_edges(results, tmp_path):
    with drawing():
        first = accuracy_figure(results)
        assert [label.get_text() for label in first.axes[0].get_yticklabels()] == ["weak, N = 500"]
        written = [save(accuracy_figure(results), tmp_path / name)[0].read_bytes() for name in ("a", "b")]
    assert written[0] == written[1]
