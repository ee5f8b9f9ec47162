"""What can be done in a turn, and drafts that stay consistent with the model."""

from random import Random

from msgspec.structs import replace

from coffeerush.client.model import Model
from coffeerush.client.turn import Turn, TurnDraft, neighbour, tokens_to_pour
from protocol import BOARD, Ingredient, Option, OwnView, Phase, ReturnRest, Serve, Step, Undo
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
    turns = [Turn(replace(model, seat=seat), TurnDraft(2)) for seat in (own.seat, None, 9)]
    assert [turn.meeple for turn in turns] == [1, 1, 1]
    assert Turn(replace(model, seat=None), TurnDraft()).position is None
    player = replace(model.view.players[own.seat], meeples=(4, 5))
    two = replace(model.view, players=(player,) * len(model.view.players), meeple=None)
    chosen = [Turn(replace(model, view=two), draft) for draft in (TurnDraft(1), TurnDraft(2))]
    told = [(turn.meeple, turn.other_meeple, turn.position) for turn in chosen]
    assert told == [(1, 2, 4), (2, 1, 5)]
    stepped = replace(model, view=replace(two, meeple=1))
    assert Turn(stepped, TurnDraft(2)).meeple == 1


def test_a_step_in_a_direction_ends_at_the_edge_of_the_board() -> None:
    assert [neighbour(5, *way) for way in ((-1, 0), (0, 1), (1, -1))] == [1, 6, 8]
    outside = ((0, (-1, 0)), (3, (0, 1)), (12, (1, 0)), (4, (0, -1)), (15, (1, 1)))
    assert {neighbour(cell, *way) for cell, way in outside} == {None}
    model, own = pouring()
    assert model.view
    player = replace(model.view.players[own.seat], meeples=(3,))
    corner = replace(model.view, players=(player,) * len(model.view.players), meeple=None)
    turn = Turn(replace(model, view=corner), TurnDraft())
    assert (turn.step(1, 0), turn.step(-1, 0), turn.step(0, 1)) == (Step(1, 7), None, None)


def test_there_are_no_options_unless_one_may_act() -> None:
    model, own = pouring()
    assert model.table
    turn = Turn(model, TurnDraft())
    assert turn.is_mine
    assert turn.options == own.options
    seat = replace(model.table.seats[own.seat], bot="regular")
    seats = (*model.table.seats[: own.seat], seat, *model.table.seats[own.seat + 1 :])
    for other, mine in (
        (replace(model, table=replace(model.table, seats=seats)), False),
        (replace(model, table=replace(model.table, stage="result")), False),
        (replace(model, table=replace(model.table, pause="")), True),
        (replace(model, status="lost"), True),
    ):
        turn = Turn(other, TurnDraft(aside=(Ingredient.ICE,)))
        assert (turn.is_mine, turn.options, turn.legal) == (mine, (), set())
        assert bool(turn.aside) is mine


def test_tokens_set_aside_go_back_in_one_intent_once_the_others_are_poured() -> None:
    model, own = pouring()
    held = tokens_to_pour(own.hand, (), model.view.path if model.view else ())
    assert len(held) > 1
    draft = TurnDraft()
    for count, token in enumerate(held[:-1], start=1):
        turn = Turn(model, draft)
        assert turn.to_pour[0] == token
        intents, draft = turn.give_back()
        assert (intents, draft.aside) == ((), tuple(held[:count]))
        assert not Turn(model, draft).only_aside
    assert Turn(model, draft).give_back() == ((ReturnRest(),), TurnDraft())
    assert Turn(model, TurnDraft(aside=tuple(held))).only_aside
    assert not Turn(model, TurnDraft()).only_aside


def test_undo_takes_tokens_set_aside_first() -> None:
    model, own = pouring()
    ice, milk = Ingredient.ICE, Ingredient.MILK
    assert own.undo > 1
    aside = Turn(model, TurnDraft(aside=(ice, milk)))
    assert aside.undo() == ((), TurnDraft(aside=(ice,)))
    assert aside.undo(whole=True) == ((Undo(),) * own.undo, TurnDraft())
    assert Turn(model, TurnDraft()).undo() == ((Undo(),), TurnDraft())
    begun = replace(own, undo=0, options=tuple(one for one in own.options if one.intent != Undo()))
    assert model.view
    start = replace(model, view=replace(model.view, own=begun))
    assert Turn(start, TurnDraft(aside=(ice, milk))).undo(whole=True) == ((), TurnDraft())
    asked = Turn(start, TurnDraft()).undo(whole=True)
    assert asked == ((Undo(),), TurnDraft()), "the host explains why not"


def test_the_most_urgent_order_is_served_first() -> None:
    model, own = pouring()
    assert model.view
    served = {Serve(1, 1): 0, Serve(1, 4): 2, Serve(2, 2): 1, Serve(3, 4): 2}
    options = tuple(Option(serve, order=drink) for serve, drink in served.items())
    view = replace(model.view, own=replace(own, options=options))
    turn = Turn(replace(model, view=view), TurnDraft())
    assert turn.serves == served
    assert turn.urgent == [Serve(1, 4), Serve(3, 4), Serve(2, 2), Serve(1, 1)]
