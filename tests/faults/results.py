"""What a folder must hold after a fault: the whole old result or the whole new one, and whatever else was there."""

from __future__ import annotations

import os
import random
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

from dicola import DiCoLa, Discovery, FisherZ, simulate
from dicola.errors import DicolaError
from dicola.local_discovery import LocalDiscovery
from dicola.pipeline.local import local
from dicola.result_folder import NAMES, REPORT, digests_in, remake, write_result
from tests.faults.injections import DELAYED, DONE, FAULTS, RAW, REFUSED, Ended, Fault, operations, struck, with_file_limit

FOREIGN = {"notes.txt": "mine", "thesis.tex": "mine too"}
Files = dict[str, bytes]


@cache
def found(seed: int, drawn: bool = False) -> Discovery:
    """A small result, with a bootstrap if asked for."""
    table = simulate.linear_gaussian(simulate.er_dag(6, 2, seed=seed), 200, seed=seed)
    return DiCoLa(mode="exact", alpha=0.05, bootstrap=3 if drawn else 0).fit(table).discovery_


@cache
def around(seed: int) -> LocalDiscovery:
    """A small result around one variable."""
    table = simulate.linear_gaussian(simulate.er_dag(6, 2, seed=seed), 200, seed=seed)
    return local(FisherZ(table, alpha=0.05), target=str(table.columns[0]))


@cache
def writer(kind: str, seed: int) -> Callable[[Path], Any]:
    """What writes a result of some kind; all but the writing is done beforehand."""
    if kind == "local":
        texts, seconds = around(seed).texts(), {"total": float(seed)}
    else:
        whole = found(seed, kind == "drawn")
        texts, seconds = whole.texts() | ({"settings.toml": f"seed = {seed}\n"} if kind == "settings" else {}), dict(whole.seconds)
    return partial(_write, texts, seconds)


def _write(texts: dict[str, str], seconds: dict[str, float], folder: Path) -> None:
    write_result(folder, texts, seconds)


def remade(folder: Path) -> None:
    """Another page in the place of the report."""
    remake(folder, REPORT, "<p>another page</p>", digests_in(folder))


def files_in(folder: Path) -> Files:
    """The files of a result; those of others are not among them."""
    return {name: (folder / name).read_bytes() for name in NAMES if (folder / name).is_file()}


SCENARIOS: dict[str, tuple[str | None, str]] = {
    "another result over one": ("whole", "settings"),
    "into a new folder": (None, "whole"),
    "the surroundings of a variable over a whole result": ("settings", "local"),
    "a whole result over surroundings": ("local", "drawn"),
    "one without a bootstrap over one with": ("drawn", "whole"),
    "the report made again": ("whole", "report"),
}


@dataclass
class Outcome:
    """What came of many injections."""

    injections: int = 0
    ends: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def check(self, what: str, *facts: tuple[bool, str]) -> None:
        """Note an injection, and what is wrong after it."""
        self.injections += 1
        self.wrong += [f"{what}: {words}" for holds, words in facts if not holds]


