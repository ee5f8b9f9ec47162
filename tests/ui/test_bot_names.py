"""Bots have names; those that a host has only numbered are called after their seat."""

import re
from collections import Counter
from pathlib import Path

import pytest
from msgspec.structs import replace

from coffeerush.client.model import Model
from coffeerush.league.table import LeagueGame, LeagueSeat, latest_evening
from coffeerush.levels import LEVELS, NAMES
from coffeerush.records.entries import read_record
from coffeerush.rules.deck import standard_deck
from coffeerush.ui.menu.draw_menu import draw_home
from coffeerush.ui.menu.menu import Home, lines_of
from coffeerush.ui.menu.menu_app import seen
from coffeerush.ui.person import LocalPerson
from coffeerush.ui.plain.commands import ROW_OF, help_lines
from coffeerush.ui.plain.sentences import colour_lines, letter_lines
from coffeerush.ui.replay.draw_replay import draw_replay
from coffeerush.ui.replay.replay import Replay, event_lines
from coffeerush.ui.replay.replay_input import Watch
from coffeerush.ui.table.draw_game import draw
from coffeerush.ui.table.lists import choices_of
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.table.state import Ui
from coffeerush.ui.terminal.canvas import Look
from coffeerush.ui.words.command_words import spelled
from coffeerush.ui.words.errors import refusal_line
from coffeerush.ui.words.events import event_line
from coffeerush.ui.words.i18n import _, pgettext
from coffeerush.ui.words.league import evening_rows
from coffeerush.ui.words.names import bot_level, bot_spellings, drink_title, ingredient_name
from coffeerush.ui.words.table import lobby_lines
from protocol import (
    MAX_PLAYERS,
    Drink,
    GameStarted,
    Ingredient,
    PeopleChanged,
    Refusal,
    SeatView,
)
from tests.golden.frames import EXTREMES, LANGUAGES, SIZES, spoken
from tests.golden.moments import moments
from tests.support.local import LocalTable
from tests.support.records import head_of, lines, play
from tests.support.tables import table_for
from tests.ui.plain.test_plain import Seat

RAW = re.compile("(greedy|casual|regular|random) [0-9]")


def with_numbered(model: Model) -> Model:
    """Return the model of a table whose host only numbers its bots."""
    assert model.table is not None
    count, seats = Counter[str](), []
    for seat in model.table.seats:
        count[seat.bot] += 1
        is_bot = seat.status == "bot"
        seats.append(replace(seat, name=f"{seat.bot} {count[seat.bot]}") if is_bot else seat)
    return replace(model, table=replace(model.table, seats=tuple(seats)))


def both(drink: Drink) -> tuple[str, str]:
    """Return the names of a drink, in the person's language and in English."""
    return drink_title(drink), drink.name


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
def test_a_bot_is_called_by_its_name_and_level(language: str) -> None:
    model = LocalTable(4, ("regular", "random")).link("Ann").model
    with spoken(language):
        level = bot_level("regular")
        started = event_line(GameStarted(("Crema", "Limu", "Ann"), (0, 1, 2), 0), model)
        taken = refusal_line(Refusal("seat_not_free", "", {"name": "Crema", "seat": 0}), model)
        gone = event_line(PeopleChanged("Dolce", "removed"), model)
        assert f"Crema ({level})" in started
        assert f"Limu ({pgettext('person', 'bot')})" in started
        assert "Crema" in taken
        assert any(f"Crema ({level})" in line for line in lobby_lines(model))
        assert f"Crema ({level})" in letter_lines(model)[0]
        assert any(f"Crema ({level})" in line for line in colour_lines(model))
        assert "Dolce" in gone


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_bot_without_a_name_is_called_after_its_seat_in_sentences(language: str) -> None:
    model = with_numbered(LocalTable(4, ("regular", "random")).link("Ann").model)
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
    model = with_numbered(local.link("regular 2").model)
    assert "Seat 2: regular 2, ready." in lobby_lines(model)
    assert event_line(PeopleChanged("regular 2", "joined"), model).startswith("regular 2 ")
    started = event_line(GameStarted(("regular 1", "regular 2", "Rex"), (0, 1, 2), 0), model)
    assert started.startswith("A game starts: Bot 1 (Regular), regular 2, Rex. ")


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
    older = with_numbered(model)
    for language in LANGUAGES:
        with spoken(language):
            assert Scene(model, Ui()).letters == ("C", "L", "V", "A")
            assert Scene(older, Ui()).letters == ("B", "X", "Y", "A")


