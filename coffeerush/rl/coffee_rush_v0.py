"""The PettingZoo environment `coffee_rush_v0`, in which one agent acts after another (AEC)."""

from operator import index
from random import Random
from typing import Any, ClassVar, Final, SupportsIndex

import numpy as np
from gymnasium import logger
from gymnasium.spaces import Box, Dict, Discrete
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils.env_logger import EnvLogger

from coffeerush.rules import Setup, advance, deal, standard_deck

from .actions import ACTIONS, legal_actions
from .observation import SIZE, Encoder
from .rendering import render_text
from .reward import rewards

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
        self.action_spaces = {one: Discrete(len(ACTIONS)) for one in self.possible_agents}
        self.observation_spaces = {
            one: Dict(
                observation=Box(0, 127, (SIZE,), np.int8),
                action_mask=Box(0, 1, (len(ACTIONS),), np.int8),
            )
            for one in self.possible_agents
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
        self.infos = {one: {"action_mask": _no_actions()} for one in self.agents}
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
        self.infos = {one: {"action_mask": _no_actions()} for one in self.agents}
        self.agent_selection = self.agents[0]

    def render(self) -> str | None:
        """Return the game as text, with everybody's cups."""
        if self.render_mode is None:
            logger.warn("Nothing to render: create the environment with render_mode='ansi'.")
            return None
        return render_text(self._state)

    def close(self) -> None:
        """Do nothing: there is nothing to close."""


def _no_actions() -> Mask:
    return np.zeros(len(ACTIONS), np.int8)


env = raw_env = CoffeeRush
"""PettingZoo's names; both are the same, as it needs no wrapper."""
