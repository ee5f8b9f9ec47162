"""Intents: the moves that a seat can submit, one class each. On the wire: a map with a `type`."""

from typing import TypeAlias

from msgspec import Struct

from .terms import Cell, Cup, Ingredient, Meeple, Slot, Upgrade


class _Intent(Struct, frozen=True, tag_field="type", forbid_unknown_fields=True):
    """Base of the intents."""


class PlaceMeeple(_Intent, tag="place_meeple", frozen=True):
    """Place the seat's next meeple on a free cell (R-SETUP-3, R-SETUP-4)."""

    cell: Cell


class ActivateUpgrade(_Intent, tag="activate_upgrade", frozen=True):
    """Discard three completed orders and activate an upgrade (R-UPG-1)."""

    upgrade: Upgrade


class Step(_Intent, tag="step", frozen=True):
    """Move a meeple to an adjacent cell and take its ingredient (R-MOVE-1 to R-MOVE-5)."""

    meeple: Meeple
    cell: Cell


class EmptyCup(_Intent, tag="empty_cup", frozen=True):
    """Return all tokens of a cup to the supply (R-POUR-3)."""

    cup: Cup


class Pour(_Intent, tag="pour", frozen=True):
    """Pour one token from the hand into a cup (R-POUR-1)."""

    ingredient: Ingredient
    cup: Cup


class ReturnRest(_Intent, tag="return_rest", frozen=True):
    """Return the tokens left in hand to the supply (R-POUR-1)."""


class Serve(_Intent, tag="serve", frozen=True):
    """Complete an order in a slot with a cup that matches it (R-SERVE-1)."""

    cup: Cup
    slot: Slot


class EndTurn(_Intent, tag="end_turn", frozen=True):
    """End the seat's turn (R-RUSH-1, R-TIME-1, R-END-1), or its filling (R-SETUP-5)."""


class Undo(_Intent, tag="undo", frozen=True):
    """Undo the seat's last intent of this turn."""


Intent: TypeAlias = (
    PlaceMeeple | ActivateUpgrade | Step | EmptyCup | Pour | ReturnRest | Serve | EndTurn | Undo
)
