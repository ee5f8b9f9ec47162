"""The local user: settings in force, name, and the kind of terminal that sentences go to."""

import codecs
import getpass
import os
import select
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial, reduce
from typing import Any, Final

from msgspec.structs import asdict, replace

from coffeerush.local.settings import (
    BROKEN_NAME,
    Settings,
    change_settings,
    load_settings,
    remembering,
    settings_are_broken,
    settings_path,
)
from coffeerush.ui.terminal.canvas import width
from coffeerush.ui.terminal.glyphs import is_ascii_locale
from coffeerush.ui.words.errors import error_line
from coffeerush.ui.words.i18n import _, as_text
from protocol import clean_speaker

from .terminal import glyphs


class LocalPerson:
    """Holds the settings that are in force, and saves changes; those in `only_now` are not saved.

    `plain` is whether to use plain mode; None decides by what the terminal supports.
    """

    def __init__(self, plain: bool | None = None, **only_now: Any) -> None:
        dumb = not has_terminal() or os.environ.get("TERM", "dumb") == "dumb"
        self.plain = dumb if plain is None else plain
        self.settings = replace(load_settings(), **only_now)
        self.ignored = ""
        """That the settings file cannot be read; empty if it can, or if there is none."""
        if settings_are_broken():
            text = _(
                "The settings in {path} cannot be read, so they are ignored. Once you change a "
                "setting, that file is called {broken}."
            )
            path = settings_path()
            self.ignored = text.format(path=path, broken=BROKEN_NAME)
        self.complaint = ""
        """Why the last save failed; empty if it did not."""
        self._unsaved: list[Callable[[Settings], Settings]] = []

    @property
    def name(self) -> str:
        """The person's name at tables: from the settings, else the login name, else a default."""
        return clean_speaker(self.settings.name) or clean_speaker(_login_name()) or _("Guest")

    def keep(self, settings: Settings) -> None:
        """Apply changed settings, and save the fields that changed."""
        before, after = asdict(self.settings), asdict(settings)
        changed = {name: value for name, value in after.items() if value != before[name]}
        self._take(settings, partial(replace, **changed))

    def tell(self, lines: Iterable[str]) -> None:
        """Print sentences, one per line, in ASCII if that is set or all that the output has.

        A terminal gets more lines for those that are wider.
        """
        encoding = sys.stdout.encoding or "utf-8"
        ascii_only = self.settings.ascii or is_ascii_locale(os.environ)
        text, columns = plain_text(as_text(lines), encoding, ascii_only), _columns()
        for line in text.splitlines():
            for part in wrapped(line, columns):
                if sys.stdout.isatty():
                    _await_room()
                sys.stdout.write(f"{part}\n")
        sys.stdout.flush()

    def remember(self, address: str, gone: str = "") -> None:
        """Put an address first among those joined recently, in place of one `gone`; save them."""
        change = partial(remembering, address=address, gone=gone)
        self._take(change(self.settings), change)

    def _take(self, settings: Settings, change: Callable[[Settings], Settings]) -> None:
        self.settings = settings
        self._unsaved.append(change)
        try:
            change_settings(self._changed)
        except OSError as error:
            text = _("The settings last only until you quit; they cannot be saved: {reason}.")
            self.complaint = text.format(reason=error_line(error))
        else:
            self._unsaved, self.complaint = [], ""

    def _changed(self, saved: Settings) -> Settings:
        """Return the saved settings, which another process may have changed, with our changes."""
        return reduce(lambda settings, change: change(settings), self._unsaved, saved)


_SUPERUSER: Final = "root"
_ROOM_MILLISECONDS: Final = 500
"""How long a signal may wait while output is suspended."""


def has_terminal() -> bool:
    """Return whether standard input and output are a terminal."""
    # a stream that was closed before the program started is None
    return all(stream and stream.isatty() for stream in (sys.stdin, sys.stdout))


def _columns() -> int:
    """Return the width of the terminal; 0 if standard output is none."""
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns
    except OSError:
        return 0


def _await_room() -> None:
    """Wait until the terminal accepts output, which Ctrl-S suspends.

    A signal that comes just before a write that blocks would have to wait for its end.
    """
    room = select.poll()
    room.register(sys.stdout, select.POLLOUT)
    while not room.poll(_ROOM_MILLISECONDS):
        pass


def _login_name() -> str:
    """Return the login name; "" for one that is nobody's name."""
    try:
        name = getpass.getuser()
    except (OSError, KeyError):  # the user id has no name, for example in a container
        return ""
    return "" if name == _SUPERUSER else name


# Sentences for the output at hand: the characters that it has, and the width of a terminal


_ASCII: Final = {**glyphs.ASCII, ord(glyphs.CUT): "..."}
"""Unlike on the full screen, a replacement may be longer than its original."""
_OPENING: Final = dict.fromkeys(map(ord, "¿¡"))
"""Marks at the beginning of Spanish sentences, which can do without."""


def wrapped(line: str, columns: int) -> Iterator[str]:
    """Break a line between words, as a terminal would break it within one; long words stay whole.

    `columns` is the width of the terminal; 0 if there is none, which breaks no line.
    """
    begun = ""
    for word in line.split(" "):
        longer = f"{begun} {word}" if begun else word
        if begun and 0 < columns < width(longer):
            yield begun
            longer = word
        begun = longer
    yield begun


def plain_text(text: str, encoding: str, ascii_only: bool) -> str:
    """Replace the signs that an output may lack; letters that it lacks are up to its encoder.

    `ascii_only` replaces them even if the encoding has them.
    """
    if text.isascii():
        return text
    if ascii_only or codecs.lookup(encoding).name != "utf-8":
        text = text.translate(_ASCII)
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(_OPENING)
    return text
