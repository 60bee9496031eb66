"""EAMB: blankets selected twice, and what may have been discarded in error recalled from the other side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from dicola.blankets.polished import PolishedBlankets, Target
from dicola.ci.inquiry import Inquiry
from dicola.ci.questions import Question
from dicola.graphs.skeleton import Variables


class Selected(NamedTuple):
    """What was selected for a target, and what was discarded though it depends on the target given nothing, the strongest first."""

    members: Variables
    discarded: Variables


@dataclass(eq=False)
class SelectedTwice(Question[Selected]):
    """Two rounds of growing, in which what is independent once is not asked about again, each followed by one pass of pruning."""

    at: int
    learner: EAMB

    def plain(self, ci: Inquiry) -> Selected:
        target = self.learner.target(ci, self.at)
        members: list[int] = []
        strengths: dict[int, float] = {}
        settled: set[int] = set()  # independent given nothing, or pruned
        for _ in range(2):
            settled |= _grow(target, members, strengths)
            kept = [v for v in members if target.depends(v, [w for w in members if w != v])]
            settled |= set(members).difference(kept)
            members = kept
        discarded = [v for v in strengths if v not in members and v not in settled]
        return Selected(tuple(members), tuple(sorted(discarded, key=lambda v: (strengths[v], v))))

    def key(self) -> None:
        """None: a memory keeps the single verdicts, which targets have in common."""
        return


def _grow(target: Target, members: list[int], strengths: dict[int, float]) -> set[int]:
    """Add the strongest variable until none is left, and keep how strong each was when it was last asked about.

    Answers which variables are independent of the target given nothing, where that was asked.
    """
    apart: set[int] = set()
    waiting = [v for v in target.others() if v not in members]
    while waiting and len(members) <= target.most:
        given, depending = tuple(sorted(members)), []
        for v in waiting:
            depends, strengths[v] = target.asked(v, given)
            if depends:
                depending.append(v)
            elif not given:
                apart.add(v)
        if depending:
            members.append(min(depending, key=lambda v: (strengths[v], v)))
        waiting = [v for v in depending if v not in members]
    return apart


@dataclass(frozen=True)
class EAMB(PolishedBlankets):
    """Error-aware Markov blanket: selected in two rounds, then recalled from the other side; polished.

    Each round adds the variable with the strongest dependence given those taken, and does not ask again
    about one that is independent once; a pass of pruning follows. Of what was discarded on the way, the
    strongest share is recalled where the target is in *its* selection (Guo et al. 2022). The steps
    follow the code that the authors published.

    Parameters
    ----------
    alpha, polish
        As in ``PolishedBlankets``.
    recall : float
        The share of discarded variables that is asked for the target, from 0 to 1. The authors take
        .05 to .25, less where there are more variables.

    """

    name, title = "eamb", "Polished EAMB"
    reference = "Guo, Yu, Cao, Li and Wang (2022)"
    assumes = "little about the number of rows: it conditions on the blanket found so far"

    recall: float = 0.1

    def found(self, ci: Inquiry, targets: list[int]) -> list[Variables]:
        selected = self._selected(ci, targets)
        asked = {at: self._asked(selected[at]) for at in targets}
        beyond = {v for some in asked.values() for v in some} - set(targets)
        selected |= self._selected(ci, sorted(beyond))
        return [(*selected[at].members, *(v for v in asked[at] if at in selected[v].members)) for at in targets]

    def _asked(self, selected: Selected) -> Variables:
        return selected.discarded[: round(len(selected.discarded) * self.recall)]

    def _selected(self, ci: Inquiry, targets: list[int]) -> dict[int, Selected]:
        return dict(zip(targets, ci.ask_each([SelectedTwice(at, self) for at in targets]), strict=True))
