"""Names to blanket learners."""

from __future__ import annotations

from dicola.blankets.base import BlanketLearner
from dicola.blankets.grow_shrink import IAMB, GrowShrink
from dicola.blankets.total_conditioning import TotalConditioning
from dicola.errors import InvalidSetting

BLANKETS: dict[str, type[TotalConditioning] | type[GrowShrink]] = {
    learner.name: learner for learner in (TotalConditioning, GrowShrink, IAMB)
}


def blanket_learner(choice: str | BlanketLearner, alpha: float | None = None) -> BlanketLearner:
    """The learner itself, or the one of that name with the given level."""
    if isinstance(choice, BlanketLearner):
        if alpha is not None:
            raise InvalidSetting("give the level either as uig_alpha or inside the blanket learner, not both.")
        return choice
    found = BLANKETS.get(str(choice).lower().replace("-", "_"))
    if found is None:
        raise InvalidSetting(f"{choice!r} is not a blanket learner. Known: {', '.join(BLANKETS)}.")
    return found(alpha=alpha)
