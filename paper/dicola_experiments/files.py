"""Results on the disk: whole or not at all, and not touched where nothing changed."""

from __future__ import annotations

import os
from pathlib import Path

from dicola import InvalidData


def writable_folder(folder: Path) -> Path:
    """The folder, if results could be written there; asked before a long run, it makes nothing."""
    nearest = next(path for path in (folder, *folder.absolute().parents) if os.path.lexists(path))
    if not nearest.is_dir():
        raise InvalidData(f"{str(nearest)!r} is a file; the results need a folder.")
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise InvalidData(f"the results could not be written to {str(folder)!r}: {str(nearest)!r} is not writable.")
    return folder


def write_changed(path: Path, content: bytes) -> Path:
    """Write a file, making its folder if need be; one that holds just that stays as it is."""
    folder = writable_folder(path.parent)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_bytes() != content:
            fresh = path.with_name(f"{path.name}.part")
            fresh.write_bytes(content)
            fresh.replace(path)
    except OSError as error:
        raise InvalidData(f"the results could not be written to {str(folder)!r}: {error.strerror or error}.") from None
    return path
