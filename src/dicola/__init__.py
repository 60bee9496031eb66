"""dicola: causal discovery among observed variables when some are hidden. Public names load when first used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from dicola._version import __version__ as __version__

_HOME = {
    "BossFCI": "dicola.learners.boss_fci",
    "CallableTest": "dicola.ci.callable_test",
    "CITest": "dicola.ci.base",
    "DAG": "dicola.graphs.dag",
    "Column": "dicola.tables.columns",
    "Dataset": "dicola.tables.table",
    "DiCoLa": "dicola.estimator",
    "DicolaError": "dicola.errors",
    "BudgetExceeded": "dicola.errors",
    "Discovery": "dicola.discovery",
    "FCI": "dicola.learners.fci",
    "FCIPlus": "dicola.learners.fci_plus",
    "ICD": "dicola.learners.icd",
    "LMarvel": "dicola.learners.l_marvel",
    "PC": "dicola.learners.pc",
    "RFCI": "dicola.learners.rfci",
    "GaussianBIC": "dicola.score.gaussian_bic",
    "GFCI": "dicola.learners.gfci",
    "FisherZ": "dicola.ci.fisher_z",
    "InvalidData": "dicola.errors",
    "InvalidGraph": "dicola.errors",
    "InvalidSetting": "dicola.errors",
    "Learner": "dicola.learners.base",
    "Knowledge": "dicola.knowledge",
    "Inquiry": "dicola.ci.inquiry",
    "LocalDiscovery": "dicola.local_discovery",
    "MAG": "dicola.graphs.mag",
    "MagBIC": "dicola.learners.mag_bic",
    "MissingExtra": "dicola.errors",
    "NeedsData": "dicola.errors",
    "Oracle": "dicola.ci.oracle",
    "PAG": "dicola.graphs.pag",
    "compare_modes": "dicola.mode_comparison",
    "discover": "dicola.pipeline.discover",
    "legality": "dicola.orient.equivalence",
    "local": "dicola.pipeline.local",
    "mag_to_pag": "dicola.orient.equivalence",
    "markov_equivalent": "dicola.orient.equivalence",
    "member_mag": "dicola.orient.equivalence",
    "Table": "dicola.tables.table",
    "read_table": "dicola.tables.reading",
}
_ALIASES = {"Ledger": "Inquiry"}  # names that went, and what does their work
_MODULES = ("compat", "metrics", "simulate")

__all__ = [*_HOME, *_MODULES]

if TYPE_CHECKING:
    from dicola import compat as compat
    from dicola import metrics as metrics
    from dicola import simulate as simulate
    from dicola.ci.base import CITest as CITest
    from dicola.ci.callable_test import CallableTest as CallableTest
    from dicola.ci.fisher_z import FisherZ as FisherZ
    from dicola.ci.inquiry import Inquiry as Inquiry
    from dicola.ci.oracle import Oracle as Oracle
    from dicola.discovery import Discovery as Discovery
    from dicola.errors import (
        BudgetExceeded as BudgetExceeded,
    )
    from dicola.errors import (
        DicolaError as DicolaError,
    )
    from dicola.errors import (
        InvalidData as InvalidData,
    )
    from dicola.errors import (
        InvalidGraph as InvalidGraph,
    )
    from dicola.errors import (
        InvalidSetting as InvalidSetting,
    )
    from dicola.errors import (
        MissingExtra as MissingExtra,
    )
    from dicola.errors import (
        NeedsData as NeedsData,
    )
    from dicola.estimator import DiCoLa as DiCoLa
    from dicola.graphs.dag import DAG as DAG
    from dicola.graphs.mag import MAG as MAG
    from dicola.graphs.pag import PAG as PAG
    from dicola.knowledge import Knowledge as Knowledge
    from dicola.learners.base import Learner as Learner
    from dicola.learners.boss_fci import BossFCI as BossFCI
    from dicola.learners.fci import FCI as FCI
    from dicola.learners.fci_plus import FCIPlus as FCIPlus
    from dicola.learners.gfci import GFCI as GFCI
    from dicola.learners.icd import ICD as ICD
    from dicola.learners.l_marvel import LMarvel as LMarvel
    from dicola.learners.mag_bic import MagBIC as MagBIC
    from dicola.learners.pc import PC as PC
    from dicola.learners.rfci import RFCI as RFCI
    from dicola.local_discovery import LocalDiscovery as LocalDiscovery
    from dicola.mode_comparison import compare_modes as compare_modes
    from dicola.orient.equivalence import (
        legality as legality,
    )
    from dicola.orient.equivalence import (
        mag_to_pag as mag_to_pag,
    )
    from dicola.orient.equivalence import (
        markov_equivalent as markov_equivalent,
    )
    from dicola.orient.equivalence import (
        member_mag as member_mag,
    )
    from dicola.pipeline.discover import discover as discover
    from dicola.pipeline.local import local as local
    from dicola.score.gaussian_bic import GaussianBIC as GaussianBIC
    from dicola.tables.columns import Column as Column
    from dicola.tables.reading import read_table as read_table
    from dicola.tables.table import Dataset as Dataset
    from dicola.tables.table import Table as Table


def __getattr__(name: str) -> Any:
    if name in _ALIASES:
        return __getattr__(_ALIASES[name])
    if name in _HOME:
        value = getattr(import_module(_HOME[name]), name)
    elif name in _MODULES:
        value = import_module(f"dicola.{name}")
    else:
        raise AttributeError(f"module 'dicola' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
