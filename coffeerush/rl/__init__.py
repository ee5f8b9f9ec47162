"""Environments for training agents; imports rules, and needs the extra `rl`: numpy, pettingzoo."""

try:
    import numpy  # noqa: F401  # these two imports only find out what is missing
    import pettingzoo  # noqa: F401  # as above
except ImportError as error:
    raise ImportError(
        f'coffeerush.rl needs {error.name}; install it with: pip install "coffeerush[rl]"',
        name=error.name,
    ) from error

from . import coffee_rush_v0 as coffee_rush_v0
from .actions import ACTIONS as ACTIONS, action_mask as action_mask
from .observation import FIELDS as FIELDS, SIZE as SIZE, observe as observe
from .vector import VectorGames as VectorGames, VectorStep as VectorStep
