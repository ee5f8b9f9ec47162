"""`coffeerush arena`, run as a command."""

import csv
import json
import os
import re
import resource
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from coffeerush import __version__
from coffeerush.cli.arena import as_typed
from coffeerush.cli.commands import group
from coffeerush.records.entries import MAX_BOT
from coffeerush.records.writing import load_record
from tests.support.hosts_and_clients import Person

pytestmark = pytest.mark.slow


def run(bots: str, *options: str) -> Result:
    return CliRunner().invoke(group, ["arena", "--bots", bots, "--jobs", "1", *options])


def bot_file(directory: Path) -> str:
    """Return a bot in a file that plays as `random` does."""
    path = directory / "mine.py"
    path.write_text("from coffeerush.bots import RandomBot\nclass Mine(RandomBot): pass\n")
    return f"{path}:Mine"


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """Let files have so many bytes at most, as if the disk were full."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def printed(result: Result) -> list[dict[str, Any]]:
    """Return the JSON lines of a successful run."""
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.mark.parametrize(
    ("games", "played", "blocks"), [(1, 6, 1), (6, 6, 1), (7, 12, 2), (12, 12, 2)]
)
def test_the_last_block_is_finished(tmp_path: Path, games: int, played: int, blocks: int) -> None:
    other = bot_file(tmp_path)
    bots = f"random,random,{other},{other}"
    lines = printed(run(bots, "--games", str(games), "--seed", "7", "--json"))
    assert [line["game"] for line in lines[:-4]] == [*range(played)]
    assert [line["seed"] for line in lines[:-4]] == [7 + game // 6 for game in range(played)]
    for entry, line in enumerate(lines[-4:]):
        assert (line["entry"], line["bot"]) == (entry, bots.split(",")[entry])
        assert (line["games"], line["blocks"]) == (played, blocks)


def test_each_entry_has_its_share_and_interval(tmp_path: Path) -> None:
    bots = f"random,{bot_file(tmp_path)},random"
    *games, first, second, third = printed(run(bots, "--games", "42", "--json"))
    assert first["share"] + second["share"] + third["share"] == pytest.approx(1)
    assert first["share"] == third["share"], "they are equal"
    for one in (first, second, third):
        own = [result for game in games for result in game["results"]]
        ranks = [result["rank"] for result in own if result["entry"] == one["entry"]]
        assert one["wins"] == ranks.count(1)
        assert 0 < one["low"] < one["share"] < one["high"] < 1
    table = run(bots, "--games", "42").stdout
    share, low, high = (100 * first[name] for name in ("share", "low", "high"))
    assert f"{share:.1f}% ({low:.1f}-{high:.1f})" in table
    assert "Games: 42, in blocks of 3; wins with a 95% confidence interval." in table


def test_more_bots_than_seats_take_turns(tmp_path: Path) -> None:
    bots = f"random,random,{bot_file(tmp_path)},random,regular"
    *games, one, _two, other, _four, best = printed(
        run(bots, "--players", "2", "--games", "11", "--json")
    )
    assert len(games) == 15
    assert all(len(game["results"]) == 2 for game in games)
    assert one["games"] == other["games"] == best["games"] == 6
    assert sum((4 * one["share"], other["share"], best["share"])) >= 1 - 1e-9
    assert best["strength"] > best["strength_low"] > one["strength"]
    # in a table of one block the score has no interval
    (*_, alone) = printed(run(bots, "--players", "3", "--games", "1", "--json"))
    assert alone["score_low"] is alone["score_high"] is None


PLAYERS = "A game has 2 to 4 players"
QUESTION = "such as “regular better than random”"
ADDRESS = "is not the address of a scheduler; give one like tcp://127.0.0.1:8786."


@pytest.mark.parametrize(
    ("bots", "options", "said"),
    [
        *((bots, (), PLAYERS) for bots in ("", "random", "random, ,", "random," * 5)),
        ("random," * 5, (), "say with --players"),
        ("random,random", ("--players", "3"), "3 players"),
        ("random,random", ("--json", "--format", "csv"), "--json means --format json; leave out"),
        ("regular,random", ("--until", "random"), QUESTION),
        ("regular,random", ("--until", "a better than b"), QUESTION),
        ("regular,random", ("--until", "random better than random"), QUESTION),
        ("regular,random,regular", ("--until", "regular better than regular"), QUESTION),
        ("random,random", ("--until", "random better than random"), "needs two different bots."),
        ("random,random", ("--cluster", "[::1"), ADDRESS),
        ("random,random", ("--cluster", "tcp://127.0.0.1:99999999"), ADDRESS),
        ("random,random", ("--cluster", "tls://[::1", "--tls", *[__file__] * 3), ADDRESS),
    ],
)
def test_what_cannot_be_played_is_refused(bots: str, options: tuple[str, ...], said: str) -> None:
    result = run(bots, *options)
    assert result.exit_code == 2
    assert said in result.stderr


def test_a_result_as_csv_and_markdown() -> None:
    *_games, best, other = printed(run("regular,random", "--games", "4", "--json"))
    assert printed(run("random,random", "--games", "1", "--json", "--format", "json"))
    result = run("regular,random", "--games", "4", "--format", "csv")
    head, *rows = csv.reader(result.stdout.splitlines())
    assert [dict(zip(head, row, strict=True)) for row in rows] == [
        {name: str(value) for name, value in one.items()} for one in (best, other)
    ]
    lines = run("regular,random", "--games", "4", "--format", "markdown").stdout.splitlines()
    assert lines[0] == "|  | bot | wins | score | strength | orders | penalties | upgrades |"
    assert lines[1] == "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    assert lines[2].startswith("| 1 | Regular | 100.0% (22.4-100.0) |")
    assert lines[3].startswith("| 2 | Random | 0.0% (0.0-77.6) |")


def test_csv_has_no_formula_and_nothing_for_an_unknown_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(bot_file(tmp_path).removesuffix(":Mine")).rename("=1+1.py")
    result = run("=1+1.py:Mine,random", "--games", "2", "--format", "csv")
    rows = list(csv.DictReader(result.stdout.splitlines()))
    assert {row["bot"] for row in rows} == {"'=1+1.py:Mine", "random"}
    for row in rows:
        assert (row["low"], row["high"]) == ("0.0", "1.0")
        assert row["score_low"] == row["score_high"] == ""


@pytest.mark.parametrize("words", [(), ("ladder",)])
def test_too_many_games_are_refused(words: tuple[str, ...]) -> None:
    result = CliRunner().invoke(group, ["arena", *words, "--games", "200000000"])
    assert result.exit_code == 2
    assert "200000000 is not in the range 1<=x<=1000000." in result.stderr


def test_the_chart_has_each_bot_between_0_and_100_percent() -> None:
    lines = run("regular,random", "--games", "4").stdout.splitlines()
    assert lines[-3].startswith("1 Regular  ...........[")
    assert lines[-3].endswith("o")
    assert re.match("2 Random +o=====", lines[-2])
    assert lines[-1].split() == ["0%", "100%"]
    assert len({len(line) for line in lines[-3:]}) == 1


def test_equal_bots_are_not_found_different(tmp_path: Path) -> None:
    spec = bot_file(tmp_path)
    table = run(f"random,{spec}", "--games", "20").stdout
    assert re.search("No difference found between .* and .*", table)


def test_until_ends_as_soon_as_the_answer_is_known(tmp_path: Path) -> None:
    bots, kept = "regular,random", ("--resume", str(tmp_path / "kept"))
    question = ("--until", "regular better than random")
    *lines, answer = printed(run(bots, *question, *kept, "--json"))
    games = sum("game" in line for line in lines)
    assert answer == {"until": question[1], "better": True, "games": games}
    assert 6 < games < 60
    again = run(bots, *question, *kept).stdout
    assert f"Regular is better than Random: known after {games} games." in again
    assert "No difference found" not in again
    short = run(bots, *question, *kept, "--games", "6").stdout
    assert "After 6 games it is not known whether Regular is better than Random." in short
    turned = run(bots, "--until", "random better than regular", *kept, "--jobs", "2").stdout
    assert (
        "Random does not win 5 percentage points more games than Regular; that was clear after "
        in turned
    )


@pytest.mark.parametrize(("name", "start"), [("a.svg", b"<?xml"), ("b.png", b"\x89PNG")])
def test_a_chart_in_a_file(tmp_path: Path, name: str, start: bytes) -> None:
    path = tmp_path / name
    drawn = []
    for _again in range(2):
        assert run("regular,random", "--games", "4", "--plot", str(path)).exit_code == 0
        drawn.append(path.read_bytes())
    assert drawn[0] == drawn[1]
    assert drawn[0].startswith(start)
    if name == "a.svg":
        assert all(text in drawn[0] for text in (b">1 Regular<", b">2 Random<", b"in %, with 95%"))


def test_a_chart_that_cannot_be_drawn_is_refused_before_the_first_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = run("random,random", "--plot", str(tmp_path / "chart.pdf"))
    assert result.exit_code == 2
    assert "its name must end in .svg or .png" in result.stderr
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)  # as if it were not installed
    result = run("random,random", "--plot", str(tmp_path / "chart.svg"))
    assert result.exit_code == 2
    assert 'pip install "coffeerush[plots]"' in result.stderr
    monkeypatch.undo()
    result = run("random,random", "--plot", str(tmp_path / "no" / "chart.svg"))
    assert result.exit_code == 1
    assert result.stderr.startswith(f"Error: {tmp_path}/no/chart.svg cannot be written: No such")
    assert len(result.stderr.splitlines()) == 1
    if os.geteuid():  # root may write anywhere
        tmp_path.chmod(0o500)
        result = run("random,random", "--plot", str(tmp_path / "chart.svg"))
        tmp_path.chmod(0o700)
        assert result.stderr.startswith(f"Error: {tmp_path}/chart.svg cannot be written: Permiss")


def test_a_chart_may_name_bots_with_dollar_signs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(bot_file(tmp_path).removesuffix(":Mine")).rename("cash$_$.py")
    result = run("cash$_$.py:Mine,random", "--games", "2", "--plot", "chart.svg")
    assert result.exit_code == 0, result.output
    assert ">1 cash$_$.py:Mine<" in Path("chart.svg").read_text(encoding="utf-8")


def test_blanks_around_commas_are_ignored() -> None:
    lines = printed(run(" random, random ,", "--games", "1", "--json"))
    assert [line["bot"] for line in lines[1:]] == ["random", "random"]


def test_every_game_has_a_record(tmp_path: Path) -> None:
    bots = f"random,{bot_file(tmp_path)}"
    games = printed(run(bots, "--games", "4", "--record", str(tmp_path / "games"), "--json"))[:4]
    records = [load_record(path) for path in (tmp_path / "games").iterdir()]
    for game, record in zip(games, sorted(records, key=lambda one: one.head.game), strict=True):
        assert record.head.setup.seed == game["seed"]
        assert record.head.program == __version__
        assert record.end
        assert [(one.seat, one.rank, one.score) for one in record.end.standings] == [
            (one["seat"], one["rank"], one["score"]) for one in game["results"]
        ]
        for one in game["results"]:
            assert record.head.seats[one["seat"]].bot == bots.split(",")[one["entry"]]


def test_records_do_not_overwrite_files(tmp_path: Path) -> None:
    options = ("--games", "2", "--record", str(tmp_path))
    assert run("random,random", *options).exit_code == 0
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert len(before) == 2
    for runs in (2, 3):
        assert run("random,random", *options).exit_code == 0
        assert len([*tmp_path.iterdir()]) == 2 * runs
    assert {name: (tmp_path / name).read_bytes() for name in before} == before
    for path in tmp_path.iterdir():
        assert load_record(path).end


def test_a_folder_that_cannot_be_written_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for folder in (tmp_path / "file" / "in", Path("/proc/self")):
        for result in (
            run("random,random", "--games", "100000", "--record", str(folder)),
            ladder("--games", "100000", "--resume", str(folder)),
        ):
            assert result.exit_code == 1
            assert f"{folder} cannot be written: " in result.stderr


def test_no_partial_record_is_left_behind(tmp_path: Path) -> None:
    with room_for(1000):
        result = run("random,random", "--games", "1", "--record", str(tmp_path))
    assert result.exit_code == 1
    assert "arena-0-1.record cannot be written" in result.stderr
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("name", [64 * "long/" + "mine.py:Mine", "\udcff.py:Mine"])
def test_a_bot_that_cannot_be_recorded_is_refused_at_once(tmp_path: Path, name: str) -> None:
    directory = tmp_path / "games"
    result = run(f"random,{name}", "--record", str(directory))
    assert result.exit_code == 1
    assert "cannot be recorded: it may have at most 256 characters" in result.stderr
    assert not directory.exists()


def test_a_bot_with_the_longest_path_in_a_record(tmp_path: Path) -> None:
    folder = tmp_path / ((MAX_BOT - len(f"{tmp_path}//mine.py:Mine")) * "x")
    folder.mkdir()
    spec = bot_file(folder)
    assert len(spec) == MAX_BOT
    assert run(f"random,{spec}", "--games", "1", "--record", str(tmp_path / "games")).exit_code == 0
    for path in (tmp_path / "games").iterdir():
        assert spec in [seated.bot for seated in load_record(path).head.seats]


def test_bots_with_long_names_are_told_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(bot_file(tmp_path).removesuffix(":Mine")).rename("my_very_long_bot_file_name.py")
    bots = ",".join(["my_very_long_bot_file_name.py:Mine"] * 3)
    result = run(bots, "--games", "1", "--record", "games")
    (path,) = Path("games").iterdir()
    names = [one.name for one in load_record(path).head.seats]
    assert {name[-2:] for name in names} == {" 1", " 2", " 3"}
    assert all(name.startswith("my_very_long_bot") for name in names)
    charted = result.stdout.splitlines()[-4:-1]
    assert {line[:2] for line in charted} == {"1 ", "2 ", "3 "}


ENDS = """
import os, signal
from coffeerush.bots import RandomBot

