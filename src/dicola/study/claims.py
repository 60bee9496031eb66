"""What the paper claims of DiCoLa, asked of the rows: fewer tests than the learner alone, and a skeleton that is no worse."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dicola.study.methods import BASES
from dicola.study.plan import Setting
from dicola.study.summary import Comparison, Outcome, Results, compared

PAIRS = (("fci", "dicola+fci/paper"), ("fci exact", "dicola+fci/paper"), *((base, f"dicola+{base}/paper") for base in BASES[1:]))


@dataclass(frozen=True)
class Check:
    """DiCoLa beside the learner alone on one setting, seed by seed where both finished."""

    setting: Setting
    alone: Outcome
    dicola: Outcome
    tests: Comparison | None
    f1: Comparison | None
    time: Comparison | None

    @property
    def is_comparable(self) -> bool:
        """Did both finish, on some seed, and neither have to be given up?"""
        return self.tests is not None and self.f1 is not None and not (self.alone.given_up or self.dicola.given_up)

    @property
    def needs_fewer_tests(self) -> bool:
        """Fewer on average; a learner alone that had to be given up where DiCoLa finished counts as needing more."""
        if not self.is_comparable:
            return self.alone.given_up and not self.dicola.given_up
        assert self.tests is not None
        return self.tests.difference.value < 0

    @property
    def is_faster(self) -> bool:
        """Less time of a processor on average; the same goes for a learner that had to be given up."""
        if not self.is_comparable:
            return self.alone.given_up and not self.dicola.given_up
        assert self.time is not None
        return self.time.difference.value < 0

    @property
    def is_as_accurate(self) -> bool:
        """Is the mean F1 not below by more than the standard error of the difference? What cannot be compared does not speak against."""
        if not self.is_comparable:
            return True
        assert self.f1 is not None
        return self.f1.difference.value >= -(self.f1.difference.error or 0.0)


def checks(results: Results) -> Iterator[Check]:
    """One for each setting and learner that has rows of both."""
    for setting in results.settings:
        for base, method in PAIRS:
            alone, dicola = results.at(setting, base), results.at(setting, method)
            if alone is not None and dicola is not None:
                yield Check(
                    setting, alone, dicola, compared(dicola, alone, "tests"), compared(dicola, alone, "f1"), compared(dicola, alone, "time")
                )
