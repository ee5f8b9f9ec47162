"""Plain mode without its terminal: typed lines and new models in, sentences and wishes out.

A line may hold several deeds. An intent of theirs waits until the one before it is answered, and
is looked up in the options of that moment; when one is refused, the rest of the line is dropped.
"""

from collections import deque

from msgspec import Struct

from coffeerush.client.commands import Deed, context_of, parse
from coffeerush.client.deeds import GAME, Found, Hand
from coffeerush.client.digest import tellable
from coffeerush.client.model import Model, Wish
from coffeerush.client.plain_words import Lines, upgrade_help_lines
from coffeerush.client.prompts import prompt_lines
from coffeerush.client.table_deeds import INFO, TABLE
from coffeerush.client.table_words import lobby_lines, result_lines, waiting_lines
from coffeerush.client.words import event_line, refusal_line, status_line
from coffeerush.i18n import _
from protocol import GetView, Hello, ReturnRest, Sync, TableView, TurnStarted, TurnTimedOut

FIRST_EVENTS = 5
"""Events told to somebody who comes to a table that is there already."""


class Reply(Struct, frozen=True):
    """What to print, and what to ask the host for."""

    lines: Lines = ()
    wishes: tuple[Wish, ...] = ()


class Session:
    """One person in plain mode."""

    def __init__(self, starting: bool = False) -> None:
        self._starting = starting
        """Whether the first game begins by itself, so that its lobby is nothing to tell."""
        self._queue: deque[Deed] = deque()
        self._hand = Hand()
        self._model: Model | None = None
        self._prompted: object = None
        self._table: TableView | None = None

    @property
    def busy(self) -> bool:
        """Whether something typed is still to be done."""
        pending = self._model.pending if self._model else ()
        asked = any(not isinstance(one, Hello | Sync | GetView) for one in pending)
        return asked or bool(self._queue)

    def line(self, model: Model, text: str) -> Reply:
        """Take in a line that was typed; an empty one tells again what can be done."""
        parsed = parse(text, context_of(model))
        if parsed.problem:
            return Reply((parsed.problem,))
        if not parsed.deeds:
            self._prompted = None
            if not self._queue and not model.my_turn:
                return Reply(waiting_lines(model))
        self._queue.extend(parsed.deeds)
        done = self._go_on(model)
        return Reply((*parsed.told, *done.lines), done.wishes)

    def changed(self, model: Model) -> Reply:
        """Take in the next model."""
        before, self._model = self._model, model
        lines = [*_status(before, model), *_news(before, model)]
        if model.refusal is not None and (before is None or before.refusal is not model.refusal):
            self._queue.clear()
            lines.append(refusal_line(model.refusal))
        if model.status == "over":
            # other ends come with an event or an error, which says so
            return Reply((*lines, status_line(model)) if model.ending == "left" else tuple(lines))
        lines += self._stage(model)
        done = self._go_on(model)
        return Reply((*lines, *done.lines), done.wishes)

    def _go_on(self, model: Model) -> Reply:
        """Do what is next in line, and say what can be done once nothing is."""
        lines: list[str] = []
        while self._queue:
            found = self._do(model, self._queue[0])
            if found is None:
                break
            lines += found.lines
            if found.problem:
                self._queue.clear()
            elif not found.again:
                self._queue.popleft()
            if found.wish is not None:
                return Reply(tuple(lines), (found.wish,))
        if self._queue or not model.can_act or model.view is None or model.view.own is None:
            return Reply(tuple(lines))
        if _stands_in(model):
            return Reply(tuple(lines))
        self._hand.look(model.view, model.view.own)
        if self._hand.all_aside(model.view.own):
            return Reply(tuple(lines), (ReturnRest(),))
        return Reply((*lines, *self._prompt(model)))

    def _do(self, model: Model, deed: Deed) -> Found | None:
        """Return what a deed comes to now; None if it has to wait for the host."""
        if deed.word in INFO:
            return Found(lines=INFO[deed.word](model))
        if deed.word in TABLE:
            return TABLE[deed.word](model, deed)
        if deed.word == "upgrade" and not deed.text and model.view is not None:
            return Found(lines=upgrade_help_lines(model, model.view))
        if not model.my_turn or _stands_in(model):
            return Found(problem=True, lines=(_not_now(model),))
        if not model.can_act or model.view is None or model.view.own is None:
            return None
        self._hand.look(model.view, model.view.own)
        return GAME[deed.word](self._hand, model, model.view, model.view.own, deed)

    def _prompt(self, model: Model) -> Lines:
        """Return what can be done now, once for each position."""
        view = model.view
        assert view is not None  # _go_on has looked
        assert view.own is not None
        token = self._hand.next_token(view, view.own)
        meeple = self._hand.meeple_of(view)
        position = (model.epoch, model.game, model.rev, token, meeple)
        if position == self._prompted:
            return ()
        self._prompted = position
        return prompt_lines(model, view, view.own, meeple, token)

    def _stage(self, model: Model) -> Lines:
        """Return the lobby or the result, when it is another one than was told."""
        table, before = model.table, self._table
        if table is None or table.stage == "game":
            self._table = table
            return ()
        self._table = table
        if before and before.stage == table.stage:
            return lobby_lines(model, before)
        if table.stage == "lobby" or model.view is None:
            return () if self._starting else lobby_lines(model)
        return result_lines(model, model.view)


def _status(before: Model | None, model: Model) -> Lines:
    was = before.status if before else "joining"
    if was == model.status or model.status == "over":
        return ()
    if was == "lost":
        return (_("The connection is back."),)
    if model.status == "here":
        return (_welcome(model),)
    return (status_line(model),)


def _welcome(model: Model) -> str:
    if model.seat is None:
        return _("You look on as {name}; type help for the words.").format(name=model.name)
    return _("You sit at the table as {name}; type help for the words.").format(name=model.name)


def _news(before: Model | None, model: Model) -> Lines:
    """Return the events that were not told yet."""
    fresh = model.history.total - (before.history.total if before else 0)
    if before is None or before.table is None:
        fresh = min(fresh, FIRST_EVENTS)
    return tuple(
        event_line(event, model)
        for event in tellable(model, fresh)
        if not isinstance(event, TurnStarted) or event.seat != model.seat  # its prompt says so
    )


def _stands_in(model: Model) -> bool:
    """Tell whether a bot finishes the own turn, for its time is up."""
    for event in reversed(model.log):
        seat = getattr(event, "seat", None)
        if isinstance(event, TurnTimedOut) and seat == model.seat:
            return True
        if isinstance(event, TurnStarted) or (seat is not None and seat != model.seat):
            return False
    return False


def _not_now(model: Model) -> str:
    if model.table is None or model.table.stage != "game":
        return _("No game is on at the moment.")
    if model.my_turn:
        return _("Your time is up; a bot finishes your turn.")
    return _("It is not your turn; wait until it is.")
