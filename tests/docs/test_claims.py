"""What the pages claim in lists and figures is what the code, its registries and the recorded results say."""

from __future__ import annotations

import json
import re
import runpy
from collections.abc import Iterator
from dataclasses import fields
from importlib import import_module
from itertools import combinations
from pathlib import Path
from statistics import mean
from tomllib import loads

import numpy as np
import pytest
from typer.main import get_command

import dicola
from benchmarks import learners as learners_benchmark
from benchmarks import power as power_benchmark
from benchmarks import speed_page
from dicola import FCI, PAG, DiCoLa, DicolaError, FisherZ, InvalidData, InvalidSetting, Knowledge, discover, metrics, read_table, simulate
from dicola.blankets.registry import BLANKETS
from dicola.ci.registry import TESTS
from dicola.cli.app import app
from dicola.decompose.tree import STOPS
from dicola.learners.collider_policies import POLICIES
from dicola.learners.registry import ALL
from dicola.orient.partial import Reason
from dicola.pipeline.modes import AUTO, MODES
from dicola.pipeline.plan import Plan
from dicola.pipeline.settings import SETTINGS
from dicola_experiments.accuracy import BEGIN, END, page_block
from dicola_experiments.folder import Folder
from dicola_experiments.rows import Rows
from tests.docs.markdown import in_code, page, section, table
from tests.docs.snippets import PAGES, ROOT
from tests.exactness.test_reference_data import read_case

SOURCE = ROOT / "src" / "dicola"
TITLES = [learner.title for learner in ALL.values()]


def rows_named(text: str, *heads: str) -> list[str]:
    """The names in code in the first column of a table."""
    return [name for first, *_ in table(text, *heads) for name in in_code(first)]


# Registries


def test_the_table_of_learners_names_every_learner_once_and_says_which_need_data():
    text = page("docs/choosing.md")
    assert sorted(rows_named(text, "", "take it when")) == sorted(ALL)
    for names, _, mind in table(text, "", "take it when"):
        assert all(ALL[name].needs_data == ("needs data that can be scored" in mind) for name in in_code(names))


def test_every_learner_has_a_page_that_the_overview_links():
    overview = section(page("docs/methods/index.md"), "Overview")
    for title in TITLES:
        (target,) = re.findall(rf"\[{re.escape(title)}\]\(([a-z-]+\.md)\)", overview)
        assert page(f"docs/methods/{target}").startswith(f"# {title}\n")


def test_the_comparison_with_the_authors_release_lists_all_learners_and_blanket_learners():
    ours = {first: cell for first, _, cell in table(page("docs/peers.md"), "", "authors' release")}
    assert ours["base learners"].split(", ") == [*TITLES, "adapters", "your own"]
    assert [part.split(" for ")[0] for part in ours["Markov blankets"].split(", ")] == [each.title for each in BLANKETS.values()]


def test_the_tests_that_are_shown_are_those_there_are():
    shown = section(page("docs/choosing.md"), "The test").partition("$ dicola tests\n")[2].partition("```")[0]
    assert re.findall(r"^(\w+)  ", shown, re.M) == list(TESTS)
    assert set(TESTS) <= set(in_code(page("docs/howto/which-test.md")))


def test_blanket_learners_stops_and_collider_policies_are_listed_as_they_are_known():
    assert rows_named(page("docs/methods/independence-graph.md"), "name", "asks") == list(BLANKETS)
    safe = [row[2] for row in table(page("docs/methods/independence-graph.md"), "name", "asks")]
    assert safe == ["yes" if learner.latent_safe else "no" for learner in BLANKETS.values()]
    assert rows_named(page("docs/methods/colliders.md"), "`colliders=`") == list(POLICIES)
    assert set(POLICIES) <= {word.removeprefix("colliders=").strip('"') for word in in_code(section(page("docs/choosing.md"), "Colliders"))}
    for name in ("docs/choosing.md", "docs/methods/decomposition.md"):
        assert sorted(rows_named(page(name), "`stop`")) == sorted(STOPS)


