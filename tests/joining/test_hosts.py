"""Pinned host keys: owner-only files, by address and port."""

from pathlib import Path

import pytest

from coffeerush.errors import LinkError
from coffeerush.joining.code import OPEN
from coffeerush.joining.enrolment import Way, known_before
from coffeerush.joining.hosts import Address, pin, pinned
from coffeerush.local.keys import new_keys

CAFE = Address("cafe.local", 47820)
HOST, OTHER = (new_keys().public.decode() for _ in range(2))


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COFFEERUSH_STATE", str(tmp_path))
    return tmp_path


def test_a_host_that_never_proved_its_code_is_not_pinned() -> None:
    assert pinned(CAFE) == ""


def test_pins_are_per_address_and_port() -> None:
    pin(CAFE, HOST)
    assert pinned(CAFE) == pinned(Address("CAFE.local", 47820)) == HOST
    assert pinned(Address("cafe.local", 47830)) == pinned(Address("10.0.0.1", 47820)) == ""


def test_the_latest_pin_wins() -> None:
    pin(CAFE, HOST)
    pin(CAFE, OTHER)
    assert pinned(CAFE) == OTHER


def test_pins_are_owner_only(state: Path) -> None:
    pin(CAFE, HOST)
    (path,) = (state / "pins").iterdir()
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("content", [b"", b"cafe.local:47820\n", b"cafe.local:47820 short\n"])
def test_an_invalid_pin_is_reported(state: Path, content: bytes) -> None:
    pin(CAFE, HOST)
    (path,) = (state / "pins").iterdir()
    path.write_bytes(content)
    with pytest.raises(LinkError) as caught:
        pinned(CAFE)
    assert str(caught.value) == (
        f"{path} does not say which host was at cafe.local: delete it, and join with the code."
    )


def test_the_pin_is_read_only_if_it_is_used(state: Path) -> None:
    pin(CAFE, HOST)
    assert known_before(Way(CAFE, "Ann"), here=False).pinned == HOST
    assert known_before(Way(CAFE, "Ann", OPEN), here=False).pinned == HOST
    (path,) = (state / "pins").iterdir()
    path.write_bytes(b"broken")
    known_before(Way(CAFE, "Ann", "apple-tiger-moon"), here=False)
    known_before(Way(CAFE, "Ann", host_key=HOST), here=False)
    known_before(Way(CAFE, "Ann"), here=True)
    with pytest.raises(LinkError, match="does not say which host"):
        known_before(Way(CAFE, "Ann"), here=False)


def test_an_unusable_directory_is_reported(state: Path) -> None:
    (state / "pins").write_text("in the way")
    with pytest.raises(LinkError, match="Known hosts cannot be saved: File exists"):
        pin(CAFE, HOST)
