"""Terminal output: what a terminal supports, and only the difference to the last frame."""

import codecs
import errno
import os
import re
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from itertools import compress
from operator import ne, or_
from typing import TYPE_CHECKING, Final

from prompt_toolkit.layout import DummyControl, Window
from prompt_toolkit.layout.mouse_handlers import MouseHandlers
from prompt_toolkit.layout.screen import Screen, WritePosition
from prompt_toolkit.mouse_events import MouseEvent
from prompt_toolkit.output import ColorDepth, Output
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.styles import DEFAULT_ATTRS, Attrs, BaseStyle, Style

from coffeerush.local.settings import Colours, Settings

from .canvas import Look
from .glyphs import is_ascii_locale
from .theme import style_of

if TYPE_CHECKING:
    from prompt_toolkit.key_binding.key_bindings import NotImplementedOrNone


# Frame diff: the shortest escape sequences that turn one frame on a terminal into another
#
# Changed cells are drawn pen by pen instead of line by line: a change of attributes (SGR) costs up
# to 40 bytes, a cursor movement four to eight. A pen is a number for a set of attributes.


_SWITCHES: Final = {
    "bold": ("1", "22"),
    "dim": ("2", "22"),
    "italic": ("3", "23"),
    "underline": ("4", "24"),
    "blink": ("5", "25"),
    "reverse": ("7", "27"),
    "hidden": ("8", "28"),
    "strike": ("9", "29"),
}
"""The codes that switch each attribute on and off; without colours."""
CellRow = tuple[list[str], list[str]]
"""The texts and styles of a line's cells; the second cell of a wide character is ""."""
Cells = list[CellRow]
_Spot = tuple[int, int]
"""Line and column."""
_Run = tuple[int, int, int]
"""Line, first column and end of cells that are drawn in one go."""


class Pens(dict[str, int]):
    """The pen of each style; styles that look alike share one.

    Args:
        style: the attributes of each style.
        depth: the colour depth of the terminal.
        code: returns the sequence that sets attributes, whatever was set before.
    """

    def __init__(self, style: BaseStyle, depth: ColorDepth, code: Callable[[Attrs], str]) -> None:
        super().__init__()
        self.blanks = _Blanks(self)
        """The background of each style, as a negative number: all that a blank shows of it."""
        self._style = style
        self._depth = depth
        self._code = code
        self._attrs: list[Attrs] = []
        self._backgrounds: list[int] = []
        self._changes: dict[tuple[int | None, int], str] = {}

    def __missing__(self, style: str) -> int:
        attrs = self._style.get_attrs_for_style_str(style)
        if attrs not in self._attrs:
            self._attrs.append(attrs)
            self._backgrounds.append(self._background_of(attrs))
        self[style] = self._attrs.index(attrs)
        return self[style]

    def background(self, pen: int) -> int:
        """Return the background of a pen, numbered as in `blanks`."""
        return self._backgrounds[pen]

    def change(self, current: int | None, pen: int) -> str:
        """Return the shortest sequence that switches to a pen; `current` is None if unknown."""
        code = self._changes.get((current, pen))
        if code is None:
            code = self._changes[current, pen] = self._shortest(current, self._attrs[pen])
        return code

    def _background_of(self, attrs: Attrs) -> int:
        """Return the background of the first pen whose blanks look the same."""
        if not self._shows_in_a_blank(attrs):
            for pen, other in enumerate(self._attrs):
                if other.bgcolor == attrs.bgcolor and not self._shows_in_a_blank(other):
                    return -1 - pen
        return -1 - self._attrs.index(attrs)

    def _shows_in_a_blank(self, attrs: Attrs) -> bool:
        # with 16 colours, foreground and background affect each other
        few = self._depth is ColorDepth.DEPTH_4_BIT
        return bool(few or attrs.reverse or attrs.underline or attrs.strike)

    def _shortest(self, current: int | None, attrs: Attrs) -> str:
        whole = self._code(attrs)
        if current is None or self._depth is ColorDepth.DEPTH_4_BIT:
            return whole
        had = self._attrs[current]
        parts = [
            off
            for name, (_on, off) in _SWITCHES.items()
            if getattr(had, name) and not getattr(attrs, name)
        ]
        parts += [
            on
            for name, (on, off) in _SWITCHES.items()
            if getattr(attrs, name) and (off in parts or not getattr(had, name))
        ]
        if attrs.color != had.color:
            parts += self._inner(DEFAULT_ATTRS._replace(color=attrs.color)) or ["39"]
        if attrs.bgcolor != had.bgcolor:
            parts += self._inner(DEFAULT_ATTRS._replace(bgcolor=attrs.bgcolor)) or ["49"]
        return min(whole, f"\x1b[{';'.join(parts)}m" if parts else "", key=len)

    def _inner(self, attrs: Attrs) -> list[str]:
        code = self._code(attrs).removeprefix("\x1b[0").removesuffix("m").removeprefix(";")
        return [code] if code else []


