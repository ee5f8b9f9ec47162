"""Sanitize text that people type and others read: names and chat.

A name is a way into other people's terminals. Sanitized text has only characters that print, in a
known width: nothing in it moves the cursor anywhere but to the right.
"""

import unicodedata
from typing import Annotated, Final

from msgspec import Meta

from .unassigned import characters, is_assigned

MAX_TEXT_BYTES: Final = 256
"""The longest text on the wire, in UTF-8 bytes."""
NAME_CELLS: Final = 24
"""The widest name, in terminal cells: a wide character takes two."""
CHAT_CHARACTERS: Final = 80
SENTENCE_CHARACTERS: Final = 200
MARKS_PER_BASE: Final = 2
"""Combining marks kept per character; more would overlap the lines above and below."""

Name = Annotated[str, Meta(min_length=1, max_length=NAME_CELLS)]
ChatText = Annotated[str, Meta(min_length=1, max_length=CHAT_CHARACTERS)]
Sentence = Annotated[str, Meta(max_length=SENTENCE_CHARACTERS)]

# `>` and `:` and their lookalikes
_AFTER_SPEAKER: Final = frozenset(">\uff1e\ufe65\u203a\u232a\u3009\u27e9:\uff1a\ufe55\u2236\ua789")

# Characters that draw nothing although their category says they do: joiners and fillers, medial
# and final jamo outside a syllable, variation selectors, the blanks of braille and music.
_INVISIBLE: Final = characters(
    "34f 115f-11ff 17b4-17b5 180b-180f 2800 3164 d7b0-d7ff fe00-fe0f ffa0 16fe4 1d159 e0100-e01ef"
)

# Wide in newer Unicode tables than the oldest Python's, or in pairs: flags and hexagrams.
_WIDE: Final = characters("2630-2637 268a-268f 4dc0-4dff 1d300-1d356 1d360-1d376 1f1e6-1f1ff")


def clip(text: str, characters: int) -> str:
    """Truncate `text` to `characters` characters and `MAX_TEXT_BYTES` bytes."""
    return text[:characters].encode(errors="ignore")[:MAX_TEXT_BYTES].decode(errors="ignore")


def clean_line(text: str) -> str:
    """Return `text` in NFC on one line, without invisible characters or piled-up marks."""
    composed = unicodedata.normalize("NFC", text)
    visible = "".join(" " if c.isspace() else c for c in composed if _draws(c))
    # Again: a letter and its mark may compose now that nothing is between them.
    return " ".join(_limit_marks(unicodedata.normalize("NFC", visible)).split())


def clean_name(text: str) -> str:
    """Return `text` as a name of at most `NAME_CELLS` cells; empty if nothing is left.

    The result is the same on every version of Python, so that all of them accept the same decks
    and records.
    """
    line = clean_line("".join(filter(is_assigned, text)))
    end = width = 0
    for character in line[:NAME_CELLS]:
        width += _cells(character)
        if width > NAME_CELLS:
            break
        end += 1
    return line[:end].strip()


def name_with_end(base: str, end: str) -> str:
    """Return both as a name, with as much of `base` as there is room for, and all of `end`."""
    while base and clean_name(base + end) != base + end:
        base = base[:-1].rstrip()
    return (base + end).strip()


def clean_speaker(text: str) -> str:
    """Return `text` as the name of somebody who may chat; empty if nothing is left.

    The characters that end a name in `<Ann> hello` and `Ann says: hello` are removed, so that
    nobody can fake another speaker.
    """
    return clean_name("".join(c for c in text if c not in _AFTER_SPEAKER))


def clean_chat(text: str) -> str:
    """Return `text` as one chat line of at most `CHAT_CHARACTERS`; empty if nothing is left."""
    return clip(clean_line(text), CHAT_CHARACTERS).strip()


def _draws(character: str) -> bool:
    """Return whether a character prints something or is a space; category C never prints."""
    if character.isspace():
        return True
    return character not in _INVISIBLE and unicodedata.category(character)[0] != "C"


def _limit_marks(text: str) -> str:
    kept = []
    room = 0
    for character in text:
        if unicodedata.category(character)[0] == "M":
            room -= 1
            if room < 0:
                continue
        else:
            room = 0 if character == " " else MARKS_PER_BASE
        kept.append(character)
    return "".join(kept)


def _cells(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me"):
        return 0
    wide = character in _WIDE or unicodedata.east_asian_width(character) in "WF"
    return 2 if wide else 1