def test_the_table_of_modes_has_them_all_and_says_which_need_data():
    listed = {in_code(row[0])[0]: row[3] for row in table(page("docs/modes.md"), "`mode=`")}
    assert list(listed) == [*MODES, AUTO]
    assert {name: listed[name] == "any test" for name in MODES} == {name: not mode.needs_data for name, mode in MODES.items()}


def test_the_page_on_knowledge_says_with_what_it_goes():
    text = page("docs/howto/knowledge.md")
    (sentence,) = re.findall(r"It works in the modes (.*?), and so in `auto`, with all\s+learners", text, re.S)
    assert in_code(sentence) == list(MODES)
    assert all(learner.takes_knowledge for learner in ALL.values())
    said = {re.match(r"`(\w+)=", row[0])[1] for row in table(text, "statement", "says")}
    assert said == {each.name for each in fields(Knowledge)}


def test_the_commands_that_are_listed_are_those_there_are():
    listed = " ".join(first for first, _ in table(page("docs/command-line.md"), "command", "does"))
    named = {word.removeprefix("dicola ").split()[0] for word in in_code(listed)}
    assert named == set(get_command(app).commands)


def test_the_changelog_counts_the_networks():
    assert "sixteen Bayesian-network structures" in page("CHANGELOG.md") and len(simulate.network_names()) == 16


# Names


def test_the_reference_has_every_public_name_and_no_other():
    text = page("docs/api.md")
    directives = re.findall(r"^\.\. auto(\w+):: dicola\.([\w.]+)\n((?:   .*\n)*)", text, re.M)
    told = {name for _, name, _ in directives} | {word.removeprefix("dicola.") for word in in_code(text) if word.startswith("dicola.")}
    assert "errors" in told, "the page of errors is made from the module"
    errors = {
        name for name in dicola.__all__ if isinstance(getattr(dicola, name), type) and getattr(dicola, name).__module__ == "dicola.errors"
    }
    assert set(dicola._HOME) - {"__version__"} - errors <= told
    for kind, name, options in directives:
        thing = import_module(f"dicola.{name}") if kind == "module" else named(name)
        members = " ".join(re.findall(r":members:((?:.*\n(?!\s+:))*.*)", options)).replace(",", " ").split()
        assert all(hasattr(thing, member) or member in thing.__annotations__ for member in members), f"{name} lacks one of {members}"


def named(path: str) -> object:
    """What ``dicola.path`` is: a public name, or a name with its module."""
    module, _, name = path.rpartition(".")
    return getattr(import_module(f"dicola.{module}") if module else dicola, name)


def test_every_error_is_public_and_in_the_module_that_the_reference_shows():
    waiting, found = [DicolaError], set()
    while waiting:
        error = waiting.pop()
        found.add(error)
        waiting += [each for each in error.__subclasses__() if each.__module__.startswith("dicola")]
    assert all(error.__module__ == "dicola.errors" and getattr(dicola, error.__name__) is error for error in found)


def named_files(where: str) -> Iterator[tuple[Path, list[str]]]:
    """The files that a section names, each with the names in parentheses behind it.

    After `score/a.py` a plain `b.py` is in the same folder, or else at the top.
    """
    folder = Path()
    for file, names in re.findall(r"`([\w/]+(?:\.py|/))`(?: \(([^)]*)\))?", where):
        folder = Path(file).parent if "/" in file else folder
        yield (folder / file if (SOURCE / folder / file).exists() and "/" not in file else Path(file)), in_code(names)


@pytest.mark.parametrize("path", [path for path in PAGES if "\n## Where\n" in path.read_text(encoding="utf-8")], ids=lambda path: path.name)
def test_the_files_that_a_page_names_exist_and_hold_what_it_names(path):
    told = list(named_files(section(path.read_text(encoding="utf-8"), "Where")))
    assert told
    for file, names in told:
        assert (SOURCE / file).exists(), f"there is no {file}"
        if file.suffix == ".py":
            module = import_module(".".join(("dicola", *file.with_suffix("").parts)))
            assert all(hasattr(module, name) for name in names), f"{file} has not all of {names}"


