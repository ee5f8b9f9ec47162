"""Typed lines: each is handed out once, in order, no matter who asks and how it comes."""

import asyncio
from contextlib import suppress
from typing import BinaryIO

from coffeerush.ui.plain.typed_lines import TypedLines
from tests.support.pipes import typing


async def after(typed: TypedLines, keyboard: BinaryIO, text: bytes) -> str | None:
    """Return the line that is asked for before `text` is typed."""
    asked = asyncio.create_task(typed.next())
    await asyncio.sleep(0)  # lets it ask
    keyboard.write(text)
    return await asked


def test_lines_come_in_order_over_several_loops() -> None:
    with typing() as (typed, keyboard):
        assert asyncio.run(after(typed, keyboard, b"one\ntwo\nth")) == "one"
        assert asyncio.run(typed.next()) == "two"
        assert asyncio.run(after(typed, keyboard, b"ree\nfo\xffur")) == "three"
        keyboard.close()
        assert asyncio.run(typed.next()) == "fo\ufffdur"
        assert asyncio.run(typed.next()) is None
        assert asyncio.run(typed.next()) is None


def test_who_does_not_wait_any_more_takes_no_line() -> None:
    async def give_up(typed: TypedLines) -> None:
        asked = asyncio.create_task(typed.next())
        await asyncio.sleep(0)  # lets it ask
        asked.cancel()
        with suppress(asyncio.CancelledError):
            await asked

    with typing() as (typed, keyboard):
        asyncio.run(give_up(typed))
        assert asyncio.run(after(typed, keyboard, b"kept\n")) == "kept"


def test_a_closed_input_has_ended() -> None:
    assert asyncio.run(TypedLines(None).next()) is None
