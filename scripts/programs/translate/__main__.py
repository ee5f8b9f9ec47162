"""`scripts/translate COMMAND`: maintain the translation catalogues; see docs/translating.md."""

import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Sequence
from pathlib import Path

import msgspec
from babel import Locale, UnknownLocaleError
from babel.messages.catalog import Catalog

from .catalogues import (
    COMPLETE,
    TEMPLATE,
    codes,
    dated,
    is_done,
    kept,
    po_bytes,
    po_file,
    read,
    same_texts,
    texts,
    today,
)
from .faults import faults, progress, take, unfinished
from .merging import Rewording, key_of, merged
from .rewording import mentions, reword
from .sources import PACKAGE, template


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line, and return the exit code."""
    parser = _parser()
    wanted = parser.parse_args(arguments)
    if wanted.command is change and bool(wanted.file) == bool(wanted.old and wanted.new):
        parser.error("reword takes either OLD and NEW or --file PAIRS")
    try:
        code: int = wanted.command(wanted)
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    return code


def update(wanted: Namespace) -> int:
    """Update the template and the catalogues from the sources."""
    _update(wanted.codes or codes(), drop_obsolete=wanted.drop_obsolete)
    return 0


def change(wanted: Namespace) -> int:
    """Change texts in the sources; their translations are kept and marked as fuzzy."""
    rewordings = _rewordings(wanted)
    said = {key_of(message) for message in texts(template())}
    wrong = reword(sorted(PACKAGE.rglob("*.py")), rewordings)
    _update(codes(), rewordings)
    for rewording in rewordings:
        if rewording.new_key in said:
            print(f"“{rewording.new_key[1]}” already exists: both now share its translation")
    for mention in mentions(rewordings):
        print(f"the old text is still in {mention}")
    print("\n".join(wrong or ["All texts are reworded."]))
    return 1 if wrong else 0


def check(wanted: Namespace) -> int:
    """Print mistakes in the catalogues, and how much of them is translated."""
    found = list[str]()
    sources = dated(template())
    for code in wanted.codes or codes():
        catalog = merged(sources, kept(code))
        found += [f"{code}: {fault}" for fault in faults(catalog)]
        if code in COMPLETE:
            found += [f"{code}: {fault}" for fault in unfinished(catalog)]
    print("\n".join(found or ["No mistakes found."]))
    for code in wanted.codes or codes():
        print(f"{code}: {progress(merged(sources, kept(code)))}")
    return 1 if found else 0


def missing(wanted: Namespace) -> int:
    """Print a catalogue of missing and fuzzy translations, to fill in."""
    catalog = merged(dated(template()), kept(wanted.code))
    catalog.obsolete.clear()
    for message in filter(is_done, [*texts(catalog)]):
        catalog.delete(message.id, message.context)
    sys.stdout.buffer.write(po_bytes(catalog))
    return 0


def fill(wanted: Namespace) -> int:
    """Import translations from a file into the catalogue; print those rejected."""
    catalog = merged(dated(template()), kept(wanted.code))
    new = read(wanted.file, wanted.code)
    taken, wrong = take(catalog, new, fuzzy_too=wanted.fuzzy_too)
    _write(wanted.code, catalog)
    print("\n".join([*wrong, f"{taken} translations imported.", progress(catalog)]))
    return 1 if wrong else 0


def _update(
    languages: Sequence[str], rewordings: Sequence[Rewording] = (), *, drop_obsolete: bool = False
) -> None:
    sources = dated(template())
    TEMPLATE.write_bytes(po_bytes(sources))
    for code in languages:
        catalog = merged(sources, kept(code), rewordings)
        if drop_obsolete:
            catalog.obsolete.clear()
        _write(code, catalog)
        print(f"{code}: {progress(catalog)}; {len(catalog.obsolete)} obsolete")


def _write(code: str, catalog: Catalog) -> None:
    file = po_file(code)
    if not same_texts(kept(code), catalog):
        catalog.revision_date = today()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(po_bytes(catalog))


def _rewordings(wanted: Namespace) -> list[Rewording]:
    if wanted.file:
        lines = wanted.file.read_bytes().splitlines()
        return [msgspec.json.decode(line, type=Rewording) for line in lines if line.strip()]
    words = (wanted.new, wanted.plural) if wanted.plural else wanted.new
    return [Rewording(wanted.old, words, wanted.context, wanted.same)]


def _code(text: str) -> str:
    try:
        return str(Locale.parse(text))
    except (ValueError, UnknownLocaleError) as error:
        raise ArgumentTypeError(
            f"{text} is not a language code; give one such as fr or pt_BR"
        ) from error


def _parser() -> ArgumentParser:
    parser = ArgumentParser(prog="scripts/translate", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    made = dict[str, ArgumentParser]()
    for name, command in {
        "update": update,
        "reword": change,
        "check": check,
        "missing": missing,
        "fill": fill,
    }.items():
        made[name] = commands.add_parser(name, help=command.__doc__, description=command.__doc__)
        made[name].set_defaults(command=command)
    for name in ("update", "check"):
        made[name].add_argument("codes", nargs="*", type=_code, metavar="CODE")
    for name in ("missing", "fill"):
        made[name].add_argument("code", type=_code, metavar="CODE")
    made["update"].add_argument("--drop-obsolete", action="store_true")
    made["fill"].add_argument("file", type=Path, metavar="FILE")
    made["fill"].add_argument(
        "--fuzzy-too", action="store_true", help="also import translations marked as fuzzy"
    )
    one = made["reword"]
    one.add_argument("old", nargs="?", metavar="OLD")
    one.add_argument("new", nargs="?", metavar="NEW")
    one.add_argument("--plural", metavar="NEW", help="the new plural, if the text has one")
    one.add_argument("--context", help="the msgctxt of the text")
    one.add_argument(
        "--same", action="store_true", help="keep the translations: they are still right"
    )
    one.add_argument("--file", type=Path, metavar="PAIRS", help="JSON lines, one object per text")
    return parser


if __name__ == "__main__":
    sys.exit(main())
