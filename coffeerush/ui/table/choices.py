"""What is picked by a key: a cup to empty, an order to serve, an upgrade, a bot, whom to remove."""

from collections.abc import Callable
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.client.model import Wish
from coffeerush.ui.words import status
from coffeerush.ui.words.i18n import _
from protocol import (
    COMPLETED_PER_UPGRADE,
    NO_ID,
    ActivateUpgrade,
    AddBot,
    EmptyCup,
    EndTurn,
    Ready,
    Remove,
    RemoveSpectator,
    Seat,
    Serve,
    Upgrade,
)

from .scene import Scene


class Choice(Struct, frozen=True):
    """A line of a choice, and the key that picks it; without a wish it can only be read."""

    key: str
    text: str
    wish: Wish | None = None


class ChoiceBox(Struct, frozen=True):
    """What is open: a question and its answers."""

    title: str
    choices: tuple[Choice, ...]
    remark: str = ""


def menu_of(scene: Scene) -> ChoiceBox | None:
    """Return the choice that is open, if one is."""
    make = _MENUS.get(scene.ui.mode)
    if make is None:
        return None
    if scene.ui.mode in _OF_A_GAME:
        return make(scene) if scene.stage in ("game", "result") and _plays(scene) else None
    if scene.ui.mode == "seats":
        return make(scene) if scene.model.owner else None
    return make(scene) if scene.stage == "lobby" else None


def _plays(scene: Scene) -> bool:
    """Tell whether the own seat is one of the game: at its result somebody may be new."""
    return scene.me in range(len(scene.view.players))


def _upgrades(scene: Scene) -> ChoiceBox:
    me = scene.me or 0
    active = scene.player(me).upgrades
    lines = []
    for number, upgrade in enumerate(Upgrade, start=1):
        name, does = status.upgrade_name(upgrade), status.upgrade_help(upgrade)
        text = _("{upgrade}, active: {what}") if active[upgrade] else _("{upgrade}: {what}")
        wish = ActivateUpgrade(upgrade) if upgrade in scene.upgrades else None
        said = text.format(upgrade=status.sentence_case(name), what=does)
        lines.append(Choice(str(number), said, wish))
    remark = _(
        "One a turn, before the first step. It costs {needs} completed orders; you have {have}."
    )
    have = scene.player(me).completed
    return ChoiceBox(
        _("Upgrades"), tuple(lines), remark.format(needs=COMPLETED_PER_UPGRADE, have=have)
    )


def _empty(scene: Scene) -> ChoiceBox:
    cups = scene.own.cups if scene.own else ()
    lines = []
    for number, contents in enumerate(cups, start=1):
        wish = EmptyCup(number) if number in scene.emptyable else None
        lines.append(Choice(str(number), status.counts_line(contents), wish))
    return ChoiceBox(
        _("Empty which cup?"), tuple(lines), _("Its ingredients go back to the supply.")
    )


def _serve(scene: Scene) -> ChoiceBox:
    lines = []
    for number, option in enumerate(scene.serves[:9], start=1):
        assert isinstance(option.intent, Serve)
        assert option.order is not None, "a serve names its order"
        text = _("{drink} in slot {slot}, with cup {cup}").format(
            drink=status.drink_name(scene.model, option.order),
            slot=option.intent.slot,
            cup=option.intent.cup,
        )
        lines.append(Choice(str(number), text, option.intent))
    if scene.can_end:
        lines.append(Choice("0", _("none: end the turn"), EndTurn()))
    return ChoiceBox(_("Serve which order?"), tuple(lines))


def _bots(scene: Scene) -> ChoiceBox:
    seat = open_seat(scene)
    lines = [
        Choice(str(number), bot, None if seat is None else AddBot(NO_ID, seat, bot))
        for number, bot in enumerate(scene.table.bots[:9], start=1)
    ]
    return ChoiceBox(_("Seat which bot?"), tuple(lines))


def _seats(scene: Scene) -> ChoiceBox:
    return ChoiceBox(_("Remove whom?"), tuple(removals(scene)))


def open_seat(scene: Scene) -> int | None:
    """Return the first open seat that no bot was requested for."""
    requested = [one.seat for one in scene.model.pending if isinstance(one, AddBot)]
    seats = enumerate(scene.seats)
    return next((n for n, seat in seats if seat.status == "open" and n not in requested), None)


def is_ready(scene: Scene, seat: Seat) -> bool:
    """Tell whether this client's seat is ready, or will be once the host has answered."""
    requested = [one.ready for one in scene.model.pending if isinstance(one, Ready)]
    return requested[-1] if requested else scene.seats[seat].ready


def removals(scene: Scene) -> list[Choice]:
    """Return whom the owner can remove: those on seats by their digits, the others by letters.

    Whoever is being removed already is left out: the next request could meet somebody else there.

    In a game digits are for pouring, and one that went astray is not to send somebody away: there
    the letter of a seat is that of its meeple.
    """
    game = scene.stage == "game"
    taken = {letter.lower() for letter in scene.letters} if game else set()
    letters = iter([letter for letter in _LETTERS if letter not in taken])

    def key(seat: Seat) -> str:
        if not game:
            return str(seat + 1)
        letter = scene.letter(seat).lower()
        return letter if letter in _LETTERS else next(letters)

    choices = [
        Choice(key(number), seat.name, Remove(NO_ID, number))
        for number, seat in enumerate(scene.seats)
        if number != scene.me and seat.status in (("person",) if game else ("person", "bot"))
    ]
    own = scene.model.name if scene.me is None else ""
    choices += [
        Choice(letter, name, RemoveSpectator(NO_ID, name))
        for name, letter in zip(scene.table.spectators, letters, strict=False)
        if name != own
    ]
    requested = [replace(one, id=NO_ID) for one in scene.model.pending]
    return [choice for choice in choices if choice.wish not in requested]


_LETTERS: Final = "abcdefghijklmnoprstuvwyz"
"""None that closes a choice or leaves the table; more than there are people at one."""
_OF_A_GAME: Final = ("upgrades", "empty", "serve")
_MENUS: Final[dict[str, Callable[[Scene], ChoiceBox]]] = {
    "upgrades": _upgrades,
    "empty": _empty,
    "serve": _serve,
    "bots": _bots,
    "seats": _seats,
}
