"""Reword texts in the sources, by replacing the literals that are marked for translation."""

import ast
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Final

from msgspec import Struct

from .merging import Rewording
from .sources import KEYWORDS, PACKAGE

ROOT: Final = PACKAGE.parent
LINE: Final = 100
"""The maximum line length of the sources."""
_MIN_MENTION: Final = 12
"""Shorter texts may occur elsewhere as ordinary words."""


class Literal(Struct, frozen=True):
    """A string literal in a source, possibly concatenated: its start and end by line and byte."""

    text: str
    start: tuple[int, int]
    end: tuple[int, int]


class Mark(Struct, frozen=True):
    """A marked text in a source: one literal, or singular and plural."""

    context: str | None
    literals: tuple[Literal, ...]


def reword(files: Iterable[Path], rewordings: Iterable[Rewording]) -> list[str]:
    """Replace texts in sources, and let ruff reformat the lines.

    Returns:
        Texts that were not found or cannot be replaced, one line each.
    """
    wanted = {rewording.key: rewording for rewording in rewordings}
    found, wrong, changed = set[object](), list[str](), list[str]()
    for file in files:
        source = file.read_text(encoding="utf-8")
        new = list[tuple[Literal, str]]()
        for mark in marks(source):
            one = wanted.get((mark.context, mark.literals[0].text))
            if one is None:
                continue
            found.add(one.key)
            words = (one.new,) if isinstance(one.new, str) else one.new
            if len(words) != len(mark.literals):
                place = f"{_shown(file)}:{mark.literals[0].start[0]}"
                wrong.append(
                    f"{place}: “{one.key[1]}” has {len(mark.literals)} forms; give the same number"
                )
                continue
            new += zip(mark.literals, words, strict=True)
        if new:
            file.write_text(replaced(source, new), encoding="utf-8")
            changed.append(str(file))
    if changed:
        subprocess.run([sys.executable, "-m", "ruff", "format", "--quiet", *changed], check=True)
    return [
        *wrong,
        *(_not_found(rewording) for key, rewording in wanted.items() if key not in found),
    ]


def marks(source: str) -> Iterator[Mark]:
    """Yield the texts of a source that are marked for translation."""
    for call in ast.walk(ast.parse(source)):
        if not isinstance(call, ast.Call):
            continue
        name = getattr(call.func, "id", getattr(call.func, "attr", ""))
        if name not in KEYWORDS:
            continue
        context, places = None, list[int]()
        for place in KEYWORDS[name] or (1,):
            if isinstance(place, tuple):
                context = _literal(call.args[place[0] - 1 : place[0]])
            else:
                places.append(place)
        literals = [_literal(call.args[place - 1 : place]) for place in places]
        if literals and all(literals):
            yield Mark(
                context.text if context else None,
                tuple(literal for literal in literals if literal is not None),
            )


def replaced(source: str, new: Iterable[tuple[Literal, str]]) -> str:
    """Return a source with some of its literals replaced."""
    lines = source.encode().splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    found = b"".join(lines)
    for literal, text in sorted(new, key=lambda changed: changed[0].start, reverse=True):
        row, column = literal.start
        line = lines[row - 1]
        indent = len(line) - len(line.lstrip())
        start = starts[row - 1] + column
        end = starts[literal.end[0] - 1] + literal.end[1]
        found = found[:start] + written(text, LINE - indent - 12).encode() + found[end:]
    return found.decode()


def written(text: str, room: int) -> str:
    """Format a text as Python literals of at most `room` characters each, if possible."""
    parts = [""]
    for word in text.replace(" ", " \0").split("\0"):
        if parts[-1] and len(_quoted(parts[-1] + word)) > room:
            parts.append("")
        parts[-1] += word
    return "\n".join(map(_quoted, parts))


def mentions(rewordings: Iterable[Rewording]) -> Iterator[str]:
    """Yield tests and documents that still contain the old words of texts."""
    olds = sorted(
        {rewording.key[1] for rewording in rewordings if len(rewording.key[1]) >= _MIN_MENTION}
    )
    for file, line, text in _written_elsewhere():
        for old in olds:
            if old in text:
                yield f"{file}:{line}: “{old}”"


def _shown(file: Path) -> str:
    return (file.relative_to(ROOT) if file.is_relative_to(ROOT) else file).as_posix()


def _quoted(text: str) -> str:
    shown = "".join(
        sign if sign.isprintable() else ascii(sign)[1:-1] for sign in text.replace("\\", "\\\\")
    )
    return '"' + shown.replace('"', '\\"') + '"'


def _literal(arguments: list[ast.expr]) -> Literal | None:
    for argument in arguments:
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
            assert argument.end_lineno is not None
            assert argument.end_col_offset is not None
            start = argument.lineno, argument.col_offset
            end = argument.end_lineno, argument.end_col_offset
            return Literal(argument.value, start, end)
    return None


def _not_found(rewording: Rewording) -> str:
    context, text = rewording.key
    for file in (PACKAGE / "decks" / "standard.toml", Path(__file__).with_name("click_texts.py")):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if text in line:
                return f"{_shown(file)}:{number}: “{text}” has to be changed here manually"
    place = f" with the context “{context}”" if context else " without a context"
    return f"“{text}”: the source code has no such text{place}"


@cache
def _written_elsewhere() -> tuple[tuple[str, int, str], ...]:
    """Return the strings in the tests and the lines in the documents, with their locations."""
    found = list[tuple[str, int, str]]()
    for file in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]:
        lines = file.read_text(encoding="utf-8").splitlines()
        found += [(_shown(file), *line) for line in enumerate(lines, 1)]
    for file in (ROOT / "tests").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.append((_shown(file), node.lineno, node.value))
    return tuple(found)
