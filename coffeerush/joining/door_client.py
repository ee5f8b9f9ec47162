"""The client side of the door handshake, sans-I/O: from the banner to being admitted."""

from typing import Final

from coffeerush.errors import LinkError
from protocol import (
    PROTOCOL_NAME,
    PROTOCOL_OLDEST,
    PROTOCOL_VERSION,
    Banner,
    DoorRefused,
    Enrol,
    Enrolled,
    Proof,
    Refusal,
    RefusedError,
    WireError,
    decode_banner,
    decode_door_answer,
    encode_line,
    is_curve_key,
)

from .address import Address
from .code_proof import CodeProof, Proofs
from .trust import CodeNeeded, Known, check_banner, check_proof


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
        if self._proof is None or self._proofs is not None:
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
