"""Check rules of SPEC.md one after another, and print a line for each."""

import re
from collections.abc import Callable, Iterable
from importlib.resources import files
from typing import Any, Final, NamedTuple, TypeVar

from coffeerush.errors import LinkError

Say = Callable[[str], None]
Check = TypeVar("Check", bound=Callable[[Any], None])
PATIENCE: Final = 2
"""After this many rules in succession that met only silence, the rest is not tried."""
_HEADINGS: Final = re.compile(r"^#+ (?:[\d.]+ )?(.+)$", re.MULTILINE)


class Departure(Exception):
    """The other side departs from SPEC.md; the text says how."""


class Silence(Departure):
    """The other side said nothing in time."""


class NotTried(Exception):
    """A rule cannot be tried here; the text says why."""


class Rule(NamedTuple):
    """Something that SPEC.md says."""

    section: str
    """The section of SPEC.md where it stands."""
    text: str
    check: Callable[[Any], None]
    """Takes what is under test; raises `Departure`, `LinkError` or `NotTried`."""


class Rules(list[Rule]):
    """Rules in the order in which they are checked."""

    def __call__(self, section: str, text: str) -> Callable[[Check], Check]:
        """Return a decorator that adds a function as the check of a rule."""

        def add(check: Check) -> Check:
            self.append(Rule(section, text, check))
            return check

        return add


def sections() -> dict[str, str]:
    """Return the headings of SPEC.md and MESSAGES.md by their titles without numbers."""
    pages = (files("protocol").joinpath(name) for name in ("MESSAGES.md", "SPEC.md"))
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    return {line[1]: line[0].lstrip("# ") for line in _HEADINGS.finditer(text)}


def expect(condition: object, text: str) -> None:
    """Raise `Departure` unless the condition holds."""
    if not condition:
        raise Departure(text)


def try_rules(rules: Iterable[Rule], subject: Any, say: Say) -> bool:
    """Try the rules in this order; return whether none was departed from.

    After `PATIENCE` rules in succession that met only silence, the rest is not tried.
    """
    headings, departures, silences = sections(), 0, 0
    for rule in rules:
        outcome, why = "ok", ""
        try:
            if silences == PATIENCE:
                raise NotTried("the other side has fallen silent")
            rule.check(subject)
            silences = 0
        except (Departure, LinkError) as error:
            outcome, why = "departs", f" ({error})"
            silences = silences + 1 if isinstance(error, Silence) else 0
            departures += 1
        except NotTried as error:
            outcome, why = "not tried", f" ({error})"
        say(f"{outcome:<10} {headings[rule.section]}: {rule.text}{why}")
    say(f"Departures: {departures}")
    return not departures
