"""Keys and clicks in the start menu: lines, forms and their results, and refused input."""

from random import Random
from typing import Any, get_args

import pytest
from msgspec.structs import replace

from coffeerush.client.model import Role
from coffeerush.league.table import LeagueGame, LeagueSeat, OwnRecord, league_of
from coffeerush.levels import LEVELS
from coffeerush.local.own_tables import OwnTable
from coffeerush.local.settings import Settings
from coffeerush.table_rules import TableRules
from coffeerush.ui.menu.draw_menu import draw_home, offers
from coffeerush.ui.menu.menu import (
    FIRST_BOTS,
    Continue,
    Home,
    Host,
    Join,
    MenuAction,
    MenuPage,
    Play,
    Quit,
    Recorded,
    ShowReplay,
    Unfinished,
    lines_of,
)
from coffeerush.ui.menu.menu_input import asking_for_code, back, click, gone_to, paste, press
from coffeerush.ui.pages.pages import Page
from coffeerush.ui.table.actions import KEYMAP
from coffeerush.ui.terminal.canvas import Look, Target, width
from coffeerush.ui.terminal.glyphs import ASCII
from coffeerush.ui.terminal.keys import BACKSPACE, ENTER, ESCAPE, INTERRUPT
from coffeerush.ui.words.i18n import _, pgettext
from coffeerush.ui.words.names import bot_level
from coffeerush.ui.words.table import rotation_line
from protocol import Rotation
from tests.golden.frames import EXTREMES, spoken

GAMES = (
    Recorded("/b.record", "2026-02-01 20:15", (("Ann", 12), ("regular 1", 9))),
    Recorded("/a.record", "2026-01-31 09:00", (("민준", 7), ("Bob", 7))),
)


RANKED = (1, "Ann"), (2, "Bob")
KEYS_TO = {
    "play": "1",
    "friends": "3",
    "host": "31",
    "join": "32",
    "watch": "33",
    "games": "4",
    "records": "41",
    "league": "42",
}
"""The digits that lead to each place."""


def home(place: str = "menu", **settings: Any) -> Home:
    """Return the menu at one of its places, with some settings."""
    chosen = Settings(**settings)
    at = Home(
        page=Page(settings=chosen),
        games=GAMES,
        name="Ann",
        kept_in="~/settings.json",
    )
    return pressed(at, *KEYS_TO.get(place, ""))


def pressed(at: Home, *keys: str) -> Home:
    for key in keys:
        at = press(at, key)
    return at


@pytest.mark.parametrize(("place", "digits"), KEYS_TO.items())
def test_digits_or_the_arrows_open_a_place_and_esc_comes_back(place: str, digits: str) -> None:
    by_arrows = home()
    rows = [int(digit) - 1 for digit in digits]
    for row in rows:
        by_arrows = pressed(by_arrows, *["down"] * row, ENTER)
    assert home(place).place == by_arrows.place == place
    for row in reversed(rows):
        by_arrows = press(by_arrows, ESCAPE)
        assert by_arrows.row == row, "the line that was opened is selected"
    assert by_arrows.place == "menu"


@pytest.mark.parametrize(
    ("keys", "mode"),
    [(("5",), "settings"), (("6",), "rules"), (("f3",), "settings"), (("?",), "help")],
)
def test_pages_open_over_the_menu_and_close(keys: tuple[str, ...], mode: str) -> None:
    opened = pressed(home(), *keys)
    assert opened.page.mode == mode
    assert press(opened, ESCAPE).page.mode == "table"
    assert press(opened, ESCAPE).place == "menu"


@pytest.mark.parametrize("keys", [("q",), ("й",), (INTERRUPT,), ("1", INTERRUPT)])
def test_the_menu_is_left(keys: tuple[str, ...]) -> None:
    assert pressed(home(), *keys).errand == Quit()


def test_lines_go_around() -> None:
    assert press(home(), "up").row == 5
    assert pressed(home(), "up", "j").row == 0
    assert pressed(home(), "pagedown").row == 5


