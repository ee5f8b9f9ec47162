"""The command group: dispatches to the commands, lays out help, handles errors.

Without a command it shows the start menu.

Exit codes: 0; 1 for errors in the game or the network; 2 for wrong usage; 130 for Ctrl-C; 128 plus
the number of any other signal; a closed terminal counts as SIGHUP.
"""

import errno
import os
import signal
import sys
import termios
from collections.abc import Iterable
from importlib import import_module
from typing import Any, Final, TextIO

import click
from click.shell_completion import get_completion_class

from coffeerush import __version__
from coffeerush.cli import examples
from coffeerush.errors import CoffeeRushError, UsageError
from coffeerush.ui.terminal.canvas import pad, width, wrap
from coffeerush.ui.words.errors import error_line
from coffeerush.ui.words.i18n import _, pgettext
from protocol import PROTOCOL_VERSION, ProtocolError

from .options import person_of, person_options

INTERRUPTED: Final = 130
"""The exit code that shells expect after Ctrl-C."""
HUNG_UP: Final = 128 + signal.SIGHUP
"""The exit code that shells expect after the terminal was closed."""

COMMANDS: Final = {
    "play": _("Play on this machine, against bots."),
    "host": _("Host a table on the LAN."),
    "join": _("Join somebody's table."),
    "watch": _("Watch a game at somebody's table."),
    "bot": _("Send a bot to somebody's table."),
    "guests": _("Let people join somebody's table with ssh or a browser."),
    "replay": _("Step through a finished game."),
    "export": _("Print a finished game as JSON lines."),
    "league": _("Show the results and ratings of everybody who has played here."),
    "arena": _("Let bots play many games, and compare them."),
    "deck": _("Check a deck of your own."),
    "conformance": _("Check a host or a client of your own."),
}
"""Each is a function with that name and `_command`, in the module of that name or of `_MODULES`."""
_MODULES: Final = {
    **dict.fromkeys(("play", "join", "watch"), "start"),
    "guests": "host",
    **dict.fromkeys(("replay", "export", "deck"), "records"),
    "conformance": "bot",
}


# click has these names in English in every language, though it translates "file" and "path"
click.STRING.name = _("text")
click.INT.name = click.IntRange.name = _("integer")
_ARGUMENTS: Final = {
    "address": pgettext("argument", "ADDRESS"),
    "code": pgettext("argument", "CODE"),
    "file": pgettext("argument", "FILE"),
    "name": pgettext("argument", "NAME"),
    "other": pgettext("argument", "OTHER"),
}
"""What the usage line and the help call an argument; click would use its English name."""


class HelpFormatter(click.HelpFormatter):
    """Lays out `--help` by terminal cells.

    click counts characters: its columns of Korean texts are not aligned, and lines are too long.
    """

    def write_dl(
        self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2
    ) -> None:
        """Write terms with their explanations, in two columns."""
        rows = list(rows)
        first = min(max(width(term) for term, _text in rows), col_max) + col_spacing
        indent = " " * self.current_indent
        for term, text in rows:
            start, *rest = wrap(text, max(self.width - first - len(indent), 10), "")
            if width(term) > first - col_spacing:
                start, rest = "", [start, *rest]
            head = f"{pad(term, first)}{start}" if start else term
            below = [pad("", first) + line for line in rest]
            self.write("".join(f"{indent}{line.rstrip()}\n" for line in [head, *below]))

    def write_text(self, text: str) -> None:
        """Write a paragraph; what has lines of its own is left to click."""
        if "\n" in text:
            super().write_text(text)
            return
        indent = " " * self.current_indent
        for line in wrap(text, self.width - len(indent), ""):
            self.write(f"{indent}{line.rstrip()}\n")


click.Context.formatter_class = HelpFormatter


def _with_usage(command: click.Command) -> click.Command:
    """Translate the words of a command's usage line, which click does not."""
    assert command.options_metavar is not None, "that is its default"
    command.options_metavar = _(command.options_metavar)
    for argument in command.params:
        if isinstance(argument, click.Argument) and argument.name in _ARGUMENTS:
            english = argument.make_metavar(click.Context(command))
            name = argument.name
            argument.metavar = english.replace(name.upper(), _ARGUMENTS[name])
    if isinstance(command, click.Group):
        command.subcommand_metavar = _(command.subcommand_metavar)
        for subcommand in command.commands.values():
            _with_usage(subcommand)
    return command


