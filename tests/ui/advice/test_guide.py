"""The first-game guide follows a real first turn, with all that may happen in it."""

from random import Random

import pytest
from msgspec.structs import replace

from coffeerush.bots import RegularBot
from coffeerush.client.history import History
from coffeerush.client.model import Model
from coffeerush.rules import State, apply, deal, legal_intents, view_for
from coffeerush.ui.advice.advice import (
    hint,
    is_late_for_upgrade,
    planned,
    suggested_pours,
)
from coffeerush.ui.advice.guide import follow, guide_lines
from coffeerush.ui.advice.guide_lessons import FULL_TURNS, LESSONS, Progress, Told
from coffeerush.ui.words.events import may_end_first
from coffeerush.ui.words.names import sentence_case
from protocol import (
    ActivateUpgrade,
    Event,
    Ingredient,
    PeopleChanged,
    Phase,
    PlaceMeeple,
    Pour,
    Seat,
    SeatView,
    Step,
    Stepped,
    TableView,
    TurnStarted,
    TurnTimedOut,
    Upgrade,
)
from tests.support.positions import Has, play, position, ready, walk
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
    assert "Press “a” to add a bot, and Enter to start" in told(ann)
    ann.type("start")
    assert "Everybody places a meeple on the board; Orzo " in told(ann)
    assert told(ann).startswith("Serve orders from your three cups.")
    ann.wait()
    assert "▸ Choose a cell with the arrow keys; Enter places your meeple there." in told(ann)
    assert "[◆] is your cursor, ▸ the cell that the hint suggests." in told(ann)
    assert "Hint: place your meeple on " in told(ann)
    ann.type("place 1 2")
    ann.wait()
    assert told(ann).startswith("Take up to three steps: ")
    begun = told(ann)
    assert "▸ Step along an arrow with the arrow keys; “u” undoes a step." in begun
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
    assert "▸ Space pours and serves as suggested; 1-3 pours a token" in told(ann)
    ann.type("rest")
    assert "No cup holds exactly what an order needs: on a first turn, that is normal." in told(ann)
    assert told(ann).endswith("▸ Press Enter to end your turn.")
    ann.type("end")
    assert told(ann).startswith(
        "Your turn is over, and each of your orders has moved to the next slot."
    )
    assert "'s turn: the board shows each step." in told(ann)
    assert "In a turn you take" not in told(ann), "it was before the turn"
    ann.wait()
    assert told(ann).startswith("Again: step, pour, serve")
    assert "Hint: " in told(ann)


def test_somebody_elses_meeple_under_the_own_one() -> None:
    ann = in_turn()
    ann.type("down down")
    assert told(ann).startswith("Another meeple is here: keep stepping")


@pytest.mark.parametrize(("players", "times"), [(2, 0), (3, 1)])
def test_who_waits_for_the_first_turn_is_told_what_was_poured(players: int, times: int) -> None:
    state = deal(setup_of(players, starters=False, seed=3))
    while not state.round:
        state = apply(state, state.active or 0, legal_intents(state)[0])
    for seat in range(players):
        lines = guide_lines(model_of(state, seat))
        said = "What was under your meeple is now in cup 1: "
        is_told = times and seat != state.active  # whose turn it is has enough else to read
        assert sum(line.startswith(said) for line in lines) == is_told


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
    assert told(ann) == "▸ Everything is poured: press Enter."
    assert guide_lines(ann.wire.model, plain=True) == ()
    ann.type("end")
    assert "pours the first ingredients into cups" in told(ann) or "your turn" in told(ann).lower()


LATTE = ("coffee milk steam",)


ONE = "A cup holds exactly what Caffe latte needs: serve it to score a point."
TWO = "Your cups hold exactly what Caffe latte and Ristretto need: serve each to score a point."


