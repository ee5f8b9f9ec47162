"""What a client says at a door, to a real gate and to hosts that lie; no socket is needed."""

from random import Random

import pytest
from msgspec.structs import replace

from coffeerush.errors import LinkError
from coffeerush.joining.address import Address
from coffeerush.joining.admission import TRIES, Admission
from coffeerush.joining.admitted_keys import AdmittedKeyring
from coffeerush.joining.code import OPEN
from coffeerush.joining.code_proof import CodeProof
from coffeerush.joining.door_client import BrokenOff, ClientConversation, Removed, WrongCode
from coffeerush.joining.door_host import HostConversation, Peer
from coffeerush.joining.trust import AnotherHost, CodeNeeded, Known, Unproven
from coffeerush.local.keys import new_keys
from protocol import (
    Banner,
    Challenge,
    DoorAnswer,
    DoorRefused,
    Enrolled,
    decode_door_answer,
    decode_enrol,
    decode_proof,
    encode_line,
)

THERE = Address("192.0.2.7", 47820)
GUEST = "192.0.2.9"
KEY, HOST, OTHER = (new_keys().public.decode() for _ in range(3))
BANNER = Banner("coffeerush", 3, 3, "Café", 1001, 1002, HOST)
CODE = "apple-tiger-moon"
WRONG = "tiger-apple-moon"


class Door:
    """A real host's door, of which a test says what it knows."""

    def __init__(self, *, is_open: bool = False) -> None:
        self.keys = AdmittedKeyring()
        self.gate = Admission(self.keys, Random(1), is_open=is_open)
        if not is_open:
            self.gate.code = CODE
        self.banner = replace(BANNER, code=not is_open)
        self.now = 0.0

    def let_in(self, known: Known, *, is_local: bool = False) -> ClientConversation:
        """Return a client's exchange with it, once that is over."""
        said = encode_line(self.banner)
        visit = HostConversation(self.gate, HOST, said, Peer(GUEST, is_local))
        now, self.now = self.now, self.now + 60.0
        knock = ClientConversation(THERE, known)
        knock.hear_banner(said)
        line = knock.enrol(KEY)
        while line:
            line = knock.hear(visit.hear(now, line))
        return knock


def answered(known: Known, *answers: DoorAnswer, banner: Banner = BANNER) -> ClientConversation:
    """Return a client's exchange with a host that gives these answers, whatever it hears."""
    knock = ClientConversation(THERE, known)
    knock.hear_banner(encode_line(banner))
    line = knock.enrol(KEY)
    for answer in answers:
        assert line
        line = knock.hear(encode_line(answer))
    assert not line
    return knock


def share(code: str = CODE) -> str:
    return CodeProof("host", code, KEY, HOST).share


def test_who_gives_the_code_is_let_in_and_has_the_host_proved() -> None:
    door = Door()
    assert door.let_in(Known(CODE)).proved
    assert KEY in door.keys


def test_another_code_is_wrong() -> None:
    door = Door()
    with pytest.raises(WrongCode, match="That is not this table's join code"):
        door.let_in(Known(WRONG))
    assert KEY not in door.keys


def test_without_a_code_it_is_asked_for() -> None:
    for code in ("", OPEN):
        with pytest.raises(CodeNeeded, match="asks for its join code"):
            Door().let_in(Known(code))


def test_who_is_known_needs_no_code() -> None:
    door = Door()
    door.keys.admit(KEY)
    assert not door.let_in(Known()).proved
    assert not door.let_in(Known(pinned=HOST)).proved
    assert not door.let_in(Known(session=HOST)).proved


def test_who_is_known_may_have_the_host_proved_all_the_same() -> None:
    door = Door()
    door.keys.admit(KEY)
    assert door.let_in(Known(CODE, pinned=OTHER)).proved


def test_an_open_table_lets_in_everybody_who_has_no_code() -> None:
    for known in (Known(), Known(OPEN), Known(pinned=HOST), Known(OPEN, pinned=OTHER)):
        assert not Door(is_open=True).let_in(known).proved


def test_on_the_hosts_own_machine_no_code_is_needed_and_none_is_wrongly_missed() -> None:
    for code in ("", CODE):
        for is_open in (False, True):
            Door(is_open=is_open).let_in(Known(code, here=True), is_local=True)


@pytest.mark.parametrize("code", [CODE, ""])
def test_a_removed_key_is_told_so(code: str) -> None:
    door = Door()
    door.keys.keep(frozenset(), frozenset([KEY]))
    with pytest.raises(Removed, match="The owner of this table sent you away"):
        door.let_in(Known(code))


def test_too_many_wrong_codes_are_told_so() -> None:
    door = Door()
    for _try in range(TRIES):
        with pytest.raises(WrongCode):
            door.let_in(Known(WRONG))
    with pytest.raises(LinkError, match="Too many wrong codes came from your address") as caught:
        door.let_in(Known(CODE))
    assert type(caught.value) is LinkError


