"""Admission: who needs no code, the rate limits on proofs, and when the code changes."""

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from threading import Thread

import pytest

from coffeerush.joining.admission import (
    LONG_ROUND_SECONDS,
    MAX_SOURCES,
    NUISANCE_SECONDS,
    PROOFS_OF_NUISANCES,
    PROOFS_OF_OTHERS,
    RIGHT_PROOFS,
    ROUND_SECONDS,
    STARTS,
    TABLE_TRIES,
    TRIES,
    TRIES_SECONDS,
    Admission,
    is_same_machine,
    source_of,
)
from coffeerush.joining.admitted_keys import AdmittedKeyring
from protocol import RefusedError

# Admission: who needs no code, the rate limits on proofs, and when the code changes


KEY, OTHER, KNOWN = (letter * 40 for letter in "klm")
NO_CODE = ""
HEAD_START_SECONDS = 0.1
ANN = "192.0.2.1"
BOB = "192.0.2.2"
SLOWLY = 60.0
"""The seconds between two tries of a person who types."""


@pytest.fixture
def keys() -> AdmittedKeyring:
    return AdmittedKeyring()


@pytest.fixture
def admission(keys: AdmittedKeyring) -> Admission:
    return Admission(keys, Random(1))


def fail(admission: Admission, now: float, source: str) -> None:
    admission.begin(now, source)
    with refused("wrong_code"):
        admission.prove(now, source, KEY, NO_CODE)


@contextmanager
def refused(code: str) -> Iterator[None]:
    with pytest.raises(RefusedError) as caught:
        yield
    assert caught.value.refusal.code == code


@pytest.mark.parametrize(
    ("address", "source"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:0:1:ffff::2", "2001:db8:0:1::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::1", "::/64"),
    ],
)
def test_an_ipv6_source_is_its_64_bit_prefix(address: str, source: str) -> None:
    assert source_of(address) == source


def test_a_machine_is_the_same_by_any_of_its_addresses() -> None:
    """The host's own address in the LAN included, which its notice shows."""
    assert is_same_machine("192.0.2.7", "192.0.2.7")
    assert is_same_machine("127.0.0.2", "127.0.0.1")
    assert is_same_machine("::1", "::1")
    assert not is_same_machine("192.0.2.7", "192.0.2.8")


def test_a_resumed_table_has_its_old_code(keys: AdmittedKeyring) -> None:
    old = "apple-tiger-moon"
    assert Admission(keys, Random(1), code=old).code == old
    assert Admission(keys, Random(1), code=old, is_open=True).code == ""


def test_a_new_code_is_told_before_anybody_can_prove_it(keys: AdmittedKeyring) -> None:
    told: list[tuple[str, str]] = []
    made: list[Admission] = []

    def note(code: str) -> None:
        told.append((code, made[0].code))

    made.append(Admission(keys, Random(1), on_change=note))
    (one,) = made
    first = one.code
    assert not told
    one.change_code()
    second = one.code
    assert one.settle(set(), {KEY})
    assert told == [(second, first), (one.code, second)]


def test_strangers_need_the_code(admission: Admission, keys: AdmittedKeyring) -> None:
    with refused("code_needed"):
        admission.admit_unproven(KEY, is_local=False)
    assert KEY not in keys
    admission.begin(0, ANN)
    admission.prove(0, ANN, KEY, admission.code)
    assert KEY in keys


def test_known_keys_and_local_clients_need_no_code(
    admission: Admission, keys: AdmittedKeyring
) -> None:
    keys.admit(KEY)
    admission.admit_unproven(KEY, is_local=False)
    admission.admit_unproven("l" * 40, is_local=True)
    assert "l" * 40 in keys


def test_an_open_table_has_no_code(keys: AdmittedKeyring) -> None:
    admission = Admission(keys, Random(1), is_open=True)
    assert admission.code == ""
    admission.admit_unproven(KEY, is_local=False)
    assert KEY in keys


def test_removed_keys_stay_out(admission: Admission, keys: AdmittedKeyring) -> None:
    keys.admit(KEY)
    keys.keep({KEY}, removed={KEY})
    assert KEY not in keys
    with refused("removed"):
        admission.check_not_removed(KEY)
    admission.begin(0, ANN)
    with refused("removed"):  # while it proved the code
        admission.prove(0, ANN, KEY, admission.code)
    assert KEY not in keys


