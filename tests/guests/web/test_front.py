"""The page and its line for commands of plain mode show one table to one person."""

import asyncio

import msgspec
import pytest

from coffeerush.guests.front_end import Shares
from coffeerush.guests.register import BrowserToken
from coffeerush.guests.web.front import (
    MAX_MESSAGE,
    Commanded,
    KeyPressed,
    PageFront,
    PageMessage,
    decode,
)
from coffeerush.local.settings import Settings
from coffeerush.ui.pages.pages import ROWS
from coffeerush.ui.table.table_app import Screen
from coffeerush.ui.words.i18n import speak_apart
from tests.support.local import LocalTable
from tests.support.screen_terminal import QUIET

Z = 25


def test_settings_that_are_typed_are_those_of_the_screen() -> None:
    kept: list[Settings] = []
    shown = asyncio.Event()

    async def visit() -> None:
        speak_apart(["en"])
        link = LocalTable(2).link("Ann")
        at = "127.0.0.1", (80, 24), "en", BrowserToken("token")
        front = PageFront(Shares(), *at, lambda _frame: shown.set(), lambda: None)
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

    asyncio.run(visit())


def test_a_letter_and_a_colour_are_the_same_for_keys_and_for_commands() -> None:
    kept: list[Settings] = []
    shown = asyncio.Event()

    async def visit() -> None:
        link = LocalTable(2).link("Ann")
        at = "127.0.0.1", (80, 24), "en", BrowserToken("token")
        front = PageFront(Shares(), *at, lambda _frame: shown.set(), lambda: None)
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

    asyncio.run(visit())


def test_a_message_that_is_no_message_is_an_error_of_one_kind() -> None:
    for data in (b"", b"[" * MAX_MESSAGE, b'{"is":"key","x":' + b"[" * 1000):
        with pytest.raises(msgspec.MsgspecError):
            decode(data)
