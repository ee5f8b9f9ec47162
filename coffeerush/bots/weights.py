"""The learned value of a position, by the weights that `scripts/train` wrote."""

from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from math import fsum
from operator import mul
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from coffeerush.errors import BotError
from coffeerush.rules import State
from coffeerush.rules.state import acting
from coffeerush.rules.view import score

from .features import AfterTurn, after_turn, features

FEATURES_VERSION: Final = 1
"""To be increased with every change of the features: other weights are refused."""
COUNTS: Final = {2: (81, 27), 3: (93, 27), 4: (105, 27)}
"""By number of players: how many weights while the game is open, and once it is closed."""

MARGIN_WORTH: Final = 0.08
"""The value of each point ahead of the best other player, in wins."""


class SeatWeights(Struct, frozen=True, forbid_unknown_fields=True):
    """The weights of the features of a position."""

    open: tuple[float, ...]
    closed: tuple[float, ...]


class Weights(Struct, frozen=True, forbid_unknown_fields=True):
    """The content of `weights.json`."""

    features: int
    """The version of the features."""
    version: str
    """The program that trained them."""
    command: str
    """The command that writes the same file."""
    figures: dict[str, dict[str, float]]
    """By number of players, what the training measured."""
    players: dict[str, SeatWeights]
    """By number of players."""
    checksum: str = ""
    """Of all the rest, as SHA-256."""

    def value(self, state: State) -> float:
        """Return the expected result for the active seat at the end of its turn.

        Args:
            state: before `EndTurn`. The result is in the unit of `result`: a win is worth
                1, par is 0. If the turn ends the game, it is exact.
        """
        after = after_turn(state)
        if after.closed and not any(after.turns):
            return result(_final_scores(state, after), acting(state)[0])
        seats = self.players[str(len(state.players))]
        weights = seats.closed if after.closed else seats.open
        return fsum(map(mul, weights, features(state, after)))


def _final_scores(state: State, after: AfterTurn) -> list[tuple[int, int, int]]:
    """Return `scores_of` the State in which the active seat's turn ends the game."""
    seat, player = acting(state)
    scores = scores_of(state)
    lost = after.penalties - len(player.penalties)
    scores[seat] = (score(player) - lost, len(player.completed), after.rush)
    return scores


def scores_of(state: State) -> list[tuple[int, int, int]]:
    """Return the values that decide the ranks, by seat (R-END-2, R-END-3)."""
    return [(score(one), len(one.completed), one.rush) for one in state.players]


def result(scores: Sequence[tuple[int, int, int]], seat: int) -> float:
    """Return the value of a finished game: the share of the win above par, and a little margin.

    Args:
        scores: what decides the ranks, by seat.
        seat: for which the value is.
    """
    own = scores[seat]
    others = [one for number, one in enumerate(scores) if number != seat]
    share = 1 / (1 + others.count(own)) if own >= max(others) else 0.0
    return share - 1 / len(scores) + MARGIN_WORTH * (own[0] - max(one[0] for one in others))


def parse_weights(text: bytes) -> Weights:
    """Return the weights in a JSON file; raises `BotError`.

    JSON has no NaN, and the decoder refuses numbers that are too large.
    """
    try:
        weights = msgspec.json.decode(text, type=Weights)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise _damaged(BotError("the file has another format or is incomplete")) from None
    if weights.features != FEATURES_VERSION:
        raise _damaged(BotError("the file belongs to another version"))
    for players, counts in COUNTS.items():
        own = weights.players.get(str(players), SeatWeights((), ()))
        if (len(own.open), len(own.closed)) != counts:
            raise _damaged(BotError("the number of weights is wrong"))
    if weights != with_checksum(weights):
        raise _damaged(BotError("its checksum does not match"))
    return weights


def with_checksum(weights: Weights) -> Weights:
    """Return the same weights with their checksum."""
    rest = msgspec.json.encode(replace(weights, checksum=""))
    return replace(weights, checksum=sha256(rest).hexdigest())


@cache
def shipped_weights() -> Weights:
    """Return the weights that are included in the package; raises `BotError`."""
    try:
        text = (files("coffeerush") / "bots" / "weights.json").read_bytes()
    except OSError as error:
        raise _damaged(error) from None
    return parse_weights(text)


def _damaged(reason: BotError | OSError) -> BotError:
    return BotError(
        "The weights of the expert bot are damaged: {reason}; install Coffee Rush again.",
        reason=reason,
    )
