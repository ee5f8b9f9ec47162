"""All screens and plain mode in longer words: nothing breaks, and nothing vital is lost."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from prompt_toolkit.utils import get_cwidth

from coffeerush.records.entries import read_record
from coffeerush.ui.menu.draw_menu import draw_home
from coffeerush.ui.menu.menu import CHOOSING, Home, Join
from coffeerush.ui.menu.menu_input import asking_for_code, gone_to, told, with_found
from coffeerush.ui.pages.pages import Mode, Page, draw_page, page_end
from coffeerush.ui.plain.commands import ROW_OF, help_lines
from coffeerush.ui.plain.parsing import parse
from coffeerush.ui.replay.draw_replay import draw_replay
from coffeerush.ui.replay.replay import Replay, event_lines, table_lines
from coffeerush.ui.replay.replay_input import REPLAY_HELP, Watch
from coffeerush.ui.table.actions import HELP
from coffeerush.ui.table.state import Ui
from coffeerush.ui.terminal.canvas import Canvas, Look
from coffeerush.ui.words import i18n
from coffeerush.ui.words.command_words import every, said, spelled, switched_off, switched_on
from coffeerush.ui.words.i18n import _, set_language
from coffeerush.ui.words.names import bot_level
from tests.golden.frames import SIZES
from tests.golden.moments import GAMES, SETTINGS, TABLES, moments
from tests.support import records
from tests.support.local import INVITATION
from tests.support.pseudo import CODE, PADDING, pseudo, write_pseudo
from tests.ui.plain.test_plain import in_turn, seated

pytestmark = pytest.mark.slow

AT_SIZES = pytest.mark.parametrize("size", SIZES, ids=lambda size: "x".join(map(str, size)))
ENTERED = ("placing", "pouring", "serving")
"""Moments in which Enter is what to do next, or Space while pouring."""
TURNS = ("placing", "upgrade", "moving", "pouring", "serving")
"""Moments of this player's turn, which the header says before anything that it counts."""
PAGES: tuple[Mode, ...] = ("help", "rules", "settings")


@pytest.fixture(autouse=True)
def spoken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Speak it in these tests, and English again after them."""
    write_pseudo(tmp_path)
    monkeypatch.setattr(i18n, "LOCALE", tmp_path)
    set_language(CODE)
    yield
    monkeypatch.undo()
    set_language("en")


def fits(canvas: Canvas, size: tuple[int, int]) -> list[str]:
    """Return the lines of a screen, each as wide as the terminal."""
    lines = [*canvas.lines(Look())]
    assert len(lines) == size[1]
    for line in lines:
        assert line.isprintable(), line
        assert sum(map(get_cwidth, line)) == size[0], line
    return lines


def test_it_is_another_language() -> None:
    assert _("Play against bots") == "Pláýöö ágáíñštööö bótšöö"
    assert bot_level("regular") == pseudo("Regular")


@AT_SIZES
def test_moments_fit_and_keep_what_is_vital(size: tuple[int, int]) -> None:
    said: tuple[str, ...] = (pseudo("YOUR"),)
    if size[0] < 80:  # where long words leave room only for what to do
        said += (*map(pseudo, ("place", "pour", "serve")), *"123")
    for moment in moments():
        lines = fits(moment.paint(*size, False), size)
        head, footer = lines[0], lines[-1]
        assert PADDING in "\n".join(lines), moment.name
        if moment.name in ENTERED:
            key = "Space" if moment.name == "pouring" else "Enter"
            assert pseudo(key) in footer, (moment.name, footer)
        if moment.name in TURNS:
            assert "▸" in head, (moment.name, head)
            assert head.partition("▸")[2].strip().startswith(said), head
            score = head.find("✓")
            assert score == -1 or score > head.index("▸"), head
        if moment.name in ("lobby", "how others join"):
            drawn = "\n".join(lines)
            english = INVITATION.code.split("-")
            assert INVITATION.addresses[0] in drawn or size[1] >= 24, "large letters there"
            assert all(word in drawn for word in english), drawn


@AT_SIZES
def test_pages_fit_from_their_first_line_to_the_last(size: tuple[int, int]) -> None:
    for mode in PAGES:
        page = Page(mode=mode, help=HELP, size=size, settings=SETTINGS)
        for scroll in range(0, page_end(page) + 1, max(size[1] - 4, 1)):
            canvas = Canvas(*size)
            draw_page(canvas, replace(page, scroll=scroll))
            assert PADDING in "\n".join(fits(canvas, size))


@AT_SIZES
def test_a_replay_fits_from_the_deal_to_the_result(size: tuple[int, int]) -> None:
    replay = Replay(read_record(records.lines(records.play(records.head_of(3)))))
    page = Ui(size=size, settings=SETTINGS, help=REPLAY_HELP, replayed=True)
    for at in (0, *replay.turns[::6], replay.last):
        lines = fits(draw_replay(replay, Watch(at=at, page=page), *size), size)
        assert PADDING in "\n".join(lines)
        frame = replay.frame(at)
        assert all("{" not in line for line in [*event_lines(frame), *table_lines(frame)])


@AT_SIZES
def test_the_menu_fits_and_reads_in_plain_lines(size: tuple[int, int]) -> None:
    page = replace(Home().page, size=size, settings=SETTINGS)
    start = Home(page=page, games=GAMES, name="Ann")
    homes = [replace(start, place=place) for place in ("menu", "play", "host", "records")]
    homes += [with_found(gone_to(start, place), TABLES) for place in CHOOSING]
    homes.append(asking_for_code(start, Join(TABLES[0].address, "player")))
    for home in homes:
        fits(draw_home(home, *size), size)
        for line in told(home):
            assert "{" not in line


def test_every_typed_word_is_understood() -> None:
    for word in ROW_OF:
        assert said(word) != word
        for typed in (said(word), word, said(word).upper()):
            assert spelled(typed, ROW_OF) == word
            assert not parse(typed, "moving").problem
    for spellings in (every(), switched_on(), switched_off()):
        assert len(set(spellings)) == 2


def test_plain_mode_speaks_it_around_a_turn() -> None:
    seat = in_turn()
    lines = [*help_lines(), *seat.type(f"{said('rules')} {every()[1]}")]
    for word in ROW_OF:
        if word not in ("leave", "end"):
            lines += seat.type(said(word))
    assert len(lines) > len(ROW_OF)
    assert all("{" not in line for line in lines)
    lobby = seated()
    assert lobby.type(f"{said('bot')} {bot_level('random')} 2")
    assert lobby.type(f"{said('remove')} {lobby.wire.driver.table_view.seats[0].name}")
    assert lobby.wire.driver.table_view.seats[0].status == "open"
