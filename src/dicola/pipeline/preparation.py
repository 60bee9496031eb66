"""From a table as it is to a test: columns understood, some left out, a way around gaps; and a note about each."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from dicola.ci.auto import USUAL, chosen_test
from dicola.ci.base import CITest
from dicola.ci.card import CPU, checked_device
from dicola.ci.fisher_z import FisherZ
from dicola.ci.gaps import ASSUMED, Way, class_of, test_with_gaps, way_around_gaps
from dicola.ci.registry import AUTO, TESTS, Recipe, test_on
from dicola.discovery import Discovery
from dicola.errors import InvalidData, InvalidSetting, Sentence, Setting, counted
from dicola.graphs.marks import ARROW, TAIL, listed
from dicola.local_discovery import LocalDiscovery
from dicola.pipeline.plan import Plan, as_list
from dicola.tables.look import Finding, Look, first_look, relations
from dicola.tables.table import Table

Found = TypeVar("Found", bound=Discovery | LocalDiscovery)
_MOST_LISTED = 20
_FEW_CODED = 3  # columns of codes that have a sentence each
_NO_LETTER = r"[\W\d_]"
_WHAT_IS_GIVEN = r"age|sex|gender|race|ethnicity|birth[ _]?(?:date|day|year)|(?:date|year)[ _]of[ _]birth"
_GIVEN = re.compile(rf"(?:.*{_NO_LETTER})?(?:{_WHAT_IS_GIVEN})(?:{_NO_LETTER}.*)?", re.IGNORECASE | re.DOTALL)
_OF_BOOTSTRAP = ("bootstrap", "bootstrap_seed", "bootstrap_fraction")


class Prepared(NamedTuple):
    """What a run starts from: the columns that are used, the test on them, and what was done on the way."""

    table: Table
    test: CITest
    plan: Plan
    look: Look
    notes: tuple[str, ...]
    way: Way | None
    why: str | None = None

    def told(self, found: Found) -> Found:
        """The result with the look at the table and what was done about it."""
        hints = self._hints(found) if isinstance(found, Discovery) else ()
        found = replace(found, settings={**found.settings, **self._settings()}, warnings=(*self.notes, *hints, *found.warnings))
        return replace(found, look=replace(self.look, table=None)) if isinstance(found, Discovery) else found

    def _hints(self, found: Discovery) -> Iterator[str]:
        """Where nothing was said of them: columns with causes in the graph that, by their names, hardly anything in a table causes."""
        if self.plan.knowledge is not None or self.plan.contexts:
            return
        marks = found.pag.marks
        is_caused = ((marks == ARROW) & (marks.T == TAIL)).any(axis=0).tolist()
        if given := [name for name, has_causes in zip(found.pag.names, is_caused, strict=True) if has_causes and _GIVEN.fullmatch(name)]:
            yield Sentence(
                "in this graph other columns cause {names}. If nothing in the table does, say so with {knowledge}: forbidden = {pairs}",
                names=listed(given),
                pairs=json.dumps([["*", name] for name in given], ensure_ascii=False),
            )

    def on_rows(self, rows: NDArray[np.int64]) -> CITest:
        """The test on some rows of the table, repeats allowed; what the columns are stays as it is."""
        faster = None
        if isinstance(self.test, FisherZ) and class_of(self.plan.ci_test) is FisherZ and self.way is None:
            faster = self.test.on_rows(rows)
        return _made(self.table.rows(rows), self.plan, self.way) if faster is None else faster

    def _settings(self) -> dict[str, Any]:
        """What makes the same of the columns of other rows; nothing for complete numbers of one kind."""
        kinds = {name: kind for name, kind in zip(self.table.labels, self.table.kinds, strict=True) if kind != "continuous"}
        gaps = [str(value) for value in _or_none(self.plan.missing_values)]
        return {
            **({"test_chosen": self.why} if self.why else {}),
            **({"kinds": kinds} if kinds else {}),
            **({"drop": list(self.look.left_out)} if self.look.left_out else {}),
            **({"missing": self.way} if self.way else {}),
            **({"missing_values": gaps} if gaps else {}),
            **({"strict": True} if self.plan.strict else {}),
            **{name: value for name in _OF_BOOTSTRAP if self.plan.bootstrap and (value := getattr(self.plan, name)) is not None},
        }


def prepare(table: Table, plan: Plan) -> Prepared:
    """Understand a table, leave out what cannot be used, and make the test that the plan asks for.

    Raises
    ------
    InvalidData
        Where fewer than two columns are left, where there are gaps and none are allowed, where the
        test does not take some kind of column; and with ``strict``, at everything at once that
        would be left out or taken as a gap.

    """
    look = first_look(table, plan.kinds or {}, () if plan.drop is None else plan.drop, tuple(_or_none(plan.missing_values)))
    plan, why = _settled(plan, _table(look))
    if _wants_functions(plan.ci_test, look.table):
        look = look.with_findings(relations(_table(look)))
    _check(look, plan)
    way = _way(look, plan)
    try:
        test = _test(look, plan, way)
    except InvalidData as error:
        look = _without_functions(look, error)
        _check(look, plan)
        test = _test(look, plan, way)
    return Prepared(_table(look), test, _without(plan, look), look, tuple(_notes(look, plan, way, why)), way, why)


def _or_none(values: Iterable[Any] | None) -> Iterable[Any]:
    return () if values is None else values


def _settled(plan: Plan, table: Table) -> tuple[Plan, str | None]:
    """The plan with a test by name; where it was to be chosen, also why it was."""
    if not isinstance(plan.ci_test, str) or plan.ci_test.lower() != AUTO:
        return plan, None
    made, why = chosen_test(table)
    if plan.missing == "testwise" and made is not FisherZ and "testwise" not in getattr(made, "gaps", ()) and "nominal" not in table.kinds:
        made, why = (
            FisherZ,
            Sentence("with {missing=testwise} numbers are tested by Fisher's z; {missing=em} leaves more tests to choose from"),
        )
    # What was always the test of plain numbers needs no words.
    return replace(plan, ci_test=made.__name__), None if why is USUAL and plan.missing != "testwise" else why


def _table(look: Look) -> Table:
    assert look.table is not None
    return look.table


def _wants_functions(recipe: Recipe, table: Table | None) -> bool:
    """Are exact functions to be looked for beforehand? Fisher's z finds them on complete numbers by itself, at no cost."""
    kind = class_of(recipe)
    return table is not None and kind is not None and (bool(np.isnan(table.values).any()) or getattr(kind, "name", "") != "fisher_z")


