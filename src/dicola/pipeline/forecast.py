"""What a run will take, told before the work: from the decomposition, which is cheap, to the tests of its leaves."""

from __future__ import annotations

import warnings
from dataclasses import asdict, dataclass
from math import comb
from typing import Any

from dicola.ci.fisher_z import FisherZ
from dicola.ci.inquiry import Inquiry
from dicola.decompose.tree import Leaf
from dicola.errors import Sentence, counted
from dicola.learners.adjacency import most_sets
from dicola.pipeline.plan import Steps
from dicola.pipeline.so_far import SoFar

LONG = 600.0  # seconds; who expects a run to take longer is told so first
_PER_TEST = 4e-8  # seconds of a test by correlations, in a search
_LARGEST = 4  # larger sets are met by few edges, and left out where no limit is set
_SCORED, _SCORED_SECONDS = 5000, 300.0  # variables and seconds of a search by score of few edges, which grows with the square
_PER_LINK = 3e-5  # seconds of such a search per pair of neighbours of a variable; runs on 20 to 160 columns took 0.4 to 2.5 times that
_SMALL = 60  # variables that are learned in a minute whatever they hold, unless the test is slow


@dataclass(frozen=True)
class Forecast:
    """What a run is expected to take.

    Attributes
    ----------
    variables, leaves, largest_leaf : int
        The size of the problem, the parts into which it decomposes, and the variables of the largest.
    tests : int
        About how many independence tests the leaves take; fewer where edges fall early.
    seconds : float
        About how long that takes on one core, searches by score included.
    memory : float
        About how many megabytes the process grows by.

    """

    variables: int
    leaves: int
    largest_leaf: int
    tests: int
    seconds: float
    memory: float

    def __str__(self) -> str:
        split = f"{counted(self.leaves, 'leaf', 'leaves')}, the largest with {counted(self.largest_leaf, 'variable')}"
        return "\n".join(
            (
                f"{counted(self.variables, 'variable')}: {split}",
                f"tests: about {_rounded(self.tests):,}",
                f"time: {in_words(self.seconds)}",
                f"memory: about {_rounded(max(1, round(self.memory))):,} MB",
            )
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


def in_words(seconds: float) -> str:
    """About how long, in a unit that suits."""
    for unit, size in (("days", 86400.0), ("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 2 * size:
            return f"about {_rounded(round(seconds / size)):,} {unit}"
    return f"about {_rounded(round(seconds)):,} seconds" if seconds >= 2 else "a second or two"


def _rounded(number: int) -> int:
    """To two digits: nobody knows more."""
    size = 10 ** max(0, len(str(number)) - 2)
    return int(round(number / size) * size)


def forecast_of(found: SoFar) -> Forecast:
    """What a run will take of which the decomposition is known."""
    ci, steps, tree = found.ci, found.steps, found.tree
    assert tree is not None
    n = len(ci)
    scored = steps.mode.last_step is not None or steps.learner.needs_data
    tests = 0 if steps.learner.needs_data else sum(_tests_of(leaf, ci, steps) for leaf in tree.leaves)
    seconds = tests * _seconds_per_test(found)
    if scored:
        seconds += _SCORED_SECONDS * (n / _SCORED) ** 2 + _PER_LINK * sum(d * d for leaf in tree.leaves for d in _degrees(leaf))
    largest = tree.largest_leaf
    return Forecast(n, tree.n_leaves, largest, tests, seconds, 1e-6 * 8 * (8 * n * n + (largest + 2) ** 2 * min(largest, 8)))


def _tests_of(leaf: Leaf, ci: Inquiry, steps: Steps) -> int:
    """Sets of neighbours of either end, of all sizes that a learner tries."""
    size, degrees = len(leaf.variables), _degrees(leaf)
    limits = [getattr(steps.learner, name, None) for name in ("max_condition_size", "max_possible_dsep_size")]
    set_limits = [limit for limit in limits if limit is not None]
    largest, most = max(set_limits, default=_LARGEST), most_sets(ci)
    known = {d: d * sum(_sets(d - 1, k, most) for k in range(min(largest, d - 1) + 1)) for d in set(degrees)}
    return sum(known[d] for d in degrees) + size * size // 2


def _degrees(leaf: Leaf) -> list[int]:
    """How many neighbours each variable of a leaf has in its independence graph; half of all others where there is none."""
    size, uig = len(leaf.variables), leaf.uig
    return [size // 2] * size if uig is None else [len(uig.beside(v)) for v in range(size)]


def _sets(candidates: int, size: int, most: int | None) -> int:
    sets = comb(candidates, min(size, candidates // 2))
    return 0 if most is not None and sets > most else comb(candidates, size)


def _seconds_per_test(found: SoFar) -> float:
    """How long one test takes: known of correlations, else as long as those of the decomposition took; nothing is asked for it."""
    asked = found.ci.counts["total"]
    if isinstance(found.ci.test, FisherZ) or not asked:
        return _PER_TEST
    return max(found.clock.elapsed() / asked, _PER_TEST)


def say_if_long(found: SoFar) -> None:
    """Warn of a run that is expected to take more than ten minutes, and has no budget."""
    plan = found.steps.plan
    if (len(found.ci) < _SMALL and not found.ci.test.is_slow) or plan.max_seconds is not None or plan.max_tests is not None:
        return
    expected = forecast_of(found)
    if expected.seconds > LONG:
        warnings.warn(
            Sentence(
                "this run is expected to take {time}: its largest part has {n} variables. {max_seconds} ends it with what is known then.",
                time=in_words(expected.seconds),
                n=expected.largest_leaf,
            ),
            RuntimeWarning,
            stacklevel=2,
        )
