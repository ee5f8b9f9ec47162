"""Durability: contents and names are synced before anybody relies on them."""

import errno
import fcntl
import os
import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from coffeerush.local import files
from coffeerush.local.files import claim, make_directory, new_draft, sync, write_atomic
from coffeerush.local.keys import kept_keys


class Disk:
    """Records which descriptors are synced, and when a file is renamed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.inodes: list[int] = []
        """The inode of each sync, and 0 for each rename."""
        for name in ("fsync", "link", "rename", "replace"):
            monkeypatch.setattr(os, name, self._noted(getattr(os, name)))

    def _noted(self, call: Callable[..., None]) -> Callable[..., None]:
        def noted(*args: Any) -> None:
            call(*args)
            self.inodes.append(os.fstat(args[0]).st_ino if len(args) == 1 else 0)

        return noted

    def kept(self, *paths: Path) -> bool:
        """Return whether exactly these were synced, in order, the first before its rename."""
        first, *others = [path.stat().st_ino for path in paths]
        return self.inodes == [first, 0, *others]


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    return Disk(monkeypatch)


@pytest.fixture
def no_links(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: object) -> None:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", refuse)


def test_an_atomic_write_is_on_disk_before_it_is_renamed(tmp_path: Path, disk: Disk) -> None:
    path = tmp_path / "file"
    write_atomic(path, b"whole")
    assert disk.kept(path, tmp_path)
    assert path.read_bytes() == b"whole"
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_key_is_on_disk_before_it_is_renamed(tmp_path: Path, disk: Disk) -> None:
    keys = kept_keys(tmp_path / "host.key")
    assert disk.kept(tmp_path / "host.key", tmp_path)
    assert kept_keys(tmp_path / "host.key") == keys


def test_new_directories_and_their_parents_are_synced(tmp_path: Path, disk: Disk) -> None:
    make_directory(tmp_path / "a" / "b")
    assert {*disk.inodes} == {tmp_path.stat().st_ino, (tmp_path / "a").stat().st_ino}
    assert (tmp_path / "a" / "b").stat().st_mode & 0o777 == 0o700
    disk.inodes.clear()
    make_directory(tmp_path / "a" / "b")
    assert disk.inodes == []


@pytest.mark.usefixtures("no_links")
def test_keys_are_kept_without_hard_links(tmp_path: Path) -> None:
    keys = kept_keys(tmp_path / "host.key")
    assert kept_keys(tmp_path / "host.key") == keys
    assert [path.name for path in tmp_path.iterdir()] == ["host.key"]


@pytest.mark.parametrize("links", [True, False])
def test_only_one_of_many_racing_claims_succeeds(
    tmp_path: Path, links: bool, request: pytest.FixtureRequest
) -> None:
    if not links:
        request.getfixturevalue("no_links")

    def claims(number: int) -> bool:
        with new_draft(tmp_path) as (file, draft):
            files.write(file, b"%d" % number)
            return claim(draft, tmp_path / "name")

    with ThreadPoolExecutor(8) as pool:
        got = list(pool.map(claims, range(40)))
    assert got.count(True) == 1
    assert (tmp_path / "name").read_bytes() == b"%d" % got.index(True)
    assert [path.name for path in tmp_path.iterdir()] == ["name"]


def fail_for_directories(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    real = os.fsync

    def fail(file: int) -> None:
        if stat.S_ISDIR(os.fstat(file).st_mode):
            raise OSError(number, os.strerror(number))
        real(file)

    monkeypatch.setattr(os, "fsync", fail)


def test_a_claim_that_cannot_be_synced_is_undone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_for_directories(monkeypatch, errno.EIO)
    with pytest.raises(OSError, match="Input/output error"):
        kept_keys(tmp_path / "host.key")
    assert [*tmp_path.iterdir()] == []


def test_file_systems_that_cannot_sync_directories_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_for_directories(monkeypatch, errno.EINVAL)
    keys = kept_keys(tmp_path / "host.key")
    assert kept_keys(tmp_path / "host.key") == keys


def test_a_failed_atomic_write_keeps_the_old_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    write_atomic(path, b"before")

    def fail(*_args: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space"):
        write_atomic(path, b"after")
    assert path.read_bytes() == b"before"
    assert [*tmp_path.iterdir()] == [path]


def test_the_full_sync_of_macos_is_tried_but_not_required(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, disk: Disk
) -> None:
    with (tmp_path / "file").open("wb") as file:
        monkeypatch.setattr(files, "_FULL_SYNC", fcntl.F_GETFD)  # any command that succeeds
        sync(file.fileno())
        assert disk.inodes == []
        monkeypatch.setattr(files, "_FULL_SYNC", 2**20)  # no command at all
        sync(file.fileno())
        assert disk.inodes == [os.fstat(file.fileno()).st_ino]
