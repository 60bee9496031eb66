"""A covariance of rows that do not fit into memory: how long beside reading alone, how much memory, how near to the truth?

``python benchmarks/streams.py`` writes 5 million rows of 200 columns to a Parquet file (8 GB, in ``--folder``), unless it is there, and
then reads it in processes of their own: once without any work, and once into ``Moments``, in turns. ``--rows`` are fewer for a try.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicola import Moments

COLUMNS, BLOCK = 200, 100_000


def drawn(block: int, rows: int, mixing: NDArray[np.float64]) -> NDArray[np.float64]:
    """Some rows of correlated columns, with means that are large beside their spread."""
    return np.random.default_rng([7, block]).standard_normal((rows, COLUMNS)) @ mixing + np.linspace(-1000, 1000, COLUMNS)


def mixing() -> NDArray[np.float64]:
    """What makes the columns depend on each other."""
    return np.eye(COLUMNS) + np.random.default_rng(7).normal(0, 0.05, (COLUMNS, COLUMNS))


def write(path: Path, rows: int) -> None:
    """The file, block after block, as row groups."""
    import pyarrow as pa
    from pyarrow import parquet

    names, mixed = [f"X{i:03d}" for i in range(COLUMNS)], mixing()
    schema = pa.schema([(name, pa.float64()) for name in names])
    aside = path.with_suffix(".part")
    with parquet.ParquetWriter(aside, schema, compression="none", use_dictionary=False) as writer:
        for block, begin in enumerate(range(0, rows, BLOCK)):
            values = drawn(block, min(BLOCK, rows - begin), mixed)
            writer.write_table(pa.table(list(values.T), schema=schema))
    aside.rename(path)


def read(path: Path) -> None:
    """All rows as Arrow gives them, and nothing else."""
    from pyarrow import parquet

    begin, before = time.perf_counter(), time.process_time()
    for batch in parquet.ParquetFile(path).iter_batches():
        len(batch)
    sys.stdout.write(json.dumps({"seconds": time.perf_counter() - begin, "processor": time.process_time() - before, "peak": peak()}))


def covariance(path: Path) -> None:
    """Into ``Moments``, and how far that is from the covariance in two passes with longer numbers."""
    begin, before = time.perf_counter(), time.process_time()
    found = Moments.of_file(path)
    taken = {"seconds": time.perf_counter() - begin, "processor": time.process_time() - before, "peak": peak()}
    sys.stdout.write(json.dumps({**taken, "rows": found.rows, "covariance": found.covariance.to_numpy().tolist()}))


def error(path: Path, rows: int, found: NDArray[np.float64]) -> float:
    """The largest distance to the covariance of the rows as they were drawn, as a share of the two spreads."""
    mixed, total, products = mixing(), np.zeros(COLUMNS, dtype=np.longdouble), np.zeros((COLUMNS, COLUMNS), dtype=np.longdouble)
    centre = np.linspace(-1000, 1000, COLUMNS)
    for block, begin in enumerate(range(0, rows, BLOCK)):
        values = drawn(block, min(BLOCK, rows - begin), mixed) - centre
        total += values.sum(axis=0, dtype=np.longdouble)
        products += (values.T @ values).astype(np.longdouble)
    true = np.asarray((products - np.outer(total, total) / rows) / (rows - 1), dtype=np.float64)
    scale = np.sqrt(np.diag(true))
    return float(np.abs((found - true) / np.outer(scale, scale)).max())


def peak() -> float:
    """Megabytes that this process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def apart(what: str, path: Path) -> dict[str, Any]:
    """What a process of its own took to read the file."""
    done = subprocess.run([sys.executable, __file__, "--only", what, "--file", path], check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def main() -> None:
    """Write, read and compare."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--rows", type=int, default=5_000_000)
    asked.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    asked.add_argument("--rounds", type=int, default=3)
    asked.add_argument("--only", choices=("read", "covariance"), help=argparse.SUPPRESS)
    asked.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    options = asked.parse_args()
    if options.only is not None:
        {"read": read, "covariance": covariance}[options.only](options.file)
        return
    path = options.folder / f"dicola-{options.rows}x{COLUMNS}.parquet"
    if not path.exists():
        write(path, options.rows)
    rounds = [[apart(what, path) for what in ("read", "covariance")] for _ in range(options.rounds)]
    for what in ("seconds", "processor"):
        alone, both = (median(each[k][what] for each in rounds) for k in (0, 1))
        ratio = median(each[1][what] / each[0][what] for each in rounds)
        print(f"{what}: reading alone {alone:.1f}, covariance {both:.1f}, ratio {ratio:.2f}")
    last = rounds[-1][1]
    print(f"peak {max(each[1]['peak'] for each in rounds):.0f} MB (reading alone {max(each[0]['peak'] for each in rounds):.0f} MB)")
    print(f"largest error of a covariance, in units of the spreads: {error(path, options.rows, np.array(last['covariance'])):.1e}")


if __name__ == "__main__":
    main()
