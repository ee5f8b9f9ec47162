"""Table talk: bots' remarks, and the answers that players are offered."""

from random import Random

import pytest
from msgspec.structs import replace

from coffeerush.client.history import History
from coffeerush.client.model import Model
from coffeerush.client.talk import AnswerOffer, bot_remarks, has_talk, offered
from protocol import (
    NO_ID,
    Chat,
    Emoted,
    EmoteName,
    Event,
    IntentUndone,
    OrdersDrawn,
    OrderServed,
    PenaltiesTaken,
    Ready,
    TurnStarted,
)
from tests.support.local import LocalTable, begun, play

BOTS = ("regular", "casual")


def heard(model: Model, *events: Event) -> Model:
    """Return the model after these events."""
    return replace(model, history=History(events, len(events)))


def offers(model: Model, *events: Event) -> AnswerOffer:
    """Return the offer after these events, which came one by one."""
    offer, before = AnswerOffer(), heard(model)
    for count in range(1, len(events) + 1):
        after = heard(model, *events[:count])
        offer, before = offered(offer, before, after), after
    return offer


@pytest.mark.slow
def test_bots_say_one_word_a_round_the_same_to_all_however_the_events_come() -> None:
    local = LocalTable(4, BOTS, seed=5)
    ann, bob, eve = local.link("Ann"), local.link("Bob"), local.link("Eve", "spectator")
    seen = {link.model.name: link.model for link in (ann, bob, eve)}
    told: dict[str, list[tuple[str, EmoteName]]] = {name: [] for name in seen}
    rounds, updates = 0, 0

    def look() -> None:
        nonlocal updates, rounds
        updates += 1
        rounds = max(rounds, ann.model.view.round if ann.model.view else 0)
        for link in (ann, bob, eve):
            name = link.model.name
            if link is bob and ann.model.table and ann.model.table.stage == "game" and updates % 9:
                continue  # whose updates come in bursts
            told[name] += bot_remarks(seen[name], link.model)
            seen[name] = link.model

    local.start()
    look()
    play(local, Random(1), look)
    assert told["Ann"] == told["Bob"] == told["Eve"]
    assert 2 < len(told["Ann"]) <= rounds
    assert len({name for name, _emote in told["Ann"]}) == len(BOTS)


def test_a_latecomer_is_told_no_old_remark() -> None:
    local = LocalTable(4, BOTS, seed=5)
    local.link("Ann")
    local.start()
    zoe = local.link("Zoe", "spectator").model
    assert bot_remarks(Model("spectator", "Zoe"), zoe) == ()


def test_two_orders_in_a_turn_are_praised_but_not_one_served_again_after_undo() -> None:
    model = begun().model
    assert model.seat is not None
    other = (model.seat + 1) % 3
    turn, order, undo = TurnStarted(other, 2), OrderServed(other, 0, 1), IntentUndone(other)
    assert offers(model, turn, order) == AnswerOffer()
    assert offers(model, turn, order, order) == AnswerOffer("bravo", to=other)
    assert offers(model, turn, order, order, order) == AnswerOffer("wow", to=other)
    assert offers(model, turn, order, undo, order) == AnswerOffer()
    assert offers(model, turn, order, TurnStarted(0, 3), order) == AnswerOffer()


def test_an_answer_is_offered_until_the_next_turn_but_one_begins() -> None:
    model = begun().model
    assert model.seat is not None
    assert model.table is not None
    oops = PenaltiesTaken(model.seat, (1,))
    assert offers(model, oops, TurnStarted(1, 1)) == AnswerOffer("oops", 1)
    assert offers(model, oops, TurnStarted(1, 1), TurnStarted(0, 2)) == AnswerOffer()
    assert offers(model, oops, Emoted("Bob", "hello")) == AnswerOffer("hello"), "the latest"
    said = Emoted(model.table.seats[1].name, "bravo")
    assert offers(model, said) == AnswerOffer("thanks", to=1)
    assert offers(model, Emoted(model.name, "hello")) == AnswerOffer(), "not to oneself"
    assert offers(replace(model, seat=None), oops) == AnswerOffer(), "only at a seat"


def test_orders_are_answered_to_whose_turn_brings_them_and_not_with_thanks() -> None:
    model = begun().model
    me = model.seat
    assert me is not None
    sender = (me + 2) % 3
    drawn = OrdersDrawn(me, (1,), "order_rush")
    events = TurnStarted((me + 1) % 3, 2), TurnStarted(sender, 2), drawn
    assert offers(model, *events) == AnswerOffer("oops", to=sender)
    assert offers(model, *events[:2], OrdersDrawn(sender, (1,), "order_rush")) == AnswerOffer()


def test_a_newcomer_hears_what_was_said_before_and_others_what_is_said() -> None:
    local = LocalTable(3)
    ann, bob = local.link("Ann"), local.link("Bob")
    was = ann.model
    bob.wish(Ready(NO_ID, True))
    assert not has_talk(was, ann.model)
    was = ann.model
    bob.wish(Chat(NO_ID, "Pizza!"))
    assert has_talk(was, ann.model)
    assert has_talk(Model("player", "Cid"), ann.model)
