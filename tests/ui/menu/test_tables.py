"""Choosing a table in the start menu: those found in the network, and the codes they ask for."""

import re
from random import Random

import pytest
from msgspec.structs import replace

from coffeerush.joining.nearby import MAX_FOUND, FoundTable
from coffeerush.local.own_tables import OwnTable
from coffeerush.local.settings import Settings
from coffeerush.ui.menu.draw_menu import draw_home, offers
from coffeerush.ui.menu.menu import (
    MAX_CHOICES,
    Home,
    Join,
    MenuAction,
    MenuPage,
    Quit,
    lines_of,
    title_of,
)
from coffeerush.ui.menu.menu_input import (
    answered,
    asking_for_code,
    gone_to,
    paste,
    press,
    told,
    with_found,
)
from coffeerush.ui.pages.pages import Page
from coffeerush.ui.terminal.canvas import Target, width
from coffeerush.ui.terminal.keys import BACKSPACE, ENTER, ESCAPE
from tests.golden.frames import spoken
from tests.ui.menu.test_menu_input import pressed, unfinished

KITCHEN = FoundTable("Kitchen", "192.168.0.12", True)
BAR = FoundTable("Bar", "192.168.0.15:47830", False)
HALL = FoundTable("민준의 카페", "192.168.0.20", True)
ASKED = Join("192.168.0.12", "player")
WRONG = "That is not the code of this table."


def at_place(place: MenuPage, *recent: str, root: MenuPage = "menu") -> Home:
    home = Home(page=Page(settings=Settings(recent=recent)), name="Ann", root=root)
    return gone_to(home, place)


def at_code(root: MenuPage = "menu") -> Home:
    home = with_found(at_place("join"), [KITCHEN])
    return replace(asking_for_code(home, ASKED), notes=(WRONG,), root=root)


def labels(at: Home) -> list[tuple[str, str]]:
    tables = [(line, line.about.rpartition(" ")[2]) for line in lines_of(at)[1:]]
    return [(line.label, address) for line, address in tables]


def test_up_on_the_first_entry_of_the_menu_goes_to_the_last_table_nearby() -> None:
    at = press(with_found(at_place("menu"), [KITCHEN, BAR]), "up")
    assert lines_of(at)[at.row].errand == Join(BAR.address, "player")
    assert press(at, "down").row == 0


def test_what_is_there_comes_first_and_of_that_what_was_joined_last() -> None:
    at = with_found(at_place("join", "cafe.local", KITCHEN.address), [BAR, KITCHEN])
    assert labels(at) == [
        ("Kitchen", KITCHEN.address),
        ("Bar", BAR.address),
        ("cafe.local", ""),
    ]


def test_what_a_person_is_about_to_choose_stays_selected() -> None:
    at = press(with_found(at_place("join"), [KITCHEN, BAR]), "2")
    for found in ([HALL, BAR], [BAR], [BAR, KITCHEN, HALL]):
        at = with_found(at, found)
        assert press(at, ENTER).errand == Join(BAR.address, "player")


@pytest.mark.parametrize("place", ["menu", "join"])
def test_a_table_that_was_silent_for_a_while_is_where_it_was(place: MenuPage) -> None:
    at = with_found(at_place(place), [KITCHEN, BAR])
    at = replace(at, row=len(lines_of(at)) - 1)
    for found in ([BAR], [KITCHEN, BAR]):
        at = with_found(at, found)
        assert lines_of(at)[at.row].errand == Join(BAR.address, "player")
    assert [line.label for line in lines_of(at)[-2:]] == ["Kitchen", "Bar"]


def test_the_list_of_tables_is_bounded_and_has_an_address_once() -> None:
    many = [FoundTable("T", f"10.0.1.{number}", True) for number in range(3 * MAX_FOUND)]
    assert with_found(at_place("menu"), [many[0], *many]).found == tuple(many[:MAX_FOUND])


