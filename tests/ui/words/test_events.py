"""What happened, in sentences: the log and the news since a turn."""

from msgspec.structs import replace

from coffeerush.client.history import History
from coffeerush.client.model import Model
from coffeerush.ui.words.events import (
    digest,
    last_round,
    others_turns,
    own_turn_end,
    played_oneself,
    since_turn,
    while_away,
)
from protocol import (
    CupEmptied,
    Event,
    GameEnded,
    Ingredient,
    IntentUndone,
    OrdersDrawn,
    OrderServed,
    PenaltiesTaken,
    PeopleChanged,
    Poured,
    RestReturned,
    Said,
    Standing,
    Stepped,
    TokenClosed,
    TurnStarted,
    Upgrade,
    UpgradeActivated,
)
from tests.golden.frames import spoken
from tests.ui.words.test_words import DRINKS, model

# The log in a few lines: related events are combined, and undone ones omitted


MILK = (0, 1, 0, 0, 0, 0, 0, 0)
TWO_ICE = (0, 0, 0, 2, 0, 0, 0, 0)
TURN: tuple[Event, ...] = (
    TurnStarted(0, 2),
    UpgradeActivated(0, Upgrade.DOUBLE_CORNERS, (0, 1, 0)),
    CupEmptied(0, MILK),
    Stepped(0, 1, 5, MILK),
    Stepped(0, 1, 0, TWO_ICE, rush_spent=1),
    Poured(0),
    Poured(0),
    RestReturned(0, MILK),
    OrderServed(0, 3, 1, rush_gained=1),
    OrderServed(0, 4, 2),
    OrdersDrawn(1, (2,), "order_rush"),
    PenaltiesTaken(0, (1,), rush_gained=1),
    TurnStarted(1, 2),
)


def told(seat: int | None, *log: Event) -> list[Said | str]:
    return digest(replace(model(seat), history=History(log)))


def test_another_ones_turn_is_one_sentence_and_what_came_of_it() -> None:
    assert told(1, *TURN) == [
        "Round 2: it is Ann's turn.",
        "Ann activates double corners; empties a cup (milk); takes milk and 2 ice, for 1 rush "
        "token; "
        f"pours 2 ingredients; gives milk back; serves {DRINKS[3]} and {DRINKS[4]} and earns "
        "1 rush token.",
        f"You get the order {DRINKS[2]}. {DRINKS[1]} expires: Ann takes a penalty and "
        "1 rush token.",
        "Round 2: it is your turn.",
    ]


def test_an_own_turn_is_a_sentence_a_kind_of_deed() -> None:
    lines = told(0, *TURN)
    assert "You take milk and 2 ice, for 1 rush token." in lines
    assert "You pour 2 ingredients." in lines  # a bot did, for this person
    assert f"You serve {DRINKS[3]} and {DRINKS[4]} and earn 1 rush token." in lines
    assert "Round 2: it is Bea's turn." not in lines
    own = (Poured(0, Ingredient(1), 2), Poured(0, Ingredient(3), 1))
    assert told(0, *own) == ["You pour milk into cup 2; ice into cup 1."]
    assert told(0, *own, *own[1:] * 2, *own[:1]) == [
        "You pour 2 milk into cup 2; 3 ice into cup 1."
    ]


def test_what_was_taken_back_is_not_told() -> None:
    said = Said("Bea", "hm")
    undone = (Stepped(0, 1, 5, MILK), said, IntentUndone(0), Stepped(0, 1, 0, TWO_ICE))
    assert told(1, *undone) == [said, "Ann takes 2 ice."]
    assert told(1, *TURN, IntentUndone(1)) == told(1, *TURN)
    assert told(1, IntentUndone(0)) == []


def test_the_log_follows_the_language_and_the_names_at_once() -> None:
    here = replace(model(1), history=History(TURN))
    told_before = digest(here)
    with spoken("ko"):
        assert digest(here) != told_before
    assert digest(here) == told_before
    assert here.table
    ann, *others = here.table.seats
    table = replace(here.table, seats=(replace(ann, name="Zoë"), *others))
    assert digest(replace(here, table=table))[0] == "Round 2: it is Zoë's turn."


