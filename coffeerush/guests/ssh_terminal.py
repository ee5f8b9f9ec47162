"""A guest's terminal: frames and escape sequences out, bytes in."""

import asyncio
import codecs
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, TextIO, cast

from prompt_toolkit.data_structures import Size
from prompt_toolkit.input.vt100_parser import Vt100Parser
from prompt_toolkit.key_binding.key_processor import KeyPress
from prompt_toolkit.keys import Keys
from prompt_toolkit.styles import Style

from coffeerush.local.settings import Colours, Settings, Theme
from coffeerush.rates import TokenBucket
from coffeerush.ui.terminal.canvas import Canvas, Look
from coffeerush.ui.terminal.fullscreen import RESTORE_TITLE, SAVE_TITLE
from coffeerush.ui.terminal.keys import split_paste
from coffeerush.ui.terminal.output import DEPTHS, LATE_SECONDS, DiffOutput, colours_of, encoding_of
from coffeerush.ui.terminal.theme import style_of
from coffeerush.ui.words.i18n import _

from .front_end import FrontEnd
from .identity import AddressAndName, Identity, SshKey
from .limits import INPUTS_AT_ONCE
from .shares import Shares

ESCAPE_SECONDS: Final = 0.1
"""How long to wait after Esc for the rest of an escape sequence, which may be in a later packet."""
CHARACTERS_PER_SECOND: Final = 1000
CHARACTERS_AT_ONCE: Final = 4000
"""Input of one guest; what is beyond is dropped. Each character takes 10 microseconds."""
_PARSED_AT_ONCE: Final = 250
UNREAD_BYTES: Final = 2048
"""More than this, unread when the next frame is due, means a slow line. An idle machine may take
its time to acknowledge the last packet."""
_MOUSE: Final = re.compile(
    r"\x1b\[<(\d{1,3});(\d{1,4});(\d{1,4})([Mm])|\x1b\[M(.)(.)(.)", re.DOTALL
)
"""A mouse report, as terminals send it that know SGR, and older ones."""
_X10_OFFSET: Final = 32
_WHEEL: Final = {64: -1, 65: 1}
_LEFT: Final = 0