class Bench:
    """Folders in which one result is written over another, with faults."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.outcome = Outcome()
        self._numbers = iter(range(10**9))

    def all_faults(self, scenario: str, step: int = 1, faults: tuple[Fault, ...] = FAULTS) -> None:
        """Every fault at every ``step``-th operation of a scenario."""
        before, after = SCENARIOS[scenario]
        folder = self._folder(before)
        many = operations(partial(self._writer(after), folder), folder)
        for number, fault in enumerate(faults):
            for at in range(number % step, many + 1, step):
                self.one(scenario, fault, at)

    def one(self, scenario: str, fault: Fault, at: int) -> None:
        """One fault at one operation."""
        before, after = SCENARIOS[scenario]
        folder = self._folder(before)
        ended = struck(partial(self._writer(after), folder), folder, fault, at)
        self._look(f"{scenario}, {fault.name} at {at}", folder, before, after, ended)

    def full(self, scenario: str, most: int) -> None:
        """A disk that takes no more than so many bytes of a file."""
        before, after = SCENARIOS[scenario]
        folder = self._folder(before)
        ended = with_file_limit(partial(self._writer(after), folder), most)
        self._look(f"{scenario}, files of at most {most} bytes", folder, before, after, ended)

    def writers(self, several: int, times: int, seed: int = 0) -> None:
        """Several writers at once, some of which are killed on the way, and a reader all the while."""
        dice = random.Random(seed)
        folder = self._folder("whole")
        kinds = ("whole", "settings", "drawn")
        wholes = [self._expected(kind, 2 + i) for i in range(several) for kind in kinds] + [self._expected("whole", 1)]
        for _ in range(times):
            children = []
            for i in range(several):
                child = os.fork()
                if not child:
                    code = 1
                    try:
                        for kind in kinds:
                            writer(kind, 2 + i)(folder)
                        code = 0
                    finally:
                        os._exit(code)
                children.append(child)
            killed = dice.choice(children) if dice.random() < 0.5 else None
            seen = [self._read(folder) for _ in range(3)]
            if killed is not None:
                with suppress(ProcessLookupError):
                    os.kill(killed, signal.SIGKILL)
            codes = {child: os.waitpid(child, 0)[1] for child in children}
            seen.append(self._read(folder))
            self.outcome.check(
                f"{several} writers",
                (all(error is None for error in seen), f"a reader was refused: {[each for each in seen if each]}"),
                (all(not code for child, code in codes.items() if child != killed), f"a writer failed: {codes}"),
                (files_in(folder) in wholes, "the folder is mixed"),
                (self._foreign_stand(folder), "files of others were touched"),
            )

    def _look(self, what: str, folder: Path, before: str | None, after: str, ended: Ended) -> None:
        old, new = ({} if before is None else self._expected(before, 1)), self._expected(after, 2, before)
        there_was_a_journal = any(path.name.startswith(".dicola-") for path in folder.iterdir()) if folder.exists() else False
        refused = None if not folder.exists() else self._read(folder)
        now = files_in(folder) if folder.exists() else {}
        self.outcome.ends[self._in_words(ended, now == new)] += 1
        told_right = now == new if ended.code in (DONE, DELAYED) else now == old if ended.code == REFUSED else True
        facts = [
            (now in (old, new), f"mixed or lost: {sorted(now)} after {ended}"),
            (told_right, f"the writer said {ended} and left the {'new' if now == new else 'old'} result"),
            (ended.code != RAW, "a raw error came out"),
            (refused is None or not now or "discovery.json" not in now, f"refused when read: {refused}"),
            (self._foreign_stand(folder), "files of others were touched"),
        ]
        writer("settings", 3)(folder)
        left = [path.name for path in folder.iterdir() if path.name.startswith(".dicola-")]
        facts += [(files_in(folder) == self._expected("settings", 3), "the next result is not whole"), (not left, f"left behind: {left}")]
        self.outcome.check(f"{what}{', found by a journal' if there_was_a_journal else ''}", *facts)

    def _in_words(self, ended: Ended, is_new: bool) -> str:
        how = "killed" if ended.signal else {DONE: "done", REFUSED: "refused", DELAYED: "delayed"}.get(ended.code, "interrupted")
        return f"{how}, {'new' if is_new else 'old'} result"

    def _folder(self, before: str | None) -> Path:
        folder = self.place / str(next(self._numbers))
        if before is not None:
            writer(before, 1)(folder)
            for name, text in FOREIGN.items():
                (folder / name).write_text(text)
        return folder

    def _writer(self, kind: str) -> Callable[[Path], Any]:
        return remade if kind == "report" else writer(kind, 2)

    def _expected(self, kind: str, seed: int, before: str | None = None) -> Files:
        """The files of a result, as an undisturbed writer leaves them."""
        return _undisturbed(self.place, kind, seed, before)

    @staticmethod
    def _read(folder: Path) -> str | None:
        """What the reader says against the folder."""
        try:
            Discovery.read(folder)
        except DicolaError as error:
            return str(error)
        return None

    @staticmethod
    def _foreign_stand(folder: Path) -> bool:
        return not (folder / "notes.txt").exists() or all((folder / name).read_text() == text for name, text in FOREIGN.items())


@cache
def _undisturbed(place: Path, kind: str, seed: int, before: str | None) -> Files:
    folder = place / f"expected-{kind}-{seed}-{before}"
    if kind == "report":
        writer(before or "whole", 1)(folder)
        remade(folder)
    else:
        writer(kind, seed)(folder)
    return files_in(folder)


def sizes() -> Iterator[int]:
    """Limits on files between nothing and more than any file of a result needs."""
    largest = max(len(text) for text in found(2).texts().values())
    yield from (0, 1, 100, 1000, largest // 2, largest - 1, largest + 1000)
