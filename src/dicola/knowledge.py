"""What is known before the data are looked at: who comes first, who cannot cause whom, who does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from dicola.allowed import check
from dicola.errors import InvalidData, InvalidSetting
from dicola.graphs.marks import ARROW, TAIL, MixedGraph, listed

_SECTIONS = ("addtemporal", "forbiddirect", "requiredirect", "forbiddengroup", "requiredgroup")


class Given(NamedTuple):
    """A mark at the second vertex of an edge that stands before any rule is asked."""

    other: int
    at: int
    mark: int


@dataclass(frozen=True)
class Knowledge:
    """Background knowledge as claims about causes, direct or not.

    Each claim licenses marks on edges that the data show, and nothing else: "a does not cause b" an
    arrowhead at a on an edge between them, never a tail at b; "a causes b" a tail at a and an
    arrowhead at b. No edge is added and none removed, and no separating set is made up. Sound if
    the claims are true; the rules are then complete for what they were made for, and may leave
    circles that knowledge and data together would decide.

    Parameters
    ----------
    tiers : sequence of sequences of str
        Groups of variables in the order in which they came about: nothing in a later one causes
        anything in an earlier one. Variables that are not named are free.
    forbidden : iterable of pairs of str
        Pairs ``(a, b)`` where a does not cause b.
    required : iterable of pairs of str
        Pairs ``(a, b)`` where a causes b.
    closed : iterable of int
        Tiers, counted from 0, in which no variable causes another.

    Raises
    ------
    InvalidSetting
        A variable stands in two tiers, or a claim is both required and forbidden.

    Examples
    --------
    >>> tiers = [["Age", "Sex"], ["Smoking"], ["Cancer"]]
    >>> sorted(Knowledge(tiers, forbidden=[("Age", "Sex")]).forbids)[:3]
    [('Age', 'Sex'), ('Cancer', 'Age'), ('Cancer', 'Sex')]

    """

    tiers: Sequence[Sequence[str]] = ()
    forbidden: Iterable[tuple[str, str]] = ()
    required: Iterable[tuple[str, str]] = ()
    closed: Iterable[int] = ()

    def __post_init__(self) -> None:
        tiers = tuple(_names("a tier", tier) for tier in _entries("tiers", self.tiers))
        closed = tuple(sorted({_position(number) for number in _entries("closed", self.closed)}))
        pairs = {
            name: tuple(sorted({_pair(name, pair) for pair in _entries(name, getattr(self, name))})) for name in ("forbidden", "required")
        }
        for name, value in (("tiers", tiers), ("closed", closed), *pairs.items()):
            object.__setattr__(self, name, value)
        self._check()

    def __bool__(self) -> bool:
        return bool(self.tiers or self.forbidden or self.required)

    @property
    def names(self) -> frozenset[str]:
        """Every variable that is spoken of."""
        pairs = (*self.forbidden, *self.required)
        return frozenset(name for tier in self.tiers for name in tier) | {name for pair in pairs for name in pair}

    @property
    def forbids(self) -> frozenset[tuple[str, str]]:
        """All pairs ``(a, b)`` where a does not cause b, those that follow from the tiers and from what is required included."""
        later = {
            (a, b)
            for number, tier in enumerate(self.tiers)
            for a in tier
            for before in self.tiers[: number + (number in self.closed)]
            for b in before
            if a != b
        }
        return frozenset(later | set(self.forbidden) | {(b, a) for a, b in self.required})

    def marks(self, labels: Sequence[str], edges: Iterable[tuple[int, int]]) -> Iterator[Given]:
        """The marks it puts on the edges of a graph, edge by edge in order.

        Parameters
        ----------
        labels : sequence of str
            The names of the vertices by position.
        edges : iterable of pairs of int
            Positions of the two ends, in any order.

        """
        forbids, required = self.forbids, set(self.required)
        for a, b in sorted((min(edge), max(edge)) for edge in edges):
            for one, other in ((a, b), (b, a)):
                claim = (labels[one], labels[other])
                if claim in required:
                    yield Given(other, one, TAIL)
                if claim in forbids:
                    yield Given(other, one, ARROW)

    def without(self, names: Iterable[str]) -> Knowledge:
        """The claims that do not speak of some variables.

        Parameters
        ----------
        names : iterable of str
            Variables that are not there, such as columns left out.

        """
        gone = set(names)
        kept = {part: [pair for pair in getattr(self, part) if not gone & set(pair)] for part in ("forbidden", "required")}
        return replace(self, tiers=[[name for name in tier if name not in gone] for tier in self.tiers], **kept)

    def check_names(self, known: Iterable[str]) -> None:
        """Every variable spoken of must be there; a wrong name is a mistake, not a wish.

        Parameters
        ----------
        known : iterable of str
            The variables there are.

        Raises
        ------
        InvalidSetting
            The knowledge speaks of others.

        """
        missing = sorted(self.names - set(known))
        if missing:
            raise InvalidSetting(
                f"the knowledge speaks of {listed(missing)}, not among the variables. Correct the names or leave them out."
            )

    def denied_by(self, graph: MixedGraph) -> list[str]:
        """Claims that a graph denies, in words.

        Parameters
        ----------
        graph : MixedGraph
            One with every variable that is spoken of.

        """
        said = []
        for a, b in self.required:
            mark = graph.marks[graph.index(b), graph.index(a)]
            if mark == 0:
                said.append(f"{a} was said to cause {b}, but there is no edge between them; it may act through others.")
            elif mark == ARROW:
                said.append(f"{a} was said to cause {b}, but the edge between them has an arrowhead at {a}.")
        for a, b in sorted(self.forbids):
            if graph.marks[graph.index(b), graph.index(a)] == TAIL:
                said.append(f"{a} was said not to cause {b}, but the edge between them has a tail at {a}.")
        return said

    @classmethod
    def from_text(cls, text: str) -> Knowledge:
        r"""Read a knowledge file as Tetrad and causal-cmd write it.

        Parameters
        ----------
        text : str
            Begins with ``/knowledge``. Read are the sections addtemporal (a star closes a tier),
            forbiddirect and requiredirect.

        Raises
        ------
        InvalidData
            The text is not such a file; the message names the line.

        Examples
        --------
        >>> text = "/knowledge\naddtemporal\n1 Age\n2* Dose Drug\n\nrequiredirect\nDose Pain\n"
        >>> Knowledge.from_text(text).closed
        (1,)

        """
        return _read(text)

    @classmethod
    def read(cls, path: str | Path) -> Knowledge:
        """Read a knowledge file; see ``from_text``.

        Parameters
        ----------
        path : str or Path
            A file in UTF-8.

        Raises
        ------
        InvalidData
            The file cannot be read, or is no knowledge file.

        """
        check("path", path)
        try:
            return cls.from_text(Path(path).read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidData(f"the knowledge file {str(path)!r} could not be read: {getattr(error, 'strerror', None) or error}.") from None

    def to_text(self) -> str:
        """The knowledge file of Tetrad and causal-cmd; names must be without spaces, by which that format separates them."""
        spaced = sorted(name for name in self.names if not name or any(c.isspace() for c in name))
        if spaced:
            raise InvalidData(f"a knowledge file separates names by spaces, and {listed(spaced)} would fall apart; rename the columns.")
        tiers = [f"{number + 1}{'*' if number in self.closed else ''} {' '.join(tier)}" for number, tier in enumerate(self.tiers)]
        parts = (tiers, [" ".join(pair) for pair in self.forbidden], [" ".join(pair) for pair in self.required])
        return "/knowledge\n" + "".join("\n".join([title, *lines, "", ""]) for title, lines in zip(_SECTIONS[:3], parts, strict=True))

    def _check(self) -> None:
        seen: dict[str, int] = {}
        for number, tier in enumerate(self.tiers):
            for name in tier:
                if name in seen:
                    raise InvalidSetting(f"{name!r} stands in tiers {seen[name] + 1} and {number + 1}; it can be in one only.")
                seen[name] = number
        unknown = [number for number in self.closed if not 0 <= number < len(self.tiers)]
        if unknown:
            raise InvalidSetting(f"closed names tier {unknown[0]}, counted from 0; there are {len(self.tiers)}.")
        for a, b in self.required:
            if (a, b) in self.forbids:
                raise InvalidSetting(f"{a!r} is required to cause {b!r} and forbidden to, by a tier or a pair; take one of them back.")


def _entries(what: str, value: object, of: str = "entries") -> tuple[object, ...]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise InvalidSetting(f"{what} is {value!r}; it must be a list of {of}.")
    return tuple(value)


def _names(what: str, value: object) -> tuple[str, ...]:
    return tuple(str(each) for each in _entries(what, value, "names"))


def _position(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidSetting(f"closed holds {value!r}; it takes numbers of tiers, counted from 0.")
    return value


def _pair(what: str, value: object) -> tuple[str, str]:
    parts = _names(f"an entry of {what}", value)
    if len(parts) != 2 or parts[0] == parts[1]:
        raise InvalidSetting(f"{what}: {value!r}; each entry is a pair of two different names, cause first.")
    return parts[0], parts[1]


def _read(text: str) -> Knowledge:
    check("text", text)
    lines = [line.strip() for line in text.splitlines()]
    if not lines or lines[0] != "/knowledge":
        raise InvalidData("a knowledge file begins with a line '/knowledge'.")
    section = ""
    tiers: list[tuple[str, ...]] = []
    closed: list[int] = []
    pairs: dict[str, list[tuple[str, str]]] = {"forbiddirect": [], "requiredirect": []}
    for number, line in enumerate(lines[1:], 2):
        if line.lower() in _SECTIONS:
            section = line.lower()
        elif not line or line.startswith("#"):
            continue
        elif section == "addtemporal":
            index, *names = line.split()
            if not index.rstrip("*").isdigit():
                raise InvalidData(f"line {number} of the knowledge file: a tier begins with its number, not with {index!r}.")
            closed += [len(tiers)] if index.endswith("*") else []
            tiers.append(tuple(names))
        elif section in pairs:
            names = line.split()
            if len(names) != 2:
                raise InvalidData(f"line {number} of the knowledge file: {line!r}; here each line is two names, cause first.")
            pairs[section].append((names[0], names[1]))
        else:
            raise InvalidData(f"line {number} of the knowledge file: {line!r}; known here are addtemporal, forbiddirect and requiredirect.")
    return Knowledge(tiers, pairs["forbiddirect"], pairs["requiredirect"], closed)
