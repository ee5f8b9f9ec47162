"""A headless Chromium with real touch and keyboard input, over its DevTools protocol."""

import json
import os
import select
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from time import monotonic
from typing import Any, Final

import pytest

from tests.support.hosts_and_clients import SECONDS

PORTRAIT: Final = (360, 740)
LANDSCAPE: Final = (740, 360)
DESKTOP: Final = (1280, 800)
_FLAGS: Final = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    "--blink-settings=primaryHoverType=2,availableHoverTypes=2,"  # a mouse
    "primaryPointerType=4,availablePointerTypes=4",
    *("--remote-debugging-pipe", "--no-startup-window"),  # each tab has one of its own
)
_CODES: Final = {
    "Enter": 13, "Escape": 27, "Backspace": 8, "Tab": 9, "F6": 117, " ": 32,
    "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40,
}  # fmt: skip
_UNTIL: Final = """new Promise((done) => {
    const until = Date.now() + LEFT;
    const look = () => {
        let found = null;
        try { found = WHAT; } catch { /* not there yet */ }
        if (found || Date.now() > until) done(found instanceof Node ? 1 : found);
        else setTimeout(look, 10);
    };
    look();
})"""

_PLACE: Final = """(() => {
    const one = document.querySelector(SELECTOR);
    if (!one) return null;
    one.scrollIntoView({block: 'nearest'});
    const {x, y, width, height} = one.getBoundingClientRect();
    const middle = [x + width / 2, y + height / 2], hit = document.elementFromPoint(...middle);
    return hit && (one === hit || one.contains(hit)) ? middle : null;
})()"""
"""The middle of an element that can be hit there; null if there is none."""


class PageLeft(Exception):
    """The page was left before it could answer."""


