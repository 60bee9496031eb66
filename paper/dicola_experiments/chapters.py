"""The chapters of ``REPRODUCTION.md``: one per table and figure of the paper, and some it lacks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dicola_experiments.claims import VARIANTS, Check, checks
from dicola_experiments.expression import Facts, read_expression
from dicola_experiments.figures import method_name
from dicola_experiments.folder import Folder
from dicola_experiments.markdown import bold, folded, picture, times
from dicola_experiments.methods import BASES, GROUPS
from dicola_experiments.plan import Setting
from dicola_experiments.published import Published, one_line
from dicola_experiments.summary import Mean, Outcome, Results, compared
from dicola_experiments.tables import LEGEND, Table, cell_text, expression_table, mean_text, study_tables

_SAMPLES = 2000  # of the comparisons at one number of rows
_SLACK = 0.15  # of a published degree, or three standard errors


def degrees_chapter(results: Results, published: Published) -> str:
    """Both tables of degrees, published and ours with either pool."""
    lines, remarks = [], []
    for entry, ours, verdict in degree_rows(results, published):
        chosen = ours[entry["pool"]]
        difference = "–" if chosen is None else f"{chosen.value - entry['mag']:+.2f}"
        graph = f"{entry['graph']}/{entry['hidden']}"
        degrees = [bold(mean_text(ours[pool], "mag_degree"), pool == entry["pool"]) for pool in ("any", "root")]
        lines.append((graph, f"{entry['dag']:.2f}", f"{entry['mag']:.2f}", *degrees, difference, "yes" if verdict else "no"))
        if not verdict:
            both = ", ".join(f"{mean_text(ours[pool], 'mag_degree')} with pool {pool}" for pool in ("any", "root"))
            remarks.append(f"- {graph}: published {entry['mag']:.2f}, ours {both}. {published.reason('degrees')}")
        if entry.get("remark"):
            remarks.append(f"- {graph}: {entry['remark']}")
    head = ("setting", "degree of the DAG", "of the MAG, published", "ours, pool any", "ours, pool root", "difference", "met")
    text = (
        f"## Degrees of the induced MAGs\n\nMean over 200 graphs ± standard error; met: within {_SLACK} or three standard errors of the "
        "published figure, with the pool that the studies use (in bold).\n\n" + Table("", head, tuple(lines)).markdown()
    )
    failed = [outcome for outcome in results if outcome.n_failed]
    if failed:
        few = ", ".join(f"{o.cell.setting.graph}/{o.cell.setting.hidden} ({o.n_failed})" for o in failed)
        remarks.append(f"- Graphs with fewer parentless vertices of two children than were to be hidden are left out of pool root: {few}.")
    return text + ("\n\n" + "\n".join(remarks) if remarks else "")


def degree_rows(results: Results, published: Published) -> Iterable[tuple[Mapping[str, Any], dict[str, Mean | None], bool]]:
    """Each published degree with ours by pool, and whether the pool of the studies meets it."""
    for entry in published.table("degrees"):
        ours: dict[str, Mean | None] = {}
        for pool in ("any", "root"):
            outcome = results.at(Setting(entry["graph"], entry["hidden"], pool, 0), "degree")
            ours[pool] = None if outcome is None else outcome.mean("mag_degree")
        chosen = ours[entry["pool"]]
        close = chosen is not None and abs(chosen.value - entry["mag"]) <= max(_SLACK, 3 * (chosen.error or 0.0)) + 1e-9
        yield entry, ours, close


def study_chapter(results: Results, is_drawn: bool, published: Published) -> str:
    """One study: its figure, DiCoLa beside each learner alone, and all means."""
    study = results.study
    parts = [f"## {study.title}", f"{study.shows}."]
    if is_drawn:
        parts.append(picture(study.name, study.title))
    parts += [_comparison_table(results, settings) for settings in _rows_of_tables(results)]
    if published.table("dense") and study.name == "dense":
        parts.append(_dense(results, published))
    tables = [f"**{table.title}**\n\n{table.markdown()}" for table in study_tables(results)]
    parts.append(folded(f"All methods: {LEGEND}", "\n\n".join(tables)))
    return "\n\n".join(parts)


def _rows_of_tables(results: Results) -> list[list[Setting]]:
    """Settings that share a table: those of a series, or all where every series has just one."""
    series = list(results.series().values())
    return [[settings[0] for settings in series]] if all(len(settings) == 1 for settings in series) else series


def _comparison_table(results: Results, settings: Sequence[Setting]) -> str:
    """DiCoLa beside each learner alone: the share of its tests, and the difference in F1."""
    by_place = {(check.setting, check.alone.cell.method): check for check in checks(results)}
    learners = list(dict.fromkeys(learner for setting, learner in by_place if setting in settings))
    if not learners:
        return ""
    by_graph = len({setting.graph for setting in settings}) > 1
    head = ("with DiCoLa", *(setting.graph if by_graph else f"N = {setting.samples}" for setting in settings))
    lines = [(method_name(learner), *(_change(by_place.get((setting, learner))) for setting in settings)) for learner in learners]
    what = (
        f"Hidden variables from pool `{settings[0].pool}`: tests as a multiple of the learner's alone; difference in F1 ± standard error."
    )
    return f"{what}\n\n{Table('', head, tuple(lines)).markdown()}"


def _change(check: Check | None) -> str:
    if check is None:
        return ""
    if check.tests is None or check.f1 is None or not check.is_comparable:
        return "alone stopped" if check.only_alone_was_stopped else "stopped"
    error = "" if check.f1.difference.error is None else f" ±{check.f1.difference.error:.3f}"
    return f"{times(check.tests.ratio)}, {check.f1.difference.value:+.3f}{error} ({check.f1.difference.n})"


def _dense(results: Results, published: Published) -> str:
    lines = []
    for entry in published.table("dense"):
        for learner in (entry["learner"], *(["fci exact"] if entry["learner"] == "fci" else [])):
            ours = [tests_saved(results, learner, entry["graph"], stop) for stop in ("paper", "reference", "auto")]
            lines.append((f"{method_name(learner)}, {entry['graph']}", f"{entry['saved']:.1%}", *ours))
    head = ("tests saved", "published", "ours, `paper`", "ours, `reference`", "ours, `auto`")
    what = (
        "The share of tests that DiCoLa saves, or the multiple where it saves none; in brackets without the tests of the blankets, as the "
        "authors' program counts."
    )
    return f"{what}\n\n{Table('', head, tuple(lines)).markdown()}\n\n{published.reason('dense')}"


def tests_saved(results: Results, learner: str, graph: str, stop: str) -> str:
    """The share of a learner's tests that DiCoLa saves; in brackets without the blankets."""
    for setting in results.settings:
        alone, dicola = results.at(setting, learner), results.at(setting, f"dicola+{learner.partition(' ')[0]}/{stop}")
        if setting.graph == graph and alone is not None and dicola is not None:
            both = [compared(dicola, alone, metric) for metric in ("tests", "tests.learning")]
            every, learning = ("–" if each is None else f"{1 - each.ratio:.1%}" if each.ratio <= 1 else times(each.ratio) for each in both)
            return f"{every} ({learning})"
    return "–"


