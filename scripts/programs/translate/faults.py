"""Check translations, and describe mistakes to the translator."""

import re
import unicodedata
from collections.abc import Iterator
from string import Formatter
from typing import Final

from babel.messages.catalog import Catalog, Message

from coffeerush.ui.terminal.canvas import width
from protocol import NAME_CELLS

from .catalogues import find, forms, is_done, is_translated, originals, texts
from .sources import DRINK

TOKEN: Final = "token"
"""The context of the two-cell abbreviations of ingredients."""
TOKEN_CELLS: Final = 2
COMMAND: Final = "command"
"""The context of the words that users type."""
_EDGES: Final = re.compile(r"^(\s*).*?(\s*)$", re.DOTALL)
_KEPT_CONTROLS: Final = {"\n", "\t"}


def faults(catalog: Catalog) -> Iterator[str]:
    """Yield mistakes in the existing translations of a catalogue, one line each."""
    for message in filter(is_done, texts(catalog)):
        for fault in mistakes(message, catalog.num_plurals):
            yield f"{shown(message)}: {fault}"
    yield from _twins(catalog, TOKEN)
    yield from _twins(catalog, COMMAND)


def unfinished(catalog: Catalog) -> Iterator[str]:
    """Yield missing and fuzzy translations of a catalogue, one line each."""
    for message in texts(catalog):
        if not is_translated(message):
            yield f"{shown(message)}: is not translated"
        elif message.fuzzy:
            former = f", of “{message.previous_id[0]}”" if message.previous_id else ""
            yield f"{shown(message)}: is marked as fuzzy{former}: “{forms(message)[0]}”"


def progress(catalog: Catalog) -> str:
    """Return how much of a catalogue is translated."""
    total = sum(1 for _message in texts(catalog))
    done = sum(map(is_done, texts(catalog)))
    fuzzy = sum(message.fuzzy and is_translated(message) for message in texts(catalog))
    percent = 100 * done // total if total else 100
    return (
        f"{percent}%, {done} of {total} translated; {fuzzy} fuzzy, {total - done - fuzzy} missing"
    )


def mistakes(message: Message, plurals: int) -> Iterator[str]:
    """Yield mistakes in the forms of a translated message."""
    english = originals(message)
    if len(forms(message)) != (plurals if message.pluralizable else 1):
        yield f"has {len(forms(message))} plural forms, but this language has {plurals}"
    for index, form in enumerate(forms(message)):
        # Only the first form may omit the count, as in “one card”, and only in languages with more
        # forms and does not also use the first one for 21.
        models = english if index == 0 and plurals == 2 else english[-1:]
        yield from _form_mistakes(form, models)
    if message.context == TOKEN and width(forms(message)[0]) != TOKEN_CELLS:
        yield f"“{forms(message)[0]}” is not {TOKEN_CELLS} cells wide"
    if message.context == COMMAND and len(forms(message)[0].split()) != 1:
        yield f"“{forms(message)[0]}” is not one word"
    if message.context == DRINK and width(forms(message)[0]) > NAME_CELLS:
        yield f"“{forms(message)[0]}” is wider than {NAME_CELLS} cells"


def take(catalog: Catalog, new: Catalog, *, fuzzy_too: bool = False) -> tuple[int, list[str]]:
    """Import the translations of `new` into `catalog`; with `fuzzy_too`, fuzzy ones as well.

    Returns:
        How many were imported, and the mistakes in the others.
    """
    taken, wrong = 0, list[str]()
    for message in filter(is_translated, texts(new)):
        known = find(catalog, message)
        if known is None:
            found = ["is not in the catalogue"]
        elif message.fuzzy and not fuzzy_too:
            found = [] if is_done(known) else ["is still marked as fuzzy"]
        else:
            found = [*mistakes(message, new.num_plurals)]
            if not found:
                taken += 1
                known.string = message.string
                known.flags.discard("fuzzy")
                known.previous_id = []
        wrong += [f"{shown(message)}: {fault}" for fault in found]
    return taken, wrong


def shown(message: Message) -> str:
    """Describe a message in one line."""
    context = f"{message.context}: " if message.context else ""
    return context + originals(message)[0].replace("\n", "\\n")


def _form_mistakes(form: str, models: tuple[str, ...]) -> Iterator[str]:
    try:
        fields = _fields(form)
        form.format_map(_Anything())
    except (ValueError, LookupError) as error:
        yield f"“{form}” has a malformed placeholder: {error}"
        return
    if all(fields != _fields(model) for model in models):
        wanted = ", ".join(sorted(_fields(models[-1]))) or "none"
        yield f"“{form}” does not have exactly these placeholders: {wanted}"
    if _edges(form) != _edges(models[-1]):
        yield f"“{form}” does not begin and end with the same spaces as the English text"
    if any(unicodedata.category(sign) == "Cc" for sign in set(form) - _KEPT_CONTROLS):
        yield f"{form!a} has a control character"
    if not unicodedata.is_normalized("NFC", form):
        yield f"“{form}” is not in Unicode normalization form NFC"


def _twins(catalog: Catalog, context: str) -> Iterator[str]:
    """Yield texts of a context that should be unique but have the same translation."""
    ours = [
        message for message in texts(catalog) if message.context == context and is_done(message)
    ]
    # the English words of commands can be typed in every language
    seen = {str(message.id): str(message.id) for message in ours} if context == COMMAND else {}
    for message in ours:
        form = forms(message)[0].casefold()
        if seen.setdefault(form, str(message.id)) != message.id:
            yield f"{shown(message)}: “{form}” already means {seen[form]}"


def _fields(text: str) -> frozenset[str]:
    """Return the placeholders of a text as written, including their formats."""
    return frozenset(
        f"{{{name}{f'!{conversion}' if conversion else ''}{f':{spec}' if spec else ''}}}"
        for _text, name, spec, conversion in Formatter().parse(text)
        if name is not None
    )


def _edges(text: str) -> tuple[str, ...]:
    found = _EDGES.match(text)
    assert found is not None  # any text fits
    return found.groups()


class _Anything(dict[str, float]):
    """A value for each placeholder; a number fits every format."""

    def __missing__(self, name: str) -> float:
        return 1.0
