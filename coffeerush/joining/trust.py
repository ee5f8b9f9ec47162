"""Whether what answers at an address is the host that a person means, before anything is played.

A code proves it. Without one, what a code has proved before has to be there still.
"""

from typing import NamedTuple

from coffeerush.errors import LinkError
from protocol import Banner

from .address import Address
from .code import OPEN


class CodeNeeded(LinkError):
    """The host lets nobody in without its code; a code helps."""


class AnotherHost(CodeNeeded):
    """Not the host whose code the person once had."""


class Unproven(LinkError):
    """The host cannot show that it knows the code which the person has."""


class Known(NamedTuple):
    """What a client knows of a host before it hears from it; keys are CURVE keys in Z85."""

    code: str = ""
    """As a person gave it: a join code, `OPEN`, or nothing."""
    pinned: str = ""
    """The key that proved a code at this address before."""
    session: str = ""
    """The key of the host at whose table this client is, where it comes back."""
    here: bool = False
    """Whether the host is on this very machine, with nobody in between."""

    @property
    def secret(self) -> str:
        """The join code, where there is one."""
        return "" if self.code == OPEN else self.code


def check_banner(address: Address, banner: Banner, known: Known) -> None:
    """Look at what a host says of itself.

    Raises:
        LinkError: it is not, or may not be, the one that the person means.
    """
    if known.session and known.session != banner.key:
        raise AnotherHost(
            "Another host than the one of your table answers at {address} now; if you mean that "
            "one, join it with its code.",
            address=address,
        )
    if known.here or known.session:
        return
    if known.secret and not banner.code:
        raise Unproven(
            "The host at {address} asks for no code, but you have one: it may be another than the "
            "one you mean. If you know it, give the word “open” in the code's place.",
            address=address,
        )
    if known.secret or known.pinned in ("", banner.key):
        return
    if banner.code:
        raise AnotherHost(
            "Another host than the one whose code you had answers at {address}; ask for its code, "
            "and join it with that.",
            address=address,
        )
    if known.code != OPEN:
        raise AnotherHost(
            "Another host than the one whose code you had answers at {address}, and it asks for no "
            "code. If you know it, give the word “open” in the code's place.",
            address=address,
        )


def check_proof(address: Address, known: Known, proved: bool) -> None:
    """Look at whether a host that has let this client in may do so.

    Raises:
        Unproven: it owed a proof of the code that the person gave.
    """
    if known.secret and not known.here and not proved:
        raise Unproven(
            "The host at {address} did not prove that it knows the code you gave, so it is not the "
            "one you mean; look at the address again on the host's screen.",
            address=address,
        )
