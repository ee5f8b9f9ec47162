"""The host side of the door handshake, line by line, with and without a code."""

from random import Random

import pytest
import zmq
from msgspec.structs import replace

from coffeerush.errors import LinkError
from coffeerush.joining.admission import STARTS, TRIES, Admission
from coffeerush.joining.admitted_keys import AdmittedKeyring
from coffeerush.joining.code import OPEN
from coffeerush.joining.door import (
    ClientConversation,
    CodeProof,
    HostConversation,
    Peer,
    Proofs,
)
from coffeerush.joining.hosts import Address, AnotherHost, CodeNeeded, Known, Unproven
from coffeerush.local.keys import new_keys
from protocol import (
    AskTerm,
    Banner,
    Challenge,
    DoorAnswer,
    DoorRefused,
    Enrol,
    Enrolled,
    Proof,
    TermProof,
    decode_door_answer,
    decode_door_request,
    decode_proof,
    encode_line,
)

# The host side of the door handshake, line by line, with and without a code


KEY = zmq.curve_keypair()[0].decode()
HOST_KEY = zmq.curve_keypair()[0].decode()
BANNER = encode_line(Banner("coffeerush", 6, 6, "Kitchen", 1001, 1002, HOST_KEY))
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


def test_a_host_hears_whether_its_game_goes_on_here(admission: Admission) -> None:
    asked, proof = AskTerm("0" * 16, 1, "1" * 64), TermProof(2, 1, "2" * 64)
    prove = {asked: proof}.__getitem__
    one = HostConversation(admission, HOST_KEY, BANNER, FAR, prove)
    assert hear(one, encode_line(asked)) == proof


def test_a_client_takes_no_proof_of_a_term() -> None:
    client = ClientConversation(Address("a", 1), Known())
    client.hear_banner(BANNER)
    client.enrol(KEY)
    with pytest.raises(LinkError, match="not a Coffee Rush host"):
        client.hear(encode_line(TermProof(2)))


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


# The client side of the door handshake, with a real `Admission` and with malicious hosts


THERE = Address("192.0.2.7", 47820)
GUEST = "192.0.2.9"
HOST, OTHER = (new_keys().public.decode() for _ in range(2))
TOLD = Banner("coffeerush", 6, 6, "Café", 1001, 1002, HOST)
CODE = "apple-tiger-moon"


class Door:
    """A real host's side of the door, with knowledge set by the test."""

    def __init__(self, *, is_open: bool = False) -> None:
        self.keys = AdmittedKeyring()
        self.admission = Admission(self.keys, Random(1), is_open=is_open)
        if not is_open:
            self.admission.code = CODE
        self.banner = replace(TOLD, code=not is_open)
        self.now = 0.0

    def let_in(self, known: Known, *, is_local: bool = False) -> ClientConversation:
        """Run the handshake of a client, and return its conversation."""
        said = encode_line(self.banner)
        host = HostConversation(self.admission, HOST, said, Peer(GUEST, is_local))
        now, self.now = self.now, self.now + 60.0
        client = ClientConversation(THERE, known)
        client.hear_banner(said)
        line = client.enrol(KEY)
        while line:
            line = client.hear(host.hear(now, line))
        return client


def answered(known: Known, *answers: DoorAnswer, banner: Banner = TOLD) -> ClientConversation:
    """Run the handshake with a host that sends these answers, whatever it receives."""
    client = ClientConversation(THERE, known)
    client.hear_banner(encode_line(banner))
    line = client.enrol(KEY)
    for answer in answers:
        assert line
        line = client.hear(encode_line(answer))
    assert not line
    return client


def share(code: str = CODE) -> str:
    return CodeProof("host", code, KEY, HOST).share


def test_a_client_with_the_code_is_admitted_and_the_host_proved() -> None:
    door = Door()
    assert door.let_in(Known(CODE)).proved
    assert KEY in door.keys


def test_without_a_code_the_client_is_asked_for_it() -> None:
    for code in ("", OPEN):
        with pytest.raises(CodeNeeded, match="asks for its join code"):
            Door().let_in(Known(code))


def test_a_known_key_needs_no_code() -> None:
    door = Door()
    door.keys.admit(KEY)
    assert not door.let_in(Known()).proved
    assert not door.let_in(Known(pinned=HOST)).proved
    assert not door.let_in(Known(session=HOST)).proved


def test_a_known_key_may_still_have_the_host_proved() -> None:
    door = Door()
    door.keys.admit(KEY)
    assert door.let_in(Known(CODE, pinned=OTHER)).proved


