"""A small table, and the sentence with which Fisher's z refuses one."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dicola import Column, FisherZ, InvalidData, Table


def frame(n: int = 50, **columns: object) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    return pd.DataFrame({"a": rng.normal(size=n), "b": rng.normal(size=n), "c": rng.normal(size=n), **columns})


def held(table: Table | Column) -> np.ndarray:
    """The numbers, in the fixed order of the columns."""
    return table.values  # noqa: PD011


def refused(data: object, *culprits: str) -> str:
    """The message of the refusal, which names every culprit and is one or two sentences."""
    with pytest.raises(InvalidData) as caught:
        FisherZ(data)
    message = str(caught.value)
    for culprit in culprits:
        assert culprit in message, message
    assert message.endswith(".") and "\n" not in message and len(message) < 400
    return message
