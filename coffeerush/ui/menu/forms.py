"""The forms of the start menu: play against bots, and host a table on the LAN."""

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from msgspec.structs import replace

from coffeerush.levels import LEVELS, kind_now
from coffeerush.local.settings import Settings
from coffeerush.ui.words.i18n import _, ngettext, pgettext
from coffeerush.ui.words.names import bot_level
from protocol import MAX_PLAYERS, MIN_PLAYERS

from .state import Errand, Home, Host, Line, Play

FIRST_BOTS: Final = ("casual", "casual")
"""The bots of a first game: with three players, each has one meeple only."""
TURN_SECONDS: Final = (0, 30, 60, 90, 120, 180, 300)
Value = TypeVar("Value")


def play_lines(home: Home) -> tuple[Line, ...]:
    """Return the form to play against bots."""
    own = home.settings
    bots = own.opponents or FIRST_BOTS
    return _form(
        Play(bots, own.starters, own.solo_seconds),
        Line(_("Start the game")),
        Line(
            _("Bots"),
            str(len(bots)),
            change=lambda by: replace(
                own, opponents=_resized(bots, _moved(range(1, MAX_PLAYERS), len(bots), by))
            ),
        ),
        *_bot_lines(bots, lambda number, kind: replace(own, opponents=_put(bots, number, kind))),
        *_common(own, own.solo_seconds, lambda seconds: replace(own, solo_seconds=seconds)),
    )


def host_lines(home: Home) -> tuple[Line, ...]:
    """Return the form to host a table on the LAN."""
    own = home.settings
    bots = own.seated[: own.seats - 1]
    return _form(
        Host(own.table, own.seats, bots, own.starters, own.turn_seconds, own.open, own.guests),
        Line(_("Open the table")),
        Line(
            _("Name of the table"),
            own.table,
            _("The name that others see. If left empty: “Coffee Rush”."),
            typed="table",
        ),
        Line(
            _("How to join"),
            pgettext("table", "without a code") if own.open else pgettext("table", "with the code"),
            _("Anybody who can reach this computer over the network can join.")
            if own.open
            else _("Your screen will show the code: three words to tell your friends."),
            change=lambda by: replace(own, open=not own.open),
        ),
        Line(
            _("Seats"),
            str(own.seats),
            change=lambda by: replace(
                own, seats=_moved(range(MIN_PLAYERS, MAX_PLAYERS + 1), own.seats, by)
            ),
        ),
        Line(
            _("Bots"),
            str(len(bots)),
            _("You can also add bots later, at the table."),
            change=lambda by: replace(
                own, seated=_resized(bots, _moved(range(own.seats), len(bots), by))
            ),
        ),
        *_bot_lines(bots, lambda number, kind: replace(own, seated=_put(bots, number, kind))),
        *_common(own, own.turn_seconds, lambda seconds: replace(own, turn_seconds=seconds)),
        Line(
            _("Guests"),
            pgettext("setting", "on") if own.guests else pgettext("setting", "off"),
            _("Whether others can also join with a browser or ssh, with nothing to install."),
            change=lambda by: replace(own, guests=not own.guests),
        ),
    )


def _form(start: Errand, *lines: Line) -> tuple[Line, ...]:
    """Let Enter do the form's errand on each of its lines but a text field, which it ends."""
    return tuple(line if line.typed else replace(line, errand=start) for line in lines)


def _bot_lines(bots: tuple[str, ...], put: Callable[[int, str], Settings]) -> list[Line]:
    """Return one line per bot, to choose its level."""

    def change(number: int) -> Callable[[int], Settings]:
        return lambda by: put(number, _moved(LEVELS, kind_now(bots[number]), by))

    return [
        Line(_("Bot {number}").format(number=number + 1), bot_level(kind), change=change(number))
        for number, kind in enumerate(bots)
    ]


def _common(own: Settings, seconds: int, clocked: Callable[[int], Settings]) -> tuple[Line, ...]:
    """Return the lines of both forms; `clocked` sets the turn clock, which has these `seconds`."""
    return (
        Line(
            _("Starter orders"),
            pgettext("setting", "on") if own.starters else pgettext("setting", "off"),
            _("Each player begins with one of the four easy orders."),
            change=lambda by: replace(own, starters=not own.starters),
        ),
        Line(
            _("Time per turn"),
            _seconds(seconds),
            _("If there is a limit, a bot finishes turns that take longer."),
            change=lambda by: clocked(_moved(TURN_SECONDS, seconds, by)),
        ),
    )


def _seconds(count: int) -> str:
    if not count:
        return pgettext("time", "no limit")
    return ngettext("{count} second", "{count} seconds", count).format(count=count)


def _moved(values: Sequence[Value], now: Value, by: int) -> Value:
    """Advance by `by` values, wrapping around; an unknown value counts as before the first."""
    at = values.index(now) if now in values else -1
    return values[(at + by) % len(values)]


def _resized(bots: tuple[str, ...], count: int) -> tuple[str, ...]:
    """Return `count` bots; added ones are like the last."""
    return (bots + (bots[-1:] or ("regular",)) * count)[:count]


def _put(bots: tuple[str, ...], number: int, kind: str) -> tuple[str, ...]:
    return (*bots[:number], kind, *bots[number + 1 :])
