"""Two people at one table in different languages; the host uses a third."""

import re
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from coffeerush.rules import standard_deck
from coffeerush.ui.words.errors import refusal_line
from coffeerush.ui.words.i18n import _
from coffeerush.ui.words.names import drink_title
from protocol import Refusal
from tests.golden.frames import spoken
from tests.support.hosts_and_clients import Person, hosting

NAMES: Final = {"ru": "Анна", "ko": "민준"}
LETTERS: Final = {"ru": "[а-яё]", "ko": "[가-힣]", "en": "[a-z]{3}"}
VERBATIM: Final = (*NAMES.values(), "Kitchen", "Guten Tag")
"""Names and chat, which are not translated."""
NOT_OWNER: Final = Refusal("not_owner", "Only the owner of the table can do that.")


def test_one_table_is_described_in_two_languages(tmp_path: Path) -> None:
    """Log, orders, drinks, refusals and prompts: clients put all of the host's data into words."""
    people: dict[str, Person] = {}
    with ExitStack() as stack:
        table = hosting(tmp_path / "host", table="Kitchen", seats=2, games=1)
        host = stack.enter_context(table)
        for language, name in NAMES.items():
            own = ("--lang", language, "--name", name)
            joined = Person(tmp_path / language, "join", f"127.0.0.1:{host.port}", *own)
            people[language] = stack.enter_context(joined)
            for person in people.values():
                person.read_until(name)
        for person in people.values():
            person.say("ready")
        for language, person in people.items():
            person.read_until(", ".join(NAMES.values()))  # the game starts
            with spoken(language):
                orders, loading = _("Your orders, most urgent first:"), _("Loading your cups…")
                while orders not in person.text:
                    person.text = person.text.replace(loading, "")
                    person.say("orders")
                    person.read_until(orders, loading)
                person.say("menu")
                person.say("bot regular 1")
                person.read_until(refusal_line(NOT_OWNER))
                for drink in standard_deck().drinks:
                    assert f"\n{drink_title(drink)}" in person.text
            person.say("say Guten Tag")
        for language, person in people.items():
            person.read_until("Guten Tag")
            person.say("leave")
            assert person.wait() == 0, person.text
            told = re.sub("|".join(VERBATIM), "", person.text)
            for other, letters in LETTERS.items():
                found = re.search(letters, told, re.IGNORECASE)
                assert bool(found) == (other == language), found
