"""`coffeerush export`: a finished game as JSON lines."""

import sys
from pathlib import Path

import click

from coffeerush.cli import examples
from coffeerush.records.export import export_lines
from coffeerush.records.writing import load_record
from coffeerush.ui.words.i18n import _


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
def command(file: Path) -> None:
    """Print the lines; `--json`, once required, is still accepted."""
    output = sys.stdout.buffer
    for line in export_lines(load_record(file)):
        output.write(line)
