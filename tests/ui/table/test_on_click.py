"""Clicks at the table, on the areas marked on the canvas."""

import re
from random import Random

import pytest
from msgspec.structs import replace

from coffeerush.levels import LEVELS
from coffeerush.local.settings import Settings
from coffeerush.ui.advice.advice import ShortWalk, walk_to
from coffeerush.ui.pages.pages import PAGES
from coffeerush.ui.table.actions import HELP
from coffeerush.ui.table.draw_game import draw
from coffeerush.ui.table.input import click, wheel
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.table.state import Ui
from coffeerush.ui.terminal.canvas import Target
from coffeerush.ui.terminal.keys import BACKSPACE, ENTER
from protocol import NO_ID, EmptyCup, Phase, PlaceMeeple, Pour, Serve, SetPause, Step, Undo
from tests.support.local import LocalTable, begun
from tests.support.screen_terminal import QUIET, Kind, Terminal, shown
from tests.ui.table.test_on_key import Hands, at, ready_to_serve, walked


def steps_of(hands: Hands) -> list[int]:
    return sorted(Scene(hands.link.model, hands.ui).turn.steps)


def meeples_of(hands: Hands) -> tuple[int, ...]:
    scene = Scene(hands.link.model, hands.ui)
    return scene.player(scene.me or 0).meeples


def test_a_cell_steps() -> None:
    hands = at(Phase.MOVING)
    cell = steps_of(hands)[0]
    assert hands.click("cell", cell) == [Step(1, cell)]
    assert hands.click("cell", cell) == []
    assert "is on this cell" in hands.ui.note
    assert hands.click("key", BACKSPACE) == [Undo()]


def on_the_way(rush: int) -> tuple[Hands, ShortWalk, int]:
    """Return hands that can walk to a cell several steps away for so many tokens, and the walk."""
    for seed in range(20):
        hands = at(Phase.MOVING, seed=seed, round_=6 if rush else 0)
        for cell in set(range(16)) - {*steps_of(hands)}:
            view = hands.link.model.view
            assert view is not None
            walk = walk_to(view, 1, cell)
            if walk is not None and len(walk.steps) > 1 and walk.rush == rush:
                return hands, walk, cell
    raise AssertionError("there was no such walk")


def test_a_click_on_a_cell_some_steps_away_walks_there() -> None:
    hands, walk, cell = on_the_way(rush=0)
    assert hands.click("cell", cell) == list(walk.steps)
    assert meeples_of(hands) == (cell,)
    assert hands.press("u") == [Undo()]


def test_a_walk_that_costs_rush_tokens_is_confirmed_by_the_same_click() -> None:
    hands, walk, cell = on_the_way(rush=2)
    other = next(one for one in steps_of(hands))
    assert hands.click("cell", cell) == []
    assert hands.ui.note == "Walking there costs 2 rush tokens: click there again to go."
    assert hands.click("cell", other) == [Step(1, other)]
    assert hands.press("u") == [Undo()]
    assert hands.click("cell", cell) == []
    assert hands.click("cell", cell) == list(walk.steps)
    assert meeples_of(hands) == (cell,)


def test_a_cell_that_is_too_far_away_is_said_to_be_so() -> None:
    hands = at(Phase.MOVING)
    view = hands.link.model.view
    assert view is not None
    here = meeples_of(hands)[0]
    far = next(cell for cell in range(16) if cell != here and walk_to(view, 1, cell) is None)
    assert hands.click("cell", far) == []
    assert "Too far: " in hands.ui.note


def test_a_click_on_a_free_cell_places_at_once() -> None:
    hands = at(Phase.PLACING)
    hands.look()
    places = set(Scene(hands.link.model, hands.ui).turn.places)
    taken = set(range(16)) - places
    for cell in taken:
        assert hands.click("cell", cell) == []
        assert "choose a free one" in hands.ui.note
    cell = min(places)
    assert hands.click("cell", cell) == [PlaceMeeple(cell)]


def test_either_meeple_steps_where_only_it_can() -> None:
    hands = at(Phase.MOVING, seats=2)
    scene = Scene(hands.link.model, hands.ui)
    by_meeple = {
        meeple: {
            one.cell for one in scene.turn.legal if isinstance(one, Step) and one.meeple == meeple
        }
        for meeple in (1, 2)
    }
    own = meeples_of(hands)
    assert hands.click("cell", own[1]) == ([Step(1, own[1])] if own[1] in by_meeple[1] else [])
    hands = at(Phase.MOVING, seats=2)
    cell = min(by_meeple[2] - by_meeple[1])
    assert hands.click("cell", cell) == [Step(2, cell)]


