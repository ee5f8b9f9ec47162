"""The host's log lines, one sentence per note; notes never hold anything private."""

from typing import Final

from coffeerush.host.table.config import Note

SENTENCES: Final = {
    "joined": "{name} took a seat.",
    "watching": "{name} is watching.",
    "left": "{name} left.",
    "away": "{name} fell silent; a bot plays on.",
    "back": "{name} is back.",
    "removed": "{name} was removed by the owner.",
    "replaced_by_bot": "A bot took the place of {name}.",
    "renamed": "{before} is called {name} now.",
    "bot_seated": "The bot {name} took a seat.",
    "game_started": "Game {game} begins: {players}; {first} starts.",
    "turn_timed_out": "The time of {name} ran out; a bot finishes the turn.",
    "bot_fell_back": "{name} ({bot}) gave no move that counts ({reason}); another was made for it.",
    "game_over": "Game {game} is over: {standings}.",
    "back_to_lobby": "Everybody left the result; the seats are open again.",
    "stopping": "The host stops.",
    "resumed": "Game {game} goes on after move {rev}.",
    "record_failed": "The record could not be written: {text}.",
}


def sentence(note: Note) -> str:
    """Put a note into words."""
    return SENTENCES[note.code].format_map(note.params)