def test_an_open_table_admits_everybody_without_a_code() -> None:
    for known in (Known(), Known(OPEN), Known(pinned=HOST), Known(OPEN, pinned=OTHER)):
        assert not Door(is_open=True).let_in(known).proved


def test_on_the_hosts_machine_no_code_is_needed() -> None:
    for code in ("", CODE):
        for is_open in (False, True):
            Door(is_open=is_open).let_in(Known(code, here=True), is_local=True)


@pytest.mark.parametrize(
    ("known", "is_open"),
    [
        (Known(pinned=OTHER), False),
        (Known(OPEN, pinned=OTHER), False),
        (Known(pinned=OTHER), True),
        (Known(session=OTHER), False),
        (Known(session=OTHER, here=True), True),
    ],
)
def test_nothing_is_sent_to_another_host(known: Known, is_open: bool) -> None:
    door = Door(is_open=is_open)
    with pytest.raises(AnotherHost):
        door.let_in(known)
    assert KEY not in door.keys


def test_the_code_takes_precedence_over_the_pinned_key() -> None:
    assert Door().let_in(Known(CODE, pinned=OTHER)).proved


def test_a_host_without_a_code_is_not_the_one_whose_code_is_known() -> None:
    for pinned in ("", HOST, OTHER):
        with pytest.raises(Unproven, match="asks for no code, but you have one, so it may not be"):
            Door(is_open=True).let_in(Known(CODE, pinned))


def test_a_host_that_admits_without_a_proof_is_not_trusted() -> None:
    for answer in (Enrolled(), Enrolled("0" * 64)):
        with pytest.raises(Unproven, match="did not prove that it knows the code you gave"):
            answered(Known(CODE), answer)
        with pytest.raises(Unproven):
            answered(Known(CODE), Challenge(share()), answer)


def test_a_host_that_reflects_the_clients_proof_is_not_trusted() -> None:
    client = ClientConversation(THERE, Known(CODE))
    client.hear_banner(encode_line(TOLD))
    client.enrol(KEY)
    proof = decode_proof(client.hear(encode_line(Challenge(share()))))
    with pytest.raises(Unproven):
        client.hear(encode_line(Enrolled(proof.proof)))


def test_a_host_that_reflects_the_clients_share_is_foreign() -> None:
    client = ClientConversation(THERE, Known(CODE))
    client.hear_banner(encode_line(TOLD))
    mine = decode_door_request(client.enrol(KEY))
    assert isinstance(mine, Enrol)
    with pytest.raises(LinkError, match="is not a Coffee Rush host"):
        client.hear(encode_line(Challenge(mine.share)))


@pytest.mark.parametrize("swapped", ["host", "client", "table"])
def test_a_man_in_the_middle_cannot_change_a_line(swapped: str) -> None:
    """The man in the middle forwards every line, one of them changed, but no refusals."""
    door = Door()
    told = {"host": replace(TOLD, key=OTHER), "table": replace(TOLD, table="Mine")}
    client = ClientConversation(THERE, Known(CODE))
    client.hear_banner(encode_line(told.get(swapped, TOLD)))
    enrol = decode_door_request(client.enrol(KEY))
    handed_on = replace(enrol, key=OTHER) if swapped == "client" else enrol
    host = HostConversation(door.admission, HOST, encode_line(TOLD), Peer(GUEST, is_local=False))
    proof = client.hear(host.hear(0.0, encode_line(handed_on)))
    refused = decode_door_answer(host.hear(0.0, proof))
    assert isinstance(refused, DoorRefused)
    assert refused.refusal.code == "wrong_code"
    assert KEY not in door.keys
    assert OTHER not in door.keys
    with pytest.raises(Unproven):
        client.hear(encode_line(Enrolled("0" * 64)))


@pytest.mark.parametrize(
    ("code", "answers"),
    [
        ("", [Challenge("0" * 64)]),
        (CODE, [Challenge("0" * 64)]),
        (CODE, [Challenge("x" * 64)]),
        (CODE, [Challenge(share()), Challenge(share())]),
    ],
)
def test_invalid_answers_are_foreign(code: str, answers: list[DoorAnswer]) -> None:
    with pytest.raises(LinkError, match="is not a Coffee Rush host; check the port"):
        answered(Known(code), *answers)


def test_an_invalid_line_is_foreign() -> None:
    client = ClientConversation(THERE, Known())
    client.hear_banner(encode_line(TOLD))
    client.enrol(KEY)
    with pytest.raises(LinkError, match="is not a Coffee Rush host; check the port"):
        client.hear(b"HTTP/1.0 400 Bad Request\r\n")