@pytest.mark.parametrize(
    ("seats", "ready_line", "part"),
    [
        ((Has(("Caffe latte",), LATTE), Has(), Has()), ONE, "each of the next two players a new"),
        ((Has(("Caffe latte",), LATTE), Has()), ONE, "you serve sends the other player"),
        (
            (Has(("Caffe latte, Ristretto",), (*LATTE, "coffee coffee")), Has()),
            TWO,
            "you serve sends the other player",
        ),
    ],
)
def test_what_is_ready_is_named(seats: tuple[Has, ...], ready_line: str, part: str) -> None:
    lines = guide_lines(model_of(ready(position(*seats, round=1)), 0))
    assert lines[0] == ready_line
    assert part in lines[1]
    assert lines[-1] == "▸ Press Enter to serve."


def lessons(state: State) -> tuple[str, ...]:
    """Return what the guide says to who has just come to this state of a game."""
    model = model_of(state, 0)
    return guide_lines(model, follow(Progress(), model, model))


def test_an_upgrade_that_could_be_activated() -> None:
    state = position(Has(("Cappuccino",), completed=3, meeples=(14,)), Has(), Has(), round=2)
    lines = lessons(state)
    assert lines[1].startswith(
        "Trade 3 completed orders (3 points) for an upgrade (2 points), which helps"
    )
    assert lines[2] == "▸ “g” lists them: choose one before your first step."
    first = "activate double corners: twice the ingredients on the four corners."
    assert lines[3] == f"▸ Hint: {first} It already helps in this turn."
    whole = hint(model_of(state, 0))
    assert whole == (
        f"{sentence_case(first)} Then: step up, right, down and take milk, coffee and 2 steam. "
        "That serves Cappuccino."
    )


def test_an_upgrade_that_was_activated_and_one_that_was_not() -> None:
    begun = position(Has(("Cappuccino",), completed=3, meeples=(14,)), Has(), Has(), round=2)
    before = model_of(begun, 0)
    progress = follow(Progress(), before, before)
    for intent, word in (
        (ActivateUpgrade(Upgrade.DOUBLE_CORNERS), "Active from now"),
        (Step(1, 13), "No upgrade yet"),
    ):
        after = model_of(play(begun, intent), 0)
        assert word in "\n".join(guide_lines(after, follow(progress, before, after)))


def test_no_upgrade_is_proposed_that_the_turn_would_not_use() -> None:
    state = position(Has(("Lungo",), completed=3), Has(), Has(), round=2)
    text = "\n".join(lessons(state))
    assert "upgrade" not in text
    assert "Hint: step " in text


def test_a_pour_of_ones_own_is_fine() -> None:
    state = walk(position(Has(("Caffe latte",)), Has(), Has(), round=2), 4)
    before = model_of(state, 0)
    assert before.view is not None
    (planned, *_rest) = suggested_pours(before.view)
    assert isinstance(planned, Pour)
    for cup in (1, 2, 3):
        after = model_of(play(state, Pour(planned.ingredient, cup)), 0)
        said = guide_lines(after, follow(Progress(), before, after))
        assert said[0].startswith("You can also pour like that") is (cup != planned.cup)


@pytest.mark.parametrize(
    ("me", "part"),
    [
        (
            Has(("", "", "", "Mocha"), ("coffee milk chocolate",)),
            "Mocha becomes a penalty when this turn ends, unless you serve it.",
        ),
        (
            Has(("", "", "", "Lungo"), penalties=1),
            "A penalty (✗) costs you a point, but brings a rush token (↯).",
        ),
        (
            Has(("Iced caramel latte",)),
            "An order with ★ earns you a rush token (↯) when you serve it.",
        ),
        (
            Has(("Lungo",), penalties=1),
            "A penalty (✗) costs you a point, but brings a rush token (↯).",
        ),
        (Has(("Lungo",), rush=1), "A rush token (↯) pays for one more step"),
        (Has(("Lungo",)), "The game ends with the round in which a player reaches 5 penalties"),
    ],
)
def test_what_comes_up_is_explained(me: Has, part: str) -> None:
    assert part in "\n".join(lessons(position(me, Has(), Has(), round=FULL_TURNS + 1)))


LOST = "Mocha can no longer be served, and becomes a penalty."


