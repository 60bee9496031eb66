"""SIGKILL at random moments of a run that keeps what it has, and the same run again: is it the same as one that nobody stopped?"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dicola import simulate
from dicola_experiments.plan import Series, Study
from dicola_experiments.rows import Rows

PAPER = Path(__file__).parents[2] / "paper"
CLOCKS = ("seconds", "cpu_seconds")


def timeless(folder: Path) -> dict[str, str]:
    """The files of a result without the seconds in them: ``timing.json`` goes, and the block of the report."""
    texts = {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir() if path.name != "timing.json"}
    texts["report.html"] = re.sub(r"<!-- timing:begin -->.*<!-- timing:end -->", "", texts["report.html"], flags=re.DOTALL)
    return texts


def started(command: list[str], **options: Any) -> subprocess.Popen[bytes]:
    """A process with workers of its own, which are killed with it."""
    path = os.pathsep.join(filter(None, (str(PAPER), os.environ.get("PYTHONPATH"))))
    environment = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"}
    return subprocess.Popen([sys.executable, *command], env=environment, start_new_session=True, stdout=subprocess.DEVNULL, **options)


def killed_at(process: subprocess.Popen[bytes], is_far: Callable[[], bool], seconds: float) -> bool:
    """Kill a process so many seconds after it has come that far; was it still there? A slow machine is waited for."""
    while process.poll() is None and not is_far():
        time.sleep(0.002)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return True
    return False


def parts_in(folder: Path) -> int:
    """How many parts a checkpoint holds."""
    return len(list(folder.glob("*.json")))


def lines_in(file: Path) -> int:
    """How many rows a study has written."""
    return file.read_bytes().count(b"\n") if file.exists() else 0


def kills_of_fit(place: Path, times: int, seed: int = 0, jobs: int = 1) -> list[str]:
    """``dicola fit --checkpoint --bootstrap``, killed and made again; what is wrong."""
    place.mkdir(parents=True, exist_ok=True)
    dag = simulate.er_dag(30, 3, seed=4)
    simulate.linear_gaussian(dag, 1500, seed=4).drop(columns=list(simulate.hide(dag, 4, seed=4))).to_csv(place / "t.csv", index=False)
    fit = [
        "-c",
        "from dicola.cli.app import main; main()",
        "fit",
        str(place / "t.csv"),
        "--bootstrap",
        "40",
        "--jobs",
        str(jobs),
        "--quiet",
    ]
    if started([*fit, "--out", str(place / "plain")]).wait():
        return ["the run that nobody stopped failed"]
    begin = time.monotonic()
    started([*fit, "--out", str(place / "first"), "--checkpoint", str(place / "kept")]).wait()
    whole, plain = time.monotonic() - begin, timeless(place / "plain")
    wrong = [] if timeless(place / "first") == plain else ["with a checkpoint the answer is another"]
    dice, kills, most = random.Random(seed), 0, parts_in(place / "kept")
    while kills < times:
        out, kept = place / "out", place / "again"
        shutil.rmtree(out, ignore_errors=True)
        shutil.rmtree(kept, ignore_errors=True)
        parts = dice.randint(0, most)
        moment = dice.uniform(0.0, whole * (0.2 if parts in (0, most) else 0.02))  # as it begins, as it is written, or between two parts
        again = started([*fit, "--out", str(out), "--checkpoint", str(kept)])
        if not killed_at(again, lambda: parts_in(kept) >= parts, moment):  # noqa: B023
            continue
        kills += 1
        known = parts_in(kept)
        if started([*fit, "--out", str(out), "--checkpoint", str(kept)]).wait():
            wrong.append(f"killed with {known} parts kept, the run failed")
        elif timeless(out) != plain:
            wrong.append(f"killed with {known} parts kept, the answer is another")
        sys.stderr.write(f"fit: killed {moment:.2f} s after part {parts} of {most}, with {known} kept; made again\n")
    return wrong


def kills_of_study(place: Path, times: int, seed: int = 0) -> list[str]:
    """``dicola paper run`` on a small study, killed again and again, then to the end; what is wrong."""
    series = Series("ER(20,4)", 2, "any", (300,), ("fci", "dicola+fci/paper", "icd", "dicola+l-marvel/paper"), repetitions=20, cap=60.0)
    study = Study("mine", "T", "S", (series,))
    place.mkdir(parents=True, exist_ok=True)

    def code(name: str) -> list[str]:
        words = f"Study('mine', 'T', 'S', ({series!r},)), Rows(Path({str(place)!r}), {name!r}), jobs=2"
        imports = "from pathlib import Path; from dicola_experiments.plan import *; from dicola_experiments.rows import Rows"
        return ["-c", f"{imports}; from dicola_experiments.run import run_study; run_study({words})"]

    started(code("plain")).wait()
    mine, wanted = place / "mine.jsonl", sum(len(cell.seeds) for cell in study.cells())
    dice, kills = random.Random(seed), 0
    while kills < times:
        goal = min(lines_in(mine) + dice.randint(0, 2 * wanted // times), wanted)
        if not killed_at(started(code("mine")), lambda: lines_in(mine) >= goal, dice.uniform(0.0, 0.3)):  # noqa: B023
            mine.unlink()  # done: once more from the beginning
            continue
        kills += 1
        sys.stderr.write(f"study: killed with {lines_in(mine)} of {wanted} rows\n")
    started(code("mine")).wait()
    rows, plain = (sorted(map(_timeless, Rows(place, name))) for name in ("mine", "plain"))
    lines = lines_in(mine)
    wrong = [] if rows == plain else ["the rows are others"]
    return wrong + ([] if lines == len(rows) == wanted else [f"{lines} lines and {len(rows)} rows for {wanted} runs"])


def _timeless(row: dict[str, Any]) -> str:
    return json.dumps({name: value for name, value in row.items() if name not in CLOCKS}, sort_keys=True)
