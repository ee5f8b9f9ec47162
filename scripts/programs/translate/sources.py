"""Extract the texts to translate: marked texts, command words, click's texts, names of drinks."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir

from coffeerush.rules import standard_deck
from coffeerush.ui.plain.commands import ROWS
from protocol import REFUSAL_TEXTS, REFUSAL_WORDS

from .click_texts import TEXTS
from .notes import comments

PACKAGE: Final = Path(__file__).parents[3] / "coffeerush"
DECK: Final = "coffeerush/decks/standard.toml"
DRINK: Final = "drink"
"""The context of a drink's name."""

COMMANDS: Final = "coffeerush/ui/plain/commands.py"
REFUSALS: Final = "protocol/errors.py"

KEYWORDS: Final = {
    "_": None,
    "N_": None,
    "ngettext": (1, 2),
    "pgettext": ((1, "c"), 2),
    "NC_": ((1, "c"), 2),
    # Errors are raised in modules that must not translate: their first argument is the text.
    "CoffeeRushError": None,
    "LinkError": None,
    "Unreachable": None,
    "NobodyHosts": None,
    "BrokenOff": None,
    "StandsStill": None,
    "CodeNeeded": None,
    "AnotherHost": None,
    "WrongCode": None,
    "Unproven": None,
    "Removed": None,
    "ImpossibleError": None,
    "PortInUse": None,
    "HostError": None,
    "RecordError": None,
    "FieldError": None,
    "DeckError": None,
    "LeagueError": None,
    "BotError": None,
    "ClusterError": None,
    "UsageError": None,
}
"""The markers, and which of their arguments are texts, as in `babel.messages.extract`."""

COMMENT: Final = "TRANSLATORS:"
"""Starts comments in the sources that are for translators."""


def template() -> Catalog:
    """Return all texts, file by file, with comments for translators and without translations."""
    catalog = Catalog()
    for place, text, said, context in _marked():
        catalog.add(text, locations=[(place, 0)], auto_comments=said, context=context)
    for text in (text for texts in REFUSAL_TEXTS.values() for text in texts):
        catalog.add(text, locations=[(REFUSALS, 0)])
    for context, words in REFUSAL_WORDS.items():
        for text in words.values():
            catalog.add(text, locations=[(REFUSALS, 0)], context=context)
    for row in ROWS:
        for word in row.words:
            catalog.add(word, locations=[(COMMANDS, 0)], context="command")
        for short, word in zip(row.short, row.words, strict=False):
            said = [f"typed instead of {word}"]
            catalog.add(short, locations=[(COMMANDS, 0)], auto_comments=said, context="command")
    for text in TEXTS:
        catalog.add(text, auto_comments=["said by click, which reads the command line"])
    for drink in standard_deck().drinks:
        catalog.add(drink.name, locations=[(DECK, 0)], context=DRINK)
    for message in catalog:
        if message.id:
            message.auto_comments = [*dict.fromkeys([*message.auto_comments, *comments(message)])]
    return catalog


def _marked() -> Iterator[tuple[str, str | tuple[str, ...], list[str], str | None]]:
    """Yield location, text, comments and context of each marked text."""
    found = extract_from_dir(
        PACKAGE,
        method_map=[("**.py", "python")],
        keywords=KEYWORDS,
        comment_tags=(COMMENT,),
        strip_comment_tags=True,
    )
    for file, _line, text, said, context in found:
        yield f"coffeerush/{Path(file).as_posix()}", text, said, context