def test_nothing_in_the_list_changes_its_place_while_tables_come_and_go() -> None:
    at = with_found(at_place("join", "cafe.local", HALL.address), [KITCHEN, BAR])
    places = ["Kitchen", "Bar", "cafe.local", HALL.address]
    assert [line.label for line in lines_of(at)[1:]] == places
    for found in ([BAR], [HALL, BAR], [], [HALL, BAR, KITCHEN]):
        at = with_found(at, found)
        places[3] = HALL.table if HALL in at.choices else HALL.address
        assert [line.label for line in lines_of(at)[1:]] == places
        assert press(at, "2").errand == Join(BAR.address, "player")
        assert press(replace(at, row=1), ENTER).errand == Join(KITCHEN.address, "player")
        gone = [line.label for line in lines_of(at)[1:] if line.value == "gone"]
        listed = [one for one in at.choices if not isinstance(one, str)]
        assert gone == [one.table for one in listed if one not in found]


def test_what_has_gone_leaves_the_list_when_it_is_opened_again_or_full() -> None:
    at = with_found(with_found(at_place("join"), [KITCHEN, BAR]), [BAR])
    assert [line.label for line in lines_of(gone_to(at, "join"))[1:]] == ["Bar"]
    for number in range(9):
        names = [f"10.0.{number}.{last}" for last in range(MAX_FOUND)]
        at = with_found(at, [FoundTable("T", name, True) for name in names])
        assert len(lines_of(at)) <= 1 + MAX_CHOICES
    assert labels(at)[-MAX_FOUND:] == [("T", name) for name in names]


def test_the_menu_itself_stays_where_it_is_while_tables_come_and_go() -> None:
    at = pressed(with_found(at_place("join"), [KITCHEN]), ESCAPE, ESCAPE, "down", "down")
    assert with_found(at, [BAR]).row == at.row == with_found(at, []).row
    assert [line.key for line in lines_of(at)] == [*"123456", ""], "tables have no number"


def test_a_table_nearby_is_joined_or_watched_from_the_menu() -> None:
    at = pressed(with_found(Home(), [KITCHEN, BAR]), "up")
    assert lines_of(at)[-1].value == "without a code"
    assert (offers(at)[MenuAction.NEXT], offers(at)[MenuAction.WATCH]) == ("join", "watch")
    assert press(at, ENTER).errand == Join(BAR.address, "player")
    assert press(at, "w").errand == Join(BAR.address, "spectator")
    other = press(at, "down")
    assert MenuAction.WATCH not in offers(other)
    assert press(other, "w") == other


def test_of_two_tables_with_one_name_it_is_said_who_hosts_them() -> None:
    ann = replace(KITCHEN, free=2, owner="Ann")
    ben = replace(ann, address="192.168.0.13", owner="Ben")
    at = with_found(at_place("join"), [ann, ben])
    assert [(line.label, line.value) for line in lines_of(at)[1:]] == [
        ("Kitchen (Ann)", "2 seats free, code needed"),
        ("Kitchen (Ben)", "2 seats free, code needed"),
    ]
    for name, there in (("Ann", at), ("Ben", press(at, "down"))):
        assert f"Kitchen ({name})" in "\n".join(draw_home(there, 40, 12).lines())
    asked = asking_for_code(at, Join(ben.address, "player"))
    assert title_of(asked) == "Code for Kitchen, hosted by Ben"


def test_of_two_tables_that_are_alike_it_is_said_where_they_are() -> None:
    ann = replace(KITCHEN, round=1, owner="Ann")
    at = with_found(at_place("join"), [ann, replace(ann, address="192.168.0.13"), BAR])
    assert [line.value for line in lines_of(at)[1:]] == [
        "in round 1, 192.168.0.12, code needed",
        "in round 1, 192.168.0.13, code needed",
        "without a code",
    ]
    assert "You need its code, unless you have joined it before. 192.168.0.12" in "\n".join(
        draw_home(with_found(at_place("join"), [ann]), 120, 36).lines()
    )


def test_a_name_of_a_table_that_says_who_hosts_it_says_so_once() -> None:
    at = with_found(Home(), [replace(BAR, table="Ann's table", owner="Ann")])
    assert lines_of(at)[-1].label == "Ann's table"


def test_another_table_is_never_joined_instead_of_one_that_has_vanished() -> None:
    at = pressed(with_found(Home(), [KITCHEN, BAR]), "up", "up")
    moved = with_found(at, [BAR, KITCHEN, HALL])
    assert press(moved, ENTER).errand == Join(KITCHEN.address, "player")
    gone = with_found(at, [BAR, HALL])
    assert press(gone, ENTER).errand is None
    assert press(gone, ENTER).place == "friends"


