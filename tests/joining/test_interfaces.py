"""This machine's addresses, and those at which others can join."""

import socket
import subprocess
import sys

import pytest

from coffeerush.joining.discovery import interfaces
from coffeerush.joining.discovery.interfaces import (
    EVERYWHERE,
    join_addresses,
    own_interfaces,
    with_port,
)


@pytest.mark.parametrize("bound", EVERYWHERE)
def test_all_addresses_to_join_at_are_found(bound: str) -> None:
    found = join_addresses(bound)
    assert found
    assert len(set(found)) == len(found)
    for address in found:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        with socket.socket(family) as own:
            own.bind((address, 0))


def test_only_ipv4_addresses_are_shown_if_only_ipv4_is_bound() -> None:
    assert not [address for address in join_addresses("0.0.0.0") if ":" in address]


@pytest.mark.parametrize("bound", ["*", "::"])
def test_every_reachable_address_is_listed(bound: str) -> None:
    own = [one.ip for one in own_interfaces()]
    reachable = {str(one) for one in own if not (one.is_loopback or one.is_link_local)}
    assert set(join_addresses(bound)) == (reachable or {"127.0.0.1"})


def test_an_address_comes_with_its_network() -> None:
    assert "127.0.0.1/8" in map(str, own_interfaces())


def test_ifaddr_is_imported_late() -> None:
    """Screens import this module, too, and the import would delay their first frame."""
    asked = f"import sys, {interfaces.__name__}; sys.exit('ifaddr' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", asked], check=False).returncode == 0


def test_a_bound_address_is_the_only_one_to_join_at() -> None:
    assert join_addresses("127.0.0.1") == ["127.0.0.1"]


@pytest.mark.parametrize(
    ("address", "port", "typed"),
    [
        ("192.168.0.12", 47820, "192.168.0.12"),
        ("192.168.0.12", 5000, "192.168.0.12:5000"),
        ("fd00::2", 47820, "fd00::2"),
        ("fd00::2", 5000, "[fd00::2]:5000"),
    ],
)
def test_the_default_port_is_omitted(address: str, port: int, typed: str) -> None:
    assert with_port(address, port) == typed
