"""DNS-SD adverts: encoding, and validation of adverts from anybody."""

import re
from ipaddress import ip_address, ip_interface
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

import protocol
from coffeerush.joining.nearby import (
    LAST_PROTOCOL,
    LAST_ROUND,
    SERVICE,
    Advert,
    instance,
    likeliest,
    read,
    written,
)
from protocol import MAX_PLAYERS, NAME_CELLS, clean_name

# DNS-SD adverts: encoding, and validation of adverts from anybody


KEY = "k" * 40
GIVEN = Advert("Kitchen", KEY, free=2, round=0, owner="Ann")
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
        free=st.none() | st.integers(0, MAX_PLAYERS),
        round=st.none() | st.integers(0, LAST_ROUND),
        owner=st.just("") | names(),
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


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        ("Zoë".encode(), "Zoë"),
        (b"\x1b[2J\x07Ann\n", "[2JAnn"),
        (b"\xff" + b"A" * 250, "\ufffd" + "A" * (NAME_CELLS - 1)),
        (b"", ""),
        (None, ""),
    ],
)
def test_who_hosts_is_a_name_whatever_is_announced(told: bytes | None, shown: str) -> None:
    assert read({**GOOD, b"owner": told}) == Advert("Küche 2", KEY, True, 3, owner=shown)


@given(st.binary(max_size=255))
def test_names_are_sanitized(table: bytes) -> None:
    advert = read({**GOOD, b"table": table})
    assert advert is None or (clean_name(advert.table) == advert.table != "")
    assert advert is None or len(advert.table) <= NAME_CELLS


@pytest.mark.parametrize("wrong", [b"5", b"-1", b"two", b"\xff", b"99999", None])
def test_free_seats_that_are_no_such_number_are_unknown(wrong: bytes | None) -> None:
    advert = read({**GOOD, b"free": wrong, b"round": b"3"})
    assert advert is not None
    assert (advert.free, advert.round) == (None, 3)


def test_doors_have_unique_instance_names() -> None:
    made = {instance(key, port) for key in (KEY, "l" * 40) for port in (47820, 47830)}
    assert len(made) == 4
    assert all(len(name.removesuffix(f".{SERVICE}")) == 16 for name in made)


# Discovered tables: the choice of an address


OWN = [ip_interface("10.0.0.5/24"), ip_interface("172.17.0.1/16"), ip_interface("fd00::5/64")]


@pytest.mark.parametrize(
    ("addresses", "best"),
    [
        (["192.168.3.4", "10.0.0.7"], "10.0.0.7"),
        # many machines have a container bridge with this address
        (["172.17.0.1", "192.168.3.4", "10.0.0.7"], "10.0.0.7"),
        (["192.168.3.4", "172.17.0.1"], "172.17.0.1"),
        (["10.0.0.5", "172.17.0.1"], "10.0.0.5"),
        (["2001:db8::1", "fd00::7"], "fd00::7"),
        (["192.168.3.4", "2001:db8::1"], "192.168.3.4"),
        (["127.0.0.1", "::1", "0.0.0.0", "224.0.0.251"], None),
        (["::ffff:127.0.0.1", "::ffff:0.0.0.0", "::ffff:224.0.0.251"], None),
        ([], None),
    ],
)
def test_the_most_likely_address_is_chosen(addresses: list[str], best: str | None) -> None:
    chosen = likeliest(map(ip_address, addresses), OWN)
    assert (chosen and str(chosen)) == best
