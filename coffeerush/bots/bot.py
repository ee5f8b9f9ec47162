"""The interface of bots: choose one of the options of a View."""

from random import Random
from typing import Protocol

from protocol import Intent, Option, View


class Bot(Protocol):
    """A bot; its class takes no arguments, and is instantiated once per seat and game."""

    def choose(self, view: View, chance: Random) -> Intent:
        """Return the intent of one of `view.own.options`.

        Args:
            view: what the seat may know; `view.own.options` is never empty here.
            chance: the only randomness to use, so that games are reproducible.
        """
        ...


def options_of(view: View) -> tuple[Option, ...]:
    """Return the options of the View's owner; empty for a spectator."""
    return view.own.options if view.own else ()
