"""Every setting of a run: its default, and what the command line shows of it.

Light to import, so that the command line can list its options at once; ``Plan`` checks the values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from dicola.blankets.base import BlanketLearner
    from dicola.ci.registry import Recipe
    from dicola.ci.workers import Kind
    from dicola.knowledge import Knowledge
    from dicola.learners.base import Learner

METHOD, TABLE, SURENESS, BUDGET, TUNING = "Method", "Table", "How sure", "Budget", "Fine tuning"  # headings of the help
UNDECIDED = ("keep", "circle")
GAPS = ("auto", "error", "listwise", "testwise", "em", "impute")


def _setting(
    default: Any,
    told: str,
    panel: str | None = TUNING,
    *,
    typed: type | None = None,
    option: str = "",
    choices: Callable[[], Sequence[str]] | None = None,
    at_doors: Any = None,
    metavar: str | None = None,
) -> Any:
    """A field with its option: the help, in which ``{choices}`` stands for the names to choose from, and the type of what is typed.

    That is the type of the default; text where there is none and nothing is said. A flag whose
    setting is on by default switches it off. ``at_doors`` is the default of what takes a table.
    """
    kind = typed or (str if default is None else type(default))
    shown = {
        "told": told,
        "panel": panel,
        "typed": kind,
        "option": option,
        "metavar": metavar or ("FILE" if kind is Path else None),
        "choices": choices,
    }
    shown["at_doors"] = default if at_doors is None else at_doors
    return field(default=default, metadata=shown)


def names_in(place: str, *more: str) -> Callable[[], Sequence[str]]:
    """The names in a registry, which is not loaded before they are asked for: that takes a second."""

    def names() -> Sequence[str]:
        found = resolve_name(place)
        return (*(found() if callable(found) else found), *more)

    return names


@dataclass(frozen=True)
class Settings:
    """All settings of a run with their defaults. ``None`` is "not chosen".

    ``dicola.discover`` and ``dicola.DiCoLa`` say what each of them means. ``DiCoLa`` and
    ``dicola fit``, which take a table, have another default where ``at_doors`` says so.
    """

    learner: str | Learner | None = _setting(
        None,
        "Base learner: {choices} (see: dicola learners); fci by default.",
        METHOD,
        choices=names_in("dicola.learners.registry:ALL"),
    )
    ci_test: Recipe = _setting(
        "fisher_z",
        "Independence test: auto (the one that fits the table) or one of those that dicola tests lists.",
        METHOD,
        option="--test",
        at_doors="auto",
        choices=names_in("dicola.ci.registry:TESTS", "auto"),
    )
    alpha: float = _setting(0.01, "Level of the independence test; a mode that scores goes by its price per edge instead.", METHOD)
    mode: str = _setting(
        "exact",
        "exact (the paper's method, each cut confirmed by the data), paper (as published), balanced (the best MAG by score; fast and "
        "accurate are other names for it) or auto (the best for the table); see: dicola modes.",
        METHOD,
        at_doors="auto",
        choices=names_in("dicola.pipeline.modes:mode_names"),
    )
    decompose: bool = _setting(True, "Run the base learner on all variables at once, without decomposition.", METHOD, option="--alone")
    knowledge: Knowledge | None = _setting(
        None,
        "What is known beforehand, such as tiers, forbidden and required causes: a Tetrad knowledge file, or TOML with the names of "
        "dicola.Knowledge.",
        METHOD,
        typed=Path,
    )
    contexts: str | Iterable[str] | None = _setting(
        None, "Columns that were set from outside, such as drug,batch, separated by commas: no other column causes them.", METHOD
    )
    targets: Mapping[str, Any] | None = _setting(
        None, "What a context acts on, where that is known: drug=pkc, separated by commas; what is named first is a context.", METHOD
    )
    kinds: Mapping[str, Any] | None = _setting(
        None, "Kinds of columns, such as sex=nominal,grade=ordered; by default they are found out (see: dicola look).", TABLE
    )
    drop: str | Iterable[str] | None = _setting(None, "Columns to leave out, separated by commas.", TABLE)
    missing: str = _setting(
        "auto",
        "What to do about gaps: auto (the way that fits, and the summary says which), error (refuse), listwise (complete rows only), "
        "testwise (each test has its own rows), em (maximum likelihood) or impute (fill in several times).",
        TABLE,
        choices=lambda: GAPS,
    )
    missing_values: Iterable[Any] | None = _setting(
        None, "Entries that stand for gaps, separated by commas, such as -999; NA and ? always do.", TABLE, typed=str
    )
    strict: bool = _setting(False, "Stop at columns that would be left out and entries that would be taken as gaps, and list them.", TABLE)
    bootstrap: int = _setting(
        0, "Learn again from so many tables drawn from the rows, and tell how often each edge and mark came.", SURENESS
    )
    bootstrap_seed: int = _setting(0, "Seed of the drawn tables.", SURENESS)
    bootstrap_fraction: float | None = _setting(
        None, "Draw this share of the rows without replacement; by default all, with replacement.", SURENESS, typed=float
    )
    undecided: Literal["keep", "circle"] = _setting(
        "keep",
        "Marks on which graphs that score nearly as well disagree: keep those of the best graph, or put a circle.",
        SURENESS,
        choices=lambda: UNDECIDED,
    )
    checkpoint: str | Path | None = _setting(
        None,
        "Folder in which what is finished is kept as it comes: stopped at any moment, the same command goes on from there.",
        panel=None,
        typed=Path,
        metavar="DIR",
    )
    selection: bool = _setting(
        False, "Allow for selection of the sample: that who is in the table depends on effects of its variables.", METHOD
    )
    max_seconds: float | None = _setting(
        None, "End after so many seconds, with what is known then; the rest is marked as undecided.", BUDGET, typed=float
    )
    max_tests: int | None = _setting(None, "The same after so many independence tests.", BUDGET, typed=int)
    max_memory: float | None = _setting(None, "The same once the process has grown by so many megabytes.", BUDGET, typed=float)
    n_jobs: int = _setting(1, "Leaves learned at a time; -1 for all cores. The answer does not depend on it.", panel=None, option="--jobs")
    workers: Kind | None = _setting(
        None,
        "What --jobs counts: threads or processes, by default processes where a test is slow Python; or a cluster: dask, ray.",
        choices=names_in("dicola.ci.workers:KINDS"),
    )
    scheduler: str | None = _setting(
        None,
        "Address of a Dask scheduler (tcp://host:8786) or a Ray cluster (ray://host:10001), whose workers then do the work.",
        typed=str,
    )
    device: str = _setting(
        "cpu",
        "cuda lets a graphics card compute what is large of Fisher's z test (extra gpu); the answer is the same.",
        panel=None,
    )
    stop: str | None = _setting(
        None,
        "When to stop splitting: auto (where it no longer pays), paper (nothing splits any more) or reference (the authors' caps); "
        "auto by default.",
        choices=names_in("dicola.decompose.tree:STOPS"),
    )
    max_depth: int | None = _setting(None, "Most splits above a leaf; no limit by default.", typed=int)
    min_leaf_size: int | None = _setting(None, "Leave sets of at most so many variables whole.", typed=int)
    max_nodes: int | None = _setting(None, "Most nodes of the decomposition; no limit by default.", typed=int)
    blankets: str | BlanketLearner = _setting(
        "auto", "Markov blanket learner (see: dicola blankets).", choices=names_in("dicola.blankets.registry:BLANKETS")
    )
    uig_alpha: float | None = _setting(None, "Level of the blanket tests; by default the learner's own.", typed=float)
    uig: Literal["inherit", "relearn"] = _setting(
        "inherit",
        "Does a part inherit its independence graph (inherit), or is it learned again (relearn)?",
        choices=lambda: ("inherit", "relearn"),
    )
    leaf_start: Literal["auto", "uig", "complete"] = _setting(
        "auto",
        "Where a leaf that could be split further starts: from its independence graph (uig), from the complete graph (complete), or "
        "as --stop has it (auto).",
        choices=lambda: ("auto", "uig", "complete"),
    )
    colliders: str | None = _setting(
        None,
        "How unshielded triples are decided: {choices}; auto by default: compare in mode exact on data, else sepset.",
        choices=names_in("dicola.learners.collider_policies:CHOICES"),
    )
    max_path_length: int | None = _setting(None, "Longest discriminating path, in vertices; no limit by default.", typed=int)
    seed: int = _setting(0, "Seed of the start orders; mode exact draws none.")
    legalize: bool = _setting(False, "Replace a graph that is no legal PAG by one.")


SETTINGS = {each.name: each for each in fields(Settings)}
"""Every setting by name, with ``default`` and ``metadata``."""