def test_a_busy_door_is_worth_another_try() -> None:
    door = Door()
    for _each in range(TRIES):
        door.gate.begin(door.now, GUEST)  # and goes on with none of them
    with pytest.raises(BrokenOff, match="Too many are at the door; try again"):
        door.let_in(Known(CODE))


@pytest.mark.parametrize(
    ("known", "is_open", "said"),
    [
        (
            Known(pinned=OTHER),
            False,
            "Another host than the one whose code you had answers at 192.0.2.7; ask for its code, "
            "and join it with that.",
        ),
        (
            Known(OPEN, pinned=OTHER),
            False,
            "Another host than the one whose code you had answers at 192.0.2.7; ask for its code, "
            "and join it with that.",
        ),
        (
            Known(pinned=OTHER),
            True,
            "Another host than the one whose code you had answers at 192.0.2.7, and it asks for no "
            "code. If you know it, give the word “open” in the code's place.",
        ),
        (
            Known(session=OTHER),
            False,
            "Another host than the one of your table answers at 192.0.2.7 now; if you mean that "
            "one, join it with its code.",
        ),
        (
            Known(session=OTHER, here=True),
            True,
            "Another host than the one of your table answers at 192.0.2.7 now; if you mean that "
            "one, join it with its code.",
        ),
    ],
)
def test_another_host_is_not_told_anything(known: Known, is_open: bool, said: str) -> None:
    with pytest.raises(AnotherHost) as caught:
        Door(is_open=is_open).let_in(known)
    assert str(caught.value) == said


def test_the_code_says_that_it_is_the_right_host_and_not_what_was_there_before() -> None:
    assert Door().let_in(Known(CODE, pinned=OTHER)).proved


def test_a_host_that_asks_for_no_code_is_not_the_one_whose_code_one_has() -> None:
    for pinned in ("", HOST, OTHER):
        with pytest.raises(Unproven, match="asks for no code, but you have one: it may be another"):
            Door(is_open=True).let_in(Known(CODE, pinned))


def test_a_host_that_lets_in_without_a_proof_is_not_trusted() -> None:
    for answer in (Enrolled(), Enrolled("0" * 64)):
        with pytest.raises(Unproven, match="did not prove that it knows the code you gave"):
            answered(Known(CODE), answer)
        with pytest.raises(Unproven):
            answered(Known(CODE), Challenge(share()), answer)


def test_a_host_that_shows_the_clients_own_proof_is_not_trusted() -> None:
    knock = ClientConversation(THERE, Known(CODE))
    knock.hear_banner(encode_line(BANNER))
    knock.enrol(KEY)
    proof = decode_proof(knock.hear(encode_line(Challenge(share()))))
    with pytest.raises(Unproven):
        knock.hear(encode_line(Enrolled(proof.proof)))


def test_a_host_that_sends_the_clients_own_share_back_is_foreign() -> None:
    knock = ClientConversation(THERE, Known(CODE))
    knock.hear_banner(encode_line(BANNER))
    mine = decode_enrol(knock.enrol(KEY)).share
    with pytest.raises(LinkError, match="is not a Coffee Rush host"):
        knock.hear(encode_line(Challenge(mine)))


@pytest.mark.parametrize("swapped", ["host", "client", "table"])
def test_nobody_in_between_changes_a_word(swapped: str) -> None:
    """Somebody hands on every line, with one of them changed, and keeps silent of refusals."""
    door = Door()
    told = {"host": replace(BANNER, key=OTHER), "table": replace(BANNER, table="Mine")}
    knock = ClientConversation(THERE, Known(CODE))
    knock.hear_banner(encode_line(told.get(swapped, BANNER)))
    enrol = decode_enrol(knock.enrol(KEY))
    handed_on = replace(enrol, key=OTHER) if swapped == "client" else enrol
    visit = HostConversation(door.gate, HOST, encode_line(BANNER), Peer(GUEST, is_local=False))
    proof = knock.hear(visit.hear(0.0, encode_line(handed_on)))
    refused = decode_door_answer(visit.hear(0.0, proof))
    assert isinstance(refused, DoorRefused)
    assert refused.refusal.code == "wrong_code"
    assert KEY not in door.keys
    assert OTHER not in door.keys
    with pytest.raises(Unproven):
        knock.hear(encode_line(Enrolled("0" * 64)))


@pytest.mark.parametrize(
    ("code", "answers"),
    [
        ("", [Challenge("0" * 64)]),
        (CODE, [Challenge("0" * 64)]),
        (CODE, [Challenge("x" * 64)]),
        (CODE, [Challenge(share()), Challenge(share())]),
    ],
)
def test_what_no_host_of_ours_says_is_foreign(code: str, answers: list[DoorAnswer]) -> None:
    with pytest.raises(LinkError, match="is not a Coffee Rush host; check the port"):
        answered(Known(code), *answers)


def test_a_line_that_is_none_is_foreign() -> None:
    knock = ClientConversation(THERE, Known())
    knock.hear_banner(encode_line(BANNER))
    knock.enrol(KEY)
    with pytest.raises(LinkError, match="is not a Coffee Rush host; check the port"):
        knock.hear(b"HTTP/1.0 400 Bad Request\r\n")
