"""A terminal of a scene, which may have several: all are rendered while one of them is awaited."""

import select
from collections.abc import Mapping, Sequence
from time import monotonic

from tests.support.pty_terminal import Screen


class Window(Screen):
    """A terminal that remembers its output.

    Args:
        windows: all terminals of the scene; this one is added.
    """

    def __init__(
        self,
        command: Sequence[str],
        size: tuple[int, int],
        environment: Mapping[str, str],
        windows: "list[Window]",
    ) -> None:
        super().__init__(command, *size, environment)
        self.output: list[tuple[float, bytes]] = []
        """When what was written, in seconds of a monotonic clock."""
        self._windows = windows
        windows.append(self)

    def read(self, seconds: float) -> bytes:
        """Return new output, and remember it."""
        came = super().read(seconds)
        if came:
            self.output.append((monotonic(), came))
        return came

    def look(self, seconds: float = 0.0) -> bool:
        """Render output of all windows; return whether there was any of this one in that time."""
        end = monotonic() + seconds
        while True:
            left = max(end - monotonic(), 0.0)
            others = [
                window
                for window in self._windows
                if window is not self and window.process.poll() is None
            ]
            ready = select.select([self.end, *(window.end for window in others)], [], [], left)[0]
            for window in others:
                if window.end in ready:
                    super(Window, window).look()
            if self.end in ready or not left:
                return super().look()
