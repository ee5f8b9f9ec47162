"""`coffeerush replay`: step through a finished game."""

import asyncio
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final, TypeAlias

import click

from coffeerush.cli import examples
from coffeerush.errors import UsageError
from coffeerush.records.writing import load_record
from coffeerush.ui.plain.plain_app import STANDARD_INPUT
from coffeerush.ui.replay.replay import (
    Replay,
    Steps,
    event_lines,
    name_of,
    review_lines,
    table_lines,
)
from coffeerush.ui.words.command_words import replay_command
from coffeerush.ui.words.errors import error_line
from coffeerush.ui.words.i18n import _, pgettext
from coffeerush.ui.words.names import item_list
from protocol import Seat, clean_line

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
        "the path of the records is printed. With --review, or if you type "
        "“review”, it prints which turns cost a player most, and what was better."
    ),
    epilog=examples(
        "coffeerush replay game.record",
        "coffeerush replay game.record --plain",
        "coffeerush replay game.record --review",
        "coffeerush replay game.record --review Ann",
        "coffeerush replay game.record | less",
    ),
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--review",
    is_flag=False,
    flag_value="",
    metavar=f"[{_NAME}]",
    help=_(
        "Print a review of one player's turns: the first person's, NAME's, or those of a "
        "seat's number."
    ),
)
@person_options
@click.pass_context
def command(context: click.Context, file: Path, review: str | None) -> None:
    """Step through the game in full screen or plain mode, or print all of it or a review."""
    person = person_of(context)
    if review is not None:
        replay = Replay(load_record(file))
        _review(replay, _seat(replay, review), person.tell)
        return
    if person.plain:
        replay = Replay(load_record(file))
        (step if sys.stdout.isatty() else _print)(replay, person.tell)
        return
    from coffeerush.ui.replay.replay_app import show_replay

    show_replay(file, person.settings, person.keep)


def _print(replay: Replay, tell: Tell) -> None:
    """Print every intent, and the state of the table at the start of each turn."""
    for rev in range(replay.last + 1):
        frame = replay.frame(rev)
        tell(event_lines(frame))
        if frame.begins_turn:
            tell(table_lines(frame))


def _typed(prompt: str) -> str | None:
    click.echo(prompt, nl=False)
    return asyncio.run(STANDARD_INPUT.next())


def step(replay: Replay, tell: Tell, ask: Callable[[str], str | None] = _typed) -> None:
    """Show one frame after the other, as the person navigates, until they quit.

    `tell` prints lines; `ask` shows a prompt and returns the typed line, None at the end of the
    input.
    """
    steps = Steps(replay)
    tell(steps.shown())
    while (line := ask(f"{steps.place} ")) is not None:
        word, rest = replay_command(line)
        if (word, rest) == ("leave", ""):
            return
        if word == "review":
            _review_typed(replay, rest, tell)
        else:
            tell(steps.typed(line))


def _review_typed(replay: Replay, name: str, tell: Tell) -> None:
    try:
        _review(replay, _seat(replay, name), tell)
    except UsageError as error:
        tell([error_line(error)])


def _review(replay: Replay, seat: Seat, tell: Tell) -> None:
    """Print the review of a seat, with progress on a terminal."""
    with click.progressbar(
        replay.turns_of(seat), label=_("Reviewing the turns"), file=sys.stderr
    ) as turns:
        found = [replay.review_turn(turn) for turn in turns]
    tell(review_lines(replay, replay.review(found, seat)))


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
