"""The scikit-learn estimator: settings, ``fit``, answers with a trailing underscore."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from dicola.blankets.base import BlanketLearner
from dicola.blankets.registry import blanket_learner
from dicola.ci.registry import Recipe
from dicola.ci.workers import Kind
from dicola.discovery import Discovery
from dicola.effects.after_discovery import Asked
from dicola.effects.effect import Effect, Interval, effect_after_discovery, under_selection
from dicola.effects.estimation import Method
from dicola.effects.joint import AskedTogether, JointEffect, joint_effect_after_discovery, treatments
from dicola.errors import InvalidData, InvalidSetting, NeedsData
from dicola.graphs.pag import PAG
from dicola.knowledge import Knowledge
from dicola.learners.base import Learner
from dicola.learners.registry import learner_named
from dicola.pipeline.bootstrap import learned_from
from dicola.pipeline.discover import Progress
from dicola.pipeline.plan import Plan
from dicola.pipeline.relearning import relearning
from dicola.registry import settings_of
from dicola.score.row_models import model_behind
from dicola.tables.checks import check_gaps, check_numbers
from dicola.tables.table import Table, as_table

_PARTS: dict[str, Callable[[Any], Any]] = {
    "learner": lambda chosen: learner_named("fci" if chosen is None else chosen),
    "blankets": blanket_learner,
}
"""Settings with settings of their own, as in ``learner__max_condition_size``."""


@dataclass(repr=False, eq=False)
class DiCoLa(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Learn a PAG from a table by divide and conquer.

    It works wherever scikit-learn takes an estimator: in pipelines, ``clone``, ``cross_validate``
    and ``GridSearchCV``, which compares settings by ``score``, the likelihood of held-out rows.

    Parameters
    ----------
    learner : str or Learner, optional
        The base learner, by name or with settings. ``learner__max_condition_size`` and the like
        name one setting of it.
    ci_test : str or callable
        The independence test: a name, a class, or anything callable as
        ``ci_test(table, alpha=alpha)``. ``"auto"`` takes the one that fits the table, and
        ``discovery_.summary()`` says which and why.
    alpha : float
        The level of the test; a mode that scores goes by its price per edge instead.
    mode : str
        ``"auto"`` takes the best one for the table, and ``discovery_.summary()`` says which and
        why: one that scores where the columns can be scored, the paper's method where that would be
        out of place, and with a learner, collider policy or stop rule of your choice.
    kinds : dict, optional
        What some columns are: ``{"sex": "nominal", "grade": "ordered", "id": "identifier"}``. The
        others are read by the rules of :mod:`dicola.tables.kinds`; :func:`dicola.look` shows how.
    drop : str or iterable of str, optional
        Columns to leave out. Identifiers, constants and columns that repeat others are left out
        anyway, with a note.
    missing : {"auto", "error", "listwise", "testwise", "em", "impute"}
        What to do about gaps: the way that fits the test; refuse; keep complete rows only; give
        each test the rows that it can use; estimate correlations by maximum likelihood; or fill in
        several times and pool the answers.
    missing_values : iterable, optional
        Values that stand for gaps, such as ``[-999]``; ``NA`` and ``?`` always do.
    strict : bool
        Refuse what would be left out or taken as a gap, with everything listed.
    bootstrap : int
        Learn again from so many tables drawn from the rows, ``n_jobs`` at a time, and count how
        often each edge and mark comes: ``discovery_.bootstrap``. 0: none.
    bootstrap_seed : int
        Seed of the drawn tables.
    bootstrap_fraction : float, optional
        Draw this share of the rows without replacement; by default all, with replacement.
    checkpoint : str or Path, optional
        A folder in which finished leaves, searches and drawn tables are kept as they come: stopped
        at any moment, the same ``fit`` on the same table goes on from there, to the same answer.
        Another table or setting is refused.
    device : str
        ``"cuda"`` lets a graphics card compute what is large of Fisher's z test, with the extra
        ``gpu``; the answer is the same. See :class:`dicola.FisherZ`.
    **settings
        All others are those of :func:`dicola.discover`, with the same defaults.

    Attributes
    ----------
    pag_ : PAG
        What was learned.
    discovery_ : Discovery
        The same with everything that led to it.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : array of str
        Their names, where the table has names.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> a, c = rng.normal(size=(2, 500))
    >>> b = a + c + rng.normal(size=500)
    >>> print(DiCoLa(alpha=0.01).fit(np.column_stack([a, b, c])).pag_)
    X1 o-> X2
    X3 o-> X2

    """

    learner: str | Learner | None = None
    ci_test: Recipe = "auto"
    alpha: float = 0.01
    n_jobs: int = 1
    _: KW_ONLY
    mode: str = "auto"
    decompose: bool = True
    stop: str | None = None
    max_depth: int | None = None
    min_leaf_size: int | None = None
    max_nodes: int | None = None
    blankets: str | BlanketLearner = "auto"
    uig_alpha: float | None = None
    uig: Literal["inherit", "relearn"] = "inherit"
    leaf_start: Literal["auto", "uig", "complete"] = "auto"
    colliders: str | None = None
    selection: bool = False
    max_path_length: int | None = None
    seed: int = 0
    legalize: bool = False
    undecided: Literal["keep", "circle"] = "keep"
    knowledge: Knowledge | None = None
    contexts: str | Iterable[str] | None = None
    targets: Mapping[str, Any] | None = None
    workers: Kind | None = None
    scheduler: str | None = None
    max_seconds: float | None = None
    max_tests: int | None = None
    max_memory: float | None = None
    kinds: Mapping[str, Any] | None = None
    drop: str | Iterable[str] | None = None
    missing: str = "auto"
    missing_values: Iterable[Any] | None = None
    strict: bool = False
    bootstrap: int = 0
    bootstrap_seed: int = 0
    bootstrap_fraction: float | None = None
    checkpoint: str | Path | None = None
    device: str = "cpu"
    pag_: PAG = field(init=False)
    discovery_: Discovery = field(init=False)
    n_features_in_: int = field(init=False)
    feature_names_in_: NDArray[np.object_] = field(init=False)

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        """The estimator behind ``Discovery.settings``: to make that run again, on other rows too.

        Parameters
        ----------
        record : dict
            ``discovery.settings``, of a result in memory or one read back from a folder.

        Raises
        ------
        InvalidSetting
            Where the record speaks of a test or learner that has no name here.

        Examples
        --------
        >>> from dicola import simulate
        >>> rows = simulate.linear_gaussian(simulate.er_dag(5, 2, seed=0), 300, seed=0)
        >>> found = DiCoLa(alpha=0.05, learner="rfci").fit(rows).discovery_
        >>> DiCoLa.from_record(found.settings).fit(rows).pag_ == found.pag
        True

        """
        plan = Plan.from_record(record)
        return cls(**{each.name: getattr(plan, each.name) for each in fields(plan)})

    def fit(self, X: Table | Any, y: None = None, *, progress: Progress | None = None) -> Self:  # noqa: N803
        """Learn from a table.

        Parameters
        ----------
        X : DataFrame, array, dict, sparse matrix or Table
            One column per variable.
        y : ignored
            Here for pipelines.
        progress : callable, optional
            Told the phase, how much of it is done and how much there is.

        Raises
        ------
        InvalidData
            Where the table is not what the test needs.
        InvalidSetting
            Where a setting is not allowed, or two do not go together.
        Interrupted
            On Ctrl-C, with the part of the answer that was found; a second Ctrl-C ends at once.
        BudgetExceeded
            Where a budget was spent before there was a test to ask.

        """
        table = _table_of(X, least_rows=2, least_columns=2)
        prepared, found = learned_from(table, Plan(**{each.name: getattr(self, each.name) for each in fields(Plan)}), progress)
        self._remember_header(table.names, _has_names(X))
        self.discovery_, self.pag_ = found, found.pag
        self._levels = prepared.table.rows(()).columns
        self._used = [table.names.index(name) for name in found.pag.names]
        self._model = model_behind(prepared.test, prepared.table, found.pag) if found.complete else None
        self._prepared = prepared.table, prepared.plan
        return self

    def effect(
        self,
        x: object,
        y: object,
        *,
        interval: Interval = "split",
        method: Method = "auto",
        level: float = 0.95,
        seed: int = 0,
        replicates: int = 100,
        members: int = 500,
    ) -> Effect | JointEffect:
        """The effect of one variable on another: identified, bounded, or not identifiable with the reason.

        Identification and the value speak of the graph that all rows gave; the interval allows for
        that graph having been learned from the same rows.

        Parameters
        ----------
        x, y : str
            The names of the treatment and the outcome; for x also a list of names: all of them are
            set, and a ``JointEffect`` comes back.
        interval : {"split", "bootstrap", "naive"}
            The graph is learned again from one half of the rows and the effect estimated from the
            other; or both are done on rows drawn with replacement; or nothing is allowed for.
        method : {"auto", "gaussian", "robust", "doubly-robust"}
            As for :func:`dicola.effect`.
        level : float
            Of the intervals.
        seed : int
            For the split, the draws and the folds.
        replicates : int
            Of the bootstrap.
        members : int
            How many MAGs of the class to look at where the effect is not identified.

        Returns
        -------
        Effect
            Its ``sentence`` has the answer in words.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        InvalidGraph
            A name is no variable of the graph, or one was named twice.
        InvalidSetting
            A setting is not allowed.

        Examples
        --------
        >>> from dicola import DAG, simulate
        >>> dag = DAG.from_edges([("V", "X"), ("W", "X"), ("X", "Y"), ("W", "Y")])
        >>> model = DiCoLa().fit(simulate.linear_gaussian(dag, 2000, seed=3))
        >>> found = model.effect("X", "Y")
        >>> found.identified, found.set
        (True, ('W',))

        """
        check_is_fitted(self)
        if not hasattr(self, "_prepared"):
            raise NeedsData(
                "a model that was stored or sent does not carry the rows it was fitted on; ask model.discovery_.effect(x, y, table) with "
                "that table, or fit again."
            )
        self.discovery_.refuse_if_partial("An effect")
        table, plan = self._prepared
        names = self.pag_.names
        several, outcome = treatments(self.pag_, x), names[self.pag_.index(y)]
        if several is None:
            asked: Asked | AskedTogether = Asked(names[self.pag_.index(x)], outcome, method, level, seed)
        else:
            asked = AskedTogether(several, outcome, level, seed)
        if self.selection:
            return under_selection(asked)
        learn = relearning(plan, table)
        if isinstance(asked, AskedTogether):
            return joint_effect_after_discovery(self.pag_, table, learn, asked, interval=interval, replicates=replicates)
        return effect_after_discovery(self.pag_, table, learn, asked, interval=interval, replicates=replicates, members=members)

    def __getstate__(self) -> dict[str, Any]:
        """Without the rows: a model that is stored or sent carries none."""
        return {name: value for name, value in super().__getstate__().items() if name != "_prepared"}

    def score(self, X: Table | Any, y: None = None) -> float:  # noqa: N803
        """How likely some rows are under the graph: the larger, the better.

        The graph stands for a class of MAGs. A model of one of them, fitted to the rows of ``fit``,
        gives each row of ``X`` a log density; this is their mean. The model goes by the columns:

        - numbers: the linear Gaussian model, by maximum likelihood; also for grades and categories
          given as numbers, where the test is about correlations;
        - categories: the chances of the levels of each variable given those before it that the graph
          does not part it from, by counting; the score is a mean log probability;
        - both: the Gaussian model of numbers and indicators of levels, whose score can be compared
          with that of another graph of the same columns, and means nothing by itself.

        Parameters
        ----------
        X : DataFrame, array, dict, sparse matrix or Table
            Rows with the columns of ``fit``, such as those that a cross-validation holds out.
        y : ignored
            Here for pipelines.

        Raises
        ------
        NotFittedError
            Before ``fit``.
        InvalidData
            Where there are gaps, or text in a column of numbers.
        ValueError
            Where the columns are not those of ``fit``.
        NeedsData
            Where the test was about other columns than those of the table.

        """
        check_is_fitted(self)
        table = _table_of(X)
        validate_data(self, _header(X, table), reset=False, skip_check_array=True)
        self.discovery_.refuse_if_partial("A score of held-out rows")
        if self._model is None:
            raise NeedsData(
                f"{self.discovery_.settings['test']['name']} was not about the columns of the table, so that no model of them goes with "
                "its graph; choose settings another way, or fit with another test."
            )
        # Columns go by position, since one of the two tables may have no names.
        seen_as = {name: table.names[at] for name, at in zip(self.pag_.names, self._used, strict=True)}
        table = table.choose(seen_as.values())
        place = {seen_as[column.name]: column for column in self._levels}
        check_gaps(table)
        if numbers := [label for label in table.labels if not place[label].levels or place[label].points]:
            check_numbers(table.choose(numbers))
        table = table.coded_as([place[label] for label in table.labels])
        columns = [table.labels.index(seen_as[name]) for name in self._model.graph.names]
        rows = table.values[:, columns]  # noqa: PD011
        return float(self._model.log_density(rows).mean())

    def _remember_header(self, names: Sequence[str], are_own: bool) -> None:
        """Keep what scikit-learn compares other tables with; it would make a table of the names to find the same."""
        self.n_features_in_ = len(names)
        if are_own:
            self.feature_names_in_ = np.array(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The settings by name.

        Parameters
        ----------
        deep : bool
            Also the settings of a learner or blanket learner that is not given by its name, such as
            ``learner__max_condition_size``.

        """
        settings: dict[str, Any] = super().get_params(deep=False)
        if deep:
            settings |= {f"{name}__{own}": value for name in _PARTS for own, value in settings_of(settings[name]).items()}
        return settings

    def set_params(self, **settings: Any) -> Self:
        """Change settings by name.

        Parameters
        ----------
        **settings
            ``alpha=0.05``, or one setting of a part: ``learner__max_condition_size=2`` puts a
            changed copy in the place of the learner, made first where there is only its name.

        Raises
        ------
        InvalidSetting
            Where there is no setting of that name; nothing is changed then.

        """
        known = self.get_params(deep=False)
        changed = {name: value for name, value in settings.items() if "__" not in name}
        for name in settings:
            whole, nested, _ = name.partition("__")
            if whole not in known or (nested and whole not in _PARTS):
                raise InvalidSetting(f"{name!r} is not a setting of DiCoLa. Known: {', '.join(known)}.")
            if nested:
                part = _PARTS[whole](changed.get(whole, known[whole]))
                changed[whole] = _with_setting(part, name, settings[name])
        for name, value in changed.items():
            setattr(self, name, value)
        return self

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True  # filled in on the way
        tags.input_tags.allow_nan = True
        return tags

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        """In a notebook the settings, and what was learned below them."""
        shown: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        if "text/html" in shown and hasattr(self, "discovery_"):
            shown["text/html"] += self.discovery_._repr_html_()
        return shown


def _with_setting(part: Any, name: str, value: Any) -> Any:
    """A copy of a learner or blanket learner with one setting changed, such as ``learner__x``."""
    known, own = settings_of(part), name.partition("__")[2]
    if own not in known:
        raise InvalidSetting(f"{name!r} is not a setting of DiCoLa: {type(part).__name__} has {', '.join(known) or 'none'}.")
    return replace(part, **{own: value})


def _table_of(X: Any, least_rows: int = 1, least_columns: int = 1) -> Table:  # noqa: N803
    """A table of so many rows and columns at least.

    The sentences that refuse it have the words that users of scikit-learn know.
    """
    if getattr(getattr(X, "dtype", None), "kind", None) == "c":
        raise InvalidData("Complex data not supported: a table holds real numbers. Give real and imaginary parts as columns.")
    table = as_table(X)
    shape = (table.n_samples, len(table.names))
    for found, least, what in zip(shape, (least_rows, least_columns), ("sample", "feature"), strict=True):
        if found < least:
            raise InvalidData(f"the table has {found} {what}(s) (shape={shape}) while a minimum of {least} is required.")
    return table


def _header(X: Any, table: Table) -> pd.DataFrame | NDArray[np.float64]:  # noqa: N803
    """A table without rows, from which scikit-learn takes the number of columns and their names."""
    nothing = np.empty((0, len(table.names)))
    return pd.DataFrame(nothing, columns=list(table.names)) if _has_names(X) else nothing


def _has_names(X: Any) -> bool:  # noqa: N803
    """Has a table names of its own? Arrays have none, and numbers for names are positions."""
    if isinstance(X, pd.DataFrame | Mapping):
        return all(isinstance(name, str) for name in X)
    return isinstance(X, Table) or hasattr(type(X), "columns")