def test_five_wrong_codes_of_an_address_in_ten_minutes(admission: Admission) -> None:
    for number in range(TRIES):
        fail(admission, number * SLOWLY, ANN)
    last = (TRIES - 1) * SLOWLY
    with refused("too_many_tries"):
        admission.begin(last, ANN)
    with refused("too_many_tries"):
        admission.begin(TRIES_SECONDS - 0.1, ANN)
    fail(admission, last, BOB)
    fail(admission, TRIES_SECONDS, ANN)  # the first is forgotten, and the next makes five again
    with refused("too_many_tries"):
        admission.begin(TRIES_SECONDS, ANN)


def test_a_right_code_resets_the_wrong_tries(admission: Admission) -> None:
    for number in range(TRIES - 1):
        fail(admission, number * SLOWLY, ANN)
    now = TRIES * SLOWLY
    admission.begin(now, ANN)
    admission.prove(now, ANN, KEY, admission.code)
    for _try in range(TRIES):
        fail(admission, now := now + 1, ANN)


def test_concurrent_proofs_count_as_tries(admission: Admission) -> None:
    for _try in range(TRIES):
        admission.begin(0, ANN)
    with refused("door_busy"):
        admission.begin(0, ANN)
    for _try in range(TRIES):
        with refused("wrong_code"):
            admission.prove(0, ANN, KEY, NO_CODE)
    with refused("too_many_tries"):
        admission.begin(0, ANN)


def test_fifty_wrong_codes_change_it_and_counting_goes_on(admission: Admission) -> None:
    codes = [admission.code]
    for number in range(2 * TABLE_TRIES):
        fail(admission, number * SLOWLY, f"192.0.2.{number // TRIES}")
        if admission.code != codes[-1]:
            assert (number + 1) % TABLE_TRIES == 0
            codes.append(admission.code)
    assert len(set(codes)) == 3
    last = 2 * TABLE_TRIES - 1
    with refused("too_many_tries"):
        admission.begin(last * SLOWLY, f"192.0.2.{last // TRIES}")


def test_aborted_proofs_are_not_tries_but_are_limited(admission: Admission) -> None:
    apart = ROUND_SECONDS
    for number in range(STARTS):
        admission.begin(number * apart, ANN)
        admission.break_off(ANN)
    now = STARTS * apart
    with refused("door_busy"):
        admission.begin(now, ANN)
    admission.begin(now, BOB)
    admission.begin(NUISANCE_SECONDS, ANN)
    admission.prove(NUISANCE_SECONDS, ANN, KEY, admission.code)


def test_all_sources_together_start_few_proofs_per_second(admission: Admission) -> None:
    for number in range(PROOFS_OF_OTHERS):
        admission.begin(0, str(number))
    with refused("door_busy"):
        admission.begin(ROUND_SECONDS - 0.1, ANN)
    admission.begin(ROUND_SECONDS, ANN)


def test_nuisances_do_not_use_up_the_budget_of_newcomers(admission: Admission) -> None:
    for number in range(PROOFS_OF_OTHERS):
        admission.begin(0, str(number))
    for number in range(PROOFS_OF_NUISANCES):
        admission.begin(ROUND_SECONDS, str(number))
    with refused("door_busy"):
        admission.begin(ROUND_SECONDS + LONG_ROUND_SECONDS - 0.1, str(PROOFS_OF_NUISANCES))
    admission.begin(ROUND_SECONDS, ANN)
    admission.begin(ROUND_SECONDS + LONG_ROUND_SECONDS, str(PROOFS_OF_NUISANCES))


def test_timeouts_and_unfinished_proofs_make_a_nuisance_for_a_minute(admission: Admission) -> None:
    assert not admission.is_nuisance(0, ANN)
    admission.note_timeout(0, ANN)
    admission.begin(0, BOB)
    admission.break_off(BOB)
    for source in (ANN, BOB):
        assert admission.is_nuisance(NUISANCE_SECONDS - 0.1, source)
        assert not admission.is_nuisance(NUISANCE_SECONDS, source)


def test_a_successful_proof_is_not_a_nuisance(admission: Admission) -> None:
    admission.begin(0, ANN)
    admission.prove(0, ANN, KEY, admission.code)
    assert not admission.is_nuisance(0, ANN)


def test_too_many_successful_proofs_make_a_nuisance_for_a_minute(admission: Admission) -> None:
    """A proof costs the host as much with the right code as with a wrong one."""
    for number in range(RIGHT_PROOFS):
        assert not admission.is_nuisance(number, ANN)
        admission.begin(number, ANN)
        admission.prove(number, ANN, KEY, admission.code)
    assert admission.is_nuisance(RIGHT_PROOFS - 1, ANN)
    assert not admission.is_nuisance(NUISANCE_SECONDS, ANN)


