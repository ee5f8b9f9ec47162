"""Keys that are typed while no screen is shown: they are not echoed between two screens."""

import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_LOCAL_MODES: Final = 3
"""The index of the local modes in the attributes of a terminal."""


@contextmanager
def unechoed() -> Iterator[None]:
    """Do not echo keys; the next screen ignores them, as they were not meant for it."""
    try:
        descriptor = sys.stdin.fileno()
        before = termios.tcgetattr(descriptor)
    except (OSError, ValueError, termios.error):  # no terminal
        yield
        return
    quiet = [*before]
    quiet[_LOCAL_MODES] &= ~termios.ECHO
    termios.tcsetattr(descriptor, termios.TCSADRAIN, quiet)
    try:
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