class Killed(RandomBot):
    def act(self): os.kill(os.getpid(), signal.SIGKILL)

class Raises(RandomBot):
    def act(self): raise SystemExit(5)

class Fails(RandomBot):
    def act(self): raise ValueError("no idea")

def choose(self, view, chance):
    if chance.random() < 0.003:
        self.act()
    return RandomBot.choose(self, view, chance)

Killed.choose = Raises.choose = Fails.choose = choose

class Unloaded:
    def __init__(self): os._exit(0)
"""
"""Bots that fail in some games: the randomness of a game is the same in every run."""


@pytest.mark.parametrize(
    ("bot", "said", "jobs"),
    [
        ("Killed", "exited unexpectedly", "2"),
        ("Raises", "SystemExit (5)", "1"),
        ("Fails", "ValueError (no idea)", "2"),
    ],
)
def test_a_bot_that_fails_is_named_and_other_games_count(
    tmp_path: Path, jobs: str, bot: str, said: str
) -> None:
    path = tmp_path / "ends.py"
    path.write_text(ENDS)
    spec = f"{path}:{bot}"
    result = run(f"random,{spec}", "--games", "12", "--jobs", jobs, "--json")
    *games, first, second = map(json.loads, result.stdout.splitlines())
    assert 0 < len(games) < 12
    assert first["games"] == second["games"] == len(games)
    assert first["share"] + second["share"] == pytest.approx(1)
    (line,) = [line for line in result.stderr.splitlines() if line.startswith("Error: ")]
    number = min({*range(12)} - {game["game"] for game in games}) + 1
    count, seed = 12 - len(games), (number - 1) // 2
    told = f"{spec} failed in {count} of 12 games, first in game {number} (seat "
    assert told in line
    assert f", seed {seed}): " in line
    assert said in line
    assert result.exit_code == 1


ONCE = """
import os, signal
from pathlib import Path
from coffeerush.bots import RandomBot

