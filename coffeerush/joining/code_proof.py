"""Prove knowledge of the join code: SPAKE2 with mutual key confirmation by HMAC.

An active attacker can try one code per enrolment that they take part in; offline guessing is
impossible. Both proofs cover all lines sent before, including the CURVE keys, so that a man in the
middle cannot substitute a key.

SPAKE2 is that of the `spake2` library, on Ed25519; `protocol/SPEC.md` specifies it.
"""

import hmac
import os
from collections.abc import Callable
from hashlib import sha256
from typing import Final, Literal, NamedTuple

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
