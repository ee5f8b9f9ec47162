"""Merge the texts of the sources into a catalogue, like msgmerge, without losing translations."""

from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from functools import cache
from typing import Final, TypeAlias

from babel.messages.catalog import Catalog, Message
from msgspec import Struct

from .catalogues import forms, is_translated, new_catalog, originals, texts

NEAR: Final = 0.6
"""The minimum similarity for a new text to inherit the translation of a removed one."""
_BLANK: Final = Catalog()

Key: TypeAlias = tuple[str | None, str]
"""The key of an entry: its context and its singular text."""


class Rewording(Struct, frozen=True, forbid_unknown_fields=True):
    """A text of the sources and its replacement, with singular and plural if it has both."""

    old: str | tuple[str, str]
    new: str | tuple[str, str]
    context: str | None = None
    same: bool = False
    """Whether the translations stay valid, because only the English text had a mistake."""

    @property
    def key(self) -> Key:
        """The key of the old text's entry."""
        return self.context, self.old if isinstance(self.old, str) else self.old[0]

    @property
    def new_key(self) -> Key:
        """The key of the new text's entry."""
        return self.context, self.new if isinstance(self.new, str) else self.new[0]


def key_of(message: Message) -> Key:
    """Return the key of an entry."""
    return message.context, originals(message)[0]


def merged(template: Catalog, translated: Catalog, rewordings: Iterable[Rewording] = ()) -> Catalog:
    """Return the texts of a dated template with their existing translations.

    A text that was reworded, or resembles a removed one, inherits its translation, marked as fuzzy.
    Unused translations are kept as obsolete, and are reused if their text comes back.
    """
    catalog = new_catalog(translated.locale_identifier)
    catalog.creation_date = template.creation_date
    for name in ("revision_date", "last_translator", "language_team"):
        if getattr(translated, name) != getattr(_BLANK, name):
            setattr(catalog, name, getattr(translated, name))
    wanted = {key_of(message): message for message in texts(template)}
    known = {key_of(message): message for message in _translations(translated)}
    reworded = {rewording.new_key: rewording for rewording in rewordings if rewording.key in known}
    former = {rewording.key for rewording in reworded.values()}
    # Texts whose old wording now belongs to another text are not looked up by it.
    sources = {
        key: key for key in wanted if key in known and not (key in reworded and key in former)
    }
    for key in wanted.keys() - sources.keys():
        if key in reworded:
            sources[key] = reworded[key].key
    sources |= _near(wanted.keys() - sources.keys(), known.keys() - sources.values())
    for key, message in wanted.items():
        source = sources.get(key)
        same = source != key and key in reworded and reworded[key].same
        _add(catalog, message, known[source] if source else None, same=same)
    used = {*sources.values()}
    for key in (key for key in known if key not in used):
        gone = _as_translated(known[key])
        context, text = key if key_of(gone) in wanted else key_of(gone)
        catalog.obsolete[text, context or ""] = gone
    return catalog


def _translations(catalog: Catalog) -> Iterator[Message]:
    """Yield all translations; of several entries with the same key, the last one wins."""
    yield from filter(is_translated, [*catalog.obsolete.values(), *texts(catalog)])


def _near(new: Iterable[Key], gone: Iterable[Key]) -> dict[Key, Key]:
    """Match new texts with similar removed ones, best matches first, each used once."""
    pairs = sorted(
        (-likeness(text, old), (context or "", text), (former or "", old), (context, text))
        for context, text in new
        for former, old in gone
        if (former == context or text == old) and likeness(text, old) >= NEAR
    )
    found = dict[Key, Key]()
    used = set[tuple[str, str]]()
    for _likeness, _new, old, key in pairs:
        if key not in found and old not in used:
            used.add(old)
            found[key] = (old[0] or None, old[1])
    return found


@cache
def likeness(one: str, other: str) -> float:
    """Return the similarity of two texts, from 0 to 1; 0 if a quick check shows that it is low."""
    matcher = SequenceMatcher(None, one.lower(), other.lower())
    quick = matcher.real_quick_ratio() >= NEAR and matcher.quick_ratio() >= NEAR
    return matcher.ratio() if quick else 0.0


def _add(catalog: Catalog, message: Message, known: Message | None, *, same: bool) -> None:
    """Add a text with its translation, or with that of its former wording."""
    former = tuple(known.previous_id) if known and known.fuzzy else ()
    if known and originals(known) != originals(message) and not same:
        former = former or originals(known)
    elif known and message.context != known.context:
        former = originals(known)
    if former == originals(message) and known and known.context == message.context:
        former = ()  # it has its old wording again
        known.flags.discard("fuzzy")
    catalog.add(
        message.id,
        _fitted(known, message, catalog.num_plurals) if known else None,
        locations=message.locations,
        flags=("fuzzy",) if former or (known and known.fuzzy) else (),
        auto_comments=message.auto_comments,
        user_comments=known.user_comments if known else (),
        previous_id=former,
        context=message.context,
    )


def _fitted(known: Message, message: Message, plurals: int) -> str | tuple[str, ...]:
    """Return a translation with as many plural forms as a message needs."""
    if known.pluralizable and message.pluralizable:
        return forms(known)
    return forms(known) * plurals if message.pluralizable else forms(known)[-1]


def _as_translated(message: Message) -> Message:
    """Return an entry under the text that its translation belongs to."""
    former = tuple(message.previous_id) or originals(message)
    if (len(former) > 1) != message.pluralizable:
        return message
    words = former if len(former) > 1 else former[0]
    return Message(
        words, message.string, user_comments=message.user_comments, context=message.context
    )