class Mine(RandomBot):
    def choose(self, view, chance):
        if view.round == 3 and not Path({mark!r}).exists():
            Path({mark!r}).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return RandomBot.choose(self, view, chance)
"""


def test_a_process_that_dies_is_replaced_and_named(tmp_path: Path) -> None:
    spec, mark = f"{tmp_path}/once.py:Mine", tmp_path / "mark"
    (tmp_path / "once.py").write_text(ONCE.format(mark=str(mark)))
    first = run(f"random,{spec}", "--games", "4", "--json")
    assert mark.exists()
    assert re.search(
        r"^1 process ended while it played .*: \S+ \d+, in game 1$", first.stderr, re.M
    )
    again = run(f"random,{spec}", "--games", "4", "--json")
    assert printed(first) == printed(again)
    assert "process" not in again.stderr


FAILS = """
import os, sys
from coffeerush.bots import RandomBot

class Own: pass
class Unequal:
    def __eq__(self, other): raise ValueError
class Untold(Exception):
    def __str__(self): raise ValueError

class ReturnsItsOwn:
    def choose(self, view, chance): return Own()
class ReturnsUnequal:
    def choose(self, view, chance): return Unequal()
class ReturnsLambda:
    def choose(self, view, chance): return lambda: 1
class ReturnsLong:
    def choose(self, view, chance): return 10_000_000 * "x"
