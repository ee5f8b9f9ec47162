"""Reading records: written records round-trip, anything else is refused with its line."""

from collections.abc import Callable
from typing import Any
from zlib import crc32

import msgspec
import pytest
from hypothesis import given, strategies as st
from msgspec.structs import replace

from coffeerush.errors import RecordError
from coffeerush.records.entries import (
    MAX_KEYS,
    MAX_RECORD_BYTES,
    MAX_SEED,
    RECORD_VERSION,
    End,
    Guest,
    Head,
    Move,
    Record,
    Removal,
    Seated,
    encode_entry,
    read_record,
)
from coffeerush.rules import ALL_INTENTS, State, apply, deal, standings
from protocol import EndTurn, PlaceMeeple, Standing
from tests.support.records import KEY, head_of, lines, play

DEE, EVE = "d" * 40, "e" * 40
GAME = play(head_of())
DATA = lines(GAME)
LINES = DATA.splitlines(keepends=True)
SHORT = b"".join(LINES[:6])


def sealed(body: bytes) -> bytes:
    """Return a line with a valid checksum, whatever is in it."""
    return b"%08x %b\n" % (crc32(body), body)


def with_head(change: Callable[[Any], object]) -> bytes:
    """Return the game after applying `change` to the JSON of its head."""
    head = msgspec.json.decode(LINES[0][9:])
    change(head)
    return sealed(msgspec.json.encode(head)) + b"".join(LINES[1:])


def refusal(data: bytes) -> str:
    with pytest.raises(RecordError) as caught:
        read_record(data)
    return str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("starters", [False, True])
def test_a_game_round_trips(players: int, starters: bool) -> None:
    entries = play(head_of(players, starters=starters))
    data = lines(entries)
    record = read_record(data)
    assert [record.head, *record.moves, record.end] == entries
    assert record.good == len(data)


def test_replay_gives_the_states_of_the_game() -> None:
    states = list(read_record(DATA).states())
    state = deal(head_of().setup)
    played: list[State] = [state]
    for entry in GAME:
        if isinstance(entry, Move):
            state = apply(state, entry.seat, entry.intent)
            played.append(state)
    assert states == played
    assert End(standings(states[-1])) == GAME[-1]


@given(st.sampled_from(ALL_INTENTS), st.integers(0, 2**53 - 1), st.binary(max_size=16))
def test_every_intent_has_a_line_of_its_own(intent: Any, rev: int, identity: bytes) -> None:
    move = Move(rev, 1, intent, "k" * 40, identity)
    line = encode_entry(move)
    assert line.count(b"\n") == 1
    assert line == sealed(line[9:-1])
    assert msgspec.json.decode(line[9:], type=Head | Move | End) == move


def test_64_bit_seeds_round_trip() -> None:
    head = head_of(seed=MAX_SEED)
    assert read_record(encode_entry(head)).head == head


@pytest.mark.slow
def test_a_line_torn_anywhere_is_ignored() -> None:
    begins = [len(b"".join(LINES[:count])) for count in range(7)]
    for end in range(len(SHORT) + 1):
        whole = sum(begin <= end for begin in begins) - 1
        if whole == 0:
            refusal(SHORT[:end])
        else:
            record = read_record(SHORT[:end])
            assert record.moves == tuple(GAME[1:whole])
            assert record.good == begins[whole]


def test_a_torn_line_after_the_last_entry_is_ignored() -> None:
    record = read_record(DATA + b"\0" * 4096)
    assert record.end == GAME[-1]
    assert record.good == len(DATA)


@pytest.mark.parametrize("data", [b"", b"\n", b"\0" * 100, b"{}\n", b"[deck]\n", LINES[1]])
def test_foreign_files_are_distinguished_from_broken_ones(data: bytes) -> None:
    assert "not a Coffee Rush record" in refusal(data)


def test_a_game_that_was_never_dealt() -> None:
    assert refusal(LINES[0][:-1]).startswith("line 1 is cut off")


def test_too_large() -> None:
    assert "at most 16777216 bytes" in refusal(DATA + b" " * MAX_RECORD_BYTES)


def test_the_version_is_checked_before_the_fields() -> None:
    later = with_head(lambda head: head.update(version=7, weather="rain"))
    assert "format version 7, but this program reads 1-6" in refusal(later)


def as_fifth_version(head: Any) -> None:
    del head["hall"], head["number"]
    head.update(version=5)


def as_third_version(head: Any) -> None:
    as_fifth_version(head)
    del head["program"]
    head.update(version=3)


def as_second_version(head: Any) -> None:
    as_third_version(head)
    del head["table_seats"], head["first"]
    head.update(version=2)


def as_first_version(head: Any) -> None:
    as_second_version(head)
    del head["guests"], head["removed"]
    head.update(version=1)


