"""`coffeerush replay`: step through a finished game."""

import asyncio
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import click

from coffeerush.cli import examples
from coffeerush.records.writing import load_record
from coffeerush.ui.plain.stdin import STANDARD_INPUT
from coffeerush.ui.replay.frames import Frame, Replay, event_lines, follow, table_lines
from coffeerush.ui.words.i18n import _

from .options import person_of, person_options


@click.command(
    name="replay",
    help=_(
        "Step through the finished game in the record FILE, with all cups visible. In "
        "full screen, ? shows the keys. With --plain, press Enter to continue, or type "
        "“b” to go back, “g 57” to go to action 57, or “q” to quit. If the output is "
        "not a terminal, all steps are printed. When you leave a table that you "
        "hosted, the path of its records is printed."
    ),
    epilog=examples(
        "coffeerush replay game.record",
        "coffeerush replay game.record --plain",
        "coffeerush replay game.record | less",
    ),
)
@click.argument("file", type=click.Path(path_type=Path))
@person_options
@click.pass_context
def command(context: click.Context, file: Path) -> None:
    """Step through the game in full screen or plain mode, or print all of it."""
    person = person_of(context)
    if person.plain:
        replay = Replay(load_record(file))
        (step if sys.stdout.isatty() else _print)(replay)
        return
    from coffeerush.ui.replay.app import show_replay

    show_replay(file, person.settings, person.keep)


def _print(replay: Replay) -> None:
    """Print every intent, and the state of the table at the start of each turn."""
    for rev in range(replay.last + 1):
        frame = replay.frame(rev)
        _say(event_lines(frame))
        if frame.begins_turn:
            _say(table_lines(frame))


def _typed(prompt: str) -> str | None:
    click.echo(prompt, nl=False)
    return asyncio.run(STANDARD_INPUT.next())


def step(replay: Replay, ask: Callable[[str], str | None] = _typed) -> None:
    """Show one frame after the other, as the person navigates, until they quit.

    `ask` shows a prompt and returns the typed line; None at the end of the input.
    """
    _show(replay.frame(0))
    at = 0
    while (words := _words(ask(f"[{at}/{replay.last}] "))) != "q":
        rev = follow(words, at, replay.last)
        if rev is None:
            _say([_help(at, replay.last)])
        else:
            at = rev
            _show(replay.frame(at))


def _words(line: str | None) -> str:
    """Normalize a typed line; the end of the input means q."""
    return "q" if line is None else line.strip().lower()


def _help(at: int, last: int) -> str:
    if at == last:
        return _("This is the end: “b” goes back, “g 0” goes to the beginning, “q” quits.")
    return _(
        "Enter continues, “b” goes back, “g” and a number up to {last} goes to that "
        "action, “q” quits."
    ).format(last=last)


def _show(frame: Frame) -> None:
    _say(event_lines(frame))
    _say(table_lines(frame))


def _say(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(line)
