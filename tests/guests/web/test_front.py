"""The page and its line for commands of plain mode show one table to one person."""

import asyncio
from collections.abc import Callable
from functools import cache
from typing import Any

import msgspec
import pytest
from hypothesis import given, strategies as st
from prompt_toolkit.styles import Style

from coffeerush.guests.front_end import Shares
from coffeerush.guests.register import BrowserToken
from coffeerush.guests.web.front import (
    MAX_MESSAGE,
    Commanded,
    Field,
    KeyPressed,
    PageFrame,
    PageFront,
    PageMessage,
    Painter,
    decode,
    field_of,
    target_names,
)
from coffeerush.local.settings import THEMES, Settings, Theme
from coffeerush.ui.pages.pages import ROWS
from coffeerush.ui.table.draw_game import draw
from coffeerush.ui.table.state import Ui
from coffeerush.ui.table.table_app import Screen
from coffeerush.ui.terminal.canvas import EVERYTHING, Canvas, Look, Offer, Target, cell_width
from coffeerush.ui.terminal.keys import Draft
from coffeerush.ui.terminal.theme import style_of
from coffeerush.ui.words.i18n import speak_apart
from protocol import Phase
from tests.golden.frames import spoken
from tests.golden.moments import moments
from tests.support.local import LocalTable
from tests.support.screen_terminal import QUIET
from tests.ui.table.test_draw_game import playing

# The page and its line for commands of plain mode show one table to one person


Z = 25


def test_settings_that_are_typed_are_those_of_the_screen() -> None:
    kept: list[Settings] = []
    shown = asyncio.Event()

    async def visit() -> None:
        speak_apart(["en"])
        link = LocalTable(2).link("Ann")
        at = "127.0.0.1", (80, 24), "en", BrowserToken("token")
        front = PageFront(Shares(), *at, lambda _frame: shown.set(), lambda: None)
        screen = Screen(link, Settings(), kept.append, front.display)

        async def drawn() -> None:
            """Wait for the frame that answers what was heard."""
            shown.clear()
            await shown.wait()

        showing = asyncio.create_task(screen.run())
        await shown.wait()
        row = 1 + [row.field for row in ROWS].index("bell")
        front.hear(Commanded(f"settings {row}"))
        await drawn()
        assert (screen.settings.bell, kept[-1].bell) == (False, False)
        front.hear(Commanded("guide off"))
        await drawn()
        assert (screen.ui.guide, screen.settings.guided, kept[-1].guided) == (False, True, True)
        front.hear(Commanded("guide on"))
        await drawn()
        assert (screen.ui.guide, kept[-1].guided, kept[-1].bell) == (True, False, False)
        front.hear(Commanded("language ko"))
        await drawn()
        assert (screen.settings.language, kept[-1].language) == ("ko", "ko")
        showing.cancel()

    asyncio.run(visit())


def test_a_letter_and_a_colour_are_the_same_for_keys_and_for_commands() -> None:
    kept: list[Settings] = []
    shown = asyncio.Event()

    async def visit() -> None:
        link = LocalTable(2).link("Ann")
        at = "127.0.0.1", (80, 24), "en", BrowserToken("token")
        front = PageFront(Shares(), *at, lambda _frame: shown.set(), lambda: None)
        showing = asyncio.create_task(Screen(link, QUIET, kept.append, front.display).run())
        await shown.wait()

        async def marks_after(message: PageMessage) -> tuple[int | None, int | None]:
            shown.clear()
            front.hear(message)
            await shown.wait()
            assert link.model.table
            seat = link.model.table.seats[0]
            assert (seat.letter, seat.colour) == (kept[-1].letter, kept[-1].colour)
            return seat.letter, seat.colour

        assert await marks_after(KeyPressed("h")) == (None, 1)
        assert await marks_after(Commanded("letter z")) == (Z, 1)
        assert await marks_after(KeyPressed("h")) == (Z, 2)
        assert await marks_after(Commanded("colour 4")) == (Z, 3)
        showing.cancel()

    asyncio.run(visit())