class _Blanks(dict[str, int]):
    """The background of each style, found when it is first asked for; see `Pens.blanks`."""

    def __init__(self, pens: Pens) -> None:
        super().__init__()
        self._pens = pens

    def __missing__(self, style: str) -> int:
        self[style] = self._pens.background(self._pens[style])
        return self[style]


def frame_diff(
    before: Cells | None, after: Cells, pens: Pens, current: int | None
) -> Generator[None, None, tuple[str, int | None]]:
    """Return the code that turns one frame into another, and the pen that is current after it.

    It yields after each line and pen, so that others may go first.

    Args:
        before: the frame on the terminal; None if unknown.
        after: the frame to show, of the same size.
        pens: the pens of the styles of both.
        current: the current pen of the terminal; None if unknown.
    """
    sent: list[str] = []
    if before is None:
        code, before, current = _blanked(after, pens, current)
        sent.append(code)
    runs: dict[int, list[_Run]] = {}
    for y, row in enumerate(after):
        if before[y] != row:
            for x, end, pen in _changed(before[y], row, pens):
                runs.setdefault(pen, []).append((y, x, end))
            yield
    _assign_blanks(runs, pens, current)
    writer = _Writer(after, pens)
    while runs:
        pen = min(runs, key=lambda pen: len(pens.change(current, pen)))
        sent.append(pens.change(current, pen))
        sent += writer.draw(sorted(runs.pop(pen)), pen)
        current = pen
        yield
    return "".join(sent), current


def _blanked(frame: Cells, pens: Pens, current: int | None) -> tuple[str, Cells, int]:
    """Return the code that blanks a terminal of a frame's size, the blank frame, and its pen.

    Most of a large frame is blank. Not every terminal erases in the current background.
    """
    columns, pen = len(frame[0][0]), pens[""]
    row: CellRow = ([" "] * columns, [""] * columns)
    lines = (_move(None, y, 0) + " " * columns for y in range(len(frame)))
    return pens.change(current, pen) + "".join(lines), [row] * len(frame), pen


def _changed(before: CellRow, after: CellRow, pens: Pens) -> Iterator[tuple[int, int, int]]:
    """Yield the columns and the pen of each run of changed cells.

    For blanks, it is the background instead of the pen; a neighbour's pen may do.
    """
    (old_texts, old_styles), (texts, styles) = before, after
    blanks = pens.blanks
    near: dict[int, int] = {}
    differs = map(or_, map(ne, old_texts, texts), map(ne, old_styles, styles))
    for x in compress(range(len(texts)), differs):
        text, old = texts[x], old_texts[x]
        mark = blanks[styles[x]] if text == " " else pens[styles[x]]
        if old != text or mark != (blanks if text == " " else pens)[old_styles[x]]:
            if text:
                near[x] = mark
            elif x - 1 not in near:  # a wide character is redrawn whole
                near[x - 1] = pens[styles[x - 1]]
    for line, step in ((near, -1), (reversed(near), 1)):
        for x in line:
            beside = near.get(x + step, -1)
            if near[x] < 0 <= beside and pens.background(beside) == near[x]:
                near[x] = beside
    start, end, pen = 0, 0, 0
    for x, mark in near.items():
        if x != end or mark != pen:
            if end > start:
                yield start, end, pen
            start, pen = x, mark
        end = x + 2 if texts[x + 1 : x + 2] == [""] else x + 1
    if end > start:
        yield start, end, pen


def _assign_blanks(runs: dict[int, list[_Run]], pens: Pens, current: int | None) -> None:
    """Assign remaining blanks to a pen with the same background that is needed anyway."""
    for background in [mark for mark in runs if mark < 0]:
        same = [pen for pen in runs if pen >= 0 and pens.background(pen) == background]
        pen = max(same, key=lambda pen: len(runs[pen]), default=-1 - background)
        if not same and current is not None and pens.background(current) == background:
            pen = current
        runs.setdefault(pen, []).extend(runs.pop(background))


