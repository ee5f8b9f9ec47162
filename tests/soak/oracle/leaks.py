"""Detect leaks of private data: by byte patterns, and by comparison with the finished game."""

import re
import zlib
from collections.abc import Iterable, Iterator, Sequence, Set
from pathlib import Path
from typing import Any, Final

import msgpack
from msgspec import Struct

from tests.soak.lan.guests import Guest
from tests.soak.oracle.reader import Fields, read, tagged
from tests.soak.oracle.taps import Stream
from tests.soak.oracle.truth import INGREDIENTS, Truth
from tests.soak.soak import Soak
from tests.soak.strangers.zmtp import PlainText, sealed

LEAST_TOKENS: Final = 3
"""The minimum tokens in a marked cup: with fewer it resembles other data."""
_OF_THE_TABLE: Final = ("said", "people_changed", "renamed", "turn_timed_out", "host_stopping")
_NAME: Final = f"(?:[0-9]+ )?(?:{'|'.join(INGREDIENTS)})"
_LISTS: Final = re.compile(
    f"{_NAME}(?:, {_NAME})*(?: and {_NAME})?|[0-9]+(?:, [0-9]+){{7}}".encode()
)
_SPOKEN: Final = (
    b"options",
    b"snapshot",
    b"update",
    b"Marked",
    b"Honest",
    b"ingredient",
    b"private_revs",
)
"""Longer than random data matches in some hundred million bytes."""


class Heard(Struct):
    """What somebody has received from one table."""

    name: str
    seat: int | None
    publications: Sequence[bytes]
    answers: Sequence[bytes]


class Inspection:
    """Checks everything that the guests of a finished game received against the truth."""

    def __init__(self, soak: Soak, truth: Truth) -> None:
        self._soak = soak
        self._truth = truth
        self._public = {tuple(one) for one in [*truth.public(), *truth.tallies()]}
        self._menu: bytes = msgpack.packb([list(drink.values()) for drink in truth.menu])
        self.views = self.events = self.marks = self.bytes = 0

    # Bytes

    def look_at_bytes(self, guest: Guest) -> None:
        """Check that a guest received no byte of anybody else's marked cup."""
        self.look_at_received(b"\xc1".join(guest.raw), guest.seat, guest.name)

    def look_at_received(
        self, received: bytes, seat: int | None, who: str, known: Set[tuple[int, ...]] = frozenset()
    ) -> None:
        """Check the same for everything that a key received, with or without a seat.

        Contents that are `known` from another table prove nothing.
        """
        self.bytes += len(received)
        named = set(_LISTS.findall(received))
        for mark in self.marks_for(seat) - known:
            self.marks += 1
            told = _in_words(mark) & named
            self._soak.hold("no refusal names others' cups", not told, who=who, cup=mark)
            for needle in self._needles(mark):
                at = received.find(needle)
                found = received[max(0, at - 60) : at + 40] if at >= 0 else b""
                seen = {"who": who, "cup": mark, "found": repr(found)}
                self._soak.hold("no cup in what others got", not found, **seen)

    def look_at_text(self, text: bytes, where: str) -> None:
        """Check that a text for people does not reveal a cup."""
        named = set(_LISTS.findall(text))
        for mark in self.marks_for(None):
            found = _in_words(mark) & named or any(needle in text for needle in self._needles(mark))
            self._soak.hold(f"no cup in the {where}", not found, cup=mark)

    def marks_for(self, reader: int | None) -> set[tuple[int, ...]]:
        """Return contents of other players' cups that never equal anything public."""
        seats = range(len(self._truth.states[0]["players"]))
        found = {
            tuple(cup) for seat in seats if seat != reader for cup in self._truth.cups(seat)
        } - self._public
        if reader is not None:
            found -= {tuple(cup) for cup in self._truth.cups(reader)}
        return {cup for cup in found if sum(cup) >= LEAST_TOKENS}

    def contents(self) -> set[tuple[int, ...]]:
        """Return all contents of cups at this table, and what resembles them in public."""
        seats = range(len(self._truth.states[0]["players"]))
        return self._public | {tuple(cup) for seat in seats for cup in self._truth.cups(seat)}

    def public(self) -> set[tuple[int, ...]]:
        """Return what resembles the contents of a cup, and is public at this table."""
        return self._public

    def _needles(self, cup: Iterable[int]) -> Iterator[bytes]:
        """Yield the byte patterns of a cup's contents."""
        held = list(cup)
        packed: bytes = msgpack.packb(held)
        yield packed
        if bytes(held) not in self._menu:  # across the end of a recipe
            yield bytes(held)
        yield str(held).encode()

    # Messages

    def look_at_messages(self, guest: Guest | Heard) -> None:
        """Check each answer and publication against what its recipient may know at that rev."""
        told: list[Fields] = []
        last: int | None = None
        for body in guest.publications:
            update = read(body, "Publication")
            expected = None if last is None else last + (update["type"] == "update")
            if expected is not None and update["seq"] > expected:
                told.clear()  # a busy host has cut the connection, so some are missing
            last = update["seq"]
            if update["type"] == "update" and update["game"]:
                told += _of_the_game(update["events"])
                self._look_at_view(update["rev"], None, update["view"], guest)
                self._look_at_revs(update)
                tallies = [tally["scores"] for tally in update["table"]["tallies"]]
                counted = self._truth.tallies() if tallies else []
                self._soak.hold("tallies are what everybody saw", tallies == counted)
        right = self._history(len(self._truth.moves), None)
        late = right[len(right) - len(told) :]  # latecomers have missed the beginning
        self._soak.hold("the events published are right", told == late, who=guest.name)
        for body in guest.answers:
            self._look_at_answer(read(body, "Answer"), guest)

    def _look_at_answer(self, answer: Fields, guest: Guest | Heard) -> None:
        if answer.get("view"):
            self._look_at_view(answer["rev"], guest.seat, answer["view"], guest)
        if answer["type"] == "accepted":
            right = self._truth.events(answer["rev"], guest.seat)
            self._hold_events(answer["events"], right, guest)
        elif answer["type"] == "snapshot" and answer["game"]:
            log = _of_the_game(answer["log"])
            right = self._history(answer["rev"], guest.seat)
            late = log[:1] == right[:1]  # newcomers learn first how the game began
            self._hold_events(log[late:], right[len(right) - len(log) + late :], guest)

    def _look_at_view(
        self, rev: int, reader: int | None, view: Fields | None, who: Guest | Heard
    ) -> None:
        if view is None:
            return
        self.views += 1
        right = self._truth.view(rev, reader)
        own = view["own"]
        if own is not None:
            acts = view["active"] == reader
            self._soak.hold("options for who acts", bool(own["options"]) == acts, who=who.name)
            own = {key: value for key, value in own.items() if key != "options"}
        shown = {**view, "own": own}
        self._soak.hold(
            "a View is what its reader may know",
            shown == right,
            who=who.name,
            rev=rev,
            wrong={key: (shown[key], right[key]) for key in shown if shown[key] != right.get(key)},
        )

    def _look_at_revs(self, update: Fields) -> None:
        """Check that a private rev is as new as the private data that it stands for."""
        rev = update["rev"]
        for seat, private in enumerate(update["private_revs"]):
            if rev and self._own(rev, seat) != self._own(rev - 1, seat):
                self._soak.hold("private revs are right", private == rev, seat=seat, rev=rev)

    def _own(self, rev: int, seat: int) -> object:
        return self._truth.view(rev, seat)["own"]

    def _hold_events(self, told: list[Fields], right: list[Fields], guest: Guest | Heard) -> None:
        self.events += len(told)
        self._soak.hold(
            "events are what their reader may know",
            told == right,
            who=guest.name,
            wrong=[pair for pair in zip(told, right, strict=False) if pair[0] != pair[1]],
        )

    def _history(self, rev: int, reader: int | None) -> list[Fields]:
        """Return everything that a recipient may have learned of the game up to a rev."""
        later = (one for at in range(1, rev + 1) for one in self._truth.events(at, reader))
        return [*self._truth.opening(), *later]


