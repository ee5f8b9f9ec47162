"""Lines typed into a pipe, as those of a terminal are read."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from coffeerush.ui.plain.typed_lines import TypedLines


@contextmanager
def typing(text: str = "", *, more: bool = True) -> Iterator[tuple[TypedLines, BinaryIO]]:
    """Yield typed lines, and the end of the pipe at which they are typed; it ends without `more`.

    The thread that reads has ended when the pipe is closed: the next to be given the number of its
    descriptor would lose input to it.
    """
    reading, writing = os.pipe()
    with open(reading, encoding="utf-8") as stream:
        typed = TypedLines(stream)
        try:
            with open(writing, "wb", buffering=0) as keyboard:
                keyboard.write(text.encode())
                if not more:
                    keyboard.close()
                yield typed, keyboard
        finally:
            if typed._thread:
                typed._thread.join()
