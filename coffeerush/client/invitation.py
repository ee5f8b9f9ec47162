"""How others join this person's own table: addresses and join code."""

from msgspec import Struct

from coffeerush.joining.code import join_command


class Invitation(Struct, frozen=True):
    """Addresses and join code, as sent by the host to its owner's screen."""

    addresses: tuple[str, ...] = ()
    """Where others join, most likely first; none if the host is not one's own."""
    code: str = ""
    """In the form of `coffeerush.joining.code`; empty if everybody may join."""
    ssh: str = ""
    """The command with which guests join who do not have this program; empty if they cannot."""
    fingerprint: str = ""
    """The key that ssh shows them."""
    page: str = ""
    """The address of the page for browsers; empty if there is none."""
    asking: tuple[tuple[int, str, str], ...] = ()
    """The guests with a browser who ask to come in, and the number for each to type there."""
    no_guests: str = ""
    """Why they cannot join although they should, a sentence."""

    @property
    def scanned(self) -> str:
        """What the QR code contains: the page if there is one, because phones scan it.

        Else the command to type, with the English words: the person who scans it may speak any
        language.
        """
        return self.page or join_command(self.addresses[0], self.code)


UNINVITED = Invitation()
"""For somebody else's table, or one that nobody else can join."""