class _Writer:
    """Writes cells of a frame, and tracks the cursor."""

    def __init__(self, frame: Cells, pens: Pens) -> None:
        self._frame = frame
        self._pens = pens
        self._at: _Spot | None = None
        """The cursor position; None if unknown."""

    def draw(self, runs: Iterable[_Run], pen: int) -> Iterator[str]:
        """Yield the output for some runs of cells, in their order."""
        for y, x, end in runs:
            if self._at != (y, x):
                yield self._rewrite(y, x, pen) or _move(self._at, y, x)
            texts = self._frame[y][0]
            yield "".join(texts[x:end])
            # terminals differ in where the cursor is after the last column
            self._at = (y, end) if end < len(texts) else None

    def _rewrite(self, y: int, x: int, pen: int) -> str:
        """Return the text between the cursor and a cell if rewriting it is shorter than moving."""
        if self._at is None or self._at[0] != y or not 0 < x - self._at[1] < 5:
            return ""
        texts, styles = self._frame[y]
        between = range(self._at[1], x)
        if not all(self._fits(texts[cell], styles[cell], pen) for cell in between):
            return ""
        text = "".join(texts[cell] for cell in between)
        return text if len(text.encode()) <= len(_move(self._at, y, x)) else ""

    def _fits(self, text: str, style: str, pen: int) -> bool:
        if text == " ":
            return self._pens.blanks[style] == self._pens.background(pen)
        return self._pens[style] == pen


def _cursor_move(x: int, y: int) -> str:
    """Return the code that moves the cursor to a column and row, wherever it is."""
    if x:
        return f"\x1b[{y + 1};{x + 1}H"
    return f"\x1b[{y + 1}H" if y else "\x1b[H"


def _move(start: _Spot | None, y: int, x: int) -> str:
    """Return the shortest sequence that moves the cursor to a cell."""
    there = _cursor_move(x, y)
    if start is None:
        return there
    down, right = y - start[0], x - start[1]
    if down == 0:
        beside = _by(right, "C") if right > 0 else _by(-right, "D")
        return min(beside, there, key=len)
    if down < 0:
        return there
    ways = [there, "\r\n" * down + _by(x, "C")]
    if right == 0:
        ways.append(_by(down, "B"))
    return min(ways, key=len)


def _by(cells: int, way: str) -> str:
    if cells == 0:
        return ""
    return f"\x1b[{cells}{way}" if cells > 1 else f"\x1b[{way}"


# Terminal output that remembers the frame on the screen and sends only the difference


_NO_ATTRIBUTES = "\x1b[0m"
_HOME = "\x1b[H"
LATE_SECONDS: Final = 0.075
"""Output that takes longer to send comes too late for the next frame of an animation."""
SLOW_OUTPUTS: Final = 3
SLOW_SECONDS: Final = 60.0
"""A line with so many late outputs within this time is slow; one alone is a busy moment."""
_OLD: Final = re.compile(r"^vt\d")
"""Values of TERM for terminals without a mouse, which print window titles as text."""


