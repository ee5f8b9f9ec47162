"""The code that guests have to give, with the limits of the door."""

from random import Random

import pytest

from coffeerush.errors import UsageError
from coffeerush.guests.register import Gate
from coffeerush.joining.admission import TABLE_TRIES, TRIES, TRIES_SECONDS
from protocol import RefusedError

CODE = "apple-tiger-moon"
WRONG = "moon-tiger-apple"
ANN, BEN = "192.0.2.1", "192.0.2.2"


def refused(gate: Gate, now: float, source: str, typed: str) -> str:
    with pytest.raises(RefusedError) as error:
        gate.check(now, source, typed, "en")
    return error.value.refusal.code


def test_the_code_lets_in_in_any_language() -> None:
    gate = Gate(CODE, Random(1))
    for typed in ("apple tiger moon", "Mela TIGRE luna", "appletigermoon"):
        gate.check(0, ANN, typed, "it")


def test_a_word_that_is_in_no_code_is_no_try() -> None:
    gate = Gate(CODE, Random(1))
    for _ in range(2 * TRIES):
        with pytest.raises(UsageError, match="did you mean"):
            gate.check(0, ANN, "aple tiger moon", "en")
    gate.check(0, ANN, CODE, "en")


def test_an_address_has_as_many_tries_as_at_the_door() -> None:
    gate = Gate(CODE, Random(1))
    for minute in range(TRIES):
        assert refused(gate, 70 * minute, ANN, WRONG) == "wrong_code"
    assert refused(gate, 70 * TRIES, ANN, CODE) == "too_many_tries"
    gate.check(70 * TRIES, BEN, CODE, "en")
    gate.check(70 * TRIES + TRIES_SECONDS, ANN, CODE, "en")


def test_to_say_open_does_not_open_a_table_with_a_code() -> None:
    assert refused(Gate(CODE, Random(1)), 0, ANN, "open") == "code_needed"


def test_an_open_table_asks_for_nothing() -> None:
    gate = Gate("", Random(1))
    gate.check(0, ANN, "", "en")
    assert not gate.is_spent


def test_after_too_many_wrong_codes_nobody_is_let_in_until_there_is_another() -> None:
    gate = Gate(CODE, Random(1))
    for number in range(TABLE_TRIES):
        assert not gate.is_spent
        assert refused(gate, 70 * number, f"192.0.2.{number}", WRONG) == "wrong_code"
    assert gate.is_spent
    late = 70 * TABLE_TRIES
    assert refused(gate, late, "198.51.100.1", CODE) == "wrong_code"
    for time in range(TRIES):  # that was right, so it counts as no wrong try
        assert refused(gate, late + time, "198.51.100.2", CODE) == "wrong_code"
    gate.renew(WRONG)
    gate.check(late + 70, "198.51.100.2", WRONG, "en")
    assert refused(gate, late + 140, "198.51.100.3", CODE) == "wrong_code"