def test_the_own_table_is_not_among_those_nearby() -> None:
    own = OwnTable("Kitchen", "127.0.0.1:47820", 0.0)
    at = replace(Home(), own=own, own_addresses=frozenset({KITCHEN.address}))
    at = with_found(at, [KITCHEN, BAR])
    assert [line.label for line in lines_of(at)].count("Kitchen") == 0
    assert lines_of(at)[-1].label == "Bar"


def test_from_its_code_one_comes_back_to_the_table_in_the_menu() -> None:
    at = press(with_found(Home(), [KITCHEN]), "up")
    asked = asking_for_code(at, Join(KITCHEN.address, "player"))
    back = press(asked, ESCAPE)
    assert (back.place, back.row) == ("menu", at.row)


@pytest.mark.parametrize("size", [(40, 12), (80, 24), (120, 36)])
def test_a_table_nearby_is_in_sight_when_it_is_selected(size: tuple[int, int]) -> None:
    own = OwnTable("Den", "127.0.0.1:47820", 0.0)
    at = with_found(replace(Home(), own=own, unfinished=unfinished()), [KITCHEN, BAR, HALL])
    for table in (HALL, BAR, KITCHEN):
        at = press(at, "up")
        canvas = draw_home(at, *size)
        ((y, text),) = [(y, line) for y, line in enumerate(canvas.lines()) if "▸" in line]
        assert table.table in text
        assert canvas.target_at(text.index("▸"), y) == Target("row", at.row)


def test_it_is_said_where_tables_appear() -> None:
    searching = replace(Home(), looking=True)
    assert "new ones appear here" in "\n".join(draw_home(searching, 80, 24).lines())
    assert "Tables nearby" not in "\n".join(draw_home(Home(), 80, 24).lines())


def test_the_first_table_that_is_found_is_chosen_where_nothing_is_typed_yet() -> None:
    found = with_found(at_place("watch"), [KITCHEN])
    assert press(found, ENTER).errand == Join(KITCHEN.address, "spectator")
    typing = with_found(press(at_place("watch"), "x"), [KITCHEN])
    assert (typing.row, typing.draft.text) == (0, "x")
    known = with_found(at_place("join", "cafe.local"), [KITCHEN])
    assert press(known, ENTER).errand == Join(KITCHEN.address, "player")
    for recent in ("bar.local", BAR.address):
        chosen = press(at_place("join", recent), "down")
        for tables in ([KITCHEN], [KITCHEN, BAR]):
            chosen = with_found(chosen, tables)
            assert press(chosen, ENTER).errand == Join(recent, "player")


@pytest.mark.parametrize("place", ["join", "watch"])
def test_a_table_that_was_found_before_is_chosen_too_and_opened_by_its_digit(
    place: MenuPage,
) -> None:
    at = gone_to(with_found(at_place("menu"), [KITCHEN, BAR]), place)
    for key in (ENTER, "1"):
        errand = press(at, key).errand
        assert isinstance(errand, Join)
        assert errand.address == KITCHEN.address


def test_tables_have_numbers_only_where_digits_choose_them() -> None:
    at = gone_to(with_found(at_place("menu"), [KITCHEN, BAR]), "join")
    text = "\n".join(draw_home(at, 80, 24).lines())
    assert re.findall(r"(\d) +(\w+)  ", text) == [("1", "Kitchen"), ("2", "Bar")]
    at = press(at, "up")
    typing = "\n".join(draw_home(at, 80, 24).lines())
    assert re.findall(r"(\d) +(\w+)  ", typing) == []
    assert [line.find("Bar ") for line in typing.splitlines()] == [
        line.find("Bar ") for line in text.splitlines()
    ]
    at = press(at, "2")
    assert (at.row, at.draft.text, at.errand) == (0, "2", None)


def test_only_what_is_selected_has_a_mark_or_the_cursor() -> None:
    def cursor(at: Home) -> bool:
        """Return whether the address has the cursor, and check that one line has the mark."""
        canvas = draw_home(at, 80, 24)
        assert "\n".join(canvas.lines()).count("▸") == 1
        return canvas.caret is not None

    at = with_found(at_place("join"), [KITCHEN])
    assert not cursor(at)
    assert cursor(press(at, "up"))
    assert cursor(press(at, "x"))


