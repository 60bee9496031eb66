"""Names to learners, in one dictionary."""

from __future__ import annotations

from dicola.errors import InvalidSetting
from dicola.learners.base import Learner
from dicola.learners.boss_fci import BossFCI
from dicola.learners.fci import FCI
from dicola.learners.fci_plus import FCIPlus
from dicola.learners.gfci import GFCI
from dicola.learners.icd import ICD
from dicola.learners.l_marvel import LMarvel
from dicola.learners.mag_bic import MagBIC
from dicola.learners.pc import PC
from dicola.learners.rfci import RFCI

LEARNERS: dict[str, type[Learner]] = {learner.name: learner for learner in (FCI, RFCI, FCIPlus, ICD, LMarvel, PC)}
SCORED: dict[str, type[Learner]] = {learner.name: learner for learner in (GFCI, BossFCI, MagBIC)}
"""Learners that score graphs on data, so that no oracle will do."""


def learner_named(choice: str | Learner) -> Learner:
    """The learner itself, or the one of that name with its default settings."""
    if isinstance(choice, Learner):
        return choice
    known = {**LEARNERS, **SCORED}
    found = known.get(str(choice).lower())
    if found is None:
        raise InvalidSetting(f"{choice!r} is not a learner. Known: {', '.join(known)}.")
    return found()


def name_or_learner(choice: str | Learner) -> str | Learner:
    """The name of a learner that is given by it or has its default settings; else the learner itself."""
    found = learner_named(choice)
    known = {**LEARNERS, **SCORED}.get(found.name)
    return found.name if known is not None and found == known() else found
