"""What the paper claims of DiCoLa, asked of the rows.

The claims: it needs fewer tests than the learner alone, and its skeleton is no worse.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dicola_experiments.methods import BASES
from dicola_experiments.plan import Setting
from dicola_experiments.summary import Comparison, Mean, Outcome, Results, compared

VARIANTS = ("paper", "auto", "reference", "uig")
"""The rules that stop the splitting, and no splitting at all."""


def pairs(variant: str) -> list[tuple[str, str]]:
    """Each learner alone with the method that should beat it; FCI with and without its limit.

    >>> pairs("auto")[:2], pairs("uig")[-1]
    ([('fci', 'dicola+fci/auto'), ('fci exact', 'dicola+fci/auto')], ('l-marvel', 'uig+l-marvel'))
    """
    alone = (BASES[0], "fci exact", *BASES[1:])
    bases = [learner.partition(" ")[0] for learner in alone]
    return [
        (learner, f"uig+{base}" if variant == "uig" else f"dicola+{base}/{variant}") for learner, base in zip(alone, bases, strict=True)
    ]


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
    def only_alone_was_stopped(self) -> bool:
        """Was the learner alone given up, or stopped on every table it tried, and DiCoLa not?"""
        alone, dicola = (outcome.given_up or bool(outcome.n_stopped and not outcome.finished) for outcome in (self.alone, self.dicola))
        return alone and not dicola

    @property
    def needs_fewer_tests(self) -> bool:
        """Fewer on average; a learner alone that was stopped where DiCoLa finished needs more."""
        if not self.is_comparable:
            return self.only_alone_was_stopped
        assert self.tests is not None
        return self.tests.difference.value < 0

    @property
    def is_faster(self) -> bool:
        """Less time of a processor on average; the same goes for a learner that was stopped."""
        if not self.is_comparable:
            return self.only_alone_was_stopped
        assert self.time is not None
        return self.time.difference.value < 0

    @property
    def accuracy(self) -> Mean | None:
        """The difference in F1 where it has a standard error; a single run tells nothing."""
        if not self.is_comparable or self.f1 is None or self.f1.difference.error is None:
            return None
        return self.f1.difference

    @property
    def is_as_accurate(self) -> bool:
        """Is the mean F1 not below by more than the standard error of the difference?

        What cannot be compared does not speak against it.
        """
        return self.accuracy is None or self.accuracy.value >= -(self.accuracy.error or 0.0)

    @property
    def is_more_accurate(self) -> bool:
        """Is the mean F1 above by more than the standard error of the difference?"""
        return self.accuracy is not None and self.accuracy.value > (self.accuracy.error or 0.0)


def checks(results: Results, variant: str = "paper") -> Iterator[Check]:
    """One for each setting and learner that has rows of both."""
    for setting in results.settings:
        for base, method in pairs(variant):
            alone, dicola = results.at(setting, base), results.at(setting, method)
            if alone is not None and dicola is not None:
                yield Check(
                    setting, alone, dicola, compared(dicola, alone, "tests"), compared(dicola, alone, "f1"), compared(dicola, alone, "time")
                )
