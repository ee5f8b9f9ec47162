"""The draft of a turn stays consistent with the model."""

from random import Random

from msgspec.structs import replace

from coffeerush.client.model import Model
from coffeerush.client.turn import TurnDraft, tokens_to_pour
from protocol import BOARD, Ingredient, OwnView, Phase
from tests.support.local import begun, choose


def pouring() -> tuple[Model, OwnView]:
    """Return a model with tokens in hand, and its private part."""
    link, chance = begun(seed=3), Random(3)
    while True:
        view = link.model.view
        if view and view.own and view.phase is Phase.POURING and any(view.own.hand):
            return link.model, view.own
        link.wish(choose(link, chance))


def test_tokens_set_aside_are_not_poured() -> None:
    hand = (2, 1, 0, 0, 0, 0, 0, 1)
    one, two, *_none, eight = Ingredient
    assert tokens_to_pour(hand, (), ()) == [one, one, two, eight]
    assert tokens_to_pour(hand, (eight, one), ()) == [one, two]


def test_tokens_are_poured_in_the_order_of_the_steps() -> None:
    milk, steam, ice = Ingredient.MILK, Ingredient.STEAM, Ingredient.ICE
    start, *path = (BOARD.index(kind) for kind in (Ingredient.TEA, ice, milk, ice))
    hand = (0, 1, 1, 2, 0, 0, 0, 0)
    assert tokens_to_pour(hand, (), (start, *path)) == [ice, ice, milk, steam]
    assert tokens_to_pour(hand, (ice,), (start, *path)) == [ice, milk, steam]


def test_tokens_stay_set_aside_while_they_are_in_hand() -> None:
    model, own = pouring()
    kind = next(kind for kind in Ingredient if own.hand[kind])
    held = TurnDraft(2, (kind,) * own.hand[kind])
    assert held.seen(model, model) == held
    assert TurnDraft(2, (*held.aside, kind)).seen(model, model) == TurnDraft(2)
    assert held.seen(model, replace(model, seat=None)) == TurnDraft(2)


def test_a_new_game_or_host_resets_the_draft() -> None:
    model, _own = pouring()
    for other in (replace(model, game=model.game + 1), replace(model, epoch=b"another.")):
        assert TurnDraft(2, asked_to_end=7).seen(model, other) == TurnDraft()


def test_only_an_existing_meeple_steps() -> None:
    model, own = pouring()
    assert model.view
    assert [TurnDraft(2).meeple_of(model.view, seat) for seat in (own.seat, None, 9)] == [1, 1, 1]
    player = replace(model.view.players[own.seat], meeples=(4, 5))
    two = replace(model.view, players=(player,) * len(model.view.players), meeple=None)
    assert [draft.meeple_of(two, own.seat) for draft in (TurnDraft(1), TurnDraft(2))] == [1, 2]
    assert TurnDraft(2).meeple_of(replace(two, meeple=1), own.seat) == 1
