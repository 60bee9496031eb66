"""What must hold whatever comes in: nothing but a ``DicolaError`` comes out, and it comes out soon.

Each property is a function of Hypothesis' ``data``; ``PROPERTIES`` has them all, with the share of the cases that each gets.
"""

from __future__ import annotations

import gzip
import json
import os
import signal
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from typer.testing import CliRunner

import dicola
from dicola import DAG, PAG, DiCoLa, DicolaError, Discovery, Knowledge, Oracle, discover, read_table
from dicola.blankets.registry import BLANKETS
from dicola.ci.registry import TESTS
from dicola.cli.app import app
from dicola.graphs.formats.registry import FORMATS
from dicola.learners.registry import ALL
from dicola.result_folder import NAMES
from tests.graphs.formats.drawn import AWKWARD
from tests.wrong_settings import WRONG, calls

_LONGEST = 30  # seconds of work that a case may take: none comes near
Draw = Any


class TookTooLong(AssertionError):
    """A case that hangs."""


@contextmanager
def soon() -> Iterator[None]:
    """Fail where a case hangs."""

    def ring(number: int, frame: object) -> None:
        raise TookTooLong(f"longer than {_LONGEST} s")

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, _LONGEST)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@cache
def place() -> Path:
    """A folder for the files of this process."""
    return Path(tempfile.mkdtemp(prefix="fuzz-"))


# ------------------------------------------------------------------------------------------------ texts

_MARKS = ("-->", "o->", "<->", "o-o", "---", "{", "}", "[", "]", '"', ",", ";", "\n", "\t", "=", "")
_TOKENS = (*AWKWARD, *_MARKS, "0", "1e999", "-1", "NaN", "null")
_CELLS = ("1", "2.5", "x", "", "NA", "-999", "1e400", '"a,b"', "2020-01-01", "ü")
_ENDINGS = (".csv", ".tsv", ".txt", ".csv.gz", ".parquet", ".xlsx", ".csv.tar", "", ".csv.bz2", ".csv.zip", ".csv.xz")
_OPTIONS = ("--alpha", "--learner", "--kinds", "--drop", "--missing", "--max-depth", "--seed", "--contexts", "--stop")
_COLUMNS = ("normal", "odd", "whole", "grades", "yes", "words", "dates", "mixed", "constant", "huge", "empty", "numbered")


def damaged(draw: Draw, text: str) -> str:
    """A text that was right once: pieces taken out, put twice, put elsewhere or replaced."""
    for _ in range(draw(st.integers(0, 4))):
        length = len(text)
        begin = draw(st.integers(0, length))
        end = draw(st.integers(begin, min(length, begin + draw(st.sampled_from((1, 3, 20, 200))))))
        what = draw(st.sampled_from(("out", "twice", "other", "cut", "character")))
        piece = {
            "out": "",
            "twice": text[begin:end] * 2,
            "other": draw(st.sampled_from(_TOKENS)),
            "character": draw(st.characters()),
            "cut": "",
        }[what]
        text = text[:begin] if what == "cut" else text[:begin] + piece + text[end:]
    return text