class DiffOutput(Vt100_Output):
    """Shows whole frames; the other methods are about the terminal as a whole."""

    _pens: Pens | None = None
    _current: int | None = None
    """The current pen of the terminal; None if unknown."""
    _shown: Cells | None = None
    """The frame on the terminal; None if unknown."""
    _next: Cells | None = None
    _caret = (0, 0)
    """The column and row at which the next frame leaves the hidden cursor."""
    _left_at: tuple[int, int] | None = None
    """Where the frame on the terminal left it; None if unknown."""
    _captured: str | None = None
    _late_at: tuple[float, ...] = ()
    """When the terminal took too long to accept output, the last times."""
    clock: Callable[[], float] = staticmethod(time.monotonic)

    @property
    def is_slow(self) -> bool:
        """Whether the line to the terminal has been too slow for animations lately, repeatedly."""
        now = self.clock()
        return sum(now - at < SLOW_SECONDS for at in self._late_at) >= SLOW_OUTPUTS

    def note_late(self) -> None:
        """Note that output comes too late for an animation."""
        self._late_at = (*self._late_at, self.clock())[-SLOW_OUTPUTS:]

    @property
    def is_old(self) -> bool:
        """Whether the terminal supports neither mouse nor window titles."""
        return _OLD.match(self.term or "") is not None

    def set_style(self, style: BaseStyle, depth: ColorDepth) -> None:
        """Set the style of all following frames."""
        self._pens = Pens(style, depth, lambda attrs: self._code(attrs, depth))
        self._forget()

    def show(self, frame: Cells, caret: tuple[int, int] | None = None) -> None:
        """Show a frame of the terminal's size with the next flush.

        An input method composes its letters at the cursor, though it is hidden: `caret` is the
        column and row of the open text field's.
        """
        self._next, self._caret = frame, caret or (0, 0)

    def encode(self) -> Iterator[None]:
        """Encode the difference to the next frame for the next flush; yield between parts of it."""
        if self._next is None or self._pens is None:
            return
        code, self._current = yield from frame_diff(
            self._shown, self._next, self._pens, self._current
        )
        self._shown, self._next = self._next, None
        if code or self._caret != self._left_at:
            self._left_at = self._caret
            code += _cursor_move(*self._caret)
        self.write_raw(code)

    def flush(self) -> None:
        """Send pending output, and the difference to the next frame."""
        for _part in self.encode():
            pass
        began = self.clock()
        try:
            super().flush()
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            # the terminal is gone: its input ends too, which ends the screen
        if self.clock() - began > LATE_SECONDS:
            self.note_late()

    def reset_attributes(self) -> None:
        """Do nothing: the next frame sets the attributes."""

    def erase_screen(self) -> None:
        """Erase the screen."""
        self._forget()
        self.write_raw(_NO_ATTRIBUTES)
        super().erase_screen()

    def erase_down(self) -> None:
        """Erase the screen: prompt_toolkit calls it with the cursor at the top left only."""
        self._forget()
        self.write_raw(_NO_ATTRIBUTES + _HOME)
        super().erase_down()

    def enter_alternate_screen(self) -> None:
        """Enter the alternate screen, and ask for reports of its focus."""
        super().enter_alternate_screen()
        if not self.is_old:
            self.write_raw("\x1b[?1004h")

    def quit_alternate_screen(self) -> None:
        """Leave the alternate screen with attributes reset, and without reports."""
        self._forget()
        if not self.is_old:
            self.write_raw("\x1b[?1004l")
        self.write_raw(_NO_ATTRIBUTES)
        super().quit_alternate_screen()

    def enable_mouse_support(self) -> None:
        """Enable reports of clicks and the wheel, not of mouse movement."""
        self.write_raw("\x1b[?1000h\x1b[?1006h")

    def disable_mouse_support(self) -> None:
        """Disable mouse reports."""
        self.write_raw("\x1b[?1006l\x1b[?1000l")

    def write_raw(self, data: str) -> None:
        """Write escape sequences unchanged."""
        if self._captured is None:
            super().write_raw(data)
        else:
            self._captured += data

    def _forget(self) -> None:
        self._shown = self._current = self._left_at = None

    def _code(self, attrs: Attrs, depth: ColorDepth) -> str:
        """Return the sequence that prompt_toolkit sends for attributes."""
        self._captured = ""
        super().set_attributes(attrs, depth)
        code, self._captured = self._captured, None
        return code


def terminal_output() -> "DiffOutput":
    """Return the output for the terminal of this process."""
    output = DiffOutput.from_pty(
        sys.stdout, term=os.environ.get("TERM"), default_color_depth=ColorDepth.from_env()
    )
    assert isinstance(output, DiffOutput)
    return output


class FrameWindow(Window):
    """A prompt_toolkit window that leaves drawing to `show`; `point` gets mouse events, by cell."""

    def __init__(
        self,
        show: Callable[[int, int], None],
        point: Callable[[MouseEvent], "NotImplementedOrNone"],
    ) -> None:
        super().__init__(DummyControl())
        self._show = show
        self._point = point

    def write_to_screen(
        self,
        screen: Screen,
        mouse_handlers: MouseHandlers,
        write_position: WritePosition,
        parent_style: str,
        erase_bg: bool,
        z_index: int | None,
    ) -> None:
        """Show a frame of the whole terminal."""
        columns, rows = write_position.width, write_position.height
        self._show(columns, rows)
        screen.width, screen.height = columns, rows
        screen.show_cursor = False
        screen.visible_windows_to_write_positions[self] = write_position
        # making one handler per cell would take longer than the frame
        mouse_handlers.mouse_handlers = defaultdict(lambda: defaultdict(lambda: self._point))


# Detect what a terminal supports, unless settings say so
#
# That is colours, Unicode or ASCII, and desktop notifications.


