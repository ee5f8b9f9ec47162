"""How others come to a table of one's own: at which addresses, with which code; and in words."""

from msgspec import Struct

from coffeerush.joining.code import OPEN, spoken_code
from coffeerush.ui.words.i18n import _, language
from coffeerush.ui.words.safe_text import Lines


class Invitation(Struct, frozen=True):
    """What the host of a table has told its owner's screen."""

    addresses: tuple[str, ...] = ()
    """At which others join, the likeliest first; none where the host is not one's own."""
    code: str = ""
    """As `coffeerush.joining.code` writes it; empty where everybody may join."""

    @property
    def command(self) -> str:
        """What others type to come to the likeliest address."""
        return join_command(self.addresses[0], self.code)


UNINVITED = Invitation()
"""Of a table that is not one's own, or is for nobody else."""


def join_command(address: str, code: str) -> str:
    """Return what others type to come to a table."""
    return f"coffeerush join {address} {code or OPEN}"


def join_lines(invitation: Invitation) -> Lines:
    """Return what others type at each address."""
    text = _("Others join with: {command}")
    return tuple(
        text.format(command=join_command(address, invitation.code))
        for address in invitation.addresses
    )


def code_line(code: str) -> str:
    """Return a code as it is said in the language of the person, or that there is none."""
    if not code:
        return _("No code is asked for: everybody who reaches this address can sit down.")
    return _("Code: {code}").format(code=spoken_code(code, language()))


def invitation_lines(invitation: Invitation) -> Lines:
    """Return how others join; nothing where that is not known."""
    if not invitation.addresses:
        return ()
    return (*join_lines(invitation), code_line(invitation.code))


def new_code_line() -> str:
    """Return why a code is another one now."""
    return _("The table has a new code, after too many wrong ones or because somebody was removed.")
