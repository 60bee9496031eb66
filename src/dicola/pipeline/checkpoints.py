"""The task of a run, as the checkpoint of it knows it: the table column by column, the settings, the version."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, fields
from functools import partial
from hashlib import sha256
from typing import Any

from dicola._version import __version__
from dicola.blankets.registry import BLANKETS
from dicola.checkpoint import Checkpoint, checkpoint_in
from dicola.ci.registry import AUTO, TESTS
from dicola.errors import InvalidSetting, Sentence, Setting
from dicola.knowledge import Knowledge
from dicola.learners.registry import ALL
from dicola.pipeline.preparation import Prepared
from dicola.registry import Registry, settings_of
from dicola.tables.columns import Column

_OF_CODE: Mapping[str, Registry[Any]] = {"learner": ALL, "blankets": BLANKETS, "ci_test": TESTS}
HOW_NOT_WHAT = ("n_jobs", "workers", "scheduler", "device", "checkpoint", "max_seconds", "max_tests", "max_memory")
"""Settings that do not touch the answer: a run may go on with others."""


@contextmanager
def kept_of(prepared: Prepared, more: Mapping[str, Any] | None = None) -> Iterator[Checkpoint | None]:
    """The checkpoint that a plan asks for, open for its run; ``None`` where it asks for none. ``more`` belongs to the task as well."""
    plan = prepared.plan
    if plan.checkpoint is None:
        yield None
        return
    with checkpoint_in(plan.checkpoint, _task(prepared, more or {})) as kept:
        yield kept


def _task(prepared: Prepared, more: Mapping[str, Any]) -> dict[str, Any]:
    table, plan = prepared.table, prepared.plan
    settings = {each.name: _plain(each.name, getattr(plan, each.name)) for each in fields(plan) if each.name not in HOW_NOT_WHAT}
    return {
        "format": "dicola.checkpoint",
        "version": __version__,
        "settings": settings | {name: _plain(name, value) for name, value in more.items()},
        "rows": table.n_samples,
        "columns": {column.name: _digest(column) for column in table.columns},
    }


def _plain(name: str, value: Any) -> Any:
    """A setting as JSON has it."""
    if name in _OF_CODE:
        return _named(name, value)
    if isinstance(value, str | int | float | bool | None):
        return value
    if isinstance(value, Knowledge):
        value = asdict(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(str(key), each) for key, each in sorted(value.items(), key=str)}
    if isinstance(value, Iterable):
        return [_plain("", each) for each in (sorted(value, key=str) if isinstance(value, set | frozenset) else value)]
    return str(value)


def _named(name: str, value: Any) -> Any:
    """A learner or a test by its name and settings; refused where it is code of the user, which may be another one the next time."""
    made, settings = (value.func, value.keywords) if isinstance(value, partial) and not value.args else (value, settings_of(value))
    kind: Any = _OF_CODE[name].find(made) if isinstance(made, str) else made if isinstance(made, type) else type(made)
    if value is None or (isinstance(made, str) and made == AUTO):
        return value
    if kind not in _OF_CODE[name].values() or not kind.__module__.startswith("dicola."):
        raise InvalidSetting(
            Sentence(
                "{checkpoint} is for tests and learners of this library; {name} is code of your own, which a later run may find changed.",
                name=Setting(name),
            )
        )
    return {"name": kind.name, **{each: _plain(each, one) for each, one in sorted(settings.items())}}


def _digest(column: Column) -> str:
    facts = f"{column.kind} {column.levels!r} {column.points!r} ".encode("utf-8", "surrogatepass")
    return sha256(facts + column.values.tobytes()).hexdigest()
