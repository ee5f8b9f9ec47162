"""The levels of the built-in bots, as people choose them, and the names that hosts give bots."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final

from protocol import clean_speaker

LEVELS: Final = ("casual", "regular", "expert")
"""The kinds of bots that are offered, easiest first; `--bots` also takes others."""
FORMER_KINDS: Final = {"greedy": "regular"}
"""Earlier names of kinds, in settings, records and requests of older versions."""


def kind_now(kind: str) -> str:
    """Return the name that a kind of bot has now."""
    return FORMER_KINDS.get(kind, kind)


NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "random": ("Orzo", "Limu", "Napoli", "Panna"),
    "casual": ("Bonbon", "Muffin", "Toffee", "Dolce"),
    "regular": ("Crema", "Ibrik", "Vienna", "Aroma"),
    "expert": ("Kaldi", "Gesha", "Sigri", "Java"),
}
"""What bots of each kind are called, by seat; the same in all languages.

Each has its own initial, for the letter on the meeple, and none is a drink of the standard deck.
They have at most six characters, so that no screen truncates them.
"""


def names_for(kind: str, seat: int) -> tuple[str, ...]:
    """Return the names of a kind of bot, best first; none if it is not built in."""
    names = NAMES.get(kind, ())
    return names[seat:] + names[:seat]


def kind_called(name: str, kinds: Iterable[str]) -> str:
    """Return the kind of bot, among these, that hosts name so; empty if none."""
    return next(
        (kind for kind in kinds if name in NAMES.get(kind, ()) or is_numbered(name, kind)), ""
    )


@lru_cache(maxsize=64)  # each frame asks about the same bots
def is_numbered(name: str, bot: str) -> bool:
    """Return whether the name is a kind of bot and a number: `regular 1`.

    So hosts name bots from files, and older hosts named all.
    """
    stem, _blank, number = name.rpartition(" ")
    label = clean_speaker(bot.rpartition(":")[2])
    return bool(stem) and number.isdecimal() and label.startswith(stem)
