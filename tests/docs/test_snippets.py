"""The code of README.md and of every page of the docs runs as it stands, in an empty folder, and prints what the page says."""

from __future__ import annotations

import re

import pytest
from typer.testing import CliRunner

from dicola.cli.app import app
from tests.docs.snippets import PAGES, ROOT, blocks, run

INSTALLING = r"(git clone|cd|make|pip install|python3? -m venv|source|\. |#)"  # needs a network, or would install into the machine


def relative(page) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", [page for page in PAGES if re.search(r"^```(python|console)$", page.read_text(), re.M)], ids=relative)
def test_the_code_of_a_page_runs_and_prints_what_it_says(page, tmp_path):
    for outcome in run(page.read_text(encoding="utf-8"), tmp_path):
        assert outcome.is_as_told, f"{relative(page)}: {outcome.code}\nexpected\n{outcome.expected}\nprinted\n{outcome.printed}"


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_only_installing_is_not_run(page):
    for block in blocks(page.read_text(encoding="utf-8")):
        known = ("python", "console", "text", "sh", "toml", "py")  # py: on data that is not shipped, run in tests/test_worked_examples.py
        assert block.language in known, f"a block of {block.language!r} would not be run"
        if block.language == "sh":
            assert all(re.match(INSTALLING, line) for line in block.body.splitlines() if line), block.body


@pytest.mark.parametrize("image", sorted(image.name for image in (ROOT / "docs" / "images").iterdir()))
def test_every_picture_is_shown_on_a_page(image):
    assert any(f"images/{image}" in page.read_text(encoding="utf-8") for page in PAGES)


def test_the_first_picture_shows_what_the_demo_learns(tmp_path):
    assert CliRunner().invoke(app, ["demo", "--quiet", "--out", str(tmp_path)]).exit_code == 0
    shown, learned = (
        (folder / name).read_text(encoding="utf-8") for folder, name in ((ROOT / "docs/images", "mildew.svg"), (tmp_path, "pag.svg"))
    )
    titles = re.compile(r"<title>[^<]*")
    assert sorted(titles.findall(shown)) == sorted(titles.findall(learned))  # places may differ by a rounding


def test_a_wrong_output_is_noticed(tmp_path):
    page = "```python\nprint(1 + 1)\n```\n\n```text\n3\n```\n"
    (outcome,) = run(page, tmp_path)
    assert not outcome.is_as_told and outcome.printed == "2\n"


def test_a_failing_command_is_noticed(tmp_path):
    first, second = run("```console\n$ false\n$ echo yes\nyes\n```\n", tmp_path)
    assert not first.is_as_told and second.is_as_told
