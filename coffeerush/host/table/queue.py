"""The queue for a seat: who wants to play next, and who makes room for them between games."""

from collections.abc import Iterator

from coffeerush.rules import standings
from protocol import MAX_SPECTATORS, Queue, QueueFirst, RefusedError, Seat, StandUp, clean_name

from .people import Person, SeatedBot
from .state import TableState

# Requests about it: each is carried out, or raises `RefusedError` and changes nothing


def set_waiting(table: TableState, person: Person, request: Queue) -> None:
    """Let a spectator join the queue, or leave it; a seat that is open is theirs at once."""
    people = table.people
    if people.seat_of(person.key) is not None:
        raise RefusedError("seated")
    if request.waiting is (person in people.queue):
        return
    if not request.waiting:
        people.stop_waiting(person)
        table.tell()
        return
    people.wait(person)
    fill_seats(table)
    if person in people.queue:
        table.tell_change(person.name, "waiting")


def put_first(table: TableState, person: Person, request: QueueFirst) -> None:
    """Put somebody at the head of the queue."""
    table.check_owner(person)
    waiting = (other for other in table.people.queue if other.name == request.name)
    found = next(waiting, None)
    if found is None:
        name = clean_name(request.name)
        raise RefusedError("no_such_spectator", name=name, reason="queue")
    table.people.wait(found, first=True)
    table.tell()


def stand_up(table: TableState, person: Person, request: StandUp) -> None:
    """Open a seat: its person watches from now on, a bot or a person who has left is gone."""
    seat = table.people.seat_of(person.key) if request.seat is None else request.seat
    if seat is None:
        raise RefusedError("not_seated")
    if seat != table.people.seat_of(person.key):
        table.check_owner(person)
    table.check_stage("lobby", "result")
    table.check_seat(seat)
    place = table.people.places[seat]
    if place is None:
        raise table.no_such_seat(seat, "open")
    if isinstance(place, SeatedBot) or place.left:
        table.people.take_out(place)
        table.tell_change(place.name, "removed")
        return
    if len(table.people.spectators) >= MAX_SPECTATORS:
        raise RefusedError("too_many_spectators", most=MAX_SPECTATORS)
    table.people.add_spectator(place)
    ask_again(table)
    table.tell_change(place.name, "watching")


def ask_again(table: TableState) -> None:
    """Let nobody be ready after somebody gave up a seat, if a rematch would begin by itself.

    Those who stay have agreed to play with everybody who was there.
    """
    if table.stage == "result" and table.owner_seat is None:
        table.people.unready()


# Between games: who gets a seat, and who makes room by the table's rule


def fill_seats(table: TableState) -> None:
    """Seat those who wait, as long as a seat is vacant or somebody makes room for them."""
    while table.stage != "game" and table.people.queue:
        waiting, seat = table.people.queue[0], table.people.vacant_seat()
        if seat is None:
            waiting, seat = next(_exchanges(table), (waiting, None))
        if seat is None:
            return
        _seat(table, waiting, seat)


def _seat(table: TableState, person: Person, seat: Seat) -> None:
    """Seat somebody who waits; a person who makes room waits in turn, at the end of the queue."""
    before = table.people.places[seat]
    table.people.take_seat(seat, person)
    if isinstance(before, Person) and not before.left:
        table.people.add_spectator(before)
        table.people.wait(before)
    if before in table.people.queue or isinstance(before, SeatedBot):
        table.tell_change(before.name, "made_room")
    table.tell_change(person.name, "joined")


def _exchanges(table: TableState) -> Iterator[tuple[Person, Seat]]:
    """Yield who of the queue may sit down on which taken seat, those first who come first.

    Nobody makes room for a person who played the latest game, and nobody who did not play it makes
    room. Bots make room first, those with the worst rank before others.
    """
    game, rotation, people = table.game, table.config.rules.rotation, table.people
    if table.stage != "result" or game is None or rotation == "owner" or table.all_played:
        return
    waiting = [person for person in people.queue if person.key not in game.keys]
    worst_first = [place.seat for place in reversed(standings(game.state))]
    bots = [seat for seat in worst_first if isinstance(people.places[seat], SeatedBot)]
    players = [seat for seat in worst_first if game.keys[seat]]
    if rotation == "loser":
        players = players[:1]
    here = {seat: person for seat, person in people.seated() if person.key in game.keys}
    stay = [seat for seat in players if seat in here and here[seat].key == game.keys[seat]]
    stay.sort(key=lambda seat: -here[seat].games_in_a_row)
    yield from zip(waiting, (*bots, *stay), strict=False)
