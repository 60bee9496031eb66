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


def killed_after(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Kill a process at some moment; was it still there?"""
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return True
    return False


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
    dice, kills = random.Random(seed), 0
    while kills < times:
        out, kept = place / "out", place / "again"
        shutil.rmtree(out, ignore_errors=True)
        shutil.rmtree(kept, ignore_errors=True)
        moment = dice.uniform(0.2, 1.0) * whole
        if not killed_after(started([*fit, "--out", str(out), "--checkpoint", str(kept)]), moment):
            continue
        kills += 1
        known = len(list(kept.glob("*.json"))) if kept.exists() else 0
        if started([*fit, "--out", str(out), "--checkpoint", str(kept)]).wait():
            wrong.append(f"killed after {moment:.2f} s with {known} parts kept, the run failed")
        elif timeless(out) != plain:
            wrong.append(f"killed after {moment:.2f} s with {known} parts kept, the answer is another")
        sys.stderr.write(f"fit: killed after {moment:.2f} of {whole:.2f} s with {known} parts kept; made again\n")
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

    begin = time.monotonic()
    started(code("plain")).wait()
    whole, dice, kills = time.monotonic() - begin, random.Random(seed), 0
    while kills < times:
        moment = dice.uniform(0.1, 1.0) * whole
        if not killed_after(started(code("mine")), moment):
            (place / "mine.jsonl").unlink()  # done: once more from the beginning
            continue
        kills += 1
        lines = (place / "mine.jsonl").read_bytes().count(b"\n") if (place / "mine.jsonl").exists() else 0
        sys.stderr.write(f"study: killed after {moment:.2f} of {whole:.2f} s with {lines} rows\n")
    started(code("mine")).wait()
    rows, plain = (sorted(map(_timeless, Rows(place, name))) for name in ("mine", "plain"))
    lines = (place / "mine.jsonl").read_bytes().count(b"\n")
    wanted = sum(len(cell.seeds) for cell in study.cells())
    wrong = [] if rows == plain else ["the rows are others"]
    return wrong + ([] if lines == len(rows) == wanted else [f"{lines} lines and {len(rows)} rows for {wanted} runs"])


def _timeless(row: dict[str, Any]) -> str:
    return json.dumps({name: value for name, value in row.items() if name not in CLOCKS}, sort_keys=True)
