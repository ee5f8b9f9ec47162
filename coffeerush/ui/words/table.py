"""The table in sentences: how others join, the lobby, the player to wait for, the result."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from msgspec.structs import replace

from coffeerush.client.handover import asks, hands_over, standbys
from coffeerush.client.model import UNINVITED, Invitation, Model, has_company, has_room
from coffeerush.client.tournament import meeting_table, tables_of_round
from coffeerush.joining.code import join_command, spoken_code
from protocol import (
    HALL,
    MIN_PLAYERS,
    Asker,
    HandoverFault,
    Name,
    Phase,
    Refusal,
    Rotation,
    Seat,
    Standing,
    TableSummary,
    TableView,
    View,
    clean_line,
)

from .awards import award_text, awards
from .command_words import said
from .errors import error_line, refusal_line
from .i18n import Lines, _, language, ngettext, pgettext
from .names import (
    and_list,
    bot_level,
    item_list,
    name_or_you,
    orders,
    penalties,
    phase_name,
    rotation_name,
    seat_letters,
    seat_name,
    seat_name_and_level,
    seat_player,
    seconds_line,
    sentence_case,
    tokens,
    upgrades,
)
from .tournament import resting_line, tournament_line

# How others join: addresses, commands, code


_EXAMPLE: Final = "apple-tiger-moon"


def join_commands(invitation: Invitation) -> Lines:
    """Return the command that others type, for each address, with the code of `code_line`."""
    return tuple(
        join_command(address, invitation.code, language()) for address in invitation.addresses
    )


def join_lines(invitation: Invitation) -> Lines:
    """Return the sentence with the command that others type, for each address."""
    text = _("Others join with: {command}")
    return tuple(text.format(command=command) for command in join_commands(invitation))


def code_line(code: str) -> str:
    """Return the code in the words of the current language, or a line that says there is none."""
    if not code:
        return _("No code is needed: anybody who can reach this address can join.")
    return _("Code: {code}").format(code=spoken_code(code, language()))


def code_help() -> str:
    """Return the description of a text field for a join code."""
    text = _(
        "Three words, such as {example}. The host's screen shows them; you can type "
        "them in any of this program's languages."
    )
    return text.format(example=spoken_code(_EXAMPLE, language()))


def guest_lines(invitation: Invitation) -> Lines:
    """Return the ways to join for guests who do not have this program; () if there are none."""
    if invitation.no_guests:
        text = _("Guests without this program cannot join: {reason}")
        return (text.format(reason=clean_line(invitation.no_guests)),)
    if not invitation.ssh:
        return ()
    page = _("With a browser: {address}").format(address=invitation.page)
    return (
        *((page,) if invitation.page else ()),
        _("Without this program: {command}").format(command=invitation.ssh),
        _("The host key that ssh shows: {fingerprint}").format(fingerprint=invitation.fingerprint),
    )


def no_guests_line() -> str:
    """Return that guests who do not have this program cannot come, which can be changed."""
    return _("Guests with only a browser or ssh cannot join.")


def guests_come_line() -> str:
    """Return that guests who do not have this program can come, which can be changed."""
    return _("Guests with only a browser or ssh can join.")


def end_of_guests_line() -> str:
    """Return the question before guests who do not have this program are kept out again."""
    return _("Close the entrance for browser and ssh? Guests who came that way are disconnected.")


def guests_soon() -> str:
    """Return that they can come as soon as the gateway for them has started."""
    return _("Guests with only a browser or ssh can join in a moment.")


def asking_lines(invitation: Invitation, known: Invitation = UNINVITED) -> Lines:
    """Return the others who ask to join with a browser, each with the number to type there."""
    text = _("The number that guest {guest} ({name}) may type in the browser: {number}")
    return tuple(
        text.format(guest=asker[0], name=asker[1], number=asker[2])
        for asker in invitation.asking
        if asker not in known.asking
    )


def asker_line(asker: Asker) -> str:
    """Return who asks to come in."""
    text = _("Guest {guest} ({name}) wants to come in (browser).")
    return text.format(guest=asker.guest, name=asker.name)


def asker_lines(asker: Asker, number: str, key: str, other: str) -> Lines:
    """Return who asks to come in and the keys that answer; the wordings become shorter.

    `number` is the one that the guest may type instead; "" if this is not the host's own screen.
    """
    words = {"name": asker.name, "guest": asker.guest, "key": key, "other": other, "number": number}
    numbered = (
        _(
            "Guest {guest} ({name}) wants to come in (browser): “{key}” lets in, “{other}” turns "
            "away; or they type {number} there"
        ),
        _("Guest {guest} ({name}): “{key}” lets in, “{other}” turns away; or they type {number}"),
        _("Guest {guest} ({name}): “{key}” lets in; number {number}"),
    )
    texts = (
        *(numbered if number else ()),
        _(
            "Guest {guest} ({name}) wants to come in (browser): “{key}” lets in, "
            "“{other}” turns away"
        ),
        _("Guest {guest} ({name}): “{key}” lets in, “{other}” turns away"),
        _("Guest {guest} ({name}): “{key}” lets in"),
    )
    return tuple(text.format(**words) for text in texts)


FEW_ASKERS: Final = 3
"""More who ask at once are counted and not named: strangers may be many."""


def askers_told(model: Model) -> Lines:
    """Return whom this person may let in, with the words to type."""
    return tuple(map(_asker_told, model.asking))


def askers_news(model: Model, before: Model | None) -> Lines:
    """Return who has begun to ask this person to let them in; a crowd is one sentence."""
    heard = before.table if before and before.may_let_in else None
    known = heard.letting_in.asking if heard else ()
    new = [asker for asker in model.asking if asker not in known]
    if len(new) <= FEW_ASKERS:
        return tuple(map(_asker_told, new))
    text = ngettext(
        "{count} guest wants to come in with a browser: type “{admit}” to read who.",
        "{count} guests want to come in with a browser: type “{admit}” to read who.",
        len(model.asking),
    )
    return (text.format(count=len(model.asking), admit=said("admit")),)


def _asker_told(asker: Asker) -> str:
    text = _(
        "Guest {guest} ({name}) wants to come in with a browser: type “{admit} "
        "{guest}” to let them in, or “{reject} {guest}”."
    )
    admit, reject = said("admit"), said("reject")
    return text.format(name=asker.name, guest=asker.guest, admit=admit, reject=reject)


def _guests_line(anybody: bool) -> str:
    """Return the sentence about who lets guests with a browser in."""
    if anybody:
        return _("Anybody at the table may let in guests who come with a browser.")
    return _("Only the owner may let in guests who come with a browser.")


def invitation_lines(invitation: Invitation) -> Lines:
    """Return the ways to join for others; () if they are unknown."""
    if not invitation.addresses:
        return ()
    others = (*guest_lines(invitation), *asking_lines(invitation))
    return (*join_lines(invitation), code_line(invitation.code), *others)


def new_code_line() -> str:
    """Return why the code has changed."""
    return _(
        "The table has a new code, because too many wrong ones were tried or somebody was removed."
    )


# The lobby, the player to wait for, and the result, for plain mode


def lobby_lines(model: Model, before: TableView | None = None) -> Lines:
    """Return the people on the seats, or the changes since `before`, and the next thing to do."""
    table = model.table
    if table is None:
        return ()
    if before is not None:
        return _new_lines(model, table, before)
    seats = tuple(_seat(table, number) for number in range(len(table.seats)))
    head = f"{table.name}:"
    return (head, *seats, *option_lines(model), *_lobby_hint(model, table))


def option_lines(model: Model) -> Lines:
    """Return the options of a table, and its spectators."""
    table = model.table
    if table is None:
        return ()
    lines = []
    if table.starters:
        lines.append(_("Starter orders: each player begins with one of the four easy orders."))
    if table.turn_seconds:
        lines.append(seconds_line(table.turn_seconds))
    if table.bot_seconds:
        lines.append(_pace_line(table.bot_seconds))
    if not table.hints:
        lines.append(hints_line(table.hints))
    if table.letting_in.by_anybody:
        lines.append(_guests_line(table.letting_in.by_anybody))
    if table.next_game.first is not None:
        lines.append(first_line(table))
    if table.next_game.rotation != "owner":
        lines.append(rotation_line(table.next_game.rotation))
    return (*lines, *passing_lines(model, table))


def passing_lines(model: Model, table: TableView) -> Lines:
    """Return those of a table's options that come and go with people."""
    lines = []
    if table.next_game.queue:
        lines.append(queue_line(table))
    if table.spectators:
        lines.append(_("Spectators: {names}.").format(names=item_list(table.spectators)))
    if outlives := outlives_line(model):
        lines.append(outlives)
    return tuple(lines)


