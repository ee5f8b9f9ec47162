"""The file of known guests: the same key for the same guest, and nobody else."""

import asyncio
import json
import os
import stat
from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from coffeerush.errors import UsageError
from coffeerush.guests.register import (
    MAX_OF_SOURCE,
    SAVE_SECONDS,
    AddressAndName,
    BrowserToken,
    Gate,
    Identity,
    KnownGuest,
    Register,
    SshKey,
    digest,
    own_file,
)
from coffeerush.joining.admission import TABLE_TRIES, TRIES, TRIES_SECONDS
from coffeerush.local.settings import Settings
from protocol import RefusedError
from tests.support.hosts_and_clients import SECONDS

# The file of known guests: the same key for the same guest, and nobody else


CODE, LATER = "apple-tiger-moon", "moon-tiger-apple"
HERE = "192.0.2.1"
ANN, BEA, CID = (SshKey(f"SHA256:{name}") for name in ("ann", "bea", "cid"))


def at(folder: Path) -> Path:
    return folder / "guests" / "table.json"


def admit(
    guests: Register,
    identity: Identity,
    name: str = "Ann",
    source: str = HERE,
    living: Iterable[Identity] = (),
) -> KnownGuest:
    return guests.admit(identity, name, "player", CODE, Settings(), source, living)


def kept(folder: Path, act: Callable[[Register], object], most: int = 256) -> Register:
    """Let something happen, and return the register that a gateway has after a restart."""

    async def main() -> None:
        guests = Register(at(folder), most)
        act(guests)
        await guests.save()

    asyncio.run(main())
    return Register(at(folder), most)


def test_a_guest_has_the_same_key_after_a_restart(tmp_path: Path) -> None:
    known: list[KnownGuest] = []
    again = kept(tmp_path, lambda guests: known.append(admit(guests, ANN)))
    assert again.find(ANN) == known[0]
    assert again.may_return(ANN, CODE)
    assert not again.may_return(ANN, LATER)
    assert again.find(BEA) is None
    assert again.find(None) is None


def test_no_kind_of_identity_passes_for_another() -> None:
    texts = ("SHA256:ann", "192.0.2.1 ann", digest(ANN), "")
    names = [AddressAndName(*pair) for pair in ((HERE, "ann"), ("192.0.2.1 a", "nn"), ("", ""))]
    all_of_them: set[Identity] = {ANN, *names, *map(SshKey, texts), *map(BrowserToken, texts)}
    assert len({digest(one) for one in all_of_them}) == len(all_of_them) == 11


def test_another_code_or_name_keeps_the_key(tmp_path: Path) -> None:
    known = kept(tmp_path, lambda guests: admit(guests, ANN)).find(ANN)
    light = Settings(theme="light")
    later = kept(
        tmp_path, lambda guests: guests.admit(ANN, "Anna", "spectator", LATER, light, HERE)
    ).find(ANN)
    assert known
    assert later
    assert later.keys == known.keys
    assert (later.name, later.role, later.settings.theme) == ("Anna", "spectator", "light")


def test_settings_are_kept(tmp_path: Path) -> None:
    known = kept(tmp_path, lambda guests: admit(guests, ANN)).find(ANN)
    korean = Settings(language="ko")
    again = kept(tmp_path, lambda guests: guests.keep(ANN, korean))
    assert known
    assert again.find(ANN) == replace(known, settings=korean)


def test_who_is_at_the_table_need_not_give_a_new_code(tmp_path: Path) -> None:
    def act(guests: Register) -> None:
        admit(guests, ANN)
        admit(guests, BEA)
        guests.renew([ANN, CID], LATER)

    again = kept(tmp_path, act)
    assert again.may_return(ANN, LATER)
    assert not again.may_return(BEA, LATER)


def test_only_its_owner_reads_the_file_and_no_identity_is_in_it(tmp_path: Path) -> None:
    kept(tmp_path, lambda guests: admit(guests, BrowserToken("a secret token")))
    assert stat.S_IMODE(os.stat(at(tmp_path)).st_mode) == 0o600
    for secret in (b"a secret token", CODE.encode(), HERE.encode()):
        assert secret not in at(tmp_path).read_bytes()


def test_a_broken_file_and_one_of_an_older_version_are_as_good_as_none(tmp_path: Path) -> None:
    known = kept(tmp_path, lambda guests: admit(guests, ANN)).find(ANN)
    assert known
    whole = json.loads(at(tmp_path).read_bytes())
    for broken in ('{"x": 1}', "\xff", json.dumps(whole["guests"])):
        at(tmp_path).write_bytes(broken.encode("latin-1"))
        assert Register(at(tmp_path)).find(ANN) is None
    assert kept(tmp_path, lambda guests: admit(guests, BEA)).find(BEA)


def test_who_would_lose_least_is_forgotten_first_and_nobody_who_is_at_the_table(
    tmp_path: Path,
) -> None:
    tokens = [BrowserToken(f"{number}") for number in range(6)]
    playing, sat, came, here, *newcomers = tokens

    def act(guests: Register) -> None:
        for number, one in enumerate(tokens[:4]):
            admit(guests, one, source=f"{number}", living=[here])
        guests.note(playing, "plays")
        guests.note(sat, "sat")
        for gone, one in zip((came, sat), newcomers, strict=True):
            assert guests.find(gone)
            admit(guests, one, source=f"{one}", living=[here, *newcomers])
            assert not guests.find(gone)

    again = kept(tmp_path, act, most=4)
    assert all(again.find(one) for one in (playing, here, *newcomers))


