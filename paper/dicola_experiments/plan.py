"""What to run: studies from settings files, cut into cells of one setting and one method each."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, get_args

from dicola import DAG, InvalidSetting
from dicola.simulate import additive_noise, hide, linear_gaussian_covariance
from dicola_experiments.methods import PEERS, expanded
from dicola_experiments.sources import OWN, GaussianNetwork, check_graph, draw_source, needs_folder

Kind = Literal["recovery", "accuracy", "degrees", "local", "population", "expression"]
STRONG = (0.5, 1.0)  # sizes of the paper's coefficients
NORMAL = "normal"  # its errors


@dataclass(frozen=True)
class Setting:
    """Where data come from: a graph by name (see ``sources``), and how many rows.

    ``hidden`` variables are hidden, drawn from ``pool``. Coefficients, errors and curvature are
    those of ``dicola.simulate.additive_noise``; a network with coefficients of its own keeps them.
    """

    graph: str
    hidden: int
    pool: str
    samples: int
    coefficients: tuple[float, float] = STRONG
    errors: str = NORMAL
    curvature: float = 0.0

    def __str__(self) -> str:
        return " ".join(filter(None, (f"{self.graph}/{self.hidden}", self.pool, f"N={self.samples}", self.sizes)))

    @property
    def key(self) -> tuple[Any, ...]:
        """What names the setting among the rows of a study."""
        return self.graph, self.hidden, self.pool, self.samples, self.coefficients, self.errors, self.curvature

    @property
    def sizes(self) -> str:
        """Coefficients, errors and curvature in words, where they are not the paper's."""
        low, high = self.coefficients
        told = [] if self.coefficients == STRONG else [f"coefficients {low:g}" + (f" to {high:g}" if high > low else "")]
        told += [] if self.errors == NORMAL else [f"{self.errors} errors"]
        return ", ".join(told + ([f"curvature {self.curvature:g}"] if self.curvature else []))

    @property
    def n_observed(self) -> int:
        """Variables that are not hidden."""
        return len(draw_source(self.graph, 1).dag.names) - self.hidden

    def draw(self, seed: int, data: Path | None = None) -> Problem:
        """Graph, hidden variables and table of one repetition: the same for every method.

        ``data`` is the folder of networks that the repository does not hold.
        """
        source = draw_source(self.graph, seed, data)
        latents = source.latents if self.pool == OWN else hide(source.dag, self.hidden, seed, pool=self.pool)
        return Problem(self, seed, source.dag, latents, source.network)


@dataclass(frozen=True)
class Problem:
    """One repetition of a setting."""

    setting: Setting
    seed: int
    dag: DAG
    latents: tuple[str, ...]
    network: GaussianNetwork | None = None

    def table(self) -> Any:
        """The rows, without the hidden columns."""
        return self._rows().drop(columns=list(self.latents))

    def _rows(self) -> Any:
        where = self.setting
        if self.network is not None:
            return self.network.draw(where.samples, self.seed)
        how: dict[str, Any] = {"coefficients": where.coefficients, "errors": where.errors, "curvature": where.curvature}
        return additive_noise(self.dag, where.samples, self.seed, **how)

    def covariance(self) -> Any:
        """That of the observed variables, exactly."""
        whole = linear_gaussian_covariance(self.dag, self.seed, coefficients=self.setting.coefficients)
        return whole.drop(index=list(self.latents), columns=list(self.latents))


@dataclass(frozen=True)
class Cell:
    """One setting and one method, repeated seed after seed, each run within ``cap`` seconds.

    A method that was stopped on three seeds is not run further in that cell. ``last_cap``, if there
    is one, is granted to the first seed on which it was stopped, when all others are done.
    """

    kind: Kind
    setting: Setting
    method: str
    repetitions: int
    cap: float
    last_cap: float | None = None
    first_seed: int = 1

    def __str__(self) -> str:
        return f"{self.setting}, {self.method}"

    @property
    def seeds(self) -> range:
        """One for each repetition."""
        return range(self.first_seed, self.first_seed + self.repetitions)

    @property
    def key(self) -> tuple[Any, ...]:
        """What names the cell among the rows of a study."""
        return self.kind, *self.setting.key, self.method


@dataclass(frozen=True)
class Series:
    """Settings that differ only in the number of rows, and the methods tried on them.

    Without a cap it is the paper's. With ``last_cap`` a method that was stopped gets the paper's
    cap once, at the largest number of rows, where most are stopped. ``name`` is what readers call
    it. Other libraries' methods, which take longer, may have fewer ``peer_repetitions``.
    """

    graph: str
    hidden: int
    pool: str
    samples: tuple[int, ...]
    methods: tuple[str, ...]
    repetitions: int = 50
    cap: float | None = None
    last_cap: bool = False
    first_seed: int = 1
    coefficients: tuple[float, float] = STRONG
    errors: str = NORMAL
    curvature: float = 0.0
    kind: Kind = "recovery"
    run: bool = True
    name: str = ""
    peer_repetitions: int | None = None

    def settings(self) -> Iterator[Setting]:
        """One setting for each number of rows."""
        for samples in self.samples:
            yield Setting(self.graph, self.hidden, self.pool, samples, self.coefficients, self.errors, self.curvature)

    def cells(self) -> Iterator[Cell]:
        """Setting by setting, method by method."""
        for setting in self.settings():
            cap = paper_cap(setting) if self.cap is None else self.cap
            paper = paper_cap(setting) if self.last_cap and setting.samples == max(self.samples) else 0.0
            for method in self.methods:
                yield Cell(self.kind, setting, method, self._n_runs(method), cap, paper if paper > cap else None, self.first_seed)

    def _n_runs(self, method: str) -> int:
        return self.repetitions if self.peer_repetitions is None or method not in PEERS else self.peer_repetitions