def written(file: Path, text: str | bytes) -> Path:
    """The file with that text; half characters cannot be written, and are left out."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "replace"))
    return file


@cache
def graphs() -> dict[str, str]:
    """A graph in every format that can be written."""
    pag = PAG.from_text("A o-> B\nC o-> B\nB --> D\nE <-> D\nF o-o G")
    arcs = DAG.from_edges([("A", "B"), ("B", "C")])
    texts: dict[str, str] = {}
    for name, form in FORMATS.items():
        for graph in (pag, arcs):
            with suppress(DicolaError):
                texts[name] = form.write(graph)
                break
    return texts


def graphs_are_read(draw: Draw) -> None:
    """Every reader of graphs."""
    name = draw(st.sampled_from(sorted(graphs())))
    source = draw(st.one_of(st.just(graphs()[name]), st.lists(st.sampled_from(_TOKENS), max_size=12).map("".join), st.text(max_size=60)))
    ending = draw(st.sampled_from(("", *FORMATS[name].endings)))
    file = written(place() / f"graph{ending}", damaged(draw, source))
    kind = draw(st.sampled_from((PAG, DAG, dicola.MAG)))
    with suppress(DicolaError):
        kind.read(file, draw(st.sampled_from((None, name))))


def tables_are_read(draw: Draw) -> None:
    """The reader of tables, plain and packed."""
    rows = draw(
        st.lists(
            st.lists(st.sampled_from(_CELLS), min_size=3, max_size=3),
            max_size=6,
        )
    )
    text = damaged(draw, "\n".join(["a,b,c", *(",".join(row) for row in rows)]) + "\n")
    ending = draw(st.sampled_from(_ENDINGS))
    content = text.encode("utf-8", "replace")
    if draw(st.booleans()) and ending == ".csv.gz":
        content = gzip.compress(content)
    if draw(st.booleans()):
        at = draw(st.integers(0, len(content)))
        content = content[:at] + draw(st.binary(max_size=4)) + content[at:]
    with suppress(DicolaError):
        read_table(written(place() / f"table{ending}", content), header=draw(st.sampled_from((None, True, False))))


def knowledge_is_read(draw: Draw) -> None:
    """Both files of knowledge."""
    tetrad = "/knowledge\naddtemporal\n1 a b\n2* c\nforbiddirect\na c\nrequiredirect\nb c\n"
    toml = 'tiers = [["a"], ["b", "c"]]\nforbidden = [["c", "a"]]\nrequired = [["a", "b"]]\nexogenous = ["a"]\n'
    source, ending = draw(st.sampled_from(((tetrad, ".txt"), (toml, ".toml"), (toml, ".txt"), (tetrad, ".toml"))))
    file = written(place() / f"known{ending}", damaged(draw, source))
    with suppress(DicolaError):
        Knowledge.read(file).on(("a", "b", "c"))
    with suppress(DicolaError):
        Knowledge.from_text(damaged(draw, tetrad))


# ----------------------------------------------------------------------------------------------- results


@cache
def result() -> dict[str, str]:
    """The files of a result with everything in it."""
    found = DiCoLa(bootstrap=3, mode="exact").fit(_numbers(0)).discovery_
    folder = found.write(place() / "result")
    return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}


def sealed(texts: dict[str, str]) -> dict[str, str]:
    """Digests that fit, as someone who means harm would write them."""
    with suppress(ValueError, TypeError, KeyError, AttributeError, RecursionError, DicolaError):
        whole = json.loads(texts["discovery.json"])
        whole["sha256"]["skeleton"] = _digest(texts["skeleton.json"])
        whole["sha256"]["bootstrap"] = _digest(texts["bootstrap.csv"])
        texts["discovery.json"] = json.dumps(whole)
    with suppress(ValueError, TypeError, KeyError, AttributeError, RecursionError):
        timing = json.loads(texts["timing.json"])
        seconds = {name: value for name, value in timing.items() if name != "sha256"}
        timing["sha256"] = {name: _digest(text) for name, text in texts.items()} | {"timing.json": _digest(json.dumps(seconds))}
        texts["timing.json"] = json.dumps(timing)
    return texts


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "replace")).hexdigest()


def _other_value(draw: Draw, text: str) -> str:
    """A JSON text with one value somewhere in it replaced."""
    facts = json.loads(text)
    inside = facts
    for _ in range(draw(st.integers(0, 5))):
        keys = list(inside) if isinstance(inside, dict) else list(range(len(inside))) if isinstance(inside, list) else []
        if not keys:
            break
        key = draw(st.sampled_from(keys))
        if draw(st.integers(0, 2)) == 0 or not isinstance(inside[key], dict | list):
            inside[key] = draw(_JSON)
            break
        inside = inside[key]
    return json.dumps(facts)


_JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)),
    max_leaves=5,
)


def results_are_read(draw: Draw) -> None:
    """``Discovery.read`` on files of which some were changed, with the digests of before or such that fit."""
    texts = dict(result())
    for name in draw(st.lists(st.sampled_from(sorted(texts)), min_size=1, max_size=2, unique=True)):
        how = draw(st.sampled_from(("damaged", "damaged", "lost", "value", "value")))
        if how == "lost":
            texts.pop(name)
        elif how == "value" and name.endswith(".json"):
            texts[name] = _other_value(draw, texts[name])
        else:
            texts[name] = damaged(draw, texts[name])
    if draw(st.booleans()):
        texts = sealed(texts)
    folder = place() / "read"
    folder.mkdir(exist_ok=True)
    for name in NAMES:
        (folder / name).unlink(missing_ok=True)
    for name, text in texts.items():
        written(folder / name, text)
    with suppress(DicolaError):
        found = Discovery.read(folder)
        found.summary()
        found.report()


def journals_are_finished(draw: Draw) -> None:
    """What stands in the folder of a journal; nothing outside of the result is touched."""
    folder = place() / "journalled" / "inside"
    folder.mkdir(parents=True, exist_ok=True)
    outside = written(folder.parent / "outside.txt", "mine")
    journal = folder / draw(st.sampled_from((".dicola-journal", ".dicola-undo")))
    names = draw(
        st.lists(st.sampled_from(("pag.csv", "../outside.txt", str(outside), "", ".", "..", "new", "a/b", ".dicola-x")), max_size=3)
    )
    said = draw(st.one_of(st.just({"texts": names, "gone": names[::-1]}), _JSON))
    written(journal / "files.json", damaged(draw, json.dumps(said)))
    for part in ("new", "old"):
        if draw(st.booleans()):
            written(journal / part / "pag.csv", "x")
    with suppress(DicolaError):
        Discovery.read(folder)
    with suppress(DicolaError):
        PAG.read(folder)
    assert outside.read_text() == "mine"
    _oracle().write(folder)
    assert Discovery.read(folder) == _oracle() and not list(folder.glob(".dicola-*"))


@cache
def _oracle() -> Discovery:
    return discover(Oracle(DAG.from_edges([("A", "C"), ("B", "C")])))


def checkpoints_are_opened(draw: Draw) -> None:
    """A checkpoint of which some files were changed: it is refused, or the answer is the same."""
    table, settings = _numbers(1), {"mode": "balanced", "bootstrap": 2}
    plain, kept = _kept()
    folder = place() / "checkpoint"
    if folder.exists():
        for file in folder.iterdir():
            file.unlink()
    for name, text in kept.items():
        written(folder / name, damaged(draw, text) if draw(st.integers(0, 2)) == 0 else text)
    with suppress(DicolaError):
        assert DiCoLa(**settings, checkpoint=folder).fit(table).discovery_ == plain


@cache
def _kept() -> tuple[Discovery, dict[str, str]]:
    folder = place() / "whole checkpoint"
    plain = DiCoLa(mode="balanced", bootstrap=2, checkpoint=folder).fit(_numbers(1)).discovery_
    return plain, {path.name: path.read_text() for path in folder.iterdir()}


def settings_are_read(draw: Draw) -> None:
    """``--config`` with a settings file, and whatever is typed beside it."""
    lines = ["alpha = 0.05", 'learner = "fci"', "max-depth = 2", 'drop = ["c"]', "[knowledge]", 'tiers = [["a"], ["b"]]', "strict = true"]
    file = written(place() / "settings.toml", damaged(draw, "\n".join(draw(st.lists(st.sampled_from(lines), max_size=4, unique=True)))))
    table = written(place() / "typed.csv", _numbers(2).head(20).to_csv(index=False))
    option = draw(st.sampled_from(_OPTIONS))
    word = draw(st.one_of(st.sampled_from(_TOKENS), st.text(max_size=8))).replace("\0", "")
    word = word.encode("utf-8", "ignore").decode()
    done = CliRunner().invoke(app, ["fit", str(table), "--config", str(file), "--mode", "exact", option, word])
    assert done.exception is None or isinstance(done.exception, SystemExit | DicolaError), repr(done.exception)


# ------------------------------------------------------------------------------------------------ tables


@cache
def _numbers(seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(rng.normal(size=(60, 5)) @ (np.eye(5) + 0.6 * np.eye(5, k=1)), columns=list("abcde"))


def _column(draw: Draw, rows: int) -> Any:
    """A column of any kind, with what columns of that kind may hold."""
    rng = np.random.default_rng(draw(st.integers(0, 50)))
    kind = draw(st.sampled_from(_COLUMNS))
    if kind == "odd":
        odd = st.one_of(st.floats(), st.sampled_from((0.0, -0.0, 1e308, -1e308, 5e-324, float("inf"), float("nan"))))
        return draw(st.lists(odd, min_size=rows, max_size=rows))
    if kind == "words":
        levels = draw(st.lists(st.one_of(st.text(max_size=4), st.sampled_from(("a", "b", "?", "NA"))), min_size=1, max_size=4))
        return [levels[i] for i in rng.integers(0, len(levels), rows)]
    if kind == "mixed":
        several = [1, "x", None, 2.5, True, float("nan"), pd.NA, b"y", "1", "-999", 10**30]
        return pd.Series([several[i] for i in rng.integers(0, len(several), rows)], dtype=object)
    return {
        "normal": lambda: rng.normal(size=rows),
        "whole": lambda: rng.integers(-3, 100, rows),
        "grades": lambda: rng.integers(1, 5, rows),
        "yes": lambda: rng.integers(0, 2, rows).astype(bool),
        "dates": lambda: pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 99, rows), unit="D"),
        "constant": lambda: np.full(rows, draw(st.sampled_from((0.0, 1.0, float("nan"))))),
        "huge": lambda: rng.normal(size=rows) * draw(st.sampled_from((1e-300, 1e-12, 1e12, 1e300))),
        "empty": lambda: [None] * rows,
        "numbered": lambda: np.arange(rows),
    }[kind]()


def frame(draw: Draw) -> pd.DataFrame:
    """A small table of columns of all kinds, some of them copies or sums of others, with gaps."""
    rows = draw(st.sampled_from((0, 1, 2, 3, 5, 12, 40, 80)))
    names = draw(
        st.lists(st.one_of(st.sampled_from("abcdef"), st.sampled_from(AWKWARD), st.text(max_size=3)), min_size=1, max_size=6, unique=True)
    )
    table = pd.DataFrame({name: pd.Series(_column(draw, rows)) for name in names})
    if draw(st.booleans()) and len(names) > 1:
        table[names[-1]] = table[names[0]]
    numbers = [name for name in names if pd.api.types.is_float_dtype(table[name])]
    if len(numbers) > 2 and draw(st.booleans()):
        with np.errstate(all="ignore"):
            table[numbers[-1]] = table[numbers[0]] + table[numbers[1]]
    if numbers and rows and draw(st.booleans()):
        table.loc[:: draw(st.integers(1, 5)), numbers[0]] = np.nan
    return table


_SETTINGS: Mapping[str, st.SearchStrategy[Any]] = {
    "mode": st.sampled_from(("auto", "exact", "paper", "balanced", "either")),
    "ci_test": st.sampled_from(("auto", *(name for name in TESTS if name not in ("kci", "rcit")))),
    "learner": st.sampled_from((None, *ALL)),
    "blankets": st.sampled_from(("auto", *BLANKETS)),
    "alpha": st.sampled_from((0.01, 0.5, 1e-300, 0.999999)),
    "missing": st.sampled_from(("auto", "error", "listwise", "testwise", "em", "impute")),
    "bootstrap": st.sampled_from((0, 0, 2)),
    "selection": st.booleans(),
    "decompose": st.booleans(),
    "legalize": st.booleans(),
    "strict": st.sampled_from((False, False, True)),
    "colliders": st.sampled_from((None, "sepset", "conservative", "majority", "max_p", "compare", "order")),
    "stop": st.sampled_from((None, "auto", "paper", "reference")),
    "max_depth": st.sampled_from((None, 0, 1, 10**400)),
    "seed": st.integers(0, 2**70),
    "n_jobs": st.sampled_from((1, 1, 1, 2)),
}


def tables_are_fitted(draw: Draw) -> None:
    """``fit`` on a small table of any kinds, with some settings."""
    table = frame(draw)
    chosen = draw(st.lists(st.sampled_from(sorted(_SETTINGS)), max_size=4, unique=True))
    settings = {name: draw(_SETTINGS[name]) for name in chosen}
    with suppress(DicolaError), np.errstate(all="ignore"):
        found = DiCoLa(**settings).fit(table).discovery_
        assert set(found.pag.names) <= {str(name) for name in table.columns}
        if draw(st.integers(0, 3)) == 0:
            found.summary()
            found.texts()
    if draw(st.integers(0, 5)) == 0:
        with suppress(DicolaError), np.errstate(all="ignore"):
            dicola.look(table)


# ------------------------------------------------------------------------------------------ constructors


@cache
def _calls() -> Any:
    return calls()


_ANYTHING = st.one_of(
    st.sampled_from(sorted(WRONG)).map(lambda name: WRONG[name]),
    _JSON,
    st.integers(-3, 3),
    st.floats(0, 1),
    st.sampled_from(("a", "b", "A", "B", "fci", "exact", "auto", "error")),
    st.lists(st.sampled_from(("a", "b", "A", "B", ("a", "b"), ("A", "B"), 0, 1)), max_size=4),
)


def constructors_check(draw: Draw) -> None:
    """Every public constructor and function, with up to three arguments replaced by anything."""
    name = draw(st.sampled_from(sorted(_calls())))
    call = _calls()[name]
    names = draw(st.lists(st.sampled_from(call.names()), max_size=3, unique=True)) if call.names() else []
    needed = {p.name for p in signature(call.of).parameters.values() if p.default is Parameter.empty}
    replaced = {each: draw(_ANYTHING) for each in names if each != "checkpoint" and (each not in needed or draw(st.booleans()))}
    if replaced.get("n_jobs", 1) not in (1, None):
        replaced.pop("n_jobs")
    with suppress(DicolaError), np.errstate(all="ignore"):
        call(**replaced)


PROPERTIES: dict[Callable[[Draw], None], int] = {
    graphs_are_read: 4,
    tables_are_read: 3,
    knowledge_is_read: 2,
    results_are_read: 3,
    journals_are_finished: 1,
    checkpoints_are_opened: 1,
    settings_are_read: 1,
    tables_are_fitted: 6,
    constructors_check: 4,
}
"""Every property, and its share of the cases."""


def in_a_place_of_its_own() -> None:
    """Relative paths that a case makes up lie among the files of this process."""
    os.chdir(place())