def variants_chapter(studies: Mapping[str, Results]) -> str:
    """The rules that stop the splitting, and no splitting, beside one another."""
    methods = [
        name
        for base in BASES
        for name in (
            base,
            *(["fci exact"] if base == "fci" else []),
            *(f"dicola+{base}/{stop}" for stop in ("paper", "auto", "reference")),
            f"uig+{base}",
        )
    ]
    parts = [
        f"## Where to stop, and not dividing at all\n\nAt N = {_SAMPLES}: full recursion, the authors' caps, this library's default, and "
        "the baseline that the paper lacks, the learner started from the independence graph without any division. Leaves run FCI "
        "without a limit, so DiCoLa+FCI stands beside FCI exact as well as beside FCI with its limit.",
        picture("variants", "Tests and F1 of the variants"),
        "In all settings and numbers of rows, each beside its learner alone:",
        _variant_claims(studies).markdown(),
    ]
    tables = []
    for metric, title in (("tests", "Tests"), ("f1", "F1 of the skeleton"), ("mark_f1", "F1 of the marks"), ("time", "CPU seconds")):
        tables.append(f"**{title}**\n\n{_by_setting(studies, methods, metric).markdown()}")
    return "\n\n".join([*parts, folded(f"In figures: {LEGEND}", "\n\n".join(tables))])


