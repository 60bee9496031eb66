"""Files written whole or not at all."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

from dicola.errors import InvalidData


def write_texts(folder: str | Path, texts: Mapping[str, str]) -> Path:
    """Write several text files into a folder: all are written aside first, then moved in, so that none is ever half-written."""
    target = Path(folder)
    if target.exists() and not target.is_dir():
        raise InvalidData(f"{str(folder)!r} is a file; the results need a folder.")
    try:
        target.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".dicola-", dir=target) as scratch:
            for name, text in texts.items():
                (Path(scratch) / name).write_text(text, encoding="utf-8", newline="")
            for name in texts:
                (Path(scratch) / name).replace(target / name)
    except OSError as error:
        raise InvalidData(f"the results could not be written to {str(folder)!r}: {error.strerror or error}.") from None
    return target
