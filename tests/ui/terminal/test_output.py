"""Less is sent, and the same is seen."""

import io
from collections.abc import Sequence

import pyte
import pytest
from hypothesis import given, strategies as st
from prompt_toolkit.data_structures import Size
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.styles import Style

from coffeerush.ui.terminal.canvas import EVERYTHING, Canvas
from coffeerush.ui.terminal.keys import Draft, drawn as typed_text
from coffeerush.ui.terminal.output import LATE_SECONDS, SLOW_OUTPUTS, SLOW_SECONDS, DiffOutput

COLUMNS, ROWS = 16, 5
HOME = "\x1b[H"
STYLE = Style.from_dict(
    {
        "": "#ffffff bg:#202020",
        "bold": "bold",
        "red": "#ff0000",
        "ansi": "ansired",
        "lit": "bg:#004000",
        "lit-ansi": "ansigreen bg:ansiblue",
        "chip": "#000000 bg:#ff8000 bold",
        "reverse": "reverse",
        "line": "underline",
        "other": "#0000ff bg:#004000",
        "mixed": "italic underline #00ff00 bg:#004000",
    }
)
STYLES = ["", *(f"class:{name}" for name, _rules in STYLE.style_rules if name)]

Put = tuple[int, int, str, str]
"""A column, a line, a text and a style."""

puts = st.lists(
    st.tuples(
        st.integers(0, COLUMNS - 1),
        st.integers(0, ROWS - 1),
        st.text(st.sampled_from("ab  ─민é\u0301"), max_size=COLUMNS),
        st.sampled_from(STYLES),
    ),
    max_size=6,
)


class Terminal:
    """A `DiffOutput` and a pyte terminal that renders its bytes."""

    def __init__(self, depth: ColorDepth) -> None:
        self._sent = io.StringIO()
        self._screen = pyte.Screen(COLUMNS, ROWS)
        self._stream = pyte.Stream(self._screen)
        self.output = DiffOutput(self._sent, lambda: Size(ROWS, COLUMNS), term="xterm")
        self.output.set_style(STYLE, depth)
        self.output.disable_autowrap()
        self.output.erase_down()

    def show(self, canvas: Canvas) -> int:
        """Show a frame; return how many characters that took."""
        self.output.show(list(canvas.cells(EVERYTHING)), canvas.caret)
        self.output.flush()
        sent = self._sent.getvalue()
        self._stream.feed(sent)
        self._sent.seek(0)
        self._sent.truncate()
        return len(sent)

    @property
    def cursor(self) -> tuple[int, int]:
        """The column and row of the terminal's own cursor."""
        return self._screen.cursor.x, self._screen.cursor.y

    def seen(self) -> list[list[object]]:
        """Return the cells as an eye sees them."""
        buffer = self._screen.buffer
        return [[_seen(buffer[y][x]) for x in range(COLUMNS)] for y in range(ROWS)]


def _seen(char: pyte.screens.Char) -> object:
    """Return the visible part of a cell; for a blank, its foreground only if it is visible."""
    if char.data != " ":
        return char
    ink = char.fg if char.reverse or char.underscore else None
    return ink, char.bg, char.reverse, char.underscore


def drawn(puts: Sequence[Put]) -> Canvas:
    canvas = Canvas(COLUMNS, ROWS)
    for x, y, text, style in puts:
        canvas.put(x, y, text, style)
    return canvas


def plainly(canvas: Canvas, depth: ColorDepth) -> list[list[object]]:
    """Return the screen if every cell is sent separately, with all of its attributes."""
    sent = io.StringIO()
    output = Vt100_Output(sent, lambda: Size(ROWS, COLUMNS))
    for y, (texts, styles) in enumerate(canvas.cells(EVERYTHING)):
        for x, (text, style) in enumerate(zip(texts, styles, strict=True)):
            if text:
                output.cursor_goto(y + 1, x + 1)
                output.set_attributes(STYLE.get_attrs_for_style_str(style), depth)
                output.write(text)
    output.flush()
    screen = pyte.Screen(COLUMNS, ROWS)
    pyte.Stream(screen).feed("\x1b[?7l" + sent.getvalue())
    return [[_seen(screen.buffer[y][x]) for x in range(COLUMNS)] for y in range(ROWS)]


@given(st.sampled_from(list(ColorDepth)), st.lists(puts, min_size=1, max_size=4))
def test_the_same_is_seen(depth: ColorDepth, frames: list[list[Put]]) -> None:
    terminal, so_far = Terminal(depth), []
    for more in frames:
        so_far += more  # most of a frame is unchanged
        canvas = drawn(so_far)
        terminal.show(canvas)
        assert terminal.seen() == plainly(canvas, depth)