def test_enter_starts_a_game_at_once_with_what_was_played_last() -> None:
    last = home("play", opponents=("casual",), starters=True, solo_seconds=60)
    again = Play(("casual",), TableRules(starters=True, turn_seconds=60))
    assert press(last, ENTER).errand == again
    assert pressed(last, "down", "down", "1").errand == again


def test_the_first_game_is_one_with_a_guide() -> None:
    assert press(home(), "2").errand == Play(FIRST_BOTS, TableRules(starters=True), guide=True)
    assert set(FIRST_BOTS) == {"casual"}


def test_a_form_is_filled_in_by_arrows() -> None:
    at = pressed(
        home("play"),
        *("down", "right"),
        *("down", " "),
        *("down", "right"),
        *("down", "down", "left"),
    )
    assert at.settings == Settings(
        opponents=("casual", "casual", "regular"), starters=True, solo_seconds=30
    ), "what is changed is kept for the next time"
    assert press(at, "1").errand == Play(
        ("casual", "casual", "regular"), TableRules(starters=True, turn_seconds=30)
    )


def test_a_hosted_table_does_not_take_the_clock_of_a_game_against_bots() -> None:
    at = home("host", solo_seconds=30, turn_seconds=90)
    opened = press(at, ENTER).errand
    assert isinstance(opened, Host)
    assert opened.rules.turn_seconds == 90


def test_enter_after_the_name_of_a_table_goes_to_the_line_that_opens_it() -> None:
    typing = pressed(home("host"), "down", *"Den")
    at = press(typing, ENTER)
    assert (at.errand, at.settings.table, at.row) == (None, "Den", 0)
    assert isinstance(press(at, ENTER).errand, Host)


def test_values_go_around_and_rows_come_and_go_with_the_bots() -> None:
    at = pressed(home("play", opponents=("casual",)), "down", "left")
    assert at.settings.opponents == ("casual",) * 3
    assert len(lines_of(at)) == 7
    assert len(lines_of(press(at, "right"))) == 5


def test_the_host_has_a_seat_beside_the_bots() -> None:
    at = pressed(home("host"), *["down"] * 4, "left")
    assert at.settings.seated == ("regular",) * 3, "of four seats"
    fewer = pressed(at, "up", "right")
    assert press(fewer, "1").errand == Host("", 2, ("regular",), TableRules())


def test_a_table_can_be_open_to_everybody() -> None:
    at = pressed(home("host"), "down", "down")
    assert lines_of(at)[2].value == "with the code"
    for key in ("left", "right", " ", ENTER):
        opened = press(at, key)
        assert lines_of(opened)[2].value == "without a code"
        assert press(opened, "1").errand == Host("", 4, (), TableRules(), is_open=True)
        assert press(opened, key).settings == at.settings


def test_the_footer_says_what_enter_does_on_each_line_of_a_form() -> None:
    at = home("host")
    labels = [offers(replace(at, row=row))[MenuAction.NEXT] for row in range(len(lines_of(at)))]
    assert labels == ["open", "save", *["change"] * 7]
    guests = replace(at, row=8)
    assert press(guests, ENTER) == press(guests, "right")
    assert press(guests, ENTER).settings.guests


def test_a_digit_selects_a_line_whose_value_other_keys_change() -> None:
    at = home("host")
    assert press(at, "6") == replace(at, row=5)
    assert pressed(at, "6", "right").settings.starters
    assert press(home("friends"), "1").place == "host"


def test_who_makes_room_is_explained_for_the_chosen_value() -> None:
    at = press(home("host"), "8")
    said = list[str]()
    for _value in get_args(Rotation):
        said.append(lines_of(at)[at.row].about)
        at = press(at, "right")
    assert said == [rotation_line(rotation) for rotation in get_args(Rotation)]


def test_the_name_of_the_table_is_typed() -> None:
    at = pressed(home("host"), "down", *"Küche q?1", BACKSPACE)
    assert at.settings.table == "Küche q?"
    assert pressed(at, ENTER, ENTER).errand == Host("Küche q?", 4, (), TableRules())


