"""Decide whether a client trusts the host at an address: join code, pinned key or session key.

A code proves the host's identity. Without one, the key that proved a code before must still match.
"""

from typing import NamedTuple

from coffeerush.errors import LinkError
from protocol import Banner

from .address import Address
from .code import OPEN


class CodeNeeded(LinkError):
    """The host needs its code to admit this client; giving the code helps."""


class AnotherHost(CodeNeeded):
    """Not the host that was trusted at this address before."""


class Unproven(LinkError):
    """The host cannot prove that it knows the person's code."""


class Known(NamedTuple):
    """A client's knowledge of a host before the handshake; keys are CURVE keys in Z85."""

    code: str = ""
    """The user's input: a join code, `OPEN`, or empty."""
    pinned: str = ""
    """The key that proved a code at this address before."""
    session: str = ""
    """When reconnecting: the key of the host of this client's table."""
    here: bool = False
    """Whether the host is on this machine, so that there can be no man in the middle."""

    @property
    def secret(self) -> str:
        """The join code, or empty."""
        return "" if self.code == OPEN else self.code


def check_banner(address: Address, banner: Banner, known: Known) -> None:
    """Raise `LinkError` unless a banner may be that of the host that the person means."""
    if known.session and known.session != banner.key:
        raise AnotherHost(
            "A different host now answers at {address}; if you want that one, join with its code.",
            address=address,
        )
    if known.here or known.session:
        return
    if known.secret and not banner.code:
        raise Unproven(
            "The host at {address} asks for no code, but you have one, so it may not "
            "be the host you mean. If you know this host, enter “open” instead of the "
            "code.",
            address=address,
        )
    if known.secret or known.pinned in ("", banner.key):
        return
    if banner.code:
        raise AnotherHost(
            "The host now at {address} is not the one that you joined with a code "
            "before; ask for its code, and join with that.",
            address=address,
        )
    if known.code != OPEN:
        raise AnotherHost(
            "The host now at {address} is not the one that you joined with a code "
            "before, and it asks for no code. If you know this host, enter “open” "
            "instead of the code.",
            address=address,
        )


def check_proof(address: Address, known: Known, proved: bool) -> None:
    """Raise `Unproven` if a host admitted this client without proving its code."""
    if known.secret and not known.here and not proved:
        raise Unproven(
            "The host at {address} did not prove that it knows the code you gave, so "
            "it is not the one you mean; check the address on the host's screen.",
            address=address,
        )
