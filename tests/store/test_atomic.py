"""Files are written whole or not at all, to what a path leads to."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from treewright.store.atomic import write_whole


def test_a_link_leads_to_the_file_that_is_written(tmp_path: Path) -> None:
    (tmp_path / "v3.json").write_bytes(b"old")
    (tmp_path / "current.json").symlink_to("v3.json")
    write_whole(tmp_path / "current.json", b"new")
    assert (tmp_path / "current.json").is_symlink()
    assert (tmp_path / "v3.json").read_bytes() == b"new"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["current.json", "v3.json"]


def test_permissions_of_a_file_stay(tmp_path: Path) -> None:
    path = tmp_path / "private.json"
    path.write_bytes(b"old")
    path.chmod(0o600)
    write_whole(path, b"new")
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"new", 0o600)


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(path.read_bytes()))
    reader.start()
    write_whole(path, b"x" * 200_000)
    reader.join(60)
    assert read == [b"x" * 200_000]
    assert stat.S_ISFIFO(path.stat().st_mode)


def test_a_folder_that_is_not_there_is_told_by_the_name_that_was_asked_for(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        write_whole(tmp_path / "nowhere" / "model.json", b"new")
    assert caught.value.filename == str(tmp_path / "nowhere" / "model.json")
    with pytest.raises(IsADirectoryError):
        write_whole(tmp_path, b"new")
