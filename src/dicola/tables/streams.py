"""Rows of numbers from files that are larger than memory: block after block, from one file or a folder of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dicola.errors import InvalidData
from dicola.extras import from_extra
from dicola.files import refuse_unreadable
from dicola.graphs.marks import listed
from dicola.tables.reading import PARQUET, first_names, readable
from dicola.tables.unpacking import TextSource

_ROWS = 1 << 15  # of a block
_BUFFER = 1 << 20  # bytes of a column that are read at a time
_TEXT = (".csv", ".tsv", ".txt")
_PACKED = ("", ".gz", ".bz2", ".xz", ".zip", ".zst")


class Block(NamedTuple):
    """Some rows, column by column."""

    names: tuple[str, ...]
    columns: list[NDArray[np.float64]]


def blocks_of(path: str | Path, chosen: Sequence[str] = ()) -> Iterator[Block]:
    """The rows of a file or of all files in a folder, by name; ``chosen`` columns alone, where there are any."""
    place = Path(path)
    files = sorted(each for each in place.iterdir() if each.is_file() and _reader(each) is not None) if place.is_dir() else [place]
    if not files:
        raise InvalidData(f"{str(place)!r} holds no Parquet or text file.")
    for file in files:
        refuse_unreadable(file, InvalidData)
        reader = _reader(file)
        if reader is None:
            raise InvalidData(f"{str(file)!r} is no Parquet or text file, such as .parquet, .csv or .csv.gz.")
        yield from reader(file, chosen)


def _reader(file: Path) -> Callable[[Path, Sequence[str]], Iterator[Block]] | None:
    name = file.name.lower()
    if name.endswith(PARQUET):
        return _of_parquet
    return _of_text if name.endswith(tuple(kind + packed for kind in _TEXT for packed in _PACKED)) else None


def _of_parquet(file: Path, chosen: Sequence[str]) -> Iterator[Block]:
    parquet = from_extra("pyarrow.parquet", "dicola[parquet]")
    with readable(file):
        opened = parquet.ParquetFile(file, buffer_size=_BUFFER, pre_buffer=False)
        inside = [name for name in opened.schema_arrow.names if not name.startswith("__index_level_")]
        names = _present(file, inside, chosen)
        for batch in opened.iter_batches(batch_size=_ROWS, columns=list(names)):
            yield Block(names, [_numbers(file, name, batch.column(batch.schema.get_field_index(name))) for name in names])


def _numbers(file: Path, name: str, column: Any) -> NDArray[np.float64]:
    types = from_extra("pyarrow", "dicola[parquet]").types
    if not (types.is_floating(column.type) or types.is_integer(column.type) or types.is_boolean(column.type)):
        raise InvalidData(f"the column {name!r} of {str(file)!r} holds {column.type}, and no numbers; choose the others with columns.")
    if column.null_count:
        raise InvalidData(f"the column {name!r} of {str(file)!r} has gaps; fill them, or choose the others with columns.")
    return np.asarray(column.to_numpy(zero_copy_only=False), dtype=np.float64)


def _of_text(file: Path, chosen: Sequence[str]) -> Iterator[Block]:
    source = TextSource(file)
    separator, inside = first_names(source)
    names = _present(file, [name for name in inside if name.strip()], chosen)
    with readable(file), source.open() as stream:
        reader = pd.read_csv(stream, sep=separator, index_col=False, encoding="utf-8-sig", usecols=list(names), chunksize=_ROWS)
        for frame in reader:
            for name in names:
                if not pd.api.types.is_numeric_dtype(frame[name]):
                    raise InvalidData(f"the column {name!r} of {str(file)!r} holds what is no number; choose the others with columns.")
                if frame[name].isna().any():
                    raise InvalidData(f"the column {name!r} of {str(file)!r} has gaps; fill them, or choose the others with columns.")
            yield Block(names, [frame[name].to_numpy(dtype=np.float64) for name in names])


def _present(file: Path, inside: Sequence[str], chosen: Sequence[str]) -> tuple[str, ...]:
    """The columns that are read."""
    lacking = tuple(name for name in chosen if name not in inside)
    if lacking:
        raise InvalidData(f"{str(file)!r} has no column {listed(lacking)}; it has {listed(tuple(inside))}.")
    return tuple(chosen) or tuple(inside)