class RaisesLong:
    def choose(self, view, chance): raise ValueError(10_000_000 * "x")
class RaisesUntold:
    def choose(self, view, chance): raise Untold
class Exits:
    def choose(self, view, chance): raise GeneratorExit
class Interrupts:
    def choose(self, view, chance): raise KeyboardInterrupt
class Closes(RandomBot):
    def choose(self, view, chance):
        os.closerange(3, 200)
        return RandomBot.choose(self, view, chance)
class Writes(RandomBot):
    def choose(self, view, chance):
        os.write(int(sys.argv[1]), 8 * b"noise")
        return RandomBot.choose(self, view, chance)
"""
REASONS = {
    **dict.fromkeys(
        ("ReturnsItsOwn", "ReturnsUnequal", "ReturnsLambda", "ReturnsLong"),
        "chose something that is not an intent; fix the bot.",
    ),
    "RaisesLong": "failed with ValueError (xxx",
    "RaisesUntold": "failed with Untold (?)",
    "Exits": "failed with GeneratorExit ()",
    **dict.fromkeys(("Interrupts", "Closes", "Writes"), "exited unexpectedly; fix the bot."),
}


def test_whatever_a_bot_does_is_told_in_one_sentence(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "fails.py"
    path.write_text(FAILS)
    bots = ",".join(f"{path}:{bot}" for bot in REASONS)
    result = run(bots, "--players", "2", "--games", "1")
    assert (result.exit_code, result.stdout) == (1, "")
    _bar, *lines = result.stderr.splitlines()
    for line, (bot, reason) in zip(lines, REASONS.items(), strict=True):
        assert line.startswith(f"Error: {path}:{bot} failed in ")
        assert reason in line
        assert len(line) < 500 + 3 * len(str(path))
    assert capfd.readouterr() == ("", "")


def test_what_a_bot_prints_is_not_in_the_result(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "prints.py"
    path.write_text(
        "import sys\nfrom coffeerush.bots import RandomBot\nclass Prints(RandomBot):\n"
        "    def choose(self, view, chance):\n        print('to stdout')\n"
        "        print('to stderr', file=sys.stderr)\n"
        "        return RandomBot.choose(self, view, chance)\n"
    )
    printed(run(f"random,{path}:Prints", "--games", "1", "--json"))
    out, err = capfd.readouterr()
    assert out == ""
    assert {*err.splitlines()} == {"to stderr"}


def test_only_failed_games_have_no_summary(tmp_path: Path) -> None:
    path = tmp_path / "ends.py"
    path.write_text("import os\nclass Ends:\n    def choose(self, view, chance): os._exit(0)\n")
    result = run(f"{path}:Ends,random", "--games", "2")
    assert f"{path}:Ends failed in 2 of 2 games" in result.stderr
    assert (result.exit_code, result.stdout) == (1, "")
    assert "process" not in result.stderr, "nothing has replaced it"


def test_a_bot_that_ends_its_process_as_it_is_loaded_is_reported_at_once(tmp_path: Path) -> None:
    path = tmp_path / "ends.py"
    path.write_text(ENDS)
    result = run(f"random,{path}:Unloaded")
    assert result.exit_code == 1
    assert f"Error: {path}:Unloaded exited unexpectedly; fix the bot." in result.stderr


def test_a_bot_that_cannot_be_loaded_is_all_that_is_reported(tmp_path: Path) -> None:
    result = run(f"random,{tmp_path}/none.py:Mine")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr == f"Error: There is no file {tmp_path}/none.py; check the path.\n"


def test_a_bot_whose_path_is_not_utf_8_is_refused_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(bot_file(tmp_path).removesuffix(":Mine")).rename("b\udcff.py")
    for result in (
        run("random,b\udcff.py:Mine", "--json", "--resume", "kept"),
        ladder("--yardstick", "b\udcff.py:Mine"),
    ):
        assert (result.exit_code, result.stdout) == (1, "")
        assert "is not UTF-8; rename the file." in result.stderr
    assert not Path("kept").exists()


def test_a_pipe_is_no_bot(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    result = run(f"random,{tmp_path}/pipe.py:Mine")
    assert result.exit_code == 1
    assert result.stderr == (
        f"Error: {tmp_path}/pipe.py cannot be read (Not a regular file); check the file.\n"
    )


HANGS = """
import os, signal, sys
class Hangs:
    def choose(self, view, chance):
        print("pid", os.getpid(), ".", file=sys.stderr, flush=True)
        signal.pause()
