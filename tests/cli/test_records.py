"""The commands of records: replay and export."""

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from coffeerush.cli.commands import group
from coffeerush.cli.records import step
from coffeerush.records.entries import read_record
from coffeerush.records.export import export_lines
from coffeerush.ui.replay.replay import Replay
from protocol import SUPPLY, Ingredient
from tests.support.hosts_and_clients import SECONDS
from tests.support.pty_terminal import Terminal
from tests.support.records import NAMES, head_of, lines, play

# `coffeerush replay`, printed into a pipe and stepped through at a terminal


ROOT = Path(__file__).parents[2]
GAME = play(head_of())
LAST = len(GAME) - 2


def opened(path: Path, *words: str, term: str = "dumb", shell: str = 'exec "$@"') -> Terminal:
    """Open a record at a terminal."""
    command = (sys.executable, "-m", "coffeerush", "replay", str(path), *words)
    return Terminal(["sh", "-c", shell, "sh", *command], 80, 24, {**os.environ, "TERM": term})


def read_until(terminal: Terminal, text: str) -> str:
    """Return the output up to `text`."""
    shown = b""
    while text.encode() not in shown:
        shown += (came := terminal.read(SECONDS))
        assert came, shown
    return shown.decode()


def interrupted(program: subprocess.Popen[bytes]) -> int:
    """Return the exit code after Ctrl-C; pressed repeatedly in case Python was not ready.

    A signal between the prompt and the wait for a line is only handled with the next key.
    """
    while True:
        program.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            return program.wait(timeout=5)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "game.record"
    made.write_bytes(lines(GAME))
    return made


@pytest.fixture
def terminal(path: Path) -> Iterator[Terminal]:
    with opened(path) as terminal:
        yield terminal


def test_the_whole_game_is_printed_into_a_pipe(path: Path) -> None:
    done = CliRunner().invoke(group, ["replay", str(path)])
    assert done.exit_code == 0
    printed = done.output.splitlines()
    assert printed[0].startswith("0. A game starts: Ann, Regular (Regular).")
    revs = [line.partition(". ")[0] for line in printed]
    assert [int(rev) for rev in revs if rev.isdecimal()] == [*range(LAST + 1)]
    assert any(line.startswith("Rank 2: ") for line in printed[-10:])
    assert "'s score, round by round: " in printed[-1]


@pytest.mark.slow
def test_stepping_forward_back_and_to_any_intent(terminal: Terminal) -> None:
    assert "0. A game starts" in read_until(terminal, f"[0/{LAST}] ")
    terminal.write("\n")
    assert "1. " in read_until(terminal, f"[1/{LAST}] ")
    terminal.write("g 12\n")
    assert "12. " in read_until(terminal, f"[12/{LAST}] ")
    terminal.write("B\n")
    assert "11. " in read_until(terminal, f"[11/{LAST}] ")
    terminal.write("up\n")
    assert "Enter continues, “back” goes back" in read_until(terminal, f"[11/{LAST}] ")
    terminal.write(f"g {LAST}\n")
    assert "Rank 1: " in read_until(terminal, f"[{LAST}/{LAST}] ")
    terminal.write("\n")
    assert "This is the end" in read_until(terminal, f"[{LAST}/{LAST}] ")
    terminal.write("q\n")
    assert terminal.process.wait() == 0


@pytest.mark.slow
def test_a_capable_terminal_shows_the_full_screen(path: Path) -> None:
    with opened(path, "--no-mouse", "--ascii", term="xterm") as terminal:
        shown = read_until(terminal, f"/{LAST}")
        assert "\x1b[?1049h" in shown, "the other screen"
        assert "\x1b[?1000h" not in shown, "no mouse"
        terminal.write("q")
        assert "\x1b[?1049l" in read_until(terminal, "\x1b[?1049l")
        assert terminal.process.wait() == 0


