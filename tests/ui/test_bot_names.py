"""Bots have one name for people, in their language; hosts and records have another."""

import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from coffeerush.client.model import Model
from coffeerush.levels import LEVELS
from coffeerush.records.entries import read_record
from coffeerush.ui.menu.draw_menu import draw_home
from coffeerush.ui.menu.menu import Home, lines_of
from coffeerush.ui.menu.menu_app import seen
from coffeerush.ui.person import LocalPerson
from coffeerush.ui.plain.commands import WORDS, help_lines
from coffeerush.ui.replay.replay import Replay, event_lines
from coffeerush.ui.table.draw_game import draw
from coffeerush.ui.table.lists import choices_of
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.table.state import Ui
from coffeerush.ui.terminal.canvas import Look
from coffeerush.ui.words.command_words import spelled
from coffeerush.ui.words.errors import refusal_line
from coffeerush.ui.words.events import event_line
from coffeerush.ui.words.i18n import _
from coffeerush.ui.words.names import bot_level, bot_spellings
from coffeerush.ui.words.table import lobby_lines
from protocol import GameStarted, PeopleChanged, Refusal, SeatView
from tests.golden.frames import EXTREMES, LANGUAGES, SIZES, spoken
from tests.golden.moments import moments
from tests.support.local import LocalTable
from tests.support.records import head_of, lines, play
from tests.support.tables import table_for
from tests.ui.plain.test_plain import Seat

RAW = re.compile("(greedy|casual|regular|random) [0-9]")


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES, ids=lambda size: "x".join(map(str, size)))
@pytest.mark.parametrize("language", EXTREMES)
def test_no_screen_has_the_name_that_programs_use(size: tuple[int, int], language: str) -> None:
    with spoken(language):
        for moment in moments():
            if moment.name == "replay":
                continue  # in its record somebody has named a bot "Regular"
            drawn = "\n".join(moment.paint(*size, False).lines(Look()))
            assert not RAW.search(drawn), moment.name


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_bot_is_called_after_its_seat_in_sentences(language: str) -> None:
    local = LocalTable(4, ("regular", "random"))
    model = local.link("Ann").model
    with spoken(language):
        names = [_("Bot {number}").format(number=number) for number in (1, 2)]
        started = event_line(GameStarted(("regular 1", "random 1", "Ann"), (0, 1, 2), 0), model)
        taken = refusal_line(Refusal("seat_not_free", "", {"name": "regular 1", "seat": 0}), model)
        told = [started, taken, *lobby_lines(model), *help_lines()]
        gone = event_line(PeopleChanged("casual 4", "removed"), model)
        assert all(name in started for name in names)
        assert names[0] in taken
        assert any(bot_level("regular") in line for line in help_lines())
        assert gone == _("A bot was removed from the table.")
        assert not [line for line in told if RAW.search(line)]


def test_who_is_no_bot_of_the_host_keeps_the_name_it_has() -> None:
    local = LocalTable(4, ("regular",))
    model = local.link("regular 2").model
    assert "Seat 2: regular 2, ready." in lobby_lines(model)
    assert event_line(PeopleChanged("regular 2", "joined"), model).startswith("regular 2 ")
    started = event_line(GameStarted(("regular 1", "regular 2", "Rex"), (0, 1, 2), 0), model)
    assert started.startswith("A game starts: Bot 1, regular 2, Rex. ")


def test_a_bot_of_an_older_host_has_its_level_of_today() -> None:
    link = LocalTable(4, bots=()).link("Ann")
    table = link.model.table
    assert table is not None
    older = SeatView("bot", "greedy 1", "greedy", ready=True)
    table = replace(table, bots=("greedy", "random"), seats=(older, *table.seats[1:]))
    told = lobby_lines(replace(link.model, table=table))
    assert any("Bot 1 (Regular)" in line for line in told)


