"""Numbers with decimals or a percent sign, as the person's language writes them.

Only for people to read: JSON and CSV have a point in every language.
"""

from typing import Final

from .i18n import language

_POINT: Final = {"pt_BR": ",", "it": ",", "es": ",", "ru": ","}
"""Between the whole and its decimals; a point in other languages."""
_PERCENT: Final = {"es": "\N{NO-BREAK SPACE}%", "ru": "\N{NO-BREAK SPACE}%"}
"""After a number; without a space in other languages."""


def decimal(value: float, digits: int) -> str:
    """Return a number with so many decimals: `3.10`."""
    return _local(f"{value:z.{digits}f}")


def short_decimal(value: float) -> str:
    """Return a number with one decimal if it needs one: `4`, `3.5`."""
    return _local(f"{round(value, 1):g}")


def percent(share: float, digits: int = 0) -> str:
    """Return a share in percent: `26.5%` for 0.265."""
    return decimal(100 * share, digits) + _PERCENT.get(language(), "%")


def _local(number: str) -> str:
    return number.replace(".", _POINT.get(language(), "."))
