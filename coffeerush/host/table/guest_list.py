"""Keys that may rejoin a table without its code, and keys kicked for good; kept in the record."""

from typing import Final

from coffeerush.records.entries import MAX_KEYS, Guest, Record, Removal

from .state import TableState

MAX_GUESTS: Final = 128
"""Far more than a table has people; a guest who is dropped enters the code again."""


def remember_guest(room: TableState, key: str) -> None:
    """Add somebody to the guests; raises `RecordError` and then changes nothing."""
    guests = room.people.guests
    if key in guests or key == room.config.owner:
        return
    if room.stage == "game":
        if len(guests) >= MAX_GUESTS:
            return  # else strangers at an open table could fill the record
        room.journals.append(Guest(key))
    guests[key] = None
    _forget_oldest(guests, MAX_GUESTS)


def guests_to_record(room: TableState) -> tuple[str, ...]:
    """Return the guests for a new game's record: all who are here, and the latest others."""
    guests = room.people.guests
    for person in room.people.everybody():
        guests.pop(person.key, None)
        guests[person.key] = None
    _forget_oldest(guests, MAX_GUESTS)
    return tuple(guests)


def kick(room: TableState, key: str) -> None:
    """Bar a key from the table for good; raises `RecordError` and then changes nothing."""
    if room.game and (room.stage == "game" or room.end_is_due):
        room.journals.append(Removal(key, room.game.seat_of(key)))
    room.people.guests.pop(key, None)
    room.people.removed[key] = None
    _forget_oldest(room.people.removed, MAX_KEYS)


def restore_guests(room: TableState, record: Record) -> None:
    """Restore the guests of a record, and everybody removed before or during its game."""
    people, head = room.people, record.head
    persons = (seated.key for seated in head.seats if seated.key)
    people.guests = dict.fromkeys((*persons, *head.guests, *record.guests))
    people.removed = dict.fromkeys((*head.removed, *(one.key for one in record.removals)))
    for key in people.removed:
        people.guests.pop(key, None)
    _forget_oldest(people.guests, MAX_GUESTS)
    _forget_oldest(people.removed, MAX_KEYS)


def _forget_oldest(keys: dict[str, None], most: int) -> None:
    """Drop the oldest keys beyond `most`."""
    while len(keys) > most:
        del keys[next(iter(keys))]
