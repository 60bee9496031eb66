"""What is known before the data are looked at: who comes first, who cannot cause whom, who does."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from dicola.allowed import check
from dicola.claims import Claims, Given
from dicola.errors import InvalidData, InvalidSetting
from dicola.files import text_from, toml_from
from dicola.graphs.marks import listed
from dicola.tetrad_knowledge import Sections, as_text, sections_of

_MOST_BY_PATTERNS = 1_000_000  # pairs; two letters could ask for all there are
_PAIRS = ("forbidden", "required", "unconfounded", "forbidden_adjacent", "required_adjacent")
_BOTH_WAYS = _PAIRS[2:]  # the order of the two names says nothing


@dataclass(frozen=True)
class Knowledge:
    """Background knowledge: claims about causes, direct or not, about what is hidden, and about edges.

    Each claim licenses marks on edges that the data show: "a does not cause b" an arrowhead at a on
    an edge between them, never a tail at b; "a causes b" a tail at a and an arrowhead at b. What
    follows from several claims, and from claims and marks along a path, is put as well. Claims about
    causes neither add nor remove an edge where tests decide, and no separating set is made up. Where
    graphs are scored, only those that obey are looked at. Sound if the claims are true; the rules
    are complete for independences alone, and may leave circles that both together would decide.

    A name may hold ``*``, which stands for any letters: ``gene_*`` is every variable that begins so.

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
    exogenous : iterable of str
        Variables that nothing in the table causes, and nothing hidden together with another: every
        edge leads away from them.
    unconfounded : iterable of pairs of str
        Pairs of which nothing hidden is a common cause. This speaks of the graph with its hidden
        variables and does not rule out a <-> b, behind which a third variable of the table may
        stand that shares a hidden cause with each. It licenses a tail opposite an arrowhead on the
        edge where no such chain of variables can lead from one to the other.
    forbidden_adjacent : iterable of pairs of str
        Pairs without an edge: some set of the other variables separates them. An edge that the data
        show is taken out, and no rule draws conclusions from that.
    required_adjacent : iterable of pairs of str
        Pairs with an edge: no set of the other variables separates them. It stays whatever a test
        says.

    Raises
    ------
    InvalidSetting
        A variable stands in two tiers, what is required goes in a circle, or two claims contradict
        each other; the message names them.

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
    exogenous: Iterable[str] = ()
    unconfounded: Iterable[tuple[str, str]] = ()
    forbidden_adjacent: Iterable[tuple[str, str]] = ()
    required_adjacent: Iterable[tuple[str, str]] = ()

    def __post_init__(self) -> None:
        given: dict[str, object] = {
            "tiers": tuple(_names("a tier", tier) for tier in _entries("tiers", self.tiers)),
            "closed": tuple(sorted({_position(number) for number in _entries("closed", self.closed)})),
            "exogenous": tuple(sorted(set(_names("exogenous", self.exogenous)))),
        }
        for name in _PAIRS:
            pairs = {_pair(name, pair) for pair in _entries(name, getattr(self, name))}
            given[name] = tuple(sorted({(min(pair), max(pair)) for pair in pairs} if name in _BOTH_WAYS else pairs))
        for name, value in given.items():
            object.__setattr__(self, name, value)
        self._check_tiers()
        if not any("*" in name for name in self.names):
            Claims.of(self, sorted(self.names))

    def __bool__(self) -> bool:
        return any(getattr(self, each.name) for each in fields(self) if each.name != "closed")

    @property
    def names(self) -> frozenset[str]:
        """Every variable that is spoken of."""
        pairs = (pair for kind in _PAIRS for pair in getattr(self, kind))
        return frozenset([*(name for tier in self.tiers for name in tier), *self.exogenous, *(name for pair in pairs for name in pair)])

    @property
    def forbids(self) -> frozenset[tuple[str, str]]:
        """Pairs ``(a, b)`` where a does not cause b, those that follow from the tiers and from what is required included."""
        later = {
            (a, b)
            for number, tier in enumerate(self.tiers)
            for a in tier
            for before in self.tiers[: number + (number in self.closed)]
            for b in before
            if a != b
        }
        return frozenset(later | set(self.forbidden) | {(b, a) for a, b in self.required})

    def on(self, names: Iterable[str]) -> Knowledge:
        """The same claims about the variables of a table, with every pattern spelled out.

        Parameters
        ----------
        names : iterable of str
            The variables there are.

        Raises
        ------
        InvalidSetting
            A name is not among them or a pattern fits none: a wrong name is a mistake, not a wish.
            Or two claims contradict each other once patterns are spelled out.

        """
        known = dict.fromkeys(names)
        self.check_names(known)
        if not any("*" in name for name in self.names - set(known)):
            return self
        meant = {name: _meant(name, known) for name in self.names}
        many = sum(len(meant[one]) * len(meant[other]) for kind in _PAIRS for one, other in getattr(self, kind))
        if many > _MOST_BY_PATTERNS:
            raise InvalidSetting(f"the patterns of the knowledge stand for {many:,} pairs; at most {_MOST_BY_PATTERNS:,} may. Use tiers.")
        spelled = {
            kind: [(a, b) for one, other in getattr(self, kind) for a in meant[one] for b in meant[other] if a != b] for kind in _PAIRS
        }
        tiers = [list(dict.fromkeys(name for each in tier for name in meant[each])) for tier in self.tiers]
        return Knowledge(tiers=tiers, closed=self.closed, exogenous=[name for each in self.exogenous for name in meant[each]], **spelled)

    def marks(self, labels: Sequence[str], edges: Iterable[tuple[int, int]]) -> Iterator[Given]:
        """The marks it puts on the edges of a graph, edge by edge in order.

        Parameters
        ----------
        labels : sequence of str
            The names of the vertices by position.
        edges : iterable of pairs of int
            Positions of the two ends, in any order.

        """
        return Claims.of(self, labels).marks(edges)

    def without(self, names: Iterable[str]) -> Knowledge:
        """The claims that do not speak of some variables.

        Parameters
        ----------
        names : iterable of str
            Variables that are not there, such as columns left out.

        """
        gone = set(names)
        kept = {kind: [pair for pair in getattr(self, kind) if not gone & set(pair)] for kind in _PAIRS}
        tiers = [[name for name in tier if name not in gone] for tier in self.tiers]
        return replace(self, tiers=tiers, exogenous=[name for name in self.exogenous if name not in gone], **kept)

    def together_with(self, more: Knowledge) -> Knowledge:
        """The claims of both; only one of them may have tiers.

        Parameters
        ----------
        more : Knowledge
            Further claims.

        Raises
        ------
        InvalidSetting
            Both have tiers, or the claims of one contradict those of the other.

        """
        if self.tiers and more.tiers:
            raise InvalidSetting("both have tiers; put them into one order.")
        kinds = ("exogenous", *_PAIRS)
        return Knowledge(
            tiers=self.tiers or more.tiers,
            closed=self.closed if self.tiers else more.closed,
            **{kind: [*getattr(self, kind), *getattr(more, kind)] for kind in kinds},
        )

    @classmethod
    def of_contexts(cls, contexts: Iterable[str], names: Iterable[str], targets: Mapping[str, Iterable[str]] | None = None) -> Knowledge:
        """What it says of some variables that they are contexts: set from outside, such as a drug or a batch.

        No other variable causes a context, and nothing hidden is a common cause of a context and
        another variable. How contexts depend on each other, as the design has it, is left open
        (Mooij, Magliacane and Claassen 2020, joint causal inference).

        Parameters
        ----------
        contexts : iterable of str
            Their names; patterns are spelled out.
        names : iterable of str
            All variables there are.
        targets : dict, optional
            Which variables a context acts on: it causes them, and no other variable lies between.

        Raises
        ------
        InvalidSetting
            A name is not among the variables, or a target belongs to no context.

        """
        known, chosen, aims = tuple(names), _names("contexts", contexts), dict(targets or {})
        meant = {
            name: _meant(name, known) for name in (*chosen, *aims, *(each for aimed in aims.values() for each in _names("a target", aimed)))
        }
        if unknown := sorted(name for name, found in meant.items() if not found):
            raise InvalidSetting(
                f"contexts and targets name {listed(unknown)}, not among the variables. Correct the names or leave them out."
            )
        outside = {name for each in (*chosen, *aims) for name in meant[each]}
        inside = [name for name in known if name not in outside]
        acts = [(c, v) for each, aimed in aims.items() for c in meant[each] for one in _names("a target", aimed) for v in meant[one]]
        if wrong := sorted(v for _, v in acts if v in outside):
            raise InvalidSetting(f"{listed(wrong)} is a context itself and no target; contexts act on the other variables.")
        return cls(
            forbidden=[(v, c) for c in outside for v in inside],
            required=acts,
            unconfounded=[(c, v) for c in outside for v in inside],
            required_adjacent=acts,
        )

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
        there = dict.fromkeys(known)
        missing = sorted(name for name in self.names if not _meant(name, there))
        if missing:
            raise InvalidSetting(
                f"the knowledge speaks of {listed(missing)}, not among the variables. Correct the names or leave them out."
            )

    @classmethod
    def from_text(cls, text: str) -> Knowledge:
        r"""Read a knowledge file as Tetrad and causal-cmd write it.

        Parameters
        ----------
        text : str
            Begins with ``/knowledge``. Read are the sections addtemporal (a star closes a tier),
            forbiddirect, requiredirect, and forbiddengroup and requiredgroup, of two lines each,
            causes and effects. Tetrad's claims are about arrows, and are read as claims about
            causes.

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
        check("text", text)
        found = sections_of(text)
        return cls(found.tiers, found.forbidden, found.required, found.closed)

    @classmethod
    def read(cls, path: str | Path) -> Knowledge:
        """Read a knowledge file: Tetrad's (see ``from_text``), or TOML.

        Parameters
        ----------
        path : str or Path
            A file in UTF-8. One that ends in ``.toml`` has the names of the parameters as keys, in
            a table ``[knowledge]``, as in a settings file, or by themselves.

        Raises
        ------
        InvalidData
            The file cannot be read, or is no knowledge file.

        """
        check("path", path)
        text = text_from(Path(path), "knowledge file", InvalidData)
        return cls(**_from_toml(text)) if Path(path).suffix.lower() == ".toml" else cls.from_text(text)

    def to_text(self) -> str:
        """The knowledge file of Tetrad and causal-cmd.

        Raises
        ------
        InvalidData
            A name has spaces, by which that format separates names, or there are claims for which it
            has no place: those of tiers, forbidden and required causes it has.

        """
        without = [kind for kind in ("exogenous", *_BOTH_WAYS) if getattr(self, kind)]
        if without:
            raise InvalidData(f"a knowledge file of Tetrad has no place for {listed(without)}; keep these in Python or in a settings file.")
        spaced = sorted(name for name in self.names if not name or any(c.isspace() for c in name))
        if spaced:
            raise InvalidData(f"a knowledge file separates names by spaces, and {listed(spaced)} would fall apart; rename the columns.")
        return as_text(Sections([tuple(tier) for tier in self.tiers], list(self.closed), list(self.forbidden), list(self.required)))

    def _check_tiers(self) -> None:
        seen: dict[str, int] = {}
        for number, tier in enumerate(self.tiers):
            for name in tier:
                if name in seen:
                    raise InvalidSetting(f"{name!r} stands in tiers {seen[name] + 1} and {number + 1}; it can be in one only.")
                seen[name] = number
        unknown = [number for number in self.closed if not 0 <= number < len(self.tiers)]
        if unknown:
            raise InvalidSetting(f"closed names tier {unknown[0]}, counted from 0; there are {len(self.tiers)}.")


def _from_toml(text: str) -> dict[str, Any]:
    given = toml_from(text, "knowledge file", InvalidData)
    said = given.get("knowledge", given)
    known = [each.name for each in fields(Knowledge)]
    if not isinstance(said, dict) or (unknown := sorted(set(said) - set(known))):
        named = listed(unknown) if isinstance(said, dict) else repr(said)
        raise InvalidData(f"the knowledge file says {named}, which is no kind of statement. Known: {', '.join(known)}.")
    return said


def _meant(name: str, known: Collection[str]) -> list[str]:
    """The variables that a name or a pattern stands for; a name that is there stands for itself."""
    if name in known or "*" not in name:
        return [name] if name in known else []
    return [other for other in known if _fits(other, name.split("*"))]


def _fits(name: str, parts: Sequence[str]) -> bool:
    """Does a name begin with the first part, end with the last, and hold those between in their order, each where it comes first?"""
    first, *between, last = parts
    if len(name) < len(first) + len(last) or not (name.startswith(first) and name.endswith(last)):
        return False
    at, end = len(first), len(name) - len(last)
    for part in between:
        at = name.find(part, at, end) + len(part)
        if at < len(part):
            return False
    return True


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
    if len(parts) != 2 or (parts[0] == parts[1] and "*" not in parts[0]):
        raise InvalidSetting(f"{what}: {value!r}; each entry is a pair of two different names, cause first.")
    return parts[0], parts[1]
