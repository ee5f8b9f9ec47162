"""How others join, in sentences: addresses, commands, code."""

from coffeerush.client.invitation import UNINVITED, Invitation
from coffeerush.joining.code import join_command, spoken_code

from .i18n import _, language
from .safe_text import Lines


def join_lines(invitation: Invitation) -> Lines:
    """Return the command that others type, for each address."""
    text = _("Others join with: {command}")
    return tuple(
        text.format(command=join_command(address, invitation.code))
        for address in invitation.addresses
    )


def code_line(code: str) -> str:
    """Return the code in the words of the current language, or a line that says there is none."""
    if not code:
        return _("No code is needed: anybody who can reach this address can join.")
    return _("Code: {code}").format(code=spoken_code(code, language()))


def guest_lines(invitation: Invitation) -> Lines:
    """Return how guests join who do not have this program; () if they cannot."""
    if not invitation.ssh:
        return ()
    page = _("With a browser: {address}").format(address=invitation.page)
    return (
        *((page,) if invitation.page else ()),
        _("Without this program: {command}").format(command=invitation.ssh),
        _("The host key that ssh shows: {fingerprint}").format(fingerprint=invitation.fingerprint),
    )


def asking_lines(invitation: Invitation, known: Invitation = UNINVITED) -> Lines:
    """Return who else asks to be let in with a browser, each with the number to type there."""
    text = _("{name} asks to join with a browser. The number to type there: {number}")
    return tuple(
        text.format(name=name, number=number)
        for name, number in invitation.asking
        if (name, number) not in known.asking
    )


def invitation_lines(invitation: Invitation) -> Lines:
    """Return how others join; () if that is unknown."""
    if not invitation.addresses:
        return ()
    others = (*guest_lines(invitation), *asking_lines(invitation))
    return (*join_lines(invitation), code_line(invitation.code), *others)


def new_code_line() -> str:
    """Return why the code has changed."""
    return _(
        "The table has a new code, because too many wrong ones were tried or somebody was removed."
    )
