"""This machine's addresses, and those at which others can join."""

import os
import socket
import subprocess
import sys

import pytest

from coffeerush.joining import interfaces
from coffeerush.joining.hosts import Address
from coffeerush.joining.interfaces import EVERYWHERE, join_addresses, own_interfaces
from tests.soak.lan.network import Network, unavailable
from tests.soak.lan.switch import TUN, open_tap


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
    found = set(join_addresses(bound))
    assert found <= (reachable or {"127.0.0.1"})  # without those that have no carrier
    assert found


def test_an_address_comes_with_its_network() -> None:
    assert "127.0.0.1/8" in map(str, own_interfaces())


def test_ifaddr_is_imported_late() -> None:
    """Screens also import this module, and the import would delay their first frame."""
    asked = f"import sys, {interfaces.__name__}; sys.exit('ifaddr' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", asked], check=False).returncode == 0


def test_a_bound_address_is_the_only_one_to_join_at() -> None:
    assert join_addresses("127.0.0.1") == ["127.0.0.1"]


@pytest.mark.slow
@pytest.mark.parametrize("default", ["tun0", "lan", ""])
def test_a_lan_comes_before_bridges_and_tunnels(default: str) -> None:
    if why := unavailable():
        pytest.skip(why)
    lines = [
        "link add bridge0 type bridge",
        "address add 172.17.0.1/16 dev bridge0",
        "link set bridge0 up",
        "link add pair0 type veth peer name pair1",
        "link set pair0 master bridge0",
        "link set pair0 up",
        "link set pair1 up",
        "address add 10.8.0.6/24 dev tun0",
        "link set tun0 up",
        "link add down0 type veth peer name down1",
        "address add 10.9.0.1/24 dev down0",
        "link set down0 up",
    ]
    lines += [f"route add default dev {default}"] if default else []
    asked = f"from {interfaces.__name__} import *; print(*join_addresses('*'))"
    with Network(["host"]) as network:
        with network.inside("host"):
            tunnel = open_tap("tun0", TUN)
        ip = network.command("host", "ip", "-batch", "-")
        subprocess.run(ip, input="\n".join(lines), text=True, check=True)
        python = network.command("host", sys.executable, "-c", asked)
        found = subprocess.run(python, capture_output=True, text=True, check=True).stdout.split()
        os.close(tunnel)
        lan = [network.address("host"), network.address6("host")]
    assert found == [*lan, "172.17.0.1", "10.8.0.6"]


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
    assert str(Address(address, port)) == typed
