"""The catalogues as files: read, merged with the sources, written, compiled; stable bytes."""

from collections.abc import Iterable
from io import BytesIO
from pathlib import Path
from typing import Final

from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from coffeerush.local.settings import LANGUAGES

from .sources import PACKAGE

CODES: Final = tuple(code for code in LANGUAGES if code not in ("", "en"))
"""The languages that texts are translated to."""
WIDTH: Final = 100
_COMMENT: Final = "# Coffee Rush at a terminal: what it says to people."


class _Plain(Catalog):
    """A catalogue whose header has neither dates nor names: the same texts make the same file."""

    @property
    def mime_headers(self) -> list[tuple[str, str]]:
        """Return the lines of the header."""
        headers = [("Project-Id-Version", "coffeerush")]
        if self.locale_identifier:
            headers += [("Language", self.locale_identifier), ("Plural-Forms", self.plural_forms)]
        return [
            *headers,
            ("MIME-Version", "1.0"),
            ("Content-Type", "text/plain; charset=utf-8"),
            ("Content-Transfer-Encoding", "8bit\n"),
        ]


def po_file(code: str) -> Path:
    """Return where the catalogue of a language is."""
    return PACKAGE / "locale" / code / "LC_MESSAGES" / "coffeerush.po"


def mo_file(code: str) -> Path:
    """Return where the program reads the catalogue of a language."""
    return po_file(code).with_suffix(".mo")


def read(path: Path, code: str) -> Catalog:
    """Return the catalogue in a file.

    Raises:
        OSError: it cannot be read.
        babel.messages.pofile.PoFileError: it is no catalogue.
    """
    with path.open("rb") as file:
        return read_po(file, locale=code, charset="utf-8", abort_invalid=True)


def kept(code: str) -> Catalog:
    """Return the catalogue of a language as it is kept; an empty one where there is none yet."""
    path = po_file(code)
    return read(path, code) if path.exists() else Catalog(locale=code)


def merged(template: Catalog, translated: Catalog | None = None) -> Catalog:
    """Return the texts of `template`, with the translations that there are of them."""
    code = translated.locale_identifier if translated is not None else None
    catalog = _Plain(locale=code, header_comment=_COMMENT, fuzzy=False)
    for message in texts(template):
        known = find(translated, message) if translated is not None else None
        catalog.add(
            message.id,
            known.string if known and is_translated(known) else None,
            locations=message.locations,
            flags=known.flags if known else (),
            auto_comments=message.auto_comments,
            user_comments=known.user_comments if known else (),
            context=message.context,
        )
    return catalog


def find(catalog: Catalog, message: Message) -> Message | None:
    """Return the message of a catalogue for the same text, with a plural if that has one."""
    known = catalog.get(message.id, message.context)
    return known if known and known.pluralizable == message.pluralizable else None


def texts(catalog: Catalog) -> Iterable[Message]:
    """Return the messages of a catalogue, without its header."""
    return (message for message in catalog if message.id)


def forms(message: Message) -> tuple[str, ...]:
    """Return the translations of a message, one for each of the plural forms that it has."""
    found = message.string
    return (found,) if isinstance(found, str) else tuple(found or ())


def is_translated(message: Message) -> bool:
    """Tell whether no form of a message is missing."""
    return all(forms(message)) and forms(message) != ()


def po_bytes(catalog: Catalog) -> bytes:
    """Return a catalogue as the text of its file."""
    file = BytesIO()
    write_po(
        file, catalog, width=WIDTH, sort_output=True, ignore_obsolete=True, include_lineno=False
    )
    return file.getvalue()


def mo_bytes(catalog: Catalog) -> bytes:
    """Return a catalogue as the program reads it; what is fuzzy or missing is left out."""
    file = BytesIO()
    write_mo(file, merged(catalog, catalog))  # one that was read has the time in its header
    return file.getvalue()
