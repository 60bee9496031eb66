"""The knowledge files of Tetrad and causal-cmd: sections of names separated by spaces."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from dicola.errors import InvalidData, shown

_TIERS, _PAIRS, _GROUPS = "addtemporal", ("forbiddirect", "requiredirect"), ("forbiddengroup", "requiredgroup")
_SECTIONS = (_TIERS, *_PAIRS, *_GROUPS)
_DIGITS = 9  # of the number of a tier
_MOST_BY_GROUPS = 200_000  # pairs; a text of a few kilobytes could ask for millions
Pairs = list[tuple[str, str]]


class Sections(NamedTuple):
    """What such a file says; tiers in their order, those that are closed counted from 0."""

    tiers: list[tuple[str, ...]]
    closed: list[int]
    forbidden: Pairs
    required: Pairs


def as_text(said: Sections) -> str:
    """The file; names must be without spaces."""
    tiers = [f"{number + 1}{'*' if number in said.closed else ''} {' '.join(tier)}" for number, tier in enumerate(said.tiers)]
    parts = (tiers, [" ".join(pair) for pair in said.forbidden], [" ".join(pair) for pair in said.required])
    return "/knowledge\n" + "".join("\n".join([title, *lines, "", ""]) for title, lines in zip(_SECTIONS[:3], parts, strict=True))


def sections_of(text: str) -> Sections:
    """Read such a file; ``InvalidData`` names the line that is wrong."""
    lines = [line.strip() for line in text.splitlines()]
    if not lines or lines[0] != "/knowledge":
        raise InvalidData("a knowledge file begins with a line '/knowledge'.")
    tiers: dict[int, list[str]] = {}
    closed: set[int] = set()
    pairs: dict[str, Pairs] = {"forbid": [], "require": []}
    rows, grouped = _rows(lines), 0
    for number, section, words in rows:
        if section == _TIERS:
            tier = words[0].rstrip("*")
            if not (tier.isascii() and tier.isdigit() and len(tier) <= _DIGITS):
                raise _wrong(number, f"a tier begins with its number, not with {shown(words[0])}.")
            tiers.setdefault(int(tier), []).extend(words[1:])
            closed |= {int(tier)} if words[0].endswith("*") else set()
        elif section in _PAIRS:
            if len(words) != 2:
                raise _wrong(number, f"{' '.join(words)!r}; here each line is two names, cause first.")
            pairs[section.removesuffix("direct")].append((words[0], words[1]))
        elif section in _GROUPS:
            effects = next(rows, None)
            if effects is None or effects[1] != section:
                raise _wrong(number, "a group is two lines, the causes and then the effects; the second is missing.")
            grouped += len(words) * len(effects[2])
            if grouped > _MOST_BY_GROUPS:
                raise _wrong(number, f"the groups stand for {grouped:,} pairs; at most {_MOST_BY_GROUPS:,} may be written so. Use tiers.")
            pairs["forbid" if section == _GROUPS[0] else "require"] += [(a, b) for a in words for b in effects[2] if a != b]
        else:
            raise _wrong(number, f"{' '.join(words)!r}; known here are {', '.join(_SECTIONS)}.")
    order = sorted(tiers)
    return Sections([tuple(tiers[at]) for at in order], [order.index(at) for at in sorted(closed)], pairs["forbid"], pairs["require"])


def _rows(lines: list[str]) -> Iterator[tuple[int, str, list[str]]]:
    """Every line that says something: its number, the section it stands in, its words."""
    section = ""
    for number, line in enumerate(lines[1:], 2):
        if line.lower() in _SECTIONS:
            section = line.lower()
        elif line and not line.startswith("#"):
            yield number, section, line.split()


def _wrong(number: int, said: str) -> InvalidData:
    return InvalidData(f"line {number} of the knowledge file: {said}")
