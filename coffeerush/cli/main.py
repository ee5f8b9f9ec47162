"""The entry point of `coffeerush`: signals, standard streams and the language.

The texts of the commands are translated when their modules are imported, so this comes first.
"""

import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from io import TextIOWrapper
from itertools import pairwise
from types import FrameType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

    import click

_ENDING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
"""The signals that end the program; SIGHUP means that its terminal was closed.

After the first one they are ignored: a Ctrl-C that is repeated must not break off the cleanup."""
_CLEANUP_SECONDS: Final = 10.0
"""The timeout for the cleanup after a signal; then SIGALRM kills the program."""
_came: Final[list[int]] = []
"""The signal that ends the program; more may come before they are ignored."""


def main() -> None:
    """Run the command that was typed."""
    end_on_signals()
    _prepare_streams()
    try:
        group = _load()
    except KeyboardInterrupt:  # later on, the group handles it
        sys.exit(128 + signal.SIGINT)
    group()


def end_on_signals() -> None:
    """Exit with a cleanup on the signals that end the program."""
    for number in _ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:  # ignored under nohup
            signal.signal(number, _end)


def ignore_signals() -> None:
    """Ignore the signals that end the program: it ends already, and its exit code stands."""
    for each in _ENDING:
        signal.signal(each, signal.SIG_IGN)


def _load() -> "click.Group":
    """Import the commands, in the person's language."""
    from coffeerush.local.settings import language_named, load_settings
    from coffeerush.ui.words.i18n import set_language

    chosen = language_named(_after_lang(sys.argv[1:])) or load_settings().language
    set_language(chosen or None)
    from .commands import group

    return group


def _prepare_streams() -> None:
    """Reopen standard descriptors closed by the shell; else a socket would get their number.

    A letter that the encoding of standard output lacks becomes `?`.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number: this one
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    if sys.stderr is None:
        sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115 - it stays open


def _end(number: int, _frame: FrameType | None) -> None:
    """Exit with the terminal restored, and not in the middle of a frame or of the cleanup."""
    ignore_signals()
    _resume_output()
    # no thread and no handler of Python's would still run while the interpreter shuts down
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, _CLEANUP_SECONDS)
    if _came:
        return
    _came.append(number)
    if loop := _running_loop():
        loop.call_soon_threadsafe(sys.exit, 128 + number)
    elif number == signal.SIGINT:
        raise KeyboardInterrupt
    else:
        sys.exit(128 + number)


def _running_loop() -> "AbstractEventLoop | None":
    """Return the running event loop, if there is one; asyncio may be just being imported."""
    running = getattr(sys.modules.get("asyncio"), "_get_running_loop", None)
    return running() if running else None


def _resume_output() -> None:
    """Resume output suspended by Ctrl-S: a blocked write would hang the exit."""
    import termios

    for flow in (termios.TCOOFF, termios.TCOON):  # TCOON only resumes what TCOOFF has suspended
        with suppress(termios.error):  # not a terminal
            termios.tcflow(1, flow)


def _after_lang(words: Sequence[str]) -> str:
    """Return the value of `--lang`; click validates it later."""
    for word, following in pairwise([*words, ""]):
        if word == "--lang":
            return following
        if word.startswith("--lang="):
            return word.removeprefix("--lang=")
    return ""