def test_a_cup_pours_the_first_token_and_a_choice_takes_it() -> None:
    hands = walked(3)
    token = Scene(hands.link.model, hands.ui).turn.to_pour[0]
    assert hands.click("cup", 2) == [Pour(token, 2)]
    hands.press("e")
    assert hands.click("cup", 2) == [EmptyCup(2)]
    fresh = at(Phase.MOVING)
    assert fresh.click("cup", 1) == []
    assert fresh.ui.note == "A turn needs at least one step: use the arrow keys."


def test_an_order_serves_or_says_what_it_needs() -> None:
    hands = ready_to_serve()
    orders = Scene(hands.link.model, hands.ui).orders
    ready = next(n for n, order in enumerate(orders) if order.serve)
    for place, order in enumerate(orders):
        if order.lacks:
            assert hands.click("order", place) == []
            assert "still needs" in hands.ui.note
            assert not hands.ui.refused, "it is an answer"
    assert hands.click("order", ready) == [orders[ready].serve]
    assert hands.click("order", 99) == []


def test_clicks_on_anothers_turn_say_whose_it_is() -> None:
    hands = at(Phase.MOVING)
    other = Hands(next(link for link in hands.link.local.links if link is not hands.link))
    clicks: tuple[tuple[Kind, int], ...] = (("cup", 1), ("order", 0))
    for kind, value in clicks:
        assert other.click(kind, value) == []
        assert re.fullmatch(r"It is .*'s turn\.", other.ui.note)


def test_the_second_half_of_a_double_click_on_enter_does_nothing() -> None:
    hands = ready_to_serve()
    assert isinstance(hands.click("key", ENTER)[0], Serve)
    assert hands.click("key", ENTER, seconds=0.2) == []


def test_a_turn_that_has_just_begun_is_not_played_by_a_click() -> None:
    hands = at(Phase.PLACING)
    hands.look()
    hands.ui = replace(hands.ui, turn_at=hands.now)
    cell = min(Scene(hands.link.model, hands.ui).turn.places)
    assert hands.click("cell", cell, seconds=0.1) == []


def test_a_click_on_a_frame_of_the_game_before_does_nothing() -> None:
    hands = Hands(LocalTable(2).link("Ann"))
    for kind in ("order", "cell"):
        assert hands.click(kind, 0) == []


def test_an_order_is_not_served_in_a_pause() -> None:
    hands = ready_to_serve()
    number, order = next(
        (number, one)
        for number, one in enumerate(Scene(hands.link.model, hands.ui).orders)
        if one.serve
    )
    hands.link.local.links[0].wish(SetPause(NO_ID, True, ""))
    hands.look()
    assert hands.click("order", number) == []
    assert "paused" in hands.ui.note
    hands.link.local.links[0].wish(SetPause(NO_ID, False))
    hands.look()
    assert hands.click("order", number) == [order.serve]


def test_panes_are_chosen_by_their_titles() -> None:
    hands = at(Phase.MOVING)
    hands.click("pane", "menu")
    assert hands.ui.pane == "menu"
    hands.click("pane", "menu")
    assert hands.ui.pane == "log"
    hands.click("pane", "others")
    assert hands.ui.pane == "others"
    hands.ui = replace(hands.ui, size=(120, 36), pane="")
    hands.click("pane", "chat")
    assert hands.ui.mode == "chat"


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (40, 12)])
@pytest.mark.parametrize("mode", ["upgrades", "empty", "serve"])
def test_a_line_of_a_choice_is_its_digit(size: tuple[int, int], mode: str) -> None:
    hands = ready_to_serve()
    ui = replace(hands.ui, mode=mode, size=size)
    canvas = draw(hands.link.model, ui, *size)
    targets = {canvas.target_at(x, y) for x in range(size[0]) for y in range(size[1])}
    digits = {
        one.value for one in targets if one and one.kind == "key" and str(one.value).isdigit()
    }
    pressed = {
        digit: click(hands.link.model, ui, Target("key", digit), hands.now) for digit in digits
    }
    assert all(done[1] or done[0].asked == "end" for done in pressed.values())
    assert digits or mode == "upgrades"


