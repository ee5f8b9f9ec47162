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
from .coffee_rush_v0 import VectorGames as VectorGames, VectorStep as VectorStep
from .observation import (
    ACTIONS as ACTIONS,
    FIELDS as FIELDS,
    SIZE as SIZE,
    action_mask as action_mask,
    observe as observe,
)
