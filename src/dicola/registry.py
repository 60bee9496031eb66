"""What there is to choose from, by name: one entry per test, learner, blanket learner and score.

An entry is a class; what a user should know of it stands on the class. Lists on the command line, in help texts and in the documentation
are made from the entries.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from inspect import Parameter, getdoc, signature
from typing import Any, TypeVar

from dicola.errors import InvalidSetting

T = TypeVar("T")
FACTS = (
    "title",
    "reference",
    "assumes",
    "needs",
    "guarantee",
    "complete",
    "latent_safe",
    "kinds",
    "takes_knowledge",
    "allows_selection",
    "needs_data",
)
"""What an entry may tell of itself, in the order in which it is shown."""


class Registry(dict[str, type[T]]):
    """Classes by name.

    Parameters
    ----------
    kind : str
        What an entry is, for error messages: ``"learner"``.
    *entries : type
        The first entries; each has a ``name``.

    """

    def __init__(self, kind: str, *entries: type[T]) -> None:
        super().__init__()
        self.kind = kind
        for entry in entries:
            self.add(entry)

    def add(self, entry: type[T]) -> type[T]:
        """Enter a class under its ``name``; also a decorator."""
        name = getattr(entry, "name", None)
        if not isinstance(name, str) or not name:
            raise InvalidSetting(f"{entry.__name__} needs a class attribute name, a short text by which users choose this {self.kind}.")
        self[name] = entry
        return entry

    def remove(self, name: str) -> None:
        """Take an entry out again."""
        del self[name]

    def find(self, name: object) -> type[T] | None:
        """The entry of that name, or of that class name; capitals, and hyphens for underscores, do not matter."""
        if isinstance(name, str) and name in self:
            return self[name]
        wanted = _plain(str(name))
        return next((entry for own, entry in self.items() if wanted in (_plain(own), _plain(entry.__name__))), None)

    def named(self, name: object) -> type[T]:
        """The entry of that name; a sentence with the known names where there is none."""
        found = self.find(name)
        if found is None:
            raise InvalidSetting(f"{name!r} is not a {self.kind}. Known: {', '.join(self)}.")
        return found

    def facts(self) -> list[dict[str, Any]]:
        """Every entry as plain values, for lists and tables."""
        return [{"name": name, **_facts(entry), "settings": default_settings(entry)} for name, entry in self.items()]


def _plain(name: str) -> str:
    return name.lower().replace("-", "_")


def _facts(entry: type) -> dict[str, Any]:
    told = {fact: getattr(entry, fact, None) for fact in FACTS}
    told["title"] = told["title"] or (getdoc(entry) or entry.__name__).splitlines()[0]
    return {fact: list(value) if isinstance(value, tuple) else value for fact, value in told.items() if value is not None}


def default_settings(entry: type) -> dict[str, Any]:
    """The settings of a class with their defaults: its fields, or what its constructor takes beside the data."""
    if is_dataclass(entry):
        return {each.name: each.default for each in fields(entry)}
    parameters = signature(entry).parameters.values()
    return {each.name: each.default for each in parameters if each.default is not Parameter.empty}


def settings_of(part: Any) -> dict[str, Any]:
    """The settings of a learner or the like; a name or a class has none."""
    return {each.name: getattr(part, each.name) for each in fields(part)} if is_dataclass(part) and not isinstance(part, type) else {}


def described(part: Any) -> dict[str, Any]:
    """A learner or the like by its name and its settings."""
    return {"name": part.name, **settings_of(part)}