@pytest.mark.slow
def test_plain_mode_steps_by_typed_words(path: Path) -> None:
    with opened(path, "--plain", term="xterm") as terminal:
        assert "0. A game starts" in read_until(terminal, f"[0/{LAST}] ")
        terminal.write("q\n")
        assert terminal.process.wait() == 0


@pytest.mark.slow
def test_the_end_of_the_input_quits(terminal: Terminal) -> None:
    read_until(terminal, f"[0/{LAST}] ")
    terminal.write("\x04")
    assert terminal.process.wait() == 0


@pytest.mark.slow
@pytest.mark.parametrize("shell", ['exec "$@" <&-', "printf '\\377\\n' | \"$@\""])
def test_closed_or_binary_input_is_not_a_traceback(path: Path, shell: str) -> None:
    with opened(path, shell=shell) as terminal:
        read_until(terminal, f"[0/{LAST}] ")
        assert terminal.process.wait() == 0


@pytest.mark.slow
def test_control_c_quits(terminal: Terminal) -> None:
    read_until(terminal, f"[0/{LAST}] ")
    assert interrupted(terminal.process) == 130


@pytest.mark.parametrize("command", ["replay", "export"])
@pytest.mark.parametrize("entries", [GAME[:1], GAME[:-1]], ids=["dealt", "played"])
def test_an_unfinished_game_stays_secret(tmp_path: Path, command: str, entries: Any) -> None:
    path = tmp_path / "game.record"
    path.write_bytes(lines(entries))
    done = CliRunner().invoke(group, [command, str(path)])
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.startswith("Error: this game is not over, and its record stays secret")


def test_a_file_that_is_not_a_record_is_an_error(tmp_path: Path) -> None:
    for name, text in (("none", "No such file"), ("deck.toml", "not a Coffee Rush record")):
        (tmp_path / "deck.toml").write_text('name = "Mine"\n')
        done = CliRunner().invoke(group, ["replay", str(tmp_path / name)])
        assert (done.exit_code, done.stdout) == (1, "")
        assert text in done.stderr
        assert done.stderr.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize(("name", "shown"), [("", "Ann"), ("regular", "Regular")])
def test_a_review_is_printed(path: Path, name: str, shown: str) -> None:
    """By default that of the first person."""
    printed = CliRunner().invoke(group, ["replay", str(path), "--analysis", name]).stdout
    assert printed.startswith(f"Analysis for {shown}\n")
    worth = "turns found here would have been worth "
    assert (worth in printed) != ("one of your turns could have been clearly better" in printed)


def test_a_review_of_somebody_else_is_refused(path: Path) -> None:
    done = CliRunner().invoke(group, ["replay", str(path), "--analysis", "Zoe"])
    assert (done.exit_code, done.stdout) == (2, "")
    assert "called Zoe; choose one of Ann, Regular" in done.stderr


@pytest.mark.slow
def test_a_review_is_typed() -> None:
    replay, typed = Replay(read_record(lines(GAME))), ["analysis Zoe", "analysis 2", "q"]
    prompts = []

    def ask(prompt: str) -> str | None:
        prompts.append(prompt)
        return typed.pop(0)

    @click.command()
    def main() -> None:
        step(replay, lambda lines: click.echo("\n".join(lines)), ask)

    output = CliRunner().invoke(main).stdout
    assert output.index("called Zoe; choose one of") < output.index("Analysis for Regular")
    assert prompts == [f"[0/{LAST}] "] * 3


# The export, read as another tool would: from its JSON alone, without our rules


Game = tuple[Any, list[Any], Any]
"""The head, the intents, and the result of an export."""
TABLES = [(players, starters) for players in (2, 3, 4) for starters in (False, True)]
ALL_TOKENS = {kind.name.lower(): SUPPLY[kind] for kind in Ingredient}


@cache
def exported(players: int, starters: bool = False) -> Game:
    data = lines(play(head_of(players, starters=starters)))
    head, *intents, result = map(json.loads, export_lines(read_record(data)))
    return head, intents, result


