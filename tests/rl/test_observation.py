"""Observations hold what a View says, no more, whichever way they are made."""

import numpy as np
import pytest
from msgspec.structs import replace

from coffeerush.bots import sample_state
from coffeerush.rl import FIELDS, SIZE, observe
from coffeerush.rl.observation import DRINKS, Encoder
from coffeerush.rules import Deck, Setup, State, deal, standard_deck, view_for
from protocol import Phase, View
from tests.rl.positions import positions

GAMES = pytest.mark.parametrize(
    ("players", "starters"), [(2, False), (3, True), (4, False)], ids=["2", "3", "4"]
)


def observed(view: View) -> np.ndarray:
    out = np.full(SIZE, -1, np.int8)
    observe(view, out)
    return out


def counted(found: tuple[int, ...], length: int) -> list[int]:
    return [found.count(one) for one in range(length)]


def expected(view: View) -> dict[str, list[int]]:
    """Return each field as `docs/rl.md` describes it."""
    own = view.own
    assert own is not None
    count = len(view.players)
    hand = own.hand if view.hand is None else view.hand
    fields: dict[str, list[int]] = {
        "served": [view.served],
        "rush_supply": [view.rush_supply],
        "deck": [view.deck],
        "steps_left": [view.steps_left],
        "phase": [one is view.phase for one in Phase],
        "meeple": [view.meeple == 1, view.meeple == 2],
        "path": counted(view.path, 16),
        "supply": [*view.supply],
        "hand": [*hand],
        "cups": [count for cup in own.cups for count in cup],
        "players": [count],
        "round": [view.round],
        "closed": [view.closed],
        "start": [(own.seat + place) % count == view.start for place in range(count)],
        "active": [(own.seat + place) % count == view.active for place in range(count)],
        "removed": counted(view.removed, DRINKS),
        "discards": counted(view.discards, DRINKS),
    }
    for place in range(count):
        player = view.players[(own.seat + place) % count]
        fields |= {
            f"orders_{place}": [n for slot in player.orders for n in counted(slot, DRINKS)],
            f"meeples_{place}": [cell == at for at in player.meeples for cell in range(16)],
            f"upgrades_{place}": [*player.upgrades],
            f"completed_{place}": [player.completed],
            f"penalties_{place}": [player.penalties],
            f"rush_{place}": [player.rush],
        }
    return fields


@GAMES
def test_each_field_says_what_the_view_says(players: int, starters: bool) -> None:
    for state in positions(players, starters):
        seat = state.round % players
        view = view_for(state, seat)
        vector = observed(view)
        fields = expected(view)
        for name, where in FIELDS.items():
            values = vector[where].tolist()
            wanted = fields.get(name, [])
            assert values == wanted + [0] * (len(values) - len(wanted)), name


@GAMES
def test_states_are_encoded_as_their_views_are(players: int, starters: bool) -> None:
    encoder = Encoder(players)
    for state in positions(players, starters):
        for seat in range(players):
            vector = observed(view_for(state, seat)).tobytes()
            assert encoder.encode(state, seat) == vector


@GAMES
def test_nothing_outdated_is_encoded(players: int, starters: bool) -> None:
    """An encoder per seat, which misses the beginning of each turn, notices it all the same."""
    encoders = [Encoder(players) for _ in range(players)]
    for state in positions(players, starters):
        seat = state.active
        if seat is None or (state.previous is None and state.phase is not Phase.PLACING):
            continue
        assert encoders[seat].encode(state, seat) == observed(view_for(state, seat)).tobytes()


@GAMES
def test_what_is_hidden_makes_no_difference(players: int, starters: bool) -> None:
    changed = 0
    for number, state in enumerate(positions(players, starters)):
        seat = number % players
        vector = Encoder(players).encode(state, seat)
        other = remade(state, seat, number)
        assert Encoder(players).encode(other, seat) == vector
        cups = [player.cups for player in state.players]
        changed += cups != [player.cups for player in other.players]
    assert changed > 20


def remade(state: State, seat: int, seed: int) -> State:
    """Return another State with the same View for `seat`: cups, cards and hidden hands differ."""
    other = sample_state(view_for(state, seat), seed)
    return replace(other, previous=state.previous)


def test_the_longest_game_still_fits() -> None:
    late = replace(positions(2)[0], round=1000)
    vector = observed(view_for(late, 0))
    assert vector[FIELDS["round"]] == [127]
    assert Encoder(2).encode(late, 0) == vector.tobytes()


def test_a_spectator_has_no_observation() -> None:
    with pytest.raises(ValueError, match="take the View of a seat"):
        observed(view_for(positions(3)[0], None))


def test_another_deck_has_no_observation() -> None:
    drinks = standard_deck().drinks
    other = Deck("Other", (*drinks[1:], drinks[0]))
    with pytest.raises(ValueError, match="standard deck"):
        observed(view_for(deal(Setup(3, other, 1)), 0))