def test_a_bot_whose_kind_is_new_has_its_kind_for_a_level() -> None:
    link = LocalTable(4, bots=()).link("Ann")
    table = link.model.table
    assert table is not None
    newer = SeatView("bot", "clever 1", "clever", ready=True)
    table = replace(table, bots=("bold", "clever"), seats=(newer, *table.seats[1:]))
    model = replace(link.model, table=table, owner=True)
    scene = Scene(model, Ui(mode="bots"))
    assert [choice.name for choice in choices_of(scene) or ()] == ["bold", "clever"]
    drawn = "\n".join(draw(model, scene.ui, 80, 24).lines(Look()))
    assert "1 bold" in drawn
    assert "2 clever" in drawn
    assert scene.name(0) == "Bot 1"
    assert bot_level("clever") == "clever"


def test_letters_of_bots_are_the_same_in_every_language() -> None:
    model = LocalTable(4, ("regular", "random", "regular")).link("Ann").model
    for language in LANGUAGES:
        with spoken(language):
            assert Scene(model, Ui()).letters == ("B", "X", "Y", "A")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_menu_calls_levels_as_the_table_does(language: str) -> None:
    with spoken(language):
        form = lines_of(replace(Home(), place="play"))
        levels = {bot_level("casual"), bot_level("regular")}
        assert levels <= {line.value for line in form}
        assert len(levels) == 2


@pytest.mark.parametrize("language", LANGUAGES)
def test_typed_levels_and_names_are_understood(language: str) -> None:
    """What is shown, in English, and as programs call it; a level is no command."""
    with spoken(language):
        for kind in LEVELS:
            for word in bot_spellings(kind):
                assert spelled(word, WORDS) is None
                visit = table_for(4)
                seat = Seat(visit)
                assert _("Bot {number}").format(number=3) in seat.type(f"bot {word} 3")[0]
                assert visit.table_view.seats[2].bot == kind
                shown = _("Bot {number}").format(number=3)
                for name in (shown, f"{kind} 1"):
                    seat.type(f"remove {name}")
                    assert visit.table_view.seats[2].status == "open"
                    seat.type(f"bot {word} 3")


def test_a_person_called_as_a_bot_is_not_removed_for_it() -> None:
    visit = table_for(3, ("regular",))
    seat = Seat(visit)
    visit.hello("b" * 40, name="Bot 1")
    seat.settle()
    assert seat.type("remove bot 1")[:2] == ["1: Bot 1.", "3: Bot 1."]
    seat.type("remove 3")
    assert [one.status for one in visit.table_view.seats] == ["bot", "person", "open"]


def test_records_and_replays_call_a_bot_after_its_seat(tmp_path: Path) -> None:
    head = head_of(2)
    named = replace(head, seats=(head.seats[0], replace(head.seats[1], name="regular 1")))
    data = lines(play(named))
    (tmp_path / "1.record").write_bytes(data)
    before = Home()
    home = seen(LocalPerson(None), before, replace(before, place="records"), tmp_path)
    assert {name for name, _score in home.games[0].players} == {"Ann", "Bot 2"}
    assert "Bot 2" in "\n".join(draw_home(home, 80, 24).lines(Look()))
    frame = Replay(read_record(data)).frame(0)
    assert "Ann, Bot 2" in event_lines(frame)[0]


def test_a_model_without_a_table_shows_what_it_heard() -> None:
    refusal = Refusal("name_taken", "", {"name": "regular 1"})
    assert "regular 1" in refusal_line(refusal, Model("player", "Ann"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_table_and_its_result_have_a_bots_name_and_level_as_plain_mode_does(
    language: str,
) -> None:
    with spoken(language):
        name = _("Bot {number}").format(number=1)
        called = f"{name} ({bot_level('regular')})"
        local = LocalTable(2, ("regular",))
        assert any(called in line for line in lobby_lines(local.link("Ann").model))
        for wanted in ("another's turn", "spectator", "result"):
            (moment,) = [one for one in moments() if one.name == wanted]
            for size in SIZES[1:]:
                shown = "\n".join(moment.paint(*size, False).lines(Look()))
                # beside counts in words, there may be no room for the level
                assert (called if size != (120, 36) else name) in shown, wanted
