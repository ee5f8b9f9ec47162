"""The page and its line for commands of plain mode show one table to one person."""

import asyncio
from random import Random

import msgspec
import pytest
from msgspec.structs import replace

from coffeerush.guests.front_end import Shares
from coffeerush.guests.register import BrowserToken
from coffeerush.guests.visit import Entrance
from coffeerush.guests.web.elements import Element
from coffeerush.guests.web.front import (
    MAX_MESSAGE,
    SIZE,
    Clicked,
    Commanded,
    Field,
    KeyPressed,
    PageFrame,
    PageFront,
    PageMessage,
    Present,
    Skipped,
    decode,
    entrance_field,
    field_of,
)
from coffeerush.guests.web.page import newest
from coffeerush.local.settings import Settings
from coffeerush.ui.pages.pages import ROWS
from coffeerush.ui.table.on_update import SAID_SECONDS
from coffeerush.ui.table.state import Ui
from coffeerush.ui.table.table_app import Screen
from coffeerush.ui.terminal.keys import Draft
from coffeerush.ui.terminal.theme import palette_of
from coffeerush.ui.words.i18n import speak_apart
from protocol import NAME_CELLS, NO_ID, PROTOCOL_VERSION, Chat, Hello, Ready, Start
from tests.support.local import LocalLink, LocalTable, begun, choose
from tests.support.screen_terminal import QUIET, run, skip

# The page and its line for commands of plain mode show one table to one person


Z = 25


def at() -> tuple[Shares, str, str, BrowserToken]:
    return Shares(), "127.0.0.1", "en", BrowserToken("token")


async def test_settings_that_are_typed_are_those_of_the_screen() -> None:
    kept: list[Settings] = []
    shown = asyncio.Event()
    speak_apart(["en"])
    link = LocalTable(2).link("Ann")
    front = PageFront(*at(), lambda _frame: shown.set(), lambda: None)
    screen = Screen(link, Settings(), kept.append, front.display)

    async def drawn() -> None:
        """Wait for the frame that answers what was heard."""
        shown.clear()
        await shown.wait()

    showing = asyncio.create_task(screen.run())
    await shown.wait()
    row = 1 + [row.field for row in ROWS].index("bell")
    front.hear(Commanded(f"settings {row}"))
    await drawn()
    assert (screen.settings.bell, kept[-1].bell) == (False, False)
    front.hear(Commanded("guide off"))
    await drawn()
    assert (screen.ui.guide, screen.settings.guided, kept[-1].guided) == (False, True, True)
    front.hear(Commanded("guide on"))
    await drawn()
    assert (screen.ui.guide, kept[-1].guided, kept[-1].bell) == (True, False, False)
    front.hear(Commanded("language ko"))
    await drawn()
    assert (screen.settings.language, kept[-1].language) == ("ko", "ko")
    showing.cancel()


async def test_a_letter_and_a_colour_are_the_same_for_keys_and_for_commands() -> None:
    kept: list[Settings] = []
    shown = asyncio.Event()
    link = LocalTable(2).link("Ann")
    front = PageFront(*at(), lambda _frame: shown.set(), lambda: None)
    showing = asyncio.create_task(Screen(link, QUIET, kept.append, front.display).run())
    await shown.wait()

    async def marks_after(message: PageMessage) -> tuple[int | None, int | None]:
        shown.clear()
        front.hear(message)
        await shown.wait()
        assert link.model.table
        seat = link.model.table.seats[0]
        assert (seat.letter, seat.colour) == (kept[-1].letter, kept[-1].colour)
        return seat.letter, seat.colour

    assert await marks_after(KeyPressed("h")) == (None, 1)
    assert await marks_after(Commanded("letter z")) == (Z, 1)
    assert await marks_after(KeyPressed("h")) == (Z, 2)
    assert await marks_after(Commanded("colour 4")) == (Z, 3)
    showing.cancel()


def test_a_message_that_is_no_message_is_an_error_of_one_kind() -> None:
    for data in (b"", b"[" * MAX_MESSAGE, b'{"is":"key","x":' + b"[" * 1000):
        with pytest.raises(msgspec.MsgspecError):
            decode(data)


# What a frame has besides its elements


async def test_a_button_that_is_not_on_the_page_cannot_be_tapped() -> None:
    shown = asyncio.Event()
    frames: list[PageFrame] = []

    def send(frame: PageFrame) -> None:
        frames.append(frame)
        shown.set()

    front = PageFront(*at(), send, lambda: None)
    link = LocalTable(2).link("Ann")
    showing = asyncio.create_task(Screen(link, QUIET, print, front.display).run())
    await shown.wait()

    async def answer_to(message: PageMessage) -> PageFrame:
        shown.clear()
        front.hear(message)
        await shown.wait()
        return frames[-1]

    assert (await answer_to(Clicked("key", "i"))).parts is None, "there are no hints yet"
    assert (await answer_to(Clicked("cell", 1))).parts is None
    assert (await answer_to(Clicked("key", "f3"))).parts
    themes = [row.field for row in ROWS].index("theme")
    colours = (await answer_to(Clicked("row", themes))).colours
    assert colours == palette_of("light")
    assert (await answer_to(Present())) == PageFrame(), "every message is answered"
    showing.cancel()