@pytest.mark.parametrize(
    ("me", "is_lost"),
    [
        (Has(("Lungo", "", "", "Mocha")), True),
        (Has(("Lungo, Cortado", "", "", "Mocha"), ("coffee", "milk")), True),
        (Has(("Lungo", "", "", "Mocha"), ("coffee milk chocolate",)), False),
        (Has(("Lungo", "", "Mocha", "")), False),
    ],
)
def test_a_hint_says_of_an_order_that_it_can_no_longer_be_served(me: Has, is_lost: bool) -> None:
    """Whether it serves another one or none; later in the turn, that is known."""
    state = position(me, Has(), Has(), round=4)
    model = model_of(state, 0)
    assert hint(model).count(LOST) == hint(model, brief=True).count(LOST) == is_lost
    assert model.view is not None
    step = next(one for one in planned(model.view).intents if isinstance(one, Step))
    assert LOST not in hint(model_of(play(state, step), 0))


def test_a_lost_order_is_not_said_to_be_one_that_can_be_served() -> None:
    state = position(Has(("Lungo", "", "", "Mocha")), Has(), Has(), round=FULL_TURNS + 1)
    while True:
        said = " ".join(lessons(state))
        assert "unless you serve it" not in said
        view = view_for(state, 0)
        step = next((one for one in planned(view).intents if isinstance(one, Step)), None)
        if step is None:
            break
        state = play(state, step)


def test_the_first_rush_token_is_explained_at_once_beside_what_brought_it() -> None:
    state = position(Has(("Lungo",), penalties=1, rush=1), Has(), Has(), round=FULL_TURNS + 1)
    penalty, rush, *_hint = lessons(state)
    assert penalty.startswith("A penalty (✗) costs you a point")
    assert rush.startswith("A rush token (↯) pays for one more step")


@pytest.mark.parametrize("knows", [False, True])
def test_an_upgrade_is_too_late_only_for_who_knows_what_it_is(knows: bool) -> None:
    state = position(Has(("Lungo",), completed=3), Has(), Has(), round=FULL_TURNS + 1, deck="Mocha")
    model = model_of(state, 0)
    taught = Progress(told=(Told("upgrade", 0, "start"),) * knows)
    text = "\n".join(guide_lines(model, follow(taught, model, model)))
    assert ("About 2 rounds are left: too few for an upgrade" in text) is knows
    assert "activate" not in text
    assert "Hint: " in text


def test_a_cup_that_fits_no_order() -> None:
    state = position(Has(("Lungo",), ("milk",)), Has(), Has(), round=2)
    _again, reason, trial, *_hint = lessons(state)
    assert reason == ("What is in cup 1 fits no order: you can empty it at any time in your turn.")
    assert trial == "▸ To empty it, press “e” and then 1; “u” undoes it."


def test_a_cup_that_fits_no_order_is_explained_at_the_end_of_the_first_turn() -> None:
    state = position(Has(("Caffe latte", "Mocha"), ("tea",)), Has(), Has(), round=1)
    assert "fits no order" not in " ".join(lessons(state))
    assert "What is in cup 1 fits no order" in " ".join(lessons(ready(state)))


def test_a_meeple_placed_elsewhere_than_hinted_is_said_to_be_fine() -> None:
    state = deal(setup_of(3, starters=False, seed=3))
    seat = state.active or 0
    before = model_of(state, seat)
    (hinted,) = planned(before.view).intents[:1] if before.view else ()
    for cell in (0, 1):
        intent = PlaceMeeple(cell)
        after = model_of(apply(state, seat, intent), seat)
        lines = guide_lines(after, follow(Progress(), before, after))
        fine = "Another cell is also fine: the hint will start from there."
        assert (fine in lines) is (intent != hinted)


