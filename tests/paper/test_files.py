from __future__ import annotations

import pytest

from dicola import InvalidData
from dicola_experiments.files import writable_folder, write_changed


def test_a_file_is_written_where_it_is_new_or_changed_and_left_alone_where_not(tmp_path):
    path = tmp_path / "new" / "a.txt"
    assert write_changed(path, b"one").read_bytes() == b"one"
    first = path.stat()
    assert write_changed(path, b"one").stat().st_ino == first.st_ino and path.stat().st_mtime_ns == first.st_mtime_ns
    assert write_changed(path, b"two").read_bytes() == b"two"
    assert [each.name for each in path.parent.iterdir()] == ["a.txt"], "nothing written aside is left"


def test_a_place_that_cannot_be_written_to_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    with pytest.raises(InvalidData, match="is a file; the results need a folder"):
        writable_folder(tmp_path / "file" / "deeper")
    with pytest.raises(InvalidData, match="could not be written to"):
        write_changed(tmp_path / "folder", b"text")
    assert writable_folder(tmp_path / "later" / "still") == tmp_path / "later" / "still" and not (tmp_path / "later").exists()