def test_one_source_has_only_so_many_entries_and_pushes_out_nobody_else(tmp_path: Path) -> None:
    def act(guests: Register) -> None:
        admit(guests, ANN, source="elsewhere")
        for number in range(2 * MAX_OF_SOURCE):
            admit(guests, AddressAndName(HERE, f"{number}"))

    again = kept(tmp_path, act)
    found = [bool(again.find(AddressAndName(HERE, f"{n}"))) for n in range(2 * MAX_OF_SOURCE)]
    assert found == [False] * MAX_OF_SOURCE + [True] * MAX_OF_SOURCE
    assert again.find(ANN)


def test_many_changes_are_one_write_which_blocks_nobody(tmp_path: Path) -> None:
    async def main() -> None:
        guests = Register(at(tmp_path))
        admit(guests, ANN)
        for number in range(240):
            guests.keep(ANN, Settings(letter=number % 26))
        assert not at(tmp_path).exists(), "it waits for more"
        first = asyncio.create_task(guests.save())
        second = asyncio.create_task(guests.save())
        await asyncio.sleep(0)  # they begin
        guests.keep(ANN, Settings(language="it"))
        first.cancel()  # its guest has gone; the write goes on
        await second
        await guests.save()
        before = at(tmp_path).stat().st_ino
        await guests.save()
        assert at(tmp_path).stat().st_ino == before, "nothing has changed"

    asyncio.run(main())
    known = Register(at(tmp_path)).find(ANN)
    assert known
    assert known.settings == Settings(language="it")


def test_a_change_is_written_after_a_while_by_itself(tmp_path: Path) -> None:
    async def main() -> None:
        guests = Register(at(tmp_path))
        admit(guests, ANN)
        async with asyncio.timeout(SAVE_SECONDS + SECONDS):
            while not at(tmp_path).exists():
                await asyncio.sleep(0.01)  # nothing tells when it is written

    asyncio.run(main())
    assert Register(at(tmp_path)).find(ANN)


def test_each_gateway_that_runs_has_a_file_of_its_own(tmp_path: Path) -> None:
    first, second, other = (own_file(tmp_path, name) for name in ("table", "table", "other"))
    assert [path.name for path in (first, second, other)] == [
        "table.json",
        "table-2.json",
        "other.json",
    ]


# The code that guests have to give, with the limits of the door


THERE = "192.0.2.2"


def refused(gate: Gate, now: float, source: str, typed: str) -> str:
    with pytest.raises(RefusedError) as error:
        gate.check(now, source, typed, "en")
    return error.value.refusal.code


def test_the_code_lets_in_in_any_language() -> None:
    gate = Gate(CODE, Random(1))
    for typed in ("apple tiger moon", "Mela TIGRE luna", "appletigermoon"):
        gate.check(0, HERE, typed, "it")


def test_a_word_that_is_in_no_code_is_no_try() -> None:
    gate = Gate(CODE, Random(1))
    for _ in range(2 * TRIES):
        with pytest.raises(UsageError, match="did you mean"):
            gate.check(0, HERE, "aple tiger moon", "en")
    gate.check(0, HERE, CODE, "en")


def test_an_address_has_as_many_tries_as_at_the_door() -> None:
    gate = Gate(CODE, Random(1))
    for minute in range(TRIES):
        assert refused(gate, 70 * minute, HERE, LATER) == "wrong_code"
    assert refused(gate, 70 * TRIES, HERE, CODE) == "too_many_tries"
    gate.check(70 * TRIES, THERE, CODE, "en")
    gate.check(70 * TRIES + TRIES_SECONDS, HERE, CODE, "en")


def test_to_say_open_does_not_open_a_table_with_a_code() -> None:
    assert refused(Gate(CODE, Random(1)), 0, HERE, "open") == "code_needed"


def test_an_open_table_asks_for_nothing() -> None:
    gate = Gate("", Random(1))
    gate.check(0, HERE, "", "en")
    assert not gate.is_spent


def test_after_too_many_wrong_codes_nobody_is_let_in_until_there_is_another() -> None:
    gate = Gate(CODE, Random(1))
    for number in range(TABLE_TRIES):
        assert not gate.is_spent
        assert refused(gate, 70 * number, f"192.0.2.{number}", LATER) == "wrong_code"
    assert gate.is_spent
    late = 70 * TABLE_TRIES
    assert refused(gate, late, "198.51.100.1", CODE) == "wrong_code"
    for time in range(TRIES):  # that was right, so it counts as no wrong try
        assert refused(gate, late + time, "198.51.100.2", CODE) == "wrong_code"
    gate.renew(LATER)
    gate.check(late + 70, "198.51.100.2", LATER, "en")
    assert refused(gate, late + 140, "198.51.100.3", CODE) == "wrong_code"