async def test_no_mark_of_guests_is_behind_names_in_a_game() -> None:
    """In the lobby it says who has come with a browser; two of one name are told apart by it."""
    frames: list[PageFrame] = []
    drawn = asyncio.Event()

    def take(frame: PageFrame) -> None:
        frames.append(frame)
        drawn.set()

    table = LocalTable(4)
    names = ("Ann (web)", "Bob (ssh)", "Cid", "Cid (web)")
    links = [table.link(name) for name in names]
    front = PageFront(*at(), take, lambda: None)
    showing = asyncio.create_task(Screen(links[0], QUIET, print, front.display).run())

    async def shown(stage: str) -> str:
        """Return all that is shown and said until a stage has come."""
        while f"main {stage}" not in str([frame.parts for frame in frames]):
            drawn.clear()
            await drawn.wait()
        return str([(frame.parts, frame.say) for frame in frames])

    lobby = await shown("lobby")
    assert all(name in lobby for name in names)
    frames.clear()
    for link in links:
        link.wish(Ready(NO_ID, True))
    links[0].wish(Start(NO_ID))
    game = await shown("game")
    assert "Bob" in game
    assert "Ann (web)" not in game
    assert "(ssh)" not in game
    assert "Cid (web)" in game
    showing.cancel()


async def test_a_tap_on_nothing_skips_the_moves_of_others() -> None:
    link, drawn = begun(("regular", "regular"), seed=3), asyncio.Event()
    front = PageFront(*at(), lambda _frame: drawn.set(), lambda: None)
    screen = Screen(link, replace(QUIET, speed="slow"), print, front.display)
    showing = asyncio.create_task(screen.run())
    await drawn.wait()
    while not (link.model.my_turn and link.model.view and link.model.view.round > 1):
        link.wish(choose(link, Random(1)))

    def shows_my_turn() -> bool:
        return screen.seen.my_turn

    while shows_my_turn():  # as it was before
        drawn.clear()
        await drawn.wait()
    view = link.model.view
    while screen.seen is not link.model:
        drawn.clear()
        front.hear(Skipped())
        await drawn.wait()
    front.hear(Skipped())
    assert link.model.view is view, "it does nothing else"
    showing.cancel()


def test_a_frame_without_news_is_empty() -> None:
    assert msgspec.json.encode(PageFrame()) == b"{}"


@pytest.mark.parametrize(
    ("ui", "wanted"),
    [
        (Ui(), None),
        (Ui(mode="chat", draft=Draft("hel", "lo")), Field("Say:", "hello", 80)),
        (Ui(mode="name", draft=Draft("hel", "lo")), Field("New name:", "hello", 24)),
        (Ui(mode="letter"), Field("Your letter, A to Z:", "", 1)),
        (Ui(mode="settings", editing=True, row=14), Field("Your name", "", 80)),
    ],
)
def test_the_open_text_field(ui: Ui, wanted: Field | None) -> None:
    assert field_of(ui) == wanted


def test_the_text_field_of_the_form_at_the_entrance() -> None:
    form = Entrance(Settings(), Draft("Ann"), asks_code=False)
    assert entrance_field(form) == Field("Your name", "Ann", NAME_CELLS)
    assert entrance_field(replace(form, row="player")) is None


def test_the_tables_are_on_the_page_and_one_is_watched() -> None:
    shown = asyncio.Event()

    async def visit() -> None:
        local = LocalTable(2)
        link = local.link("Ann")
        cid = local.link("Cid", "spectator")
        cid.wish(Hello(NO_ID, PROTOCOL_VERSION, "Cid", "player", "new"))
        front = PageFront(*at(), lambda _frame: shown.set(), lambda: None)
        screen = Screen(link, QUIET, lambda _settings: None, front.display)

        async def drawn(message: PageMessage) -> str:
            """Wait for the frame that answers what was tapped, and return the whole page."""
            shown.clear()
            front.hear(message)
            await shown.wait()
            shown.clear()
            local.tick()  # by then the list is asked for
            front.hear(Present(touch=True))
            await shown.wait()
            return repr(front._page(screen)[0])

        showing = asyncio.create_task(screen.run())
        await shown.wait()
        assert "Kitchen 2: C\\xa0Cid; 1 open seat (sit down)" in await drawn(Clicked("key", "z"))
        page = await drawn(Clicked("look", 2))
        assert "You are watching Kitchen 2." in page
        assert "Back to your table" in page
        assert (link.model.number, link.model.seat) == (1, 0)
        assert "look='turns', text='Table'" in await drawn(Clicked("key", "escape"))
        assert link.model.looking is None
        showing.cancel()

    asyncio.run(visit())


def test_what_was_said_long_ago_is_not_new_to_a_page_that_is_loaded_again() -> None:
    async def loaded(link: LocalLink) -> Element | None:
        """Return what the page says of the newest message when it is loaded now."""
        shown = asyncio.Event()
        front = PageFront(*at(), lambda _frame: shown.set(), lambda: None)
        screen = Screen(link, Settings(), print, front.display)
        showing = asyncio.create_task(screen.run())
        await shown.wait()
        showing.cancel()
        return newest(screen.scene(*SIZE))

    async def main() -> None:
        local = LocalTable(3)
        ann, bob = local.link("Ann"), local.link("Bob")
        skip(SAID_SECONDS)
        bob.wish(Chat(NO_ID, "Pizza!"))
        assert await loaded(ann)
        skip(SAID_SECONDS)
        local.link("Cid")  # the table is another one
        assert await loaded(ann) is None

    run(main(), speedup=1)


@pytest.mark.parametrize(("touch", "button"), [(False, "r"), (True, "Take a seat")])
async def test_who_comes_to_watch_reads_what_to_press_or_to_tap(touch: bool, button: str) -> None:
    shown = asyncio.Event()
    front = PageFront(*at(), lambda _frame: shown.set(), lambda: None)
    front.touch = touch
    screen = Screen(LocalTable(2).link("Eve", "spectator"), QUIET, print, front.display)
    showing = asyncio.create_task(screen.run())
    await shown.wait()
    assert f"A seat is open: “{button}” takes it." == screen.ui.note
    showing.cancel()
