"""The page's HTML in each language, its size, and which requests are answered."""

from contextvars import copy_context
from html.parser import HTMLParser
from importlib.resources import files

import pytest

from coffeerush.guests.web.server import HEADERS, file_at, is_ours, is_same_origin
from coffeerush.local.settings import LANGUAGES

ALL = [code for code in LANGUAGES if code]
MOST_BYTES = 60_000


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
    html = page(f"/{code}")
    assert f'<html lang="{code.replace("_", "-")}">' in html
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
    assert '<p id="listeners" class="alarm" >' in page(listened=True)
    assert '<p id="listeners" class="alarm" hidden>' in page(listened=False)


@pytest.mark.parametrize("path", ["/page.js", "/page.css", "/icon.svg"])
def test_files(path: str) -> None:
    found = file_at(path, "", listened=True)
    assert found is not None
    assert found[1]


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
