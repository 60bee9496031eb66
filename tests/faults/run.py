"""``make faults``: 500 faults while results are written, and runs killed at random moments and made again.

From the root of the repository: ``python -m tests.faults.run 500 --kills 20``.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from tests.faults.kills import kills_of_fit, kills_of_study
from tests.faults.results import SCENARIOS, Bench, Outcome, sizes


def inject(place: Path, least: int) -> Bench:
    """Every fault at every fourth operation of each scenario, full disks and several writers; at least so many."""
    bench = Bench(place)
    for scenario in SCENARIOS:
        bench.all_faults(scenario, step=4)
        for most in sizes():
            bench.full(scenario, most)
    bench.writers(3, 20)
    seed = 1
    while bench.outcome.injections < least:
        bench.writers(3, min(20, least - bench.outcome.injections), seed)
        seed += 1
    return bench


def say(text: str) -> None:
    """At once, for whoever watches."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> int:
    """Print what came of it; not 0 where something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("injections", type=int, nargs="?", default=500, help="at least so many")
    parser.add_argument("--kills", type=int, default=20, help="of each kind of run")
    asked = parser.parse_args()
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as place:
        outcome = inject(Path(place) / "results", asked.injections).outcome if asked.injections else Outcome()
        say(f"{outcome.injections} injections in {time.monotonic() - begin:.0f} s: {len(outcome.wrong)} wrong")
        for how, many in sorted(outcome.ends.items()):
            say(f"  {how}: {many}")
        wrong = list(outcome.wrong)
        if asked.kills:
            for name, kills in (("fit --checkpoint", kills_of_fit), ("paper run", kills_of_study)):
                found = kills(Path(place) / name.split()[0], asked.kills)
                say(f"{name} killed {asked.kills} times and made again: {len(found)} wrong")
                wrong += found
    for each in wrong[:20]:
        say(each)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