def lacks_folder(cell: Cell, data: Path | None) -> bool:
    """Does the cell need a folder of networks that was not named?"""
    return data is None and needs_folder(cell.setting.graph)


def paper_cap(setting: Setting) -> float:
    """The paper's: ten seconds for each observed variable."""
    return 10.0 * setting.n_observed


@dataclass(frozen=True)
class Study:
    """One table or figure: its title, what it shows of the paper, its series and more settings."""

    name: str
    title: str
    shows: str
    series: tuple[Series, ...]
    kind: Kind = "recovery"
    more: Mapping[str, Any] = field(default_factory=dict)

    def cells(self) -> list[Cell]:
        """All cells, each once; of two series that share one, the larger number of runs counts."""
        found: dict[tuple[Any, ...], Cell] = {}
        for series in self.series:
            for cell in series.cells() if series.run else ():
                known = found.get(cell.key)
                found[cell.key] = cell if known is None else replace(known, repetitions=max(known.repetitions, cell.repetitions))
        return list(found.values())

    def name_of(self, setting: Setting) -> str:
        """What readers call a setting: the name of its series and its rows, else all its parts."""
        for series in self.series:
            if series.name and setting in series.settings():
                return f"{series.name}, N = {setting.samples:,}"
        return str(setting)

    def of_series(self, wanted: Iterable[str]) -> Study:
        """Only the series whose name or graph contains one of these words."""
        words = [word.lower() for word in wanted]
        kept = tuple(series for series in self.series if any(word in f"{series.name} {series.graph}".lower() for word in words))
        if words and not kept:
            known = ", ".join(dict.fromkeys(series.name or series.graph for series in self.series))
            raise InvalidSetting(f"no series of {self.name!r} is called {' or '.join(words)!r}. Known: {known}.")
        return replace(self, series=kept if words else self.series)

    def with_limits(
        self,
        repetitions: int | None = None,
        cap: float | None = None,
        methods: Iterable[str] | None = None,
        skip: Iterable[str] = (),
        first_seed: int | None = None,
    ) -> Study:
        """The same with other repetitions, seeds or cap in every series, or only some methods."""
        limits: dict[str, Any] = {}
        skipped, wanted = set(expanded(skip)), None if methods is None else set(expanded(methods))
        if repetitions is not None:
            limits |= {"repetitions": repetitions, "peer_repetitions": None}
        if first_seed is not None:
            limits["first_seed"] = first_seed
        if cap is not None:
            limits |= {"cap": cap, "last_cap": False}
        return replace(
            self,
            series=tuple(
                replace(series, methods=tuple(m for m in series.methods if m not in skipped and (wanted is None or m in wanted)), **limits)
                for series in self.series
            ),
        )


def load_study(path: Path) -> Study:
    """Read a settings file; every mistake in it is named."""
    try:
        text = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InvalidSetting(f"the study {path.stem!r} could not be read: {error.strerror or error}.") from None
    except tomllib.TOMLDecodeError as error:
        raise InvalidSetting(f"{path.name} is not a settings file: {error}.") from None
    kind = text.pop("kind", "recovery")
    if kind not in get_args(Kind):
        raise InvalidSetting(f"{path.name}: kind is {kind!r}; it may be {', '.join(get_args(Kind))}.")
    try:
        title, shows, series, usual = text.pop("title"), text.pop("shows"), text.pop("series", []), text.pop("usual", {})
    except KeyError as missing:
        raise InvalidSetting(f"{path.name} lacks {missing.args[0]!r}.") from None
    return Study(path.stem, title, shows, tuple(_series(path.name, kind, usual | each) for each in series), kind, text)


def _series(file: str, kind: Kind, text: dict[str, Any]) -> Series:
    allowed = set(Series.__dataclass_fields__) - {"kind"}
    unknown = sorted(set(text) - allowed)
    lacking = [name for name in ("graph", "hidden", "pool", "samples", "methods") if name not in text]
    if unknown or lacking:
        raise InvalidSetting(
            f"{file}: a series has {', '.join(sorted(allowed))}; "
            + "; ".join([f"unknown is {name!r}" for name in unknown] + [f"{name!r} is missing" for name in lacking])
            + "."
        )
    try:
        check_graph(text["graph"], text["pool"], text["hidden"])
    except InvalidSetting as error:
        raise InvalidSetting(f"{file}: {error}") from None
    lists: dict[str, Any] = {name: tuple(text[name]) for name in ("samples", "coefficients") if name in text}
    return Series(**(text | lists | {"methods": expanded(text["methods"]), "kind": kind}))
