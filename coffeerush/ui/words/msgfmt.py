"""Compile gettext catalogues: from the `.po` file that people edit to the `.mo` file that is read.

Only the `.po` files are stored. `setup.py` compiles them for a wheel; if they are next to the
program, as in a checkout, `refresh` does when one has changed. Imports nothing of ours, since
`setup.py` runs this module by itself.
"""

import os
import re
import struct
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

_LINE: Final = re.compile(r'(?:(msgctxt|msgid|msgid_plural|msgstr)(?:\[\d+\])?\s+)?"(.*)"')
_ESCAPE: Final = re.compile(r"\\(.)")
_CONTROLS: Final = {"n": "\n", "t": "\t", "r": "\r"}
_MAGIC: Final = 0x950412DE


def refresh(po: Path) -> None:
    """Compile a catalogue into the `.mo` file next to it, unless it is the one compiled last.

    Without a `.po` file, or if nothing can be written, the `.mo` file stays unchanged.

    Raises:
        ValueError: it is no catalogue.
    """
    mo = po.with_suffix(".mo")
    with suppress(OSError):
        stamp = po.stat().st_mtime_ns
        if mo.exists() and mo.stat().st_mtime_ns == stamp:
            return
        # Another process may read it now, or write it too.
        new = mo.with_name(f"{mo.name}.{os.getpid()}")
        new.write_bytes(compiled(po))
        os.utime(new, ns=(stamp, stamp))
        new.replace(mo)


def compiled(po: Path) -> bytes:
    """Return the `.mo` file of a catalogue, without what is fuzzy or not fully translated."""
    pairs = sorted((key.encode(), text.encode()) for key, text in _translations(po))
    keys = [key for key, _text in pairs]
    texts = [text for _key, text in pairs]
    table, start = list[int](), 28 + 16 * len(pairs)
    for string in [*keys, *texts]:
        table += [len(string), start]
        start += len(string) + 1
    header = (_MAGIC, 0, len(pairs), 28, 28 + 8 * len(pairs), 0, 0)
    strings = b"".join(string + b"\0" for string in [*keys, *texts])
    return struct.pack(f"<{len(header) + len(table)}I", *header, *table) + strings


def _translations(po: Path) -> Iterator[tuple[str, str]]:
    """Yield the key of each text, as a `.mo` file has it, and its translation."""
    for entry in _entries(po):
        key = "\0".join(entry["msgid"] + entry["msgid_plural"])
        context = "".join(f"{context}\x04" for context in entry["msgctxt"])
        if all(entry["msgstr"]) and (key == "" or not entry["fuzzy"]):
            yield context + key, "\0".join(entry["msgstr"])


def _entries(po: Path) -> Iterator[dict[str, list[str]]]:
    """Yield the strings of each entry by their keywords."""
    entry = _new_entry()
    strings = None
    for number, line in enumerate(map(str.strip, po.read_text("utf-8").split("\n")), 1):
        if entry["msgstr"] and line.startswith(("#", "msgctxt", "msgid ")):
            yield entry
            entry, strings = _new_entry(), None
        if line.startswith("#,") and "fuzzy" in line:
            entry["fuzzy"].append(line)
        if not line or line.startswith("#"):
            continue
        parts = _LINE.fullmatch(line)
        if parts and parts[1]:
            strings = entry[parts[1]]
            strings.append("")
        if not parts or strings is None:
            raise ValueError(f"{po}:{number}: is no line of a catalogue: {line}")
        strings[-1] += _ESCAPE.sub(lambda sign: _CONTROLS.get(sign[1], sign[1]), parts[2])
    if entry["msgstr"]:
        yield entry


def _new_entry() -> dict[str, list[str]]:
    return {key: [] for key in ("fuzzy", "msgctxt", "msgid", "msgid_plural", "msgstr")}
