"""Names at a table: everybody's is another one."""

from collections.abc import Collection

from protocol import clean_name, clean_speaker


def is_taken(name: str, taken: Collection[str]) -> bool:
    """Tell whether somebody has `name`, in whatever case."""
    return name.casefold() in {other.casefold() for other in taken}


def unique_name(wanted: str, taken: Collection[str]) -> str:
    """Return `wanted`, a cleaned name, with a number behind it where it is taken: `Ann 2`."""
    return _numbered(wanted, taken, 2) if is_taken(wanted, taken) else wanted


def bot_name(kind: str, taken: Collection[str]) -> str:
    """Return a name for a bot: its kind and a number, `greedy 1`."""
    return _numbered(clean_speaker(kind) or "bot", taken, 1)


def _numbered(base: str, taken: Collection[str], number: int) -> str:
    while is_taken(name := _within_width(base, f" {number}"), taken):
        number += 1
    return name


def _within_width(base: str, suffix: str) -> str:
    """Return both together, `base` cut until they fit: `clean_name` knows how wide text is."""
    while base and clean_name(base + suffix) != base + suffix:
        base = base[:-1].rstrip()
    return (base + suffix).strip()