SLOW_SECONDS: Final = 5
"""After so many seconds without a move, a bot seems to have stopped."""


def slow_after(table: TableView) -> int:
    """Return after how many seconds without a move a bot seems to have stopped."""
    return SLOW_SECONDS + table.bot_seconds


def bot_to_move(model: Model) -> Seat | None:
    """Return the seat of the bot whose move is awaited; None while it is nobody's or a person's."""
    table, view = model.table, model.view
    if table is None or view is None or view.active is None or table.stage != "game":
        return None
    is_awaited = model.status == "here" and model.pause is None
    return view.active if is_awaited and table.seats[view.active].status == "bot" else None


def thinking_line(name: str, most: int) -> str:
    """Return that a bot is still thinking, and how many seconds it has at most."""
    text = _("{name} is still thinking; a bot has at most {seconds} seconds for each move.")
    return text.format(name=name, seconds=most)


def _pace_line(seconds: int) -> str:
    """Return the speed of bots, in words."""
    if not seconds:
        return _("Bots play as fast as they can.")
    text = ngettext(
        "A bot's turn takes at least {count} second.",
        "A bot's turn takes at least {count} seconds.",
        seconds,
    )
    return text.format(count=seconds)


def hints_line(allowed: bool) -> str:
    """Return whether there are hints at a table."""
    return _("Hints are allowed.") if allowed else _("This table plays without hints.")


