"""Every error a user can cause; each message says what was found, what is allowed and what to do."""

from __future__ import annotations


class DicolaError(Exception):
    """Base of all errors that a user can mend."""


class InvalidData(DicolaError, ValueError):
    """The table, covariance or file cannot be used as it is."""


class InvalidSetting(DicolaError, ValueError):
    """A setting has a value that is not allowed."""


class InvalidGraph(DicolaError):
    """A graph breaks the rules of its kind: a cycle, an unknown node, a mark that cannot be there."""


class MissingExtra(DicolaError):
    """An optional dependency is needed and not installed."""


class NeedsData(DicolaError):
    """The question needs samples, and the independence test at hand carries none."""


class BudgetExceeded(DicolaError):
    """A limit on tests or time was reached before the answer was complete."""
