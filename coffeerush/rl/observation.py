"""Observations and actions as arrays of numbers."""

from functools import lru_cache
from itertools import product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from coffeerush.rules import ALL_INTENTS, Player, State, legal_intents, standard_deck
from coffeerush.rules.board import CELLS
from coffeerush.rules.legal import Intents, steps_left
from coffeerush.rules.state import Cards, OpenOrders
from coffeerush.rules.view import HIDDEN_HAND
from protocol import CUPS, MAX_PLAYERS, SLOTS, Ingredient, Phase, PlayerView, Undo, Upgrade, View

DRINKS: Final = len(standard_deck().drinks)
_KINDS: Final = len(Ingredient)
_MAX: Final = 127
"""The largest int8."""
_PLAYER: Final = {
    "completed": 1,
    "penalties": 1,
    "rush": 1,
    "upgrades": len(Upgrade),
    "meeples": 2 * len(CELLS),
    "orders": SLOTS * DRINKS,
}
_LENGTHS: Final = {
    "served": 1,
    "rush_supply": 1,
    "deck": 1,
    "steps_left": 1,
    "completed_0": 1,
    "penalties_0": 1,
    "rush_0": 1,
    "phase": len(Phase),
    "meeple": 2,
    "upgrades_0": len(Upgrade),
    "meeples_0": 2 * len(CELLS),
    "path": len(CELLS),
    "supply": _KINDS,
    "hand": _KINDS,
    "cups": CUPS * _KINDS,
    "orders_0": SLOTS * DRINKS,
    "players": 1,
    "round": 1,
    "closed": 1,
    "start": MAX_PLAYERS,
    "active": MAX_PLAYERS,
    "removed": DRINKS,
    "discards": DRINKS,
    **{
        f"{name}_{place}": length
        for place in range(1, MAX_PLAYERS)
        for name, length in _PLAYER.items()
    },
}
"""The length of each field, in order: first what changes within a turn."""
SIZE: Final = sum(_LENGTHS.values())
"""The length of an observation."""


def _slices() -> dict[str, slice]:
    ends = np.cumsum(list(_LENGTHS.values())).tolist()
    return {
        name: slice(end - length, end)
        for (name, length), end in zip(_LENGTHS.items(), ends, strict=True)
    }


FIELDS: Final = _slices()
"""Where each field is; those of players end in `_0` for the observer, `_1` for the next seat..."""


def _one_hot(length: int) -> dict[int | None, bytes]:
    """Return the one-hot vector of each number below `length`, and zeros for None."""
    return {index: bytes(at == index for at in range(length)) for index in (None, *range(length))}


_PHASE: Final = {phase: _one_hot(len(Phase))[at] for at, phase in enumerate(Phase)}
_SEAT: Final = _one_hot(MAX_PLAYERS)
_MEEPLE: Final = _one_hot(2)
_CELL: Final = _one_hot(len(CELLS))
_MEEPLES: Final = {
    meeples: b"".join(_CELL[cell] for cell in (*meeples, None, None)[:2])
    for count in range(3)
    for meeples in product(CELLS, repeat=count)
}
_UPGRADES: Final = tuple(bytes(mask >> upgrade & 1 for upgrade in Upgrade) for mask in range(16))


def observe(view: View, out: NDArray[np.int8]) -> None:
    """Write what the View's owner may know into `out`, of shape `(SIZE,)`.

    Raises:
        ValueError: the View is a spectator's, or of a game with another deck than the standard one.
    """
    own = view.own
    if own is None:
        raise ValueError("a spectator's View has no observation; take the View of a seat")
    if view.menu != standard_deck().drinks:
        raise ValueError("observations are defined for the standard deck only")
    me = view.players[own.seat]
    hand = own.hand if view.hand is None else view.hand
    cups = (count for cup in own.cups for count in cup)
    numbers = (view.served, view.rush_supply, view.deck, view.steps_left)
    parts = (
        bytes((*numbers, me.completed, me.penalties, me.rush)),
        _PHASE[view.phase],
        _MEEPLE[None if view.meeple is None else view.meeple - 1],
        bytes(me.upgrades),
        _MEEPLES[me.meeples],
        _counted(view.path, len(CELLS)),
        bytes((*view.supply, *hand, *cups)),
        _orders(me.orders),
        _of_turn(view, own.seat, [_of_player_view(player) for player in view.players]),
    )
    out[:] = np.frombuffer(b"".join(parts), np.int8)


