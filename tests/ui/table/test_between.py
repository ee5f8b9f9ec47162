"""Between two turns of a player: orders from others, orders about to expire, and who is playing."""

import re
from random import Random

import pytest
from msgspec.structs import replace

from coffeerush.client.history import History
from coffeerush.ui.table.draw_game import draw
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.table.state import Ui
from coffeerush.ui.words.events import Sent, bot_finishes, expiring_lines, received
from protocol import (
    LOG_LENGTH,
    NO_ID,
    Chat,
    Event,
    GameStarted,
    OrdersDrawn,
    Phase,
    PlayerView,
    TurnStarted,
    TurnTimedOut,
    View,
    encode,
)
from protocol.events import DrawReason
from tests.support.local import LocalLink, begun, choose

RUSH: DrawReason = "order_rush"


def told(link: LocalLink, *events: Event) -> LocalLink:
    """Give a link only these events."""
    link.set(replace(link.model, history=History(events)))
    return link


@pytest.fixture
def ann() -> LocalLink:
    """A player of seat 0 to 2 at a table that has begun."""
    return begun(seed=5)


def test_orders_of_rivals_count_from_the_end_of_the_own_turn(ann: LocalLink) -> None:
    me = ann.model.seat
    assert me is not None
    one, other = (seat for seat in range(3) if seat != me)
    told(
        ann,
        GameStarted(("a", "b", "c"), (0, 1, 2), 0),
        OrdersDrawn(me, (4,), "deal"),
        TurnStarted(other, 1),
        OrdersDrawn(me, (9,), RUSH),
        TurnStarted(me, 1),
        OrdersDrawn(one, (3,), RUSH),
        OrdersDrawn(me, (8,), "flow_of_time"),
        TurnStarted(one, 2),
        OrdersDrawn(me, (1, 2), RUSH),
        OrdersDrawn(other, (3,), RUSH),
        TurnStarted(other, 2),
        OrdersDrawn(me, (5,), RUSH),
    )
    assert received(ann.model) == (Sent(one, 1), Sent(one, 2), Sent(other, 5))


def test_on_the_own_turn_what_came_before_it_is_still_told(ann: LocalLink) -> None:
    me = ann.model.seat or 0
    other = (me + 1) % 3
    events = (TurnStarted(other, 1), OrdersDrawn(me, (9,), RUSH), TurnStarted(me, 1))
    assert received(told(ann, *events).model) == (Sent(other, 9),)
    again = (*events, TurnStarted(other, 2))
    assert received(told(ann, *again).model) == ()
    assert received(told(ann, *events, GameStarted(("a", "b", "c"), (0, 1, 2), 0)).model) == ()


def test_who_timed_out_placing_a_meeple_plays_on_after_that() -> None:
    """It is known from the table: a placed meeple ends the turn too, and talk fills the log."""
    ann = begun(("regular",), seed=5, turn_seconds=60)
    local = ann.local
    local.bots_play = False
    at_first = ann.model.view
    while not any(isinstance(event, TurnTimedOut) for event in ann.model.log):
        local.now += 1.0
        for message in local.table.tick(local.now):
            local.tell(encode(message))
        ann.wish(Chat(NO_ID, "hm"))
    assert phase_of(ann) is Phase.PLACING
    assert bot_finishes(ann.model)
    for number in range(LOG_LENGTH):
        ann.wish(Chat(NO_ID, f"hm {number}"))
    again = local.link("Ann", key=ann.key)
    assert not any(isinstance(event, TurnTimedOut) for event in again.model.log)
    assert bot_finishes(again.model)
    assert not Scene(again.model, Ui()).my_turn
    local.bots_play = True
    local.run_bots()
    assert ann.model.view is not at_first
    assert ann.model.can_act
    assert phase_of(ann) in (Phase.PLACING, Phase.FILLING)
    assert Scene(ann.model, Ui()).my_turn


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (120, 36), (40, 12)])
def test_a_turn_that_timed_out_is_not_called_the_own_one(columns: int, rows: int) -> None:
    ann = begun(("regular",), seed=5, turn_seconds=60)
    local = ann.local
    chance = Random(1)
    while not (ann.model.my_turn and phase_of(ann) is Phase.MOVING):
        ann.wish(choose(ann, chance))
    local.bots_play = False
    for _second in range(62):
        local.now += 1.0
        for message in local.table.tick(local.now):
            local.tell(encode(message))
        ann.wish(Chat(NO_ID, "hm"))
    assert ann.model.my_turn
    text = "\n".join(draw(ann.model, Ui(size=(columns, rows)), columns, rows).lines())
    assert "YOUR TURN" not in text
    assert "a bot finishes your" in text
    assert "arrows" not in text


