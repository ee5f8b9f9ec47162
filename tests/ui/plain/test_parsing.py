"""The words of plain mode in all six languages: whole, by first letters, and several on a line."""

from collections.abc import Iterator
from typing import get_args

import pytest

from coffeerush.local.settings import LANGUAGES
from coffeerush.ui.plain.commands import DIRECTIONS, ROW_OF
from coffeerush.ui.plain.parsing import Context, parse
from coffeerush.ui.plain.row import Command
from coffeerush.ui.words.command_words import folded, said
from coffeerush.ui.words.i18n import set_language

CONTEXTS: tuple[Context, ...] = get_args(Context)
ABBREVIATED = [word for word in ROW_OF if word != "leave"]
TAKES_WORDS = ("say", "name", "remove", "stand", "next", "help", "pause", "call", "host")
"""Words whose text may be a word of the game."""


@pytest.fixture(params=LANGUAGES[1:])
def language(request: pytest.FixtureRequest) -> Iterator[str]:
    set_language(request.param)
    yield request.param
    set_language("en")


def commands(line: str, context: Context = "moving") -> list[Command]:
    parsed = parse(line, context)
    assert not parsed.problem, line
    return list(parsed.commands)


def words_of(line: str, context: Context = "moving") -> list[str]:
    return [command.word for command in commands(line, context)]


def begun(words: list[str], prefix: str) -> list[str]:
    return [word for word in words if word.startswith(prefix)]


@pytest.mark.slow
@pytest.mark.usefixtures("language")
def test_every_word_is_understood() -> None:
    for context in CONTEXTS:
        for word in ROW_OF:
            for typed in (word, said(word), said(word).upper(), folded(said(word))):
                assert words_of(typed, context) == [word], (context, typed)


@pytest.mark.slow
def test_every_beginning_that_fits_one_word_alone_means_that_word(language: str) -> None:
    own = {folded(said(word)): word for word in ABBREVIATED}
    for context in CONTEXTS if language == "en" else ("moving", "lobby"):
        for text, word in [*own.items(), *((word, word) for word in ABBREVIATED)]:
            if context in ("lobby", "placing") and word in DIRECTIONS:
                continue  # nobody steps there
            for size in range(1, len(text)):
                prefix = text[:size]
                fits = begun([*own], prefix)
                fits = [own[one] for one in fits] or begun(ABBREVIATED, prefix)
                if fits == [word]:
                    assert words_of(prefix, context) == [word], (context, prefix)


@pytest.mark.slow
@pytest.mark.usefixtures("language")
def test_no_word_of_the_game_is_taken_for_the_text_of_another() -> None:
    others = [word for word in ROW_OF if word not in TAKES_WORDS]
    typical = {ROW_OF[word].takes: word for word in others}.values()
    for word in others:
        for other in ROW_OF if word in typical else ("undo",):
            assert words_of(f"{word} {said(other)}") == [word, other]


@pytest.mark.parametrize(
    ("language", "line", "meant"),
    [
        ("es", "quit 2", Command("remove", (2,))),
        ("es", "quit", Command("remove")),
        ("en", "quit", Command("leave")),
        ("ru", "quit", Command("leave")),
        ("ko", "exit", Command("leave")),
    ],
    indirect=["language"],
)
@pytest.mark.usefixtures("language")
def test_the_words_of_a_language_come_before_quit(line: str, meant: Command) -> None:
    for context in CONTEXTS:
        assert commands(line, context) == [meant]


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("empty 2 1 3", [Command("empty", (2,)), Command("pour", (1,)), Command("pour", (3,))]),
        ("place 2 3 1", [Command("place", (2, 3)), Command("pour", (1,))]),
        ("place ice 1", [Command("place", text="ice"), Command("pour", (1,))]),
        ("serve 1 3 end", [Command("serve", (1, 3)), Command("end")]),
        ("bot regular 3 start", [Command("bot", (3,), "regular"), Command("start")]),
        ("bot start", [Command("bot"), Command("start")]),
        ("undo 2", [Command("undo"), Command("pour", (2,))]),
        (
            "upgrade corners d d r",
            [
                Command("upgrade", text="corners"),
                Command("down"),
                Command("down"),
                Command("right"),
            ],
        ),
        ("upgrade corners double", [Command("upgrade", text="corners double")]),
        ("upgrade double corners d", [Command("upgrade", text="double corners"), Command("down")]),
        ("upgrade d sp", [Command("upgrade", text="d sp")]),
        (
            "upgrade diagonal move dr",
            [Command("upgrade", text="diagonal move"), Command("down-right")],
        ),
    ],
)
def test_what_follows_a_word_is_its_own_or_the_next_deed(line: str, meant: list[Command]) -> None:
    assert commands(line) == meant
