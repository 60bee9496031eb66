"""A scikit-learn style door: settings in the constructor, ``fit``, answers with a trailing underscore. No logic of its own."""

from __future__ import annotations

from inspect import signature
from typing import Any, Literal, Self

from dicola.blankets.base import BlanketLearner
from dicola.ci.registry import test_on
from dicola.discover import Progress, discover
from dicola.discovery import Discovery
from dicola.errors import InvalidSetting
from dicola.graphs.pag import PAG
from dicola.knowledge import Knowledge
from dicola.learners.base import Learner
from dicola.tables.table import Table, as_table


class DiCoLa:
    """Learn a PAG from a table by divide and conquer.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> a, c = rng.normal(size=(2, 500))
    >>> b = a + c + rng.normal(size=500)
    >>> print(DiCoLa(alpha=0.01).fit(np.column_stack([a, b, c])).pag_)
    X1 o-> X2
    X3 o-> X2

    ``learner`` is a name or a learner with settings, ``ci_test`` the name of a test. The other settings are those of
    :func:`dicola.discover`. After ``fit``: ``pag_``, ``discovery_``, ``n_features_in_`` and ``feature_names_in_``.
    """

    pag_: PAG
    discovery_: Discovery
    n_features_in_: int
    feature_names_in_: tuple[str, ...]

    def __init__(
        self,
        learner: str | Learner | None = None,
        ci_test: str = "fisher_z",
        alpha: float = 0.01,
        n_jobs: int = 1,
        *,
        mode: str = "exact",
        decompose: bool = True,
        stop: str | None = None,
        max_depth: int | None = None,
        min_leaf_size: int | None = None,
        max_nodes: int | None = None,
        blankets: str | BlanketLearner = "total_conditioning",
        uig_alpha: float | None = None,
        uig: Literal["inherit", "relearn"] = "inherit",
        leaf_start: Literal["auto", "uig", "complete"] = "auto",
        colliders: str | None = None,
        selection: bool = False,
        max_path_length: int | None = None,
        seed: int = 0,
        legalize: bool = False,
        knowledge: Knowledge | None = None,
        workers: Literal["threads", "processes"] | None = None,
    ) -> None:
        self.learner = learner
        self.ci_test = ci_test
        self.alpha = alpha
        self.n_jobs = n_jobs
        self.mode = mode
        self.decompose = decompose
        self.stop = stop
        self.max_depth = max_depth
        self.min_leaf_size = min_leaf_size
        self.max_nodes = max_nodes
        self.blankets = blankets
        self.uig_alpha = uig_alpha
        self.uig = uig
        self.leaf_start = leaf_start
        self.colliders = colliders
        self.selection = selection
        self.max_path_length = max_path_length
        self.seed = seed
        self.legalize = legalize
        self.knowledge = knowledge
        self.workers = workers

    def fit(self, X: Table | Any, y: None = None, *, progress: Progress | None = None) -> Self:  # noqa: N803
        """Learn from a table: DataFrame, array, dict of columns or Table. ``y`` is ignored; it is there for pipelines."""
        dataset = as_table(X)
        settings = self.get_params()
        ci = test_on(settings.pop("ci_test"), dataset, settings.pop("alpha"))
        self.discovery_ = discover(ci, **settings, progress=progress)
        self.pag_ = self.discovery_.pag
        self.n_features_in_ = len(dataset.names)
        self.feature_names_in_ = dataset.names
        return self

    @classmethod
    def _settings(cls) -> list[str]:
        return [name for name in signature(cls.__init__).parameters if name != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The settings by name."""
        return {name: getattr(self, name) for name in self._settings()}

    def set_params(self, **settings: Any) -> Self:
        """Change settings by name."""
        for name, value in settings.items():
            if name not in self._settings():
                raise InvalidSetting(f"{name!r} is not a setting of DiCoLa. Known: {', '.join(self._settings())}.")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = signature(type(self).__init__).parameters
        changed = (f"{name}={value!r}" for name, value in self.get_params().items() if value != defaults[name].default)
        return f"DiCoLa({', '.join(changed)})"
