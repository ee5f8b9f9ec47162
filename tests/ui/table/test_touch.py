"""A screen that is tapped: the guide stands beside what it speaks of, and all is in reach."""

from random import Random

import pytest
from msgspec.structs import replace

from coffeerush.bots import RegularBot
from coffeerush.rules import view_for
from coffeerush.ui.table.draw_game import draw
from coffeerush.ui.table.panes import resized
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.table.state import Ui
from coffeerush.ui.terminal.canvas import Canvas, Target
from protocol import BOARD
from tests.golden.frames import EXTREMES, spoken
from tests.golden.moments import moments
from tests.support.local import begun
from tests.support.positions import Has, position
from tests.ui.table.test_on_key import Hands

PHONES = ((42, 29), (40, 24), (70, 16))
KEYS = ("arrow", "press", "Press", "Enter", "Space", " u ", "Tab")


def drawn(hands: Hands) -> Canvas:
    hands.ui = resized(hands.link.model, hands.ui, hands.ui.size)
    return draw(hands.link.model, hands.ui, *hands.ui.size)


def targets(canvas: Canvas) -> set[Target]:
    return {zone[-1] for zone in canvas.zones()}


@pytest.mark.slow
@pytest.mark.parametrize("size", PHONES)
def test_the_guide_of_a_game_covers_nothing_and_speaks_of_taps(size: tuple[int, int]) -> None:
    hands, bot, chance = Hands(begun(seed=3)), RegularBot(), Random(3)
    hands.ui = Ui(size=size, guide=True, touch=True)
    told = 0
    while (view := hands.link.model.view) is not None and view.round < 6:
        hands.look()
        scene, canvas = Scene(hands.link.model, hands.ui), drawn(hands)
        assert {Target("cell", cell) for cell in range(len(BOARD))} <= targets(canvas)
        assert {Target("cup", cup) for cup in (1, 2, 3)} <= targets(canvas)
        assert not [key for key in KEYS if any(key in line for line in scene.guide)], scene.guide
        told += bool(scene.guide)
        if scene.guide:
            read_on(hands)
        hands.link.wish(bot.choose(view, chance))
    assert told > 10


def read_on(hands: Hands) -> None:
    """Tap the guide until it goes away; each of its lines is shown meanwhile."""
    lines = Scene(hands.link.model, hands.ui).guide
    seen = ""
    while Scene(hands.link.model, hands.ui).guide:
        canvas = drawn(hands)
        assert Target("pane", "guide") in targets(canvas)
        seen += " ".join(canvas.lines())
        before = hands.ui
        assert hands.click("pane", "guide") == []
        assert hands.ui != before
    words = {word for line in lines for word in line.split()}
    assert not [word for word in words if word not in seen]


@pytest.mark.parametrize("size", [*PHONES, (131, 32), (151, 40)])
def test_orders_that_are_tapped_have_two_rows_however_many_there_are(size: tuple[int, int]) -> None:
    drinks = "Mocha, Lungo, Espresso, Americano, Babyccino, Iced tea"
    state = position(Has((drinks, drinks), meeples=(0,)), Has(), Has())
    hands = Hands(begun(seed=3))
    view = view_for(state, 0)
    model = replace(hands.link.model, view=view, seat=0)
    canvas = draw(model, Ui(size=size, touch=True), *size)
    orders = [zone for zone in canvas.zones() if zone[-1].kind == "order"]
    above = [zone for zone in canvas.zones() if zone[1] < size[1] - 1]  # the page has no footer
    more = [zone for zone in above if zone[-1] == Target("key", "v")]
    assert orders
    assert more
    assert all(rows >= 2 for _x, _y, _columns, rows, _target in orders + more)


@pytest.mark.parametrize("language", EXTREMES)
def test_a_spectator_sees_what_all_players_have_to_serve(language: str) -> None:
    spectator = next(one for one in moments() if one.name == "spectator")
    with spoken(language):
        for size in ((42, 29), (70, 20)):
            canvas = spectator.painter(Ui(size=size, touch=True))
            assert Target("pane", "others") not in targets(canvas), [*canvas.lines()]
