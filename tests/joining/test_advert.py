"""What hosts tell the network: what is believed of it, whoever says it."""

import re
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

import protocol
from coffeerush.joining.discovery.advert import (
    LAST_PROTOCOL,
    SERVICE,
    Advert,
    instance,
    read,
    written,
)
from protocol import NAME_CELLS, clean_name

KEY = "k" * 40
GIVEN = Advert("Kitchen", KEY)
GOOD = {b"v": b"3", b"table": "Küche 2".encode(), b"key": KEY.encode(), b"code": b"1"}
MOST_OF_A_PAIR = 255
"""Bytes, its name and the sign between included."""


def names() -> st.SearchStrategy[str]:
    return st.text().map(clean_name).filter(bool)


@given(
    st.builds(
        Advert,
        table=names(),
        key=st.just(KEY),
        code=st.booleans(),
        protocol=st.integers(0, LAST_PROTOCOL),
    )
)
def test_what_is_written_is_read(advert: Advert) -> None:
    pairs = {name.encode(): value.encode() for name, value in written(advert).items()}
    assert read(pairs) == advert
    assert all(len(name) + len(value) < MOST_OF_A_PAIR for name, value in pairs.items())


def test_it_tells_what_the_specification_says_and_nothing_else() -> None:
    text = Path(protocol.__file__).with_name("SPEC.md").read_text(encoding="utf-8")
    chapter = text.split("### Finding tables")[1].split("###")[0]
    assert re.findall(r"^\| `(\w+)` \|", chapter, re.MULTILINE) == list(written(GIVEN))
    assert SERVICE in chapter


@pytest.mark.parametrize(
    "wrong",
    [
        {b"v": None},
        {b"v": b"three"},
        {b"v": b"1" * 5},
        {b"v": "³".encode()},
        {b"table": b""},
        {b"table": "\u200b".encode()},
        {b"key": b"short"},
        {b"key": b"#" * 40},
        {b"code": b"yes"},
    ],
)
def test_what_no_host_writes_is_no_table(wrong: dict[bytes, bytes | None]) -> None:
    assert read(GOOD) == Advert("Küche 2", KEY, True, 3)
    assert read({**GOOD, **wrong}) is None
    assert read({**GOOD, next(iter(wrong)) + b"?": b"more"}) is not None
    assert read({}) is None


@given(st.binary(max_size=255))
def test_names_are_clean_whatever_is_sent(table: bytes) -> None:
    advert = read({**GOOD, b"table": table})
    assert advert is None or (clean_name(advert.table) == advert.table != "")
    assert advert is None or len(advert.table) <= NAME_CELLS


def test_doors_have_names_of_their_own() -> None:
    made = {instance(key, port) for key in (KEY, "l" * 40) for port in (47820, 47830)}
    assert len(made) == 4
    assert all(len(name.removesuffix(f".{SERVICE}")) == 16 for name in made)