def test_what_contributors_are_told_to_derive_from_is_there():
    for _, method, base, joins in table(page("CONTRIBUTING.md"), "", "method"):
        for cell in filter(None, (base, joins)):
            name, file = in_code(cell)
            thing = getattr(import_module(f"dicola.{file.removesuffix('.py').replace('/', '.')}"), name)
            assert cell is joins or callable(getattr(thing, in_code(method)[0].partition("(")[0]))


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_links_of_pages_outside_the_site_lead_somewhere(name):
    links = re.findall(r"\]\((?!https?:)([^)#]+)", page(name))
    assert links and all((ROOT / link).exists() for link in links)


# What dicola can and cannot do


def refuses(values: dict[str, object], test: type) -> bool:
    try:
        test(values)
    except InvalidData:
        return True
    return False


def gaps_are_refused() -> bool:
    values = np.random.default_rng(0).normal(size=(3, 50))
    values[0, 0] = np.nan
    return refuses(dict(zip("abc", values, strict=True)), lambda table: DiCoLa().fit(table))


def kinds_of_columns() -> set[str]:
    return {kind for test in TESTS.values() for kind in getattr(test, "kinds", ())}


def is_refused(**settings: object) -> bool:
    try:
        Plan(**settings)
    except InvalidSetting:
        return True
    return False


def every_missing_edge_has_a_set() -> bool:
    table = simulate.linear_gaussian(simulate.er_dag(15, 2, seed=3), 500, seed=3)
    skeleton = discover(FisherZ(table)).skeleton
    missing = {frozenset(pair) for pair in combinations(skeleton.labels, 2)} - skeleton.named_edges()
    return bool(missing) and all(skeleton.separating_set(*pair) is not None for pair in missing)


def yes(fact: bool) -> str:
    return "yes" if fact else "–"


PROJECT = loads(page("pyproject.toml"))["project"]
FEATURES = {
    "FCI": lambda: yes("fci" in ALL),
    "RFCI · FCI+": lambda: f"{yes('rfci' in ALL)} · {yes('fci+' in ALL)}",
    "ICD · L-MARVEL": lambda: f"{yes('icd' in ALL)} · {yes('l-marvel' in ALL)}",
    "decomposition around any learner": lambda: yes(SETTINGS["decompose"].default is True),
    "separating set for every missing edge": lambda: yes(every_missing_edge_has_a_set()),
    "why is this mark here": lambda: "rule and variables" if Reason._fields == ("rule", "witness") else "–",
    "legality of the PAG checked": lambda: yes("legality" in dicola.__all__),
    "collider policies": lambda: yes(len(POLICIES) > 1),
    "discrete and mixed tests": lambda: "yes" if "nominal" in kinds_of_columns() else "yours",
    "missing data": lambda: yes(not gaps_are_refused()),
    "background knowledge": lambda: yes("knowledge" in SETTINGS and "Knowledge" in dicola.__all__),
    "bootstrap": lambda: yes("bootstrap" in dicola.__all__),
    "adjustment and effects from a PAG": lambda: yes(hasattr(PAG, "adjustment_sets")),
    "licence": lambda: PROJECT["license"],
    "runs on": lambda: f"Python {PROJECT['requires-python'].replace('>=', '≥ ')}",
}
LIMITS = {
    "Categories, mixed columns, or relations far from linear": lambda: "nominal" not in kinds_of_columns() and len(TESTS) == 1,
    "You want effects, not a graph": lambda: not hasattr(PAG, "adjustment_sets"),
    "Selection of the sample": lambda: is_refused(selection=True) or is_refused(selection=True, decompose=False),
}


def test_our_column_among_the_features_is_what_the_code_can_do():
    text = page("docs/peers.md")
    ours = {first: cells[-1] for first, *cells in table(text, "", "causal-learn", "pcalg")}
    assert ours == {feature: told() for feature, told in FEATURES.items()}