"""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_arena_leaves_no_process(tmp_path: Path, number: int, code: int) -> None:
    (tmp_path / "hangs.py").write_text(HANGS)
    with Person(tmp_path, "arena", "--bots", "hangs.py:Hangs,random", "--jobs", "1") as arena:
        pid = int(arena.read_until(".\n").split()[-2])
        arena.process.send_signal(number)
        assert arena.wait() == code
    assert "Traceback" not in arena.text
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_the_number_of_jobs_does_not_change_results() -> None:
    games = ("--games", "6", "--json")
    assert run("random,random,random", *games, "--jobs", "2").stdout == (
        run("random,random,random", *games).stdout
    )


def ladder(*options: str) -> Result:
    return CliRunner().invoke(group, ["arena", "ladder", "--jobs", "1", *options])


def test_the_ladder_compares_each_level_with_every_other_bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    specs = []
    for folder in (tmp_path / "one", Path("two")):  # two bots of the same name
        folder.mkdir()
        specs.append(bot_file(folder))
    levels, mine = specs[:1], specs[1]
    options = ("--bots", levels[0], "--games", "2", "--seed", "5", "--yardstick", mine)
    result = ladder(*options, "--resume", "kept")
    assert result.exit_code == 0, result.stderr
    table = [line.strip("| ").split(" | ") for line in result.stdout.splitlines()]
    head, _ruler, *rows, _empty, last = table
    assert head == ["bot", "against", "1 : 3 (25%)", "1 : 2 (33%)", "1 : 1 (50%)"]
    others = [*levels, mine, "random"]
    assert [row[:2] for row in rows] == [[a, b] for a in levels for b in others if a != b]
    assert f"`coffeerush arena ladder {' '.join(options)}`" in last[0]
    # each share is that of the same games in the arena
    *_games, level, _other = printed(
        run(f"{levels[0]},random", "--games", "2", "--seed", "5", "--json")
    )
    (row,) = (row for row in rows if row[:2] == [levels[0], "random"])
    assert row[4] == f"{level['share']:.1%} ({100 * level['low']:.1f}-{100 * level['high']:.1f})"
    # nothing is played again
    files = {path: path.read_bytes() for path in (tmp_path / "kept").iterdir()}
    assert len(files) == 3 * len(rows)
    assert {*tmp_path.rglob("*.jsonl")} == {*files}
    assert ladder(*options, "--resume", "kept").stdout == result.stdout
    assert {path: path.read_bytes() for path in files} == files


def test_the_ladder_names_paths_as_one_would_type_them() -> None:
    assert as_typed("my \udcff deck.toml") == "'my \ufffd deck.toml'"
    assert as_typed("a/b.py:Mine") == "a/b.py:Mine"


def test_a_bot_that_fails_in_the_ladder_is_named(tmp_path: Path) -> None:
    path = tmp_path / "ends.py"
    path.write_text("class Ends:\n    def choose(self, view, chance): raise ValueError\n")
    result = ladder("--bots", "random", "--games", "2", "--yardstick", f"{path}:Ends")
    assert result.exit_code == 1
    assert f"{path}:Ends failed in 2 of 2 games, first in game 1 (seat " in result.stderr
    assert f"| {path}:Ends | - | - | - |" in result.stdout


def test_the_ladder_loads_all_bots_before_the_first_game(tmp_path: Path) -> None:
    for bots in (("--bots", "casual,nosuch"), ("--yardstick", f"{tmp_path}/none.py:Mine")):
        result = ladder("--games", "100000", *bots)
        assert (result.exit_code, result.stdout) == (1, "")
        assert result.stderr.startswith("Error: There is no ")


def test_a_resumed_run_without_room_is_told_in_one_sentence(tmp_path: Path) -> None:
    for size in (100, 1000):  # for the first line, and for a block
        path = tmp_path / f"file-{size}"
        with room_for(size):
            result = run("random,random", "--games", "9", "--resume", str(path))
        assert result.exit_code == 1
        assert f"Error: {path} cannot be written" in result.stderr.splitlines()[-1]


def test_a_run_is_resumed(tmp_path: Path) -> None:
    file = ("--resume", str(tmp_path / "file"), "--json")
    first = run("random,regular", "--games", "4", *file)
    assert len((tmp_path / "file").read_text().splitlines()) == 3
    more = run("random,regular", "--games", "8", *file)
    assert printed(more)[:4] == printed(first)[:4]
    assert (tmp_path / "file").read_text().count("\n") == 5
    assert printed(more) == printed(run("random,regular", "--games", "8", "--json"))
    other = run("random,regular", "--seed", "1", *file)
    assert other.exit_code == 1
    assert "has games with another seed (0); choose another file." in other.stderr


def tournament(bots: str, *options: str) -> Result:
    words = ["arena", "tournament", "--bots", bots, "--jobs", "1", *options]
    return CliRunner().invoke(group, words)


def test_a_tournament_shows_each_round_and_the_standings() -> None:
    result = tournament("casual,random,random,random,random", "--rounds", "2", "--seed", "3")
    assert result.exit_code == 0, result.output
    first, second, standings = result.stdout.split("\n\n")
    for number, lines in enumerate((first.splitlines(), second.splitlines()), start=1):
        title, table, resting = lines
        assert title == f"Round {number} of 2"
        names = re.findall(r"\d (?:Casual|Random)", table)
        assert len({*names, resting.removesuffix(" sits out")}) == 5
        assert sum(map(int, re.findall(r"(\d+)%", table))) == pytest.approx(100, abs=2)
    head, *places = standings.splitlines()
    assert head.split() == ["bot", "wins", "points", "penalties"]
    assert places[0].split()[:3] == ["1", "1", "Casual"]
    assert sum(float(line.split()[3]) for line in places) == pytest.approx(2.5, abs=0.03)


def test_a_tournament_of_bots_is_the_same_each_time_and_machine_readable() -> None:
    options = ("--rounds", "2", "--seed", "8")
    lines = printed(tournament("random,casual,random", *options, "--format", "json"))
    assert lines[0]["entry"] == 1
    assert [*lines[0]] == ["place", "entry", "bot", "wins", "points", "penalties", "rounds"]
    assert sum(line["wins"] for line in lines) == pytest.approx(2)
    result = tournament("random,casual,random", *options, "--jobs", "2", "--format", "csv")
    rows = [*csv.DictReader(result.stdout.splitlines())]
    assert rows == [{name: str(value) for name, value in line.items()} for line in lines]


def test_a_bot_that_fails_in_a_tournament_loses_those_games_and_is_named(tmp_path: Path) -> None:
    path = tmp_path / "ends.py"
    path.write_text("class Ends:\n    def choose(self, view, chance): raise ValueError\n")
    result = tournament(f"random,{path}:Ends", "--rounds", "1", "--format", "markdown")
    assert result.exit_code == 1
    assert f"{path}:Ends failed in 2 of 2 games, first in game 1 (seat " in result.stderr
    rows = [line.strip("| ").split(" | ") for line in result.stdout.splitlines()[2:]]
    assert [row[:3] for row in rows] == [
        ["1", "1 Random", "1.00"],
        ["2", f"2 {path}:Ends", "0.00"],
    ]


def test_a_tournament_needs_two_bots() -> None:
    result = tournament("random")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "A tournament has 2 to 200 bots" in result.stderr
