"""The log as a person reads it in a few lines: what belongs together in one sentence.

A turn of somebody else is one sentence, an own one a sentence for each kind of deed; what was
taken back is not told at all. Plain mode, which says things as they happen, tells each event.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Final, TypeAlias

from coffeerush.client.model import Model, tellable
from protocol import (
    CupEmptied,
    Event,
    IntentUndone,
    OrdersDrawn,
    OrderServed,
    PenaltiesTaken,
    Poured,
    RestReturned,
    Said,
    Seat,
    Stepped,
    TurnStarted,
    UpgradeActivated,
)

from .events import drink_names, event_line
from .i18n import _, ngettext
from .names import counts_line, ingredient_name, item_list, seat_name, tokens, upgrade_name

TurnEvent: TypeAlias = UpgradeActivated | Stepped | CupEmptied | Poured | RestReturned | OrderServed
"""What one intent comes to, and one undo takes back."""
_DEEDS: Final = (UpgradeActivated, Stepped, CupEmptied, Poured, RestReturned, OrderServed)


def digest(model: Model) -> list[Said | str]:
    """Return the log, oldest first: sentences, and as they are what people said."""
    lines: list[Said | str] = []
    for (kind, seat), group in groupby(_told(model), _belonging):
        events = list(group)
        if kind == "said":
            lines += [one for one in events if isinstance(one, Said)]
        elif kind == "deeds" and seat is not None:
            lines += _turn(model, seat, [one for one in events if isinstance(one, _DEEDS)])
        elif kind == "end":
            lines.append(" ".join(event_line(one, model) for one in events))
        else:
            lines += [event_line(one, model) for one in events]
    return lines


def _belonging(event: Event) -> tuple[str, Seat | None]:
    if isinstance(event, _DEEDS):
        return "deeds", event.seat
    if isinstance(event, PenaltiesTaken) or (
        isinstance(event, OrdersDrawn) and event.reason != "deal"
    ):
        return "end", None
    return ("said" if isinstance(event, Said) else "other"), None


def _told(model: Model) -> Iterator[Event]:
    """Yield what is worth a line: of turns, the own ones and the first of each round."""
    round_ = 0
    for event in _settled(tellable(model)):
        if isinstance(event, TurnStarted):
            known, round_ = event.round == round_, event.round
            if known and event.seat != model.seat:
                continue
        yield event


def _settled(log: Iterable[Event]) -> list[Event]:
    """Return the events without those that were taken back."""
    found: list[Event] = []
    for event in log:
        if not isinstance(event, IntentUndone):
            found.append(event)
        elif (last := _last_deed(found, event.seat)) is not None:
            del found[last]
    return found


def _last_deed(events: list[Event], seat: Seat) -> int | None:
    """Return where the last deed of a seat stands, if it is of the turn that is on."""
    for index in range(len(events) - 1, -1, -1):
        event = events[index]
        if isinstance(event, _DEEDS):
            return index if event.seat == seat else None
        if isinstance(event, TurnStarted):
            return None
    return None


def _turn(model: Model, seat: Seat, deeds: list[TurnEvent]) -> list[str]:
    runs = [list(run) for _kind, run in groupby(deeds, type)]
    if seat == model.seat:
        return [_own(model, run) for run in runs]
    parts = _("; ").join(_other(model, run) for run in runs)
    return [_("{name} {deeds}.").format(name=seat_name(model, seat), deeds=parts)]


def _own(model: Model, run: list[TurnEvent]) -> str:
    """Return a sentence on own deeds of one kind."""
    match run[0]:
        case Stepped():
            text = _("You take {gains}, for {rush}.") if _spent(run) else _("You take {gains}.")
            return text.format(gains=_gains(run), rush=tokens(_spent(run)))
        case Poured():
            return _("You pour {pours}.").format(pours=_pours(run))
        case OrderServed():
            text = _("You serve {drinks} and earn {rush}.")
            text = text if _earned(run) else _("You serve {drinks}.")
            return text.format(drinks=_served(model, run), rush=tokens(_earned(run)))
    return " ".join(event_line(deed, model) for deed in run)


def _other(model: Model, run: list[TurnEvent]) -> str:
    """Return what is said of another's deeds of one kind, after the name."""
    match run[0]:
        case Stepped():
            text = _("takes {gains}, for {rush}") if _spent(run) else _("takes {gains}")
            return text.format(gains=_gains(run), rush=tokens(_spent(run)))
        case Poured():
            count = len(run)
            text = ngettext("pours {count} ingredient", "pours {count} ingredients", count)
            return text.format(count=count)
        case RestReturned(returned=returned):
            return _("gives {returned} back").format(returned=counts_line(returned))
        case OrderServed():
            text = _("serves {drinks} and earns {rush}")
            text = text if _earned(run) else _("serves {drinks}")
            return text.format(drinks=_served(model, run), rush=tokens(_earned(run)))
        case UpgradeActivated(upgrade=upgrade):
            return _("activates {upgrade}").format(upgrade=upgrade_name(upgrade))
    emptied = [counts_line(one.returned) for one in run if isinstance(one, CupEmptied)]
    text = ngettext("empties a cup ({returned})", "empties {count} cups ({returned})", len(emptied))
    return text.format(count=len(emptied), returned=_("; ").join(emptied))


def _gains(run: list[TurnEvent]) -> str:
    return item_list(counts_line(step.gain) for step in run if isinstance(step, Stepped))


def _spent(run: list[TurnEvent]) -> int:
    return sum(step.rush_spent for step in run if isinstance(step, Stepped))


def _pours(run: list[TurnEvent]) -> str:
    """Return own pours, as far as they are known: a bot may have poured for this person."""
    known = [
        _("{ingredient} into cup {cup}").format(
            ingredient=ingredient_name(pour.ingredient), cup=pour.cup
        )
        for pour in run
        if isinstance(pour, Poured) and pour.ingredient is not None
    ]
    hidden = len(run) - len(known)
    text = ngettext("{count} ingredient", "{count} ingredients", hidden).format(count=hidden)
    return item_list([*known, *([text] if hidden else [])])


def _served(model: Model, run: list[TurnEvent]) -> str:
    return drink_names(model, tuple(one.drink for one in run if isinstance(one, OrderServed)))


def _earned(run: list[TurnEvent]) -> int:
    return sum(one.rush_gained for one in run if isinstance(one, OrderServed))
