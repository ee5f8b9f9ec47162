"""The host's log lines, one sentence per note; notes never hold anything private."""

from typing import Final

from coffeerush.host.table.config import Note

SENTENCES: Final = {
    "joined": "{name} took a seat.",
    "watching": "{name} is watching.",
    "left": "{name} left.",
    "away": "{name} stopped answering.",
    "back": "{name} is back.",
    "removed": "The owner removed {name}.",
    "replaced_by_bot": "A bot took the place of {name}.",
    "renamed": "{before} is now called {name}.",
    "bot_seated": "Bot {name} took a seat.",
    "game_started": "Game {game} started: {players}; the start player is {first}.",
    "turn_timed_out": "{name}'s time is up; a bot finishes the turn.",
    "paused": "{name} paused the game.",
    "let_in": "{name} let {guest} in.",
    "turned_away": "{name} turned {guest} away.",
    "went_on": "The game goes on.",
    "bot_fell_back": "{name} ({bot}) made no valid move ({reason}); another move was made for it.",
    "game_over": "Game {game} is over: {standings}.",
    "back_to_lobby": "Everybody has left the finished game; its seats are open again.",
    "stopping": "The host is stopping.",
    "resumed": "Game {game} was resumed after move {rev}.",
    "record_failed": "The record could not be written: {text}.",
}


def sentence(note: Note) -> str:
    """Put a note into words."""
    return SENTENCES[note.code].format_map(note.params)
