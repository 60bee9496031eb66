"""Blanket learners by name."""

from __future__ import annotations

from dicola.blankets.auto import AutoBlankets
from dicola.blankets.base import BlanketLearner
from dicola.blankets.by_neighbours import MMMB, STMB, HitonMB
from dicola.blankets.eamb import EAMB
from dicola.blankets.grow_shrink import IAMB, GrowShrink
from dicola.blankets.total_conditioning import TotalConditioning
from dicola.ci.base import checked_alpha
from dicola.errors import InvalidSetting, Sentence
from dicola.registry import Registry

BLANKETS: Registry[BlanketLearner] = Registry(
    "blanket learner", TotalConditioning, GrowShrink, IAMB, MMMB, HitonMB, STMB, EAMB, AutoBlankets
)


def blanket_learner(choice: str | BlanketLearner, alpha: float | None = None) -> BlanketLearner:
    """The learner itself, or the one of that name with the given level."""
    if alpha is not None:
        checked_alpha(alpha, "uig_alpha")
    if not isinstance(choice, BlanketLearner):
        return BLANKETS.named(choice)(alpha=alpha)  # type: ignore[call-arg]
    if alpha is not None:
        raise InvalidSetting(Sentence("give the level either as {uig_alpha} or inside the blanket learner, not both."))
    return choice