def _check(look: Look, plan: Plan) -> None:
    table = _table(look)
    if plan.strict and look.problems:
        listed_up = " ".join(
            f"({number}) {finding.sentence.replace('; it is left out', '')}" for number, finding in enumerate(look.problems, 1)
        )
        raise InvalidData(
            Sentence(
                "{many} in the way: {all} Mend the table, or go on without {strict}.",
                many=counted(len(look.problems), "thing stands", "things stand"),
                all=listed_up,
            )
        )
    if len(table.names) < 2:
        out = f" {listed(look.left_out)} would be left out." if look.left_out else ""
        raise InvalidData(
            f"the table has {counted(len(table.names), 'column')} that can be used; looking for causes needs at least two.{out}"
        )
    if table.n_samples == 0:
        raise InvalidData("the table has no rows.")
    _check_kinds(table, plan.ci_test)


def _check_kinds(table: Table, recipe: Recipe) -> None:
    """Refuse columns of a kind that the test does not take, all at once; numbers pass as numbers."""
    taken: tuple[str, ...] | None = getattr(class_of(recipe), "kinds", None)
    if taken is None:
        return
    wrong = {
        column.name: column.kind
        for column in table.columns
        if column.kind not in taken and not (column.is_numeric and "continuous" in taken)
    }
    if not wrong:
        return
    shown = [f"{name!r} ({wrong[name]})" for name in table.names if name in wrong]
    more = f" and {len(shown) - _MOST_LISTED} more" if len(shown) > _MOST_LISTED else ""
    others = [name for name, entry in TESTS.items() if set(table.kinds) <= set(getattr(entry, "kinds", ()))]
    remedy = Sentence(" or take {test}", test=Setting("ci_test", others[0])) if others else ""
    raise InvalidData(
        Sentence(
            "the test {test} takes columns that are {taken}, and these are not: {shown}{more}. Leave them out with {drop}{remedy}.",
            test=getattr(class_of(recipe), "name", recipe),
            taken=" or ".join(taken),
            shown=", ".join(shown[:_MOST_LISTED]),
            more=more,
            remedy=remedy,
        )
    )


def _way(look: Look, plan: Plan) -> Way | None:
    """How to go about gaps; ``None`` where there are none."""
    table = _table(look)
    if not np.isnan(table.values).any():
        return None
    if plan.missing == "error":
        gaps = next(finding for finding in look.findings if finding.what == "gaps")
        raise InvalidData(
            Sentence(
                "there are {gaps} Take {missing=auto}, {missing=em}, {missing=impute}, {missing=testwise} or {missing=listwise}, "
                "or fill them.",
                gaps=gaps.sentence,
            )
        )
    return way_around_gaps(plan.ci_test, table, plan.missing)


