"""How sure is an answer? The power of what decided about its edges."""

from __future__ import annotations

from math import expm1, sqrt

from dicola.blankets.total_conditioning import TotalConditioning
from dicola.ci.inquiry import Inquiry
from dicola.ci.power import Power, smallest_found
from dicola.graphs.pag import PAG
from dicola.pipeline.plan import Steps
from dicola.score.gaussian_bic import GaussianBIC
from dicola.score.registry import score_behind


def power_of(ci: Inquiry, steps: Steps, pag: PAG) -> Power | None:
    """Which links the run would have found, given as many variables as the answer has neighbours on average.

    ``None`` for an oracle and for tests about something other than partial correlations.
    """
    n, k = ci.n_samples, len(ci)
    if n is None:
        return None
    given = min(round(2 * pag.n_edges / k), n - 4)  # with more held fixed nothing could be tested
    found = _by_score(ci, given) if steps.mode.last_step is not None else ci.test.detectable(given)
    return None if found is None else Power(n, given, found, _given_rest(ci, steps))


def _by_score(ci: Inquiry, given: int) -> float | None:
    """An edge lowers the misfit by ``-n ln(1 - r²)``, and stands where that is more than its price."""
    score = score_behind(ci)
    if not isinstance(score, GaussianBIC):
        return None
    return smallest_found(sqrt(-expm1(-score.price / score.n_samples)), score.n_samples - given - 3)


def _given_rest(ci: Inquiry, steps: Steps) -> float | None:
    """What total conditioning would find, where edges that it misses are lost: a search by score looks for them again."""
    if not steps.plan.decompose or steps.mode.last_step is not None or not isinstance(steps.blankets, TotalConditioning):
        return None
    return ci.test.detectable(len(ci) - 2, steps.blankets.level(len(ci)))
