"""The score that goes with a test."""

from __future__ import annotations

from dicola.ci.base import CITest
from dicola.ci.inquiry import Evidence, Inquiry
from dicola.score.base import Score
from dicola.score.block_bic import BlockBIC
from dicola.score.gaussian_bic import GaussianBIC


def score_behind(ci: Evidence, penalty: float = 2.0) -> Score:
    """The score given beside the test; else the one on what is behind it, at this price of an edge.

    That is the BIC of blocks of columns where the test has such blocks, the Gaussian BIC where it has
    correlations; without either ``NeedsData`` is raised.
    """
    inquiry = Inquiry.of(ci)
    given: Score | None = inquiry.score
    if given is not None:
        return given
    made, key = inquiry.scores_made, (inquiry.labels, penalty)
    if key not in made:
        made[key] = _kind_for(inquiry.test).of(inquiry.test, penalty)
    score: Score = made[key]
    return score


def doubt_about_scoring(ci: Evidence) -> str | None:
    """What speaks against scoring graphs on the data behind a test; ``None`` where nothing does."""
    inquiry = Inquiry.of(ci)
    return None if inquiry.score is not None else _kind_for(inquiry.test).doubt_about(inquiry.test)


def scored_as(ci: Evidence) -> str:
    """What the columns behind a test are taken for by the score that goes with it, in words."""
    return _kind_for(Inquiry.of(ci).test).scores_as


def _kind_for(test: CITest) -> type[BlockBIC] | type[GaussianBIC]:
    return BlockBIC if hasattr(test, "blocks") else GaussianBIC
