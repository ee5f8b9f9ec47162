"""Plain mode as a process: every command around a whole game, the bell, and two languages."""

import json
import re
import subprocess
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import pytest

from coffeerush.local.settings import FILE_NAME
from coffeerush.rules import standard_deck
from coffeerush.ui.plain.commands import ROW_OF
from coffeerush.ui.words.errors import refusal_line
from coffeerush.ui.words.i18n import _
from coffeerush.ui.words.names import drink_title
from protocol import Refusal
from tests.golden.frames import spoken
from tests.support.gamers import GAME_SECONDS, Gamer, play_to_the_end
from tests.support.hosts_and_clients import Person, coffeerush, environment, hosting
from tests.support.terminals import Terminal, needs_proc

# Every command of plain mode, typed into a real process through a pipe, around a whole game


FIRST = (
    ("help", "leave: leaves the table; this word cannot be shortened;"),
    ("rules", "9. Optional rules"),
    ("rules 5", "The end of your turn:"),
    ("hint", "Place your meeple on "),
    ("guide", "The guide is on; type “guide off” to turn it off."),
    ("settings", "2. Theme: dark."),
    ("settings 2", "Theme: light."),
    ("language en", "Language: English."),
    ("orders", "Your orders, most urgent first:"),
    ("cups", "Cup 3 is empty."),
    ("board", "Row 4: milk (corner), ice, chocolate (specialty), steam (corner)."),
    ("players", "You: score 0, 0 orders completed"),
    ("supply", "The café is open."),
    ("menu", "Caffe latte: coffee, milk, steam."),
    ("log", "You get the orders "),
    ("upgrade", "It costs 3 completed orders; you have 0."),
    ("say good morning", "Ann says: good morning"),
    ("emote 2", "Ann says: Bravo!"),
    ("answer", "There is nothing to answer now."),
    ("pause tea", "Ann pauses the game: tea"),
    ("resume", "Ann ends the pause; the game continues."),
    ("admit", "No guest is waiting to be let in."),
    ("reject", "No guest is waiting to be let in."),
    ("tables", "; the game is starting. You are here."),
    ("go 1", "That is how it is already."),
    ("open", "You can go over to another table once your game is over."),
    ("look 2", "Type “tables”, then “look” and the number of a table"),
    ("back", "That is how it is already."),
    ("close 2", "Type “tables”, then “close” and the number of a table"),
    ("call Garden", "You cannot do that during a game, only before a game."),
    ("host", "Nobody else here can host this table."),
    *(
        (word, "Your meeple is not on the board yet; place it first.")
        for word in ("up", "down", "left", "right", "up-left", "up-right", "down-left")
    ),
    ("down-right", "Your meeple is not on the board yet; place it first."),
    ("other", "You have only one meeple."),
    ("place 9 9", "Type “place”, then a row and a column from 1 to 4, as in “place 2 3”."),
    ("serve", "No cup matches an order now; type “orders” to see what they need."),
    ("empty", "Type “empty” and the number of a cup, as in “empty 2”."),
    ("7", "Your hand is empty; there is nothing to pour."),
    ("pour", "You have nothing to pour now."),
    *(
        (word, "You cannot do that now. You can: place a meeple.")
        for word in ("undo", "rest", "end")
    ),
    ("name Bea", "You cannot do that during a game, only before a game."),
    ("letter", "each player: Crema (Regular) has C, Limu (bot) has L, Ann has A."),
    ("letter Z", "At this table it changes once the game is over."),
    ("colour", "3. Blue: Ann."),
    ("colour 4", "Your colour: yellow."),
    ("", "Place a meeple: type “place” and a row and a column, as in “place 2 3”."),
)
"""Lines typed before placing the meeple, and their replies."""
LAST = (
    ("replay", "[0/"),
    ("", "[1/"),
    ("q", "You are back at the table."),
    ("analysis", "Analysis for Ann"),
    ("ready", "The table is yours, so you are always ready; type “start” to start the game."),
    ("unready", "The table is yours, so you are always ready; type “start” to start the game."),
    ("remove 2", "Seat 2 is open."),
    ("bot regular 2", "Seat 2: Ibrik (Regular)."),
    ("stand 2", "Seat 2 is open."),
    ("bot regular 2", "Seat 2: Ibrik (Regular)."),
    ("next", "Nobody is in line for a seat."),
    ("rotation 2", "After each game, the loser makes room for somebody waiting for a seat."),
    ("first 1", "begins the next game."),
    ("letter", "Ann has Z."),
    ("colour auto", "Your colour: from your seat."),
    ("swap 1 2", "You cannot do that after a game, only before a game."),
    ("clock 60", "Each turn may take up to 60 seconds."),
    ("pace 1", "A bot's turn takes at least 1 second."),
    ("hints off", "This table plays without hints."),
    *(
        (word, "Type “tournament on” to announce a tournament that everybody here can enter.")
        for word in ("tournament", "round", "standings")
    ),
    *((word, "There is no tournament here, or it is over.") for word in ("enter", "withdraw")),
    ("start", "A game starts: "),
    ("leave", "Leave the table? Type “leave” again; anything else cancels."),
    ("leave", "You have left the table."),
)
"""Lines typed after the game."""


