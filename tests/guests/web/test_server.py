"""The web server of a gateway, over sockets: what it answers, to whom, and with a certificate."""

import re
import socket
import ssl
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from contextvars import copy_context
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from queue import Queue

import pytest

from coffeerush.errors import UsageError
from coffeerush.guests.web.server import HEADERS, file_at, is_ours, is_same_origin
from coffeerush.host.children import GatewayOptions, GatewayProcess, certificate_of
from coffeerush.host.server.parent import Ways
from coffeerush.joining.code import MIN_QUIET, qr_modules
from coffeerush.local.settings import LANGUAGES
from coffeerush.ui.words.errors import error_line
from tests.soak.parts.web import WebGuest
from tests.soak.strangers.web import Stranger
from tests.support.hosts_and_clients import SECONDS
from tests.support.web_guests import WebTable, made_certificate, web_table

# The web server of a gateway, over sockets: what it answers, to whom, and with a certificate


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebTable]:
    with web_table(tmp_path_factory.mktemp("host"), seats=2) as running:
        yield running


def asked(port: int, request: str, tls: ssl.SSLContext | None = None) -> tuple[str, str]:
    """Send a request; return the head and the body of the answer."""
    line = socket.create_connection(("127.0.0.1", port), timeout=SECONDS)
    with tls.wrap_socket(line) if tls else line as wrapped:
        wrapped.sendall(request.encode())
        heard = b""
        while part := wrapped.recv(1 << 16):
            heard += part
    head, _gap, body = heard.decode().partition("\r\n\r\n")
    return head, body


def get(path: str, host: str = "127.0.0.1", more: str = "") -> str:
    return f"GET {path} HTTP/1.1\r\nHost: {host}\r\n{more}\r\n"


def test_the_page_comes_with_its_policy(table: WebTable) -> None:
    head, body = asked(table.port, get("/?anything", more="Accept-Language: it\r\n"))
    assert head.startswith("HTTP/1.1 200 ")
    assert "Content-Type: text/html; charset=utf-8" in head
    assert "Content-Security-Policy: default-src 'self';" in head
    assert "X-Content-Type-Options: nosniff" in head
    assert "Server:" not in head
    assert '<html lang="it">' in body
    assert "<script>" not in body


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (get("/page.js"), "200"),
        (get("/page.py"), "404"),
        (get("/../setup.cfg"), "404"),
        (get("/", host="evil.example"), "421"),
        ("GET / HTTP/1.1\r\n\r\n", "421"),
        (get("/", more="Host: 127.0.0.1\r\n"), "421"),
        (get("/socket"), "403"),
    ],
)
def test_answers(table: WebTable, request_: str, status: str) -> None:
    head, _body = asked(table.port, request_)
    assert head.split()[1] == status


def test_a_request_with_long_headers_is_not_answered(table: WebTable) -> None:
    heard = ("", "")
    with suppress(ConnectionError):
        heard = asked(table.port, get("/", more=f"X-Much: {'x' * 8000}\r\n" * 5))
    assert heard == ("", "")
    head, _body = asked(table.port, get("/", more=f"Cookie: {'x' * 8000}\r\n"))
    assert head.startswith("HTTP/1.1 200 ")


def test_a_socket_is_for_our_own_page_only(table: WebTable) -> None:
    for host, origin in (("evil.example", ""), ("", "http://evil.example"), ("", "null")):
        stranger = Stranger(table.port, "127.0.0.1", Counter())
        assert not stranger.open(host, origin)
        stranger.abort()


def test_a_token_brings_back_to_the_seat_and_a_made_up_one_does_not(table: WebTable) -> None:
    with WebGuest(table, "Ann") as guest:
        token = guest.token
    with WebGuest(table, "Ann", token=token) as again:
        assert again.name == "Ann (web)"
    with WebGuest(table, "Eve", token="x" * 32) as eve:
        assert eve.name == "Eve (web)"


@pytest.mark.slow
def test_both_ports_are_reached_by_every_address_of_the_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if the usual ports are taken, as by another table on this machine."""
    monkeypatch.setenv("COFFEERUSH_STATE", str(tmp_path))
    told: Queue[Ways] = Queue()
    gateway = GatewayProcess(GatewayOptions("127.0.0.1", 1, "", "owl"), told.put, lambda: None)
    try:
        ways = told.get(timeout=SECONDS)
        for port in (ways.ssh_port, ways.web_port):
            for address in ("127.0.0.1", *(["::1"] if socket.has_dualstack_ipv6() else [])):
                socket.create_connection((address, port), timeout=SECONDS).close()
    finally:
        gateway.stop()


@pytest.mark.slow
def test_with_a_certificate_the_page_is_encrypted_and_does_not_warn(tmp_path: Path) -> None:
    certificate, key = made_certificate(tmp_path)
    files = {"tls_cert": str(certificate), "tls_key": str(key)}
    with web_table(tmp_path / "host", seats=2, **files) as table:
        trusting = ssl.create_default_context(cafile=str(certificate))
        trusting.check_hostname = False
        head, body = asked(table.port, get("/"), trusting)
        assert head.startswith("HTTP/1.1 200 ")
        assert 'id="listeners" hidden>' in body
        assert "https://127.0.0.1:" in table.host.text()


def test_a_certificate_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    certificate, _key = made_certificate(tmp_path)
    assert certificate_of("", "") is None
    for path, key in ((tmp_path / "none.pem", ""), (certificate, "")):
        with pytest.raises(UsageError) as error:
            certificate_of(str(path), key)
        assert str(path) in error_line(error.value)


# The page's HTML in each language, its size, and which requests are answered


ALL = [code for code in LANGUAGES if code]
MOST_BYTES = 69_000


def page(path: str = "/", accepted: str = "", *, listened: bool = True) -> str:
    """Return the HTML at a path."""
    found = copy_context().run(file_at, path, accepted, listened=listened)
    assert found is not None
    assert found[0] == "text/html"
    return found[1]


class Reader(HTMLParser):
    """Collects the texts of a page, and its scripts and styles."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.links: list[str] = []
        self.attributes: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [name for name, _value in attrs]
        self.links += [value or "" for name, value in attrs if name in ("src", "href", "action")]

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.texts.append(data.strip())