def states_of(game: Game) -> list[Any]:
    head, intents, _ = game
    return [head["state"], *(line["state"] for line in intents)]


def run(path: Path, *options: str) -> Result:
    return CliRunner().invoke(group, ["export", str(path), *options])


@pytest.mark.parametrize(("players", "starters"), TABLES)
def test_the_head_has_the_deal(players: int, starters: bool) -> None:
    head, _, _ = exported(players, starters)
    assert (head["type"], head["format"], head["version"]) == ("head", "coffeerush-export", 1)
    assert (head["table"], head["game"], head["deck_name"]) == ("Café at six", 3, "Standard")
    assert [seat["name"] for seat in head["seats"]] == [*NAMES[: players - 1], "Regular"]
    assert [seat["bot"] for seat in head["seats"]] == [None] * (players - 1) + ["regular"]
    assert head["variant"] == ("starter_orders" if starters else "standard")
    assert len(head["deal_order"]) == (76 if starters else 80)
    assert len(head["starters"]) == (4 if starters else 0)
    mocha = next(card for card in head["deal_order"] if card["name"] == "Mocha")
    assert mocha == {
        "name": "Mocha",
        "recipe": {"coffee": 1, "milk": 1, "steam": 1, "chocolate": 1},
        "specialty": True,
        "starter": False,
    }


@pytest.mark.slow
@pytest.mark.parametrize(("players", "starters"), TABLES)
def test_the_first_orders_follow_the_deal_order(players: int, starters: bool) -> None:
    head, _, _ = exported(players, starters)
    deck = [card["name"] for card in head["deal_order"]]
    free = [card["name"] for card in head["starters"]]
    dealt = [head["state"]["players"][(head["start"] + turn) % players] for turn in range(players)]
    for turn, (one, two, three, four) in enumerate(seat["orders"] for seat in dealt):
        if starters:  # R-SETUP-6
            assert one[0] == free.pop(0)
        else:  # R-SETUP-2
            assert one == [deck.pop(0) for _ in range(1 if turn else 2)]
        assert two == [deck.pop(0)]
        assert three == four == []
    if starters:  # R-SETUP-6: after everybody has two, the start player draws a third
        assert dealt[0]["orders"][0][1:] == [deck.pop(0)]
    assert head["state"]["removed"] == free
    assert head["state"]["deck"] == len(deck)


@pytest.mark.slow
@pytest.mark.parametrize(("players", "starters"), TABLES)
def test_every_state_is_complete(players: int, starters: bool) -> None:
    """Each line has all tokens and cards, so nothing is lost between two lines (R-COMP-5)."""
    game = exported(players, starters)
    cards = Counter(card["name"] for pile in ("deal_order", "starters") for card in game[0][pile])
    for state in states_of(game):
        seats = state["players"]
        held = [state["supply"], state["hand"], *(cup for seat in seats for cup in seat["cups"])]
        assert sum(map(Counter, held), Counter()) == ALL_TOKENS
        assert state["rush_supply"] + sum(seat["rush"] for seat in seats) == 15
        piles = [state["discards"], state["removed"]]
        for seat in seats:
            piles += [*seat["orders"], seat["completed"], seat["penalties"]]
        drawn = Counter(name for pile in piles for name in pile)
        assert drawn.total() + state["deck"] == 80
        left = game[0]["deal_order"][len(game[0]["deal_order"]) - state["deck"] :]
        assert drawn + Counter(card["name"] for card in left) == cards


