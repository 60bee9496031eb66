"""A graph of categories by two kinds of evidence: tests that count, and a score on indicators."""

from __future__ import annotations

from dataclasses import replace
from math import isnan

from dicola.ci.g_square import GSquare
from dicola.ci.inquiry import Evidence, Inquiry
from dicola.claims import Claims
from dicola.errors import NeedsData, Sentence
from dicola.graphs.skeleton import Pair, RecordedSets, Skeleton, Variables
from dicola.learners.collider_policies import Agreed, Compare, where_separated
from dicola.orient.colliders import by_separating_set
from dicola.orient.fixpoint import Orientation, orient
from dicola.score.law import Law
from dicola.score.search import BestMag, Finished

_DENIED = 0.2  # of true edges that only a score has few have a larger p-value where they were separated, of false ones most


def is_counted(ci: Evidence) -> bool:
    """Does the test behind this count levels, so that there is a score on their indicators beside it?"""
    return isinstance(Inquiry.of(ci).test, GSquare)


class BothWays:
    """A last step for categories: what tests by counting and a score on indicators make of them together.

    Tests that count see whatever relation there is, where they have the rows; indicators see what
    levels add, with far fewer. An edge of the tests stands. One that only the score has stands unless
    the counts deny it: unless the p-value of the pair, given what separated it, is far from the level.
    Where the rows were too few to ask, nothing denies it. A triple is decided where both agree.
    """

    def check(self, ci: Inquiry) -> None:
        """Refuse a test that does not count; ``NeedsData``."""
        if not is_counted(ci):
            raise NeedsData(
                Sentence("{test} does not count levels; a table of categories takes {ci_test=g_square}.", test=type(ci.test).__name__)
            )

    def finish(self, ci: Inquiry, skeleton: Skeleton, found: Orientation, seed: int, claims: Claims | None = None) -> Finished:
        """From the graph of the tests to that of both; where it would break a claim, to that of the score alone."""
        assert isinstance(ci.test, GSquare)
        blocks = Inquiry(ci.test.as_blocks())
        refined = BestMag().finish(blocks, skeleton, found, seed, claims)
        ci.account.add(blocks.account)
        scored = refined.skeleton
        beyond = {pair: z for pair in sorted(scored.edges - skeleton.edges) if (z := skeleton.sets.get(*pair)) is not None}
        denied = {pair: z for pair, z in beyond.items() if self._is_denied(ci, pair, z)}
        both = replace(skeleton, edges=skeleton.edges | (beyond.keys() - denied.keys()))
        by_score = by_separating_set(RecordedSets(denied, otherwise=scored.sets))
        policy = where_separated(Agreed(by_score, Compare(ci, skeleton.sets)), both, claims)
        oriented = orient(both, is_collider=policy, claims=claims)
        law = Law.of(claims)
        return refined if law is not None and not law.is_obeyed_by(oriented) else Finished(both, oriented)

    @staticmethod
    def _is_denied(ci: Inquiry, pair: Pair, z: Variables) -> bool:
        p_value = ci.verdict(*pair, z).p_value
        return not isnan(p_value) and p_value > _DENIED
