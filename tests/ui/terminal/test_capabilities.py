"""A terminal's capabilities are derived from its name and its encoding."""

import io

import pytest
from prompt_toolkit.data_structures import Size
from prompt_toolkit.output import ColorDepth

from coffeerush.local.settings import COLOURS, Colours, Settings
from coffeerush.ui.terminal.canvas import Look
from coffeerush.ui.terminal.output import DEPTHS, DiffOutput, colours_of, look_of, notification_code


def output(
    term: str = "xterm-256color", encoding: str = "utf-8", depth: ColorDepth | None = None
) -> DiffOutput:
    text = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    return DiffOutput(text, lambda: Size(24, 80), term=term, default_color_depth=depth)


@pytest.mark.parametrize(
    ("environ", "colours"),
    [
        ({"TERM": "xterm-256color"}, "256"),
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor"}, "true"),
        ({"TERM": "xterm-256color", "COLORTERM": "24bit"}, "true"),
        ({"TERM": "xterm-256color", "COLORTERM": "yes"}, "256"),
        ({"TERM": "xterm-256color", "NO_COLOR": "1", "COLORTERM": "truecolor"}, "none"),
        ({"TERM": "xterm-256color", "NO_COLOR": ""}, "256"),
        ({"TERM": "xterm-kitty"}, "256"),
        ({"TERM": "linux"}, "16"),
        ({"TERM": "xterm-16color"}, "16"),
        ({"TERM": "screen"}, "16"),
        ({"TERM": "screen-256color"}, "256"),
        ({"TERM": "vt220"}, "none"),
        ({"TERM": "xterm-mono"}, "none"),
        ({"TERM": "dumb"}, "none"),
    ],
)
def test_colours_by_themselves(environ: dict[str, str], colours: Colours) -> None:
    assert colours_of(Settings(), output(environ["TERM"]), environ) == colours


def test_what_the_output_was_told_is_believed() -> None:
    told = output("vt220", depth=ColorDepth.DEPTH_24_BIT)
    assert colours_of(Settings(), told, {"TERM": "vt220"}) == "true"


@pytest.mark.parametrize("wished", COLOURS[1:])
def test_a_wish_comes_before_everything(wished: Colours) -> None:
    settings = Settings(colours=wished)
    assert colours_of(settings, output("dumb"), {"NO_COLOR": "1"}) == wished
    assert wished in DEPTHS
    assert look_of(settings, output("dumb"), {}).rich == (wished in ("256", "true"))


@pytest.mark.parametrize(
    ("encoding", "look"),
    [
        ("utf-8", Look()),
        ("UTF8", Look()),
        ("latin-1", Look(True, "iso8859-1")),
        ("ascii", Look(True, "ascii")),
    ],
)
def test_ascii_where_the_output_is_not_utf8(encoding: str, look: Look) -> None:
    found = look_of(Settings(), output(encoding=encoding), {})
    assert (found.ascii, found.encoding == "utf-8") == (look.ascii, look.encoding == "utf-8")
    assert look_of(Settings(ascii=True), output(), {}).ascii


@pytest.mark.parametrize(
    ("environ", "is_ascii"),
    [
        ({"LANG": "C"}, True),
        ({"LC_ALL": "POSIX", "LANG": "en_US.UTF-8"}, True),
        ({"LC_ALL": "C.UTF-8", "LANG": "C"}, False),
        ({"LANG": "en_US.UTF-8"}, False),
        ({}, False),
    ],
)
def test_a_locale_of_ascii_is_believed(environ: dict[str, str], is_ascii: bool) -> None:
    assert look_of(Settings(), output(), environ).ascii is is_ascii


@pytest.mark.parametrize(
    ("environ", "begin"),
    [
        ({"TERM": "xterm-256color"}, None),
        ({"TERM": "linux"}, None),
        ({"TERM": "vt100"}, None),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}, "\x1b]9;Your"),
        ({"TERM": "xterm-256color", "LC_TERMINAL": "iTerm2"}, "\x1b]9;Your"),
        ({"TERM": "xterm-kitty"}, "\x1b]9;Your"),
        ({"TERM": "xterm-ghostty"}, "\x1b]9;Your"),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, "\x1b]9;Your"),
        ({"TERM": "foot"}, "\x1b]777;notify;Your"),
        ({"TERM": "rxvt-unicode-256color"}, "\x1b]777;notify;Your"),
        ({"TERM": "xterm-256color", "VTE_VERSION": "7600"}, "\x1b]777;notify;Your"),
        ({"TERM": "tmux-256color", "TMUX": "/tmp/tmux,1,0"}, "\x1bPtmux;\x1b\x1b]9;Your"),
    ],
)
def test_only_terminals_that_have_notifications_get_one(
    environ: dict[str, str], begin: str | None
) -> None:
    code = notification_code("Your turn", environ)
    assert code.startswith(begin) if begin else not code


def test_a_notification_holds_no_other_escape_sequence() -> None:
    code = notification_code("a\x1b]2;b\x07c\nd", {"TERM": "xterm-kitty"})
    assert code == "\x1b]9;a]2bcd\x07"
