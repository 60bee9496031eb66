"""What a method gives back, and the clock it runs under."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter, process_time
from typing import Any, Final

import pandas as pd

from dicola import PAG

ALPHA = 0.01
CODES: Final = {"circle": 1, "arrow": 2, "tail": 3}
"""pcalg's, as in PAG.from_matrix."""


@dataclass(frozen=True)
class Answer:
    """What a method gave back: a graph, tests by phase, and the shape of any decomposition.

    Unless ``marked``, the marks of the graph mean nothing. ``tests`` is empty where a library does
    not say.
    """

    graph: PAG
    marked: bool
    tests: dict[str, int]
    seconds: float
    cpu_seconds: float
    shape: dict[str, Any]


Method = Callable[[pd.DataFrame], Answer]


class Clock:
    """Seconds of wall and processor from its making on."""

    def __init__(self) -> None:
        self._start = perf_counter(), process_time()

    def stop(self) -> tuple[float, float]:
        """Both, up to now."""
        return perf_counter() - self._start[0], process_time() - self._start[1]
