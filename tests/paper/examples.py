"""Rows as a run would write them, with figures made up so that what must come out is known."""

from __future__ import annotations

import json
from pathlib import Path

from dicola_experiments.plan import Series, Setting, Study
from dicola_experiments.rows import Row

SETTING = Setting("ER(30,3)", 3, "any", 500)


def row(method: str, seed: int, status: str = "done", setting: Setting = SETTING, cap: float = 60.0, **facts) -> Row:
    named = {"kind": "recovery", "graph": setting.graph, "hidden": setting.hidden, "pool": setting.pool, "samples": setting.samples}
    figures = {"seconds": 0.5, "cpu_seconds": 0.25, "f1": 0.8, "mark_f1": 0.5, "tests": {"blankets": 10, "leaves": 90, "total": 100}}
    return {**named, "method": method, "seed": seed, "status": status, "cap": cap, **(figures if status == "done" else {}), **facts}


def study(*methods: str, name: str = "mine", samples: tuple[int, ...] = (500,), graph: str = "ER(30,3)", **settings) -> Study:
    return Study(name, "A study", "Something", (Series(graph, 3, "any", samples, methods, **{"repetitions": 3, "cap": 60.0, **settings}),))


def total(tests: int) -> dict[str, int]:
    return {"blankets": 10, "leaves": tests - 10, "orientation": 0, "total": tests}


def write_rows(path: Path, rows: list[Row]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(each) + "\n" for each in rows))
