"""`coffeerush deck`, and `--deck FILE` of the other commands."""

from typing import Final

import click

from coffeerush.cli import examples
from coffeerush.errors import DeckError
from coffeerush.local.files import read_regular
from coffeerush.rules import Deck, parse_deck, standard_deck
from coffeerush.ui.terminal.canvas import pad, width
from coffeerush.ui.words.i18n import _, ngettext
from coffeerush.ui.words.names import decimal, ingredient_name, percent
from protocol import Ingredient

MAX_DECK_BYTES: Final = 64 * 1024


def load_deck(path: str | None) -> Deck:
    """Return the deck in a file, or the standard deck for None; raises `DeckError`."""
    if path is None:
        return standard_deck()
    shown = click.format_filename(path)
    try:
        return parse_deck(_decoded(read_regular(path, MAX_DECK_BYTES + 1)))
    except OSError as error:
        raise DeckError(
            "{file}: cannot be read ({reason}); check the file name", file=shown, reason=error
        ) from None
    except DeckError as error:
        raise DeckError("{file}, {reason}", file=shown, reason=error) from None


def _decoded(data: bytes) -> str:
    """Decode the bytes of a deck file, without a byte order mark."""
    if len(data) > MAX_DECK_BYTES:
        line = data.count(b"\n", 0, MAX_DECK_BYTES) + 1
        raise DeckError(
            "line {line}: a deck may have at most {size} kB; remove whatever does not belong in it",
            line=line,
            size=MAX_DECK_BYTES // 1024,
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise DeckError(
            "line {line}: this is not UTF-8 text; save the file as UTF-8", line=line
        ) from None


def summary(deck: Deck) -> str:
    """Return the output of `deck check` for a valid deck; several lines."""
    totals = [sum(d.count * d.recipe[kind] for d in deck.drinks) for kind in Ingredient]
    tokens = sum(totals)
    specialty = sum(drink.count for drink in deck.drinks if drink.specialty)
    lines = [
        _("{name}: this deck can be played.").format(name=deck.name),
        ngettext("{n} card", "{n} cards", deck.cards).format(n=deck.cards),
        ngettext("{n} drink", "{n} drinks", len(deck.drinks)).format(n=len(deck.drinks)),
        ngettext(
            "{n} card on the specialty menu", "{n} cards on the specialty menu", specialty
        ).format(n=specialty),
        _("{mean} tokens per card on average:").format(mean=decimal(tokens / deck.cards, 2)),
    ]
    named = [_ingredient(kind) for kind in Ingredient]
    column = max(map(width, named))
    shares = [
        f"  {pad(name, column)}{total:>6}{percent(total / tokens, 1):>8}"
        for name, total in zip(named, totals, strict=True)
    ]
    return "\n".join(lines + shares)


def _ingredient(kind: Ingredient) -> str:
    """Return an ingredient's name, and the file's word for it if that is another one."""
    name, word = ingredient_name(kind), kind.name.lower()
    return name if name == word else f"{name} ({word})"


@click.group(
    name="deck",
    help=_("Check a deck of your own."),
    epilog=examples("coffeerush deck check my-deck.toml", "coffeerush host --deck my-deck.toml"),
)
def command() -> None:
    """Group the commands for decks."""


@command.command(
    short_help=_("Check whether a deck can be played."),
    help=_(
        "Check whether the deck in FILE can be played: print what is in it, or which "
        "line is wrong and why."
    ),
    epilog=examples("coffeerush deck check my-deck.toml"),
)
@click.argument("file", type=click.Path())
def check(file: str) -> None:
    """Print the summary of a deck, or raise its DeckError."""
    click.echo(summary(load_deck(file)))
