"""Mutate valid frames, as an attacker would."""

from collections.abc import Callable
from random import Random
from typing import Any, Final

import msgpack

STRANGE: Final[tuple[Any, ...]] = (
    *(None, True, False, 0, -1, 1, 3, 4, 2**31, 2**53, 2**53 + 1, 2**63, 2**64 - 1, -(2**63)),
    *(0.5, float("nan"), float("inf")),
    *("", "a", "hello", "\x1b[31mred", "\u202e\u200b", "\U0001f600" * 24, "字" * 24, "é" * 300),
    *(b"", b"\0" * 16, b"\xff" * 16, b"x" * 64, b"x" * 65),
    *([], [0] * 8, [[]], [0] * 65, {}, {"type": "undo"}, {1: 2}, {"seat": 0}),
    msgpack.ExtType(5, b"x"),
    msgpack.Timestamp(1),
)
FIELDS: Final = (
    *("seat", "key", "name", "role", "owner", "game"),
    *("rev", "id", "type", "view", "cups"),
)
_Tree = dict[str, Any]


def mutated(body: bytes, chance: Random) -> bytes:
    """Return the body of a request with one to three mutations."""
    for _time in range(chance.randint(1, 3)):
        body = chance.choice(_MUTATIONS)(body, chance)
    return body


def _flip(body: bytes, chance: Random) -> bytes:
    """Flip bits of a byte."""
    if not body:
        return b"\xc1"
    at = chance.randrange(len(body))
    return body[:at] + bytes([body[at] ^ chance.randint(1, 255)]) + body[at + 1 :]


def _cut(body: bytes, chance: Random) -> bytes:
    return body[: chance.randrange(len(body) + 1)]


def _grow(body: bytes, chance: Random) -> bytes:
    at = chance.randrange(len(body) + 1)
    return body[:at] + chance.randbytes(chance.choice((1, 1, 2, 16, 200))) + body[at:]


def _double(body: bytes, chance: Random) -> bytes:
    return (body * chance.choice((2, 3, 70)))[:5000]


def _deep(body: bytes, chance: Random) -> bytes:
    return b"\x91" * chance.choice((5, 8, 9, 500, 4000)) + body


def _field(body: bytes, chance: Random) -> bytes:
    """Replace a value by something strange, or add an unknown field."""

    def change(tree: _Tree) -> None:
        inner = tree.get("intent")
        held = inner if isinstance(inner, dict) and inner and chance.random() < 0.5 else tree
        name = chance.choice([*held, *FIELDS]) if held else chance.choice(FIELDS)
        held[name] = chance.choice(STRANGE)

    return _changed(body, change)


def _without(body: bytes, chance: Random) -> bytes:
    def change(tree: _Tree) -> None:
        if tree:
            del tree[chance.choice([*tree])]

    return _changed(body, change)


def _number(body: bytes, chance: Random) -> bytes:
    """Change a number slightly."""

    def change(tree: _Tree) -> None:
        inner = tree.get("intent")
        held = inner if isinstance(inner, dict) and chance.random() < 0.7 else tree
        names = [name for name, value in held.items() if type(value) is int]
        if names:
            held[chance.choice(names)] += chance.choice((-1, 1, 2, 16, 255))

    return _changed(body, change)


def _changed(body: bytes, change: Callable[[_Tree], None]) -> bytes:
    try:
        tree = msgpack.unpackb(body, strict_map_key=False)
    except (ValueError, TypeError, RecursionError, msgpack.UnpackException):
        return body[1:]
    if not isinstance(tree, dict):
        return body + b"\0"
    change(tree)
    try:
        changed: bytes = msgpack.packb(tree)
    except (ValueError, OverflowError):
        return body + b"\xc1"
    return changed


_MUTATIONS: Final[tuple[Callable[[bytes, Random], bytes], ...]] = (
    *(_flip, _cut, _grow, _double, _deep),
    *(_field, _field, _field, _without, _number),
)