def test_the_fifth_version_is_read() -> None:
    record = read_record(with_head(as_fifth_version))
    assert (record.head.version, record.head.hall, record.head.number) == (5, "", 1)
    assert [*record.moves, record.end] == GAME[1:]


def test_the_fifth_version_knows_one_table_only() -> None:
    other = with_head(lambda head: head.update(version=5, number=2))
    assert "other tables" in refusal(other)


@pytest.mark.parametrize(
    ("version", "older"), [(3, as_third_version), (2, as_second_version), (1, as_first_version)]
)
def test_older_versions_are_read(version: int, older: Callable[[Any], None]) -> None:
    record = read_record(with_head(older))
    head = record.head
    assert (head.version, head.program) == (version, "")
    assert (head.table_seats, head.first) == (0, "")
    assert head.guests == head.removed == ()
    assert [*record.moves, record.end] == GAME[1:]


def test_guests_and_removals_are_read_between_the_moves() -> None:
    head = replace(head_of(), guests=(EVE,), removed=("r" * 40,))
    coming, going = Guest(DEE), Removal(DEE)
    bot_for_bob = Removal(KEY, 0)
    data = lines([head, GAME[1], coming, *GAME[2:4], going, bot_for_bob, *GAME[4:]])
    record = read_record(data)
    assert record.head == head
    assert record.guests == (DEE,)
    assert record.removals == (going, bot_for_bob)
    assert [*record.moves, record.end] == GAME[1:]


def test_a_guest_or_a_removal_torn_anywhere_is_ignored() -> None:
    later = [encode_entry(entry) for entry in (Guest(DEE), Removal(DEE), Removal(KEY, 0))]
    for count, line in enumerate(later):
        before = SHORT + b"".join(later[:count])
        for end in range(len(line)):
            record = read_record(before + line[:end])
            assert len(record.guests) + len(record.removals) == count
            assert record.good == len(before)


@pytest.mark.parametrize("removal", [Removal(KEY), Removal(KEY, 1), Removal(EVE, 0)])
def test_nobody_is_removed_from_another_persons_seat(removal: Removal) -> None:
    data = b"".join(LINES[:3]) + encode_entry(removal)
    assert refusal(data) == "line 4 removes somebody from a seat that is not theirs"


def test_nobody_is_removed_from_a_seat_twice() -> None:
    data = b"".join(LINES[:3]) + 2 * encode_entry(Removal(KEY, 0))
    assert refusal(data).startswith("line 5 removes somebody")


@pytest.mark.parametrize("entry", ["guest", "removal"])
@pytest.mark.parametrize("key", ["", "k" * 39, "k" * 41])
def test_keys_have_their_length(entry: str, key: str) -> None:
    body = msgspec.json.encode({"entry": entry, "key": key})
    assert refusal(SHORT + sealed(body)).startswith("line 7 is not a record entry (")


@pytest.mark.parametrize("number", [1, 2, 100, len(LINES)])
def test_a_damaged_line_is_named(number: int) -> None:
    damaged = list(LINES)
    damaged[number - 1] = damaged[number - 1].replace(b"seat", b"heat", 1)
    assert refusal(b"".join(damaged)).startswith(f"line {number} is damaged")


@pytest.mark.parametrize("version", ['"x"', "99"])
def test_an_invalid_version_is_reported_on_line_1(version: str) -> None:
    written = f'"version":{RECORD_VERSION}'.encode()
    head = LINES[0][9:-1].replace(written, b'"version":' + version.encode(), 1)
    assert refusal(sealed(head)).startswith("line 1")


@pytest.mark.parametrize("number", [2, 100])
def test_a_missing_or_repeated_line_is_detected_by_its_rev(number: int) -> None:
    before, after = LINES[: number - 1], LINES[number:]
    twice = refusal(b"".join(LINES[:number] + LINES[number - 1 :]))
    assert twice == f"line {number + 1} has rev {number - 1} instead of {number}"
    gone = refusal(b"".join(before + after))
    assert gone == f"line {number} has rev {number} instead of {number - 1}"


def test_a_move_that_breaks_the_rules_is_named() -> None:
    end_turn = encode_entry(Move(2, 0, EndTurn()))
    assert refusal(b"".join(LINES[:2]) + end_turn).startswith("line 3 breaks the rules: ")


def test_nothing_follows_the_end() -> None:
    late = encode_entry(Move(len(GAME) - 1, 0, PlaceMeeple(0)))
    assert "comes after the end" in refusal(DATA + late)
    assert "comes after the end" in refusal(DATA + LINES[-1])


def test_a_move_after_the_last_turn_breaks_the_rules() -> None:
    late = encode_entry(Move(len(GAME) - 1, 0, EndTurn()))
    assert f"line {len(GAME)} breaks the rules" in refusal(b"".join(LINES[:-1]) + late)


