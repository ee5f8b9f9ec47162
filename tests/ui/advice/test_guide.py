"""The first-game guide follows a real first turn, with all that may happen in it."""

from random import Random

import pytest

from coffeerush.bots import RegularBot
from coffeerush.client.model import Model
from coffeerush.rules import State, apply, deal, legal_intents, view_for
from coffeerush.ui.advice.guide import guide_lines, guide_over
from coffeerush.ui.advice.hint import hint
from protocol import Phase, Seat, SeatView, TableView
from tests.support.positions import Has, position, ready
from tests.support.steering import TABLES, setup_of
from tests.ui.plain.test_plain import Seat as Person, in_turn, seated

NAMES = ("Ann", "Bob", "Cid", "Dee")


def model_of(state: State, seat: Seat | None) -> Model:
    """Return the model of a seat of a game that is on."""
    seats = tuple(SeatView("person", name) for name in NAMES[: len(state.players)])
    table = TableView("Café", "game", seats, None, (), (), False, 0, None)
    view = view_for(state, seat)
    return Model("player", "Ann", status="here", seat=seat, table=table, view=view)


def told(person: Person) -> str:
    return "\n".join(guide_lines(person.wire.model))


def test_a_first_turn_from_the_lobby_to_the_second_one() -> None:
    ann = seated(("random", "random"))
    assert "Press a to add a bot, and Enter to start" in told(ann)
    ann.type("start")
    assert "Everybody places a meeple on the board; Bot " in told(ann)
    assert "every order moves to the next slot. After slot 4 it becomes a penalty" in told(ann)
    ann.wait()
    assert "Choose a cell with the arrow keys and press Enter" in told(ann)
    assert "Hint: Place your meeple on " in told(ann)
    ann.type("place 1 2")
    ann.wait()
    assert told(ann).startswith("Your turn: take up to three steps.")
    begun = told(ann)
    assert "Use the arrow keys to step where the board shows an arrow; u undoes a step." in begun
    ann.type("left")
    assert told(ann).startswith(
        "In your hand: ice. You have 2 steps left.\nTake another step, or pour"
    )
    ann.type("undo")
    assert told(ann) == begun
    ann.type("left down right")
    assert "You have no steps left, so pour now." in told(ann)
    ann.type("1")
    assert told(ann).startswith("A cup becomes a drink when it holds exactly what an order needs")
    assert "1, 2 or 3 pours the next token into that cup" in told(ann)
    ann.type("rest")
    assert "You cannot serve anything yet, which is normal on your first turn." in told(ann)
    assert "Press Enter to end your turn." in told(ann)
    ann.type("end")
    assert told(ann).startswith(
        "Your turn is over, and each of your orders has moved to the next slot."
    )
    assert "'s turn, and the log shows what happens." in told(ann)
    ann.wait()
    assert told(ann).startswith("Your second turn: you know what to do now.")
    assert "The guide ends here." in told(ann)
    assert not guide_over(ann.wire.model)
    ann.type("up")
    assert guide_over(ann.wire.model)
    assert not told(ann)


def test_somebody_elses_meeple_under_the_own_one() -> None:
    ann = in_turn()
    ann.type("down down")
    assert told(ann).startswith("Another meeple is here: you may pass through")


def test_two_players_pour_before_the_first_turn() -> None:
    ann = seated(("random",))
    ann.type("start")
    ann.wait()
    while ann.wire.model.view is None or ann.wire.model.view.phase is Phase.PLACING:
        ann.type("place caramel")
        ann.type("place water")
        ann.wait()
    assert told(ann).startswith("With two players, you first pour")
    ann.type("1 1")
    assert told(ann) == "Everything is poured: press Enter."
    assert guide_lines(ann.wire.model, plain=True) == ()
    ann.type("end")
    assert "pours the first ingredients into cups" in told(ann) or "your turn" in told(ann).lower()


LATTE = ("coffee milk steam",)


@pytest.mark.parametrize(
    ("seats", "part"),
    [
        ((Has(("Caffe latte",), LATTE), Has(), Has()), "sends each of the next two players a new"),
        (
            (Has(("Caffe latte",), LATTE), Has()),
            "Every order you serve sends the other player",
        ),
    ],
)
def test_a_cup_that_is_ready(seats: tuple[Has, ...], part: str) -> None:
    lines = guide_lines(model_of(ready(position(*seats, round=1)), 0))
    assert (
        lines[0] == "One of your cups holds exactly what an order needs: serve it to score a point."
    )
    assert part in lines[1]
    assert lines[2] == "Press Enter to serve it."


def test_an_upgrade_that_could_be_activated() -> None:
    state = position(Has(("Mocha", "Lungo"), completed=3), Has(), Has(), round=2)
    lines = guide_lines(model_of(state, 0))
    assert "For 3 completed orders you could activate an upgrade now" in lines[1]
    assert lines[2] == "Your most urgent order is Lungo, in slot 2."


def test_who_got_orders_for_what_was_served() -> None:
    """The guide attributes no orders to you that another player's serving brings."""
    heard: list[str] = []
    for seed in range(20):
        ann = in_turn(("regular", "regular"), seed)
        start = ann.wire.driver.state.players[ann.wire.model.seat or 0].completed
        for _ in range(12):
            if ann.wire.model.my_turn and ann.wire.driver.state.round == 1:
                ann.wire.driver.person()
                ann.settle()
        served = ann.wire.driver.state.players[ann.wire.model.seat or 0].completed != start
        lines = guide_lines(ann.wire.model)
        if not ann.wire.model.my_turn:
            heard += [line for line in lines if line.startswith("For the orders you served")]
            assert served == any(line.startswith("For the orders you served") for line in lines)
    assert "For the orders you served, Bot 1 and Bot 2 got new ones." in heard


@pytest.mark.parametrize(("players", "starters"), TABLES)
def test_it_speaks_to_its_end_and_never_much(players: int, starters: bool) -> None:
    chance = Random(players)
    state = deal(setup_of(players, starters, 3))
    ended: set[Seat] = set()
    while state.active is not None and state.round < 4:
        for seat in range(players):
            model = model_of(state, seat)
            if guide_over(model):
                ended.add(seat)
                assert not guide_lines(model)
            for plain in (False, True):
                lines = guide_lines(model, plain)
                assert len(lines) <= 4
                assert all(len(line) < 230 for line in lines)
                assert not plain or not any(key in " ".join(lines) for key in ("Enter", "Space"))
            if seat not in ended and state.active == seat:
                assert guide_lines(model)
                assert any(hint(model, brief=True) in line for line in lines) or state.hand == 0
        assert guide_lines(model_of(state, None)) == ()
        intent = RegularBot().choose(view_for(state, state.active), chance)
        if chance.random() < 0.3:
            intent = chance.choice(legal_intents(state))
        state = apply(state, state.active, intent)
    assert ended == set(range(players))


def test_who_comes_back_to_a_later_round_hears_nothing_and_has_not_seen_it() -> None:
    state = position(Has(("Mocha",)), Has(), Has(), round=5)
    model = model_of(state, 0)
    assert (guide_lines(model), guide_over(model)) == ((), False)