# What happened between one's turns, or while one was away, in a line


ANN_TOLD = f"Ann serves {DRINKS[3]} and {DRINKS[4]} and earns 1 rush token."
ANN_LOST = f"{DRINKS[1]} expires: Ann takes a penalty and 1 rush token."


def heard(seat: int, *log: Event) -> Model:
    return replace(model(seat), history=History(log))


def news(seat: int, *log: Event) -> str:
    """Return the longest wording."""
    return (*since_turn(heard(seat, *log)), "")[0]


def test_since_the_own_turn_only_the_serves_of_others_are_told() -> None:
    line = f"Since your turn: {ANN_TOLD} {ANN_LOST} You get 1 new order."
    assert news(1, *TURN) == line
    assert news(1, OrderServed(1, 3, 1), *TURN) == line
    assert news(1, TurnStarted(1, 1), *TURN) == line
    assert news(0, *TURN) == "", "it is not Ann's turn"
    assert news(1, *TURN, OrderServed(1, 3, 1), TurnStarted(0, 3), TurnStarted(1, 3)) == ""
    assert news(1, *TURN[:2], TurnStarted(1, 2)) == "", "nobody served"
    assert news(1, *TURN, OrderServed(1, 3, 1), GameEnded((1,))) == "", "the turn was the last"


def test_others_turns_are_told_by_what_mattered_and_the_one_in_progress_but_for_pouring() -> None:
    served = f"serves {DRINKS[3]} and {DRINKS[4]} and earns 1 rush token"
    got = f"You get the order {DRINKS[2]}."
    over = (0, f"Ann {served}; activates double corners; takes 1 penalty. {got}")
    now = (TurnStarted(2, 2), Stepped(2, 1, 0, TWO_ICE), Poured(2))
    assert others_turns(of_three(*TURN[:-1], *now)) == [over, (2, "Cem takes 2 ice.")]
    assert others_turns(of_three(*TURN)) == [], "it is this player's turn"
    assert others_turns(of_three(TurnStarted(0, 1), *TURN[3:5], *now[:1])) == [
        (0, "Ann takes milk and 2 ice, for 1 rush token."),
        (2, ""),
    ]
    (told,) = others_turns(of_three(TurnStarted(0, 1), *TURN[3:5], PenaltiesTaken(0, (1,), 1)))
    assert told == (0, "Ann takes 1 penalty.")


def test_of_ones_own_turn_only_its_end_is_told() -> None:
    own = (TurnStarted(1, 1), Stepped(1, 1, 0, TWO_ICE), OrderServed(1, 3, 1))
    sent = OrdersDrawn(0, (2,), "order_rush")
    end = (PenaltiesTaken(1, (3,), 1), OrdersDrawn(1, (2,), "flow_of_time"))
    penalty, order = own_turn_end(of_three(*TURN, *own, sent, *end, TurnStarted(2, 1)))
    assert penalty.startswith(f"{DRINKS[3]} expires: you take a penalty")
    assert order == f"You get the order {DRINKS[2]}."
    assert own_turn_end(of_three(*own, *end, *TURN)) == (), "it is this player's turn again"


def of_three(*log: Event) -> Model:
    """Return what Bea knows at a table with Ann and Cem."""
    known = heard(1, *log)
    assert known.table
    seats = (*known.table.seats, replace(known.table.seats[1], name="Cem"))
    return replace(known, table=replace(known.table, seats=seats))


def test_a_short_wording_counts() -> None:
    assert "Since your turn: 2 orders served, 1 new for you, 1 penalty (Ann)" in since_turn(
        heard(1, *TURN)
    )
    undone = (*TURN[:10], IntentUndone(0), TURN[-1])
    assert "Since your turn: 1 order served" in since_turn(heard(1, *undone))


