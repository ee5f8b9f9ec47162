"""Who may come back to a table without its code, and who may not at all: on record in a game."""

from typing import Final

from coffeerush.records.entries import MAX_KEYS, Guest, Removal
from coffeerush.records.reading import Record

from .state import TableState

MAX_GUESTS: Final = 128
"""Many times more than a table has people; who is forgotten gives the code again."""


def welcome(room: TableState, key: str) -> None:
    """Remember that somebody is here; raises `RecordError`, and then nothing changed."""
    guests = room.people.guests
    if key in guests or key == room.config.owner:
        return
    if room.stage == "game":
        if len(guests) >= MAX_GUESTS:
            return  # else strangers of an open table could fill the record
        room.journals.append(Guest(key))
    guests[key] = None
    _forget_oldest(guests, MAX_GUESTS)


def guests_to_record(room: TableState) -> tuple[str, ...]:
    """Return the guests that a game begins with: all who are here, and the latest who were."""
    guests = room.people.guests
    for person in room.people.everybody():
        guests.pop(person.key, None)
        guests[person.key] = None
    _forget_oldest(guests, MAX_GUESTS)
    return tuple(guests)


def send_away(room: TableState, key: str) -> None:
    """Keep somebody away for good; raises `RecordError`, and then nothing changed."""
    if room.game and (room.stage == "game" or room.end_is_due):
        room.journals.append(Removal(key, room.game.seat_of(key)))
    room.people.guests.pop(key, None)
    room.people.removed[key] = None
    _forget_oldest(room.people.removed, MAX_KEYS)


def recall(room: TableState, record: Record) -> None:
    """Know the guests of a record again, and keep out who was removed before its game or in it."""
    people, head = room.people, record.head
    persons = (seated.key for seated in head.seats if seated.key)
    people.guests = dict.fromkeys((*persons, *head.guests, *record.guests))
    people.removed = dict.fromkeys((*head.removed, *(one.key for one in record.removals)))
    for key in people.removed:
        people.guests.pop(key, None)
    _forget_oldest(people.guests, MAX_GUESTS)
    _forget_oldest(people.removed, MAX_KEYS)


def _forget_oldest(keys: dict[str, None], most: int) -> None:
    """Take the first ones out until there are no more than `most`."""
    while len(keys) > most:
        del keys[next(iter(keys))]