class LazyGroup(click.Group):
    """Imports commands lazily, so that the help and the first frame are fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, in the order of the help."""
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Import and return the command that was typed."""
        name, command, rest = super().resolve_command(ctx, args)
        if name in COMMANDS:
            module = import_module(f"coffeerush.cli.{_MODULES.get(name, name)}")
            command = _with_usage(getattr(module, f"{name}_command"))
        return name, command, rest

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run the command line; exit cleanly if stdout is a full disk or a closed terminal."""
        try:
            return super().main(*args, **extra)
        except OSError as error:
            if _has_hung_up(sys.stdout):
                sys.exit(HUNG_UP)
            if error.errno != errno.ENOSPC:
                raise
            _discard(sys.stdout)
            click.echo(_("Error: {text}").format(text=error.strerror), err=True)
            sys.exit(CoffeeRushError.exit_code)
        finally:
            if sys.stdout and _has_hung_up(sys.stdout):
                _discard(sys.stdout)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; the only place where errors become a sentence and an exit code."""
        try:
            if sys.stdout is None:  # closed by the shell
                raise UsageError("Standard output is closed; redirect it to a terminal or a file.")
            result = super().invoke(ctx)
            # Raise a broken pipe here, not as noise when the interpreter exits.
            sys.stdout.flush()
        except (CoffeeRushError, ProtocolError) as error:
            click.echo(_("Error: {text}").format(text=error_line(error)), err=True)
            ctx.exit(getattr(error, "exit_code", CoffeeRushError.exit_code))
        except (KeyboardInterrupt, click.Abort):
            ctx.exit(INTERRUPTED)
        except EOFError:
            # the terminal is gone: there is nowhere to print an error
            ctx.exit(HUNG_UP)
        return result


def _has_hung_up(output: TextIO | None) -> bool:
    """Return whether `output` is a terminal that was closed."""
    try:
        termios.tcgetattr(output or 1)
    except (OSError, termios.error) as error:
        return error.args[:1] == (errno.EIO,)
    return False


def _discard(output: TextIO) -> None:
    """Drop buffered output that cannot be written; the interpreter would retry at exit."""
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), output.fileno())


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    commands={name: click.Command(name, short_help=text) for name, text in COMMANDS.items()},
    help=_("Coffee Rush in the terminal: alone against bots, or with friends on the LAN."),
    epilog=examples(
        _("{command}  # the start menu, which leads to everything else").format(
            command="coffeerush"
        ),
        "coffeerush play",
        "coffeerush host",
        "coffeerush join 192.168.0.12",
        "coffeerush play --help",
    ),
    invoke_without_command=True,
)
@person_options
@click.version_option(
    __version__,
    message=f"coffeerush %(version)s (protocol {PROTOCOL_VERSION})",
    help=_("Show the version and exit."),
)
@click.pass_context
def group(context: click.Context) -> None:
    """Show the menu if no command was typed."""
    if context.invoked_subcommand is None:
        from .start import start

        start(person_of(context))


@group.command(
    short_help=_("Print the completion script for a shell."),
    help=_("Print a script that lets the shell complete the commands and options of coffeerush."),
    epilog=examples(
        *(
            _("{command}  # in {file}").format(command=f"{command:<38}", file=file)
            for command, file in (
                ('eval "$(coffeerush completion bash)"', "~/.bashrc"),
                ('eval "$(coffeerush completion zsh)"', "~/.zshrc"),
            )
        ),
        "coffeerush completion fish > ~/.config/fish/completions/coffeerush.fish",
    ),
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script of a shell."""
    script = get_completion_class(shell)
    assert script is not None, "click knows the three shells of the choice"
    click.echo(script(group, {}, "coffeerush", "_COFFEERUSH_COMPLETE").source())


_with_usage(group)
