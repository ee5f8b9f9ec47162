"""Less is sent, and the same is seen."""

import io
from collections.abc import Callable
from typing import TypeAlias

import pyte
from hypothesis import given, strategies as st
from prompt_toolkit.data_structures import Size
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.styles import DEFAULT_ATTRS, Attrs

from coffeerush.client.screen.sparing import SparingOutput

Step: TypeAlias = Callable[[Vt100_Output], None]
COLUMNS, ROWS = 12, 4


def worn(attrs: Attrs, depth: ColorDepth) -> Step:
    return lambda output: output.set_attributes(attrs, depth)


def written(text: str) -> Step:
    def write(output: Vt100_Output) -> None:
        for character in text:
            output.write(character)

    return write


colours = st.sampled_from(["", "ff8000", "102030", "ansired", "ansiblue"])
flags = st.sampled_from([None, False, True])
looks = st.builds(
    DEFAULT_ATTRS._replace,
    color=colours,
    bgcolor=colours,
    bold=flags,
    underline=flags,
    reverse=flags,
    italic=flags,
)
drawn = st.one_of(
    st.text(st.sampled_from("ab  "), max_size=4).map(written),
    st.just(lambda output: output.write("\r\n")),
    st.just(lambda output: output.cursor_forward(2)),
    st.just(lambda output: output.cursor_goto(1, 1)),
    st.just(lambda output: output.reset_attributes()),
    st.just(lambda output: output.erase_end_of_line()),
)


def seen(kind: type[Vt100_Output], steps: list[Step]) -> tuple[list[list[object]], int]:
    """Return the cells as they look, and how much was sent."""
    sent = io.StringIO()
    output = kind(sent, lambda: Size(ROWS, COLUMNS), term="xterm")
    for step in steps:
        step(output)
    output.flush()
    screen = pyte.Screen(COLUMNS, ROWS)
    pyte.Stream(screen).feed(sent.getvalue())
    cells = [[_seen(screen.buffer[y][x]) for x in range(COLUMNS)] for y in range(ROWS)]
    return cells, len(sent.getvalue())


def _seen(char: pyte.screens.Char) -> object:
    """Return what an eye sees of a cell; of a blank, its ink only where that is its ground."""
    if char.data != " ":
        return char
    ink = char.fg if char.reverse or char.underscore else None
    return ink, char.bg, char.reverse, char.underscore


@given(st.sampled_from(list(ColorDepth)), st.data())
def test_the_same_is_seen(depth: ColorDepth, data: st.DataObject) -> None:
    one = st.one_of(looks.map(lambda attrs: worn(attrs, depth)), drawn)
    steps = data.draw(st.lists(one, max_size=30))
    assert seen(SparingOutput, steps)[0] == seen(Vt100_Output, steps)[0]


def test_what_the_terminal_has_is_not_sent_again() -> None:
    ink, ground = DEFAULT_ATTRS._replace(color="ff8000"), "102030"
    both = ink._replace(bgcolor=ground)
    bold = both._replace(bold=True)
    steps: list[Step] = []
    for attrs in (both, both._replace(color="0000ff"), bold, both, bold):
        steps += [worn(attrs, ColorDepth.DEPTH_24_BIT), written("a b"), lambda o: o.write("\r\n")]
        steps.append(lambda output: output.reset_attributes())
    assert seen(SparingOutput, steps)[1] < seen(Vt100_Output, steps)[1] * 0.6


def test_the_mouse_tells_of_presses_only() -> None:
    sent = io.StringIO()
    output = SparingOutput(sent, lambda: Size(ROWS, COLUMNS))
    output.enable_mouse_support()
    output.disable_mouse_support()
    output.flush()
    assert "1003" not in sent.getvalue()
