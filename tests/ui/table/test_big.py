"""Big screens: words instead of marks, a bigger board, and the recipes of rivals' orders."""

import re

import pytest
from msgspec.structs import replace

from coffeerush.client.model import Model
from coffeerush.records.entries import read_record
from coffeerush.ui.pages.pages import Mode, kinds_of
from coffeerush.ui.replay.draw_replay import draw_replay
from coffeerush.ui.replay.replay import Replay
from coffeerush.ui.replay.replay_input import Watch
from coffeerush.ui.table.draw_game import draw
from coffeerush.ui.table.panes import pane_lines, pane_title
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.table.state import Ui, layout_of
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import Look
from coffeerush.ui.words.names import drink_title, ingredient_code
from protocol import CHAT_CHARACTERS, NO_ID, Chat
from tests.golden.frames import EXTREMES, spoken
from tests.golden.moments import moments, played
from tests.support import records
from tests.support.local import LocalTable, invited

PENALTIES = re.compile(rf"{glyphs.PENALTY}\d+/")


def lines_of(name: str, columns: int, rows: int) -> list[str]:
    moment = next(one for one in moments() if one.name == name)
    return [*moment.paint(columns, rows, False).lines()]


@pytest.mark.parametrize("language", EXTREMES)
@pytest.mark.parametrize(("columns", "rows"), [(100, 30), (120, 36), (200, 60)])
def test_penalties_are_in_words_where_there_is_room(language: str, columns: int, rows: int) -> None:
    with spoken(language):
        text = "\n".join(lines_of("moving", columns, rows))
        assert not PENALTIES.search(text)
        assert "\n".join(lines_of("moving", 80, 24)).count("/5 ") >= 4, "marks on a small screen"


@pytest.mark.parametrize("language", EXTREMES)
@pytest.mark.parametrize(("columns", "rows"), [(120, 36), (200, 60)])
def test_a_replay_has_words_for_counts_and_whole_names(
    language: str, columns: int, rows: int
) -> None:
    names = ("Alexandra-Maria Lee", "민준이네 커피", "Bob")
    head = records.head_of(3)
    seats = tuple(replace(one, name=name) for one, name in zip(head.seats, names, strict=True))
    record = read_record(records.lines(records.play(replace(head, seats=seats))))
    replay = Replay(record)
    watch = Watch(at=replay.last // 2, page=Ui(size=(columns, rows), replayed=True))
    with spoken(language):
        lines = [*draw_replay(replay, watch, columns, rows).lines()]
        for name in names:
            assert any(line[3:].startswith(name) for line in lines)
        assert not PENALTIES.search("\n".join(lines))


def test_a_bot_has_its_level_if_it_fits() -> None:
    """As it just does in English on the smallest wide terminal."""
    assert any(" X Bot 1 (Regular) " in line for line in lines_of("moving", 120, 36))


@pytest.mark.parametrize("language", EXTREMES)
def test_a_big_screen_has_the_recipes_of_all_open_orders(language: str) -> None:
    view = dict(played())["spectator"].view
    assert view is not None
    with spoken(language):
        text = "\n".join(lines_of("spectator", 160, 45))
        for player in view.players:
            for drink in [view.menu[one] for slot in player.orders for one in slot]:
                codes = " ".join(ingredient_code(kind) for kind in kinds_of(drink.recipe))
                assert f"{drink_title(drink)} {codes}" in text


def test_a_board_grows_with_the_screen() -> None:
    sizes = [layout_of(*size).board for size in ((120, 36), (160, 45), (200, 60), (240, 70))]
    cells = [area.columns * area.rows for area in sizes]
    assert cells == sorted(set(cells))
    assert layout_of(200, 60).board.columns > 200 * 0.45


BIG_SIZES = pytest.mark.parametrize(("columns", "rows"), [(120, 36), (200, 60)])


def shown_by(model: Model, mode: Mode, columns: int, rows: int) -> list[str]:
    return [*draw(model, Ui(mode=mode, size=(columns, rows)), columns, rows).lines()]


@BIG_SIZES
@pytest.mark.parametrize("language", EXTREMES)
def test_a_list_in_a_game_leaves_the_cups(language: str, columns: int, rows: int) -> None:
    """Only at 120x36 does a list of upgrades in long words need their place, too."""
    model = dict(played())["upgrade"]
    scene = Scene(model, Ui())
    modes: tuple[Mode, ...] = ("emotes", "empty", "seats", "upgrades")
    with spoken(language):
        for mode in modes[: 4 if columns == 200 else 3]:
            before, after = (shown_by(model, one, columns, rows) for one in ("table", mode))
            third = f"{glyphs.LINE} 3 {glyphs.LINE}"
            cups = next(y for y, line in enumerate(before) if third in line)
            assert after[1 : cups + 2] == before[1 : cups + 2]
            assert after[cups + 2] != before[cups + 2]
            text = "\n".join(after[cups : layout_of(columns, rows).belt.y])
            assert columns < 200 or all(scene.name(seat) in text for seat in scene.others)


@BIG_SIZES
@pytest.mark.parametrize("language", EXTREMES)
def test_a_list_next_to_a_game_is_over_the_log(language: str, columns: int, rows: int) -> None:
    local = LocalTable(3, ("regular",))
    owner, guest = (local.link(name) for name in ("Ann", "Bob"))
    guest.wish(Chat(NO_ID, "w" * CHAT_CHARACTERS))
    modes: tuple[Mode, ...] = ("agreed", "seats", "emotes")
    with spoken(language):
        for model in (invited(owner.model), dict(played())["result"]):
            for mode in modes:
                before, after = (shown_by(model, one, columns, rows) for one in ("table", mode))
                y = next(y for y, line in enumerate(after) if before[y] != line)
                x = after[y].index(glyphs.DOWN_RIGHT)
                assert f" {pane_title('log')} {glyphs.LINE}" in before[y - 1]
                # above the footer is the message that the list covers
                assert all(line[:x] == before[y][:x] for y, line in enumerate(after[:-2]))
                assert not any("www" in line and glyphs.WALL in line[x:] for line in after[y:])


@pytest.mark.parametrize(("columns", "rows"), [(160, 45), (200, 60)])
def test_the_cell_one_stands_on_has_a_band_below_its_tile(columns: int, rows: int) -> None:
    """Not next to the lowest line of the tile only."""
    moment = next(one for one in moments() if one.name == "moving")
    cells = [*moment.paint(columns, rows, False).cells(Look())]
    band = layout_of(columns, rows).cell[0]
    here = [sum("class:here" in style for style in styles) for _texts, styles in cells]
    assert [count for count in here if count][-1] == band


@BIG_SIZES
@pytest.mark.parametrize("language", EXTREMES)
def test_panes_of_players_and_drinks_are_in_columns(language: str, columns: int, rows: int) -> None:
    model = dict(played())["moving"]
    with spoken(language):
        scene = Scene(model, Ui(size=(columns, rows)))
        players = [line for _style, line in pane_lines(scene, "others", 60)]
        orders = [line for line in players if re.match(r" *[1-4][ !] ", line)]
        assert orders
        assert all(line.startswith("   ") for line in orders)
        assert not any(glyphs.SERVED in line for line in players)
        drinks = [line for _style, line in pane_lines(scene, "menu", 200) if "(x" in line]
        assert all(line[:2] in ("  ", f"{glyphs.SPECIALTY} ") for line in drinks)
        assert {line[:2] for line in drinks} == {"  ", f"{glyphs.SPECIALTY} "}