def step_on_line() -> str:
    """Return what to do where a walk has come to another meeple."""
    return _("Another meeple is here: keep stepping until you reach a free cell.")


def read_on_line(touch: bool) -> str:
    """Return how others' moves go on, which wait until this is read."""
    if touch:
        return _("Tap “{button}”.").format(button=sentence_case(pgettext("key", "continue")))
    return _("Press Space to go on.")


def with_setup_of(other: TableView, table: TableView) -> TableView:
    """Return a table with another one's rules that its owner can change, and who begins."""
    setup = other.next_game
    return replace(
        table,
        turn_seconds=other.turn_seconds,
        bot_seconds=other.bot_seconds,
        hints=other.hints,
        letting_in=replace(table.letting_in, by_anybody=other.letting_in.by_anybody),
        next_game=replace(table.next_game, first=setup.first, rotation=setup.rotation),
    )


def rules_told(table: TableView) -> Lines:
    """Return the rules that the owner can change, one sentence each; the last is who begins."""
    return (
        seconds_line(table.turn_seconds),
        _pace_line(table.bot_seconds),
        hints_line(table.hints),
        _guests_line(table.letting_in.by_anybody),
        rotation_line(table.next_game.rotation),
        first_line(table),
    )


def rotation_line(rotation: Rotation) -> str:
    """Return the sentence about who makes room for people in the queue."""
    match rotation:
        case "owner":
            return _("The owner decides who makes room for those waiting for a seat.")
        case "loser":
            return _("After each game, the loser makes room for somebody waiting for a seat.")
        case "everybody":
            return _(
                "Everybody plays in turn: after each game, those who have played longest make room."
            )


def queue_line(table: TableView) -> str:
    """Return who waits for a seat; "" if nobody does."""
    if not table.next_game.queue:
        return ""
    return _("Waiting for a seat: {names}.").format(names=item_list(table.next_game.queue))


def watcher_line(model: Model, key: str) -> str:
    """Return what a spectator can do about a seat, by a key or by a word to type."""
    if model.name in model.queued:
        text = _("You are number {number} in line for a seat; “{key}” takes you out.")
        return text.format(number=model.queued.index(model.name) + 1, key=key)
    if model.may_sit:
        return _("A seat is open: “{key}” takes it.").format(key=key)
    return _("You are watching; “{key}” puts you in line to play next.").format(key=key)


def seat_elsewhere(before: Model, after: Model, key: str) -> str:
    """Return to who waits for a seat that another table has one, if new; "" if there is no news.

    Args:
        before: the model before.
        after: the model now.
        key: what lists the tables: a key, or a word to type.
    """
    if after.tables is before.tables or not (after.is_queuing or after.is_late):
        return ""
    known = {table.number for table in before.tables if has_room(table)}
    found = (
        table.name
        for table in after.tables
        if has_room(table) and table.number not in (*known, after.number)
    )
    name = next(found, "")
    text = _("A seat is open at {table}: “{key}” lists the tables.")
    return text.format(table=name, key=key) if name else ""


def first_line(table: TableView) -> str:
    """Return the sentence about who begins the next game."""
    if table.next_game.first is None:
        return _("The start player of the next game is drawn at random.")
    name = seat_player(table.seats[table.next_game.first], table.next_game.first)
    return _("{name} begins the next game.").format(name=name)