def _test(look: Look, plan: Plan, way: Way | None) -> CITest:
    return _made(_table(look), plan, way)


def _made(table: Table, plan: Plan, way: Way | None) -> CITest:
    recipe = _on_device(plan, way)
    return test_on(recipe, table, plan.alpha) if way is None else test_with_gaps(recipe, table, plan.alpha, way, plan.seed)


def _on_device(plan: Plan, way: Way | None) -> Recipe:
    """The recipe with the device that was chosen; ``InvalidSetting`` where the test goes without one."""
    if checked_device(plan.device) == CPU:
        return plan.ci_test
    asked = Setting("device", plan.device)
    kind = class_of(plan.ci_test)
    if kind is not FisherZ:
        test = Setting("ci_test", plan.ci_test if isinstance(plan.ci_test, str) else getattr(kind, "name", None))
        raise InvalidSetting(Sentence("{asked} is for Fisher's z test, {ci_test=fisher_z}, and here it is {test}.", asked=asked, test=test))
    if way == "testwise":
        raise InvalidSetting(Sentence("{asked} does not go with {missing=testwise}, where every test has rows of its own.", asked=asked))
    known = plan.ci_test if isinstance(plan.ci_test, partial) else FisherZ
    return partial(known, device=plan.device)


def _without_functions(look: Look, error: InvalidData) -> Look:
    """Leave out what is an exact linear function of other columns; the error stands where there is none."""
    found = [finding for finding in relations(_table(look)) if finding.leaves_out]
    if not found:
        raise error
    return look.with_findings(found)


def _without(plan: Plan, look: Look) -> Plan:
    """The plan without claims about columns that were left out."""
    gone = set(look.left_out)
    if not gone & _spoken_of(plan):
        return plan
    aims = {name: [each for each in as_list(aimed) if each not in gone] for name, aimed in (plan.targets or {}).items() if name not in gone}
    return replace(
        plan,
        knowledge=None if plan.knowledge is None else plan.knowledge.without(gone),
        contexts=[name for name in as_list(plan.contexts or ()) if name not in gone] or None,
        targets=aims or None,
    )


def _spoken_of(plan: Plan) -> set[str]:
    """The columns that claims speak of."""
    aims = plan.targets or {}
    named = {*as_list(plan.contexts or ()), *aims, *(name for aimed in aims.values() for name in as_list(aimed))}
    return named if plan.knowledge is None else named | plan.knowledge.names


def _notes(look: Look, plan: Plan, way: Way | None, why: str | None) -> Iterable[str]:
    told = {"told", "codes", "markers", *(finding.what for finding in look.problems), "gaps_depend", "near_copy", "determined"}
    yield from _shortened([finding for finding in look.findings if finding.what in told and finding.what != "told"])
    if way is not None:
        yield f"{_gaps(look)}: {ASSUMED[way]}."
    if named := sorted(_spoken_of(plan) & set(look.left_out)):
        yield f"the knowledge speaks of {listed(named)}, left out of the table; these claims are passed over."
    is_told = why is not None and plan.missing != "testwise"  # the choice of the test speaks of shapes
    if not is_told and look.about("skewed") and getattr(class_of(plan.ci_test), "name", "") == "fisher_z":
        (finding,) = (finding for finding in look.findings if finding.what == "skewed")
        yield f"{finding.sentence} Fisher's z sees linear relations, which skewed columns rarely have."


def _gaps(look: Look) -> str:
    sentence = next(finding.sentence for finding in look.findings if finding.what == "gaps")
    return sentence.partition(":")[0]


def _shortened(findings: list[Finding]) -> Iterable[str]:
    """The sentences, but of one sort no more than a screen holds; one for all columns of codes where there are many."""
    coded = [name for finding in findings if finding.what == "codes" for name in finding.columns]
    if len(coded) > _FEW_CODED:
        findings = [finding for finding in findings if finding.what != "codes"]
        yield (
            f"{len(coded)} columns hold whole numbers in no order that other columns follow, so they are read as codes of categories: "
            f"{listed(coded)}."
        )
    seen: dict[str, int] = {}
    for finding in findings:
        seen[finding.what] = seen.get(finding.what, 0) + 1
        if seen[finding.what] <= _MOST_LISTED:
            yield finding.sentence
    for what, count in seen.items():
        if count > _MOST_LISTED:
            yield f"… and {count - _MOST_LISTED} more columns of the sort {what}; the look at the table has them all."
