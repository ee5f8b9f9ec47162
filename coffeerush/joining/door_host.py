"""The host side of the door handshake, sans-I/O: from the banner to the last line."""

from typing import Final, NamedTuple

from protocol import (
    Challenge,
    DoorAnswer,
    DoorRefused,
    Enrol,
    Enrolled,
    RefusedError,
    WireError,
    decode_enrol,
    decode_proof,
    encode_line,
    is_curve_key,
)

from .admission import Admission
from .code_proof import CodeProof

SHARE_DIGITS: Final = 64
_HEX: Final = frozenset("0123456789abcdef")


class Peer(NamedTuple):
    """Where a visitor connects from."""

    source: str
    """The result of `coffeerush.joining.sources.source_of`."""
    is_local: bool
    """Whether it is on the host's machine."""


class _Exchange(NamedTuple):
    """A proof in progress."""

    enrol: Enrol
    code: str
    proof: CodeProof


class HostConversation:
    """The host side of the handshake with `peer`; `admission` decides who is admitted."""

    def __init__(self, admission: Admission, host_key: str, banner: bytes, peer: Peer) -> None:
        self._admission = admission
        self._host_key = host_key
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
        enrol = _enrol(line)
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


def _enrol(line: bytes) -> Enrol:
    """Parse the first line of a visitor; raises `bad_key`."""
    try:
        enrol = decode_enrol(line)
        is_share = len(enrol.share) == SHARE_DIGITS and _HEX.issuperset(enrol.share)
        if is_curve_key(enrol.key) and (is_share or not enrol.share):
            return enrol
    except WireError:
        pass
    raise RefusedError("bad_key")