@pytest.mark.parametrize("limit", LIMITS)
def test_a_reason_not_to_use_it_stands_as_long_as_it_holds(limit):
    bullets = re.findall(r"^- \*\*(.+?)\*\*", section(page("docs/peers.md"), "When *not* to use dicola"), re.M | re.S)
    stands = limit in {" ".join(bullet.split()).rstrip(".") for bullet in bullets}
    assert stands == LIMITS[limit]()


def test_no_page_says_that_knowledge_cannot_be_given():
    assert all(not re.search(r"cannot be given|Tetrad takes them", path.read_text(encoding="utf-8")) for path in PAGES)


# Figures


def measured() -> dict[tuple[str, str, str], list[str]]:
    """Setting, learner and way → the figures of the page of learners."""
    return {(s, learner, way.partition(",")[0]): cells for s, learner, way, *cells in table(page("docs/learners.md"), "setting", "learner")}


def test_our_figures_beside_other_tools_are_those_of_the_learners_side_by_side():
    text, known = section(page("docs/peers.md"), "Figures"), measured()
    settings = ("ER(30,3)", "ER(50,3)", "MILDEW")
    skeletons = {row[0]: row[1:] for row in table(text, "", "ER(30,3), 3 hidden")}
    marks = {row[0]: row[1:] for row in table(text, "", "ER(30,3)", "ER(50,3)")}
    for name, way in (("dicola, DiCoLa+FCI", "DiCoLa"), ("dicola, FCI alone", "alone")):
        figures = [known[setting, "fci", way] for setting in settings]
        assert [cell.replace("*", "") for cell in skeletons[name]] == [f"{cells[3]} · {cells[5]} s" for cells in figures]
    assert [cell.strip("*") for cell in marks["dicola, DiCoLa+FCI"]] == [known[setting, "fci", "DiCoLa"][4] for setting in settings]
    assert {name for name in (*skeletons, *marks) if "dicola" in name} == {"dicola, DiCoLa+FCI", "dicola, FCI alone"}


def test_what_is_said_of_the_learners_side_by_side_holds_there():
    known = measured()
    for setting in {setting for setting, _, _ in known}:
        f1 = {(learner, way): float(cells[3]) for (s, learner, way), cells in known.items() if s == setting}
        tests = {
            (learner, way): sum(int(c.replace(",", "")) for c in cells[:3]) for (s, learner, way), cells in known.items() if s == setting
        }
        learners = {learner for learner, _ in f1}
        under = [f1[learner, "DiCoLa"] for learner in learners]
        assert max(under) - min(under) < 0.015, "docs/choosing.md: about 0.01 at most"
        assert max(learners, key=lambda learner: f1[learner, "alone"]) == "l-marvel"
        for learner in learners - {"l-marvel"}:
            assert f1[learner, "DiCoLa"] > f1[learner, "alone"] and tests[learner, "DiCoLa"] < tests[learner, "alone"]


def test_the_page_of_learners_has_the_words_of_its_benchmark():
    text = page("docs/learners.md")
    assert text == learners_benchmark.PAGE.format(
        seeds=10, rows=learners_benchmark.ROWS, table=text[text.index("| setting") :].rstrip("\n")
    )


def test_the_page_of_speed_is_made_from_its_figures_and_the_readme_quotes_them():
    figures = json.loads(page("benchmarks/speed.json"))
    assert page("docs/speed.md") == speed_page.page(figures)
    peers = {(row["setting"], row["ours"]): row for row in figures["peers"] if row["peer"].startswith("causal-learn")}
    small, large = (peers[setting, "DiCoLa+FCI, default"] for setting in ("ER(50,3)/5", "ANDES/10"))
    told = re.search(
        r"some (\d+) times as fast.*?\((\S+) ms\).*?more than ([\d,]+) times on ANDES.*?, (\d+) ms\).*?take (\S+) times as long",
        " ".join(page("README.md").split()),
    )
    assert told is not None
    ratio, ms, least, large_ms, multiple = (float(each.replace(",", "")) for each in told.groups())
    assert abs(ratio - small["ratio"]) < 0.05 * small["ratio"] and ms == round(small["our_ms"], 1)
    assert least <= large["ratio"] and large_ms == round(large["our_ms"])
    assert multiple == round(next(row["ratio"] for row in figures["scaling"] if row["variables"] == 10_000), 1)