def options_summary(model: Model, named: bool = False) -> str:
    """Return the options of a table in a few words, and who watches, or how many do."""
    table = model.table
    if table is None:
        return ""
    options = [pgettext("agreed at a table", "starters")] if table.starters else []
    if table.turn_seconds:
        options.append(
            pgettext("agreed at a table", "{seconds} s per turn").format(seconds=table.turn_seconds)
        )
    if table.bot_seconds:
        text = pgettext("agreed at a table", "bots {seconds} s")
        options.append(text.format(seconds=table.bot_seconds))
    if not table.hints:
        options.append(pgettext("agreed at a table", "no hints"))
    if table.next_game.rotation != "owner":
        text = pgettext("agreed at a table", "makes room: {who}")
        options.append(text.format(who=rotation_name(table.next_game.rotation)))
    if table.next_game.first is not None:
        name = seat_player(table.seats[table.next_game.first], table.next_game.first)
        options.append(pgettext("agreed at a table", "{name} begins").format(name=name))
    if table.next_game.queue:
        count = len(table.next_game.queue)
        options.append(ngettext("{count} in line", "{count} in line", count).format(count=count))
    if table.spectators:
        count = len(table.spectators)
        text = ngettext("{count} spectator", "{count} spectators", count)
        if named:
            text = _("watching: {names}")
        options.append(text.format(count=count, names=item_list(table.spectators)))
    return sentence_case(item_list(options))


def _new_lines(model: Model, table: TableView, before: TableView) -> Lines:
    changed = tuple(
        _seat(table, number)
        for number in range(len(table.seats))
        if number >= len(before.seats) or _seat(table, number) != _seat(before, number)
    )
    if table.name != before.name:
        changed += (_("The table is called {name} now.").format(name=table.name),)
    queue, known = table.next_game.queue, before.next_game.queue
    if queue and queue != known and {*queue} <= {*known}:  # of who is new there is an event
        changed += (queue_line(table),)
    old_rules = before
    if bool(table.letting_in.asking) != bool(before.letting_in.asking):
        # without an owner, that anybody lets guests in is known only while some ask
        old_rules = replace(before, letting_in=table.letting_in)
    changed += tuple(
        new for new, old in zip(rules_told(table), rules_told(old_rules), strict=True) if new != old
    )
    outlives = outlives_line(model)
    if outlives and outlives != outlives_line(replace(model, table=before)):
        changed += (outlives,)
    hint = _lobby_hint(model, table)
    if table.stage == "result" or model.seat is None or hint == _lobby_hint(model, before):
        return changed
    return (*changed, *hint)


def seat_news(model: Model, before: Model | None) -> Lines:
    """Return what a spectator can do about a seat, or with the seat that came to them, if new."""
    was_watching = before is not None and before.table is not None and before.seat is None
    if model.table is None or model.seat is not None:
        return _lobby_hint(model, model.table) if model.table and was_watching else ()
    hint = _seat_hint(model)
    return () if was_watching and before and _seat_hint(before) == hint else hint


def _seat(table: TableView, number: Seat) -> str:
    seat = table.seats[number]
    if table.stage == "result" and seat.status == "person" and not seat.away:
        text = (
            _("Seat {number}: {name} wants a rematch.")
            if seat.ready
            else _("Seat {number}: {name} has not asked for a rematch.")
        )
    elif seat.status == "open":
        text = _("Seat {number} is open.")
    elif seat.status == "bot":
        text = _("Seat {number}: {name} ({level}).")
    elif seat.away:
        text = _("Seat {number}: {name}, away.")
    elif seat.ready:
        text = _("Seat {number}: {name}, ready.")
    else:
        text = _("Seat {number}: {name}, not ready.")
    level = bot_level(seat.bot)
    return text.format(number=number + 1, name=seat_player(seat, number), level=level)


def _lobby_hint(model: Model, table: TableView) -> Lines:
    if model.awaits_round:
        return (tournament_line(model),)
    if model.seat is None and not model.owner:
        return _seat_hint(model)
    if model.seat is None or model.seat >= len(table.seats):
        return ()
    if table.seats[model.seat].status == "open":
        return ()  # a table from before this person sat down
    if model.owner:
        if all(seat.status != "open" for seat in table.seats):
            return (_("Type “{start}” to start the game.").format(start=said("start")),)
        text = _(
            "Type “{start}” to start the game, or add a bot to a seat, as in “{bot} "
            "{level} 3” ({levels})."
        )
        levels, level = item_list(map(bot_level, table.bots)), bot_level("regular")
        words = text.format(start=said("start"), bot=said("bot"), level=level, levels=levels)
        return (words,)
    here = [seat for seat in table.seats if seat.status != "open"]
    if model.may_start and len(here) >= MIN_PLAYERS and all(seat.ready for seat in here):
        return (_("Type “{start}” to start the game.").format(start=said("start")),)
    if table.seats[model.seat].ready:
        return (_("You are ready; waiting for the others."),)
    return (_("Type “{ready}” when you are.").format(ready=said("ready")),)