@pytest.mark.parametrize("size", [(80, 24), (40, 12)])
def test_a_line_of_a_choice_reaches_from_wall_to_wall(size: tuple[int, int]) -> None:
    link = LocalTable(4, ("regular",)).link("Ann")
    canvas = draw(link.model, Ui(mode="bots", size=size), *size)
    rows = [
        (y, row)
        for y, line in enumerate(canvas.lines())
        for row in re.finditer(r"│[ ▸](\d) [^│]*│", line)
    ]
    assert len(rows) == len(LEVELS)
    for y, row in rows:
        left, right, key = row.start(), row.end() - 1, Target("key", row[1])
        assert {canvas.target_at(x, y) for x in range(left + 1, right)} == {key}
        assert key not in (canvas.target_at(left, y), canvas.target_at(right, y))


def test_pages_are_turned_and_changed_by_the_mouse() -> None:
    model = LocalTable(2).link("Ann").model
    ui = Ui(help=HELP, settings=Settings(speed="normal"))
    for page in PAGES:
        opened = replace(ui, mode=page)
        scrolled, _wishes = wheel(model, opened, 1, 1.0)
        assert scrolled != opened
        canvas = draw(model, opened, 80, 24)
        tabs = {canvas.target_at(x, 0) for x in range(80)} - {None}
        assert len(tabs) == len(PAGES)
    changed, _wishes = click(model, replace(ui, mode="settings"), Target("row", 1), 1.0)
    assert changed.settings != ui.settings
    same, _wishes = click(model, replace(ui, mode="help"), Target("cell", 1), 1.0)
    assert same.mode == "help"


def test_the_wheel_scrolls_the_log() -> None:
    hands = at(Phase.MOVING, round_=3)
    up, _wishes = wheel(hands.link.model, hands.ui, -1, hands.now)
    assert up.scroll > 0
    down, _wishes = wheel(hands.link.model, up, 1, hands.now)
    assert down.scroll == 0
    assert (up.key, up.key_at) == (hands.ui.key, hands.ui.key_at)


async def by_mouse(terminal: Terminal, chance: Random) -> None:
    """Follow the screen's suggestions, with clicks only, until the turn is over."""
    link = terminal.link
    while link.model.my_turn and link.model.table and link.model.table.stage == "game":
        before = link.model.view
        assert before is not None
        scene = Scene(link.model, Ui())
        serve = next((n for n, order in enumerate(scene.orders) if order.serve), None)
        if scene.turn.places:
            await terminal.click("cell", chance.choice(sorted(scene.turn.places)))
        elif scene.turn.steps and (
            before.steps_left or not (scene.turn.can_end or scene.turn.can_pour)
        ):
            await terminal.click("cell", chance.choice(sorted(scene.turn.steps)))
        elif scene.turn.can_pour and chance.random() < 0.5:
            await terminal.click("cup", chance.randrange(1, 4))
        elif scene.turn.can_pour:
            await terminal.click("key", " ")
        elif serve is not None:
            await terminal.click("order", serve)
        else:
            await terminal.click("key", ENTER)
        await terminal.until_moved(before)


@pytest.mark.slow
@pytest.mark.parametrize(("columns", "rows", "seats"), [(80, 24, 3), (120, 36, 2)])
async def test_a_whole_game_by_mouse(columns: int, rows: int, seats: int) -> None:
    local = LocalTable(seats, ("regular", "random")[: seats - 1], seed=seats)
    async with shown(local.link("민준"), columns, rows) as terminal:
        await terminal.see("start the game")
        await terminal.click("key", ENTER)
        await terminal.see("place")
        chance = Random(rows)
        for _ in range(60):
            await by_mouse(terminal, chance)
            table = terminal.link.model.table
            if table is not None and table.stage == "result":
                break
        await terminal.see("start a rematch")


async def test_without_the_mouse_nothing_is_asked_of_it_and_it_can_be_switched_on() -> None:
    off = replace(QUIET, mouse=False)
    async with shown(LocalTable(2).link("Ann"), settings=off) as terminal:
        await terminal.see("open seat")
        assert not terminal.app.renderer._mouse_support_enabled
        terminal.screen._ui = replace(terminal.screen._ui, settings=QUIET)
        await terminal.press("?")
        assert terminal.app.renderer._mouse_support_enabled


async def test_other_buttons_and_a_moving_mouse_do_nothing() -> None:
    link = begun()
    async with shown(link) as terminal:
        await terminal.see("place")
        x, y = terminal.where("cell", 0)
        before, frames = link.model, terminal.frames
        noise = "".join(f"\x1b[<{code};{x + 1};{y + 1}M" for code in (1, 2, 35, 32))
        await terminal.press(f"{noise}\t")
        assert (link.model, terminal.frames) == (before, frames + 1)
