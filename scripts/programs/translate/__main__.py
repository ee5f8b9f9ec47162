"""`scripts/translate COMMAND`: keep the catalogues of texts; see docs/translating.md."""

import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.pofile import PoFileError

from .catalogues import (
    CODES,
    is_translated,
    kept,
    merged,
    mo_bytes,
    mo_file,
    po_bytes,
    po_file,
    read,
    texts,
)
from .faults import faults, take
from .sources import template


def main() -> int:
    """Do what the command line says, and return the exit code."""
    wanted = _parser().parse_args()
    try:
        code: int = wanted.command(wanted)
    except (OSError, PoFileError) as error:
        print(error, file=sys.stderr)
        return 1
    return code


def extract(wanted: Namespace) -> int:
    """Print all texts as a template."""
    sys.stdout.buffer.write(po_bytes(merged(template())))
    return 0


def update(wanted: Namespace) -> int:
    """Bring the catalogues up to date with the sources, and compile them."""
    for code in wanted.codes:
        _write(code, merged(template(), kept(code)))
    return 0


def build(wanted: Namespace) -> int:
    """Compile the catalogues as they are."""
    for code in wanted.codes:
        mo_file(code).write_bytes(mo_bytes(kept(code)))
    return 0


def check(wanted: Namespace) -> int:
    """Print what is wrong with the catalogues."""
    found = [
        f"{code}: {fault}"
        for code in wanted.codes
        for fault in faults(merged(template(), kept(code)))
    ]
    print("\n".join(found or ["Nothing is wrong."]))
    return 1 if found else 0


def missing(wanted: Namespace) -> int:
    """Print what has no translation yet, as a catalogue to fill in."""
    catalog = merged(template(), kept(wanted.code))
    for message in [*texts(catalog)]:
        if is_translated(message) and not message.fuzzy:
            catalog.delete(message.id, message.context)
    sys.stdout.buffer.write(po_bytes(catalog))
    return 0


def fill(wanted: Namespace) -> int:
    """Take translations from a file into the catalogue, except what is wrong, which is printed."""
    catalog = merged(template(), kept(wanted.code))
    taken, wrong = take(catalog, read(wanted.file, wanted.code))
    _write(wanted.code, catalog)
    print("\n".join([*wrong, f"{taken} translations taken."]))
    return 1 if wrong else 0


def _write(code: str, catalog: Catalog) -> None:
    po_file(code).parent.mkdir(parents=True, exist_ok=True)
    po_file(code).write_bytes(po_bytes(catalog))
    mo_file(code).write_bytes(mo_bytes(catalog))


def _code(text: str) -> str:
    if text not in CODES:
        raise ArgumentTypeError(f"{text} is none of {', '.join(CODES)}")
    return text


def _parser() -> ArgumentParser:
    parser = ArgumentParser(prog="scripts/translate", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, command in {
        "extract": extract,
        "update": update,
        "compile": build,
        "check": check,
        "missing": missing,
        "fill": fill,
    }.items():
        one = commands.add_parser(name, help=command.__doc__, description=command.__doc__)
        one.set_defaults(command=command)
        if command in (missing, fill):
            one.add_argument("code", type=_code)
        elif command is not extract:
            one.add_argument("codes", nargs="*", type=_code, default=CODES)
        if command is fill:
            one.add_argument("file", type=Path)
    return parser


if __name__ == "__main__":
    sys.exit(main())