def test_left_and_right_move_in_the_name_of_the_table() -> None:
    at = pressed(home("host", table="Kche"), "down", *["left"] * 3, "ü", "end", "!")
    assert at.settings.table == "Küche!"
    assert pressed(at, "home", "delete", "c-k").settings.table == ""
    shown = "\n".join(draw_home(pressed(at, "left"), 80, 24).lines())
    assert "Küche▌!" in shown
    renamed = replace(at, page=replace(at.page, settings=Settings(table="Cafe")))
    assert press(renamed, "x").settings.table == "Cafex"


def test_the_number_of_bots_shifts_no_digit() -> None:
    labels = [
        [(line.key, line.label) for line in lines_of(home("host", seated=bots)) if line.key]
        for bots in ((), ("casual",), ("casual", "expert", "random"))
    ]
    assert labels[0][-1] == ("9", "Guests")
    assert all(one[:9] == labels[0] for one in labels)


def test_every_level_is_offered_in_a_word_of_its_own_and_nothing_else() -> None:
    at, offered = home("play", opponents=("random",)), list[str]()
    at = press(at, "up")
    for _level in LEVELS:
        at = press(at, "right")
        offered += at.settings.opponents
    assert offered == [*LEVELS]
    assert press(at, "right").settings.opponents == (LEVELS[0],)
    assert len({bot_level(kind) for kind in LEVELS} - set(LEVELS)) == len(LEVELS)
    assert bot_level("MyBot") == "MyBot"


def test_settings_with_a_former_name_of_a_level() -> None:
    at = press(home("play", opponents=("greedy",)), "up")
    assert lines_of(at)[-1].value == bot_level("regular")
    assert press(at, "left").settings.opponents == ("casual",)


@pytest.mark.parametrize(("place", "role"), [("join", "player"), ("watch", "spectator")])
def test_an_address_is_typed_or_pasted(place: str, role: Role) -> None:
    typed = pressed(home(place), *"192.168.0.12", ENTER)
    assert typed.errand == Join("192.168.0.12", role)
    pasted = press(paste(home(place), " cafe.local:47830\n"), ENTER)
    assert pasted.errand == Join("cafe.local:47830", role)


def test_a_line_that_came_in_pieces_is_whole() -> None:
    asked = replace(asking_for_code(home("join"), Join("cafe.local", "player")), notes=("Why.",))
    at = asked
    for piece in (" apple", " tiger", " moon"):
        at = paste(at, piece)
    assert (at.draft.text, at.notes) == ("apple tiger moon", ())
    named = pressed(home("host", table=""), "down")
    assert paste(paste(named, " Big"), " kitchen").settings.table == "Big kitchen"


@pytest.mark.parametrize(("place", "role"), [("join", "player"), ("watch", "spectator")])
@pytest.mark.parametrize(
    "shown", ["coffeerush join {} chess-bridge-hammer", "{}\nchess bridge hammer"]
)
def test_the_line_on_the_hosts_screen_is_understood(place: str, role: Role, shown: str) -> None:
    at = press(paste(home(place), shown.format("192.0.2.2:47870")), ENTER)
    assert at.errand == Join("192.0.2.2:47870", role, "chess-bridge-hammer")


def test_what_is_wrong_with_an_address_and_a_code_is_said_of_that_one() -> None:
    at = press(paste(home("join"), "192.0.2.2:47870 chess bridge hamer"), ENTER)
    assert (at.errand, at.notes) == (None, ("“hamer” is not a code word; did you mean “hammer”?",))
    at = press(paste(home("join"), "192.0.2.2:x chess bridge hammer"), ENTER)
    assert (at.errand, "is not a port" in at.notes[0]) == (None, True)


def test_left_and_right_move_in_an_address() -> None:
    at = pressed(home("join"), *"cafe", "home", *"my.", "right", "delete", "c-e", *".local")
    assert press(at, ENTER).errand == Join("my.cfe.local", "player")
    assert paste(press(at, "home"), "x").draft.text == "xmy.cfe.local"


def test_enter_without_an_address_waits_for_one() -> None:
    assert press(home("join"), ENTER) == home("join")


@pytest.mark.parametrize("text", ["no address", "a:b", "host:0", "host:99999"])
def test_what_can_be_no_address_is_said_at_once(text: str) -> None:
    at = pressed(home("join"), *text, ENTER)
    assert (at.errand, at.wrong, at.draft.text) == (None, True, text)
    assert len(at.notes) == 1
    assert not press(at, "x").notes


