"""``make fuzz N=20000``: so many cases over all properties.

From the root of the repository: ``python -m tests.fuzz.run 20000 --seed 1``; ``--only`` names one property.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tests.fuzz.properties import PROPERTIES, in_a_place_of_its_own, soon


def shares(cases: int) -> dict[Callable[[Any], None], int]:
    """How many of the cases each property gets."""
    whole = sum(PROPERTIES.values())
    return {each: -(-cases * share // whole) for each, share in PROPERTIES.items()}


def _settings(cases: int) -> settings:
    phases = (Phase.generate, Phase.shrink)
    return settings(max_examples=cases, deadline=None, database=None, suppress_health_check=list(HealthCheck), phases=phases)


def _told(error: BaseException) -> str:
    """Where an error came from, what it says, and the smallest case that gives it."""
    notes = "\n".join(getattr(error, "__notes__", ()))
    return f"{''.join(traceback.format_tb(error.__traceback__)[-6:])}{type(error).__name__}: {error}\n{notes}\n"


def fuzz(holds: Callable[[Any], None], cases: int, start: int) -> tuple[int, str]:
    """The number of cases that were tried, and the report of the smallest one in which a property does not hold."""
    tried = [0]

    @seed(start)
    @_settings(cases)
    @given(st.data())
    def run(data: Any) -> None:
        tried[0] += 1
        with soon():
            holds(data.draw)

    try:
        run()
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        several = error.exceptions if isinstance(error, BaseExceptionGroup) else (error,)
        return tried[0], "".join(map(_told, several))
    return tried[0], ""


def main() -> int:
    """Say what came of it; not 0 where a property does not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=int, nargs="?", default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    asked = parser.parse_args()
    in_a_place_of_its_own()
    total = wrong = 0
    for holds, cases in shares(asked.cases).items():
        if asked.only and holds.__name__ != asked.only:
            continue
        begin = time.monotonic()
        tried, report = fuzz(holds, cases, asked.seed)
        total += tried
        wrong += bool(report)
        sys.stdout.write(f"{holds.__name__}: {tried:,} cases in {time.monotonic() - begin:.0f} s{' WRONG' if report else ''}\n{report}")
        sys.stdout.flush()
    sys.stdout.write(f"{total:,} cases: {wrong} of {len(PROPERTIES)} properties do not hold\n")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
