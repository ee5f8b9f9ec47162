"""How others join, in sentences: addresses, commands, code."""

from coffeerush.client.model import UNINVITED, Invitation, Model
from coffeerush.joining.code import join_command, spoken_code
from protocol import Asker, clean_line

from .command_words import said
from .i18n import _, language
from .safe_text import Lines


def join_commands(invitation: Invitation) -> Lines:
    """Return the command that others type, for each address, with the code of `code_line`."""
    return tuple(
        join_command(address, invitation.code, language()) for address in invitation.addresses
    )


def join_lines(invitation: Invitation) -> Lines:
    """Return the sentence with the command that others type, for each address."""
    text = _("Others join with: {command}")
    return tuple(text.format(command=command) for command in join_commands(invitation))


def code_line(code: str) -> str:
    """Return the code in the words of the current language, or a line that says there is none."""
    if not code:
        return _("No code is needed: anybody who can reach this address can join.")
    return _("Code: {code}").format(code=spoken_code(code, language()))


def guest_lines(invitation: Invitation) -> Lines:
    """Return the ways to join for guests who do not have this program; () if there are none."""
    if invitation.no_guests:
        text = _("Guests without this program cannot join: {reason}")
        return (text.format(reason=clean_line(invitation.no_guests)),)
    if not invitation.ssh:
        return ()
    page = _("With a browser: {address}").format(address=invitation.page)
    return (
        *((page,) if invitation.page else ()),
        _("Without this program: {command}").format(command=invitation.ssh),
        _("The host key that ssh shows: {fingerprint}").format(fingerprint=invitation.fingerprint),
    )


def asking_lines(invitation: Invitation, known: Invitation = UNINVITED) -> Lines:
    """Return the others who ask to join with a browser, each with the number to type there."""
    text = _("The number that guest {guest} ({name}) may type in the browser: {number}")
    return tuple(
        text.format(guest=one[0], name=one[1], number=one[2])
        for one in invitation.asking
        if one not in known.asking
    )


def asker_lines(asker: Asker, key: str, other: str) -> Lines:
    """Return the names of those who ask to come in and the keys that answer, in two lengths."""
    words = {"name": asker.name, "guest": asker.guest, "key": key, "other": other}
    texts = (
        _(
            "Guest {guest} ({name}) asks to come in (browser): “{key}” lets in, “{other}” "
            "turns away"
        ),
        _("Guest {guest} ({name}): “{key}” lets in, “{other}” turns away"),
        _("Guest {guest} ({name}): “{key}” lets in"),
    )
    return tuple(text.format(**words) for text in texts)


def askers_told(model: Model, before: Model | None = None) -> Lines:
    """Return whom this person may let in, and has not heard of yet, with the words to type."""
    text = _(
        "Guest {guest} ({name}) asks to come in with a browser: type “{admit} {guest}” to let them "
        "in, or “{reject} {guest}”."
    )
    words = {"admit": said("admit"), "reject": said("reject")}
    heard = before.table if before and before.may_let_in else None
    known = heard.letting_in.asking if heard else ()
    new = (one for one in model.asking if one not in known)
    return tuple(text.format(name=one.name, guest=one.guest, **words) for one in new)


def guests_line(anybody: bool) -> str:
    """Return the sentence about who lets guests with a browser in."""
    if anybody:
        return _("Anybody at the table may let in guests who come with a browser.")
    return _("Only the owner may let in guests who come with a browser.")


def invitation_lines(invitation: Invitation) -> Lines:
    """Return the ways to join for others; () if they are unknown."""
    if not invitation.addresses:
        return ()
    others = (*guest_lines(invitation), *asking_lines(invitation))
    return (*join_lines(invitation), code_line(invitation.code), *others)


def new_code_line() -> str:
    """Return why the code has changed."""
    return _(
        "The table has a new code, because too many wrong ones were tried or somebody was removed."
    )
