"""Read and write catalogue files, so that the same texts always produce the same bytes."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from io import BytesIO, StringIO
from pathlib import Path
from typing import Final

from babel.dates import format_datetime
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import PoFileError, normalize, read_po, write_po

from coffeerush.local.settings import LANGUAGES

from .sources import PACKAGE

COMPLETE: Final = tuple(code for code in LANGUAGES if code not in ("", "en"))
"""The languages that users can choose: their catalogues must be complete."""
LOCALE: Final = PACKAGE / "locale"
TEMPLATE: Final = LOCALE / "coffeerush.pot"
WIDTH: Final = 79
"""The line width that msgmerge, Poedit and Weblate use."""
_COMMENT: Final = "# Coffee Rush at a terminal: what it says to people."
_PREVIOUS: Final = "|"
"""Starts comments with the former text of a fuzzy entry; to Babel they are ordinary ones."""


class OurCatalog(Catalog):
    """A catalogue whose header changes at most once a day, and only if its texts changed."""

    @property
    def mime_headers(self) -> list[tuple[str, str]]:
        """Return the lines of the header; in a template they are placeholders."""
        headers = [
            ("Project-Id-Version", "coffeerush"),
            ("POT-Creation-Date", _day(self.creation_date)),
            ("PO-Revision-Date", _day(self.revision_date)),
            ("Last-Translator", self.last_translator),
            ("Language-Team", self.language_team),
            ("Language", self.locale_identifier or ""),
            ("MIME-Version", "1.0"),
            ("Content-Type", "text/plain; charset=UTF-8"),
            ("Content-Transfer-Encoding", "8bit"),
        ]
        if self.locale_identifier:
            headers.append(("Plural-Forms", self.plural_forms))
        return [*headers[:-1], (headers[-1][0], headers[-1][1] + "\n")]

    @mime_headers.setter
    def mime_headers(self, headers: Iterable[tuple[str, str]]) -> None:
        """Take the lines of a header that was read."""
        vars(Catalog)["mime_headers"].__set__(self, headers)


def today() -> datetime:
    """Return the date without the time, so that headers cause fewer merge conflicts."""
    return datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def new_catalog(code: str | None) -> Catalog:
    """Return an empty catalogue for a language, or for a template if it is None."""
    if code is None:
        return OurCatalog(header_comment=_COMMENT, creation_date=today())
    return OurCatalog(
        locale=code,
        header_comment=_COMMENT,
        creation_date=today(),
        revision_date=today(),
        last_translator="the coffeerush contributors",
        language_team="none",
        fuzzy=False,
    )


def codes() -> tuple[str, ...]:
    """Return the languages that have a catalogue, complete or not."""
    found = {path.parents[1].name for path in LOCALE.glob("*/LC_MESSAGES/coffeerush.po")}
    return (*COMPLETE, *sorted(found - {*COMPLETE}))


def po_file(code: str) -> Path:
    """Return the path of a language's catalogue."""
    return LOCALE / code / "LC_MESSAGES" / "coffeerush.po"


def read(path: Path, code: str | None) -> Catalog:
    """Read a catalogue from a file.

    Raises:
        OSError: it cannot be read.
        ValueError: it is not a catalogue.
    """
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
        # Babel merges identical comments, so number them.
        unlike = (re.sub(r"^#\|", f"#|{number} ", line) for number, line in enumerate(lines))
        catalog = read_po(unlike, locale=code, abort_invalid=True)
    except (ValueError, PoFileError) as error:
        raise ValueError(f"{path} is not a valid catalogue: {error}") from error
    for message in texts(catalog):
        former = [line for line in message.user_comments if line.startswith(_PREVIOUS)]
        message.user_comments = [line for line in message.user_comments if line not in former]
        message.previous_id = [*_former_text(former)]
    return catalog


def kept(code: str) -> Catalog:
    """Return the stored catalogue of a language; an empty one if there is none yet."""
    path = po_file(code)
    return read(path, code) if path.exists() else new_catalog(code)


def dated(template: Catalog) -> Catalog:
    """Return a template with our header, dated when its texts last changed."""
    catalog = new_catalog(None)
    for message in texts(template):
        catalog[message.id] = message
    if TEMPLATE.exists():
        former = read(TEMPLATE, None)
        if same_texts(former, catalog):
            catalog.creation_date = former.creation_date
    return catalog


def same_texts(one: Catalog, other: Catalog) -> bool:
    """Return whether two catalogues have the same texts with the same translations."""

    def said(catalog: Catalog) -> set[object]:
        return {
            (message.context, originals(message), "".join(forms(message)), message.fuzzy)
            for message in texts(catalog)
        }

    return said(one) == said(other)


def find(catalog: Catalog, message: Message) -> Message | None:
    """Return a catalogue's message for the same text, with a plural if that text has one."""
    known = catalog.get(message.id, message.context)
    return known if known and known.pluralizable == message.pluralizable else None


def texts(catalog: Catalog) -> Iterable[Message]:
    """Return the messages of a catalogue, without its header."""
    return (message for message in catalog if message.id)


def originals(message: Message) -> tuple[str, ...]:
    """Return the English text of a message, or its singular and plural."""
    return (message.id,) if isinstance(message.id, str) else tuple(message.id)


def forms(message: Message) -> tuple[str, ...]:
    """Return the translations of a message, one per plural form."""
    found = message.string
    return (found,) if isinstance(found, str) else tuple(found or ())


def is_translated(message: Message) -> bool:
    """Return whether all forms of a message are translated."""
    return all(forms(message)) and forms(message) != ()


def is_done(message: Message) -> bool:
    """Return whether the program uses a message's translation."""
    return is_translated(message) and not message.fuzzy


def po_bytes(catalog: Catalog) -> bytes:
    """Format a catalogue as the content of its file."""
    file = BytesIO()
    write_po(file, catalog, width=WIDTH, include_lineno=False)
    entries = file.getvalue().decode().rstrip("\n").split("\n\n")
    former = [_former_comment(message) for message in catalog]
    for index, comment in enumerate(former):
        if comment:
            above, keyword, below = f"\n{entries[index]}".partition("\nmsg")
            entries[index] = f"{above}\n{comment}{keyword}{below}"[1:]
    return ("\n\n".join(entries) + "\n").encode()


def _day(date: object) -> str:
    """Format a date for a header; the placeholder of an unknown date stays."""
    if isinstance(date, datetime):
        return format_datetime(date, "yyyy-MM-dd HH:mmZ", locale="en")
    return str(date)


def _former_comment(message: Message) -> str:
    """Return the lines with a fuzzy entry's former text; Babel would wrap long ones."""
    found = zip(("msgid", "msgid_plural"), message.previous_id, strict=False)
    shown = (f"{key} {normalize(text, width=WIDTH - 3)}" for key, text in found)
    return "\n".join(f"#| {line}" for text in shown for line in text.splitlines())


def _former_text(lines: list[str]) -> tuple[str, ...]:
    """Parse the former text from the comments of an entry."""
    entry = [line.partition(" ")[2].strip() for line in lines]
    if not entry:
        return ()
    (message,) = texts(read_po(StringIO("\n".join([*entry, 'msgstr ""']))))
    return originals(message)
