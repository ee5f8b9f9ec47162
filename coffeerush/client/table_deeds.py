"""Words of plain mode that are for any time: what is shown, and what is said to the table."""

from collections.abc import Callable
from typing import Final

from coffeerush.client.commands import Deed
from coffeerush.client.deeds import Found
from coffeerush.client.model import Model
from coffeerush.client.plain_words import (
    Lines,
    board_lines,
    cup_lines,
    log_lines,
    menu_lines,
    order_lines,
    player_lines,
    supply_lines,
)
from coffeerush.client.table_words import lobby_lines
from coffeerush.client.words import item_list
from coffeerush.i18n import N_, _
from protocol import (
    NO_ID,
    AddBot,
    Bye,
    Chat,
    Ready,
    Remove,
    Rename,
    Start,
    TableView,
    View,
    clean_chat,
    clean_name,
)

_HELP: Final = (
    N_("Every word may be cut to its first letters, and a line may hold several."),
    N_("An empty line: hear again what you can do."),
    N_("up, down, left, right: step; with the diagonal upgrade also up-left and so on."),
    N_("The first three steps are free; each one more costs a rush token."),
    N_("1, 2 or 3: pour the next ingredient in hand into that cup; 0 gives it back; rest: all."),
    N_("serve 1: serve what is in cup 1; serve 1 3: for the order in slot 3."),
    N_("empty 2: empty cup 2. undo: take one back. undo all: the whole turn. end: end the turn."),
    N_("upgrade: hear what they do; upgrade corners: activate one."),
    N_("other: the other meeple. place 2 3: place a meeple on row 2, column 3."),
    N_("orders, cups, board, players, supply, menu, log: hear how things stand."),
    N_("say TEXT: talk to the table. name NEW: be called something else. leave: leave the table."),
    N_("Before a game: ready, unready, start, bot greedy 3, remove 2."),
)


def _about_game(tell: Callable[[Model, View], Lines]) -> Callable[[Model], Lines]:
    def told(model: Model) -> Lines:
        return tell(model, model.view) if model.view else lobby_lines(model)

    return told


def _players(model: Model) -> Lines:
    playing = model.view is not None and model.table is not None and model.table.stage == "game"
    return player_lines(model, model.view) if playing and model.view else lobby_lines(model)


def _help(model: Model) -> Lines:
    return tuple(_(line) for line in _HELP)


INFO: Final[dict[str, Callable[[Model], Lines]]] = {
    "orders": _about_game(order_lines),
    "cups": _about_game(lambda model, view: cup_lines(view.own)),
    "board": _about_game(board_lines),
    "menu": _about_game(lambda model, view: menu_lines(view)),
    "supply": _about_game(lambda model, view: supply_lines(view)),
    "players": _players,
    "log": log_lines,
    "help": _help,
}
"""Words that are answered at once, from what is known."""


def _say(model: Model, deed: Deed) -> Found:
    text = clean_chat(deed.text)
    return Found(wish=Chat(NO_ID, text)) if text else _no(_("Type say and what you want to say."))


def _name(model: Model, deed: Deed) -> Found:
    name = clean_name(deed.text)
    return Found(wish=Rename(NO_ID, name)) if name else _no(_("Type name and your new name."))


def _ready(model: Model, deed: Deed) -> Found:
    return Found(wish=Ready(NO_ID, deed.word == "ready"))


def _start(model: Model, deed: Deed) -> Found:
    return Found(wish=Start(NO_ID))


def _bot(model: Model, deed: Deed) -> Found:
    table = model.table
    if table is None:
        return _no(_("You are not at the table yet."))
    kinds = [kind for kind in table.bots if kind.casefold().startswith(deed.text or "greedy")]
    seat = deed.numbers[0] - 1 if deed.numbers else _open_seat(table)
    if len(kinds) != 1:
        text = _("Type bot, a kind and a seat, as in bot greedy 3; the kinds are {kinds}.")
        return _no(text.format(kinds=item_list(table.bots)))
    if not 0 <= seat < len(table.seats):
        return _no(_("No such seat is open."))
    return Found(wish=AddBot(NO_ID, seat, kinds[0]))


def _open_seat(table: TableView) -> int:
    found = (number for number, seat in enumerate(table.seats) if seat.status == "open")
    return next(found, -1)


def _remove(model: Model, deed: Deed) -> Found:
    if model.table is None or not 1 <= (deed.numbers or (0,))[0] <= len(model.table.seats):
        return _no(_("Type remove and the number of a seat, as in remove 2."))
    return Found(wish=Remove(NO_ID, deed.numbers[0] - 1))


def _leave(model: Model, deed: Deed) -> Found:
    return Found(wish=Bye(NO_ID))


def _no(line: str) -> Found:
    return Found((line,), problem=True)


TABLE: Final[dict[str, Callable[[Model, Deed], Found]]] = {
    "say": _say,
    "name": _name,
    "ready": _ready,
    "unready": _ready,
    "start": _start,
    "bot": _bot,
    "remove": _remove,
    "leave": _leave,
}
"""Words that the host answers at any time."""