class Tab:
    """A page in a window of its own, which shares nothing with others."""

    def __init__(
        self, browser: "Browser", size: tuple[int, int], touch: bool, languages: str
    ) -> None:
        self._browser = browser
        self._touch = touch
        self._context: str = browser.call("Target.createBrowserContext")["browserContextId"]
        target = browser.call(
            "Target.createTarget", url="about:blank", browserContextId=self._context
        )["targetId"]
        attached = browser.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session: str = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        agent = browser.call("Browser.getVersion")["userAgent"]
        self.call("Emulation.setUserAgentOverride", userAgent=agent, acceptLanguage=languages)
        self.call("Emulation.setTouchEmulationEnabled", enabled=touch)
        self.resize(size)

    def call(self, method: str, **words: Any) -> Any:
        """Call a method of the DevTools protocol in this page."""
        return self._browser.call(method, self._session, **words)

    def resize(self, size: tuple[int, int]) -> None:
        """Turn the phone, or change the window."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=size[0],
            height=size[1],
            deviceScaleFactor=1,
            mobile=self._touch,
        )

    def open(self, address: str) -> None:
        self.call("Page.navigate", url=address)
        self.until("document.readyState === 'complete' && location.href !== 'about:blank'")

    def run(self, expression: str) -> Any:
        """Evaluate JavaScript, and await what it promises."""
        found = self.call(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def until(self, condition: str) -> Any:
        """Wait until an expression is true, and return its value."""
        found = self.wait(condition, SECONDS)
        if not found:
            pytest.fail(f"not within {SECONDS} seconds: {condition}\n{self.text()}")
        return found

    def wait(self, condition: str, seconds: float) -> Any:
        """Wait until an expression is true, and return its value; after some time, whatever it is.

        The page may be loaded again meanwhile.
        """
        deadline = monotonic() + seconds
        while True:
            left = int(1000 * (deadline - monotonic()))
            found = None
            with suppress(PageLeft):
                found = self.run(
                    _UNTIL.replace("LEFT", f"{max(left, 1)}").replace("WHAT", condition)
                )
            if found or monotonic() > deadline:
                return found

    def text(self) -> str:
        return str(self.run("document.body?.innerText || location.href"))

    def place_of(self, selector: str) -> tuple[float, float] | None:
        """Return the middle of an element that can be hit there; None if there is none."""
        found = self.run(_PLACE.replace("SELECTOR", json.dumps(selector)))
        return (found[0], found[1]) if found else None

    def tap(self, selector: str) -> None:
        """Tap the middle of an element, once it is there; on a desktop, click it."""
        x, y = self.until(_PLACE.replace("SELECTOR", json.dumps(selector)))
        self._tap_at(x, y)

    def tap_now(self, selector: str) -> bool:
        """Tap an element if it is there; return whether it is."""
        place = self.place_of(selector)
        if place is not None:
            self._tap_at(*place)
        return place is not None

    def _tap_at(self, x: float, y: float) -> None:
        if self._touch:
            self.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
            self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
            return
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def type(self, text: str) -> None:
        """Type into what has the focus, as an input method does."""
        self.call("Input.insertText", text=text)

    def press(self, key: str) -> None:
        """Press a key: a character, or a name such as `Enter`."""
        words: dict[str, Any] = {"key": key, "windowsVirtualKeyCode": _CODES.get(key, 0)}
        if len(key) == 1 or key == "Enter":
            words["text"] = "\r" if key == "Enter" else key
        self.call("Input.dispatchKeyEvent", type="keyDown", **words)
        self.call("Input.dispatchKeyEvent", type="keyUp", **words)

    def lock(self) -> None:
        """Lock the phone: the page is frozen, and hears nothing any more."""
        self.call("Emulation.setFocusEmulationEnabled", enabled=False)
        self.call("Page.setWebLifecycleState", state="frozen")

    def unlock(self) -> None:
        self.call("Page.setWebLifecycleState", state="active")
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)

    @property
    def complaints(self) -> list[str]:
        """What the console reports: exceptions, and what the policy of the page forbids."""
        return self._browser.complaints.get(self._session, [])

    def close(self) -> None:
        self._browser.call("Target.disposeBrowserContext", browserContextId=self._context)


class Browser:
    """A running Chromium."""

    def __init__(self, commands: int, events: int) -> None:
        self._commands = commands
        self._events = events
        self._heard = b""
        self._ids = count(1)
        self.complaints: dict[str, list[str]] = {}
        self._tabs: list[Tab] = []

    def call(self, method: str, session: str | None = None, **words: Any) -> Any:
        """Call a method of the DevTools protocol and return its result."""
        number = next(self._ids)
        asked: dict[str, Any] = {"id": number, "method": method, "params": words}
        asked |= {"sessionId": session} if session else {}
        os.write(self._commands, json.dumps(asked).encode() + b"\0")
        while True:
            heard = self._next(method)
            if heard.get("id") == number:
                if "navigated" in str(heard.get("error")):
                    raise PageLeft
                assert "error" not in heard, (method, heard["error"])
                return heard["result"]
            self._hear(heard)

    def _next(self, asked: str) -> Any:
        while b"\0" not in self._heard:
            assert select.select([self._events], (), (), 2 * SECONDS)[0], f"no answer to {asked}"
            read = os.read(self._events, 1 << 16)
            assert read, "the browser has ended"
            self._heard += read
        message, _end, self._heard = self._heard.partition(b"\0")
        return json.loads(message)

    def _hear(self, event: dict[str, Any]) -> None:
        complaint = {
            "Runtime.exceptionThrown": lambda words: words["exceptionDetails"],
            "Log.entryAdded": lambda words: words["entry"],
        }.get(event.get("method", ""))
        if complaint:
            told = json.dumps(complaint(event["params"]))
            self.complaints.setdefault(event.get("sessionId", ""), []).append(told)

    def tab(
        self, size: tuple[int, int] = PORTRAIT, *, touch: bool = True, languages: str = "en"
    ) -> Tab:
        """Return a new window."""
        self._tabs.append(Tab(self, size, touch, languages))
        return self._tabs[-1]

    @contextmanager
    def visit(self) -> Iterator[None]:
        """Close all windows that are opened within."""
        before = len(self._tabs)
        try:
            yield
        finally:
            while len(self._tabs) > before:
                self._tabs.pop().close()


def chromium() -> str:
    """Return the path of Chromium; skips the test without it, but fails in CI."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if not found:
        reason = "Chromium is not installed (on Debian: apt-get install chromium)"
        (pytest.fail if "CI" in os.environ else pytest.skip)(reason)
    return found


@contextmanager
def running_browser(folder: Path) -> Iterator[Browser]:
    """Start a browser whose profile is in a folder, and end it afterwards."""
    theirs, commands = os.pipe()
    events, ours = os.pipe()
    # it reads from descriptor 3 and writes to 4
    run = ["bash", "-c", f'exec "$@" 3<&{theirs} 4>&{ours}', "-", chromium()]
    process = subprocess.Popen(
        [*run, f"--user-data-dir={folder}", *_FLAGS],
        pass_fds=(theirs, ours),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(theirs)
    os.close(ours)
    try:
        yield Browser(commands, events)
    finally:
        os.close(commands)  # which ends it
        process.wait()
        os.close(events)