def test_a_message_that_is_no_message_is_an_error_of_one_kind() -> None:
    for data in (b"", b"[" * MAX_MESSAGE, b'{"is":"key","x":' + b"[" * 1000):
        with pytest.raises(msgspec.MsgspecError):
            decode(data)


# Frames for the page: what is sent adds up to the canvas


STYLES = ["", "class:title", "class:header class:turn", "class:mine", "class:coffee", "class:key"]
PIECES = st.lists(
    st.tuples(
        st.integers(0, 20),
        st.integers(0, 5),
        st.text(st.sampled_from("ab  ─│★한국e\u0301é"), max_size=8),
        st.sampled_from(STYLES),
    ),
    max_size=12,
)


def painted(painter: Painter, canvas: Canvas, look: Look, theme: Theme) -> PageFrame:
    """Return the frame that is sent for a canvas."""
    frame = PageFrame()
    for _row in painter.paint(frame, canvas, look, theme, {}, None):
        pass
    return frame


class FakePage:
    """Does with frames what the page does, cell by cell."""

    def __init__(self) -> None:
        self.painter = Painter()
        self.pens: dict[int, tuple[str, str, str]] = {}
        self.rows: list[Any] = []
        self.buttons: list[Any] = []

    def show(
        self, canvas: Canvas, theme: Theme = "dark", look: Look = EVERYTHING
    ) -> dict[str, Any]:
        """Show a canvas, and return the frame that was sent."""
        frame = painted(self.painter, canvas, look, theme)
        sent: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(frame))
        if "size" in sent:
            self.rows, self.pens = [[] for _row in range(sent["size"][1])], {}
        for pen, *attributes in sent.get("pens", ()):
            self.pens[pen] = tuple(attributes)
        for y, runs in sent.get("rows", ()):
            self.rows[y] = runs
        self.buttons = sent.get("buttons", self.buttons)
        return sent

    def cells(self, columns: int) -> list[list[tuple[str, tuple[str, str, str]]]]:
        """Return the text and pen of each cell; "" follows a wide character."""
        found = []
        for runs in self.rows:
            line: list[tuple[str, tuple[str, str, str]]] = []
            for pen, text, *_cells in runs:
                for character in text:
                    if cell_width(character):
                        line.append((character, self.pens[pen]))
                        line += [("", self.pens[pen])] * (cell_width(character) - 1)
                    else:
                        x = -1 if line[-1][0] else -2
                        line[x] = (line[x][0] + character, self.pens[pen])
            found.append(line + [(" ", self.pens[0])] * (columns - len(line)))
        return found


@cache
def look_of(style: str, theme: Theme) -> tuple[str, str, bool, bool]:
    """Return the colours that prompt_toolkit gives a style."""
    known = Style.from_dict(style_of(theme, "true"))
    found = known.get_attrs_for_style_str(style)
    ink, paper = f"#{found.color}", f"#{found.bgcolor}"
    if found.reverse:
        ink, paper = paper, ink
    return ink, paper, bool(found.bold), bool(found.underline)


def assert_same(page: FakePage, canvas: Canvas, theme: Theme) -> None:
    shown = page.cells(canvas.columns)
    for (texts, styles), line in zip([*canvas.cells(EVERYTHING)][:-1], shown, strict=True):
        assert [text for text, _pen in line] == texts
        for text, style, (_text, (ink, paper, attributes)) in zip(texts, styles, line, strict=True):
            wanted = look_of(style, theme)
            assert paper == wanted[1]
            if text.strip():
                assert (ink, "bold" in attributes, "underline" in attributes) == (
                    wanted[0],
                    *wanted[2:],
                )


