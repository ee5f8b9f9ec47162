"""Settings persist: across restarts, versions, manual edits and full disks."""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import platformdirs
import pytest
from msgspec.structs import replace

from coffeerush.local.files import STATE_VARIABLE
from coffeerush.local.settings import (
    BROKEN_NAME,
    Settings,
    change_settings,
    load_settings,
    save_settings,
    settings_path,
)
from coffeerush.ui.person import LocalPerson


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "state"
    monkeypatch.setenv(STATE_VARIABLE, str(path))
    return path


CHOSEN = Settings(
    language="pt_BR",
    theme="light",
    ascii=True,
    mouse=False,
    name="Ann",
    recent=("192.168.0.12", "cafe.local"),
    opponents=("random",),
    turn_seconds=60,
)


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def write(text: str) -> Path:
    path = settings_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_settings_round_trip() -> None:
    assert load_settings() == Settings()
    save_settings(CHOSEN)
    assert load_settings() == CHOSEN
    save_settings(Settings())
    assert (load_settings(), text_of(settings_path())) == (Settings(), "{}\n")


def test_a_person_can_read_the_file() -> None:
    save_settings(Settings(theme="light", mouse=False))
    assert text_of(settings_path()).splitlines() == [
        "{",
        '  "theme": "light",',
        '  "mouse": false',
        "}",
    ]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("theme", "sepia"),
        ("language", "xx"),
        ("mouse", 1),
        ("name", None),
        ("recent", ["a"] * 6),
        ("opponents", ["random"] * 4),
        ("turn_seconds", -1),
    ],
)
def test_an_invalid_value_does_not_affect_others(field: str, value: object) -> None:
    write(json.dumps({field: value, "speed": "fast"}))
    assert load_settings() == Settings(speed="fast")


def test_values_of_a_newer_version_are_kept() -> None:
    path = write('{"theme": "sepia", "sound": 7, "speed": "fast"}')
    save_settings(replace(load_settings(), speed="slow"))
    assert json.loads(text_of(path)) == {"theme": "sepia", "sound": 7, "speed": "slow"}
    save_settings(replace(load_settings(), theme="light"))
    assert json.loads(text_of(path)) == {"theme": "light", "sound": 7, "speed": "slow"}


@pytest.mark.parametrize("text", ["", "{", "[]", "7", "theme = 1", "[" * 60000, "\x00\x01"])
def test_a_foreign_file_is_renamed_and_not_overwritten(text: str, directory: Path) -> None:
    write(text)
    assert load_settings() == Settings()
    assert text_of(settings_path()) == text
    save_settings(CHOSEN)
    assert load_settings() == CHOSEN
    assert text_of(directory / BROKEN_NAME) == text


def test_invalid_utf8_is_ignored() -> None:
    write("")
    settings_path().write_bytes(b'{"name": "\xff"}')
    assert load_settings() == Settings()


def test_a_file_of_an_editor_on_windows_is_read() -> None:
    write('\ufeff{"name": "Ann"}\r\n')
    assert load_settings() == Settings(name="Ann")
    assert LocalPerson().ignored == ""


@pytest.mark.parametrize(("login", "name"), [("ann", "ann"), ("root", "Guest")])
def test_nobody_is_called_root(monkeypatch: pytest.MonkeyPatch, login: str, name: str) -> None:
    monkeypatch.setenv("LOGNAME", login)
    assert LocalPerson().name == name


def test_a_file_that_cannot_be_read_is_reported() -> None:
    assert LocalPerson().ignored == ""
    path = write('{"name": "Ann",}')
    person = LocalPerson()
    assert person.settings == Settings()
    assert f"The settings in {path} cannot be read" in person.ignored


def test_saving_leaves_no_draft_and_keeps_a_link(tmp_path: Path, directory: Path) -> None:
    elsewhere = tmp_path / "dotfiles" / "settings.json"
    elsewhere.parent.mkdir()
    elsewhere.write_text("{}", encoding="utf-8")
    directory.mkdir()
    settings_path().symlink_to(elsewhere)
    save_settings(CHOSEN)
    assert settings_path().is_symlink()
    assert load_settings() == CHOSEN
    assert [path.name for path in directory.iterdir()] == ["settings.json"]
    assert [path.name for path in elsewhere.parent.iterdir()] == ["settings.json"]


def test_settings_are_in_the_systems_config_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(STATE_VARIABLE)
    assert settings_path().parent == platformdirs.user_config_path("coffeerush", appauthor=False)


def test_an_unwritable_directory_is_reported(directory: Path) -> None:
    directory.parent.joinpath("state").write_text("a file", encoding="utf-8")
    with pytest.raises(OSError, match="state"):
        save_settings(CHOSEN)
    person = LocalPerson()
    assert (person.settings, person.complaint) == (Settings(), "")
    person.keep(CHOSEN)
    assert person.settings == CHOSEN
    assert "cannot be saved: " in person.complaint
    assert os.linesep not in person.complaint
    directory.unlink()
    person.keep(replace(CHOSEN, bell=False))
    assert person.complaint == ""
    assert load_settings() == replace(CHOSEN, bell=False)


def test_options_for_one_run_are_not_saved() -> None:
    save_settings(Settings(theme="light"))
    person = LocalPerson(theme="contrast", name="Bob")
    assert person.settings == Settings(theme="contrast", name="Bob")
    person.keep(replace(person.settings, bell=False))
    assert load_settings() == Settings(theme="light", bell=False)
    person.keep(replace(person.settings, theme="dark"))
    assert load_settings() == Settings(bell=False)
    assert person.settings == Settings(bell=False, name="Bob")


def test_two_terminals_keep_each_others_changes() -> None:
    one, other = LocalPerson(), LocalPerson()
    one.keep(replace(one.settings, bell=False))
    other.keep(replace(other.settings, speed="slow"))
    assert load_settings() == Settings(bell=False, speed="slow")


def test_two_terminals_keep_each_others_recent_tables() -> None:
    one, other = LocalPerson(), LocalPerson()
    one.remember("192.168.0.12")
    other.remember("cafe.local")
    one.remember("192.168.0.13")
    assert load_settings().recent == ("192.168.0.13", "cafe.local", "192.168.0.12")


def test_where_a_table_has_gone_takes_the_place_of_where_it_was() -> None:
    person = LocalPerson()
    for address in ("192.168.0.12", "cafe.local"):
        person.remember(address)
    person.remember("192.168.0.13", gone="192.168.0.12")
    assert load_settings().recent == ("192.168.0.13", "cafe.local")


def test_a_failed_save_is_retried_with_the_next_change(directory: Path) -> None:
    directory.write_text("a file", encoding="utf-8")
    person = LocalPerson()
    person.remember("cafe.local")
    assert "cannot be saved: " in person.complaint
    directory.unlink()
    save_settings(Settings(recent=("192.168.0.12",)))
    person.keep(replace(person.settings, bell=False))
    assert load_settings() == Settings(bell=False, recent=("cafe.local", "192.168.0.12"))


def test_concurrent_changes_are_all_kept() -> None:
    def add(number: int) -> None:
        change_settings(lambda old: replace(old, turn_seconds=old.turn_seconds + number))

    with ThreadPoolExecutor(8) as terminals:
        [*terminals.map(add, [1] * 40)]
    assert load_settings().turn_seconds == 40


def test_a_symlink_loop_is_renamed_too() -> None:
    path = settings_path()
    path.parent.mkdir(parents=True)
    path.symlink_to(path.name)
    assert load_settings() == Settings()
    save_settings(CHOSEN)
    assert load_settings() == CHOSEN
    assert path.with_name(BROKEN_NAME).is_symlink()
