"""Many games side by side, for self-play: one call steps all of them."""

from operator import index
from typing import Final, NamedTuple, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from coffeerush.rules import Setup, State, advance, deal, standard_deck
from coffeerush.rules.legal import illegal

from .actions import ACTIONS, legal_actions
from .observation import SIZE, Encoder
from .reward import rewards


class VectorStep(NamedTuple):
    """Where the games are after a step; the arrays belong to the games, and `step` overwrites them.

    A game that ended has already been replaced by a new one: only `reward` and `done` are about the
    old one.
    """

    observation: NDArray[np.int8]
    """What the seat that acts next may know; shape `(games, SIZE)`."""
    mask: NDArray[np.int8]
    """Its legal actions, read-only; shape `(games, len(ACTIONS))`."""
    reward: NDArray[np.float32]
    """Of each seat of a game that ended, else 0; shape `(games, players)`."""
    done: NDArray[np.bool_]
    """Whether the game ended; shape `(games,)`."""
    seat: NDArray[np.int8]
    """The seat that acts next; shape `(games,)`."""


class VectorGames:
    """Games with the standard deck, each at its own point, each replaced by the next when it ends.

    Args:
        games: how many.
        players: 2 to 4.
        seed: of the first game; each further game has the next one.
        starters: whether to play with starter orders.
    """

    def __init__(
        self, games: int, *, players: int = 4, seed: SupportsIndex = 0, starters: bool = False
    ) -> None:
        self._setup: Final = Setup(players, standard_deck(), index(seed), starters)
        self._dealt = 0
        self._mask: Final = np.zeros((games, len(ACTIONS)), np.int8)
        shown = self._mask.view()
        shown.flags.writeable = False  # `step` checks actions by it
        self._now: Final = VectorStep(
            np.zeros((games, SIZE), np.int8),
            shown,
            np.zeros((games, players), np.float32),
            np.zeros(games, np.bool_),
            np.zeros(games, np.int8),
        )
        # writing bytes through these is faster than through numpy
        self._observations: Final = self._now.observation.data.cast("B")
        self._masks: Final = self._mask.data.cast("B")
        self._encoders: Final = [Encoder(players) for _ in range(games)]
        self._states: Final = [self._deal(game) for game in range(games)]
        for game, state in enumerate(self._states):
            self._show(game, state)

    @property
    def now(self) -> VectorStep:
        """Where the games are; before the first step, at their beginnings."""
        return self._now

    def step(self, actions: NDArray[np.integer]) -> VectorStep:
        """Play one action in each game; checks all of them before it plays any.

        Args:
            actions: shape `(games,)`.

        Raises:
            IllegalIntent: an action is not in the mask.
            ValueError: there are too few or too many actions, or one does not exist.
        """
        self._check(actions)
        now, states = self._now, self._states
        now.reward.fill(0)
        now.done.fill(False)
        self._mask.fill(0)
        for game, action in enumerate(actions.tolist()):
            state = advance(states[game], ACTIONS[action])
            if state.active is None:
                now.reward[game] = rewards(state)
                now.done[game] = True
                state = self._deal(game)
            states[game] = state
            self._show(game, state)
        return now

    def _check(self, actions: NDArray[np.integer]) -> None:
        games, most = self._now.mask.shape[0], len(ACTIONS) - 1
        if actions.shape != (games,) or actions.min() < 0 or actions.max() > most:
            raise ValueError(f"step takes one action from 0 to {most} in each of the {games} games")
        legal = self._now.mask[np.arange(games), actions]
        if not legal.all():
            game = int(legal.argmin())
            seat = int(self._now.seat[game])
            raise illegal(self._states[game], seat, ACTIONS[actions[game]])

    def _deal(self, game: int) -> State:
        first = self._setup
        seed = first.seed + self._dealt
        self._dealt += 1
        self._encoders[game] = Encoder(first.players)
        return deal(Setup(first.players, first.deck, seed, first.starters))

    def _show(self, game: int, state: State) -> None:
        """Write what the active seat may know and do; its row of the mask must be zero."""
        seat = state.active
        assert seat is not None  # finished games are replaced
        self._now.seat[game] = seat
        start = game * SIZE
        self._observations[start : start + SIZE] = self._encoders[game].encode(state, seat)
        row, masks = game * len(ACTIONS), self._masks
        for action in legal_actions(state):
            masks[row + action] = 1