def test_every_command_around_a_whole_game(tmp_path: Path) -> None:
    bots = ("--bots", "regular,random", "--name", "Ann", "--seed", "3")
    with Gamer(tmp_path, "play", *bots) as ann:
        ann.read_until("Place a meeple: ")
        ann.talk(*FIRST)
        play_to_the_end([ann], 3)
        ann.read_until("The game is recorded: “replay” steps through it")
        ann.talk(*LAST)
        assert ann.wait() == 0
        assert "Traceback" not in ann.text
        assert ann.text.count("Guide: What put ") == 1
    typed = {line.partition(" ")[0] for line, _answer in (*FIRST, *LAST)}
    assert typed >= set(ROW_OF)
    kept = json.loads((tmp_path / "settings.json").read_text())
    assert (kept["theme"], kept["language"], kept["guided"]) == ("light", "en", True)
    assert (kept["letter"], "colour" in kept) == (25, False)


def test_a_guest_hears_a_time_limit_by_itself_once_its_owner_leaves_it(tmp_path: Path) -> None:
    own = ("--bind", "127.0.0.1", "--port", "0", "--open", "--name", "Ann")
    with Person(tmp_path / "ann", "host", *own) as ann:
        ann.read_until(" open")
        address = re.search(r"127\.0\.0\.1:\d+", ann.text)
        assert address is not None
        with Person(tmp_path / "bob", "join", address[0], "--name", "Bob") as bob:
            bob.read_until("Type “ready” when you are.")
            ann.say("clock 90")
            bob.read_until("Each turn may take up to 90 seconds.")


@pytest.mark.parametrize("first", ["bot 2", "MyBot 1"])
def test_the_start_player_can_be_named_as_on_the_screen_or_by_the_host(
    tmp_path: Path, first: str
) -> None:
    file = tmp_path / "file.py"
    file.write_text("from coffeerush.bots import RandomBot as MyBot\n")
    bots = ("--bots", f"regular,{file}:MyBot", "--name", "Ann", "--first", first)
    with Gamer(tmp_path, "play", *bots) as ann:
        ann.read_until("The start player is Bot 2.")


@pytest.mark.parametrize(
    ("encoding", "words", "printed"),
    [
        ("ascii", ["--plain", "--lang", "es"], "Escribe un n?mero; 0 cierra el programa."),
        ("ascii", ["play", "--plain"], 'type "help" for the commands.'),
        ("latin-1", ["--lang", "ru", "--help"], "?????????????: python"),
    ],
)
def test_an_output_without_some_letters_ends_nothing(
    tmp_path: Path, encoding: str, words: list[str], printed: str
) -> None:
    done = subprocess.run(
        coffeerush(*words),
        input=b"0\nleave\nleave\n",
        env=environment(tmp_path, {"PYTHONIOENCODING": encoding}),
        capture_output=True,
        timeout=GAME_SECONDS,
        check=False,
    )
    assert printed in done.stdout.decode(encoding)
    assert (done.returncode, done.stderr) == (0, b"")