def test_the_figures_of_what_each_test_finds_are_those_of_the_record():
    record, text = json.loads(page("benchmarks/power.json")), page("docs/howto/which-test.md")
    block = text.partition(power_benchmark.BEGIN)[2].partition(power_benchmark.END)[0].strip()
    assert block == power_benchmark.page_block(record) and page("docs/images/power.svg") == power_benchmark.figure(record)
    grades = power_benchmark.shares(record, setting="grade, grade", rows=2000, effect=0.0)
    assert f"({100 * grades[('degenerate_gaussian',)]:.0f} of 100 with 2,000 rows)" in text
    skewed = power_benchmark.shares(record, setting="number, number, skewed", rows=500, effect=0.0)
    assert skewed[("fisher_z",)] == pytest.approx(0.2, abs=0.01), "docs/howto/skewed.md: every fifth"
    assert set(power_benchmark.TESTS) <= set(TESTS)


def test_the_decision_figure_is_the_one_that_is_drawn_and_names_tests_there_are():
    drawn = runpy.run_path(str(ROOT / "scripts/decision_figure.py"))
    assert page("docs/images/which-test.svg") == drawn["drawn"]()
    named = {name for box in drawn["BOXES"].values() if box.is_test for name in box.lines[0].split(", ")}
    assert named <= set(TESTS) and {way.end for way in drawn["WAYS"]} | {"kinds"} == set(drawn["BOXES"])


def test_a_small_part_of_the_study_of_power_runs():
    rows = power_benchmark.measured(2, repeats=2)
    assert {row["test"] for row in rows} == {
        "fisher_z",
        "gaussian_copula",
        "degenerate_gaussian",
        "basis_function",
        "conditional_gaussian",
        "rcit",
    }
    assert all(0 <= row["found"] <= 1 for row in rows) and len(rows) == 6 * 15


def done(study: str) -> list[dict]:
    rows = [row for row in Rows(ROOT / "paper" / "results", study) if row["status"] == "done"]
    assert rows
    return rows


def test_the_figures_of_the_modes_are_means_of_the_recorded_runs():
    block = page("docs/modes.md").partition(BEGIN)[2].partition(END)[0].strip()
    assert block == page_block(Folder.at(ROOT / "paper").outcomes("accuracy")), "written by: dicola paper report"


def plain(rows: list[dict], what: str) -> str:
    """A mean with three digits behind the point, and none before it."""
    return f"{mean(row[what] for row in rows):.3f}".removeprefix("0")


def test_the_figures_around_one_variable_are_means_of_the_recorded_runs():
    rows = done("local")
    methods = ("mmb-by-mmb", "dicola+fci/paper", "dicola+fci/auto", "fci")
    for samples, *cells in table(section(page("docs/methods/local.md"), "Figures"), "rows", "MMB-by-MMB"):
        for method, cell in zip(methods, cells, strict=True):
            own = [row for row in rows if row["method"] == method and row["samples"] == int(samples.replace(",", ""))]
            assert len(own) == 50
            tests = f"{mean(row['tests']['total'] for row in own):,.0f}"
            assert cell == f"{tests} · {plain(own, 'adjacency_f1')} / {plain(own, 'mark_f1')}"


def test_our_figures_on_the_authors_data_are_what_we_find_there(data_root):
    told = {name: cells for name, *cells in table(page("docs/peers.md"), "", "1", "2", "3", "mean")}
    for name, settings in (('dicola, DiCoLa+FCI, `stop="paper"`', {"stop": "paper"}), ("dicola, FCI alone", {"decompose": False})):
        found = []
        for i in (1, 2, 3):
            path, _, _, truth = read_case(data_root, f"released/mildew/{i}")
            test = FisherZ(read_table(path / "data.csv.gz"), alpha=0.01)
            found.append(metrics.compare(discover(test, FCI(), mode="paper", **settings).pag, truth).skeleton.f1)
        assert told[name] == [f"{value:.3f}" for value in (*found, mean(found))]