@pytest.mark.parametrize("code", ALL)
def test_each_language_has_its_page(code: str) -> None:
    html, tag = page(f"/{code}"), code.replace("_", "-")
    assert f'<html lang="{tag}">' in html
    assert re.findall(r'href="/(\w+)" lang="\S+" aria-current="true"', html) == [code]
    names = {"English", "Italiano", "Español", "Português (Brasil)", "한국어", "Русский"}
    texts = {*Reader(html).texts}
    assert names <= texts
    english = {*Reader(page("/en")).texts}
    if code != "en":
        assert texts & english <= names | {"Coffee Rush"}


@pytest.mark.parametrize(
    ("accepted", "code"),
    [("ko-KR,ko;q=0.9,en;q=0.8", "ko"), ("fi, ru;q=0.5", "ru"), ("pt-PT", "pt-BR"), ("", "en")],
)
def test_the_first_page_is_in_the_language_of_the_browser(accepted: str, code: str) -> None:
    assert f'<html lang="{code}">' in page("/", accepted)


def test_the_page_is_small_and_loads_nothing_from_elsewhere() -> None:
    static = files("coffeerush.guests.web") / "static"
    assert sum(len(one.read_bytes()) for one in static.iterdir()) < MOST_BYTES
    reader = Reader(page())
    assert all(link.startswith("/") for link in reader.links)
    assert not [name for name in reader.attributes if name == "style" or name.startswith("on")]
    assert "default-src 'self'" in HEADERS["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in HEADERS["Content-Security-Policy"]


def test_plain_http_is_called_that_and_https_is_not() -> None:
    assert '<p id="listeners" >' in page(listened=True)
    assert '<p id="listeners" hidden>' in page(listened=False)


def test_the_next_guest_scans_the_address_at_which_the_page_was_found(table: WebTable) -> None:
    for host in ("127.0.0.1", "192.0.2.7"):
        head, body = asked(table.port, f"GET /qr.svg HTTP/1.1\r\nHost: {host}:5599\r\n\r\n")
        assert "image/svg+xml" in head
        modules = qr_modules(f"http://{host}:5599/", MIN_QUIET)
        dark = {(x, y) for y, row in enumerate(modules) for x, on in enumerate(row) if on}
        drawn = {(int(x), int(y)) for x, y in re.findall(r"M(\d+) (\d+)h", body)}
        assert drawn == dark


@pytest.mark.parametrize("path", ["/page.js", "/page.css", "/icon.svg"])
def test_files(path: str) -> None:
    found = file_at(path, "", listened=True)
    assert found is not None
    assert found[1]


@pytest.mark.slow
@pytest.mark.parametrize(
    "path", ["/index.html", "/../page.py", "/page.js/", "//", "/fi", "/de", "/page", "/EN"]
)
def test_nothing_else_is_there(path: str) -> None:
    assert file_at(path, "", listened=True) is None


@pytest.mark.parametrize(
    "host",
    ["192.168.0.12:47824", "127.0.0.1", "[fd00::2]:47824", "localhost:1", "cafe:80", "cafe.local"],
)
def test_hosts_that_are_this_machine(host: str) -> None:
    assert is_ours(host, "Cafe")


@pytest.mark.parametrize(
    "host",
    [
        *(None, "", "evil.example", "evil.example:47824", "192.168.0.12.evil.example", "a b"),
        *("192.168.0.12:47824@evil.example", "cafe.evil.example", "192.168.0.12:", "http://cafe"),
        "[x]:1",
    ],
)
def test_hosts_that_are_somebody_else_s(host: str | None) -> None:
    assert not is_ours(host, "Cafe")


@pytest.mark.parametrize(
    ("origin", "same"),
    [
        ("http://192.168.0.12:1", True),
        ("https://192.168.0.12:1", True),
        ("http://192.168.0.12:2", False),
        ("http://evil.example", False),
        ("null", False),
        (None, False),
    ],
)
def test_origins(origin: str | None, same: bool) -> None:
    assert is_same_origin(origin, "192.168.0.12:1") is same
