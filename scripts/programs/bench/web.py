"""Guests with a browser: time to the first frame, from tap to frame, and the size of frames."""

import tempfile
import zlib
from pathlib import Path
from typing import Any, Final

from tests.support.browser import chromium, running_browser
from tests.support.web_guests import phone, web_table

from .conditions import percentile, report

TAPS: Final = 200
FIRST_MS: Final = 1000
TAP_MS: Final = 50
FRAME_BYTES: Final = 4000
_MEASURE: Final = """(async (taps) => {
    const frames = [], took = [];
    socket.addEventListener('message', (event) => frames.push(event.data));
    const shows = (selector) => document.querySelector(`#page ${selector}`);
    for (let tap = 0; tap < taps; tap++) {
        const [key, wanted] = tap % 2 ? ['escape', '.tile'] : ['f1', '.reading'];
        const button = [...$('page').querySelectorAll('button')]
            .find((one) => one.dataset.act.startsWith(`key,${key}`));
        const begun = performance.now();
        const shown = new Promise((done) => new MutationObserver((_news, watch) => {
            if (!shows(wanted)) return;
            watch.disconnect();
            requestAnimationFrame(() => done(performance.now() - begun));
        }).observe(document.body, { childList: true, subtree: true }));
        button.click();
        took.push(await shown / 1000);
    }
    return { took, frames };
})(TAPS)"""
_FIRST: Final = """new Promise((done) => {
    const begun = performance.now();
    elements.clear();
    $('page').replaceChildren();
    new MutationObserver((_news, watch) => {
        watch.disconnect();
        requestAnimationFrame(() => done((performance.now() - begun) / 1000));
    }).observe($('page'), { childList: true });
    open();
})"""


def run() -> None:
    """Report what a phone in the same machine sees."""
    chromium()
    with (
        tempfile.TemporaryDirectory() as folder,
        web_table(Path(folder) / "host", seats=2, bots=["random"]) as table,
        running_browser(Path(folder) / "profile") as browser,
    ):
        tab = phone(browser)
        table.enter(tab, "Ann")
        first = [float(tab.run(_FIRST)) for _ in range(10)]
        report("web", what="connection to first frame", **_ms(first), budget_ms=FIRST_MS)
        tab.tap("#page button.go")
        tab.until("document.querySelector('#page .tile')")
        found: dict[str, Any] = tab.run(_MEASURE.replace("TAPS", str(TAPS)))
        report("web", what="tap to frame", **_ms(found["took"]), budget_p50_ms=TAP_MS)
        # as the server compresses them
        squeeze = zlib.compressobj(wbits=-12, memLevel=5)
        sizes = [
            len(squeeze.compress(frame.encode()) + squeeze.flush(zlib.Z_SYNC_FLUSH))
            for frame in found["frames"]
        ]
        bytes_ = {f"p{int(100 * at)}_bytes": percentile(sizes, at) for at in (0.5, 0.99)}
        what = "frames that change everything, compressed"
        report("web", what=what, **bytes_, budget_bytes=FRAME_BYTES)


def _ms(seconds: list[float]) -> dict[str, float]:
    return {f"p{int(100 * at)}_ms": round(percentile(seconds, at) * 1000, 1) for at in (0.5, 0.99)}
