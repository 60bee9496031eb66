"""The score that goes with a test."""

from __future__ import annotations

from dicola.ci.inquiry import Evidence, Inquiry
from dicola.score.base import Score
from dicola.score.gaussian_bic import GaussianBIC


def score_behind(ci: Evidence, penalty: float = 2.0) -> Score:
    """The score given beside the test; else the Gaussian BIC on the correlations behind it, at this price of an edge."""
    inquiry = Inquiry.of(ci)
    given: Score | None = inquiry.score
    return GaussianBIC.of(inquiry.test, penalty) if given is None else given


def doubt_about_scoring(ci: Evidence) -> str | None:
    """What speaks against scoring graphs on the data behind a test; ``None`` where nothing does."""
    inquiry = Inquiry.of(ci)
    return None if inquiry.score is not None else GaussianBIC.doubt_about(inquiry.test)
