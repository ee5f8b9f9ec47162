"""`coffeerush`: speaks the person's language before anything of the command line is put in words.

The texts of the commands are translated when their modules are loaded, so this comes first.
"""

import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise
from types import FrameType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import click

_ENDING: Final = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
"""What ends the program; SIGHUP tells that its terminal was closed."""
_TIDYING_SECONDS: Final = 10.0
"""After a signal the program ends, whatever holds its tidying up."""


def main() -> None:
    """Run the command that was typed."""
    end_on_signals()
    _open_closed()
    try:
        group = _load()
    except KeyboardInterrupt:  # the group sees to a later one
        sys.exit(128 + signal.SIGINT)
    group()


def end_on_signals() -> None:
    """Have what ends the program end it by tidying up."""
    for number in _ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:  # as under nohup
            signal.signal(number, _end)


def _load() -> "click.Group":
    """Return the commands, in the person's language."""
    from coffeerush.local import settings_file
    from coffeerush.local.settings import language_named
    from coffeerush.ui.words.i18n import set_language

    chosen = language_named(_after_lang(sys.argv[1:])) or settings_file.load().language
    set_language(chosen or None)
    from .commands import group

    return group


def _open_closed() -> None:
    """Open what a shell has closed of the standard descriptors; a socket would get its number."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free: this one
    if sys.stderr is None:
        sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115 - it stays open


def _end(number: int, _frame: FrameType | None) -> None:
    """End with the terminal as it was, and not in the middle of a frame or of tidying up."""
    from asyncio import get_running_loop  # only now: the first frame does not wait for it
    from threading import Timer

    for each in _ENDING:
        signal.signal(each, signal.SIG_IGN)
    _resume_output()
    held_up = Timer(_TIDYING_SECONDS, os._exit, (128 + number,))
    held_up.daemon = True
    held_up.start()
    try:
        loop = get_running_loop()
    except RuntimeError:
        sys.exit(128 + number)
    loop.call_soon_threadsafe(sys.exit, 128 + number)


def _resume_output() -> None:
    """Lift Ctrl-S off the terminal: whoever writes there waits, and the end would wait for them."""
    import termios

    for flow in (termios.TCOOFF, termios.TCOON):  # only what TCOOFF has stopped is begun again
        with suppress(termios.error):  # no terminal
            termios.tcflow(1, flow)


def _after_lang(words: Sequence[str]) -> str:
    """Return what was typed for `--lang`; click judges it later."""
    for word, following in pairwise([*words, ""]):
        if word == "--lang":
            return following
        if word.startswith("--lang="):
            return word.removeprefix("--lang=")
    return ""
