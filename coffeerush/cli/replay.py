"""`coffeerush replay`: step through a finished game."""

import sys
from collections.abc import Iterable
from pathlib import Path

import click

from coffeerush.cli import examples
from coffeerush.client.replay import Frame, Replay, event_lines, follow, table_lines
from coffeerush.host.journal import load_record
from coffeerush.i18n import _


@click.command(
    name="replay",
    help=_(
        "Step through the finished game of the record FILE, with every cup open: Enter goes on, b"
        " goes back, g 57 goes to intent 57, q quits. Where the output is no terminal, all steps"
        " are printed. A table of your own says where its records are when you leave it."
    ),
    epilog=examples("coffeerush replay game.record", "coffeerush replay game.record | less"),
)
@click.argument("file", type=click.Path(path_type=Path))
def command(file: Path) -> None:
    """Step through the game at a terminal, or print all of it."""
    replay = Replay(load_record(file))
    if sys.stdout.isatty():
        _step(replay)
        return
    for rev in range(replay.last + 1):
        frame = replay.frame(rev)
        _say(event_lines(frame))
        if frame.begins_turn:
            _say(table_lines(frame))


def _step(replay: Replay) -> None:
    """Show a frame, and another wherever the person goes, until the person quits."""
    _show(replay.frame(0))
    at = 0
    while (words := _ask(at, replay.last)) != "q":
        rev = follow(words, at, replay.last)
        if rev is None:
            _say([_help(at, replay.last)])
        else:
            at = rev
            _show(replay.frame(at))


def _ask(at: int, last: int) -> str:
    """Return what the person types; the end of the input is as good as q."""
    try:
        return input(f"[{at}/{last}] ").strip().lower()
    except EOFError:
        return "q"


def _help(at: int, last: int) -> str:
    if at == last:
        return _("This is the end: b goes back, g 0 to the beginning, q quits.")
    return _("Enter goes on, b goes back, g and a number up to {last} goes there, q quits.").format(
        last=last
    )


def _show(frame: Frame) -> None:
    _say(event_lines(frame))
    _say(table_lines(frame))


def _say(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(line)
