"""Public and private information (R-INFO-1, R-INFO-2)."""

import pytest
from msgspec import structs

from coffeerush.rules import State, view_for
from coffeerush.rules.board import unpack
from protocol import (
    NOTHING,
    ActivateUpgrade,
    EmptyCup,
    Ingredient,
    OwnView,
    Phase,
    PlaceMeeple,
    PlayerView,
    Pour,
    ReturnRest,
    Tally,
    Upgrade,
    View,
)
from tests.support.positions import (
    DRINKS,
    Has,
    begun,
    cards,
    dealt,
    play,
    position,
    ready,
    tokens,
    walk,
)

READERS = (None, 0, 1, 2)
ANN = Has(("Mocha, Lungo", "Granita"), ("tea", "", "milk ice"), (5,), 4, 1, 2)
BOB = Has(("", "Iced tea"), ("coffee coffee",), (3,))
CID = Has(("Cortado",), ("", "steam"), (12,), penalties=2)


def table() -> State:
    return position(ANN, BOB, CID, round=6)


@pytest.mark.parametrize("reader", READERS)
def test_what_is_public(reader: int | None) -> None:
    # R-INFO-1: everybody sees the same of everybody
    state = walk(table(), 6)
    view = view_for(state, reader)
    ann, bob, cid = view.players
    assert ann.orders == (cards("Mocha, Lungo"), cards("Granita"), (), ())
    assert [one.meeples for one in view.players] == [(6,), (3,), (12,)]
    assert (ann.completed, ann.penalties, ann.rush, ann.score) == (4, 1, 2, 3)
    assert (bob.completed, cid.penalties, cid.score) == (0, 2, -2)
    assert view.supply == unpack(state.supply)
    assert (view.rush_supply, view.deck) == (13, 80 - 5 - 7)
    assert view.path == (5, 6)
    assert view.hand == unpack(tokens("ice")), "what was picked up is seen"
    assert (view.active, view.phase, view.round, view.closed) == (0, Phase.MOVING, 6, False)
    assert view.menu == DRINKS
    assert (view.steps_left, view.meeple, view.served) == (2, 1, 0)


def test_upgrades_and_discards_are_public() -> None:
    # R-INFO-1
    after = play(table(), ActivateUpgrade(Upgrade.DOUBLE_CORNERS))
    for reader in READERS:
        view = view_for(after, reader)
        assert view.players[0].upgrades == (False, False, True, False)
        assert view.discards == after.discards != ()


@pytest.mark.parametrize("reader", READERS)
def test_cups_are_private_to_their_owner(reader: int | None) -> None:
    # R-INFO-2
    state = table()
    own = view_for(state, reader).own
    if reader is None:
        assert own is None
        return
    assert own is not None
    assert own.cups == tuple(map(unpack, state.players[reader].cups))
    assert own.seat == reader
    assert bool(own.options) is (reader == 0), "options show what the cups hold"


def test_a_view_has_exactly_the_listed_fields() -> None:
    """Every new field could leak a secret: think about that before adding it here."""
    # R-INFO-2
    assert " ".join(View.__struct_fields__) == (
        "players start active phase round closed supply rush_supply deck discards removed path "
        "meeple steps_left served hand menu standings own"
    )
    assert " ".join(PlayerView.__struct_fields__) == (
        "orders completed penalties rush upgrades meeples score"
    )
    assert " ".join(OwnView.__struct_fields__) == "seat cups hand options undo"
    assert " ".join(Tally.__struct_fields__) == "scores best_served best_round"


def test_the_hand_is_hidden_while_pouring() -> None:
    # R-INFO-2: it would reveal what was poured
    state = walk(table(), 6, 10)
    poured = play(state, Pour(Ingredient.ICE, 1))
    for reader in READERS:
        assert view_for(state, reader).hand == unpack(tokens("milk ice"))
        assert view_for(poured, reader).hand is None
    own = view_for(poured, 0).own
    assert own is not None
    assert own.hand == unpack(tokens("milk"))
    assert view_for(play(poured, ReturnRest()), 1).hand == NOTHING


def test_the_first_ingredients_are_poured_in_secret() -> None:
    # R-INFO-2 with R-SETUP-5
    state = play(dealt(2), *map(PlaceMeeple, (0, 1, 2, 3)))
    assert [view_for(state, reader).hand for reader in (None, 0, 1)] == [None] * 3
    mine = view_for(state, 1).own
    assert mine is not None
    assert mine.hand == unpack(tokens("ice steam"))
    other = view_for(state, 0).own
    assert other is not None
    assert (other.hand, other.options) == (NOTHING, ())


def test_other_hands_are_not_in_the_owners_part() -> None:
    # R-INFO-2
    poured = play(walk(table(), 6, 10), Pour(Ingredient.ICE, 1))
    own = view_for(poured, 1).own
    assert own is not None
    assert (own.hand, own.undo, own.options) == (NOTHING, 0, ())


@pytest.mark.parametrize("reader", [None, 1, 2])
def test_others_cannot_tell_which_cup_was_emptied(reader: int | None) -> None:
    # R-INFO-2: two cups with the same contents, one or the other is emptied
    state = position(ANN._replace(cups=("milk ice", "milk ice")), BOB, CID)
    one, two = play(state, EmptyCup(1)), play(state, EmptyCup(2))
    assert view_for(one, reader) == view_for(two, reader)
    assert view_for(one, 0) != view_for(two, 0)


@pytest.mark.parametrize("reader", [None, 1, 2])
def test_others_cannot_tell_where_a_token_was_poured(reader: int | None) -> None:
    # R-INFO-2
    state = walk(table(), 6, 10)
    seen = [
        view_for(play(state, Pour(kind, cup)), reader)
        for kind in (Ingredient.ICE, Ingredient.MILK)
        for cup in (1, 2, 3)
    ]
    assert all(view == seen[0] for view in seen)


def test_nobody_knows_the_order_of_the_deck() -> None:
    # R-INFO-2: backwards, it looks the same to all
    state = table()
    backwards = structs.replace(state, deck=state.deck[::-1])
    assert backwards != state
    for reader in READERS:
        assert view_for(backwards, reader) == view_for(state, reader)


def test_the_result_shows_no_cups() -> None:
    # R-INFO-2 does not end with the game
    over = structs.replace(ready(table()), active=None, phase=Phase.OVER, previous=None)
    assert view_for(over, None).own is None
    assert [one.seat for one in view_for(over, None).standings] == [0, 1, 2]
    assert view_for(begun(dealt(3), 0, 1, 2), 0).standings == ()
