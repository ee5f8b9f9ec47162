"""The join code's proof at the door: SPAKE2, and a proof of both sides under the key it leads to.

Whoever listens, or stands in between, can try one code for each enrolment that they take part in,
and none afterwards. Both proofs cover every line that was said before, the CURVE keys among them,
so that nobody in between can put their own key in the place of another.

SPAKE2 is that of the `spake2` library, on Ed25519; `protocol/SPEC.md` describes it for others.
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
    """What each side has to show, 32 bytes in hex digits."""

    client: str
    host: str

    def client_fits(self, shown: str) -> bool:
        """Tell whether a client showed its proof."""
        return hmac.compare_digest(self.client.encode(), shown.encode())

    def host_fits(self, shown: str) -> bool:
        """Tell whether a host showed its proof."""
        return hmac.compare_digest(self.host.encode(), shown.encode())


class CodeProof:
    """One side of one enrolment; nothing of it may be used for another.

    Args:
        side: whose.
        code: the join code, as `coffeerush.joining.code` writes it.
        client_key: the CURVE public key that is to be let in, in Z85.
        host_key: the host's.
        entropy: gives so many random bytes.
    """

    def __init__(
        self,
        side: Literal["client", "host"],
        code: str,
        client_key: str,
        host_key: str,
        entropy: Callable[[int], bytes] = os.urandom,
    ) -> None:
        # only here: most connections of a client need no code, and the first frame does not wait
        from spake2 import SPAKE2_A, SPAKE2_B

        self._other, made = (b"B", SPAKE2_A) if side == "client" else (b"A", SPAKE2_B)
        self._spake = made(
            code.encode(), idA=client_key.encode(), idB=host_key.encode(), entropy_f=entropy
        )
        self.share: str = self._spake.start()[1:].hex()
        """This side's element, 32 bytes in hex digits."""

    def proofs(self, share: str, said: bytes) -> Proofs:
        """Return the proofs of both sides.

        Args:
            share: the other side's element.
            said: all lines of the enrolment so far, as they were sent: banner, enrol, challenge.

        Raises:
            ValueError: the other side's share is none.
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
    # The library knows the neutral element in one of its forms only.
    if not 1 < int.from_bytes(element, "little") % 2**255 < _PRIME:
        raise ValueError("a share is written in one way, and not the neutral element")
    return element
