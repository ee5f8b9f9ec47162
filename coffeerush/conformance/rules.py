"""Try rules one after another, and print a line for each."""

import re
from collections.abc import Callable, Iterable
from importlib.resources import files
from typing import Any, Final, Literal, NamedTuple

Say = Callable[[str], None]
Outcome = Literal["ok", "departs", "not tried"]

_HEADINGS: Final = re.compile(r"^#+ (?:[\d.]+ )?(.+)$", re.MULTILINE)


class Departure(Exception):
    """The other side departs from SPEC.md; the text says how."""


class NotTried(Exception):
    """A rule cannot be tried here; the text says why."""


class Rule(NamedTuple):
    """Something that SPEC.md says."""

    section: str
    """The section of SPEC.md where it stands."""
    text: str
    check: Callable[[Any], None]
    """Takes what is under test; raises `Departure` or `NotTried`."""


def sections() -> dict[str, str]:
    """Return the headings of SPEC.md by their titles without numbers."""
    text = files("protocol").joinpath("SPEC.md").read_text(encoding="utf-8")
    return {found[1]: found[0].lstrip("# ") for found in _HEADINGS.finditer(text)}


def expect(condition: object, text: str) -> None:
    """Raise `Departure` unless the condition holds."""
    if not condition:
        raise Departure(text)


def try_rules(rules: Iterable[Rule], subject: Any, say: Say) -> bool:
    """Try the rules in this order; tell whether none was departed from."""
    headings, departures = sections(), 0
    for rule in rules:
        outcome, why = _tried(rule, subject)
        departures += outcome == "departs"
        about = f"{headings[rule.section]}: {rule.text}"
        say(f"{outcome:<10} {about}{f' ({why})' if why else ''}")
    say(f"Departures: {departures}")
    return not departures


def _tried(rule: Rule, subject: Any) -> tuple[Outcome, str]:
    try:
        rule.check(subject)
    except Departure as error:
        return "departs", str(error)
    except NotTried as error:
        return "not tried", str(error)
    return "ok", ""