def _seat_hint(model: Model) -> Lines:
    """Return the way to a seat for a spectator, in words to type; () for who is not there."""
    word = "unready" if model.name in model.queued else "ready"
    is_there = bool(model.name) and not model.home
    return (watcher_line(model, said(word)),) if is_there else ()


def pause_line(model: Model) -> str:
    """Return that the game is paused, and why; empty if it is not."""
    if model.pause is None:
        return ""
    if not model.pause:
        return _("The game is paused.")
    return _("The game is paused: {reason}").format(reason=model.pause)


def moving_line(model: Model) -> str:
    """Return how far a handover to another player's computer is; empty if there is none."""
    moving = model.table.moving if model.table else None
    if moving is None or model.status != "here":
        return ""
    if moving.agreed:
        text = _("The table is moving to {name}'s computer …")
        if moving.to == model.name:
            text = _("The table is moving to this computer …")
        return text.format(name=moving.to)
    if moving.to == model.name:
        return asked_line(model)
    return _("{name} has been asked to host the table.").format(name=moving.to)


def go_on_line(model: Model) -> str:
    """Return what a player may do whose host is silent or was away, on the full screen."""
    if model.elsewhere:
        return _("Press Enter to take your seat there again, or “q” to leave.")
    return _("Press Enter to continue on this computer.")


def go_on_told(model: Model, before: Model | None) -> Lines:
    """Return what a player may do whose host is silent or was away, and what to type, if new."""
    if not model.may_go_on or (before and before.may_go_on):
        return ()
    if model.elsewhere:
        return elsewhere_lines(model)
    text = _("Type “{host}” to continue on this computer.")
    return (text.format(host=said("host")),)


def elsewhere_lines(model: Model) -> Lines:
    """Return, to the person at a host that was away, where its game goes on, and what to type."""
    text = _("Type “{back}” to take your seat there again, or “{leave}” to leave.")
    how = text.format(back=said("back"), leave=said("leave"))
    return (error_line(model.trouble), how) if model.trouble else (how,)


def outlives_line(model: Model) -> str:
    """Return whether the game can go on without the host's computer.

    Empty without others, and for guests without this program: they could not continue it.
    """
    is_here = model.invitation != UNINVITED
    if model.table is None or not has_company(model) or not (is_here or model.keeps_replica):
        return ""
    names = model.table.standbys if model.table.failover else ()
    if not names:
        if is_here:
            return _("If this computer stops, the game stops too.")
        return _("If the host's computer stops, the game stops too.")
    text = _("If the host's computer stops, these players can continue the game: {names}.")
    if is_here:
        text = _("If this computer stops, these players can continue the game: {names}.")
    return text.format(names=item_list(names))


def bot_stays_line(model: Model) -> str:
    """Return who plays for a guest who leaves a game, and until when; empty for others."""
    if model.table is None or model.table.stage != "game" or model.seat is None or model.owner:
        return ""
    return _("A bot plays for you until you join again.")


def asked_line(model: Model) -> str:
    """Return that this player is asked to host the table."""
    seat = model.table.owner if model.table else None
    if model.table is None or seat is None:
        return _("Will you host this table on your computer from now on?")
    text = _("{name} is asking you to host this table on your computer from now on.")
    return text.format(name=model.table.seats[seat].name)


def asked_told(model: Model, before: Model | None = None) -> Lines:
    """Return that this player is asked to host the table, and what to type, if that is new."""
    if not asks(model) or (before and asks(before)):
        return ()
    text = _("Type “{host} {accept}” or “{host} {decline}”.")
    how = text.format(host=said("host"), accept=said("accept"), decline=said("decline"))
    return asked_line(model), how


def handover_news(model: Model, before: Model | None) -> Lines:
    """Return how far a handover is, if that is new and there is no event of it."""
    told = moving_line(model)
    if asks(model) or (before and moving_line(before) == told):
        return asked_told(model, before)
    return (told,) if told else ()


