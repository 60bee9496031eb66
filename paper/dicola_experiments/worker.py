"""A process that makes runs and can be stopped at any moment.

Started as ``python -m dicola_experiments.worker``, it reads and writes one JSON object per line.
A line in names a cell and a seed. Two lines answer it: ``started`` when everything is compiled, so
that the cap counts only the run, then the figures. It ends when its input does, in the middle of a
run if need be.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from dataclasses import asdict
from pathlib import Path
from queue import Queue
from typing import Any

from dicola_experiments.measure import measure, warm_up
from dicola_experiments.plan import Cell, Setting


def task(cell: Cell, seed: int, data: Path | None = None) -> bytes:
    """One run as a line for a worker."""
    return json.dumps({"cell": asdict(cell), "seed": seed, "data": data and str(data)}).encode() + b"\n"


def _setting(coefficients: list[float], **rest: Any) -> Setting:
    return Setting(**rest, coefficients=(coefficients[0], coefficients[1]))


def serve() -> None:
    """Answer until the input ends."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever a library prints is no answer
    tasks: Queue[bytes] = Queue()

    def listen() -> None:
        for line in sys.stdin.buffer:
            tasks.put(line)
        os._exit(0)

    threading.Thread(target=listen, daemon=True).start()

    def say(**message: Any) -> None:
        answers.write(json.dumps(message) + "\n")
        answers.flush()

    warm: set[tuple[str, str]] = set()
    while True:
        asked = json.loads(tasks.get())
        cell = Cell(**{**asked["cell"], "setting": _setting(**asked["cell"]["setting"])})
        try:
            if (cell.kind, cell.method) not in warm:
                warm_up(cell)
                warm.add((cell.kind, cell.method))
            say(started=True)
            say(facts=measure(cell, asked["seed"], asked["data"] and Path(asked["data"])))
        except Exception as error:  # a library may raise anything: the run failed, not the study
            say(failed=f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    serve()
