"""What a written result may hold: every field that is read back is checked first, for the file may come from anyone."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Any, Final, get_args

from dicola.ci.power import Strength
from dicola.errors import InvalidData

Check = Callable[[Any], bool]
Fields = Mapping[str, tuple[Check, str]]
"""By the name of a field, what it must be, as a check and in words."""

_LARGEST: Final = 2**63 - 1  # what an array of integers can hold
_DEEPEST: Final = 20  # settings within settings


def loaded(text: str, file: str) -> dict[str, Any]:
    """The object that a JSON file of a result holds; numbers are small enough for arrays."""
    try:
        facts = json.loads(text, parse_int=_whole)
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise InvalidData(f"{file} is no JSON that this library writes: {reason}.") from None
    if not isinstance(facts, dict):
        raise InvalidData(f"{file} holds a {type(facts).__name__}, not an object.")
    return facts


def _whole(digits: str) -> int:
    if len(digits) > 20 or not -_LARGEST <= (number := int(digits)) <= _LARGEST:
        raise ValueError("it has a number beyond 64 bits")
    return number


def check_discovery(facts: Mapping[str, Any], n: int) -> None:
    """Refuse a ``discovery.json`` that is not one, over ``n`` variables."""
    place, places = _below(n), _list_of(_below(n))
    conflict = _row(_is_text, place, place, _is_mark, _is_mark, places, _is_text, places)
    needed: Fields = {
        "tests": (lambda value: _by_name(_is_count)(value) and "total" in value, "numbers of tests by phase, with their total"),
        "settings": (_are_settings, "settings by name"),
        "warnings": (_list_of(_is_text), "a list of sentences"),
        "conflicts": (_list_of(conflict), "a list of conflicts"),
        "reasons": (_list_of(_row(place, place, _is_text, places)), "a list of reasons"),
    }
    optional: Fields = {
        "sha256": (_by_name(_is_text), "digests by name"),
        "evaluations": (_by_name(_is_count), "numbers by kind"),
        "score": (_is_number, "a number"),
        "runner_up": (_is_number, "a number"),
        "hidden": (_list_of(lambda each: _is_hidden(each, n)), "a list of hidden variables"),
        "untested": (_object(rows=_is_count, determined=_is_count), "two numbers of tests"),
        "power": (_is_power, "what the rows could show"),
        "look": (_is_look, "what the table was"),
        "bootstrap": (_is_bootstrap, "how tables were drawn"),
        "complete": (_is_flag, "true or false"),
        "undecided": (_list_of(_row(place, place)), "a list of pairs of variables"),
    }
    _check(facts, "discovery.json", needed, optional)


def check_seconds(seconds: Mapping[str, Any]) -> None:
    """Refuse a ``timing.json`` that is not one."""
    if not _by_name(_is_number)(seconds):
        raise InvalidData("timing.json must hold seconds by phase.")


def check_skeleton(facts: Mapping[str, Any], names: Sequence[str]) -> None:
    """Refuse a ``skeleton.json`` that is not one, or has other variables than the graph."""
    labels: Any = facts.get("labels")
    if not _list_of(_is_text)(labels) or len(set(labels)) != len(labels) or set(labels) != set(names):
        raise InvalidData("skeleton.json and pag.json must name the same variables, each once.")
    place = _below(len(labels))
    separated = _row(place, place, _list_of(place))
    needed: Fields = {
        "edges": (_list_of(_row(place, place)), "a list of pairs of variables"),
        "warnings": (_list_of(_is_text), "a list of sentences"),
        "separated_later": (_list_of(separated), "a list of pairs with their sets"),
        "tree": (lambda nodes: _is_tree(nodes, separated), "a tree of variables, each part smaller than what it is a part of"),
    }
    optional: Fields = {
        "mag": (_list_of(_row(place, place, _is_mark, _is_mark)), "a list of edges with marks"),
        "across": (_list_of(separated), "a list of pairs with their sets"),
    }
    _check(facts, "skeleton.json", needed, optional)


def _is_hidden(value: Any, n: int) -> bool:
    found = _object(children=_list_of(_below(n)), correlations=_list_of(_is_number))(value)
    return found and len(value) == 2 and len(value["children"]) > 0 and len(value["correlations"]) == n


def _is_bootstrap(value: Any) -> bool:
    drawn = {"replicates": _is_count, "seed": _is_count, "replace": _is_flag, "redrawn": _is_count}
    shares = {"fraction": lambda share: share is None or _is_number(share), "calibration": lambda name: name is None or _is_text(name)}
    return _object(**drawn, **shares)(value) and {"replicates", "seed"} <= set(value) and value["replicates"] > 0


def _check(facts: Mapping[str, Any], file: str, needed: Fields, optional: Fields) -> None:
    for name, (fits, words) in {**needed, **optional}.items():
        if name not in facts and name in optional:
            continue
        if name not in facts or not fits(facts[name]):
            raise InvalidData(f"{file} has no {name!r} that can be used; it must be {words}.")


def with_members(facts: dict[str, Any]) -> dict[str, Any]:
    """The same facts, where the branches of a large tree have the variables of their children, without which they were written.

    What is no tree is left as it is.
    """
    nodes: Any = facts.get("tree")
    if _list_of(lambda node: isinstance(node, dict))(nodes):
        with suppress(TypeError, LookupError):
            _fill(nodes)
    return facts


def _fill(nodes: list[dict[str, Any]]) -> None:
    waiting, seen = [number for number, node in enumerate(nodes) if "variables" not in node], set[int]()
    while waiting:
        number = waiting[-1]
        parts = [nodes[number][side] for side in ("left", "right")]
        without = [part for part in parts if "variables" not in nodes[part]]
        if "variables" in nodes[number] or not without:
            nodes[waiting.pop()].setdefault("variables", sorted({*nodes[parts[0]]["variables"], *nodes[parts[1]]["variables"]}))
        elif number in seen:
            return  # it is a part of itself
        else:
            seen.add(number)
            waiting += without


def _is_tree(nodes: Any, separated: Check) -> bool:
    """Children are smaller than their branch and hold nothing else, so that nothing that walks the tree walks forever."""
    if not _list_of(lambda node: isinstance(node, dict) and _ascend(node.get("variables")))(nodes) or not nodes:
        return False
    return all(_is_branch(node, nodes) if "separator" in node else _is_leaf(node, separated) for node in nodes)


def _is_branch(node: Mapping[str, Any], nodes: Sequence[Mapping[str, Any]]) -> bool:
    numbers: tuple[Any, Any] = (node.get("left"), node.get("right"))
    if not all(_below(len(nodes))(number) for number in numbers) or not _list_of(_is_count)(node["separator"]):
        return False
    whole, parts = set(node["variables"]), [set(nodes[number]["variables"]) for number in numbers]
    return parts[0] | parts[1] == whole and parts[0] & parts[1] == set(node["separator"]) and all(part < whole for part in parts)


def _is_leaf(node: Mapping[str, Any], separated: Check) -> bool:
    inside = set(node["variables"])
    blankets = node.get("blankets", [[]] * len(inside))
    rows = _list_of(_list_of(lambda v: _is_count(v) and v in inside))
    return _list_of(separated)(node.get("separating_sets")) and rows(blankets) and len(blankets) == len(inside)


def _ascend(variables: Any) -> bool:
    return _list_of(_is_count)(variables) and all(a < b for a, b in pairwise(variables))


def _are_settings(settings: Any) -> bool:
    if not isinstance(settings, dict) or _depth(settings) > _DEEPEST:
        return False
    texts = all(isinstance(settings.get(name), str | None) for name in ("mode", "mode_chosen", "test_chosen", "blankets_chosen"))
    parts = all(isinstance(settings.get(name), dict | None) for name in ("learner", "test", "knowledge"))
    if not texts or not parts:
        return False
    learner, test = settings.get("learner") or {}, settings.get("test") or {}
    names = isinstance(learner.get("name", ""), str) and isinstance(test.get("name", ""), str)
    numbers = _or_nothing(_is_number)(test.get("alpha")) and _or_nothing(_is_count)(test.get("n_samples"))
    return names and numbers and (not settings.get("test_chosen") or "name" in test)


def _depth(value: Any) -> int:
    """How deep values lie within others; not counted beyond what is allowed."""
    level, depth = [value], 0
    while level and depth <= _DEEPEST:
        inside = (each.values() if isinstance(each, dict) else each for each in level if isinstance(each, dict | list))
        level, depth = [one for some in inside for one in some], depth + 1
    return depth


def _is_power(value: Any) -> bool:
    numbers = {"n_samples": _is_count, "given": _is_count, "correlation": _is_number}
    further = {"given_rest": _or_nothing(_is_number), "strength": lambda word: word in get_args(Strength), "freedom": _is_count}
    return _object(**numbers, **further)(value) and numbers.keys() <= value.keys()


def _is_look(value: Any) -> bool:
    seen = {"name": _is_text, "kind": _is_text, "levels": _is_count, "gaps": _is_count, "use": _is_text}
    more = {"skew": _or_nothing(_is_number), "ties": _or_nothing(_is_number)}
    finding = {"what": _is_text, "columns": _list_of(_is_text), "sentence": _is_text}
    fields: dict[str, Check] = {
        "rows": _is_count,
        "columns": _is_count,
        "seen": _list_of(lambda each: _object(**seen, **more)(each) and len(each) == len(seen) + len(more)),
        "findings": _list_of(lambda each: _object(**finding)(each) and len(each) == len(finding)),
        "missing": _is_text,
    }
    return _object(**fields)(value) and len(value) == len(fields)


def _object(**fields: Check) -> Check:
    """An object with none but these fields."""
    return lambda value: isinstance(value, dict) and all(name in fields and fields[name](each) for name, each in value.items())


def _list_of(check: Check) -> Check:
    return lambda value: isinstance(value, list) and all(map(check, value))


def _by_name(check: Check) -> Check:
    return lambda value: isinstance(value, dict) and all(map(check, value.values()))


def _row(*checks: Check) -> Check:
    return lambda value: (
        isinstance(value, list) and len(value) == len(checks) and all(check(each) for check, each in zip(checks, value, strict=True))
    )


def _below(n: int) -> Check:
    return lambda value: type(value) is int and 0 <= value < n


def _or_nothing(check: Check) -> Check:
    return lambda value: value is None or check(value)


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_mark(value: Any) -> bool:
    return type(value) is int and 1 <= value <= 3


def _is_number(value: Any) -> bool:
    return type(value) in (int, float)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)
