"""How sure is an answer? The power of what decided about its edges."""

from __future__ import annotations

from math import expm1, sqrt

import numpy as np

from dicola.blankets.base import BlanketLearner
from dicola.blankets.total_conditioning import TotalConditioning
from dicola.ci.inquiry import Inquiry
from dicola.ci.power import Power, noncentrality_beyond, smallest_found
from dicola.graphs.pag import PAG
from dicola.pipeline.modes import COUNTED
from dicola.pipeline.plan import Steps
from dicola.score.block_bic import BlockBIC
from dicola.score.gaussian_bic import GaussianBIC
from dicola.score.registry import score_behind


def power_of(ci: Inquiry, steps: Steps, pag: PAG, price: float | None = None) -> Power | None:
    """Which links the run would have found, by tests or by the price of an edge: the usual one, or what it was in the end.

    ``None`` for an oracle and for tests that cannot tell.
    """
    if steps.mode.last_step is None or steps.mode.name == COUNTED:
        return power_of_tests(ci, pag, steps.blankets if steps.divides and steps.starts_from_uig else None)
    score = score_behind(ci)
    if isinstance(score, BlockBIC):
        return _power_of_blocks(score, _typical(pag, score.n_samples))
    if not isinstance(score, GaussianBIC):
        return None
    # An edge lowers the misfit by -n ln(1 - r²), and stands where that is more than its price.
    n, given = score.n_samples, _typical(pag, score.n_samples)
    return Power(n, given, smallest_found(sqrt(-expm1(-(price or score.price) / n)), n - given - 3))


def _power_of_blocks(score: BlockBIC, given: int) -> Power:
    """Which links between two usual blocks lower the misfit by more than their price, as a likelihood ratio has it."""
    some = np.triu_indices(len(score), 1)
    freedom = max(1, round(float(np.median(np.outer(score.widths, score.widths)[some]))))
    price = float(np.median(score.prices[some]))
    found = sqrt(-expm1(-noncentrality_beyond(price, freedom) / score.n_samples))
    return Power(score.n_samples, given, found, strength="share", freedom=freedom)


def power_of_tests(ci: Inquiry, pag: PAG, blankets: BlanketLearner | None = None) -> Power | None:
    """Which links tests would have found; ``blankets`` are learned first, and what they miss is lost.

    Where the rows are too few to hold so many variables fixed, it is what is found given as many as they allow.
    """
    if ci.n_samples is None:
        return None
    given, k = _typical(pag, ci.n_samples), len(ci)
    found = ci.test.detectable(given)
    while found is None and given > 0:
        given -= 1
        found = ci.test.detectable(given)
    rest = ci.test.detectable(k - 2, blankets.level(k)) if isinstance(blankets, TotalConditioning) else None
    return None if found is None else Power(ci.n_samples, given, found, rest, ci.test.strength, ci.test.usual_freedom(given))


def _typical(pag: PAG, rows: int) -> int:
    """As many variables as one has neighbours on average; with more than n - 4 nothing could be tested."""
    return min(round(2 * pag.n_edges / len(pag)), rows - 4)