def _variant_claims(studies: Mapping[str, Results]) -> Table:
    """How often each variant keeps the claims."""
    names = {"paper": '`stop="paper"`', "auto": '`stop="auto"`', "reference": '`stop="reference"`', "uig": "from the UIG, not divided"}
    lines = []
    for variant in VARIANTS:
        cells = [check for results in studies.values() for check in checks(results, variant)]
        judged = [check for check in cells if check.accuracy is not None]
        shares = (
            f"{sum(check.needs_fewer_tests for check in cells)} of {len(cells)}",
            f"{sum(check.is_as_accurate for check in judged)} of {len(judged)}",
            f"{sum(check.is_more_accurate for check in judged)} of {len(judged)}",
            f"{sum(check.is_faster for check in cells)} of {len(cells)}",
        )
        lines.append((names[variant], *shares))
    return Table("", ("", "fewer tests", "F1 not below", "F1 above", "less time"), tuple(lines))


def peers_chapter(studies: Mapping[str, Results]) -> str:
    """Other libraries beside ours, on the tables that they were given."""
    methods = ["fci", "fci exact", "dicola+fci/auto", "causal-learn fci", "l-marvel", "dicola+l-marvel/auto", "rcd l-marvel"]
    with_peers = {name: results for name, results in studies.items() if any(peer in results.methods for peer in GROUPS["peers"])}
    if not with_peers:
        return ""
    tables = [
        f"**{title}**\n\n{_by_setting(with_peers, methods, metric, seeds_of=GROUPS['peers']).markdown()}"
        for metric, title in (("f1", "F1 of the skeleton"), ("mark_f1", "F1 of the marks"), ("tests", "Tests"), ("time", "CPU seconds"))
    ]
    return (
        f"## Other libraries\n\ncausal-learn's FCI and rcd's L-MARVEL on the same tables, N = {_SAMPLES}, with their own tests: a test "
        "that causal-learn answers from memory is not counted, rcd's blankets are one matrix inverse and count none, and rcd gives no "
        "marks.\n\n" + "\n\n".join(tables)
    )


def _by_setting(studies: Mapping[str, Results], methods: Sequence[str], metric: str, seeds_of: Sequence[str] = ()) -> Table:
    """One line per method and one column per study, at one number of rows of its main series.

    With ``seeds_of``, only the seeds count on which some of these methods ran.
    """
    places = []
    for results in studies.values():
        settings = max(results.series().values(), key=len)
        at_hand = [setting for setting in settings if setting.samples == _SAMPLES and len(settings) > 1]
        places += [(results, setting) for setting in at_hand if any(results.at(setting, method) for method in methods)]
    lines = []
    for method in methods:
        outcomes = [results.at(setting, method) for results, setting in places]
        if seeds_of:
            outcomes = [
                outcome and outcome.on({row["seed"] for peer in seeds_of if (other := results.at(setting, peer)) for row in other.rows})
                for outcome, (results, setting) in zip(outcomes, places, strict=True)
            ]
        if any(outcome is not None for outcome in outcomes):
            lines.append((method_name(method), *(cell_text(outcome, metric) for outcome in outcomes)))
    return Table("", ("", *(f"{setting.graph}/{setting.hidden}" for _, setting in places)), tuple(lines))


def fewest_tests(results: Results) -> str:
    """At how many numbers of rows the local learner needs the fewest tests."""
    wins, places = 0, 0
    for setting in results.settings:
        means = {method: outcome.mean("tests") for method in results.methods if (outcome := results.at(setting, method)) is not None}
        if any(mean is None for mean in means.values()) or len(means) < 2:
            continue
        places += 1
        wins += min(means, key=lambda method: means[method].value) == "mmb-by-mmb"  # type: ignore[union-attr]
    return f"MMB-by-MMB at {wins} of {places}"


