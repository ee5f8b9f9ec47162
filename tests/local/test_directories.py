"""The directories of a user, also of one who has no home."""

import pwd
from pathlib import Path

import pytest

from coffeerush.cli.hosting import owner_keys
from coffeerush.errors import HostError
from coffeerush.local.files import (
    STATE_VARIABLE,
    config_directory,
    records_directory,
    state_directory,
)
from coffeerush.local.settings import Settings, load_settings


@pytest.fixture
def homeless(monkeypatch: pytest.MonkeyPatch) -> None:
    """Be a user without an entry in passwd and without HOME, as in a container."""

    def unknown(uid: int) -> pwd.struct_passwd:
        raise KeyError(f"getpwuid(): uid not found: {uid}")

    for name in (STATE_VARIABLE, "HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", unknown)


def test_a_named_directory_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path / "own"))
    assert state_directory() == config_directory() == tmp_path / "own"
    assert records_directory() == tmp_path / "own" / "records"


@pytest.mark.usefixtures("homeless")
def test_without_a_home_nothing_is_found_or_kept() -> None:
    assert load_settings() == Settings()
    assert not records_directory().exists()
    with pytest.raises(OSError, match="Not a directory"):
        state_directory()


@pytest.mark.usefixtures("homeless")
def test_a_user_without_a_home_is_told_how_to_name_a_directory() -> None:
    with pytest.raises(HostError, match="set COFFEERUSH_STATE to a writable directory"):
        owner_keys(records_directory(), "Ann")


def test_a_record_directory_that_cannot_be_made_needs_another_option(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(HostError, match="choose another directory with --record"):
        owner_keys(tmp_path / "file" / "records", "Ann")