RECENT = ("192.168.0.12", "cafe.local:47830")


def test_the_tables_joined_last_are_listed_below_the_address() -> None:
    assert pressed(home("join", recent=RECENT), "down", ENTER).errand == Join(RECENT[0], "player")
    at = pressed(home("join", recent=RECENT), "down", "down", ENTER)
    assert at.errand == Join(RECENT[1], "player")


def test_a_digit_is_typed_into_an_address_and_opens_an_entry_of_the_list() -> None:
    at = home("join", recent=RECENT)
    typed = pressed(at, *"12")
    assert (typed.row, typed.draft.text, typed.errand) == (0, "12", None)
    for before in ((), ("x", "down")):
        listed = pressed(at, *before, "down", "2")
        assert (listed.row, listed.errand) == (2, Join(RECENT[1], "player"))
    assert pressed(at, "down", "3").draft.text == "3", "there is no such entry"
    assert pressed(at, "down", "c").row == 0


def test_a_finished_game_is_picked() -> None:
    assert press(home("records"), ENTER).errand == ShowReplay("/b.record")
    assert press(home("records"), "2").errand == ShowReplay("/a.record")
    assert press(home("records"), "3").errand is None


def test_without_a_finished_game_there_is_a_sentence_that_leads_back() -> None:
    at = replace(home("records"), games=())
    assert "not finished a game" in lines_of(at)[0].label
    assert press(at, ENTER).place == "games"


@pytest.mark.parametrize("place", ["evening", "career"])
def test_a_line_that_is_only_read_has_no_digit_and_no_enter(place: MenuPage) -> None:
    seats = (LeagueSeat(name, name, "", "", rank, 2 - rank, 6, 2) for rank, name in RANKED)
    league = league_of([LeagueGame("g", 0.0, (*seats,), rounds=9)], {})
    at = Home(place=place, league=league)
    assert not [line.key for line in lines_of(at) if line.key]
    assert MenuAction.NEXT not in offers(at)
    assert MenuAction.MOVE not in offers(at), "all of it is shown"
    assert pressed(at, ENTER, "2", "down") == at


def test_an_evening_says_at_which_of_several_tables_a_game_was() -> None:
    seats = tuple(LeagueSeat(name, name, "", "", rank, 2 - rank, 6, 2) for rank, name in RANKED)
    games = [
        LeagueGame(f"{number}", number * 60.0, seats, rounds=9, table=table)
        for number, table in enumerate(("Kitchen", "Kitchen", "Den"))
    ]
    for count, named in ((2, ["", ""]), (3, ["Kitchen", "Kitchen", "Den"])):
        at = Home(place="evening", league=league_of(games[:count], {}))
        *_others, gap = (row for row, line in enumerate(lines_of(at)) if not line.label)
        assert [line.label.partition(" ")[2] for line in lines_of(at)[gap + 1 :]] == named


def test_people_have_the_colours_of_their_games_in_an_evening() -> None:
    won = LeagueSeat("Ann", "Ann", "", "", 1, 0.5, 6, 2, colour=3)
    shared = LeagueSeat("Bob", "Bob", "", "", 1, 0.5, 6, 2, colour=1)
    at = Home(place="evening", league=league_of([LeagueGame("g", 0.0, (won, shared))], {}))
    assert [(line.label, line.value, line.look) for line in lines_of(at)[:2]] == [
        ("Ann", "won 0 of 1, 1 shared win", "class:seat3"),
        ("Bob", "won 0 of 1, 1 shared win", "class:seat1"),
    ]


def test_only_bots_of_several_versions_have_a_version() -> None:
    person = LeagueSeat("Ann", "Ann", "", "", 1, 1, 6, 2)
    games = [
        LeagueGame(program, 0.0, (person, LeagueSeat(program, "", "casual", program, 2, 0, 5, 2)))
        for program in ("0.1.0", "0.2.0")
    ]
    for count, bots in ((1, {"Casual (bot)"}), (2, {"Casual 0.1.0", "Casual 0.2.0"})):
        at = Home(place="league", league=league_of(games[:count], {}))
        assert {line.label for line in lines_of(at)} == {"Ann", *bots}