class Encoder:
    """Observations of the States of one game, the same as of their Views, in a tenth of the time.

    What has not changed since the last State is not encoded again.
    """

    def __init__(self, players: int) -> None:
        self._orders: list[tuple[OpenOrders | None, bytes]] = [(None, b"")] * players
        self._players: list[tuple[Player | None, bytes]] = [(None, b"")] * players
        self._turn: tuple[int, int, Cards] | None = None
        self._of_turn = b""

    def encode(self, state: State, seat: int) -> bytes:
        """Return the observation of `seat`: `SIZE` bytes."""
        player, hand = state.players[seat], state.hand
        if seat == state.active:
            of_turn = self._of_active(state, seat)
        else:
            of_turn = self._of_others(state, seat)
            if state.phase in HIDDEN_HAND:
                hand = 0
        one, two, three = player.cups
        tokens = state.supply | hand << 64 | one << 128 | two << 192 | three << 256
        numbers = bytes(
            (
                state.served,
                state.rush,
                len(state.deck),
                steps_left(state),
                len(player.completed),
                len(player.penalties),
                player.rush,
            )
        )
        return b"".join(
            (
                numbers,
                _PHASE[state.phase],
                _MEEPLE[state.meeple],
                _UPGRADES[player.upgrades],
                _MEEPLES[player.meeples],
                _counted(state.path, len(CELLS)),
                tokens.to_bytes(40, "little"),
                self._cards(seat, player.orders),
                of_turn,
            )
        )

    def _of_active(self, state: State, seat: int) -> bytes:
        """Return `_of_others` for the active seat: once a turn, and when the discards change."""
        turn = self._turn
        if (
            state.previous is None  # the first State of a turn
            or not state.round  # during the setup, a seat acts several times
            or turn is None
            or turn[0] != state.round
            or turn[1] != seat
            or turn[2] is not state.discards
        ):
            self._turn = (state.round, seat, state.discards)
            self._of_turn = self._of_others(state, seat)
        return self._of_turn

    def _of_others(self, state: State, seat: int) -> bytes:
        players = [self._player(other, player) for other, player in enumerate(state.players)]
        return _of_turn(state, seat, players)

    def _player(self, seat: int, player: Player) -> bytes:
        known, encoded = self._players[seat]
        if known is not player:
            orders = self._cards(seat, player.orders)
            numbers = (len(player.completed), len(player.penalties), player.rush)
            encoded = _player(numbers, _UPGRADES[player.upgrades], player.meeples, orders)
            self._players[seat] = (player, encoded)
        return encoded

    def _cards(self, seat: int, orders: OpenOrders) -> bytes:
        known, encoded = self._orders[seat]
        if known is not orders:
            encoded = _orders(orders)
            self._orders[seat] = (orders, encoded)
        return encoded


def _of_turn(game: State | View, seat: int, players: list[bytes]) -> bytes:
    """Encode what hardly changes within a turn of `seat`, from the number of players on."""
    count, active = len(players), game.active
    return b"".join(
        (
            bytes((count, min(game.round, _MAX), game.closed)),
            _SEAT[(game.start - seat) % count],
            _SEAT[None if active is None else (active - seat) % count],
            _counted(game.removed, DRINKS),
            _counted(game.discards, DRINKS),
            *players[seat + 1 :],
            *players[:seat],
            bytes((MAX_PLAYERS - count) * sum(_PLAYER.values())),
        )
    )


def _of_player_view(player: PlayerView) -> bytes:
    numbers = (player.completed, player.penalties, player.rush)
    return _player(numbers, bytes(player.upgrades), player.meeples, _orders(player.orders))


def _player(
    numbers: tuple[int, int, int], upgrades: bytes, meeples: tuple[int, ...], orders: bytes
) -> bytes:
    return bytes(numbers) + upgrades + _MEEPLES[meeples] + orders


def _orders(orders: OpenOrders) -> bytes:
    counts = bytearray(SLOTS * DRINKS)
    for slot, drinks in enumerate(orders):
        for drink in drinks:
            counts[slot * DRINKS + drink] += 1
    return bytes(counts)


@lru_cache(maxsize=1 << 14)
def _counted(found: tuple[int, ...], length: int) -> bytes:
    """Count how often each number below `length` occurs."""
    counts = bytearray(length)
    for number in found:
        counts[number] += 1
    return bytes(counts)


# Actions: the legal intents as numbers, by their position in a fixed list


ACTIONS: Final[Intents] = tuple(intent for intent in ALL_INTENTS if not isinstance(intent, Undo))
"""The intent of each action. There is no Undo: without it, every turn ends."""
_NUMBERS: Final = {intent: action for action, intent in enumerate(ACTIONS)}
_BY_ID: Final = {id(intent): action for action, intent in enumerate(ALL_INTENTS)}
"""The same by identity, which is faster, for the objects that `legal_intents` returns."""


def action_mask(view: View, out: NDArray[np.int8]) -> None:
    """Write 1 for each legal action of the View's owner, else 0.

    Args:
        view: of a seat; a spectator has no legal actions.
        out: shape `(len(ACTIONS),)`.
    """
    out[:] = 0
    for option in view.own.options if view.own else ():
        if not isinstance(option.intent, Undo):
            out[_NUMBERS[option.intent]] = 1


def legal_actions(state: State) -> list[int]:
    """Return the legal actions of the active seat; none when the game is over."""
    legal = [_BY_ID[id(intent)] for intent in legal_intents(state)]
    if state.previous is not None:
        legal.pop()  # Undo is last
    return legal
