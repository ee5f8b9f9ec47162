"""Discovered tables: the order of the list, and the choice of an address."""

from ipaddress import ip_address, ip_interface

import pytest

from coffeerush.joining.nearby import MAX_FOUND, FoundTable, likeliest, merged

KITCHEN = FoundTable("Kitchen", "10.0.0.7", True)
BAR = FoundTable("Bar", "10.0.0.8:47830", False)
OWN = [ip_interface("10.0.0.5/24"), ip_interface("172.17.0.1/16"), ip_interface("fd00::5/64")]


def test_tables_keep_their_order_while_others_come_and_go() -> None:
    both = merged((KITCHEN,), (BAR, KITCHEN))
    assert both == (KITCHEN, BAR)
    renamed = FoundTable("Küche", "10.0.0.7", False)
    assert merged(both, (BAR, renamed)) == (renamed, BAR)
    assert merged(both, (BAR,)) == (BAR,)
    assert merged((BAR,), ()) == ()


def test_the_list_is_bounded() -> None:
    many = [FoundTable("T", f"10.0.1.{number}", True) for number in range(3 * MAX_FOUND)]
    assert merged((KITCHEN,), [*many, KITCHEN]) == (KITCHEN, *many[: MAX_FOUND - 1])
    assert merged(many[:MAX_FOUND], (KITCHEN,)) == (KITCHEN,), "those that are gone need no room"


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