@pytest.mark.parametrize("place", ["evening", "career"])
@pytest.mark.parametrize("size", [(40, 12), (40, 60)])
def test_lines_that_are_only_read_are_whole_and_scroll_without_a_cursor(
    place: MenuPage, size: tuple[int, int]
) -> None:
    columns, rows = size
    seats = tuple(LeagueSeat(name, name * 2, "", "", rank, 2 - rank, 6, 2) for rank, name in RANKED)
    games = [LeagueGame(str(number), number * 60.0, seats, rounds=9) for number in range(12)]
    at = Home(place=place, league=league_of(games, {}), page=Page(size=size))
    seen = set[str]()
    for _key in range(60):
        _head, *drawn, _keys = draw_home(at, columns, rows).lines()
        assert not any("▸" in line for line in drawn)
        seen |= {word for line in drawn for word in line.split()}
        at = pressed(at, "down")
    assert {word for line in lines_of(at) for word in f"{line.label} {line.value}".split()} <= seen
    end = at.row
    assert pressed(at, "pagedown", "j").row == end
    assert pressed(at, "up").row == max(end - 1, 0)


def test_everything_that_is_shown_can_be_clicked() -> None:
    for place in ("menu", "friends", "play", "host", "join", "games", "records"):
        at = home(place, recent=RECENT)
        canvas = draw_home(at, 80, 24)
        for row, line in enumerate(lines_of(at)):
            y = next(y for y, text in enumerate(canvas.lines()) if y and line.label in text)
            target = canvas.target_at(30, y)
            assert target == Target("row", row)
            clicked = click(at, target)
            assert clicked != at or line.typed
            assert (
                clicked.errand == line.errand
                or line.change
                or line.typed
                or line.opens
                or line.page
            )


def test_a_click_on_the_footer_is_its_key() -> None:
    canvas = draw_home(home("play"), 80, 24)
    *_, footer = canvas.lines()
    target = canvas.target_at(footer.index("start"), 23)
    assert target
    assert isinstance(click(home("play"), target).errand, Play)


def test_a_click_on_a_setting_changes_it() -> None:
    at = press(home(), "5")
    canvas = draw_home(at, 80, 24)
    y = next(y for y, line in enumerate(canvas.lines()) if "Bell" in line)
    target = canvas.target_at(10, y)
    assert target
    assert not click(at, target).settings.bell


def test_a_click_on_a_line_that_has_gone_since_means_nothing() -> None:
    bots = home("play", opponents=("casual",) * 3)
    fewer = pressed(bots, "down", "right")
    assert click(fewer, Target("row", len(lines_of(bots)) - 1)) == fewer
    for page in ("f1", "f2", "f3"):
        opened = press(home("records"), page)
        assert click(opened, Target("row", 40)) == opened
    assert click(press(home(), "f1"), Target("row", 4)) == press(home(), "f1")


SIZES = [(39, 11), (40, 12), (60, 20), (80, 24), (120, 36), (200, 60)]
KEYS = [
    *{key for key in KEYMAP.keys if key != INTERRUPT},
    *("up", "down", "left", "right", ENTER, ENTER, "x", "7", "9", "ё", "민", "ㅂ", "\x00"),
]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_whatever_is_pressed_every_frame_fits_every_size(seed: int) -> None:
    chance, at = Random(seed), home(recent=RECENT)
    for _key in range(150):
        at = press(at, chance.choice(KEYS))
        assert 0 <= at.row < len(lines_of(at))
        if at.errand is not None:
            at = replace(
                at, errand=None, notes=("No host is running at cafe.local. " * 3,), wrong=True
            )
        size = chance.choice(SIZES)
        at = replace(at, page=replace(at.page, size=size))
        drawn = list(draw_home(at, *size).lines())
        assert len(drawn) == size[1]
        assert all(width(line) == size[0] for line in drawn)


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES[1:])
def test_the_chosen_line_is_always_in_sight(size: tuple[int, int]) -> None:
    games = tuple(replace(GAMES[0], path=f"/{number}") for number in range(40))
    at = replace(home("records"), games=games)
    for _line in games:
        drawn = "\n".join(draw_home(at, *size).lines())
        assert "▸" in drawn
        assert ("↓" in drawn) or at.row > 20 or size[1] > 40
        at = press(at, "down")


