"""The host side of the door handshake, line by line, with and without a code."""

from random import Random

import pytest
import zmq

from coffeerush.joining.admission import STARTS, TRIES, Admission
from coffeerush.joining.admitted_keys import AdmittedKeyring
from coffeerush.joining.door import CodeProof, HostConversation, Peer, Proofs
from protocol import (
    Banner,
    Challenge,
    DoorAnswer,
    DoorRefused,
    Enrol,
    Enrolled,
    Proof,
    decode_door_answer,
    encode_line,
)

KEY = zmq.curve_keypair()[0].decode()
HOST_KEY = zmq.curve_keypair()[0].decode()
BANNER = encode_line(Banner("coffeerush", 5, 5, "Kitchen", 1001, 1002, HOST_KEY))
FAR = Peer("192.0.2.1", is_local=False)
HERE = Peer("127.0.0.1", is_local=True)
WRONG = "apple-apple-apple"


@pytest.fixture
def keys() -> AdmittedKeyring:
    return AdmittedKeyring()


@pytest.fixture
def admission(keys: AdmittedKeyring) -> Admission:
    return Admission(keys, Random(1))


def conversation(admission: Admission, peer: Peer = FAR) -> HostConversation:
    return HostConversation(admission, HOST_KEY, BANNER, peer)


def hear(one: HostConversation, line: bytes, now: float = 0.0) -> DoorAnswer:
    answer = decode_door_answer(one.hear(now, line))
    assert one.is_over == (not isinstance(answer, Challenge))
    assert one.refused == (answer.refusal.code if isinstance(answer, DoorRefused) else "")
    return answer


def challenged(
    one: HostConversation, code: str, now: float = 0.0, host_key: str = HOST_KEY
) -> Proofs:
    """Start the proof of a client that has `code`; return the proofs of both sides."""
    mine = CodeProof("client", code, KEY, host_key)
    line = encode_line(Enrol(KEY, mine.share))
    answer = hear(one, line, now)
    assert isinstance(answer, Challenge)
    return mine.proofs(answer.share, BANNER + line + encode_line(answer))


def refusal(answer: DoorAnswer) -> str:
    assert isinstance(answer, DoorRefused)
    assert answer.refusal.params.keys() <= {"minutes"}
    return answer.refusal.code


def test_both_prove_the_code(admission: Admission, keys: AdmittedKeyring) -> None:
    one = conversation(admission)
    proofs = challenged(one, admission.code)
    assert KEY not in keys
    assert hear(one, encode_line(Proof(proofs.client))) == Enrolled(proofs.host)
    assert KEY in keys


@pytest.mark.parametrize("peer", [FAR, HERE])
def test_a_known_key_with_a_code_still_gets_a_proof(
    admission: Admission, keys: AdmittedKeyring, peer: Peer
) -> None:
    keys.admit(KEY)
    one = conversation(admission, peer)
    proofs = challenged(one, admission.code)
    assert hear(one, encode_line(Proof(proofs.client))) == Enrolled(proofs.host)


def test_a_wrong_code_is_refused_without_a_proof_of_the_host(
    admission: Admission, keys: AdmittedKeyring
) -> None:
    one = conversation(admission)
    proofs = challenged(one, WRONG)
    assert refusal(hear(one, encode_line(Proof(proofs.client)))) == "wrong_code"
    assert KEY not in keys


def test_a_proof_for_another_host_is_wrong(admission: Admission) -> None:
    """A man in the middle has another key."""
    one = conversation(admission)
    proofs = challenged(one, admission.code, host_key=KEY)
    assert refusal(hear(one, encode_line(Proof(proofs.client)))) == "wrong_code"


def test_a_proof_covers_what_was_said(admission: Admission) -> None:
    one = HostConversation(admission, HOST_KEY, BANNER.replace(b"1001", b"1003"), FAR)
    proofs = challenged(one, admission.code)
    assert refusal(hear(one, encode_line(Proof(proofs.client)))) == "wrong_code"


@pytest.mark.parametrize(
    "line",
    [
        b"\n",
        encode_line(Enrol(KEY)),
        encode_line(Proof("0" * 64)),
        encode_line(Proof("é" * 64)),
        b'{"type":"proof","proof":"' + b"0" * 500 + b"\n",
    ],
    ids=["empty", "enrol", "zeros", "not-hex", "too-long"],
)
def test_a_malformed_proof_is_a_wrong_code(admission: Admission, line: bytes) -> None:
    one = conversation(admission)
    challenged(one, admission.code)
    assert refusal(hear(one, line)) == "wrong_code"


