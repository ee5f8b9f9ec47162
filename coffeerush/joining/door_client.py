"""The client's end of the conversation at the door, sans-I/O: from the banner to being let in."""

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
    RefusalCode,
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
    """Nobody answers at the moment; trying again later makes sense."""


class NobodyHosts(Unreachable):
    """The machine is there, and no host on it."""


class BrokenOff(Unreachable):
    """Somebody is there, but what was begun did not come to its end; the next try may."""


class WrongCode(LinkError):
    """The code is not, or not any more, that of the table."""


class Removed(LinkError):
    """The owner of the table has sent this person away."""


class StandsStill(BrokenOff):
    """The machine took the connection, and nobody there says anything."""


HOST_SAYS: Final = "{reason}"
"""The text of an error that is a host's refusal."""

_REFUSED: Final[dict[RefusalCode, type[LinkError]]] = {
    "door_busy": BrokenOff,
    "code_needed": CodeNeeded,
    "wrong_code": WrongCode,
    "removed": Removed,
}


def refused(refusal: Refusal) -> LinkError:
    """Return the error that says why a host refuses something."""
    why = RefusedError(refusal.code, refusal.text)
    why.refusal = refusal  # as it came: its data may have any names
    return _REFUSED.get(refusal.code, LinkError)(HOST_SAYS, reason=why)


class ClientConversation:
    """One exchange at a door.

    Args:
        address: of the door.
        known: what the client knows of the host.
    """

    def __init__(self, address: Address, known: Known) -> None:
        self._address = address
        self._known = known
        self._said = b""
        self._host_key = ""
        self._proof: CodeProof | None = None
        self._proofs: Proofs | None = None
        self.proved = False
        """Whether the host has shown that it knows the code."""

    def hear_banner(self, line: bytes) -> Banner:
        """Return the host's first line; raises `LinkError` where nothing is to be said to it."""
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
        """Return the client's first line, which asks to let in a CURVE key in Z85."""
        share = ""
        if code := self._known.secret:
            self._proof = CodeProof("client", code, key, self._host_key)
            share = self._proof.share
        line = encode_line(Enrol(key, share))
        self._said += line
        return line

    def hear(self, line: bytes) -> bytes:
        """Return what to say to the host's next line; nothing where it has let in.

        Raises:
            LinkError: it has not, or is not to be trusted.
        """
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
        return self._prove(self._proof, answer.share, line)

    def _prove(self, proof: CodeProof, share: str, line: bytes) -> bytes:
        try:
            self._proofs = proof.proofs(share, self._said + line)
        except ValueError:
            raise _foreign(self._address) from None
        return encode_line(Proof(self._proofs.client))


def _foreign(address: Address) -> LinkError:
    return LinkError(
        "What answers at {address} is not a Coffee Rush host; check the port.", address=address
    )


def _check_version(address: Address, banner: Banner) -> None:
    """Look at whether the host is one of ours that we can talk with."""
    if banner.game != PROTOCOL_NAME:
        raise _foreign(address)
    if banner.oldest > PROTOCOL_VERSION:
        raise LinkError(
            "The host at {address} is newer than this program: it speaks protocol {host}, this one "
            "{own}; update this one.",
            address=address,
            host=banner.oldest,
            own=PROTOCOL_VERSION,
        )
    if banner.newest < PROTOCOL_OLDEST:
        raise LinkError(
            "The host at {address} is older than this program: it speaks protocol {host}, this one "
            "{own}; the host must be updated.",
            address=address,
            host=banner.newest,
            own=PROTOCOL_OLDEST,
        )