def unfinished(alone: bool = True) -> Unfinished:
    errand = Continue("/tmp/on.record", "Ann", alone)
    others = ("Bea", "Bot 1 (Casual)")
    return Unfinished(errand, "Kitchen", 4, others, "2026-11-22 21:14", (5, 4), 65533)


@pytest.mark.parametrize(("game", "keys"), [(None, "123456"), (unfinished(), "c123456")])
def test_every_line_of_the_menu_has_a_key(game: Unfinished | None, keys: str) -> None:
    at = replace(home(), unfinished=game)
    drawn = [*draw_home(at, 80, 24).lines()]
    for row, (key, line) in enumerate(zip(keys, lines_of(at), strict=True)):
        assert any(f" {key}  {line.label}" in text for text in drawn)
        by_key = press(at, key)
        assert by_key == replace(press(replace(at, row=row), ENTER), row=by_key.row)


@pytest.mark.parametrize("language", EXTREMES)
@pytest.mark.parametrize("size", [(40, 12), (80, 24), (120, 36), (200, 60)])
@pytest.mark.parametrize("alone", [True, False])
def test_the_first_game_is_in_the_menu_while_another_waits_to_be_continued(
    language: str, size: tuple[int, int], alone: bool
) -> None:
    guided = Play(FIRST_BOTS, TableRules(starters=True), guide=True)
    at = replace(home(), unfinished=unfinished(alone))
    at = replace(at, page=replace(at.page, size=size))
    with spoken(language):
        label = _("First game, with a guide")
        assert label in "\n".join(draw_home(at, *size).lines())
        assert press(at, "2").errand == pressed(at, "down", "down", ENTER).errand == guided
        for line in lines_of(at):
            assert line.label in "\n".join(draw_home(at, *size).lines())
            at = press(at, "down")


@pytest.mark.parametrize("alone", [True, False])
def test_a_game_that_is_not_over_is_the_first_line(alone: bool) -> None:
    game = unfinished(alone)
    errand = game.errand
    home = Home(unfinished=game)
    (first, second, *others), without = lines_of(home), lines_of(Home())
    assert first.value == ("round 4, you lead 5 to 4" if alone else "round 4, port 65533")
    assert "Bea and Bot 1 (Casual)" in first.about
    assert ("Kitchen" in first.about) is not alone
    assert press(home, ENTER).errand == errand
    assert (second, *others) == without


@pytest.mark.parametrize("language", EXTREMES)
@pytest.mark.parametrize("size", [(40, 12), (80, 24)])
def test_every_game_to_continue_has_a_line(language: str, size: tuple[int, int]) -> None:
    games = (unfinished(), unfinished(alone=False))
    at = replace(home(), listed=games, more_unfinished=2)
    at = replace(at, page=replace(at.page, size=size))
    with spoken(language):
        (line,) = (line for line in lines_of(at) if line.opens == "games")
        drawn = [text for text in draw_home(at, *size).lines() if line.label in text]
        assert line.value in drawn[0]
        at = gone_to(at, "unfinished")
        drawn = [*draw_home(at, *size).lines()]
        for row, game in enumerate(games):
            assert lines_of(at)[row].errand == press(at, str(row + 1)).errand == game.errand
            assert any(lines_of(at)[row].value in text and "11-22" in text for text in drawn)
    assert back(at).place == "games"
    assert lines_of(replace(at, listed=()))[0].label == "You have no unfinished game."


@pytest.mark.parametrize(
    ("scores", "said"),
    [((4, 4), "you are tied, 4 to 4"), ((3, 4), "you trail 3 to 4"), ((0, -1), "you lead 0 to -1")],
)
def test_a_game_to_continue_says_who_leads(scores: tuple[int, int], said: str) -> None:
    at = Home(unfinished=replace(unfinished(), scores=scores))
    assert lines_of(at)[0].value == f"round 4, {said}"
    narrow = replace(at, page=replace(at.page, size=(40, 12)))
    assert lines_of(narrow)[0].value == "round 4", "there is no room for more"


