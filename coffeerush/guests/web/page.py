"""The page itself: its files, and its HTML in a visitor's language. Pure, but for reading files."""

import re
from html import escape
from importlib.resources import files
from ipaddress import ip_address
from typing import Final

from coffeerush.local.settings import LANGUAGES
from coffeerush.ui.pages.pages import OWN_NAMES
from coffeerush.ui.words.i18n import _, best_language, language, pgettext, speak_apart
from protocol import NAME_CELLS

HEADERS: Final = {
    "Content-Security-Policy": "default-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; object-src 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
"""Of every answer: nothing is loaded from elsewhere, and nobody frames the page."""
SOCKET: Final = "/socket"
_TYPES: Final = {
    "/page.js": "text/javascript",
    "/page.css": "text/css",
    "/icon.svg": "image/svg+xml",
}
_STATIC: Final = files("coffeerush.guests.web") / "static"


def file_at(path: str, accepted: str, *, listened: bool) -> tuple[str, str] | None:
    """Return the type and contents of what is at a path; None if there is nothing.

    Args:
        path: of the request.
        accepted: the header Accept-Language.
        listened: whether others can listen, because the connection is not encrypted.
    """
    if path in _TYPES:
        return _TYPES[path], (_STATIC / path[1:]).read_text(encoding="utf-8")
    asked = path[1:] or best_language(
        part.partition(";")[0].strip() for part in accepted.split(",")
    )
    return ("text/html", _html(asked, listened)) if asked in OWN_NAMES else None


def is_ours(host: str | None, name: str) -> bool:
    """Return whether a Host header names this machine by an address, or by its own name.

    Otherwise a page from elsewhere could let its name point here (DNS rebinding), and play with
    the token of the person who looks at it.
    """
    bare = re.fullmatch(r"(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+)(:\d{1,5})?", host or "")
    if bare is None:
        return False
    found = bare[1].strip("[]").lower()
    try:
        ip_address(found)
    except ValueError:
        return found in ("localhost", name.lower(), f"{name.lower()}.local")
    return True


def is_same_origin(origin: str | None, host: str) -> bool:
    """Return whether the page that opens a socket is ours."""
    return origin in (f"http://{host}", f"https://{host}")


def _html(spoken: str, listened: bool) -> str:
    """Return the page in a language, in a context of its own."""
    speak_apart([spoken])
    words = {
        "code": language().replace("_", "-"),
        "title": _("Coffee Rush"),
        "listeners": _("Not encrypted: people on this network can read along and take your seat."),
        "noscript": _("This page needs JavaScript."),
        "lost": _("Connection lost; trying again."),
        "name": _("Your name"),
        "ask": _("Join the table"),
        "watch": _("Watch without a seat"),
        "number": _("The number that the host's screen shows next to your name"),
        "join": pgettext("key", "connect"),
        "again": _("Come back to the table"),
        "language": _("Language"),
        "command": _("Command; “help” lists them"),
        "send": pgettext("key", "send"),
        "cancel": pgettext("key", "cancel"),
    }
    links = (
        f'<a href="/{code}" lang="{code.replace("_", "-")}">{escape(OWN_NAMES[code])}</a>'
        for code in LANGUAGES
        if code
    )
    page = (_STATIC / "index.html").read_text(encoding="utf-8")
    return page.format(
        **{name: escape(text) for name, text in words.items()},
        longest=NAME_CELLS,
        languages=" ".join(links),
        safe="" if listened else "hidden",
    )
