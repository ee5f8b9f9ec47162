"""What the start menu knows after what was chosen there has failed."""

from pathlib import Path

import pytest

from coffeerush.cli.start import done, failed, host_arguments
from coffeerush.client.enrol import WrongCode
from coffeerush.client.home.press import asking_for_code
from coffeerush.client.home.state import Home, Host, Join, Place, Replay
from coffeerush.client.knock import Removed
from coffeerush.client.person import Person
from coffeerush.client.screen.ui import Ui
from coffeerush.client.trust import AnotherHost, CodeNeeded
from coffeerush.errors import LinkError
from coffeerush.places import STATE_VARIABLE
from coffeerush.settings import Settings


def test_what_was_set_at_a_table_stays_set_when_the_table_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path))
    person = Person(plain=True)
    home = Home(ui=Ui(settings=person.settings), name=person.name, place="records")
    person.keep(Settings(theme="light", name="Bea"))
    after = done(person, home, Replay(str(tmp_path / "none.record")))
    assert (after.place, after.wrong, after.notes != ()) == ("records", True, True)
    assert (after.settings, after.name) == (person.settings, "Bea")


@pytest.mark.parametrize(
    ("error", "place", "wrong"),
    [
        (CodeNeeded("This table asks for its code."), "code", False),
        (WrongCode("That is not the code."), "code", True),
        (AnotherHost("Another host answers."), "code", True),
        (LinkError("Nothing is hosting there."), "watch", True),
    ],
)
def test_a_code_is_asked_for_where_it_helps(error: LinkError, place: Place, wrong: bool) -> None:
    join = Join("192.168.0.12", "spectator", "apple-tiger-moon")
    after = failed(Home(place="watch"), join, error)
    assert (after.place, after.wrong, after.notes) == (place, wrong, (error.text,))
    assert after.wanted == (Join("192.168.0.12", "spectator") if place == "code" else None)
    assert after.errand is None


def test_who_was_removed_is_asked_for_no_code() -> None:
    join = Join("192.168.0.12", "spectator", "apple-tiger-moon")
    after = failed(asking_for_code(Home(), join), join, Removed("You were removed."))
    assert (after.place, after.notes, after.errand) == ("watch", ("You were removed.",), None)


def test_a_host_is_told_what_the_form_says() -> None:
    closed = host_arguments(Host("", 3, ("greedy", "random"), True, 60))
    assert " ".join(closed) == (
        "--table Coffee Rush --seats 3 --bots greedy,random --starters --turn-seconds 60"
    )
    opened = host_arguments(Host("Kitchen", 4, (), False, 0, is_open=True))
    assert " ".join(opened) == "--table Kitchen --seats 4 --bots  --open --turn-seconds 0"