def test_no_cup_is_to_be_emptied_that_an_order_needs() -> None:
    state = position(Has(("Caffe latte",), ("milk",)), Has(), Has(), round=FULL_TURNS + 2)
    model = model_of(state, 0)
    taught = tuple(Told(one, 0, "start") for one in LESSONS if one != "emptying")
    text = "\n".join(guide_lines(model, follow(Progress(told=taught), model, model)))
    assert "empty" not in text


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        (position(Has(("Lungo",)), Has(), Has(penalties=5), round=5, closed=True), "Too many"),
        (position(Has(("Lungo",)), Has(), Has(), round=5, closed=True, deck=""), "The deck is"),
    ],
)
def test_the_last_turn(state: State, reason: str) -> None:
    lines = lessons(state)
    assert lines[0].startswith(reason)
    assert lines[1].startswith("This is your last turn")


@pytest.mark.parametrize(
    ("start", "penalties", "said"),
    [
        (0, (3, 0), "Bob may reach 5 penalties: this turn may be your last."),
        (0, (2, 0), ""),
        (0, (3, 4), "Bob and Cid may reach 5 penalties: this turn may be your last."),
        (1, (3, 0), "Bob may reach 5 penalties: your next turn may be your last."),
        (2, (0, 3), "Cid may reach 5 penalties: your next turn may be your last."),
        (2, (3, 4), "Bob and Cid may reach 5 penalties: this turn may be your last."),
    ],
)
def test_who_may_end_the_game_is_told_before_it(
    start: int, penalties: tuple[int, int], said: str
) -> None:
    """Who plays later in the same round leaves no other turn; who begins the next one does."""
    drinks = ("Lungo, Ristretto", "Cappuccino, Caffe latte")
    last = zip(drinks, penalties, strict=True)
    others = (Has(("", "", "", orders), penalties=count) for orders, count in last)
    state = position(Has(("Lungo",)), *others, round=5, start=start)
    assert may_end_first(model_of(state, 0)) == said
    assert may_end_first(model_of(state, 1)) == ""


@pytest.mark.parametrize(("penalties", "buys"), [(3, False), (0, True)])
def test_no_hint_buys_what_cannot_pay_off_before_the_end(penalties: int, buys: bool) -> None:
    other = Has(("", "", "", "Lungo, Ristretto"), penalties=penalties)
    state = position(Has(("Cappuccino",), completed=6, meeples=(14,)), other, Has(), round=5)
    view = view_for(state, 0)
    intents = planned(view).intents
    assert any(isinstance(intent, ActivateUpgrade) for intent in intents) == buys
    assert is_late_for_upgrade(view) != buys


def test_the_last_turn_is_told_before_it_and_then_without_the_reason() -> None:
    seats = Has(("Lungo",)), Has(), Has(penalties=5)
    coming, begun = (
        model_of(position(*seats, start=1, active=active, round=5, closed=True), 0)
        for active in (2, 0)
    )
    progress = follow(Progress(), coming, coming)
    reason, turn = guide_lines(coming, progress)
    assert reason.startswith("Too many penalties (Cid)")
    assert turn == "Your next turn is your last."
    lines = guide_lines(begun, follow(progress, coming, begun))
    assert lines[0].startswith("This is your last turn")
    assert reason not in lines


def test_who_closes_the_cafe_is_told_in_that_turn_that_it_is_their_last() -> None:
    open_ = model_of(position(Has(("Lungo",)), Has(), Has(), round=5), 0)
    assert open_.view is not None
    here = open_.view.players[0].meeples[0]
    served = replace(open_, view=replace(open_.view, path=(here + 1, here)))
    progress = follow(Progress(), served, served)
    assert progress.told, "another lesson was told before"
    assert served.view is not None
    closed = replace(served, view=replace(served.view, closed=True, deck=0))
    text = "\n".join(guide_lines(closed, follow(progress, served, closed)))
    assert "The deck is empty" in text
    assert "This is your last turn" in text


def test_who_has_no_turn_left_is_told() -> None:
    state = position(Has(), Has(("Lungo",)), Has(penalties=5), active=1, round=5, closed=True)
    why, turn = lessons(state)
    assert why == "Too many penalties (Cid): this round is the last."
    assert turn.startswith("You have had your last turn")


