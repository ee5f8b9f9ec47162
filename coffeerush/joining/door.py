"""The door handshake, from the banner to the last line; sans-I/O."""

import hmac
import os
from collections.abc import Callable
from hashlib import sha256
from typing import Final, Literal, NamedTuple, TypeAlias

from coffeerush.errors import LinkError
from protocol import (
    PROTOCOL_NAME,
    PROTOCOL_OLDEST,
    PROTOCOL_VERSION,
    AskTerm,
    Banner,
    Challenge,
    DoorAnswer,
    DoorRefused,
    DoorRequest,
    Enrol,
    Enrolled,
    Proof,
    Refusal,
    RefusedError,
    TermProof,
    WireError,
    decode_banner,
    decode_door_answer,
    decode_door_request,
    decode_proof,
    encode_line,
    is_curve_key,
)

from .admission import Admission
from .hosts import Address, CodeNeeded, Known, check_banner, check_proof

# The proof of the join code (SPAKE2), for both sides


_CLIENT: Final = b"coffeerush client\n"
_HOST: Final = b"coffeerush host\n"
_PRIME: Final = 2**255 - 19


class Proofs(NamedTuple):
    """The proofs that each side has to send: 32 bytes in hex digits."""

    client: str
    host: str

    def client_fits(self, shown: str) -> bool:
        """Verify the client's proof, in constant time."""
        return hmac.compare_digest(self.client.encode(), shown.encode())

    def host_fits(self, shown: str) -> bool:
        """Verify the host's proof, in constant time."""
        return hmac.compare_digest(self.host.encode(), shown.encode())


class CodeProof:
    """One side of one enrolment; must not be reused for another.

    Args:
        side: which one.
        code: the join code in the canonical form of `coffeerush.joining.code`.
        client_key: the CURVE public key to be admitted, in Z85.
        host_key: the host's.
        entropy: returns n random bytes.
    """

    def __init__(
        self,
        side: Literal["client", "host"],
        code: str,
        client_key: str,
        host_key: str,
        entropy: Callable[[int], bytes] = os.urandom,
    ) -> None:
        # imported late: most connections need no code, and it would delay the first frame
        from spake2 import SPAKE2_A, SPAKE2_B

        self._other, made = (b"B", SPAKE2_A) if side == "client" else (b"A", SPAKE2_B)
        self._spake = made(
            code.encode(), idA=client_key.encode(), idB=host_key.encode(), entropy_f=entropy
        )
        self.share: str = self._spake.start()[1:].hex()
        """This side's element, 32 bytes in hex digits."""

    def proofs(self, share: str, said: bytes) -> Proofs:
        """Return the proofs of both sides; raises `ValueError` if `share` is not valid.

        Args:
            share: the other side's element.
            said: all lines of the enrolment so far, as sent: banner, enrol, challenge.
        """
        from spake2 import SPAKEError
        from spake2.ed25519_basic import NotOnCurve

        try:
            key: bytes = self._spake.finish(self._other + _element(share))
        except (SPAKEError, NotOnCurve, ValueError) as error:
            raise ValueError("this is no share") from error
        return Proofs(
            *(hmac.new(key, side + said, sha256).hexdigest() for side in (_CLIENT, _HOST))
        )


def _element(share: str) -> bytes:
    element = bytes.fromhex(share)
    if element.hex() != share or len(element) != 32:
        raise ValueError("a share is 32 bytes in lower-case hex digits")
    # The library rejects the neutral element in only one of its encodings.
    if not 1 < int.from_bytes(element, "little") % 2**255 < _PRIME:
        raise ValueError("a share is written in one way, and not the neutral element")
    return element


# The host side


SHARE_DIGITS: Final = 64
_HEX: Final = frozenset("0123456789abcdef")


class Peer(NamedTuple):
    """Where a visitor connects from."""

    source: str
    """The result of `coffeerush.joining.admission.source_of`."""
    is_local: bool
    """Whether it is on the host's machine."""


class _Exchange(NamedTuple):
    """A proof in progress."""

    enrol: Enrol
    code: str
    proof: CodeProof


Prove: TypeAlias = Callable[[AskTerm], TermProof]
"""Answers a host that asks whether its game goes on here."""


def has_no_game(asked: AskTerm) -> TermProof:
    """Return the answer that it does not."""
    return TermProof(asked.term)


class HostConversation:
    """The host side of the handshake with `peer`; `admission` decides who is admitted."""

    def __init__(
        self,
        admission: Admission,
        host_key: str,
        banner: bytes,
        peer: Peer,
        prove: Prove = has_no_game,
    ) -> None:
        self._admission = admission
        self._host_key = host_key
        self._prove = prove
        self._said = banner
        self.peer = peer
        self._exchange: _Exchange | None = None
        self.is_over = False
        """Whether the last line was sent."""
        self.refused = ""
        """The code of the refusal that ended it, if one did."""

    def hear(self, now: float, line: bytes) -> bytes:
        """Return the reply to a line of the visitor."""
        try:
            answer = self._answer(now, line)
        except RefusedError as error:
            self.refused = error.refusal.code
            answer = DoorRefused(error.refusal)
        self.is_over = not isinstance(answer, Challenge)
        said = encode_line(answer)
        self._said += line + said
        return said

    def leave(self) -> None:
        """Abort the handshake: the visitor has disconnected or timed out."""
        if self._exchange is not None:
            self._exchange = None
            self._admission.break_off(self.peer.source)

    def _answer(self, now: float, line: bytes) -> DoorAnswer:
        if self._exchange is not None:
            return self._conclude(now, line)
        enrol = _request(line)
        if isinstance(enrol, AskTerm):
            return self._prove(enrol)
        self._admission.check_not_removed(enrol.key)
        if enrol.share and self._admission.code:
            return self._challenge(now, enrol)
        self._admission.admit_unproven(enrol.key, is_local=self.peer.is_local)
        return Enrolled()

    def _challenge(self, now: float, enrol: Enrol) -> Challenge:
        self._admission.begin(now, self.peer.source)
        code = self._admission.code
        proof = CodeProof("host", code, enrol.key, self._host_key)
        self._exchange = _Exchange(enrol, code, proof)
        return Challenge(proof.share)

    def _conclude(self, now: float, line: bytes) -> Enrolled:
        assert self._exchange is not None  # checked by the caller
        enrol, code, proof = self._exchange
        self._exchange = None
        host_proof = ""
        try:
            proofs = proof.proofs(enrol.share, self._said)
            if proofs.client_fits(decode_proof(line).proof):
                host_proof = proofs.host
        except (WireError, ValueError):
            pass  # a malformed proof or share counts as a wrong code
        self._admission.prove(now, self.peer.source, enrol.key, code if host_proof else "")
        return Enrolled(host_proof)


