"""Learners by name."""

from __future__ import annotations

from dicola.learners.base import Learner
from dicola.learners.boss_fci import BossFCI
from dicola.learners.fci import FCI
from dicola.learners.fci_plus import FCIPlus
from dicola.learners.gfci import GFCI
from dicola.learners.icd import ICD
from dicola.learners.l_marvel import LMarvel
from dicola.learners.lfci import LFCI
from dicola.learners.mag_bic import MagBIC
from dicola.learners.pc import PC
from dicola.learners.rfci import RFCI
from dicola.registry import Registry

ALL: Registry[Learner] = Registry("learner", FCI, RFCI, FCIPlus, ICD, LMarvel, LFCI, PC, GFCI, BossFCI, MagBIC)
LEARNERS = {name: learner for name, learner in ALL.items() if not learner.needs_data}
"""Learners that need nothing but answers."""
SCORED = {name: learner for name, learner in ALL.items() if learner.needs_data}
"""Learners that score graphs on data, so that no oracle will do."""


def learner_named(choice: str | Learner) -> Learner:
    """The learner itself, or the one of that name with its default settings."""
    return choice if isinstance(choice, Learner) else ALL.named(choice)()