def local_chapter(results: Results, published: Published) -> str:
    """The last table: one target, published and ours."""
    lines = []
    for setting in results.settings:
        for method in results.methods:
            outcome = results.at(setting, method)
            theirs = next((e for e in published.table("local") if e["samples"] == setting.samples and e["method"] == method), None)
            if outcome is not None:
                lines.append(_local_line(setting, method, outcome, theirs))
    head = (
        "N",
        "method",
        "tests, published",
        "ours",
        "ours / published",
        "seconds, published",
        "ours",
        "P/R/F1, published",
        "neighbours",
        "edges",
        "marks",
        "runs",
    )
    return (
        "## One target\n\nComparison with local causal structure learning on ER(50,3) graphs with 5 hidden variables. Precision, recall "
        "and F1 of the neighbours of the target, of its edges with both marks right, and of the marks one by one.\n\n"
        + Table("", head, tuple(lines)).markdown()
        + f"\n\nFewest tests: {fewest_tests(results)}. {published.reason('local')}"
    )


def _local_line(setting: Setting, method: str, outcome: Outcome, theirs: Mapping[str, Any] | None) -> tuple[str, ...]:
    def trio(values: Iterable[float | None]) -> str:
        return " / ".join("–" if value is None else f"{value:.2f}" for value in values)

    def ours(kind: str) -> str:
        means = [outcome.mean(f"{kind}_{metric}") for metric in ("precision", "recall", "f1")]
        return trio(None if mean is None else mean.value for mean in means)

    tests = outcome.mean("tests")
    if theirs is None:
        said, share = ("", "", ""), ""
    else:
        said = (f"{theirs['tests']:,.0f}", f"{theirs['seconds']:.2f}", trio(theirs[metric] for metric in ("precision", "recall", "f1")))
        share = "–" if tests is None else times(tests.value / theirs["tests"])
    cost = [mean_text(outcome.mean(metric), metric) for metric in ("tests", "time")]
    runs = f"{len(outcome.finished)}" + (f", {outcome.n_stopped} stopped" if outcome.n_stopped else "")
    kinds = [ours(kind) for kind in ("adjacency", "edge", "mark")]
    return (str(setting.samples), method_name(method), said[0], cost[0], share, said[1], cost[1], said[2], *kinds, runs)


def expression_chapter(folder: Folder, name: str) -> str:
    """Real data: edges within pathways, mark matrices, edges in words; empty if it was not run."""
    study = folder.study(name)
    facts = read_expression(study, folder.results)
    if facts is None:
        return ""
    parts = [
        f"## {study.title}",
        f"{facts['rows']} arrays of Wille et al. (2004), at alpha = {facts['alpha']:g}: the paper's method with each rule that stops the "
        f"splitting (DiCoLa+{method_name(facts['learner'])}), then the modes that users have. "
        f"The table lies outside the repository: `dicola paper run {name} --data FILE`.",
        expression_table(facts).markdown(),
        "By chance: the share of all pairs of these genes that lie within a pathway. p: the share of 10,000 random relabellings of the "
        "genes with at least as many edges within.",
        *map(one_line, study.more.get("findings", [])),
    ]
    for selection in facts["selections"]:
        left_out = f" Left out: {', '.join(selection['left_out'])}." if selection["left_out"] else ""
        parts.append(f"### {selection['name']}\n\n{one_line(selection['why'])}{left_out}")
        parts.append(picture(f"{name}-{selection['genes']}", f"Mark matrix of {selection['name']}"))
        parts.append(_blocks(selection))
        words = "\n\n".join(
            f"**{run['how']}**: {run['power']}\n\n" + "\n".join(f"- `{line['edge']}`: {line['words']}" for line in run["in_words"])
            for run in selection["runs"]
        )
        parts.append(folded("The edges in words", words))
    return "\n\n".join(parts)


def _blocks(selection: Facts) -> str:
    names = [" – ".join(dict.fromkeys(block["between"])) for block in selection["runs"][0]["blocks"]]
    lines = [(f"`{run['how']}`", *(f"{block['edges']} of {block['pairs']}" for block in run["blocks"])) for run in selection["runs"]]
    return "Edges among the pairs of each block:\n\n" + Table("", ("run", *names), tuple(lines)).markdown()
