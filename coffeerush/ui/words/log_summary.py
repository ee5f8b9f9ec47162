"""The log summarized: related events become one sentence.

Another player's turn is one sentence; the reader's turn has one sentence per run of actions of
one kind. Undone actions are left out. Plain mode, which reports things as they happen, has one
sentence per event instead.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain, groupby
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
from .i18n import _, language, ngettext
from .names import (
    and_list,
    counted,
    counts_line,
    counts_phrase,
    ingredient_name,
    seat_name,
    tokens,
    upgrade_name,
)

TurnEvent: TypeAlias = UpgradeActivated | Stepped | CupEmptied | Poured | RestReturned | OrderServed
"""The event of one intent, which one undo reverts."""
ACTIONS: Final = (UpgradeActivated, Stepped, CupEmptied, Poured, RestReturned, OrderServed)
"""The classes of these events."""


def digest(model: Model) -> list[Said | str]:
    """Return the log, oldest first: sentences, and chat messages unchanged."""
    told = Model(
        *(model.role, model.name),
        seat=model.seat,
        table=model.table,
        dealt=model.dealt,
        view=model.view,
        history=model.history,
    )
    return [*_digest(told, language())]


@lru_cache(maxsize=32)  # each frame asks again, of each guest on a gateway
def _digest(model: Model, _language: str) -> list[Said | str]:
    """Return the log from those fields of a model that it depends on."""
    lines: list[Said | str] = []
    for (kind, seat), group in groupby(_worth_telling(model), _group_of):
        events = list(group)
        if kind == "said":
            lines += [one for one in events if isinstance(one, Said)]
        elif kind == "actions" and seat is not None:
            lines += _turn(model, seat, [one for one in events if isinstance(one, ACTIONS)])
        elif kind == "end":
            lines.append(" ".join(event_line(one, model) for one in events))
        else:
            lines += [event_line(one, model) for one in events]
    return lines


def _group_of(event: Event) -> tuple[str, Seat | None]:
    if isinstance(event, ACTIONS):
        return "actions", event.seat
    if isinstance(event, PenaltiesTaken) or (
        isinstance(event, OrdersDrawn) and event.reason != "deal"
    ):
        return "end", None
    return ("said" if isinstance(event, Said) else "other"), None


def _worth_telling(model: Model) -> Iterator[Event]:
    """Yield events worth a line; of turn starts, only the reader's and the first of each round."""
    round_ = 0
    for event in without_undone(tellable(model)):
        if isinstance(event, TurnStarted):
            known, round_ = event.round == round_, event.round
            if known and event.seat != model.played:
                continue
        yield event


def without_undone(log: Iterable[Event]) -> list[Event]:
    """Return events without undone ones, and without the undos."""
    found: list[Event] = []
    for event in log:
        if not isinstance(event, IntentUndone):
            found.append(event)
        elif (last := _last_action(found, event.seat)) is not None:
            del found[last]
    return found


def _last_action(events: list[Event], seat: Seat) -> int | None:
    """Return the index of the seat's last action, if it belongs to the current turn."""
    for index in range(len(events) - 1, -1, -1):
        event = events[index]
        if isinstance(event, ACTIONS):
            return index if event.seat == seat else None
        if isinstance(event, TurnStarted):
            return None
    return None


def _turn(model: Model, seat: Seat, actions: list[TurnEvent]) -> list[str]:
    runs = [list(run) for _kind, run in groupby(actions, type)]
    if seat == model.played:
        return [_own(model, run) for run in runs]
    parts = _("; ").join(other_deeds(model, run) for run in runs)
    return [_("{name} {deeds}.").format(name=seat_name(model, seat), deeds=parts)]


def _own(model: Model, run: list[TurnEvent]) -> str:
    """Return a sentence about the reader's actions of one kind."""
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
    return " ".join(event_line(action, model) for action in run)


def other_deeds(model: Model, run: list[TurnEvent]) -> str:
    """Return the predicate for another player's actions of one kind; the name goes before it."""
    match run[0]:
        case Stepped():
            text = _("takes {gains}, for {rush}") if _spent(run) else _("takes {gains}")
            return text.format(gains=_gains(run), rush=tokens(_spent(run)))
        case Poured():
            count = len(run)
            text = ngettext("pours {count} ingredient", "pours {count} ingredients", count)
            return text.format(count=count)
        case RestReturned(returned=returned):
            return _("gives {returned} back").format(returned=counts_phrase(returned))
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
    gains = (counted(step.gain) for step in run if isinstance(step, Stepped))
    return and_list(chain.from_iterable(gains))


def _spent(run: list[TurnEvent]) -> int:
    return sum(step.rush_spent for step in run if isinstance(step, Stepped))


def _pours(run: list[TurnEvent]) -> str:
    """Return the reader's pours; those a bot made for them are counted, not named."""
    known = [
        _("{ingredient} into cup {cup}").format(
            ingredient=ingredient_name(pour.ingredient), cup=pour.cup
        )
        for pour in run
        if isinstance(pour, Poured) and pour.ingredient is not None
    ]
    hidden = len(run) - len(known)
    text = ngettext("{count} ingredient", "{count} ingredients", hidden).format(count=hidden)
    return and_list([*known, *([text] if hidden else [])])


def _served(model: Model, run: list[TurnEvent]) -> str:
    return drink_names(model, tuple(one.drink for one in run if isinstance(one, OrderServed)))


def _earned(run: list[TurnEvent]) -> int:
    return sum(one.rush_gained for one in run if isinstance(one, OrderServed))
