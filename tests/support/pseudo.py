"""A pseudo-language from the template: accented English, about 40% longer."""

import re
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po, write_po

from coffeerush.ui.words.i18n import LOCALE

CODE = "fr"
"""Under a code that has no catalogue, and plurals as English."""
PADDING = "ö"
_ACCENTS = str.maketrans("aeiounycsAEIOUNYCS", "áéíóúñýçšÁÉÍÓÚÑÝÇŠ")
_WORD = re.compile(r"(\{[^}]*\}|[^\w{]+)")
_DRINK_CELLS = 24


def write_pseudo(folder: Path) -> None:
    """Write the catalogue into a folder of catalogues."""
    template = read_po((LOCALE / "coffeerush.pot").read_bytes().splitlines())
    catalog = Catalog(locale=CODE)
    for message in template:
        if message.id:
            catalog.add(message.id, _translations(message), context=message.context)
    file = BytesIO()
    write_po(file, catalog, width=0)
    path = folder / CODE / "LC_MESSAGES" / "coffeerush.po"
    path.parent.mkdir(parents=True)
    path.write_bytes(file.getvalue())


def _translations(message: Message) -> str | tuple[str, ...]:
    if isinstance(message.id, str):
        return pseudo(message.id, message.context)
    return tuple(pseudo(text, message.context) for text in message.id)


def pseudo(text: str, context: str | None = None) -> str:
    """Return a text of the pseudo-language: what stands in braces is as it was."""
    if context == "token":
        return text.translate(_ACCENTS)
    longer = "".join(
        part if place % 2 else part.translate(_ACCENTS) + PADDING * round(0.4 * len(part))
        for place, part in enumerate(_WORD.split(text))
    )
    return longer[:_DRINK_CELLS].rstrip() if context == "drink" else longer