def _of_the_game(events: Iterable[Fields]) -> list[Fields]:
    return [event for event in events if event["type"] not in _OF_THE_TABLE]


def _in_words(cup: tuple[int, ...]) -> set[bytes]:
    """Return what a refusal tells about a cup, in its text and in its data."""
    named = [(n, name) for n, name in zip(cup, INGREDIENTS, strict=True) if n]
    *others, last = [name if n == 1 else f"{n} {name}" for n, name in named] or [""]
    text = f"{', '.join(others)} and {last}" if others else last
    return {text.encode(), ", ".join(map(str, cup)).encode()}


def look_at_network(soak: Soak, streams: list[Stream], door: int) -> dict[str, int | float]:
    """Check that the network carried only handshakes and encrypted messages after the door.

    Returns:
        Figures: bytes, messages, and by how much zlib can compress the encrypted data.
    """
    boxes: list[bytes] = []
    seen = 0
    for stream in streams:
        for side in (bytes(stream.up), bytes(stream.down)):
            seen += len(side)
            if stream.port == door:
                continue
            try:
                boxes += sealed(side)
            except PlainText as error:
                soak.hold("a network sees no plain text", False, seen=str(error))
            spoken = [word for word in _SPOKEN if word in side]
            soak.hold("a network sees no word of ours", not spoken, words=spoken)
    whole = b"".join(boxes)
    shortened = 1 - len(zlib.compress(whole, 9)) / max(1, len(whole))
    soak.hold("what is sealed looks like noise", shortened < 0.001, shortened=shortened)
    return {"wire_bytes": seen, "sealed": len(boxes), "shortened": round(shortened, 5)}


def look_at_door(soak: Soak, streams: list[Stream], door: int) -> None:
    """Check that the unencrypted door sends only its three kinds of line."""
    for stream in streams:
        if stream.port == door:
            for line in bytes(stream.down).splitlines():
                fields = {word.decode() for word in re.findall(rb'"(\w+)":', line)}
                soak.hold("the door tells what it may", fields <= DOOR_FIELDS, line=line)


DOOR_FIELDS: Final = frozenset(
    {"game", "oldest", "newest", "table", "requests", "updates", "key", "hall", "owner"}
    | {"type", "refusal", "code", "text", "params", "minutes", "share", "proof"}
)


def truth_of(lines: list[dict[str, Any]], guest: Guest) -> Truth:
    """Return the truth of a game that a guest has seen."""
    kinds = tagged("Publications")
    for body in reversed(guest.publications):
        update = read(body, "Publication")
        if kinds[update["type"]] == "Update" and update["view"]:
            return Truth(lines, update["view"]["menu"])
    raise ValueError("this guest has seen no game")


def finished(records: Path) -> Iterator[Path]:
    """Yield the records of finished games: everybody may read them."""
    yield from (path for path in sorted(records.glob("*.record")) if path.stat().st_mode & 0o044)
