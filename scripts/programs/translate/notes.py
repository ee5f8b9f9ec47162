"""Notes for translators: where each text appears, and a sample value for each placeholder."""

from collections.abc import Iterator
from string import Formatter

from babel.messages.catalog import Message

from .samples import CONTEXTS, PLACES, SAMPLES


def comments(message: Message) -> Iterator[str]:
    """Yield the notes for the translator of a text, one line each."""
    files = [place for place, _line in message.locations]
    if message.context:
        yield CONTEXTS[message.context]
    else:
        yield from dict.fromkeys(place_of(file) for file in files)
    for name in placeholders(message):
        meant = (SAMPLES.get(f"{name} @ {file}") for file in files or ["click"])
        yield f"{{{name}}}: {next(filter(None, meant), SAMPLES[name])}"


def place_of(file: str) -> str:
    """Return where the texts of a file appear."""
    return next(where for start, where in PLACES.items() if file.startswith(start))


def placeholders(message: Message) -> list[str]:
    """Return the names of a text's placeholders, in order."""
    forms = (message.id,) if isinstance(message.id, str) else message.id
    return [
        *dict.fromkeys(name for form in forms for _, name, _, _ in Formatter().parse(form) if name)
    ]