@pytest.mark.parametrize(
    "share",
    [
        "01" + "00" * 31,  # nothing
        "ee" + "ff" * 30 + "7f",  # nothing, in another way
        "01" + "00" * 30 + "80",  # and in another
        "ec" + "ff" * 30 + "7f",  # of order 2
        "00" * 32,  # of order 4
        "02" + "00" * 31,  # on no curve
        "ff" * 32,
    ],
)
def test_a_share_outside_of_the_group_is_a_wrong_try(admission: Admission, share: str) -> None:
    for _try in range(TRIES):
        one = conversation(admission)
        assert isinstance(hear(one, encode_line(Enrol(KEY, share))), Challenge)
        assert refusal(hear(one, encode_line(Proof("0" * 64)))) == "wrong_code"
    assert (
        refusal(hear(conversation(admission), encode_line(Enrol(KEY, share)))) == "too_many_tries"
    )


@pytest.mark.parametrize("share", ["0", "AA" * 32, "zz" * 32, "é" * 64])
def test_a_share_that_is_not_hex_is_not_a_try(admission: Admission, share: str) -> None:
    for _try in range(STARTS + 1):
        assert refusal(hear(conversation(admission), encode_line(Enrol(KEY, share)))) == "bad_key"


@pytest.mark.parametrize(
    "five", ["%nSc1", "#####", "~~~~~", "éaaaa", "aaaa\\", 'aaaa"', "aaaa ", "aaaa\n"]
)
def test_a_key_is_32_bytes_in_z85(admission: Admission, five: str) -> None:
    assert hear(conversation(admission, HERE), encode_line(Enrol("%nSc0" * 8))) == Enrolled()
    for key in (five * 8, "%nSc0" * 7 + five):
        assert refusal(hear(conversation(admission, HERE), encode_line(Enrol(key)))) == "bad_key"


def test_strangers_without_the_code_are_asked_for_it(
    admission: Admission, keys: AdmittedKeyring
) -> None:
    assert refusal(hear(conversation(admission), encode_line(Enrol(KEY)))) == "code_needed"
    assert KEY not in keys
    assert hear(conversation(admission, HERE), encode_line(Enrol(KEY))) == Enrolled()
    assert (
        hear(conversation(admission), encode_line(Enrol(KEY))) == Enrolled()
    )  # it is known by now


def test_an_open_table_proves_nothing(keys: AdmittedKeyring) -> None:
    admission = Admission(keys, Random(1), is_open=True)
    share = CodeProof("client", WRONG, KEY, HOST_KEY).share
    assert hear(conversation(admission), encode_line(Enrol(KEY, share))) == Enrolled()
    assert KEY in keys


def test_a_kicked_key_is_refused_even_with_the_code(
    admission: Admission, keys: AdmittedKeyring
) -> None:
    keys.keep(frozenset(), removed={KEY})
    share = CodeProof("client", admission.code, KEY, HOST_KEY).share
    for peer in (FAR, HERE):
        for line in (encode_line(Enrol(KEY)), encode_line(Enrol(KEY, share))):
            assert refusal(hear(conversation(admission, peer), line)) == "removed"


def test_disconnecting_is_not_a_wrong_try(admission: Admission) -> None:
    for number in range(STARTS):
        one = conversation(admission)
        challenged(one, WRONG, now=number * 2.0)
        one.leave()
        one.leave()
    share = CodeProof("client", WRONG, KEY, HOST_KEY).share
    answer = hear(conversation(admission), encode_line(Enrol(KEY, share)), now=STARTS * 2.0)
    assert refusal(answer) == "door_busy"


def test_each_exchange_has_its_own_share(admission: Admission) -> None:
    share = CodeProof("client", admission.code, KEY, HOST_KEY).share
    answers = {hear(conversation(admission), encode_line(Enrol(KEY, share))) for _each in range(3)}
    assert len(answers) == 3


def test_a_code_that_changes_during_the_proof_is_wrong(
    admission: Admission, keys: AdmittedKeyring
) -> None:
    one = conversation(admission)
    proofs = challenged(one, admission.code)
    admission.settle(frozenset(), {HOST_KEY})
    assert refusal(hear(one, encode_line(Proof(proofs.client)))) == "wrong_code"
    assert KEY not in keys


def test_a_code_that_was_right_at_the_start_is_not_a_wrong_try(admission: Admission) -> None:
    for number in range(TRIES + 1):
        one = conversation(admission)
        proofs = challenged(one, admission.code, number)
        admission.settle(frozenset(), {f"{number}" * 40})
        assert refusal(hear(one, encode_line(Proof(proofs.client)), number)) == "wrong_code"
    one = conversation(admission)
    proofs = challenged(one, admission.code, TRIES + 1)
    assert hear(one, encode_line(Proof(proofs.client)), TRIES + 1) == Enrolled(proofs.host)


def test_a_wrong_proof_is_a_try_even_while_the_code_changes(admission: Admission) -> None:
    for number in range(TRIES):
        one = conversation(admission)
        proofs = challenged(one, WRONG, number)
        admission.settle(frozenset(), {f"{number}" * 40})
        assert refusal(hear(one, encode_line(Proof(proofs.client)), number)) == "wrong_code"
    share = CodeProof("client", admission.code, KEY, HOST_KEY).share
    assert (
        refusal(hear(conversation(admission), encode_line(Enrol(KEY, share)), TRIES))
        == "too_many_tries"
    )
