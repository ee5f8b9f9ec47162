"""The start menu on a terminal: through the real parser of keys and the real output."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.input.typeahead import store_typeahead
from prompt_toolkit.key_binding.key_processor import KeyPress

from coffeerush.joining.browsing import OnBegin, Tell
from coffeerush.joining.nearby import FoundTable
from coffeerush.league.table import MERGES_FILE
from coffeerush.local.files import STATE_VARIABLE, locked
from coffeerush.local.keys import keys_for
from coffeerush.local.settings import Settings, load_settings
from coffeerush.records.entries import Seated
from coffeerush.table_rules import TableRules
from coffeerush.ui.menu.menu import Home, Join, Play, Quit, ShowReplay
from coffeerush.ui.menu.menu_app import BROWSE_SECONDS, Finder, HomeScreen, ask
from coffeerush.ui.pages.pages import Page
from coffeerush.ui.person import LocalPerson
from coffeerush.ui.words.i18n import set_language
from tests.support.leagues import ANN, BOB, MINE, OTHER_ANN, game_of, save
from tests.support.pipes import typing
from tests.support.records import head_of, lines, play
from tests.support.screen_terminal import DOWN, ENTER, ESCAPE, INTERRUPT, LEFT, RIGHT, UP, Tty, run


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path))
    return tmp_path


def begun(person: LocalPerson) -> Home:
    return Home(page=Page(settings=person.settings), name=person.name)


class Shown(Tty):
    """A terminal with the menu on it."""

    screen: HomeScreen


async def nowhere(tell: Tell, on_begin: OnBegin) -> None:
    """Find no table, however long one looks."""
    await asyncio.get_running_loop().create_future()


async def kitchen(tell: Tell, on_begin: OnBegin) -> None:
    """Find a table in the network."""
    tell((FoundTable("Kitchen", "192.168.0.12", True),))
    await nowhere(tell, on_begin)


async def briefly(tell: Tell, on_begin: OnBegin) -> None:
    """Find a table, and look no longer."""
    tell((FoundTable("Kitchen", "192.168.0.12", True),))


async def cannot(tell: Tell, on_begin: OnBegin) -> None:
    """Return at once, as on a machine without a network."""


@asynccontextmanager
async def shown(
    records: Path,
    columns: int = 80,
    rows: int = 24,
    finder: Finder = nowhere,
    before: Callable[[PipeInput], None] = lambda _keys: None,
    looking: bool = False,
) -> AsyncIterator[Shown]:
    with create_pipe_input() as keys:
        before(keys)
        terminal = Shown(keys, (columns, rows))
        person = LocalPerson(plain=False, name="Ann")
        home = replace(begun(person), looking=looking)
        terminal.screen = HomeScreen(person, home, records, keys, terminal.output, finder)
        async with terminal.running(terminal.screen):
            yield terminal


async def test_a_game_is_chosen_by_keys(tmp_path: Path) -> None:
    async with shown(tmp_path) as terminal:
        await terminal.see("Play against bots")
        await terminal.press("1", DOWN, LEFT)
        await terminal.see("◂ 1 ▸")
        terminal._keys.send_text("1")
    assert terminal.screen.home.errand == Play(("casual",), TableRules())
    assert load_settings() == Settings(opponents=("casual",)), "the name is of this run alone"


@pytest.mark.slow
@pytest.mark.parametrize(
    "before",
    [
        lambda keys: keys.send_text("q"),
        lambda keys: keys.send_text("qqq"),
        lambda keys: keys.send_text(INTERRUPT),
        lambda keys: keys.send_text("\x1b["),
        lambda keys: keys.send_text("4" * 3000),
        lambda keys: store_typeahead(keys, [KeyPress("q")]),
    ],
    ids=["one", "several", "interrupt", "half", "many", "typeahead"],
)
async def test_keys_pressed_before_the_menu_was_drawn_do_nothing(
    tmp_path: Path, before: Callable[[PipeInput], None]
) -> None:
    async with shown(tmp_path, before=before) as terminal:
        assert (terminal.screen.home.errand, terminal.screen.home.place) == (None, "menu")
        await terminal.press("3", "3")
        await terminal.see("Enter connect")
        assert terminal.screen.home.place == "watch"


async def test_what_is_pasted_is_an_address(tmp_path: Path) -> None:
    async with shown(tmp_path) as terminal:
        await terminal.press("3", "2", "\x1b[200~cafe.local:47830\x1b[201~")
        await terminal.see("cafe.local:47830")
        terminal._keys.send_text(ENTER)
    assert terminal.screen.home.errand == Join("cafe.local:47830", "player")


async def test_keys_of_a_typed_line_come_through(tmp_path: Path) -> None:
    async with shown(tmp_path) as terminal:
        await terminal.press("3", "2", "b", "c", "\x1b[H", "a")
        await terminal.press("\x05", "x", "d", "\x01", "\x1b[3~")
        await terminal.see("▌bcxd")
        await terminal.press("\x1b[F", LEFT, "\x17")
        await terminal.see("▌d")
        await terminal.press("\x0b", "e")
        await terminal.see("e▌")
        assert terminal.under_cursor == "▌"
        terminal._keys.send_text(INTERRUPT)


async def test_a_table_of_the_network_appears_and_is_chosen(tmp_path: Path) -> None:
    async with shown(tmp_path, finder=kitchen) as terminal:
        await terminal.press("3", "2")
        await terminal.see("▸ 1  Kitchen   code needed")
        terminal._keys.send_text(ENTER)
    assert terminal.screen.home.errand == Join("192.168.0.12", "player")


async def test_tables_nearby_appear_in_the_menu_and_are_watched(tmp_path: Path) -> None:
    async with shown(tmp_path, finder=kitchen, looking=True) as terminal:
        await terminal.see("Kitchen   code needed")
        await terminal.press(UP, "w")
    assert terminal.screen.home.errand == Join("192.168.0.12", "spectator")


def ann_has_won(records: Path) -> None:
    """Save a game that the person has won under one of their keys, and one under another key."""
    in_the_kitchen, in_the_bar = (
        Seated("Ann", key=keys_for(host, "Ann").public.decode()) for host in ("kitchen", "bar")
    )
    save(records, game_of(in_the_kitchen, BOB, MINE, OTHER_ANN, number=1), 0)
    save(records, game_of(BOB, in_the_bar, MINE, OTHER_ANN, number=2), 1)


async def test_the_results_under_all_keys_are_counted(tmp_path: Path) -> None:
    ann_has_won(tmp_path / "records")
    async with shown(tmp_path / "records") as terminal:
        await terminal.see("You are Ann · 2 games, 1 won, best turn: ")


async def test_nothing_is_written_to_count_no_games(tmp_path: Path) -> None:
    async with shown(tmp_path / "records") as terminal:
        await terminal.press(DOWN)
        assert terminal.screen.home.own_record is None
    assert not [*tmp_path.iterdir()]


async def test_where_no_table_can_be_looked_for_an_address_is_asked_for(tmp_path: Path) -> None:
    async with shown(tmp_path, finder=cannot) as terminal:
        await terminal.press("3", "3")
        await terminal.see("cafe.local:47830")
        assert not any("Tables on your network" in line for line in terminal.lines)


async def test_a_search_that_has_ended_begins_again_with_the_next_choice(tmp_path: Path) -> None:
    finders = iter([cannot, kitchen])

    async def finder(tell: Tell, on_begin: OnBegin) -> None:
        await next(finders)(tell, on_begin)

    async with shown(tmp_path, finder=finder) as terminal:
        await terminal.press("3", "2", "x")
        await terminal.see("cafe.local:47830")
        await terminal.press(ESCAPE)
        await terminal.see("Host a table")  # else the next key could belong to the Esc
        await terminal.press("2")
        await terminal.see("▸ 1  Kitchen   code needed")


@pytest.mark.slow
async def test_a_click_chooses(tmp_path: Path) -> None:
    async with shown(tmp_path) as terminal:
        row = next(y for y, line in enumerate(terminal.lines, 1) if "Play against" in line)
        await terminal.press(f"\x1b[<0;12;{row}M")
        await terminal.see("Start the game")


def test_a_double_click_is_one(tmp_path: Path) -> None:
    async def main() -> None:
        async with shown(tmp_path) as terminal:
            row = next(y for y, line in enumerate(terminal.lines, 1) if "Play against" in line)
            terminal._keys.send_text(f"\x1b[<0;12;{row}M" * 2)
            await terminal.see("Start the game")
            assert terminal.screen.home == replace(terminal.screen.home, row=0, errand=None)
            assert terminal.screen.settings.opponents == Settings().opponents

    run(main(), speedup=1)  # the clicks also have to be close on the screen's clock


def test_the_language_changes_on_the_spot(tmp_path: Path) -> None:
    async def main() -> None:
        async with shown(tmp_path) as terminal:
            await terminal.press("5", RIGHT)
            await terminal.see("English")
            await terminal.press(ESCAPE)
            assert terminal.screen.settings.language == "en"

    try:
        run(main())
    finally:
        set_language()
    assert load_settings().language == "en"


async def test_finished_games_are_listed_and_opened(tmp_path: Path) -> None:
    (tmp_path / "game.record").write_bytes(lines(play(head_of(2))))
    os.utime(tmp_path / "game.record", (1_000_000_000, 1_000_000_000))
    async with shown(tmp_path) as terminal:
        await terminal.press("4", "1")
        await terminal.see("2001-09-")
        await terminal.see("Ann: ")
        terminal._keys.send_text("1")
    assert terminal.screen.home.errand == ShowReplay(str(tmp_path / "game.record"))


async def test_the_league_is_read_from_the_records(tmp_path: Path) -> None:
    records = tmp_path / "records"
    async with shown(records) as terminal:
        await terminal.press("4", "2")
        await terminal.see("You have not finished a game yet.")
        await terminal.press(ENTER)
        save(records, game_of(OTHER_ANN, BOB, MINE, ANN), 0)
        await terminal.press(ENTER)
        await terminal.see("▸ 1  Ann (")
        await terminal.see("Wins over strong players count for more.")
        await terminal.press("2")
        await terminal.see("Against Mine (bot)")
        await terminal.see("2026-01-01")
        await terminal.press(ESCAPE)
        await terminal.see("▸ 2  Bob")
        (tmp_path / "league" / MERGES_FILE).write_text("{")
        await terminal.press(ESCAPE)
        await terminal.see("▸ 2  House league")
        await terminal.press(ENTER)
        await terminal.until(
            lambda: "says which players are the same" in " ".join(terminal.text.split())
        )
        await terminal.see("▸ 2  House league")


def test_the_menu_is_left_while_another_program_reads_the_league(tmp_path: Path) -> None:
    (tmp_path / "league").mkdir()

    async def main() -> None:
        async with shown(tmp_path) as terminal:
            await terminal.press("4", "2")
            await terminal.see("Another program is using the league")
            await terminal.press(ESCAPE)
            await terminal.see("▸ 2  House league")
            terminal._keys.send_text(INTERRUPT)
        assert terminal.screen.home.errand == Quit()

    with locked(tmp_path / "league"):
        run(main())


async def test_settings_that_cannot_be_kept_are_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path / "a file"))
    (tmp_path / "a file").touch()
    async with shown(tmp_path) as terminal:
        await terminal.press("1", DOWN, LEFT)
        await terminal.see("cannot be saved")


@pytest.mark.parametrize("size", [(40, 12), (120, 36)])
async def test_the_menu_fits_and_ctrl_c_ends_it(tmp_path: Path, size: tuple[int, int]) -> None:
    async with shown(tmp_path, *size) as terminal:
        await terminal.see("6  Rules")
        await terminal.see("q quit")
        await terminal.resize(80, 24)
        await terminal.see("Enter open")
        terminal._keys.send_text(INTERRUPT)
    assert terminal.screen.home.errand == Quit()


def test_in_sentences_tables_are_looked_for_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    person = LocalPerson(plain=True)
    with typing("3\n2\n1\n", more=False) as (typed, _keyboard):
        home = asyncio.run(ask(person, begun(person), tmp_path, typed, briefly))
        assert home.errand == Join("192.168.0.12", "player")
    said = capsys.readouterr().out
    assert "Looking for tables on your network…\nJoin a table\n1. Kitchen: code needed" in said


@pytest.mark.slow
async def test_in_sentences_what_is_found_and_counted_is_told_meanwhile(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ann_has_won(tmp_path / "records")
    told = ""

    async def said(text: str) -> None:
        nonlocal told
        while text not in told:
            told += capsys.readouterr().out
            await asyncio.sleep(0)

    found: list[Tell] = []

    async def finder(tell: Tell, on_begin: OnBegin) -> None:
        found.append(tell)
        await nowhere(tell, on_begin)

    person = LocalPerson(plain=True)
    with typing() as (typed, keyboard):
        home = replace(begun(person), looking=True)
        menu = asyncio.ensure_future(ask(person, home, tmp_path / "records", typed, finder))
        await said("0 quits the program.\n")
        await said("2 games, 1 won, best turn: ")
        kitchen = FoundTable("Kitchen", "192.168.0.12", True)
        bar = FoundTable("Bar", "192.168.0.15", False)
        found[0]((kitchen,))
        await said("Tables nearby:\n7. Kitchen: code needed\n")
        found[0]((bar,))
        await said("8. Bar: without a code\n")
        keyboard.write(b"w 8\n")
        assert (await menu).errand == Join("192.168.0.15", "spectator")


@pytest.mark.slow
async def test_in_sentences_a_search_that_begins_late_has_as_long(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def late(tell: Tell, on_begin: OnBegin) -> None:
        await asyncio.sleep(2 * BROWSE_SECONDS)
        on_begin()
        await asyncio.sleep(BROWSE_SECONDS / 2)
        await kitchen(tell, on_begin)

    person = LocalPerson(plain=True)
    with typing("3\n2\n1\n", more=False) as (typed, _keyboard):
        home = await ask(person, begun(person), tmp_path, typed, late)
    assert home.errand == Join("192.168.0.12", "player")
    assert "No table was found" not in capsys.readouterr().out


def test_in_sentences_the_league_is_listed_and_opened(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save(tmp_path, game_of(OTHER_ANN, BOB, MINE, ANN), 0)
    person = LocalPerson(plain=True)
    with typing("4\n2\n2\n0\n0\n3\n0\n", more=False) as (typed, _keyboard):
        home = asyncio.run(ask(person, begun(person), tmp_path, typed))
    assert (home.place, home.errand) == ("games", Quit())
    said = capsys.readouterr().out
    assert "\nHouse league\n1. Ann (" in said
    assert "\nType the number of a player to see more; 0 goes back.\n" in said
    assert "\nBob\nRating: " in said
    assert "\nAgainst Mine (bot): ahead 1, behind 0\n" in said
    assert "\nEvening of 2026-01-01\nAnn: won 1 of 1\n" in said


def test_in_sentences_lines_of_a_pipe_do_the_same(tmp_path: Path) -> None:
    person = LocalPerson(plain=True)
    with typing("5\n6\n0\n1\n\nfor the table\n", more=False) as (typed, _keyboard):
        home = asyncio.run(ask(person, begun(person), tmp_path, typed))
        assert home.errand == Play(("casual", "regular"), TableRules())
        assert not load_settings().bell
        assert asyncio.run(typed.next()) == "for the table", "what comes after is for the game"
        after = asyncio.run(ask(person, begun(person), tmp_path, typed))
        assert after.errand == Quit(), "the input has ended"
