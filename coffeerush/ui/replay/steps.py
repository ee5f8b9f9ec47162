"""A replay in plain mode: a typed line in, sentences out. Pure."""

from coffeerush.ui.words.command_words import said
from coffeerush.ui.words.i18n import _

from .frames import Replay, event_lines, follow, table_lines


class Steps:
    """A position in a replay, which typed lines change."""

    def __init__(self, replay: Replay) -> None:
        self.replay = replay
        self._at = 0

    @property
    def place(self) -> str:
        """The number of the frame, and of the last one."""
        return f"[{self._at}/{self.replay.last}]"

    def shown(self) -> list[str]:
        """Return the present frame in sentences."""
        frame = self.replay.frame(self._at)
        return [*event_lines(frame), *table_lines(frame)]

    def typed(self, words: str) -> list[str]:
        """Go where a line says; return the frame there, or what can be typed."""
        rev = follow(words, self._at, self.replay.last)
        if rev is None:
            return [self.help()]
        self._at = rev
        return self.shown()

    def help(self) -> str:
        """Return the commands that can be typed."""
        if self._at == self.replay.last:
            text = _(
                "This is the end: “{backward}” goes back, “{go} 0” goes to the beginning, "
                "“{review}” reviews the turns, “{leave}” quits."
            )
        else:
            text = _(
                "Enter continues, “{backward}” goes back, “{go}” and a number up to {last} goes "
                "to that action, “{review}” reviews the turns, “{leave}” quits."
            )
        words = {word: said(word) for word in ("go", "review", "leave")}
        return text.format(backward=said("back"), last=self.replay.last, **words)