def phase_of(link: LocalLink) -> Phase:
    assert link.model.view is not None
    return link.model.view.phase


def with_orders(view: View, seat: int, *slots: tuple[int, ...]) -> View:
    """Return a view in which a seat's open orders are these."""
    one, two, three, four = slots
    player: PlayerView = replace(view.players[seat], orders=(one, two, three, four), penalties=3)
    players = (*view.players[:seat], player, *view.players[seat + 1 :])
    return replace(view, players=players)


SIZES = [(80, 24), (120, 36), (200, 60), (40, 12), (60, 20)]


@pytest.mark.parametrize(("columns", "rows"), SIZES)
@pytest.mark.parametrize("mine", [True, False])
def test_what_falls_and_what_came_is_on_every_screen(columns: int, rows: int, mine: bool) -> None:
    ann = begun(seed=5)
    chance = Random(2)
    while phase_of(ann) not in (Phase.UPGRADE, Phase.MOVING):
        ann.wish(choose(ann, chance))
    me, view = ann.model.seat, ann.model.view
    assert me is not None
    assert view is not None
    other = (me + 1) % 3
    active = me if mine else other
    changed = with_orders(replace(view, active=active), me, (1,), (), (), (2, 3))
    history = (TurnStarted(other, 2), OrdersDrawn(me, (1,), RUSH), TurnStarted(active, 2))
    model = replace(ann.model, view=changed, history=History(history))
    text = "\n".join(draw(model, Ui(size=(columns, rows)), columns, rows).lines())
    wanted = "penalties 5 of 5" if columns >= 100 else "✗5 of 5"
    assert wanted in text
    assert text.count("4!") >= 1
    letter = Scene(model, Ui()).letter(other)
    assert f"←{letter}" in text or columns == 40
    assert "1 from Bot " in text or (columns == 40 and f"1←{letter}" in text)


@pytest.mark.parametrize(("columns", "rows"), SIZES)
@pytest.mark.parametrize("turn", ["to come", "now", "over"])
def test_nothing_expires_after_the_last_turn(
    ann: LocalLink, columns: int, rows: int, turn: str
) -> None:
    me, view = ann.model.seat or 0, ann.model.view
    assert view is not None
    start, active = {
        "to come": (me - 1, me - 1),
        "now": (me, me),
        "over": (me, me + 1),
    }[turn]
    last = with_orders(view, me, (), (), (), (2, 3))
    last = replace(last, round=5, closed=True, start=start % 3, active=active % 3)
    last = replace(last, phase=Phase.MOVING, own=view.own)
    model = replace(ann.model, view=last, history=History())
    text = "\n".join(draw(model, Ui(size=(columns, rows)), columns, rows).lines())
    over = turn == "over"
    assert ("4!" in text) != over
    assert not (over and "EXPIRES" in text)
    assert bool(re.search(r"expire when|expire:", text)) != over
    assert ("nothing expires" in text) == over
    assert bool(expiring_lines(model)) != over


@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_penalties_are_not_counted_of_fewer(ann: LocalLink, columns: int, rows: int) -> None:
    me, view = ann.model.seat or 0, ann.model.view
    assert view is not None
    many = with_orders(view, me, (), (), (), (2,))
    players = tuple(replace(one, penalties=6) for one in many.players)
    model = replace(ann.model, view=replace(many, players=players, phase=Phase.MOVING, round=5))
    text = "\n".join(draw(model, Ui(size=(columns, rows)), columns, rows).lines())
    assert not re.search(r"[67] ?(of|/) ?5", text)
    assert "penalties 7" in text if columns >= 100 else "✗7" in text