def _request(line: bytes) -> DoorRequest:
    """Parse the first line of a visitor; raises `bad_key`."""
    try:
        enrol = decode_door_request(line)
        if isinstance(enrol, AskTerm):
            return enrol
        is_share = len(enrol.share) == SHARE_DIGITS and _HEX.issuperset(enrol.share)
        if is_curve_key(enrol.key) and (is_share or not enrol.share):
            return enrol
    except WireError:
        pass
    raise RefusedError("bad_key")


# The client side


class Unreachable(LinkError):
    """Nobody answers at the moment; a later retry may succeed."""


class NobodyHosts(Unreachable):
    """The machine is up, but no host listens on the port."""


class BrokenOff(Unreachable):
    """The handshake broke off; a retry may succeed."""


class WrongCode(LinkError):
    """The code is not the table's, or no longer."""


class Removed(LinkError):
    """The owner of the table has kicked this person."""


class StandsStill(BrokenOff):
    """The machine accepted the connection but sends no banner: a suspended host, perhaps."""


HOST_SAYS: Final = "{reason}"
"""The text of an error that only passes on a host's refusal."""

_REFUSED: Final[dict[str, type[LinkError]]] = {
    "door_busy": BrokenOff,
    "code_needed": CodeNeeded,
    "wrong_code": WrongCode,
    "removed": Removed,
}


def refused(refusal: Refusal) -> LinkError:
    """Turn a host's refusal into an error."""
    why = RefusedError.received(refusal)
    return _REFUSED.get(refusal.code, LinkError)(HOST_SAYS, reason=why)


class ClientConversation:
    """The client side of one handshake, with what is `known` of the host."""

    def __init__(self, address: Address, known: Known) -> None:
        self._address = address
        self._known = known
        self._said = b""
        self._host_key = ""
        self._proof: CodeProof | None = None
        self._proofs: Proofs | None = None
        self.proved = False
        """Whether the host has proved that it knows the code."""

    def hear_banner(self, line: bytes) -> Banner:
        """Check the host's first line and return it; raises `LinkError` if we must not go on."""
        try:
            banner = decode_banner(line)
        except WireError:
            raise _foreign(self._address) from None
        _check_version(self._address, banner)
        if not is_curve_key(banner.key):
            raise _foreign(self._address)
        check_banner(self._address, banner, self._known)
        self._said = line
        self._host_key = banner.key
        return banner

    def enrol(self, key: str) -> bytes:
        """Return the client's first line, which asks to admit a CURVE key in Z85."""
        share = ""
        if code := self._known.secret:
            self._proof = CodeProof("client", code, key, self._host_key)
            share = self._proof.share
        line = encode_line(Enrol(key, share))
        self._said += line
        return line

    def hear(self, line: bytes) -> bytes:
        """Return the reply to the host's next line; empty once admitted; raises `LinkError`."""
        try:
            answer = decode_door_answer(line)
        except WireError:
            raise _foreign(self._address) from None
        if isinstance(answer, DoorRefused):
            raise refused(answer.refusal)
        if isinstance(answer, Enrolled):
            self.proved = self._proofs is not None and self._proofs.host_fits(answer.proof)
            check_proof(self._address, self._known, self.proved)
            return b""
        if not isinstance(answer, Challenge) or self._proof is None or self._proofs is not None:
            raise _foreign(self._address)
        try:
            self._proofs = self._proof.proofs(answer.share, self._said + line)
        except ValueError:
            raise _foreign(self._address) from None
        return encode_line(Proof(self._proofs.client))


def _foreign(address: Address) -> LinkError:
    return LinkError(
        "The program at {address} is not a Coffee Rush host; check the port.", address=address
    )


def _check_version(address: Address, banner: Banner) -> None:
    """Check that it is a Coffee Rush host with a compatible protocol version."""
    if banner.game != PROTOCOL_NAME:
        raise _foreign(address)
    if banner.oldest > PROTOCOL_VERSION:
        raise LinkError(
            "The host at {address} is newer than this program: it speaks protocol "
            "{host}, this program {own}; update this program.",
            address=address,
            host=banner.oldest,
            own=PROTOCOL_VERSION,
        )
    if banner.newest < PROTOCOL_OLDEST:
        raise LinkError(
            "The host at {address} is older than this program: it speaks protocol "
            "{host}, this program {own}; the host must be updated.",
            address=address,
            host=banner.newest,
            own=PROTOCOL_OLDEST,
        )
