"""Mutants of a module's source: operators, conditions, numbers, statements, results.

Mutations edit the text, so that comments and line numbers stay where tests expect them. Strings,
annotations, asserts, decorators and class headers are skipped: people, mypy and the runtime notice
a mistake there before any test does.
"""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from random import Random
from typing import Final, NamedTuple

COMPARISONS: Final[dict[type[ast.cmpop], tuple[str, tuple[str, ...]]]] = {
    ast.Lt: ("<", ("<=", ">=")),
    ast.LtE: ("<=", ("<", ">")),
    ast.Gt: (">", (">=", "<=")),
    ast.GtE: (">=", (">", "<")),
    ast.Eq: ("==", ("!=",)),
    ast.NotEq: ("!=", ("==",)),
    ast.Is: ("is", ("is not",)),
    ast.IsNot: ("is not", ("is",)),
    ast.In: ("in", ("not in",)),
    ast.NotIn: ("not in", ("in",)),
}
ARITHMETIC: Final[dict[type[ast.operator], tuple[str, str]]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "//"),
    ast.FloorDiv: ("//", "*"),
    ast.Div: ("/", "*"),
    ast.Mod: ("%", "//"),
    ast.Pow: ("**", "*"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
    ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
}


class Mutant(NamedTuple):
    """A single change: `text` replaces the bytes from `start` to `end`."""

    path: str
    line: int
    start: int
    end: int
    text: str

    def applied(self, source: bytes) -> bytes:
        """Return the mutated source."""
        return source[: self.start] + self.text.encode() + source[self.end :]

    def told(self, source: bytes) -> str:
        """Describe the change: its place, and the lines before and after."""
        begin = source.rfind(b"\n", 0, self.start) + 1
        end = source.find(b"\n", self.end) % (len(source) + 1)
        before = source[begin:end].decode()
        after = (source[begin : self.start] + self.text.encode() + source[self.end : end]).decode()
        return f"{self.path}:{self.line}: {_one_line(before)}  ->  {_one_line(after)}"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def sample(sources: dict[str, bytes], count: int, chance: Random) -> list[Mutant]:
    """Sample mutants of up to `count` different places, with equal probability per place."""
    places = [place for path in sorted(sources) for place in places_of(path, sources[path])]
    return [chance.choice(place) for place in chance.sample(places, min(count, len(places)))]


def places_of(path: str, source: bytes) -> list[list[Mutant]]:
    """Return the mutants of a module, grouped by place."""
    return list(_Places(path, source).of(ast.parse(source)))


class _Places:
    """Finds mutable places in the AST, whose columns count bytes."""

    def __init__(self, path: str, source: bytes) -> None:
        self._path = path
        self._source = source
        self._lines = [0]
        for line in source.splitlines(keepends=True):
            self._lines.append(self._lines[-1] + len(line))

    def of(self, node: ast.AST) -> Iterator[list[Mutant]]:
        """Yield the places in a node and its children."""
        yield from self._in(node)
        for field, value in ast.iter_fields(node):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST) and not _is_left_alone(node, field, child):
                    yield from self.of(child)

    def _in(self, node: ast.AST) -> Iterator[list[Mutant]]:
        match node:
            case ast.Compare():
                operands = pairwise([node.left, *node.comparators])
                for op, (left, right) in zip(node.ops, operands, strict=True):
                    written, others = COMPARISONS[type(op)]
                    yield self._between(left, written, right, *others)
            case ast.BoolOp(op=op, values=values):
                written, other = ("and", "or") if isinstance(op, ast.And) else ("or", "and")
                for left, right in pairwise(values):
                    yield self._between(left, written, right, other)
            case ast.BinOp() if type(node.op) in ARITHMETIC:
                written, other = ARITHMETIC[type(node.op)]
                yield self._between(node.left, written, node.right, other)
            case ast.UnaryOp(op=ast.Not()):
                start = self._start(node)
                yield [self._mutant(node, start, start + len(b"not "), "")]
            case ast.Constant(value=bool() as value):
                yield [self._instead(node, str(not value))]
            case ast.Constant(value=int() | float() as number):
                yield [self._instead(node, str(other)) for other in (number + 1, number - 1)]
            case ast.Return() if not _is_none(node.value):
                yield [self._instead(node, "return None")]
            case (
                ast.Return() | ast.Raise() | ast.Continue() | ast.Break() | ast.Delete()
            ):  # fmt: skip
                yield [self._instead(node, "pass")]
            case ast.Expr() if not isinstance(node.value, ast.Constant):
                yield [self._instead(node, "pass")]
            case ast.AugAssign():
                yield [self._instead(node, "pass")]
            case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
                yield [self._instead(node, "pass")]
        for test in _conditions(node):
            text = self._source[self._start(test) : self._end(test)].decode()
            yield [self._instead(test, f"not ({text})")]

    def _between(self, left: ast.expr, written: str, right: ast.expr, *others: str) -> list[Mutant]:
        start = self._end(left)
        gap = self._source[start : self._start(right)]
        words = rb"\s+".join(re.escape(word.encode()) for word in written.split())
        found = re.search(rb"(?<!\w)" + words + rb"(?!\w)" if written.isalpha() else words, gap)
        assert found  # the operator is written there
        begin, end = start + found.start(), start + found.end()
        return [self._mutant(left, begin, end, other) for other in others]

    def _instead(self, node: ast.expr | ast.stmt, text: str) -> Mutant:
        return self._mutant(node, self._start(node), self._end(node), text)

    def _mutant(self, node: ast.expr | ast.stmt, start: int, end: int, text: str) -> Mutant:
        return Mutant(self._path, node.lineno, start, end, text)

    def _start(self, node: ast.expr | ast.stmt) -> int:
        return self._lines[node.lineno - 1] + node.col_offset

    def _end(self, node: ast.expr | ast.stmt) -> int:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._lines[node.end_lineno - 1] + node.end_col_offset


def _conditions(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the conditions of a node to negate; others have an operator to mutate instead."""
    tests: list[ast.expr | None] = []
    match node:
        case ast.If() | ast.While() | ast.IfExp():
            tests = [node.test]
        case ast.comprehension():
            tests = [*node.ifs]
        case ast.match_case():
            tests = [node.guard]
    for test in tests:
        is_not = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
        if test is not None and not is_not and not isinstance(test, ast.Compare | ast.Constant):
            yield test


def _is_none(value: ast.expr | None) -> bool:
    return value is None or (isinstance(value, ast.Constant) and value.value is None)


def _is_left_alone(parent: ast.AST, field: str, child: ast.AST) -> bool:
    """Return whether to skip a node and its children; f-string offsets are wrong before 3.12."""
    if isinstance(child, ast.Assert | ast.JoinedStr):
        return True
    if isinstance(parent, ast.ClassDef) and field != "body":
        return True
    if isinstance(parent, ast.AnnAssign) and "TypeAlias" in ast.unparse(parent.annotation):
        return True
    if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
        return True
    return field in ("annotation", "returns", "decorator_list")
