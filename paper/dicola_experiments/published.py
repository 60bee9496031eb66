"""What the paper publishes in figures, and the reasons why ours differ: ``published.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dicola import InvalidSetting


def read_facts(path: Path) -> dict[str, Any]:
    """The tables of a TOML file; none where there is no file."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except tomllib.TOMLDecodeError as error:
        raise InvalidSetting(f"{path.name} is not a TOML file: {error}.") from None


class Published:
    """The published figures by table."""

    def __init__(self, facts: Mapping[str, Any]) -> None:
        self._facts = facts

    @classmethod
    def read(cls, path: Path) -> Published:
        """From a file; nothing is known where there is none."""
        return cls(read_facts(path))

    @property
    def source(self) -> str:
        """The paper."""
        return str(self._facts.get("source", "see published.toml"))

    def table(self, name: str) -> Sequence[Mapping[str, Any]]:
        """The entries of one table."""
        entries: Sequence[Mapping[str, Any]] = self._facts.get(name, [])
        return entries

    def reason(self, claim: str, learner: str = "", study: str = "") -> str:
        """Why ours differ: the first reason that fits the claim, the learner and the study."""
        for entry in self.table("reasons"):
            fits = learner in entry.get("learner", [learner]) and study in entry.get("study", [study])
            if entry["claim"] == claim and fits:
                return one_line(entry["text"])
        return "No reason is known."


def one_line(text: str) -> str:
    """Text of several lines in one."""
    return " ".join(text.split())
