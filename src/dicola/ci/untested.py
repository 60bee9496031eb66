"""What a test could not answer: questions for which there were too few rows, and those about a variable that others determine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from dicola.errors import Sentence, counted


class Untested(NamedTuple):
    """How many questions got the default answer in place of a test.

    Attributes
    ----------
    rows : int
        For lack of rows: too few per cell, or none left beside what is held fixed.
    determined : int
        Because one of the two variables is a function of those held fixed.

    """

    rows: int = 0
    determined: int = 0

    def __add__(self, other: tuple[Any, ...]) -> Untested:
        return Untested(*(mine + its for mine, its in zip(self, other, strict=True)))

    def sentence(self, tests: int, settings: Mapping[str, Any]) -> str:
        """What was counted as what, for a reader.

        Parameters
        ----------
        tests : int
            How many tests there were in all.
        settings : mapping
            Those of the test; what is answered by default is among them.

        """
        told = []
        if self.rows:
            told.append(f"{self.rows:,} had too few rows and counted as {settings.get('untestable', 'dependent')}")
        if self.determined:
            answer = settings.get("determined", "independent")
            told.append(f"{self.determined:,} asked about a variable that those held fixed determine, and counted as {answer}")
        return Sentence("of {all}, {told}.", all=counted(tests, "test", spec=","), told="; ".join(told))


NOTHING = Untested()