def test_the_end_must_match_the_moves() -> None:
    early = refusal(b"".join(LINES[:50]) + LINES[-1])
    assert early == "line 51 ends the game, but by the rules it is not over yet"
    first, *others = standings([*read_record(DATA).states()][-1])
    better = End((Standing(first.seat, first.rank, first.score + 1), *others))
    assert "a result that does not follow" in refusal(b"".join(LINES[:-1]) + encode_entry(better))


@pytest.mark.parametrize(
    "change",
    [
        lambda head: head.update(seats=head["seats"][:1]),
        lambda head: head.update(seats=head["seats"] * 2),
        lambda head: head.update(game=-1),
        lambda head: head.update(table="x" * 25),
        lambda head: head.update(turn_seconds=3601),
        lambda head: head.update(unknown=1),
        lambda head: head.pop("setup"),
        lambda head: head["setup"].update(unknown=1),
        lambda head: head["setup"].update(players=5),
        lambda head: head["setup"].update(first=2),
        lambda head: head["setup"].update(seed=-1),
        lambda head: head["setup"].update(seed=MAX_SEED + 1),
        lambda head: head["setup"].update(seed=1.5),
        lambda head: head["setup"]["deck"]["drinks"].pop(),
        lambda head: head["setup"]["deck"].update(drinks=[]),
        lambda head: head["setup"]["deck"]["drinks"][0].__setitem__(2, 10**9),
        lambda head: head["seats"][0].update(key="k" * 41),
        lambda head: head.update(guests=["k" * 39]),
        lambda head: head.update(removed=["k" * 40] * (MAX_KEYS + 1)),
        lambda head: head.update(version=1, guests=["k" * 40]),
        lambda head: head.update(version=2, table_seats=4),
        lambda head: head.update(version=2, first="Bob"),
        lambda head: head.update(version=3, program="0.1.0"),
        lambda head: head.update(table_seats=1),
        lambda head: head.update(table_seats=5),
        lambda head: head.update(first="x" * 25),
    ],
)
def test_a_head_out_of_bounds_is_refused(change: Callable[[Any], object]) -> None:
    assert refusal(with_head(change)).startswith("line 1 is not a record entry (")


def test_a_drink_with_a_character_of_a_newer_unicode_is_accepted() -> None:
    def change(head: Any) -> None:
        for drink in head["setup"]["deck"]["drinks"][:2]:
            drink[0] = "Latte\U0001fae8"  # of Unicode 15

    record = read_record(with_head(change))
    assert record.head.setup.deck.drinks[0].name == "Latte"
    assert [*record.moves, record.end] == GAME[1:]


def test_names_in_foreign_records_are_sanitized() -> None:
    def change(head: Any) -> None:
        head["setup"]["deck"].update(name="\x1b")
        head["setup"]["deck"]["drinks"][0][0] = "Latte\x9b2J"
        head.update(table="\x1b[2J")
        head["seats"][0].update(name="\u202eAnn\x07")
        head["seats"][1].update(bot="regular\x1b[2J")

    head = read_record(with_head(change)).head
    assert (head.setup.deck.name, head.setup.deck.drinks[0].name) == ("?", "Latte2J")
    assert head.table == "[2J"
    assert head.seats == (head_of().seats[0], Seated("Regular", bot="regular[2J"))


def test_deep_nesting_and_garbage_with_a_valid_checksum() -> None:
    for body in (b"[" * 10**6, b"", b"\xff", b"null", b'{"entry":"move"}', b'{"entry":"head"}'):
        assert refusal(SHORT + sealed(body)).startswith("line 7 is not a record entry (")


def read_or_refused(data: bytes) -> Record | None:
    """Return the record, or None if it was refused in one sentence."""
    try:
        return read_record(data)
    except RecordError as error:
        sentence = str(error)
    assert "\n" not in sentence
    return None


@given(st.integers(0, len(DATA) - 1), st.integers(0, 255))
def test_a_single_changed_byte_is_never_accepted(at: int, byte: int) -> None:
    changed = DATA[:at] + bytes([byte]) + DATA[at + 1 :]
    record = read_or_refused(changed)
    if record is not None and changed != DATA:
        assert record.end is None, "only a torn end may be forgiven"


@given(st.data())
def test_changed_lines_with_a_valid_checksum_are_read_or_refused(data: st.DataObject) -> None:
    number = data.draw(st.integers(0, 8))
    body = LINES[number][9:-1]
    at = data.draw(st.integers(0, len(body)))
    gone = data.draw(st.integers(0, 12))
    put = data.draw(st.binary(max_size=8) | st.from_regex(rb"[0-9\[\]{}\",:-]{1,6}"))
    changed = sealed(body[:at] + put + body[at + gone :])
    record = read_or_refused(b"".join([*LINES[:number], changed, *LINES[number + 1 : 9]]))
    assert record is None or list(record.states())


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    read_or_refused(data)
    read_or_refused(SHORT + data)
