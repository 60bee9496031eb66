"""The same run on other rows: how an effect allows for its graph having been learned."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from dicola.effects.after_discovery import Asked
from dicola.effects.effect import Effect, Interval, effect_after_discovery, effect_in, under_selection
from dicola.effects.joint import AskedTogether, JointEffect, joint_effect, joint_effect_after_discovery
from dicola.errors import InvalidData
from dicola.graphs.marks import listed
from dicola.graphs.pag import PAG
from dicola.pipeline.discover import run
from dicola.pipeline.plan import Plan
from dicola.pipeline.preparation import prepare
from dicola.tables.table import Table, as_table


def relearning(plan: Plan, table: Table) -> Callable[[Table], PAG]:
    """What learns a PAG as a plan says from any rows of a table whose columns are understood."""
    again = replace(plan, kinds=dict(zip(table.labels, table.kinds, strict=True)), drop=None, missing_values=None, strict=False)

    def learn(rows: Table) -> PAG:
        prepared = prepare(rows, again)
        found = run(prepared.test, prepared.plan)
        found.refuse_if_partial("An interval that allows for the graph having been learned")
        return found.pag

    return learn


def effect_from_record(
    pag: PAG,
    record: Mapping[str, Any],
    data: Any,
    asked: Asked | AskedTogether,
    *,
    interval: Interval = "split",
    replicates: int = 100,
    members: int = 500,
) -> Effect | JointEffect:
    """The effect in a graph of a written run, with the settings of which it is learned again from parts of a table.

    A graph that no data gave (that of an oracle) is taken as known.
    """
    if record.get("selection"):
        return under_selection(asked)
    if data is None:
        return joint_effect(pag, None, asked) if isinstance(asked, AskedTogether) else effect_in(pag, None, asked, members)
    table = as_table(data)
    if missing := [name for name in pag.names if name not in table.names]:
        raise InvalidData(f"the table lacks {listed(missing)}, which the graph has; give the table that it was learned from.")
    kinds = {name: kind for name, kind in (record.get("kinds") or {}).items() if name in pag.names}
    table = table.choose(pag.names).understood(kinds, record.get("missing_values") or ())
    is_learned = (record.get("test") or {}).get("alpha") is not None
    if interval == "naive" or not is_learned:
        return joint_effect(pag, table, asked) if isinstance(asked, AskedTogether) else effect_in(pag, table, asked, members)
    learn = relearning(Plan.from_record(record), table)
    if isinstance(asked, AskedTogether):
        return joint_effect_after_discovery(pag, table, learn, asked, interval=interval, replicates=replicates)
    return effect_after_discovery(pag, table, learn, asked, interval=interval, replicates=replicates, members=members)