@given(puts, puts)
def test_after_erasing_all_is_sent_again(one: list[Put], other: list[Put]) -> None:
    terminal, depth = Terminal(ColorDepth.DEPTH_24_BIT), ColorDepth.DEPTH_24_BIT
    terminal.show(drawn(one))
    terminal.output.write_raw("\x1b[2;3H")
    terminal.output.erase_down()
    terminal.show(drawn(other))
    assert terminal.seen() == plainly(drawn(other), depth)


def test_what_is_there_already_is_not_sent() -> None:
    terminal, canvas = Terminal(ColorDepth.DEPTH_24_BIT), drawn([(2, 1, "a b 민", "class:chip")])
    assert terminal.show(canvas) > 0
    assert terminal.show(canvas) == 0
    assert terminal.show(drawn([(2, 1, "a b 민", "class:chip"), (0, 3, "  ", "class:red")])) == 0


@pytest.mark.parametrize(
    ("put", "code"),
    [
        ([(3, 2, "x", "")], "\x1b[3;4Hx"),
        ([(0, 2, "x", "")], "\x1b[3Hx"),
        ([(3, 2, "x", ""), (5, 2, "y", "")], "\x1b[3;4Hx y"),
        ([(3, 2, "x", ""), (9, 2, "y", "")], "\x1b[3;4Hx\x1b[5Cy"),
        ([(0, 2, "x", ""), (1, 3, "y", "")], "\x1b[3Hx\x1b[By"),
        ([(3, 2, "x", ""), (0, 3, "y", "")], "\x1b[3;4Hx\r\ny"),
        ([(3, 2, "x", "class:bold")], "\x1b[1m\x1b[3;4Hx"),
        # grouped by style: the current style first, and no colour twice
        (
            [(0, 0, "a", "class:red"), (2, 0, "b", ""), (4, 0, "c", "class:red")],
            "\x1b[1;3Hb\x1b[38;2;255;0;0m\x1b[Ha\x1b[3Cc",
        ),
        # a blank takes the style of its neighbour
        ([(3, 2, "x", "class:lit"), (4, 2, " ", "class:other")], "\x1b[48;2;0;64;0m\x1b[3;4Hx "),
    ],
)
def test_codes(put: list[Put], code: str) -> None:
    sent = io.StringIO()
    output = DiffOutput(sent, lambda: Size(ROWS, COLUMNS), term="xterm")
    output.set_style(STYLE, ColorDepth.DEPTH_24_BIT)
    output.show(list(drawn([]).cells(EVERYTHING)))
    output.flush()
    before = len(sent.getvalue())
    output.show(list(drawn(put).cells(EVERYTHING)))
    output.flush()
    assert sent.getvalue()[before:] == code + HOME


def test_the_cursor_is_left_where_is_typed() -> None:
    terminal, canvas = Terminal(ColorDepth.DEPTH_24_BIT), drawn([(2, 1, "a", "")])
    canvas.puts(3, 2, typed_text(Draft("b민", "c"), COLUMNS))
    terminal.show(canvas)
    assert terminal.cursor == (6, 2)
    terminal.show(drawn([(9, 4, "d", "")]))
    assert terminal.cursor == (0, 0)


@pytest.mark.parametrize(
    ("apart", "late", "slow"),
    [
        (1.0, SLOW_OUTPUTS - 1, False),
        (1.0, SLOW_OUTPUTS, True),
        (SLOW_SECONDS / (SLOW_OUTPUTS - 1), SLOW_OUTPUTS, False),
        (SLOW_SECONDS / SLOW_OUTPUTS, 9, True),
    ],
)
def test_a_line_is_slow_that_is_late_repeatedly(apart: float, late: int, slow: bool) -> None:
    terminal, now = Terminal(ColorDepth.DEPTH_24_BIT), 0.0
    for _output in range(late):
        now += apart
        clock = iter([now, now + 2 * LATE_SECONDS, now])
        terminal.output.clock = clock.__next__
        terminal.show(drawn([]))
    terminal.output.clock = lambda: now
    assert terminal.output.is_slow is slow
    terminal.output.clock = lambda: now + SLOW_SECONDS
    assert not terminal.output.is_slow


def test_the_mouse_tells_of_presses_only() -> None:
    sent = io.StringIO()
    output = DiffOutput(sent, lambda: Size(ROWS, COLUMNS))
    output.enable_mouse_support()
    output.disable_mouse_support()
    output.flush()
    assert "1003" not in sent.getvalue()