NAMELESS = gone_to(Home(name="ann"), "name")


@pytest.mark.parametrize(
    ("keys", "name"),
    [
        ((*"Bea", ENTER), "Bea"),
        ((ENTER,), ""),
        ((*"  ", ENTER), ""),
        ((*"Bea", ESCAPE), ""),
        ((*"q?1n", ENTER), "q?1n"),
    ],
)
def test_a_name_is_asked_for_once(keys: tuple[str, ...], name: str) -> None:
    at = pressed(NAMELESS, *keys)
    assert (at.place, at.settings.name, at.errand) == ("menu", name, None)
    assert at.settings.is_introduced


def test_a_name_that_nobody_has_chosen_is_no_text_to_erase() -> None:
    at = pressed(NAMELESS, ENTER, "n")
    assert lines_of(at)[0].about == "The name that others see at a table. If left empty: ann."
    assert pressed(at, *"Robin", ENTER).settings.name == "Robin"


@pytest.mark.parametrize("size", [(40, 12), (80, 24), (120, 36)])
@pytest.mark.parametrize("language", EXTREMES)
def test_the_first_screen_looks_like_the_menu_and_has_nothing_behind_it(
    size: tuple[int, int], language: str
) -> None:
    def drawn(at: Home) -> list[str]:
        at = replace(at, page=replace(at.page, size=size))
        return [*draw_home(at, *size, Look(rich=True)).lines()]

    with spoken(language):
        lines, again = drawn(NAMELESS), drawn(pressed(home(name="Ann"), "n"))
        start = drawn(home())
        for part in ("█", "~ ~  ~"):
            marked = [[part in line for line in page] for page in (lines, start)]
            assert marked[0] == marked[1]
            assert any(marked[0]) is (size[1] >= 20)
        room = size[0] * 3 // 5 if size[1] >= 20 else size[0]  # beside the cups
        left = "".join(line[:room] for line in lines)
        about = lines_of(NAMELESS)[0].about
        assert "".join(about.split()) in "".join(left.split())
        assert lines[-1].split()[-1] == pgettext("key", "skip").split()[-1]
        assert again[-1].split()[-1] == pgettext("menu", "back").split()[-1]


def test_the_name_is_changed_from_the_menu() -> None:
    at = pressed(home(name="Ann"), "down", "n")
    assert (at.place, at.draft.text) == ("name", "Ann")
    assert pressed(at, *"e", ENTER).settings.name == "Anne"
    assert pressed(at, *"e", ESCAPE).settings.name == "Ann"
    assert press(at, ESCAPE).row == 1, "the same line is selected"
    assert press(at, INTERRUPT).errand == Quit()


@pytest.mark.parametrize("size", [(40, 12), (80, 24), (200, 60)])
def test_the_start_page_has_the_name_and_the_results(size: tuple[int, int]) -> None:
    at = replace(home(), own_record=OwnRecord(games=12, alone=4, shared=1, best_turn=3))
    drawn = "\n".join(draw_home(at, *size).lines())
    assert "You are Ann" in drawn
    best = ", best turn: 3 orders" if size[0] > 40 else " "
    assert f"12 games, 4 won, 1 shared win{best}" in drawn
    asked = "\n".join(draw_home(gone_to(at, "name"), *size).lines())
    assert "You are Ann" not in asked


def test_the_title_is_large_and_the_cups_have_colours_where_there_are_any() -> None:
    def drawn(look: Look) -> str:
        return "\n".join(draw_home(home(), 80, 24, look).lines(look))

    assert "█▀▀" in drawn(Look(rich=True))
    assert "┌───────┐" not in drawn(Look(rich=True))
    assert "┌───────┐" in drawn(Look())
    assert "+-------+" in drawn(Look(ascii=True))
    assert "#" not in drawn(Look(ascii=True)), "which would leave too few rows"
    large = [*draw_home(home(), 80, 30, Look(ascii=True)).lines(Look(ascii=True))]
    assert sum("#" in line for line in large) == 5
    assert drawn(Look(ascii=True)).isascii()