# The bell of plain mode rings when a turn begins, in a terminal only


PLAY = ("play", "--plain", "--seed", "5", "--bots", "regular")
MINE = "Place meeple 1 of 2"
ASKED = b"Type your name, or press Enter for "


@needs_proc
def test_the_bell_rings_when_a_turn_begins_if_it_is_on(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text(json.dumps({"bell": True, "name": "Ann"}), encoding="utf-8")
    with Terminal(tmp_path, *PLAY) as terminal:
        terminal.see(MINE)
        assert terminal.output.count(b"\a") == 1
        assert ASKED not in terminal.output, "the settings have the name"


def test_a_pipe_gets_no_bell_and_no_question(tmp_path: Path) -> None:
    with Person(tmp_path, *PLAY) as ann:
        text = ann.read_until(MINE)
        assert "\a" not in text
        assert ASKED.decode() not in text, "the lines are for the game"


@needs_proc
@pytest.mark.parametrize("typed", ["Bea", ""])
def test_a_name_is_asked_for_once_and_kept(tmp_path: Path, typed: str) -> None:
    """And no bell rings, which is off."""
    (tmp_path / FILE_NAME).write_text(json.dumps({"bell": False}), encoding="utf-8")
    with Terminal(tmp_path, *PLAY) as terminal:
        terminal.see(ASKED.decode())
        terminal.type(f"{typed}\n".encode())
        terminal.see("You are at the table as ")
        kept = json.loads((tmp_path / FILE_NAME).read_text(encoding="utf-8"))
        assert kept.get("name", "") == typed
        terminal.see(f"You are at the table as {typed}")
        terminal.see(MINE)
        assert b"\a" not in terminal.output
    with Terminal(tmp_path, *PLAY) as again:
        again.see(MINE)
        assert ASKED not in again.output


# Two people at one table in different languages; the host uses a third


NAMES: Final = {"ru": "Анна", "ko": "민준"}
LETTERS: Final = {"ru": "[а-яё]", "ko": "[가-힣]", "en": "[a-z]{3}"}
VERBATIM: Final = (*NAMES.values(), "Kitchen", "Guten Tag")
"""Names and chat, which are not translated."""
NOT_OWNER: Final = Refusal("not_owner", "Only the owner of the table can do that.")


def test_one_table_is_described_in_two_languages(tmp_path: Path) -> None:
    """Log, orders, drinks, refusals and prompts: clients put all of the host's data into words."""
    people: dict[str, Person] = {}
    with ExitStack() as stack:
        table = hosting(tmp_path / "host", table="Kitchen", seats=2, games=1)
        host = stack.enter_context(table)
        for language, name in NAMES.items():
            own = ("--lang", language, "--name", name)
            joined = Person(tmp_path / language, "join", f"127.0.0.1:{host.port}", *own)
            people[language] = stack.enter_context(joined)
            for person in people.values():
                person.read_until(name)
        for person in people.values():
            person.say("ready")
        for language, person in people.items():
            person.read_until(", ".join(NAMES.values()))  # the game starts
            with spoken(language):
                orders, loading = _("Your orders, most urgent first:"), _("Loading your cups…")
                while orders not in person.text:
                    person.text = person.text.replace(loading, "")
                    person.say("orders")
                    person.read_until(orders, loading)
                person.say("menu")
                person.say("bot regular 1")
                person.read_until(refusal_line(NOT_OWNER))
                for drink in standard_deck().drinks:
                    assert f"\n{drink_title(drink)}" in person.text
            person.say("say Guten Tag")
        for language, person in people.items():
            person.read_until("Guten Tag")
            person.say("leave")
            assert person.wait() == 0, person.text
            told = re.sub("|".join(VERBATIM), "", person.text)
            for other, letters in LETTERS.items():
                found = re.search(letters, told, re.IGNORECASE)
                assert bool(found) == (other == language), found