class SshTerminal(FrontEnd):
    """A guest's terminal, wherever its bytes come from.

    Args:
        shares: of the loop's time.
        address: the numeric address of the guest.
        size: columns and rows.
        environment: `TERM`, and what the guest's ssh has sent.
        key: the fingerprint of the guest's key; empty if there is none.
        write: sends bytes.
        on_admitted: called once the guest has given the code.
        unread: returns how many bytes that were sent the guest's machine has not received.
    """

    kind = "ssh"

    def __init__(
        self,
        shares: Shares,
        address: str,
        size: tuple[int, int],
        environment: Mapping[str, str],
        key: str,
        write: Callable[[bytes], None],
        on_admitted: Callable[[], None],
        unread: Callable[[], int],
    ) -> None:
        super().__init__(shares, address, *size, encoding_of(environment))
        self.identity = SshKey(key) if key else None
        self.is_own = bool(key)
        self._admitted = on_admitted
        self._unread = unread
        self._shown_at = float("inf")
        self._environment = environment
        self._output = DiffOutput(
            cast(TextIO, _Stream(write, self.encoding)),
            lambda: Size(rows=self.size[1], columns=self.size[0]),
            term=environment.get("TERM"),
            enable_cpr=False,
        )
        self._erases = False
        """Whether the next frame has to be a whole one."""
        self._canvas = Canvas(1, 1)
        self._applied: Settings | None = None
        self._painted: tuple[Theme, Colours] | None = None
        self._titled = False
        self._decoder = codecs.getincrementaldecoder(self.encoding)("replace")
        self._found: list[KeyPress] = []
        self._parser = Vt100Parser(self._found.append)
        self._unparsed = 0
        """How many characters were received since the last key was complete."""
        self._characters = TokenBucket(
            CHARACTERS_PER_SECOND, CHARACTERS_AT_ONCE, asyncio.get_running_loop().time()
        )
        self._flushing: asyncio.TimerHandle | None = None

    def identify(self, name: str) -> Identity:
        """Recognize a guest without a key by name and address."""
        return self.identity or AddressAndName(self.address, name.casefold())

    def admitted(self) -> None:
        """Pass on that the guest is in."""
        super().admitted()
        self._admitted()

    def begin(self) -> None:
        """Take the terminal over."""
        output = self._output
        output.enter_alternate_screen()
        output.enable_bracketed_paste()
        output.reset_cursor_key_mode()
        output.hide_cursor()
        output.flush()

    def end(self) -> None:
        """Give the terminal back."""
        if self._flushing:
            self._flushing.cancel()
        output = self._output
        output.disable_mouse_support()
        output.disable_bracketed_paste()
        output.quit_alternate_screen()
        output.show_cursor()
        output.flush()

    def resize(self, columns: int, rows: int) -> None:
        """Draw for another size from now on; of several in a row, only the last one counts."""
        self._erases = True
        super().resize(columns, rows)

    # Frames

    def show(self, canvas: Canvas, look: Look, settings: Settings) -> None:
        """Send what has changed since the frame before."""
        if settings != self._applied:
            self._apply(settings)
        now = asyncio.get_running_loop().time()
        if now - self._shown_at > LATE_SECONDS and self._unread() > UNREAD_BYTES:
            self._output.note_late()
        if self._erases:
            self._erases = False
            self._output.erase_screen()
        self._canvas, self._shown_at = canvas, now
        self._output.show(list(canvas.cells(look)), canvas.caret)
        self._output.flush()

    @property
    def is_slow(self) -> bool:
        """Whether an earlier frame was still on its way when the next one was due."""
        return self._output.is_slow

    def _apply(self, settings: Settings) -> None:
        before, self._applied = self._applied, settings
        colours = colours_of(settings, self._output, self._environment)
        if (settings.theme, colours) != self._painted:
            self._painted = settings.theme, colours
            style = Style.from_dict(style_of(settings.theme, colours))
            self._output.set_style(style, DEPTHS[colours])
        if self._output.is_old or settings.mouse == (before is not None and before.mouse):
            return
        if settings.mouse:
            self._output.enable_mouse_support()
        else:
            self._output.disable_mouse_support()

    def bell(self) -> None:
        """Ring the bell."""
        self._output.bell()

    def title(self, text: str) -> None:
        """Set the title of the terminal's window; "" restores the original one."""
        if bool(text) is self._titled or self._output.is_old:
            return
        self._titled = bool(text)
        if text:
            self._output.write_raw(SAVE_TITLE)
        self._output.set_title(text or _("Coffee Rush"))
        if not text:
            self._output.write_raw(RESTORE_TITLE)
        self._output.flush()

    # Keys

    def hear(self, data: bytes) -> None:
        """Handle what the guest's terminal has sent."""
        text, now = self._decoder.decode(data), asyncio.get_running_loop().time()
        if self._flushing:
            self._flushing.cancel()
            if self._flushing.when() <= now:  # this process was busy
                self._do(self._flush)
            self._flushing = None
        self._unparsed += len(text)
        much = len(text) > self._characters.left(now) or self._unparsed > CHARACTERS_AT_ONCE
        if much or len(self._jobs) >= INPUTS_AT_ONCE:
            self._do(self._parser.reset)  # it may wait for the end of something that is lost now
            self._unparsed = 0
            return
        self._characters.spend(now, len(text))
        for at in range(0, len(text), _PARSED_AT_ONCE):
            self._do(partial(self._parser.feed, text[at : at + _PARSED_AT_ONCE]))
        self._do(self._dispatch)
        self._flushing = asyncio.get_running_loop().call_later(ESCAPE_SECONDS, self._flush_soon)

    def _flush_soon(self) -> None:
        self._flushing = None
        self._do(self._flush)

    def _flush(self) -> None:
        """Take what may have been the start of an escape sequence for what it is."""
        self._parser.flush()
        self._dispatch()

    def _dispatch(self) -> None:
        """Handle the keys found; those that arrived together may be pasted text."""
        found, keys = self._found[:], list[str]()
        self._found.clear()
        if found:
            self._unparsed = 0
        for one in found:
            if one.key in (Keys.Vt100MouseEvent, Keys.BracketedPaste):
                self._press(keys)
                keys = []
                self._point(one.data) if one.key == Keys.Vt100MouseEvent else self.paste(one.data)
            elif one.key == Keys.ControlL:
                self._erases = True
                self._press(keys)
                keys = []
                self.redraw()
            elif one.key not in (Keys.CPRResponse, Keys.Ignore, Keys.ControlZ):
                keys.append(one.key.value if isinstance(one.key, Keys) else one.key)
        self._press(keys)

    def _press(self, keys: list[str]) -> None:
        for pasted, pressed in split_paste(keys):
            if pasted:
                self.paste(pasted)
            self.press(*pressed)

    def _point(self, report: str) -> None:
        """Handle a mouse report: a click with the left button, or the wheel."""
        found = _MOUSE.fullmatch(report)
        if not found:
            return
        if found[4]:
            button, x, y = int(found[1]), int(found[2]), int(found[3])
        else:
            button, x, y = (ord(one) - _X10_OFFSET for one in found.groups()[4:])
        target = self._canvas.target_at(x - 1, y - 1)
        if button in _WHEEL:
            self.wheel(target, _WHEEL[button])
        elif button == _LEFT and found[4] != "m" and target is not None:
            self.click(target)


class _Stream:
    """What prompt_toolkit writes to, as to a terminal's standard output."""

    def __init__(self, write: Callable[[bytes], None], encoding: str) -> None:
        self._write = write
        self.encoding = encoding

    def write(self, data: str) -> None:
        self._write(data.encode(self.encoding, "replace"))

    def flush(self) -> None: ...

    def fileno(self) -> Any:
        raise OSError("it is no file")

    def isatty(self) -> bool:
        return True