@given(st.lists(PIECES, min_size=1, max_size=4), st.sampled_from(THEMES))
def test_frames_add_up_to_the_canvas(frames: list[Any], theme: Theme) -> None:
    page = FakePage()
    for pieces in frames:
        canvas = Canvas(24, 6)
        for x, y, text, style in pieces:
            canvas.put(x, y, text, style)
        page.show(canvas, theme)
        assert_same(page, canvas, theme)
        assert page.show(canvas, theme) == {}


def test_only_changed_rows_are_sent() -> None:
    page, canvas = FakePage(), Canvas(20, 4)
    canvas.put(0, 1, "one")
    page.show(canvas)
    canvas.put(0, 2, "two", "class:title")
    sent = page.show(canvas)
    assert [y for y, _runs in sent["rows"]] == [2]
    assert len(sent["pens"]) == 1
    assert "size" not in sent


@pytest.mark.parametrize("change", [lambda: Canvas(21, 4), lambda: Canvas(20, 5)])
def test_another_size_is_sent_anew(change: Callable[[], Canvas]) -> None:
    page = FakePage()
    page.show(Canvas(20, 4))
    assert page.show(change())["size"] == [change().columns, change().rows - 1]


def test_another_theme_is_sent_anew_with_its_own_colours() -> None:
    page, canvas = FakePage(), Canvas(20, 4)
    canvas.put(0, 1, "one", "class:title")
    page.show(canvas, "dark")
    page.show(canvas, "light")
    assert_same(page, canvas, "light")


def test_the_footer_becomes_keys_and_no_button_covers_its_row() -> None:
    page, canvas = FakePage(), Canvas(20, 4)
    canvas.offers = [Offer("c-m", "Enter", "go on")]
    canvas.zone(0, 3, 10, 1, Target("key", "c-m"))
    canvas.zone(0, 1, 5, 2, Target("key", "c-m"))
    sent = page.show(canvas)
    assert sent["keys"] == [["c-m", "Enter", "go on"]]
    assert sent["buttons"] == [[0, 1, 5, 2, "key", "c-m", "go on"]]


def test_a_button_without_a_name_is_called_as_it_is_written() -> None:
    page, canvas = FakePage(), Canvas(20, 3)
    canvas.put(1, 0, "한국  log ")
    canvas.zone(0, 0, 12, 1, Target("pane", "log"))
    assert page.show(canvas)["buttons"][0][-1] == "한국 log"


@pytest.mark.slow
@pytest.mark.parametrize("size", [(42, 29), (40, 24), (71, 16), (131, 32), (151, 40)])
@pytest.mark.parametrize("language", ["en", "ru"])
def test_what_is_tapped_has_two_rows(size: tuple[int, int], language: str) -> None:
    look, small = Look(touch=True), []
    with spoken(language):
        for moment in moments():
            canvas = moment.painter(Ui(size=size, touch=True, settings=Settings(letter=3)))
            sent = painted(Painter(), canvas, look, "dark")
            small += [(moment.name, one) for one in sent.buttons or () if one[3] < 2]
    owners = ("lobby", "the next game", "a guest asks")  # no guest has a table
    program = ("replay", "start menu", "host", "join", "code", "records", "league", "career")
    assert not [one for one in small if one[0] not in owners + program]


def test_each_cell_cup_and_order_has_a_name() -> None:
    model = playing(Phase.MOVING)
    names = dict(target_names(model))
    canvas = draw(model, Ui(size=(40, 28)), 40, 28)
    targets = {zone[-1] for zone in canvas.zones()}
    assert {one.kind for one in targets} >= {"cell", "cup", "order"}
    assert {one for one in targets if one.kind in ("cell", "cup", "order")} <= {*names}
    assert all(names.values())


def test_the_open_text_field() -> None:
    draft = Draft("hel", "lo")
    assert field_of(Ui()) is None
    assert field_of(Ui(mode="chat", draft=draft)) == Field("Say:", "hello", 80)
    assert field_of(Ui(mode="name", draft=draft)) == Field("New name:", "hello", 24)
    assert field_of(Ui(mode="settings", editing=True, row=8, draft=draft)) is not None
