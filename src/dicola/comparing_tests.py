"""One question, every test: what each of them says about a pair of columns given some others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dicola.allowed import WORD, checked
from dicola.ci.base import CITest, checked_alpha
from dicola.ci.registry import TESTS
from dicola.errors import DicolaError, InvalidData, InvalidSetting
from dicola.graphs.marks import listed
from dicola.tables.columns import USED, Kind
from dicola.tables.look import first_look
from dicola.tables.table import Table, as_table

if TYPE_CHECKING:
    import pandas as pd

_MOST_ROWS = 1000  # of the full kernel test, which takes seconds beyond


class Told(NamedTuple):
    """What one test says, or why it says nothing; a row of the table."""

    test: str
    n: int | None = None
    statistic: float = np.nan
    freedom: float = np.nan
    p_value: float = np.nan
    independent: bool | None = None
    note: str = ""


@checked(x=WORD, y=WORD)
def compare_tests(
    data: Table | Any,
    x: str,
    y: str,
    given: str | Iterable[str] = (),
    *,
    alpha: float = 0.01,
    kinds: Mapping[str, Kind] | None = None,
    missing_values: Sequence[object] = (),
) -> pd.DataFrame:
    """Ask every test whether two columns are independent given others, and lay the answers side by side.

    Only rows without a gap in these columns are used, the same for all tests. Tests that do not take
    columns of these kinds say so. Where tests disagree, their assumptions tell which to believe:
    ``dicola tests`` lists these.

    Parameters
    ----------
    data : DataFrame, array, dict or Table
        The table.
    x, y : str
        Names of two columns.
    given : str or iterable of str
        Names of the columns held fixed; none by default.
    alpha : float
        The level.
    kinds : mapping, optional
        What columns are, by name, where their values do not tell.
    missing_values : sequence, optional
        Values that stand for gaps.

    Returns
    -------
    pandas.DataFrame
        A row per test: the rows behind it (``n``), its ``statistic`` (a normal score where it has no
        degrees of freedom), degrees of ``freedom``, ``p_value``, whether the columns are ``independent``
        at the level, and a ``note``: why it was not asked, or why it could not answer.

    Raises
    ------
    InvalidData
        A name is not that of a column, or a column cannot be used by any test.
    InvalidSetting
        A column is named twice, or a setting is not allowed.

    Examples
    --------
    >>> import pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> dose = rng.normal(size=300)
    >>> frame = pd.DataFrame({"dose": dose, "effect": dose**2 + rng.normal(size=300)})
    >>> compare_tests(frame, "dose", "effect").loc[["fisher_z", "basis_function"], "independent"].tolist()
    [True, False]

    """
    import pandas as pd

    table = _chosen(as_table(data), (x, y, *((given,) if isinstance(given, str) else given)), kinds or {}, missing_values)
    level = checked_alpha(alpha)
    told = [_told(name, entry, table, level) for name, entry in TESTS.items()]
    frame = pd.DataFrame(told, columns=list(Told._fields)).set_index("test")
    return frame.astype({"n": "Int64", "independent": "boolean"})


def _chosen(table: Table, names: tuple[str, ...], kinds: Mapping[str, Kind], missing_values: Sequence[object]) -> Table:
    """The columns asked about, first the pair, as far as their rows are complete."""
    if unknown := [name for name in names if name not in table.names]:
        raise InvalidData(f"the table has no column {listed(unknown)}. Its columns: {listed(table.names)}.")
    if len(set(names)) < len(names):
        raise InvalidSetting(f"x, y and what is given must be different columns; got {listed(names)}.")
    # What a column is may show beside others only, so that the whole table is understood first.
    whole = first_look(table, kinds, (), missing_values)
    known = {column.name: column.kind for column in whole.columns if column.name in names and column.kind in USED}
    look = first_look(table.choose(names), known, (), missing_values)
    if look.left_out:
        raise InvalidData(" ".join(finding.sentence.replace("; it is left out", "") for finding in look.findings if finding.leaves_out))
    assert look.table is not None
    complete = look.table.rows(~np.isnan(look.table.values).any(axis=1))
    if complete.n_samples < 5:
        raise InvalidData(
            f"{complete.n_samples} rows have no gap in {listed(names)}; a test needs at least 5, and many more to tell anything."
        )
    return complete.choose(names)


def _told(name: str, entry: type[CITest], table: Table, alpha: float) -> Told:
    if why := _why_not(name, entry, table):
        return Told(name, note=why)
    try:
        test: CITest = entry(table, alpha=alpha)  # type: ignore[call-arg]
        x, y, *given = table.names
        question = test.positions(x, y, given)
        verdict, behind = test.verdict(*question), test.statistic(*question)
    except DicolaError as error:
        return Told(name, note=str(error))
    rows, determined = test.take_untested()
    answer = "independent" if verdict.independent else "dependent"
    note = (
        f"too few rows for this question; counted as {answer}"
        if rows
        else f"a column is determined by those held fixed; counted as {answer}"
    )
    p_value = verdict.p_value if not rows and not determined else np.nan
    return Told(name, behind.rows, behind.value, behind.freedom, p_value, verdict.independent, note if rows or determined else "")


def _why_not(name: str, entry: type[CITest], table: Table) -> str:
    taken: tuple[str, ...] | None = getattr(entry, "kinds", None)
    wrong = [f"{column.name!r} is {column.kind}" for column in table.columns if taken is not None and column.kind not in taken]
    if taken is not None and wrong:
        return f"takes {', '.join(taken)} columns; {', '.join(wrong)}"
    if name == "kci" and table.n_samples > _MOST_ROWS:
        return f"takes long with more than {_MOST_ROWS:,} rows"
    return ""