def standby_line(model: Model) -> str:
    """Return why this person can ask nobody to host the table; "" if they can, or are alone."""
    if model.table is None or standbys(model):
        return ""
    if not hands_over(model):
        many = len(model.tables) > 1
        return refusal_line(Refusal("not_owner", "", {"reason": "hall"} if many else {}))
    if model.holds_tournament:
        return _("The tables stay on this host until the tournament is over.")
    if not model.owner:
        return _("Go to a table of your own to ask somebody there to host.")
    if has_company(model):
        return _("Nobody else here can host this table.")
    elsewhere = (table for table in model.tables if table.number != model.number)
    if any(seat.status == "person" for table in elsewhere for seat in table.seats):
        return _("Those at other tables cannot be asked to host; only people who are here can.")
    return ""


def handover_line(name: Name, reason: HandoverFault) -> str:
    """Return why somebody will not host the table."""
    texts: dict[HandoverFault, str] = {
        "declined": _("{name} does not want to host the table; it stays where it is."),
        "withdrawn": _("{name} is no longer being asked to host the table."),
        "gone": _("{name} did not answer; the table stays where it is."),
        "unreachable": _(
            "{name}'s computer cannot be reached from here: a firewall may be in the way. The "
            "table stays where it is."
        ),
        "too_large": _("The table's records are too large to move; it stays where it is."),
        "failed": _("{name}'s computer could not host the table; it stays where it is."),
    }
    return texts[reason].format(name=name)


def paused_line(name: str, reason: str) -> str:
    """Return that somebody pauses the game, and why."""
    text = _("{name} pauses the game: {reason}") if reason else _("{name} pauses the game.")
    return text.format(name=name, reason=reason)


def resumed_line(name: str | None) -> str:
    """Return that a pause has ended, and who ended it if it was somebody."""
    if name is None:
        return _("The game continues.")
    return _("{name} ends the pause; the game continues.").format(name=name)


def doing(view: View) -> str:
    """Return what the player does whose turn it is: they serve once they have served something."""
    pours = view.phase is Phase.SERVING and not view.served
    return phase_name(Phase.POURING if pours else view.phase)


def waiting_lines(model: Model) -> Lines:
    """Return the sentences about what this player waits for while they cannot act."""
    table, view = model.table, model.view
    if table is None or table.stage == "lobby" or view is None:
        return lobby_lines(model)
    if table.stage == "result":
        return result_lines(model, view)
    paused = (pause_line(model),) if model.pause is not None else ()
    if view.active is None or model.my_turn:
        return paused
    if model.seat is None:
        paused = (*paused, *_seat_hint(model))
    name = seat_name(model, view.active)
    text = _("Round {round}, {name}'s turn: {phase}.")
    if not view.round:
        text = _("Setting up, {name}: {phase}.")
    return (*paused, text.format(round=view.round, name=name, phase=doing(view)))


def result_lines(model: Model, view: View) -> Lines:
    """Return the result, best player first (R-END-2, R-END-3)."""
    ranks = tuple(_standing(model, view, standing) for standing in view.standings)
    margin = margin_line(model, view)
    told = (
        *ranks,
        *((margin,) if margin else ()),
        *tie_lines(model, view),
        *_awards(model, view),
        *(line for standing in view.standings for line in _tally(model, standing.seat)),
    )
    if model.awaits_round:
        return (*told, tournament_line(model))
    if model.seat is None:
        return told if model.owner else (*told, *_seat_hint(model))
    if model.owner:
        text = _("Type “{start}” for another game with everybody who is ready, or “{leave}”.")
    else:
        text = _("Type “{ready}” for another game, or “{leave}”.")
    how = text.format(start=said("start"), ready=said("ready"), leave=said("leave"))
    return (*told, how)


def margin_line(model: Model, view: View) -> str:
    """Return by how many points the winner is ahead, or the tie-break; "" for a victory of all."""
    best = [standing.seat for standing in view.standings if standing.rank == 1]
    rest = [standing.seat for standing in view.standings if standing.rank > 1]
    return ahead_line(model, view, best[0], rest[0]) if best and rest else ""


def tie_break(view: View) -> str:
    """Return in a few words what made the winner of those with most points (R-END-3); "" if none.

    Those who share the victory have as many of these.
    """
    first = view.players[view.standings[0].seat]
    tied = [
        view.players[standing.seat]
        for standing in view.standings
        if standing.rank > 1 and view.players[standing.seat].score == first.score
    ]
    if not tied:
        return ""
    if any(player.completed == first.completed for player in tied):
        return _("Tied: more rush tokens decide.")
    return _("Tied: more completed orders decide.")