@pytest.mark.parametrize(("players", "starters"), TABLES)
def test_every_intent_has_a_line(players: int, starters: bool) -> None:
    head, intents, _ = exported(players, starters)
    assert [line["rev"] for line in intents] == [*range(1, len(intents) + 1)]
    before = head["state"]
    for line in intents:
        assert line["type"] == "intent"
        assert line["seat"] == before["active"]
        before = line["state"]
    shapes = {line["intent"]["type"]: set(line["intent"]) - {"type"} for line in intents}
    assert shapes["place_meeple"] == {"cell"}
    assert shapes["step"] == {"meeple", "cell"}
    assert shapes["pour"] == {"ingredient", "cup"}
    assert shapes["serve"] == {"cup", "slot"}
    assert shapes["end_turn"] == shapes["undo"] == set()
    poured = {line["intent"].get("ingredient") for line in intents}
    assert poured - {None} <= {*ALL_TOKENS}


def test_upgrades_are_named() -> None:
    names = {"double_meeples", "diagonal_move", "double_corners", "double_specialties"}
    found = set()
    for players, starters in TABLES:
        _, intents, _ = exported(players, starters)
        activated = {
            (line["seat"], line["intent"]["upgrade"])
            for line in intents
            if line["intent"]["type"] == "activate_upgrade"
        }
        seats = intents[-1]["state"]["players"]
        active = {(seat, name) for seat, one in enumerate(seats) for name in one["upgrades"]}
        assert active <= activated, "one that was undone is not active"
        found |= {name for _, name in active}
    assert found
    assert found <= names


@pytest.mark.parametrize(("players", "starters"), TABLES)
def test_the_result_is_that_of_the_last_state(players: int, starters: bool) -> None:
    game = exported(players, starters)
    result, last = game[2], states_of(game)[-1]
    assert result["type"] == "result"
    assert (last["phase"], last["active"], last["closed"]) == ("over", None, True)
    assert result["rounds"] == last["round"]
    assert [line["rank"] for line in result["standings"]] == sorted(
        line["rank"] for line in result["standings"]
    )
    for line in result["standings"]:
        seat = last["players"][line["seat"]]
        counts = [len(seat[pile]) for pile in ("completed", "upgrades", "penalties")]
        assert [line["completed"], line["upgrades"], line["penalties"]] == counts
        assert line["score"] == counts[0] + 2 * counts[1] - counts[2]  # R-END-2
        assert (line["score"], line["rush"]) == (seat["score"], seat["rush"])


def test_the_command_prints_the_lines(tmp_path: Path) -> None:
    path = tmp_path / "game.record"
    path.write_bytes(lines(play(head_of())))
    done = run(path)
    assert done.exit_code == 0
    assert done.stdout_bytes == b"".join(export_lines(read_record(path.read_bytes())))
    assert run(path, "--json").stdout_bytes == done.stdout_bytes  # once required, still accepted
    assert "--json" not in run(path, "--help").stdout


def test_a_broken_record_prints_only_an_error_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "game.record"
    data = lines(play(head_of())).replace(b'"rev":77,', b'"rev":78,')
    path.write_bytes(data)
    done = run(path)
    assert (done.exit_code, done.stdout_bytes) == (1, b"")
    assert done.stderr == (
        f"Error: {path}: line 78 is damaged: its checksum does not match; use a copy\n"
    )
    assert path.read_bytes() == data


@pytest.mark.slow
def test_the_same_seed_and_intents_give_the_same_bytes_in_every_process() -> None:
    """Promise 5: the random hash seed of a process has no influence."""
    child = """
import sys
from coffeerush.records.export import export_lines
from coffeerush.records.entries import read_record
from tests.support.hosts_and_clients import SECONDS
from tests.support.pty_terminal import Terminal
from tests.support.records import NAMES, head_of, lines, play

for players, starters in ((2, False), (3, True), (4, False)):
    for line in export_lines(read_record(lines(play(head_of(players, 11, starters))))):
        sys.stdout.buffer.write(line)
"""
    outputs = [
        subprocess.run(
            [sys.executable, "-c", child],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "random")
    ]
    assert outputs[0].count(b'"type":"result"') == 3
    assert outputs[0] == outputs[1] == outputs[2]