def test_digits_choose_what_was_found_too() -> None:
    at = with_found(at_place("join", "cafe.local"), [KITCHEN])
    assert press(at, "1").errand == Join(KITCHEN.address, "player")
    assert press(at, "2").errand == Join("cafe.local", "player")
    assert pressed(at, "up", *"2.0.0.7", ENTER).errand == Join("2.0.0.7", "player")


def test_it_is_said_what_a_table_asks_for() -> None:
    at = with_found(at_place("join"), [KITCHEN, BAR])
    closed, opened = (line.about for line in lines_of(at)[1:])
    assert "its code" in closed
    assert "No code" in opened
    (here,) = lines_of(with_found(at_place("join"), [replace(KITCHEN, here=True)]))[1:]
    assert here.about.startswith("No code is needed on the host's own computer.")
    assert here.value == ""


def test_it_is_said_that_tables_are_looked_for() -> None:
    assert "Tables on your network" in lines_of(at_place("join"))[0].about
    assert "Tables on your network" not in lines_of(with_found(at_place("join"), [BAR]))[0].about
    cannot = replace(at_place("join"), looking=False)
    assert "Tables on your network" not in lines_of(cannot)[0].about


@pytest.mark.parametrize(
    "typed",
    [
        "apple tiger moon",
        "Apple, TIGER-moon",
        "사과 호랑이 보름달",
        "coffeerush join 192.0.2.9 apple-tiger-moon",
    ],
)
def test_a_code_is_typed_in_any_language(typed: str) -> None:
    wanted = replace(ASKED, code="apple-tiger-moon")
    assert pressed(at_code(), *typed, ENTER).errand == wanted
    assert press(paste(at_code(), f"{typed}\n"), ENTER).errand == wanted
    assert answered(at_code(), typed).errand == wanted


@pytest.mark.parametrize(
    ("typed", "said"),
    [("", "three words"), ("apple tiger", "three words"), ("apple tigre moo", "did you mean")],
)
def test_what_can_be_no_code_is_said_and_mended(typed: str, said: str) -> None:
    at = pressed(at_code(), *typed, ENTER)
    assert (at.errand, at.wrong, at.draft.text) == (None, True, typed)
    assert said in at.notes[0]
    assert not press(at, BACKSPACE).notes


def test_a_code_word_is_suggested_in_the_language_spoken() -> None:
    with spoken("es"):
        at = pressed(at_code(), *"durasno zzz zzz", ENTER)
    assert "«durazno»" in at.notes[0]


def test_one_says_that_one_knows_a_table_without_a_code() -> None:
    assert pressed(at_code(), *"Open", ENTER).errand == replace(ASKED, code="open")


def test_a_code_that_was_wrong_is_still_there() -> None:
    at = pressed(at_code(), *"apple tiger room", ENTER)
    again = asking_for_code(replace(at, errand=None), ASKED)
    assert again.draft == at.draft
    elsewhere = asking_for_code(gone_to(at, "join"), Join("cafe.local", "player"))
    assert press(again, "c-u").draft.text == "", "or taken back at once"
    assert (elsewhere.draft.text, title_of(elsewhere)) == ("", "Code for cafe.local")


@pytest.mark.parametrize("page", ["f1", "f2", "f3"])
@pytest.mark.parametrize("place", ["join", "watch", "code"])
def test_a_page_leaves_what_is_typed_as_it_was(page: str, place: MenuPage) -> None:
    at = pressed(at_code() if place == "code" else at_place(place, "cafe.local"), *"apple ti")
    for keys in ([page, ESCAPE], [page, page], [page, "tab", "tab", ESCAPE]):
        assert replace(pressed(at, *keys), page=at.page) == at
    named = pressed(at, "f3", "pagedown", ENTER, "c-u", *"Bea", ENTER, ESCAPE)
    assert (named.settings.name, named.draft.text) == ("Bea", "apple ti")
    left = pressed(named, "f3", "pagedown", ENTER, "x", ESCAPE, ESCAPE)
    assert pressed(left, *"ger").draft.text == "apple tiger"


def test_the_table_is_named_where_its_code_is_asked_for() -> None:
    assert title_of(at_code()) == "Code for Kitchen"
    lines = told(at_code())
    assert lines[:2] == (WRONG, "Code for Kitchen")
    assert "apple tiger moon" in lines[2]
    assert lines[-1] == "Type the three words of the code; 0 goes back."
    assert MenuAction.MOVE not in offers(at_code())


