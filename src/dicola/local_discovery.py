"""What a local run gives back."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from dicola.ci.power import Power
from dicola.errors import counted
from dicola.files import write_texts
from dicola.graphs.formats import native
from dicola.graphs.marks import Edge
from dicola.graphs.pag import PAG, edge_in_words
from dicola.statements import Statement, in_brief

_SHOWN = 12  # visited variables that a summary names


@dataclass(frozen=True)
class LocalDiscovery:
    """The edges of one variable with what led to them. Seconds take no part in equality.

    ``str()`` is a text to read.

    Attributes
    ----------
    target : str
        The variable.
    pag : PAG
        Part of the PAG over all variables: the visited ones and their neighbours. It has all edges
        of a visited variable; between two others nothing was asked. Arrowheads and tails hold
        wherever they stand. A circle on an edge of the target is final: no further variable could
        decide it; elsewhere it may only be undecided so far.
    visited : tuple of str
        The variables whose edges were learned, in that order.
    n_variables : int
        How many variables the test has.
    separating_sets : dict
        By pair of names, a set for every pair of the variables of ``pag`` that was separated.
    tests : dict
        CI tests by phase, and their ``"total"``.
    settings : dict
        Everything that was set, by name.
    warnings : tuple of str
        What to know before the answer is believed.
    power : Power or None
        Which links the rows would have shown; ``None`` for an oracle, and where nobody knows.
    statements : tuple of Statement
        What became of each claim that was made beforehand: obeyed, undecided or denied, with the
        evidence. One about variables that were not looked at is undecided.
    seconds : float
        Wall-clock time of the run.
    complete : bool
        Did the run come to its end? Else a budget was reached, or it was interrupted: edges of the target may be
        missing where it was not visited, and circles may turn; arrowheads and tails stand.

    """

    target: str
    pag: PAG
    visited: tuple[str, ...]
    n_variables: int
    separating_sets: dict[tuple[str, str], tuple[str, ...]] = field(repr=False)
    tests: dict[str, int]
    settings: dict[str, Any] = field(repr=False)
    warnings: tuple[str, ...] = ()
    power: Power | None = None
    statements: tuple[Statement, ...] = ()
    seconds: float = field(default=0.0, compare=False)
    complete: bool = True

    @property
    def edges(self) -> list[Edge]:
        """The edges of the target."""
        return [edge for edge in self.pag.edges() if self.target in (edge.u, edge.v)]

    @property
    def causes(self) -> tuple[str, ...]:
        """Direct causes, v --> target: direct in that no other variables of the table account for the dependence."""
        return self.pag.parents(self.target)

    @property
    def effects(self) -> tuple[str, ...]:
        """Direct effects, target --> v."""
        return self.pag.children(self.target)

    @property
    def siblings(self) -> tuple[str, ...]:
        """Those that share a hidden cause with the target, neither causing the other: v <-> target."""
        return self.pag.spouses(self.target)

    @property
    def undetermined(self) -> tuple[str, ...]:
        """Neighbours joined by an edge with a circle; ``edges`` shows what is known of each."""
        settled = {*self.causes, *self.effects, *self.siblings}
        return tuple(v for v in self.neighbours if v not in settled)

    @property
    def neighbours(self) -> tuple[str, ...]:
        """All neighbours of the target, in the order of the table."""
        return self.pag.neighbours(self.target)

    def __str__(self) -> str:
        if not self.visited:
            return f"Nothing is decided about {self.target}: the run was stopped."
        if not self.neighbours:
            return f"Nothing is adjacent to {self.target}."
        kinds = {
            f"direct causes of {self.target}": self.causes,
            f"direct effects of {self.target}": self.effects,
            f"sharing a hidden cause with {self.target}": self.siblings,
            "undetermined": self.undetermined,
        }
        lines = [f"{kind}: {', '.join(names) or 'none'}" for kind, names in kinds.items()]
        return "\n".join([*lines, "", *(f"{edge}: {edge_in_words(edge)}" for edge in self.edges)])

    def summary(self) -> str:
        """A few lines for a person."""
        tests = ", ".join(f"{phase} {count:,}" for phase, count in self.tests.items() if phase != "total")
        shown = ", ".join(self.visited[:_SHOWN]) + (", …" if len(self.visited) > _SHOWN else "")
        visited = f"visited {len(self.visited)} of {counted(self.n_variables, 'variable')}: {shown}"
        known = [f"knowledge: {in_brief(self.statements)}"] if self.statements else []
        power = [] if self.power is None else [f"power: {self.power}"]
        return "\n".join([visited, *known, f"tests: {self.tests['total']:,} ({tests})", *power])

    def __hash__(self) -> int:
        return hash((self.target, self.pag))

    def to_dict(self) -> dict[str, Any]:
        """Everything but the seconds, of plain lists, texts and numbers."""
        return {
            "format": "dicola.local",
            "version": 1,
            "target": self.target,
            **{kind: list(getattr(self, kind)) for kind in ("causes", "effects", "siblings", "undetermined")},
            "edges": [edge_facts(edge) for edge in self.edges],
            "visited": list(self.visited),
            "n_variables": self.n_variables,
            "separating_sets": [[x, y, list(z)] for (x, y), z in self.separating_sets.items()],
            "tests": self.tests,
            "power": None if self.power is None else asdict(self.power),
            "settings": self.settings,
            **({"statements": [asdict(each) for each in self.statements]} if self.statements else {}),
            "warnings": list(self.warnings),
        }

    def to_json(self) -> str:
        """``to_dict`` as JSON."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False) + "\n"

    def write(self, folder: str | Path) -> Path:
        """Write the result into a folder; all files or none.

        These are the partial PAG as CSV and JSON, ``local.json``, and the timing apart.

        Parameters
        ----------
        folder : str or Path
            Made where it does not exist.

        Returns
        -------
        Path
            The folder.

        Raises
        ------
        InvalidData
            The folder cannot be written.

        """
        graph = {"pag.csv": native.to_csv(self.pag), "pag.json": native.to_json(self.pag)}
        facts = {"local.json": self.to_json(), "timing.json": json.dumps({"total": self.seconds}) + "\n"}
        return write_texts(folder, graph | facts)


def edge_facts(edge: Edge) -> dict[str, str]:
    """An edge as plain values for JSON."""
    return {"u": edge.u, "v": edge.v, "mark_u": edge.mark_u.name.lower(), "mark_v": edge.mark_v.name.lower()}
