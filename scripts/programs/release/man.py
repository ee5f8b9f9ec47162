"""The man page, made from the help of the commands, in one language."""

import re
import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

import click


class RoffFormatter(click.HelpFormatter):
    """Lays out help for `man` instead of for a terminal."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """Write how to call a command."""
        self.write(f".PP\n.B {_roff(prog)}\n{_roff(args)}\n")

    def write_heading(self, heading: str) -> None:
        """Write the heading of the options or of the commands."""
        self.write(f".PP\n.I {_roff(heading)}\n")

    def write_paragraph(self) -> None:
        """Begin a paragraph."""
        self.write(".PP\n")

    def write_text(self, text: str) -> None:
        """Write a paragraph; lines after click's mark for that stay as they are."""
        if "\b" in text:
            self.write(f".PP\n.nf\n{_roff(text.replace(chr(8), '').strip(chr(10)))}\n.fi\n")
        else:
            self.write(f".PP\n{_roff(text)}\n")

    def write_dl(
        self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2
    ) -> None:
        """Write terms with their explanations."""
        for term, text in rows:
            self.write(f".TP\n.B {_roff(term)}\n{_roff(text)}\n")


def _roff(text: str) -> str:
    """Escape what troff takes for commands."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^(?=[.'])", r"\\&", text, flags=re.MULTILINE)


def _pages(command: click.Command, context: click.Context) -> Iterable[str]:
    """Yield the section of a command and of those in it."""
    formatter = RoffFormatter()
    command.format_help(context, formatter)
    yield f".SH {_roff(context.command_path)}\n{formatter.getvalue()}"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            _, inner, _ = command.resolve_command(context, [name])
            assert inner is not None, "it is on the list"
            options = inner.make_context(name, [], parent=context, resilient_parsing=True)
            yield from _pages(inner, options)


def man_page(version: str, date: str) -> str:
    """Return `coffeerush.1` in the language that was set before.

    Args:
        version: of the release.
        date: of the release, as `2026-11-23`.
    """
    group: click.Group = import_module("coffeerush.cli.commands").group
    context = group.make_context("coffeerush", [], resilient_parsing=True)
    heading = f'.TH COFFEERUSH 1 "{date}" "Coffee Rush {version}"\n'
    name = f".SH NAME\ncoffeerush \\- {_roff(group.get_short_help_str(200).rstrip('.'))}\n"
    return heading + name + "".join(_pages(group, context))


def main(language: str, version: str, date: str, path: str) -> None:
    """Write the page; in a process of its own, as the commands are translated when imported."""
    set_language = import_module("coffeerush.ui.words.i18n").set_language
    set_language(language)
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(man_page(version, date), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