def test_names_of_bots_are_short_and_have_letters_of_their_own() -> None:
    names = [name for kind in NAMES for name in NAMES[kind]]
    assert {*LEVELS} < {*NAMES}
    assert all(len(some) == MAX_PLAYERS for some in NAMES.values())
    assert len({name[0] for name in names}) == len(names)
    assert all(re.fullmatch("[A-Z][a-z]{2,5}", name) for name in names)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_bot_is_called_like_something_else_in_the_game(language: str) -> None:
    with spoken(language):
        words = {word.casefold() for drink in standard_deck().drinks for word in both(drink)}
        words |= {ingredient_name(kind).casefold() for kind in Ingredient}
        for name in (name for kind in NAMES for name in NAMES[kind]):
            assert name.casefold() not in words
            assert spelled(name, ROW_OF) is None


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
                assert spelled(word, ROW_OF) is None
                visit = table_for(4)
                seat = Seat(visit)
                name = NAMES[kind][2]
                assert name in seat.type(f"bot {word} 3")[0]
                assert visit.table_view.seats[2].bot == kind
                seat.type(f"remove {name.lower()}")
                assert visit.table_view.seats[2].status == "open"


@pytest.mark.parametrize("typed", ["bot 1", "MyBot 1"])
def test_a_numbered_bot_is_removed_by_its_name_here_or_at_the_host(typed: str) -> None:
    visit = table_for(3, ("file.py:MyBot",))
    Seat(visit).type(f"remove {typed}")
    assert visit.table_view.seats[0].status == "open"


def test_a_person_called_as_a_bot_is_not_removed_for_it() -> None:
    visit = table_for(3, ("file.py:MyBot",))
    seat = Seat(visit)
    visit.hello("b" * 40, name="Bot 1")
    seat.settle()
    assert seat.type("remove bot 1")[:2] == ["1: Bot 1 (bot).", "3: Bot 1."]
    seat.type("remove 3")
    assert [one.status for one in visit.table_view.seats] == ["bot", "person", "open"]


@pytest.mark.parametrize(
    ("given", "shown", "listed"),
    [("Crema", "Crema", "Crema (bot)"), ("regular 1", "Bot 2", "Bot 2")],
)
def test_records_and_replays_name_a_bot_and_mark_it(
    tmp_path: Path, given: str, shown: str, listed: str
) -> None:
    head = head_of(2)
    named = replace(head, seats=(head.seats[0], replace(head.seats[1], name=given)))
    data = lines(play(named))
    (tmp_path / "1.record").write_bytes(data)
    before = Home()
    home = seen(LocalPerson(None), before, replace(before, place="records"), tmp_path)
    assert {name for name, _score in home.games[0].players} == {"Ann", listed}
    assert listed in "\n".join(draw_home(home, 80, 24).lines(Look()))
    replay = Replay(read_record(data))
    assert f"Ann, {shown} (" in event_lines(replay.frame(0))[0]
    for columns, rows in SIZES:
        drawn = "\n".join(draw_replay(replay, Watch(), columns, rows).lines(Look()))
        assert re.search(listed.replace(" (bot)", r" \(?bot\b"), drawn), (columns, rows)


def test_the_results_of_an_evening_mark_bots() -> None:
    seats = (
        LeagueSeat("1" * 8, "Ann", "", "", 1, 1.0, 9, 3),
        LeagueSeat("2" * 8, "Crema", "regular", "0.1.0", 2, 0.0, 7, 2),
        LeagueSeat("3" * 8, "casual 1", "casual", "0.1.0", 3, 0.0, 5, 2),
    )
    evening = latest_evening([LeagueGame("g", 0.0, seats, rounds=9)], {})
    assert evening is not None
    (row,) = evening_rows(evening).games
    assert row.value == "Ann: 9, Crema (bot): 7, Casual: 5"
    left = LeagueGame("g", 0.0, seats[1:], absent=seats[:1], rounds=9)
    evening = latest_evening([left], {})
    assert evening is not None
    rows = evening_rows(evening)
    assert [row.label for row in rows.players] == ["Ann"], "it counts for her"
    why, (row,) = rows.best[-1], rows.games
    assert why.label == "Games left to a bot"
    assert why.value == "Ann 1 (a bot played most of the turns, and the last one)"
    assert row.value == "Ann (bot): 9, Crema (bot): 7, Casual: 5"


def test_a_model_without_a_table_shows_what_it_heard() -> None:
    refusal = Refusal("name_taken", "", {"name": "regular 1"})
    assert "regular 1" in refusal_line(refusal, Model("player", "Ann"))


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_table_and_its_result_have_a_bots_name_and_level_as_plain_mode_does(
    language: str,
) -> None:
    with spoken(language):
        name = "Crema"
        called = f"{name} ({bot_level('regular')})"
        local = LocalTable(2, ("regular",))
        assert any(called in line for line in lobby_lines(local.link("Ann").model))
        for wanted in ("another's turn", "spectator", "result"):
            (moment,) = [one for one in moments() if one.name == wanted]
            for size in SIZES[1:]:
                shown = "\n".join(moment.paint(*size, False).lines(Look()))
                # beside counts in words, there may be no room for the level
                assert (called if size != (120, 36) else name) in shown, wanted
