"""The file of known guests: the same key for the same guest, and nobody else."""

import os
import stat
from pathlib import Path

from msgspec.structs import replace

from coffeerush.guests.register import Register
from coffeerush.local.settings import Settings

CODE, LATER = "apple-tiger-moon", "moon-tiger-apple"


def register(tmp_path: Path) -> Register:
    return Register(tmp_path / "guests" / "table.json")


def test_a_guest_has_the_same_key_after_a_restart(tmp_path: Path) -> None:
    known = register(tmp_path).admit("ssh key 1", "Ann", "player", CODE, Settings())
    again = register(tmp_path)
    assert again.find("ssh key 1") == known
    assert again.may_return("ssh key 1", CODE)
    assert not again.may_return("ssh key 1", LATER)
    assert again.find("ssh key 2") is None
    assert again.find("") is None


def test_another_code_or_name_keeps_the_key(tmp_path: Path) -> None:
    known = register(tmp_path).admit("a", "Ann", "player", CODE, Settings())
    later = register(tmp_path).admit("a", "Anna", "spectator", LATER, Settings(theme="light"))
    assert later.keys == known.keys
    assert (later.name, later.role, later.settings.theme) == ("Anna", "spectator", "light")


def test_settings_are_kept(tmp_path: Path) -> None:
    known = register(tmp_path).admit("a", "Ann", "player", CODE, Settings())
    register(tmp_path).keep("a", Settings(language="ko"))
    assert register(tmp_path).find("a") == replace(known, settings=Settings(language="ko"))


def test_who_is_at_the_table_need_not_give_a_new_code(tmp_path: Path) -> None:
    guests = register(tmp_path)
    for one in ("here", "gone"):
        guests.admit(one, one, "player", CODE, Settings())
    guests.renew(["here", "unknown"], LATER)
    assert register(tmp_path).may_return("here", LATER)
    assert not register(tmp_path).may_return("gone", LATER)


def test_only_its_owner_reads_the_file_and_no_identity_is_in_it(tmp_path: Path) -> None:
    register(tmp_path).admit("a secret token", "Ann", "player", CODE, Settings())
    (path,) = (tmp_path / "guests").iterdir()
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert b"a secret token" not in path.read_bytes()
    assert CODE.encode() not in path.read_bytes()


def test_a_broken_file_is_as_good_as_none(tmp_path: Path) -> None:
    register(tmp_path).admit("a", "Ann", "player", CODE, Settings())
    (path,) = (tmp_path / "guests").iterdir()
    path.write_bytes(b'{"x": 1}')
    assert register(tmp_path).find("a") is None


def test_who_came_longest_ago_is_forgotten(tmp_path: Path) -> None:
    guests = Register(tmp_path / "guests.json", most=2)
    for one in ("a", "b", "a", "c"):
        guests.admit(one, "Ann", "player", CODE, Settings())
    assert [bool(guests.find(one)) for one in "abc"] == [True, False, True]
