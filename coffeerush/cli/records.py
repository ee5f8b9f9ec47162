"""`coffeerush replay`, `export` and `deck`: games and decks on file."""

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final, TypeAlias

import click

from coffeerush.errors import DeckError, UsageError
from coffeerush.local.files import read_regular
from coffeerush.records.export import export_lines
from coffeerush.records.writing import load_record
from coffeerush.rules import Deck, parse_deck, standard_deck
from coffeerush.ui.plain.typed_lines import STANDARD_INPUT
from coffeerush.ui.replay.replay import (
    Replay,
    Steps,
    event_lines,
    leaves,
    name_of,
    review_lines,
    table_lines,
    typed_command,
)
from coffeerush.ui.terminal.canvas import pad, width
from coffeerush.ui.words.errors import error_line
from coffeerush.ui.words.i18n import _, ngettext, pgettext
from coffeerush.ui.words.names import decimal, ingredient_name, item_list, percent
from protocol import Ingredient, Seat, clean_line

from . import examples
from .options import person_of, person_options

Tell: TypeAlias = Callable[[Iterable[str]], None]
"""Prints sentences, one per line."""
_NAME: Final = pgettext("argument", "NAME")


@click.command(
    name="replay",
    help=_(
        "Step through the finished game in the record FILE, with all cups visible. In "
        "full screen, ? shows the keys. With --plain, press Enter to continue, or type "
        "“b” to go back, “g 57” to go to action 57, or “q” to quit. If the output is "
        "not a terminal, all steps are printed. When you leave a table after a game, "
        "the path of the records is printed. With --analysis, or if you type “analysis”, "
        "it prints which turns cost a player most, and what would have been better."
    ),
    epilog=examples(
        "coffeerush replay game.record",
        "coffeerush replay game.record --plain",
        "coffeerush replay game.record --analysis",
        "coffeerush replay game.record --analysis Ann",
        "coffeerush replay game.record | less",
    ),
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--analysis",
    is_flag=False,
    flag_value="",
    metavar=f"[{_NAME}]",
    help=_(
        "Print an analysis of one player's turns: the first person's, NAME's, or those of a "
        "seat's number."
    ),
)
@person_options
@click.pass_context
def replay_command(context: click.Context, file: Path, analysis: str | None) -> None:
    """Step through the game in full screen or plain mode, or print all of it or a review."""
    person = person_of(context)
    if analysis is not None:
        replay = Replay(load_record(file))
        _review(replay, _seat(replay, analysis), person.tell)
        return
    if person.plain:
        replay = Replay(load_record(file))
        (step if sys.stdout.isatty() else _print)(replay, person.tell)
        return
    from coffeerush.ui.replay.replay_app import show_replay

    show_replay(file, person.settings, person.keep)


def _print(replay: Replay, tell: Tell) -> None:
    """Print every intent, and the state of the table at the start of each turn."""
    for number in (*range(replay.stop), replay.last):
        frame = replay.frame(number)
        tell(event_lines(frame))
        if frame.begins_turn:
            tell(table_lines(frame))


def _typed(prompt: str) -> str | None:
    return STANDARD_INPUT.ask(lambda: click.echo(prompt, nl=False))


def step(replay: Replay, tell: Tell, ask: Callable[[str], str | None] = _typed) -> None:
    """Show one frame after the other, as the person navigates, until they quit.

    `tell` prints lines; `ask` shows a prompt and returns the typed line, None at the end of the
    input.
    """
    steps = Steps(replay)
    tell(steps.shown())
    while (line := ask(f"{steps.place} ")) is not None:
        if leaves(line):
            return
        word, rest = typed_command(line)
        if word != "analysis":
            tell(steps.typed(line))
            continue
        try:
            _review(replay, _seat(replay, rest), tell)
        except UsageError as error:
            tell([error_line(error)])


def _review(replay: Replay, seat: Seat, tell: Tell) -> None:
    """Print the review of a seat, with progress on a terminal."""
    with click.progressbar(
        replay.turns_of(seat), label=_("Analysing the turns"), file=sys.stderr
    ) as turns:
        reviewed = [replay.review_turn(turn) for turn in turns]
    tell(review_lines(replay, replay.review(reviewed, seat)))


def _seat(replay: Replay, name: str) -> Seat:
    """Return the seat of a name or of a number from 1, by default the first person's."""
    if not name:
        return replay.reviewer
    names = [name_of(replay, seat) for seat in range(replay.players)]
    for seat, own in enumerate(names):
        if name.casefold() in (own.casefold(), str(seat + 1)):
            return seat
    raise UsageError(
        "Nobody in this game is called {name}; choose one of {names}.",
        name=clean_line(name),
        names=item_list(names),
    )


# `coffeerush export`: a finished game as JSON lines


@click.command(
    name="export",
    help=_(
        "Print the finished game in the record FILE: a header, one line per intent "
        "with the complete state after it, and the result."
    ),
    epilog=examples("coffeerush export game.record", "coffeerush export game.record | tail -n 1"),
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--json", is_flag=True, expose_value=False, hidden=True)
def export_command(file: Path) -> None:
    """Print the lines; `--json`, once required, is still accepted."""
    output = sys.stdout.buffer
    for line in export_lines(load_record(file)):
        output.write(line)


# `coffeerush deck`, and `--deck FILE` of the other commands


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
            "line {line}: a deck may have at most {size} kB; remove anything that does "
            "not belong in it",
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
def deck_command() -> None:
    """Group the commands for decks."""


@deck_command.command(
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