@pytest.mark.slow
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
    assert "For the orders you served, Crema and Ibrik got new ones." in heard


@pytest.mark.slow
@pytest.mark.parametrize(("players", "starters"), TABLES)
def test_it_speaks_in_full_turns_and_never_says_much(players: int, starters: bool) -> None:
    chance = Random(players)
    state = deal(setup_of(players, starters, 3))
    while state.active is not None and state.round < 6:
        for seat in range(players):
            model = model_of(state, seat)
            for plain in (False, True):
                lines = guide_lines(model, follow(Progress(), model, model), plain)
                assert len(lines) <= 6
                assert all(len(line) < 300 for line in lines)
                assert not plain or not any(key in " ".join(lines) for key in ("Enter", "Space"))
            if state.active == seat and state.round <= FULL_TURNS:
                assert any(hint(model, brief=True) in line for line in lines) or state.hand == 0
        assert guide_lines(model_of(state, None)) == ()
        intent = RegularBot().choose(view_for(state, state.active), chance)
        if chance.random() < 0.3:
            intent = chance.choice(legal_intents(state))
        state = apply(state, state.active, intent)


# What a bot does


def heard(*events: Event) -> Progress:
    """Return the progress of Ann, in seat 0, after events."""
    before = model_of(position(Has(("Lungo",)), Has(), Has(), round=2), 0)
    history = History(events, total=len(events))
    return follow(Progress(), before, replace(before, history=history))


STEP = Stepped(0, 1, 4, (0, 0, 0, 0, 0, 0, 0, 0), rush_spent=1)


def test_what_a_bot_does_is_not_the_players() -> None:
    assert heard(STEP).tried == {"rush"}
    timed_out = heard(TurnStarted(0, 1), TurnTimedOut(0), STEP, TurnStarted(1, 1))
    assert (timed_out.tried, timed_out.by_bot) == (frozenset(), True)
    away = heard(PeopleChanged("Ann", "away"), TurnStarted(0, 1), STEP, TurnStarted(1, 1))
    assert (away.tried, away.by_bot) == (frozenset(), True)
    other = heard(PeopleChanged("Bob", "away"), TurnTimedOut(1), STEP)
    assert (other.tried, other.by_bot) == (frozenset({"rush"}), False)


def test_who_comes_back_is_told_that_a_bot_has_played_and_plays_on() -> None:
    gone = (PeopleChanged("Ann", "away"), TurnStarted(0, 1), STEP, TurnStarted(1, 1))
    back = (PeopleChanged("Ann", "back"), TurnStarted(2, 1))
    progress = heard(*gone, *back)
    model = model_of(position(Has(("Lungo",)), Has(), Has(), round=2), 0)
    assert (
        guide_lines(model, progress)[0]
        == "Meanwhile, a bot has played for you. Continue from here."
    )
    assert heard(*gone, *back, TurnStarted(0, 2)).by_bot
    assert not heard(*gone, *back, TurnStarted(0, 2), STEP).by_bot


def test_what_a_bot_served_is_not_praised() -> None:
    served = ready(position(Has(("Mocha",)), Has(), Has(), round=2))
    model = model_of(served, 0)
    assert model.view is not None
    model = replace(model, view=replace(model.view, served=1))
    assert "Well done" in guide_lines(model)[0]
    assert "Well done" not in "\n".join(guide_lines(model, Progress(by_bot=True)))


@pytest.mark.parametrize("left", ["", "milk"])
def test_what_is_left_in_cups_is_only_mentioned_if_something_is(left: str) -> None:
    model = model_of(walk(position(Has(("Mocha",), ("", left)), Has(), Has(), round=2), 1), 0)
    assert model.view is not None
    assert model.view.own is not None
    own = replace(model.view.own, hand=(0,) * len(Ingredient))
    lines = guide_lines(replace(model, view=replace(model.view, own=own, served=1)))
    assert lines[0].startswith("Well done")
    assert ("What is in your cups stays there for your next turn." in lines) == bool(left)
