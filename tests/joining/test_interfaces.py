"""The addresses of this machine, and the ones to join at."""

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


def test_only_addresses_of_the_fourth_version_are_reached_where_only_those_are_bound() -> None:
    assert not [address for address in join_addresses("0.0.0.0") if ":" in address]


@pytest.mark.parametrize("bound", ["*", "::"])
def test_every_address_that_another_machine_can_reach_is_there(bound: str) -> None:
    own = [one.ip for one in own_interfaces()]
    reachable = {str(one) for one in own if not (one.is_loopback or one.is_link_local)}
    assert set(join_addresses(bound)) == (reachable or {"127.0.0.1"})


def test_an_address_comes_with_its_network() -> None:
    assert "127.0.0.1/8" in map(str, own_interfaces())


def test_the_addresses_are_not_loaded_before_they_are_needed() -> None:
    """A screen imports this module, too, and its first frame is not to wait for them."""
    asked = f"import sys, {interfaces.__name__}; sys.exit('ifaddr' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", asked], check=False).returncode == 0


def test_one_address_is_the_one_to_join_at() -> None:
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
def test_the_usual_port_is_not_typed(address: str, port: int, typed: str) -> None:
    assert with_port(address, port) == typed
