"""The start menu in sentences: everything it can do, by numbers and words that are typed."""

import pytest
from msgspec.structs import replace

from coffeerush.league.table import OwnRecord
from coffeerush.local.own_tables import OwnTable
from coffeerush.local.settings import Settings
from coffeerush.table_rules import TableRules
from coffeerush.ui.menu.menu import (
    FIRST_BOTS,
    Errand,
    Home,
    Host,
    Join,
    Play,
    Quit,
    Recorded,
    ShowReplay,
)
from coffeerush.ui.menu.menu_input import answered, gone_to, told
from coffeerush.ui.pages.pages import ROWS, Page
from coffeerush.ui.pages.rules_text import rules_sections
from tests.ui.menu.test_menu_input import unfinished

START = Home(
    page=Page(settings=Settings(recent=("192.168.0.12",))),
    games=(Recorded("/a.record", "2026-01-31 20:15", (("Ann", 12), ("Bob", 9))),),
    name="Ann",
    kept_in="~/settings.json",
)


def typed(*lines: str) -> Home:
    at = START
    for line in lines:
        at = answered(at, line)
    return at


def test_the_menu_is_numbered_and_says_what_to_type() -> None:
    lines = told(START)
    assert lines[:2] == ("Coffee Rush. You are Ann.", "1. Play against bots")
    assert lines[-3:] == (
        "6. Rules",
        "“n” changes your name.",
        "Type a number; 0 quits the program.",
    )


def test_the_results_come_with_the_name() -> None:
    at = replace(START, own_record=OwnRecord(games=1, alone=1, shared=0, best_turn=1))
    assert told(at)[:2] == ("Coffee Rush. You are Ann.", "1 game, 1 won, best turn: 1 order")
    at = replace(START, own_record=OwnRecord(games=3, alone=0, shared=2, best_turn=1))
    assert told(at)[1] == "3 games, 2 shared wins, best turn: 1 order"


def test_a_name_is_asked_for_in_sentences() -> None:
    at = gone_to(Home(name="ann"), "name")
    assert told(at) == ("Type your name, or press Enter for ann.",)
    for typed, name in (("Bea", "Bea"), ("", ""), ("0", "")):
        after = answered(at, typed)
        assert (after.place, after.settings.name) == ("menu", name)
    assert answered(START, "N").place == "name"


@pytest.mark.parametrize(
    ("lines", "errand"),
    [
        (("1", ""), Play(("casual", "regular"), TableRules())),
        # two bots, then three, then one
        (("1", "2", "2", "1"), Play(("casual",), TableRules())),
        (("2",), Play(("casual", "casual"), TableRules(starters=True), guide=True)),
        (("3", "1", "2 Kitchen", "4", "1"), Host("Kitchen", 2, (), TableRules())),
        (("3", "1", "3", "1"), Host("", 4, (), TableRules(), is_open=True)),
        (("3", "2", "1"), Join("192.168.0.12", "player")),
        (("3", "2", "cafe.local"), Join("cafe.local", "player")),
        (
            ("3", "2", "coffeerush join 192.0.2.2 chess-bridge-hammer"),
            Join("192.0.2.2", "player", "chess-bridge-hammer"),
        ),
        (("3", "3", "10.0.0.7:47830"), Join("10.0.0.7:47830", "spectator")),
        (("4", "1", "1"), ShowReplay("/a.record")),
        (("0",), Quit()),
        (("1", "0", "q"), Quit()),
    ],
)
def test_numbers_lead_to_everything(lines: tuple[str, ...], errand: Errand) -> None:
    assert typed(*lines).errand == errand


@pytest.mark.parametrize("line", ["x", "7", "99999", "1 2 3 x y", "-1"])
def test_what_is_no_number_of_a_line_is_said(line: str) -> None:
    at = typed(line)
    assert at.errand is None
    assert at.notes or at.place == "play"


def test_a_form_says_its_values() -> None:
    lines = told(typed("1"))
    assert "2. Bots: 2" in lines
    assert "3. Starter orders: off" in lines
    assert lines[-1].startswith("Type 1 to start")


def test_what_a_value_means_is_said_when_it_changes() -> None:
    assert "Anybody who can reach this computer" in told(typed("3", "1", "3"))[0]
    assert "three words" in told(typed("3", "1", "3", "3"))[0]
    assert "How many can play" in told(typed("3", "1", "3", "4"))[0]


def test_what_is_no_address_is_said_and_asked_again() -> None:
    at = typed("3", "2", "no address")
    assert at.errand is None
    assert "is not an address" in told(at)[0]
    assert told(at)[1:3] == ("Join a table", "1. 192.168.0.12")


def test_an_empty_list_of_games_has_no_numbers() -> None:
    at = replace(typed("4", "1"), games=())
    assert told(at) == (
        "Finished games",
        "You have not finished a game yet.",
        "Type 0 to go back.",
    )
    assert answered(at, "0").place == "games"


def test_settings_are_changed_by_their_numbers() -> None:
    at = typed("5")
    assert told(at)[1] == "1. Language: same as system"
    name = len(ROWS)
    at = answered(answered(at, "6"), f"{name} Ann Lee")
    assert (at.settings.bell, at.settings.name) == (False, "Ann Lee")
    assert f"{name}. Your name: Ann Lee" in told(at)
    assert answered(at, f"{name - 3} z").settings.letter == 25
    assert answered(at, f"{name - 3}").settings.letter == 0
    wrong = answered(at, f"{name - 3} 7")
    assert (wrong.settings.letter, wrong.notes) == (None, ("Choose one of the letters A to Z.",))
    assert answered(at, f"{name - 2}").settings.colour == 0
    assert answered(at, "77").notes
    back = answered(at, "0")
    assert (back.page.mode, back.errand) == ("table", None)


def test_the_rules_are_read_out() -> None:
    at = typed("6")
    assert told(at)[0] == rules_sections()[0].title
    assert told(at)[-1] == "Type a number; 0 quits the program."
    assert not answered(at, "1").notes


def test_what_was_done_last_is_said_first() -> None:
    assert (
        told(replace(START, notes=("The game records are in x.",)))[0]
        == "The game records are in x."
    )


def test_in_sentences_the_numbers_stay_while_a_game_or_the_own_table_waits() -> None:
    guided = Play(FIRST_BOTS, TableRules(starters=True), guide=True)
    at = replace(START, unfinished=unfinished(), own=OwnTable("Kitchen", "127.0.0.1", 0.0))
    lines = told(at)
    assert "b. Back to your table: Kitchen" in lines
    assert any(line.startswith("c. Continue your game") for line in lines)
    assert "2. First game, with a guide" in lines
    assert lines[-1] == "Type a number or a letter; 0 quits the program."
    assert answered(at, "2").errand == answered(START, "2").errand == guided
    assert answered(at, "b").errand == Join("127.0.0.1", "player")
    assert answered(at, "C").errand == unfinished().errand
    assert told(answered(at, "d"))[0] == "Type one of the numbers, and press Enter."
