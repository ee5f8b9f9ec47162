"""The environment for PettingZoo, and the same for many games at once."""

from operator import index
from random import Random
from typing import Any, ClassVar, Final, NamedTuple, SupportsIndex

import numpy as np
from gymnasium import logger
from gymnasium.spaces import Box, Dict, Discrete
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils.env_logger import EnvLogger

from coffeerush.rules import Setup, State, advance, deal, standard_deck, standings
from coffeerush.rules.board import kinds
from coffeerush.rules.legal import illegal
from coffeerush.rules.view import score
from protocol import Ingredient, Upgrade

from .observation import ACTIONS, SIZE, Encoder, legal_actions

# A game as text, for people who watch their agents play


def _render_text(state: State) -> str:
    """Return the state of a game with everybody's cups: one line in general, one per player."""
    acts = "nobody" if state.active is None else f"player_{state.active}"
    lines = [
        f"round {state.round}, {state.phase}, {acts} acts, hand: {_tokens(state.hand)}, "
        f"{len(state.deck)} cards left"
    ]
    lines += [f"player_{seat}: {_player(state, seat)}" for seat in range(len(state.players))]
    return "\n".join(lines)


def _player(state: State, seat: int) -> str:
    player, drinks = state.players[seat], state.menu.drinks
    orders = (", ".join(drinks[drink].name for drink in slot) or "-" for slot in player.orders)
    upgrades = (upgrade.name.lower() for upgrade in Upgrade if player.upgrades >> upgrade & 1)
    return "; ".join(
        (
            f"score {score(player)}",
            f"completed {len(player.completed)}",
            f"penalties {len(player.penalties)}",
            f"rush {player.rush}",
            f"cells {' '.join(map(str, player.meeples)) or '-'}",
            f"orders {' | '.join(orders)}",
            f"cups {' | '.join(map(_tokens, player.cups))}",
            f"upgrades {' '.join(upgrades) or '-'}",
        )
    )


def _tokens(packed: int) -> str:
    return " ".join(Ingredient(kind).name.lower() for kind in kinds(packed)) or "-"


# Rewards at the end of a game


def rewards(final: State) -> tuple[float, ...]:
    """Return each seat's share of the victory minus an equal share; the sum is 0.

    Of `n` seats, `k` winners get `1/k - 1/n` each and the others `-1/n` (R-END-3).
    """
    n = len(final.players)
    winners = [standing.seat for standing in standings(final) if standing.rank == 1]
    return tuple((seat in winners) / len(winners) - 1 / n for seat in range(n))


# The PettingZoo environment `coffee_rush_v0`, in which one agent acts after another (AEC)


ILLEGAL_REWARD: Final = -1.0
"""What an illegal action costs, as in PettingZoo's own games; it also ends the game."""

Mask = NDArray[np.int8]


class CoffeeRush(AECEnv):  # type: ignore[misc]  # PettingZoo ships no types
    """A game with the standard deck; the agents are `player_0` to `player_3`, clockwise.

    It checks actions itself, since PettingZoo's wrappers take longer than the game.

    Args:
        players: 2 to 4.
        starters: whether to play with starter orders.
        render_mode: "ansi" for `render` to return text; None for no rendering.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "coffee_rush_v0",
        "render_modes": ["ansi"],
        "is_parallelizable": False,
    }

    def __init__(
        self, players: int = 4, starters: bool = False, render_mode: str | None = None
    ) -> None:
        super().__init__()
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ValueError(f"there is no render mode {render_mode!r}; choose 'ansi' or None")
        self.render_mode = render_mode
        self._setup = Setup(players, standard_deck(), seed=0, starters=starters)
        self._chance = Random()
        self.possible_agents = [f"player_{seat}" for seat in range(players)]
        self.action_spaces = {agent: Discrete(len(ACTIONS)) for agent in self.possible_agents}
        self.observation_spaces = {
            agent: Dict(
                observation=Box(0, 127, (SIZE,), np.int8),
                action_mask=Box(0, 1, (len(ACTIONS),), np.int8),
            )
            for agent in self.possible_agents
        }

    def observation_space(self, agent: str) -> Dict:
        """Return the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        """Return the space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(
        self, seed: SupportsIndex | None = None, options: dict[str, Any] | None = None
    ) -> None:
        """Deal a new game.

        Args:
            seed: of the cards and the start player, as in `Setup`; without one, the games continue
                the sequence that began with the last seed.
            options: ignored.
        """
        if seed is not None:
            self._chance = Random(index(seed))
        dealt = self._chance.getrandbits(32) if seed is None else index(seed)
        setup = self._setup
        self._state = deal(Setup(setup.players, setup.deck, dealt, setup.starters))
        self._encoder = Encoder(setup.players)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {"action_mask": _no_actions()} for agent in self.agents}
        self._select()

    def _select(self) -> None:
        """Select the agent whose seat is active."""
        assert self._state.active is not None  # the game is not over
        self._legal = bytearray(len(ACTIONS))
        for action in legal_actions(self._state):
            self._legal[action] = 1
        self.agent_selection = self.possible_agents[self._state.active]
        self.infos[self.agent_selection]["action_mask"] = self._mask()

    def _mask(self) -> Mask:
        """Return the mask of the active agent, in an array that an agent may write to."""
        return np.frombuffer(bytearray(self._legal), np.int8)

    def observe(self, agent: str) -> dict[str, NDArray[np.int8]]:
        """Return the observation of an agent; its mask is zero unless it is the one to act."""
        seat = self.possible_agents.index(agent)
        encoded = bytearray(self._encoder.encode(self._state, seat))
        acts = seat == self._state.active
        return {
            "observation": np.frombuffer(encoded, np.int8),
            "action_mask": self._mask() if acts else _no_actions(),
        }

    def step(self, action: int | None) -> None:
        """Play an action of the selected agent; an illegal one ends the game.

        Raises:
            ValueError: there is no such action, or the agent is done and the action is not None.
        """
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        if action is None or not 0 <= action < len(ACTIONS):
            raise ValueError(f"there are {len(ACTIONS)} actions, from 0: {action} is not one")
        if not self._legal[action]:
            EnvLogger.warn_on_illegal_move()
            self._end({agent: ILLEGAL_REWARD})
            return
        self.infos[agent]["action_mask"] = _no_actions()
        self._state = advance(self._state, ACTIONS[action])
        if self._state.active is None:
            self._end(dict(zip(self.agents, rewards(self._state), strict=True)))
        else:
            self._select()

    def _end(self, earned: dict[str, float]) -> None:
        self.rewards.update(earned)
        self._accumulate_rewards()
        self.terminations = dict.fromkeys(self.agents, True)
        self._legal = bytearray(len(ACTIONS))
        self.infos = {agent: {"action_mask": _no_actions()} for agent in self.agents}
        self.agent_selection = self.agents[0]

    def render(self) -> str | None:
        """Return the game as text, with everybody's cups."""
        if self.render_mode is None:
            logger.warn("Nothing to render: create the environment with render_mode='ansi'.")
            return None
        return _render_text(self._state)

    def close(self) -> None:
        """Do nothing: there is nothing to close."""


def _no_actions() -> Mask:
    return np.zeros(len(ACTIONS), np.int8)


env = raw_env = CoffeeRush
"""PettingZoo's names; both are the same, as it needs no wrapper."""


# Many games side by side, for self-play: one call steps all of them


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