def test_a_penalty_of_somebody_who_served_nothing_is_told_too() -> None:
    log = (TurnStarted(0, 1), PenaltiesTaken(0, (1, 2), rush_gained=2), TurnStarted(1, 2))
    whole, short, *counted = since_turn(heard(1, *log))
    told = f"{DRINKS[1]} and {DRINKS[2]} expire: Ann takes 2 penalties and 2 rush tokens."
    assert whole == f"Since your turn: {told}"
    assert short == "Since your turn: Ann: 2 penalties"
    assert set(counted) == {"Ann: 2 penalties", "Since your turn: 2 penalties (Ann)"}


def test_what_happened_while_away_is_told_after_the_return() -> None:
    away, back = PeopleChanged("Bea", "away"), PeopleChanged("Bea", "back")
    bot = (
        OrderServed(1, 5, 1),
        OrdersDrawn(0, (1,), "order_rush"),
        PenaltiesTaken(1, (2,), rush_gained=1),
    )
    before = (TurnStarted(1, 1), OrderServed(1, 9, 1))
    log = (*before, away, *TURN, *bot, TurnStarted(0, 3), back, Said("Bea", "here I am"))
    told = (
        f"While you were away: {ANN_TOLD} {ANN_LOST} A bot serves {DRINKS[5]} for you. "
        f"{DRINKS[2]} expires: you take a penalty and 1 rush token. You get 1 new order."
    )
    assert while_away(replace(heard(1, *log), name="Bea")) == told
    assert while_away(replace(heard(1, *log[:-2]), name="Bea")) == "", "not back yet"
    assert while_away(replace(heard(1, *log), name="Cid")) == "", "somebody else was away"
    idle = (away, TurnStarted(1, 1), TurnStarted(0, 2), back)
    told = "While you were away: A bot takes 1 turn for you."
    assert while_away(replace(heard(1, *idle), name="Bea")) == told
    went_on = (TurnStarted(1, 1), away, Stepped(1, 1, 1, (0,) * 8, 0), TurnStarted(0, 2), back)
    assert while_away(replace(heard(1, *went_on), name="Bea")) == told
    bought = (TurnStarted(1, 1), away, UpgradeActivated(1, Upgrade.DIAGONAL_MOVE, (1, 2, 3)), back)
    told = "While you were away: A bot activates diagonal move for you."
    assert while_away(replace(heard(1, *bought), name="Bea")) == told
    later = (*log[:-1], TurnStarted(1, 3))
    assert while_away(replace(heard(1, *later), name="Bea")) == "", "that was some time ago"
    cut_off = (*TURN, back)  # the log does not reach back to the leaving
    assert ANN_TOLD in while_away(replace(heard(1, *cut_off), name="Bea"))


def test_what_a_bot_did_is_nobodys_own() -> None:
    away, back = PeopleChanged("Bea", "left"), PeopleChanged("Bea", "back")
    bots, own, others = OrderServed(1, 3, 1), OrderServed(1, 4, 1), OrderServed(0, 5, 1)
    log = (away, bots, others, back, own)
    assert played_oneself(replace(model(1), name="Bea"), log) == [away, others, back, own]


def test_no_round_is_said_to_be_the_last_that_is_over() -> None:
    over = replace(model(1), history=History((*TURN[:-1], TokenClosed("deck"), GameEnded((1,)))))
    assert over.view is not None
    view = replace(over.view, standings=(Standing(0, 1, 1), Standing(1, 2, 0)))
    lines = digest(replace(over, view=view))
    assert lines[-2:] == ["The café closed: the deck was empty.", "The game is over; you win."]


def test_the_last_round_has_its_reason() -> None:
    closed = (*TURN[:-1], TokenClosed("penalties"), TURN[-1])
    known = heard(1, *closed)
    assert known.view is not None
    assert last_round(known) == "", "the token shows OPEN in this View"
    late = replace(known, view=replace(known.view, closed=True))
    assert last_round(late).startswith("Too many penalties")
    assert last_round(replace(late, history=History(TURN))) == "", "it is not known why"