@pytest.mark.parametrize("look", [Look(rich=True), Look(), Look(ascii=True)])
@pytest.mark.parametrize("place", ["play", "friends", "host", "games"])
def test_a_form_looks_like_the_start_page_and_says_what_each_line_means(
    place: MenuPage, look: Look
) -> None:
    lines = lines_of(Home(place=place))
    for row, line in enumerate(lines):
        assert line.about
        at = Home(place=place, row=row)
        low, high = ([*draw_home(at, *size, look).lines(look)] for size in ((40, 12), (80, 24)))
        block = "#" if look.ascii else "█"
        assert any(block in text for text in high[2:5])
        assert not any(block in text for text in low)
        first = high.index(next(text for text in high if lines[0].label in text))
        below = " ".join(" ".join(high[first + len(lines) :]).split())
        assert (line.about.translate(ASCII) if look.ascii else line.about) in below


def test_the_own_table_that_is_still_open_is_the_first_line() -> None:
    at = Home(own=OwnTable("Kitchen", "127.0.0.1:47830", 0.0), unfinished=unfinished())
    first, second, *others = lines_of(at)
    assert (first.label, first.value) == ("Back to your table", "Kitchen")
    assert press(at, ENTER).errand == press(at, "b").errand == Join("127.0.0.1:47830", "player")
    assert press(at, "c").errand == second.errand
    assert tuple(others) == lines_of(Home())


def test_the_own_table_that_has_moved_is_the_first_line() -> None:
    (first, *others) = lines_of(Home(own=OwnTable("Kitchen", "192.0.2.7", 0.0, moved=True)))
    assert (first.label, first.value) == ("Back to your table", "Kitchen")
    assert first.about == "Your table is on another computer now."
    assert first.errand == Join("192.0.2.7", "player")
    assert tuple(others) == lines_of(Home())


def test_a_seat_at_anothers_table_is_the_first_line() -> None:
    (first, *others) = lines_of(Home(own=OwnTable("Kitchen", "192.0.2.7", 0.0, guest=True)))
    assert (first.label, first.value) == ("Back to your table", "Kitchen")
    assert first.about == "You come back without the code, to your seat if it is still yours."
    assert first.errand == Join("192.0.2.7", "player")
    assert tuple(others) == lines_of(Home())


@pytest.mark.parametrize("size", [(120, 36), (200, 60)])
def test_a_wide_list_has_the_names_of_all_players(size: tuple[int, int]) -> None:
    names = ("Alexandra-Maria Lee", "Константин Дм", "민준이네 커피", "Wilhelmina Fried")
    players = tuple((name, 10 + place) for place, name in enumerate(names))
    games = tuple(Recorded(f"/{one}.record", "2026-02-01 20:15", players) for one in range(60))
    lines = [*draw_home(replace(home("records"), games=games), *size).lines()]
    rows = [line for line in lines if "2026-02-01" in line]
    assert len(rows) > size[1] // 2
    assert all(f"{name}: {score}" in row for row in rows for name, score in players)


@pytest.mark.parametrize("language", EXTREMES)
@pytest.mark.parametrize("size", [(40, 12), (59, 20), (60, 20), (80, 24), (120, 36)])
def test_a_table_to_reopen_shows_its_port(language: str, size: tuple[int, int]) -> None:
    at = home()
    at = replace(at, unfinished=unfinished(alone=False), page=replace(at.page, size=size))
    with spoken(language):
        line = lines_of(at)[0]
        (shown,) = [text for text in draw_home(at, *size).lines() if line.label in text]
    assert line.value in shown
    assert "65533" in shown


def test_a_port_that_is_unknown_is_not_shown() -> None:
    at = Home(unfinished=replace(unfinished(alone=False), port=0))
    assert lines_of(at)[0].value == "round 4"


def test_a_table_without_a_name_shows_what_others_will_see() -> None:
    assert lines_of(home("host"))[1].value == "Ann's table"
    typed = pressed(home("host"), "down", *"Cafe")
    assert lines_of(typed)[1].value == "Cafe"
    field = lines_of(pressed(home("host"), "down"))[1].draft
    assert field is not None
    assert not field.text, "there is nothing to delete first"
