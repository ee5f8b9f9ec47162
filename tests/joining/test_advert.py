"""DNS-SD adverts: encoding, and validation of adverts from anybody."""

import re
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

import protocol
from coffeerush.joining.nearby import LAST_PROTOCOL, SERVICE, Advert, instance, read, written
from protocol import NAME_CELLS, clean_name

KEY = "k" * 40
GIVEN = Advert("Kitchen", KEY)
GOOD = {b"v": b"3", b"table": "Küche 2".encode(), b"key": KEY.encode(), b"code": b"1"}
MOST_OF_A_PAIR = 255
"""In bytes, including the key and the equals sign."""


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
def test_adverts_round_trip(advert: Advert) -> None:
    pairs = {name.encode(): value.encode() for name, value in written(advert).items()}
    assert read(pairs) == advert
    assert all(len(name) + len(value) < MOST_OF_A_PAIR for name, value in pairs.items())


def test_an_advert_has_exactly_the_specified_pairs() -> None:
    text = Path(protocol.__file__).with_name("SPEC.md").read_text(encoding="utf-8")
    chapter = text.split(" Finding tables\n")[1].split("###")[0]
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
def test_invalid_adverts_are_rejected(wrong: dict[bytes, bytes | None]) -> None:
    assert read(GOOD) == Advert("Küche 2", KEY, True, 3)
    assert read({**GOOD, **wrong}) is None
    assert read({**GOOD, next(iter(wrong)) + b"?": b"more"}) is not None
    assert read({}) is None


@given(st.binary(max_size=255))
def test_names_are_sanitized(table: bytes) -> None:
    advert = read({**GOOD, b"table": table})
    assert advert is None or (clean_name(advert.table) == advert.table != "")
    assert advert is None or len(advert.table) <= NAME_CELLS


def test_doors_have_unique_instance_names() -> None:
    made = {instance(key, port) for key in (KEY, "l" * 40) for port in (47820, 47830)}
    assert len(made) == 4
    assert all(len(name.removesuffix(f".{SERVICE}")) == 16 for name in made)
