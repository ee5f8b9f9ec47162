"""Typed lines: each is handed out once, in order, no matter who asks and how it comes."""

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from coffeerush.ui.plain.typed_lines import TypedLines


@contextmanager
def typing() -> Iterator[tuple[TypedLines, int]]:
    """Yield typed lines, and the descriptor at which they are typed."""
    reading, writing = os.pipe()
    with open(reading, encoding="utf-8") as stream:
        yield TypedLines(stream), writing
        with suppress(OSError):
            os.close(writing)


async def after(typed: TypedLines, writing: int, text: bytes) -> str | None:
    """Return the line that is asked for before `text` is typed."""
    asked = asyncio.create_task(typed.next())
    await asyncio.sleep(0)  # lets it ask
    os.write(writing, text)
    return await asked


def test_lines_come_in_order_over_several_loops() -> None:
    with typing() as (typed, writing):
        assert asyncio.run(after(typed, writing, b"one\ntwo\nth")) == "one"
        assert asyncio.run(typed.next()) == "two"
        assert asyncio.run(after(typed, writing, b"ree\nfo\xffur")) == "three"
        os.close(writing)
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

    with typing() as (typed, writing):
        asyncio.run(give_up(typed))
        assert asyncio.run(after(typed, writing, b"kept\n")) == "kept"


def test_a_closed_input_has_ended() -> None:
    assert asyncio.run(TypedLines(None).next()) is None
