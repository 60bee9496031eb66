"""What to run: studies from settings files, cut into cells of one setting and one method each."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, get_args

from dicola import DAG, InvalidSetting
from dicola.simulate import er_dag, hide, linear_gaussian, linear_gaussian_covariance, network, network_names
from dicola_experiments.methods import expanded

Kind = Literal["recovery", "degrees", "local", "population", "expression"]
STRONG = (0.5, 1.0)  # sizes of the paper's coefficients
_ER = re.compile(r"ER\((\d+), ?(\d+(?:\.\d+)?)\)")


@dataclass(frozen=True)
class Setting:
    """Where data come from: a random graph ``ER(n,d)`` or a network by name, and how many rows.

    ``hidden`` variables are hidden, drawn from ``pool``.
    """

    graph: str
    hidden: int
    pool: str
    samples: int
    coefficients: tuple[float, float] = STRONG

    def __str__(self) -> str:
        return " ".join(filter(None, (f"{self.graph}/{self.hidden}", self.pool, f"N={self.samples}", self.sizes)))

    @property
    def sizes(self) -> str:
        """The coefficients in words, where they are not the paper's."""
        return "" if self.coefficients == STRONG else f"coefficients {self.coefficients[0]:g} to {self.coefficients[1]:g}"

    @property
    def n_observed(self) -> int:
        """Variables that are not hidden."""
        return len(self.dag(1).names) - self.hidden

    def dag(self, seed: int) -> DAG:
        """The graph of one repetition; a network is the same in all."""
        random = _ER.fullmatch(self.graph)
        if random is None:
            return network(self.graph.lower())
        return er_dag(int(random[1]), float(random[2]), seed)

    def draw(self, seed: int) -> Problem:
        """Graph, hidden variables and table of one repetition: the same for every method."""
        dag = self.dag(seed)
        return Problem(self, seed, dag, hide(dag, self.hidden, seed, pool=self.pool))


@dataclass(frozen=True)
class Problem:
    """One repetition of a setting."""

    setting: Setting
    seed: int
    dag: DAG
    latents: tuple[str, ...]

    def table(self) -> Any:
        """The rows, without the hidden columns."""
        sizes = self.setting.coefficients
        return linear_gaussian(self.dag, self.setting.samples, self.seed, coefficients=sizes).drop(columns=list(self.latents))

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
        where = self.setting
        return self.kind, where.graph, where.hidden, where.pool, where.samples, where.coefficients, self.method


@dataclass(frozen=True)
class Series:
    """Settings that differ only in the number of rows, and the methods tried on them.

    Without a cap it is the paper's. With ``last_cap`` a method that was stopped gets the paper's
    cap once, at the largest number of rows, where most are stopped.
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
    kind: Kind = "recovery"
    run: bool = True

    def settings(self) -> Iterator[Setting]:
        """One setting for each number of rows."""
        for samples in self.samples:
            yield Setting(self.graph, self.hidden, self.pool, samples, self.coefficients)

    def cells(self) -> Iterator[Cell]:
        """Setting by setting, method by method."""
        for setting in self.settings():
            paper = paper_cap(setting)
            for method in self.methods:
                cap = paper if self.cap is None else self.cap
                last = paper if self.last_cap and paper > cap and setting.samples == max(self.samples) else None
                yield Cell(self.kind, setting, method, self.repetitions, cap, last, self.first_seed)


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

    def with_limits(
        self, repetitions: int | None = None, cap: float | None = None, methods: Iterable[str] | None = None, skip: Iterable[str] = ()
    ) -> Study:
        """The same with other repetitions or another cap in every series, or only some methods."""
        limits: dict[str, Any] = {}
        skipped, wanted = set(expanded(skip)), None if methods is None else set(expanded(methods))
        if repetitions is not None:
            limits["repetitions"] = repetitions
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
        title, shows, series = text.pop("title"), text.pop("shows"), text.pop("series", [])
    except KeyError as missing:
        raise InvalidSetting(f"{path.name} lacks {missing.args[0]!r}.") from None
    return Study(path.stem, title, shows, tuple(_series(path.name, kind, each) for each in series), kind, text)


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
    graph = text["graph"]
    if not _ER.fullmatch(graph) and graph.lower() not in network_names():
        raise InvalidSetting(
            f"{file}: {graph!r} is neither a random graph like ER(30,3) nor a network. Known: {', '.join(network_names())}."
        )
    if text["pool"] not in ("any", "root"):
        raise InvalidSetting(f"{file}: pool is {text['pool']!r}; it may be 'any' or 'root'.")
    lists: dict[str, Any] = {name: tuple(text[name]) for name in ("samples", "coefficients") if name in text}
    return Series(**(text | lists | {"methods": expanded(text["methods"]), "kind": kind}))