def ahead_line(model: Model, view: View, better: Seat, other: Seat) -> str:
    """Return by how many points a player is ahead of those of a lower rank, or the tie-break."""
    first, second = view.players[better], view.players[other]
    ranks = {standing.seat: standing.rank for standing in view.standings}
    equal = [seat for seat, rank in ranks.items() if rank == ranks[other]]
    name, mine = and_list(seat_name(model, seat) for seat in equal), model.played in equal
    if (ahead := first.score - second.score) > 0:
        text = _("Ahead of you by {count}.") if mine else _("Ahead of {name} by {count}.")
        return text.format(name=name, count=ahead)
    if first.completed > second.completed:
        text = _("Tied with {name} on points; more completed orders decide ({ahead}:{behind}).")
        if mine:
            text = _("Tied with you on points; more completed orders decide ({ahead}:{behind}).")
        return text.format(name=name, ahead=first.completed, behind=second.completed)
    text = _(
        "Tied with {name} on points and completed orders; more rush tokens decide "
        "({ahead}:{behind})."
    )
    if mine:
        text = _(
            "Tied with you on points and completed orders; more rush tokens decide "
            "({ahead}:{behind})."
        )
    return text.format(name=name, ahead=first.rush, behind=second.rush)


def ties(model: Model, view: View) -> Iterator[tuple[Seat, str]]:
    """Yield who is before another with the same points, and why, but for the best (R-END-3)."""
    for better, other in pairwise(view.standings):
        if better.rank != other.rank and better.rank > 1 and better.score == other.score:
            yield better.seat, ahead_line(model, view, better.seat, other.seat)


def tie_lines(model: Model, view: View) -> Lines:
    """Return why players with the same points have different ranks, but for the best.

    With their ranks before the names, as in the standings: nobody says these sentences.
    """
    line = _("{label}: {value}")
    ranks = {standing.seat: standing.rank for standing in view.standings}
    return tuple(
        f"{ranks[seat]}. " + line.format(label=sentence_case(name_or_you(model, seat)), value=text)
        for seat, text in ties(model, view)
    )


def _awards(model: Model, view: View) -> Lines:
    """Return the award of each player who has one, best player first."""
    if not view.standings:
        return ()
    given = awards(view, model.table.tallies if model.table else ())
    text = _("Award for {name}: {award}.")
    return tuple(
        text.format(name=seat_name(model, standing.seat), award=award_text(award))
        for standing in view.standings
        if (award := given[standing.seat])
    )


def _tally(model: Model, seat: Seat) -> Lines:
    """Return a player's scores by round and best turn, if the host sends tallies."""
    if model.table is None or not model.table.tallies:
        return ()
    tally, name = model.table.tallies[seat], seat_name(model, seat)
    scores = _("{name}'s score, round by round: {scores}.").format(
        name=name, scores=item_list(map(str, tally.scores))
    )
    if not tally.best_served:
        return (scores,)
    text = ngettext(
        "{name}'s best turn: {count} order in round {round}.",
        "{name}'s best turn: {count} orders in round {round}.",
        tally.best_served,
    )
    return (text.format(name=name, count=tally.best_served, round=tally.best_round), scores)


def _standing(model: Model, view: View, standing: Standing) -> str:
    """Return one line of the standings: rank, score, and what it is made of."""
    player = view.players[standing.seat]
    text = ngettext(
        "Rank {rank}: {name} with {count} point ({parts}).",
        "Rank {rank}: {name} with {count} points ({parts}).",
        standing.score,
    )
    parts = (
        orders(player.completed),
        upgrades(sum(player.upgrades)),
        penalties(player.penalties),
        tokens(player.rush),
    )
    return text.format(
        rank=standing.rank,
        name=seat_name_and_level(model, standing.seat),
        count=standing.score,
        parts=item_list(parts),
    )


# The tables of the host


def hall_line(table: TableSummary, lettered: bool = False) -> str:
    """Return a table of the host, who is there, and how their game stands.

    If `lettered`, with the letters that mark them on the board.
    """
    letters = seat_letters(table.seats) if lettered else ("",) * len(table.seats)
    names = [
        f"{letters[number]}\N{NO-BREAK SPACE}{seat_player(seat, number)}".strip()
        for number, seat in enumerate(table.seats)
        if seat.name
    ]
    people = and_list(names) if names else pgettext("at a table", "nobody")
    text = _("{table}: {people}; {state}")
    return text.format(table=table.name, people=people, state=_state(table))