DEPTHS: Final[dict[Colours, ColorDepth]] = {
    "none": ColorDepth.DEPTH_1_BIT,
    "16": ColorDepth.DEPTH_4_BIT,
    "256": ColorDepth.DEPTH_8_BIT,
    "true": ColorDepth.DEPTH_24_BIT,
}
RICH: Final = ("256", "true")
"""The colours in which ingredients and players have colours of their own."""
_NAMES: Final = {depth: name for name, depth in DEPTHS.items()}
_TRUE_COLOUR: Final = ("truecolor", "24bit")
"""Values of COLORTERM that mean 24-bit colour."""
_FEW: Final[tuple[tuple[re.Pattern[str], Colours], ...]] = (
    (re.compile(r"^vt\d|-mono$|-m$"), "none"),
    (re.compile(r"-16color|^(ansi|cons25|cygwin|rxvt|screen)$"), "16"),
)
"""Values of TERM for terminals with few colours."""

_OSC_9: Final = re.compile("iterm|kitty|wezterm|ghostty", re.IGNORECASE)
_OSC_777: Final = re.compile("foot|rxvt-unicode")
"""Names of terminals that show a desktop notification for the escape sequence OSC 9 or OSC 777."""
_OSC_777_VERSIONS: Final = ("VTE_VERSION", "KONSOLE_VERSION")
"""Variables that such terminals set."""
_TERMINAL_CODEC: Final = re.compile(
    r"ascii|utf-8|iso8859-\d+|cp\d+|koi8-[rtu]|euc_(jp|kr)|gb(k|2312|18030)|big5"
)
"""Encodings of terminals; Python has others that are not about characters."""


def colours_of(
    settings: Settings, output: Output, environ: Mapping[str, str] = os.environ
) -> Colours:
    """Return the colours to draw with, never `auto`: as set, else what the terminal supports."""
    if settings.colours != "auto":
        return settings.colours
    if environ.get("NO_COLOR"):
        return "none"
    depth = output.get_default_color_depth()
    if depth is not ColorDepth.DEPTH_8_BIT:
        return _NAMES[depth]
    if environ.get("COLORTERM") in _TRUE_COLOUR:
        return "true"
    # prompt_toolkit assumes 8 bits for every terminal that it does not know
    return next((few for named, few in _FEW if named.search(environ.get("TERM", ""))), "256")


def style_for(settings: Settings, output: Output) -> BaseStyle:
    """Return the style of every class, for the theme and colours in the settings."""
    return Style.from_dict(style_of(settings.theme, colours_of(settings, output)))


def look_of(settings: Settings, output: Output, environ: Mapping[str, str] = os.environ) -> Look:
    """Return the look for this output: ASCII if set so, or if the output is not UTF-8."""
    encoding = "ascii" if is_ascii_locale(environ) else output.encoding()
    return look_in(encoding, settings, colours_of(settings, output, environ))


def look_in(encoding: str, settings: Settings, colours: Colours) -> Look:
    """Return the look for an encoding and these colours, which are not `auto`."""
    utf8 = codecs.lookup(encoding).name == "utf-8"
    return Look(
        ascii=settings.ascii or not utf8,
        encoding="utf-8" if utf8 else encoding,
        still=colours == "none",
        rich=colours in RICH,
    )


def notification_code(text: str, environ: Mapping[str, str] = os.environ) -> str:
    """Return the escape sequence for a desktop notification.

    It is "" unless the terminal is known to have them: others might show it as text. tmux drops it
    if it may not pass it on.
    """
    text = "".join(char for char in text if char.isprintable() and char != ";")
    names = " ".join(environ.get(name, "") for name in ("TERM", "TERM_PROGRAM", "LC_TERMINAL"))
    code = f"\x1b]9;{text}\x07"
    if environ.get("TMUX"):
        return "\x1bPtmux;" + code.replace("\x1b", "\x1b\x1b") + "\x1b\\"
    if _OSC_9.search(names):
        return code
    if _OSC_777.search(names) or any(environ.get(name) for name in _OSC_777_VERSIONS):
        return f"\x1b]777;notify;{text};\x07"
    return ""


def encoding_of(environ: Mapping[str, str]) -> str:
    """Return the encoding of a terminal elsewhere by its locale; UTF-8 if that says nothing."""
    names = (environ.get(name) for name in ("LC_ALL", "LC_CTYPE", "LANG"))
    locale = next(filter(None, names), "")
    if locale in ("C", "POSIX"):
        return "ascii"
    named = locale.partition(".")[2].partition("@")[0]
    try:
        found = codecs.lookup(named or "utf-8").name
    except LookupError:
        return "utf-8"
    return found if _TERMINAL_CODEC.fullmatch(found) else "utf-8"
