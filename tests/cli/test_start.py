"""What the start menu knows after what was chosen there has failed."""

from pathlib import Path

import pytest

from coffeerush.cli.start import done
from coffeerush.client.home.state import Home, Replay
from coffeerush.client.person import Person
from coffeerush.client.screen.ui import Ui
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