def hall_lines(model: Model) -> Lines:
    """Return the tables of the host in sentences."""
    lines = []
    for table in model.tables:
        text = _("Table {number}, {entry}.")
        if table.number == model.number:
            text = _("Table {number}, {entry}. You are here.")
        lines.append(text.format(number=table.number, entry=hall_line(table)))
    lines += watching_lines(model)
    others = (table.number for table in model.tables if table.number != model.number)
    if number := next(others, None):
        text = _(
            "Type “{go} {number}” to go to table {number}, “{look} {number}” to watch it from "
            "here, or “{open}” to open another one."
        )
    else:
        text = _("Type “{open}” to open another table.")
    how = text.format(go=said("go"), look=said("look"), open=said("open"), number=number)
    return (*lines, how)


def round_lines(model: Model) -> Lines:
    """Return who plays where in the round of a tournament, and who sits out; () between rounds."""
    tables = map(hall_line, tables_of_round(model))
    return (*tables, *filter(None, [resting_line(model)]))


def meeting_line(before: Model, after: Model) -> str:
    """Return how to get to where everybody meets, if a tournament has just ended; else ""."""
    was, meeting = before.tournament, meeting_table(after)
    if was is None or was.stage == "over" or meeting is None:
        return ""
    text = _("Type “{command}” to go to {table}, where everybody meets.")
    return text.format(command=f"{said('go')} {meeting.number}", table=meeting.name)


def watching_lines(model: Model) -> Lines:
    """Return who in the hall has no seat."""
    if not model.watching:
        return ()
    return (_("Without a seat: {names}").format(names=item_list(model.watching)),)


def not_in_a_game() -> str:
    """Return why somebody cannot go over to another table now."""
    return _("You can go over to another table once your game is over.")


def look_note(model: Model, keyed: bool = True) -> str:
    """Return what somebody who looks at another table has to know of their own.

    If `keyed`, with the key that leads back.
    """
    here = model.table.name if model.table else ""
    if model.my_turn and not keyed:
        return _("It is your turn at {table}.").format(table=here)
    if model.my_turn:
        return _("It is your turn at {table}: Esc takes you back.").format(table=here)
    there = model.looking.table.name if model.looking and model.looking.table else ""
    if not keyed:
        return _("You are watching {table}.").format(table=there)
    return _("You are watching {table}; Esc takes you back to {home}.").format(
        table=there, home=here
    )


def moved_line(model: Model) -> str:
    """Return that somebody's table has closed, and where they are now."""
    here = model.table.name if model.table else ""
    return _("Your table has closed; you are at {table} now.").format(table=here)


def out_of_line(before: Model | None, after: Model) -> str:
    """Return that going over to another table has cost a place in line; "" if it has not."""
    if before is None or before.table is None or after.number in (HALL, before.number):
        return ""
    if before.name not in before.queued or has_moved(before, after):
        return ""
    return _("You are no longer in line for a seat at {table}.").format(table=before.table.name)


def has_moved(before: Model | None, after: Model) -> bool:
    """Return whether the table has closed at which somebody was, so that they are at another."""
    if before is None or after.number in (HALL, before.number):
        return False
    is_gone = before.number == HALL and before.table is not None
    return is_gone or before.tables_lost < after.tables_lost


def _state(table: TableSummary) -> str:
    if table.stage == "game":
        return _game_state(table)
    if table.stage == "result":
        return _("the game is over, {seats}").format(seats=_seats_state(table))
    return _seats_state(table)


def _seats_state(table: TableSummary) -> str:
    count = sum(seat.status == "open" for seat in table.seats)
    if not count:
        return _("all seats are taken")
    return ngettext("{count} open seat", "{count} open seats", count).format(count=count)


def _game_state(table: TableSummary) -> str:
    best = max(table.scores, default=0)
    leaders = [seat for seat, score in enumerate(table.scores) if score == best]
    if not table.round:
        return _("the game is starting")
    if len(leaders) == len(table.scores):
        return _("round {round}, nobody leads").format(round=table.round)
    names = [seat_player(table.seats[seat], seat) for seat in leaders]
    if len(names) > 1:
        text = _("round {round}, {names} lead with {score}")
        return text.format(round=table.round, names=and_list(names), score=best)
    text = _("round {round}, {name} leads with {score}")
    return text.format(round=table.round, name=names[0], score=best)