def test_only_the_latest_sources_are_remembered(admission: Admission) -> None:
    for _try in range(TRIES):
        fail(admission, 0, ANN)
    pause = ROUND_SECONDS / PROOFS_OF_OTHERS
    for number in range(MAX_SOURCES - 1):
        fail(admission, now := (number + TRIES) * pause, str(number))
    with refused("too_many_tries"):
        admission.begin(now, ANN)
    for number in range(MAX_SOURCES):
        fail(admission, now := now + pause, f"other {number}")
    admission.begin(now + pause, ANN)


def test_the_code_changes_after_a_kick(admission: Admission, keys: AdmittedKeyring) -> None:
    before = admission.code
    assert not admission.settle({KEY}, frozenset())
    assert admission.code == before
    assert admission.settle(frozenset(), {KEY})
    assert admission.code not in ("", before)
    assert KEY not in keys
    admission.begin(0, ANN)
    with refused("wrong_code"):
        admission.prove(0, ANN, OTHER, before)
    assert not admission.settle(frozenset(), {KEY})


def test_an_open_table_gets_no_code_after_a_kick(keys: AdmittedKeyring) -> None:
    admission = Admission(keys, Random(1), is_open=True)
    assert admission.settle(frozenset(), {KEY})
    assert admission.code == ""
    admission.begin(0, ANN)
    with refused("wrong_code"):
        admission.prove(0, ANN, OTHER, NO_CODE)


class Slow(Random):
    """A random generator that lets another thread act while a code is drawn."""

    def __init__(self) -> None:
        super().__init__(1)
        self.attempt: Thread | None = None

    def random(self) -> float:
        attempt, self.attempt = self.attempt, None
        if attempt:
            attempt.start()
            attempt.join(HEAD_START_SECONDS)
        return super().random()


def test_no_second_key_is_admitted_during_a_kick(keys: AdmittedKeyring) -> None:
    """Neither with the code nor without; the door runs in another thread."""
    chance = Slow()
    admission = Admission(keys, chance)
    before = admission.code
    keys.admit(KNOWN)
    told = []

    def attempt() -> None:
        admission.begin(0, ANN)
        try:
            admission.prove(0, ANN, OTHER, before)
        except RefusedError as error:
            told.append(error.refusal.code)
        try:
            admission.admit_unproven(KNOWN, is_local=False)
        except RefusedError as error:
            told.append(error.refusal.code)

    chance.attempt = trying = Thread(target=attempt)
    assert admission.settle(frozenset(), {KEY})
    trying.join()
    assert told == ["wrong_code", "code_needed"]
    assert OTHER not in keys
    assert KNOWN not in keys


# The admitted keys: bounded, with those at the table, without those that were kicked


ONE, TWO, THREE, FOUR = (letter * 40 for letter in "abcd")


def test_keys_at_the_table_are_never_evicted() -> None:
    keys = AdmittedKeyring(most=2)
    keys.keep({ONE})
    for key in (TWO, THREE, FOUR):
        keys.admit(key)
    assert [key in keys for key in (ONE, TWO, THREE, FOUR)] == [True, False, False, True]


def test_keys_at_the_table_may_exceed_the_limit() -> None:
    keys = AdmittedKeyring(most=1)
    keys.keep({ONE, TWO})
    keys.admit(THREE)
    assert [key in keys for key in (ONE, TWO, THREE)] == [True, True, False]


def test_enrolling_again_makes_a_key_recent() -> None:
    keys = AdmittedKeyring(most=2)
    for key in (ONE, TWO, ONE, THREE):
        keys.admit(key)
    assert [key in keys for key in (ONE, TWO, THREE)] == [True, False, True]


def test_a_kick_forgets_all_keys_not_at_the_table() -> None:
    keys = AdmittedKeyring()
    for key in (ONE, TWO, THREE):
        keys.admit(key)
    assert keys.keep({ONE}) == set()
    assert TWO in keys
    assert keys.keep({ONE}, {THREE}) == {THREE}
    assert [key in keys for key in (ONE, TWO, THREE)] == [True, False, False]
    keys.admit(TWO)
    keys.admit(THREE)
    assert keys.keep({ONE}, {THREE}) == set()
    assert [key in keys for key in (ONE, TWO, THREE)] == [True, True, False]
    assert keys.is_removed(THREE)
