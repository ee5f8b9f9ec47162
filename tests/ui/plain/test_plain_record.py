"""The record of a finished game in plain mode: replay and review at the table."""

import asyncio

import pytest
from msgspec.structs import replace

from coffeerush.client import recording
from coffeerush.errors import RecordError
from coffeerush.league.table import TablePlayer, Together, league_of
from coffeerush.records.sharing import checked_copy
from coffeerush.ui.plain.plain_app import review_lines_of
from coffeerush.ui.replay.replay import Replay, Steps
from coffeerush.ui.words.command_words import said
from protocol import Ready, Start
from tests.golden.frames import LANGUAGES, spoken
from tests.league.test_table import game
from tests.support.once import copied
from tests.support.tables import ANN, BOB, ID, table_for
from tests.ui.plain.test_plain import Seat

PLAYED = (("ann", "bob"), ("bob", "ann"), ("bob", "ann"))
"""Who won, and who lost, in three games."""


@copied
def over() -> tuple[Seat, Replay]:
    """Return Ann at the result of a game with Bob, whose record has come, and its replay."""
    driver = table_for()
    seat = Seat(driver)
    seat.wire.model = replace(seat.wire.model, keeps_records=True, key=ANN)
    driver.hello(BOB)
    driver.ask(BOB, Ready(ID, True))
    driver.ask(ANN, Start(ID))
    driver.play()
    driver.now += 10
    seat.settle()
    for _each in range(4):
        seat.type("say hello")  # the answers bring the next parts
    fetch = seat.wire.model.record
    assert fetch
    assert fetch.is_whole
    return seat, Replay(checked_copy(fetch.data, fetch.witness))


def filed(seat: Seat) -> list[str]:
    fetch = seat.wire.model.record
    assert fetch
    seat.wire.model = recording.settled(seat.wire.model, fetch.filed("a.record"))
    return seat.settle()


def test_the_record_is_announced_once_it_is_kept() -> None:
    seat, _replay = over()
    assert seat.type("replay") == ["There is no record of a finished game to show now."]
    said = "The game is recorded: “replay” steps through it, “analysis” analyses its turns."
    assert filed(seat) == [said]
    assert seat.session.line(seat.wire.model, "replay").opens == "replay"
    assert seat.session.line(seat.wire.model, "analysis").opens == "analysis"


@pytest.mark.parametrize("evening", [False, True])
def test_all_games_of_these_people_are_told_once_they_are_counted(evening: bool) -> None:
    seat, _replay = over()
    filed(seat)
    games = [game(day, (name, 1), (other, 2)) for day, (name, other) in enumerate(PLAYED)]
    careers = {one.entry.id: one for one in league_of(games, {}).careers}
    players = tuple(TablePlayer((seat,), careers[name]) for seat, name in enumerate(("ann", "bob")))
    fetch = seat.wire.model.record
    assert fetch
    together = replace(fetch, together=Together(3, players, evening))
    seat.wire.model = recording.settled(seat.wire.model, together)
    assert seat.settle() == [
        f"Games {'this evening' if evening else 'together'}: 3; won: Bob 2, Ann 1.",
        "Ann: won in a row 0, points per game -1.7, best turn 0.",
        "Bob: won in a row 2, points per game -1.3, best turn 0.",
        "Ann against Bob: ahead 1, behind 2.",
    ]
    assert not seat.settle()
    seat.wire.model = recording.settled(seat.wire.model, replace(together))
    assert not seat.settle(), "the same again"
    more = replace(fetch, together=Together(4, players, evening))
    seat.wire.model = recording.settled(seat.wire.model, more)
    assert seat.settle() == [
        f"Games {'this evening' if evening else 'together'}: 4; won: Bob 2, Ann 1."
    ]


def test_a_refused_record_is_a_sentence() -> None:
    seat, _replay = over()
    fetch = seat.wire.model.record
    assert fetch
    wrong = RecordError("The host does not send the record of this game.")
    seat.wire.model = recording.settled(seat.wire.model, fetch.failed(wrong))
    assert seat.settle() == ["The host does not send the record of this game."]
    assert seat.type("analysis") == ["There is no record of a finished game to show now."]


def test_lines_step_through_the_replay_until_it_is_left() -> None:
    seat, replay = over()
    filed(seat)
    assert f"[0/{replay.stop}]" in seat.session.show(Steps(replay)).lines
    assert seat.type("")[-1] == f"[1/{replay.stop}]"
    assert seat.type(f"g {replay.stop}")[-1] == f"[{replay.stop}/{replay.stop}]"
    assert seat.type("nonsense")[0].startswith("This is the end: ")
    assert seat.type("b")[-1] == f"[{replay.stop - 1}/{replay.stop}]"
    assert seat.session.line(seat.wire.model, "analysis").opens == "analysis"
    assert seat.type("q")[0] == "You are back at the table."
    assert seat.type("b") != []
    assert "[" not in "".join(seat.type("log"))


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_help_names_words_that_work(language: str) -> None:
    seat, replay = over()
    filed(seat)
    with spoken(language):
        seat.session.show(Steps(replay))
        told = seat.type("nonsense")[0]
        assert all(f"{said(word)}" in told for word in ("back", "go", "analysis", "leave"))
        assert seat.type(f"{said('go')} {replay.stop}")[-1] == f"[{replay.stop}/{replay.stop}]"
        assert said("go") + " 0" in seat.type("nonsense")[0]
        assert seat.type(said("back"))[-1] == f"[{replay.stop - 1}/{replay.stop}]"
        assert seat.session.line(seat.wire.model, said("analysis")).opens == "analysis"
        assert "[" not in seat.type(said("leave"))[0]


def test_the_next_game_closes_the_replay() -> None:
    seat, replay = over()
    filed(seat)
    seat.session.show(Steps(replay))
    driver = seat.wire.driver
    driver.now += 10
    driver.ask(BOB, Ready(ID, True))
    driver.ask(ANN, Start(ID))
    assert "The next game has begun, so the last one was closed." in seat.settle()
    assert seat.session.show(Steps(replay)).lines == (
        "The next game has begun, so the last one was closed.",
    )
    assert seat.type("replay") == ["There is no record of a finished game to show now."]


@pytest.mark.slow
def test_a_review_tells_its_progress_and_then_everything() -> None:
    _seat, replay = over()

    async def main() -> list[list[str]]:
        return [[*lines] async for lines in review_lines_of(replay, 1)]

    *progress, review = asyncio.run(main())
    total = len(replay.turns_of(1))
    assert progress[0] == [f"Analysing Bob's turns: 0 of {total} done"]
    assert len(progress) == -(-total // 5)
    assert review[0] == "Analysis for Bob"
