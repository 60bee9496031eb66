"""How much depends on the mode: every mode on the same data, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from dicola.allowed import LEVEL_OR_NONE, checked
from dicola.ci.base import CITest
from dicola.discovery import Discovery
from dicola.errors import InvalidSetting, NeedsData, counted
from dicola.graphs.bits import members
from dicola.graphs.mag import MAG
from dicola.graphs.marks import Mark
from dicola.graphs.pag import PAG
from dicola.metrics import Comparison, compare
from dicola.pipeline.discover import discover
from dicola.pipeline.modes import mode_named
from dicola.pipeline.plan import Plan
from dicola.pipeline.preparation import prepare
from dicola.score.base import Score
from dicola.score.legal import nearby_mag
from dicola.score.registry import score_behind
from dicola.tables.table import Table, as_table

_ASKED = 2000  # implied independences put to the test, at most


@dataclass(frozen=True)
class ModeFit:
    """What one mode found, and how its graph fits the data.

    ``score`` is the Gaussian BIC of a MAG of its class, or of one nearby where the graph is no legal PAG; less is better. Of the
    independences between pairs that this MAG implies, ``implied`` were put to the test, and ``rejected`` were not borne out.
    """

    mode: str
    found: Discovery
    score: float
    implied: int
    rejected: int


@dataclass(frozen=True)
class ModeComparison:
    """Several modes on the same data; ``str()`` is a table for a person, ``to_dict()`` the same for a program."""

    fits: tuple[ModeFit, ...]
    alpha: float

    def agreement(self, one: str, other: str) -> Comparison:
        """How near the graphs of two modes are; the F1 scores do not depend on which is taken for the truth."""
        by_mode = {fit.mode: fit.found.pag for fit in self.fits}
        for mode in (one, other):
            if mode not in by_mode:
                raise InvalidSetting(f"{mode!r} is not among the modes compared: {', '.join(by_mode)}.")
        return compare(by_mode[one], by_mode[other])

    def _agreements(self) -> dict[str, Comparison]:
        pairs = combinations([fit.mode for fit in self.fits], 2)
        return {f"{one} and {other}": self.agreement(one, other) for one, other in pairs}

    @property
    def agreed(self) -> tuple[str, ...]:
        """The edges that every mode found with the same marks, as they print."""
        first, *others = ([str(edge) for edge in fit.found.pag.edges()] for fit in self.fits)
        return tuple(edge for edge in first if all(edge in each for each in others))

    def __str__(self) -> str:
        best = min(fit.score for fit in self.fits)
        heads = ("mode", "edges", "arrowheads", "tails", "circles", "legal", "score above best", "independences rejected")
        rows = [heads, *(self._row(fit, best) for fit in self.fits)]
        first, *others = (max(map(len, column)) for column in zip(*rows, strict=True))
        lines = ["  ".join([row[0].ljust(first), *map(str.rjust, row[1:], others)]) for row in rows]
        lines += ["", f"At the level {self.alpha:g} about {100 * self.alpha:g} of 100 independences that hold are rejected by chance."]
        lines += ["", "agreement of edges / of marks (F1)"]
        lines += [f"{pair}: {near.skeleton.f1:.3f} / {near.marks.f1:.3f}" for pair, near in self._agreements().items()]
        return "\n".join([*lines, "", f"{counted(len(self.agreed), 'edge has', 'edges have')} the same marks in every mode."])

    def _row(self, fit: ModeFit, best: float) -> tuple[str, ...]:
        legal, share = "yes" if fit.found.legality else "no", f"{fit.rejected} of {fit.implied}"
        return (fit.mode, *map(str, _counts(fit.found.pag).values()), legal, f"{fit.score - best:.1f}", share)

    def to_dict(self) -> dict[str, Any]:
        """All figures, ready for JSON."""
        return {
            "modes": {
                fit.mode: {
                    **_counts(fit.found.pag),
                    "legal": fit.found.legality.legal,
                    "score": fit.score,
                    "implied_independences": fit.implied,
                    "rejected_independences": fit.rejected,
                    "tests": fit.found.tests["total"],
                    "seconds": fit.found.seconds["total"],
                }
                for fit in self.fits
            },
            "alpha": self.alpha,
            "agreement": {pair: near.to_dict() for pair, near in self._agreements().items()},
            "agreed": list(self.agreed),
        }


@checked(alpha=LEVEL_OR_NONE)
def compare_modes(
    data: CITest | Table | Any, modes: Sequence[str] = ("exact", "balanced"), seed: int = 0, *, alpha: float | None = None
) -> ModeComparison:
    """Run several modes on the same data and lay their answers side by side.

    Where they agree the choice of the mode does not matter. Where they do not, a score far above
    the best, or many implied independences that the data reject, speak against a graph; a small
    difference speaks for none.

    Parameters
    ----------
    data : DataFrame, array, dict, Table or CITest
        A table, which is tested by Fisher's z, or a test that carries data.
    modes : sequence of str
        The modes to compare, at least two.
    seed : int
        Seed of the orders that scored modes start from.
    alpha : float, optional
        Level of the test of a table, 0.01 by default; a test has its own.

    Returns
    -------
    ModeComparison
        ``str()`` of it is a table to read, ``to_dict()`` the same for a program.

    Raises
    ------
    InvalidSetting
        Where a mode is not known, fewer than two are given, or a test comes with a level beside it.
    NeedsData
        Where the test carries no data, as an oracle.

    Examples
    --------
    >>> from dicola import simulate
    >>> dag = simulate.er_dag(12, 2, seed=1)
    >>> table = simulate.linear_gaussian(dag, 500, seed=1).drop(columns=list(simulate.hide(dag, 1, seed=1)))
    >>> compare_modes(table, ["exact", "paper"]).agreement("exact", "paper").skeleton.f1
    1.0

    """
    names = tuple(dict.fromkeys(mode_named(mode).name for mode in modes))
    if len(names) < 2:
        raise InvalidSetting("compare at least two different modes.")
    if not isinstance(data, CITest):
        data = prepare(as_table(data), Plan(alpha=0.01 if alpha is None else alpha)).test
    elif alpha is not None:
        raise InvalidSetting("the test has a level of its own; leave out alpha, or pass the table.")
    if data.alpha is None:
        raise NeedsData(f"{type(data).__name__} has no level and no data; modes are compared on a table: FisherZ(table).")
    score = score_behind(data)
    return ModeComparison(tuple(_fit(data, mode, score, seed) for mode in names), data.alpha)


def _fit(ci: CITest, mode: str, score: Score, seed: int) -> ModeFit:
    found = discover(ci, mode=mode, seed=seed)
    mag = nearby_mag(found.pag.reordered(ci.labels))
    # A MAG pays for every edge that a hidden variable leaves, and so by itself is worth less than the answer.
    worth = found.score if found.hidden and found.score is not None else score.mag(mag)
    return ModeFit(mode, found, worth, *_rejected(ci, mag))


def _rejected(ci: CITest, mag: MAG) -> tuple[int, int]:
    """How many of the independences that the MAG implies between pairs, given their ancestors, were asked about, and how many fell."""
    apart = [(a, b) for a, b in combinations(range(len(mag)), 2) if b not in mag.around[a]]
    asked = apart[:: -(-len(apart) // _ASKED) or 1]
    fallen = sum(not ci.verdict(a, b, tuple(members(mag.canonical_separator(a, b)))).independent for a, b in asked)
    return len(asked), fallen


def _counts(pag: PAG) -> dict[str, int]:
    ends = {"arrowheads": Mark.ARROW, "tails": Mark.TAIL, "circles": Mark.CIRCLE}
    return {"edges": pag.n_edges, **{name: pag.count(mark) for name, mark in ends.items()}}
