"""The child processes of the arena: whatever a bot does ends its game at most."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from coffeerush.arena.child import ArenaChild, Team
from coffeerush.arena.plan import ArenaPlan, FailedGame, GameResult
from coffeerush.bots.process import MOVE_TIME_LIMIT_SECONDS
from coffeerush.errors import BotError, RecordError
from coffeerush.rules import standard_deck
from tests.support.hosts_and_clients import Deadline

BOTS = """
import os, signal, sys
from coffeerush.bots import RandomBot

class Plays(RandomBot):
    pass

class Forks(RandomBot):
    forked = False
    def choose(self, view, chance):
        if view.round == 2 and not self.forked:
            self.forked = True
            os.fork()
        return RandomBot.choose(self, view, chance)

class ForksInTheEnd(RandomBot):
    def choose(self, view, chance):
        if view.round >= 5:
            os.fork()
        return RandomBot.choose(self, view, chance)

class Calculates:
    def choose(self, view, chance):
        while True:
            pass

class Halves:
    def choose(self, view, chance):
        os.write(int(sys.argv[1]), b"\\0\\0\\0")
        signal.pause()

class Unloaded:
    def __init__(self):
        signal.pause()

class Answers:
    def choose(self, view, chance):
        os.write(int(sys.argv[1]), self.answer + b"\\n")
        signal.pause()

class ForAnother(Answers):
    answer = b'{"type":"task_done","game":77,"result":null}'

class Nonsense(Answers):
    answer = b"nonsense"

class Stranger(Answers):
    answer = b'{"type":"acting","entry":77}'

class Lacking(Answers):
    answer = b'{"type":"task_done","game":0,"problem":"{what} is lacking.","values":{"x":""}}'

class Short(Answers):
    answer = b'{"type":"task_done","game":0,"result":null}'
"""


@contextmanager
def child(
    folder: Path, bot: str, seconds: int = MOVE_TIME_LIMIT_SECONDS, record: str | None = None
) -> Iterator[ArenaChild]:
    """Yield a child that plays with a bot of `BOTS`, which has so long for each move."""
    (folder / "bots.py").write_text(BOTS)
    bots = (f"{folder}/bots.py:{bot}", "random")
    found = ArenaChild(ArenaPlan(bots, 2, 0, False, standard_deck(), record), seconds)
    try:
        yield found
    finally:
        found.close()


@pytest.mark.slow
def test_a_bot_that_forks_plays_each_game_once(tmp_path: Path) -> None:
    with child(tmp_path, "Forks") as forking, child(tmp_path, "Plays") as other:
        for game in range(4):
            assert forking.play(game) == other.play(game)
        assert not forking.deaths


def test_a_bot_that_forks_at_the_end_of_a_game_has_one_record(tmp_path: Path) -> None:
    (tmp_path / "records").mkdir()
    with child(tmp_path, "ForksInTheEnd", record=f"{tmp_path}/records") as forking:
        for game in range(2):
            assert isinstance(forking.play(game), GameResult)
    assert len([*(tmp_path / "records").iterdir()]) == 2


def test_the_reason_of_a_record_error_is_kept_for_its_translation(tmp_path: Path) -> None:
    with child(tmp_path, "Plays", record=f"{tmp_path}/missing") as found:
        with pytest.raises(RecordError, match="cannot be written: No such file") as error:
            found.play(0)
        assert isinstance(error.value.values["reason"], OSError)


@pytest.mark.slow
@pytest.mark.parametrize("bot", ["Calculates", "Halves"])
def test_a_bot_that_hangs_has_failed(tmp_path: Path, bot: str) -> None:
    with child(tmp_path, bot, seconds=1) as found:
        lost = found.play(0)
        assert isinstance(lost, FailedGame)
        assert (lost.entry, lost.game) == (0, 0)
        assert str(lost.error) == "No answer came within 1 seconds."


@pytest.mark.slow
def test_a_bot_that_hangs_as_it_is_loaded_is_named(tmp_path: Path) -> None:
    with (
        child(tmp_path, "Unloaded", seconds=1) as found,
        pytest.raises(BotError, match=r"bots\.py:Unloaded did not load within 1 seconds; fix"),
    ):
        found.load()


@pytest.mark.slow
def test_a_child_without_a_task_is_ended_after_a_while(tmp_path: Path) -> None:
    (tmp_path / "bots.py").write_text(BOTS)
    plan = ArenaPlan((f"{tmp_path}/bots.py:Plays", "random"), 2, 0, False, standard_deck())
    with closing(Team(idle_seconds=0.0)) as team, closing(Team()) as kept:
        for _again in range(2):
            assert team.play(plan, [0]).blocks == kept.play(plan, [0]).blocks
            deadline = Deadline()
            while team._children:
                assert deadline.left()
        assert kept._children


@pytest.mark.slow
@pytest.mark.parametrize("bot", ["ForAnother", "Nonsense", "Stranger", "Lacking", "Short"])
def test_an_answer_that_was_not_asked_for_is_refused(tmp_path: Path, bot: str) -> None:
    with child(tmp_path, bot) as found:
        lost = found.play(0)
        assert isinstance(lost, FailedGame)
        assert str(lost.error).endswith(f":{bot} exited unexpectedly; fix the bot.")
