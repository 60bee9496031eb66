"""A user's own test: any function of names that returns a p-value or a yes/no."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import nan

import numpy as np

from dicola.allowed import NAMES, Kind, checked, takes
from dicola.ci.base import CITest, checked_alpha
from dicola.ci.questions import Verdict
from dicola.errors import InvalidSetting
from dicola.graphs.skeleton import Variables
from dicola.tables.names import distinct_names, name_order


class CallableTest(CITest):
    """A user's own function of names as a test.

    Parameters
    ----------
    function : callable
        Called as ``function(x, y, z)``, where x and y are names and z is a tuple of names. It
        returns a p-value (independent iff ``p > alpha``) or a bool (``True``: independent).
    names : iterable of str
        The variables, in the order in which the answer is to name them.
    alpha : float
        The level; means nothing where the function says yes or no.

    Raises
    ------
    InvalidSetting
        Also when asked, where the function returns neither.

    Examples
    --------
    >>> names = ["A", "B", "C"]
    >>> test = CallableTest(lambda x, y, z: 0.5 if "B" in z else 0.0001, names, alpha=0.01)
    >>> test("A", "C", ["B"])
    Verdict(independent=True, p_value=0.5)

    """

    is_slow = True

    @checked(function=Kind("a CallableTest wraps a function of (x, y, z).", takes(3)), names=NAMES)
    def __init__(self, function: Callable[[str, str, tuple[str, ...]], float | bool], names: Iterable[object], alpha: float = 0.01) -> None:
        self.function = function
        self.names = distinct_names(names)
        self.labels = tuple(self.names[i] for i in name_order(self.names))
        self.alpha: float = checked_alpha(alpha)

    def verdict(self, x: int, y: int, z: Variables) -> Verdict:
        a, b, given = self.labels[x], self.labels[y], tuple(self.labels[v] for v in z)
        answer = self.function(a, b, given)
        if isinstance(answer, bool | np.bool_):
            return Verdict(bool(answer), nan)
        try:
            p_value = float(answer)
        except (TypeError, ValueError):
            p_value = nan
        if not 0.0 <= p_value <= 1.0:
            raise InvalidSetting(
                f"the test function returned {answer!r} for ({a!r}, {b!r}, {given!r}); it must return a p-value between 0 and 1, or a bool."
            )
        return Verdict(p_value > self.alpha, p_value)