def test_one_comes_back_from_the_code_to_the_tables() -> None:
    assert press(at_code(), ESCAPE).place == answered(at_code(), "0").place == "join"
    watching = asking_for_code(at_place("watch"), Join("cafe.local", "spectator"))
    assert pressed(watching, ESCAPE).place == "watch"
    assert pressed(watching, ESCAPE, ESCAPE).place == "friends"
    assert pressed(watching, ESCAPE, ESCAPE, ESCAPE).place == "menu"


@pytest.mark.parametrize("at", [at_place("join", root="join"), at_code(root="code")])
def test_what_a_command_began_with_is_left_for_good(at: Home) -> None:
    assert press(at, ESCAPE).errand == answered(at, "0").errand == Quit()
    assert offers(at)[MenuAction.CLOSE] == "quit"
    assert press(at, "q").errand is None, "that is a letter"


def test_in_sentences_tables_have_numbers() -> None:
    at = with_found(at_place("join", "cafe.local"), [KITCHEN, BAR])
    assert told(at)[1:-1] == (
        "1. Kitchen: code needed",
        "2. Bar: without a code",
        "3. cafe.local",
    )
    assert answered(at, "1").errand == Join(KITCHEN.address, "player")
    assert answered(at, "cafe.local:47830").errand == Join("cafe.local:47830", "player")


@pytest.mark.parametrize(
    ("free", "game_round", "text"),
    [(2, 0, "2 seats free"), (1, 0, "1 seat free"), (0, 0, "full"), (0, 3, "in round 3")],
)
def test_a_table_tells_its_free_seats_or_its_round(free: int, game_round: int, text: str) -> None:
    table = replace(KITCHEN, free=free, round=game_round)
    assert f"1. Kitchen: {text}, code needed" in told(
        with_found(at_place("join", "cafe.local"), [table])
    )


def test_in_sentences_tables_nearby_come_after_the_entries() -> None:
    at = with_found(replace(Home(), unfinished=unfinished()), [KITCHEN, BAR])
    lines = told(at)
    at_heading = lines.index("Tables nearby:")
    assert lines[at_heading + 1 : at_heading + 4] == (
        "7. Kitchen: code needed",
        "8. Bar: without a code",
        "To watch a table, type “w” and its number, such as “w 8”.",
    )
    assert answered(at, "8").errand == Join(BAR.address, "player")
    assert answered(at, "W 7").errand == Join(KITCHEN.address, "spectator")
    for typed in ("w 9", "w 6", "w", "w x"):
        assert answered(at, typed).notes == ("Type one of the numbers, and press Enter.",)


def test_in_sentences_enter_looks_again() -> None:
    at = replace(at_place("join"), looking=False)
    assert "No table was found" in told(at)[-1]
    assert "search again" in told(with_found(at, [BAR]))[-1]
    assert answered(at, "").looking


SIZES = [(40, 12), (60, 20), (80, 24), (120, 36)]


@pytest.mark.parametrize("seed", range(4))
def test_whatever_is_found_and_pressed_every_frame_fits(seed: int) -> None:
    chance = Random(seed)
    at = at_place("join", "cafe.local", root="join")
    keys = ["up", "down", "1", "2", "x", "민", ENTER, ESCAPE, BACKSPACE, "left", "pagedown"]
    tables = [
        KITCHEN,
        BAR,
        HALL,
        *(FoundTable("A" * 24, f"10.0.0.{n}:47830", True) for n in range(9)),
    ]
    for _key in range(150):
        at = press(at, chance.choice(keys))
        if isinstance(at.errand, Join) and chance.random() < 0.5:
            at = asking_for_code(at, at.errand)
        at = replace(at, errand=None)
        if chance.random() < 0.3:
            at = with_found(at, chance.sample(tables, chance.randrange(len(tables))))
        assert 0 <= at.row < len(lines_of(at))
        columns, rows = chance.choice(SIZES)
        drawn = list(draw_home(at, columns, rows).lines())
        assert [width(line) for line in drawn] == [columns] * rows
        assert any("▸" in line for line in drawn)


def test_an_address_is_whole_on_a_small_screen() -> None:
    longest = FoundTable("민" * 12, "192.168.100.100:47830", True)
    at = with_found(at_place("join"), [longest, replace(longest, address="192.168.100.101"), BAR])
    text = "\n".join(draw_home(at, 40, 12).lines())
    assert longest.address in text
    assert "…" in text
