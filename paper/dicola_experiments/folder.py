"""A folder of studies: settings files, beside them the rows in ``results``, figures and report."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from dicola import InvalidData, InvalidSetting
from dicola_experiments.plan import Study, load_study
from dicola_experiments.rows import Rows
from dicola_experiments.summary import Results

RANDOM = ("er30-3", "er30-5", "er50-3-5", "er50-3-7")
NETWORKS = ("mildew", "barley", "andes", "link")
SMOKE = "smoke"
_ORDER = ("degrees", *RANDOM, *NETWORKS, "dense", "local", "arabidopsis")
_NO_STUDIES = {"published", "run"}  # what the paper says, and facts about the run that was made


@dataclass(frozen=True)
class Folder:
    """Studies by name. The rows lie in ``results``, which may be elsewhere."""

    path: Path
    results: Path

    @classmethod
    def at(cls, path: Path, results: Path | None = None) -> Folder:
        """The folder, if it holds studies."""
        if not any(file.stem not in _NO_STUDIES for file in path.glob("*.toml")):
            raise InvalidSetting(
                f"there are no studies in {str(path)!r}: their settings files come with a clone of the repository, in its folder 'paper'. "
                "Run this command in the clone, or name that folder with --folder."
            )
        return cls(path, path / "results" if results is None else results)

    @property
    def figures(self) -> Path:
        """Where the figures go."""
        return self.path / "figures"

    @property
    def names(self) -> list[str]:
        """Names of all studies: those of the paper in its order, then any others."""
        names = {file.stem for file in self.path.glob("*.toml")} - _NO_STUDIES
        return sorted(names, key=lambda name: (_ORDER.index(name) if name in _ORDER else len(_ORDER), name))

    def study(self, name: str) -> Study:
        """One study; where there is none of that name, the nearest one is named."""
        if name not in self.names:
            near = get_close_matches(name, self.names, n=1, cutoff=0.5)
            meant = f" Did you mean {near[0]!r}?" if near else ""
            raise InvalidSetting(f"there is no study {name!r}.{meant} Known: {', '.join(self.names)}.")
        return load_study(self.path / f"{name}.toml")

    def rows(self, name: str) -> Rows:
        """The rows of a study so far."""
        return Rows(self.results, name)

    def outcomes(self, name: str) -> Results:
        """The rows of a study by setting and method."""
        return Results(self.study(name), self.rows(name))

    def pack(self, name: str) -> bool:
        """Pack the rows of a study into its compressed file, unless a run is adding to them."""
        rows = self.rows(name)
        if not rows.path.exists():
            return True
        try:
            with rows.writing():
                rows.pack()
        except InvalidData:
            return False
        return True
