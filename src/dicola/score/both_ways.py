"""A graph of categories by two kinds of evidence: tests that count, and a score on indicators."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from math import isnan

from dicola.checkpoint import Checkpoint
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

_CLOSE = 2.0  # times the level: up to there the test was no more than nearly sure
_DENIED = 0.2  # of true edges that only a score has few have a larger p-value where they were separated, of false ones most


def is_counted(ci: Evidence) -> bool:
    """Does the test behind this count levels, so that there is a score on their indicators beside it?"""
    return isinstance(Inquiry.of(ci).test, GSquare)


class BothWays:
    """A last step for categories: what tests by counting and a score on indicators make of them together.

    Tests that count see whatever relation there is, where they have the rows; indicators see what
    levels add, with far fewer. An edge of the tests stands. One that only the score has stands unless
    the counts deny it: unless the p-value of the pair, given what separated it, is far from the level.
    Where the rows were too few to ask, nothing denies it. A pair that the counts separated by a close
    call is joined if it depends by indicators too, given that set and given what separates it in the
    graph of the score. A triple is decided where both agree.
    """

    def check(self, ci: Inquiry) -> None:
        """Refuse a test that does not count; ``NeedsData``."""
        if not is_counted(ci):
            raise NeedsData(
                Sentence("{test} does not count levels; a table of categories takes {ci_test=g_square}.", test=type(ci.test).__name__)
            )

    def takes_all(self, ci: Inquiry) -> bool:
        """It goes by what tests found of the parts."""
        return False

    def finish(
        self,
        ci: Inquiry,
        skeleton: Skeleton | None,
        found: Orientation | None,
        seed: int,
        claims: Claims | None = None,
        kept: Checkpoint | None = None,
    ) -> Finished:
        """From the graph of the tests to that of both; where it would break a claim, to that of the score alone."""
        assert isinstance(ci.test, GSquare)
        assert skeleton is not None
        blocks = Inquiry(ci.test.as_blocks())
        refined = BestMag().finish(blocks, skeleton, found, seed, claims, kept)
        scored = replace(refined.skeleton, names=skeleton.names)
        apart = {(a, b): z for a, b in combinations(range(len(ci)), 2) if (z := skeleton.sets.get(a, b)) is not None}
        open_to = apart if claims is None else {pair: z for pair, z in apart.items() if not claims.apart[pair]}
        added = {pair for pair, z in open_to.items() if self._stands(ci, blocks, scored, pair, z)}
        ci.account.add(blocks.account)
        both = replace(skeleton, edges=skeleton.edges | added)
        denied = {pair: apart[pair] for pair in scored.edges - both.edges if pair in apart}
        by_score = by_separating_set(RecordedSets(denied, otherwise=scored.sets))
        policy = where_separated(Agreed(by_score, Compare(ci, skeleton.sets)), both, claims)
        oriented = orient(both, is_collider=policy, claims=claims)
        law = Law.of(claims)
        breaks = law is not None and not law.is_obeyed_by(oriented)
        return refined._replace(skeleton=scored) if breaks else Finished(both, oriented)

    @staticmethod
    def _stands(ci: Inquiry, blocks: Inquiry, scored: Skeleton, pair: Pair, z: Variables) -> bool:
        """Is there an edge between a pair that the counts separated given z?"""
        p_value = ci.verdict(*pair, z).p_value
        if pair in scored.edges:
            return isnan(p_value) or p_value <= _DENIED
        is_close = p_value <= _CLOSE * (ci.alpha or 0.0)
        return is_close and not any(blocks.verdict(*pair, given).independent for given in (z, scored.sets[pair]))
