"""The result screen: its record is a key apart, and names stay those of the game."""

import re
from datetime import datetime
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from coffeerush.client import recording
from coffeerush.client.model import RecordFetch
from coffeerush.client.record_keeper import FileShelf, RecordKeeper
from coffeerush.errors import RecordError
from coffeerush.local.files import STATE_VARIABLE
from coffeerush.records.listing import file_copy
from coffeerush.ui.advice.guide import guide_lines
from coffeerush.ui.table.draw_game import draw
from coffeerush.ui.table.draw_result import winners
from coffeerush.ui.table.panes import TALL
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.table.state import Ui
from coffeerush.ui.words.events import digest
from coffeerush.ui.words.table import result_lines
from protocol import NO_ID, AddBot, Queue, Ready, Remove, Start, encode
from tests.support.local import LocalLink, LocalTable, play
from tests.support.once import copied
from tests.support.screen_terminal import ENTER, QUIET, TAB, Terminal, shown

# The record of the game on the result screen: replay, review and rematch are a key apart


GUIDED = replace(QUIET, guided=False)


@copied
def played() -> LocalTable:
    """Return a table at its result, whose owner and guest keep records."""
    local = LocalTable(2)
    for link in (local.link("Ann"), local.link("Bob")):
        link.set(replace(link.model, keeps_records=True, key=link.key))
    local.start()
    play(local, Random(1), lambda: None)
    return local


def over(directory: Path) -> tuple[LocalTable, LocalLink, LocalLink]:
    """Return a table at its result, its owner, and a guest, both of whom have the record."""
    local = played()
    ann, bob = local.links
    for link in (ann, bob):
        link.wish(Ready(NO_ID, False))  # whose answer brings the next part
        file(link, directory / link.model.name)
    return local, ann, bob


def file(link: LocalLink, directory: Path) -> None:
    """File the record that a link has got, as the keeper of a real link does."""
    fetch = link.model.record
    assert fetch is not None
    assert fetch.is_whole
    path = file_copy(directory / "records", fetch.data, fetch.witness, datetime.now())
    link.set(recording.settled(link.model, fetch.filed(str(path))))


def at(terminal: Terminal) -> int | None:
    """Return the position of the replay that is shown; None if none is."""
    found = re.match(r" *(?:step +)?(\d+)/\d+ ", terminal.lines[-2])
    return int(found[1]) if found else None


@pytest.mark.parametrize("size", [(40, 12), (80, 24)])
def test_those_who_wait_for_a_seat_are_named(size: tuple[int, int]) -> None:
    local = played()
    local.link("Cid", "spectator").wish(Queue(NO_ID, True))
    ann = local.links[0].model
    assert "Waiting for a seat: Cid." in "\n".join(draw(ann, Ui(size=size), *size).lines())


@pytest.mark.slow
@pytest.mark.parametrize("size", [(40, 12), (80, 24), (120, 36)])
async def test_the_replay_opens_and_returns_to_the_result(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    _local, _ann, bob = over(tmp_path)
    async with shown(bob, *size) as terminal:
        await terminal.see("v replay")
        before = terminal.text
        await terminal.press("v")
        await terminal.until(lambda: at(terminal) is not None)
        assert at(terminal) == 0
        assert size[0] < 80 or "Bob: cups" in terminal.text, "it opens with one's own"
        await terminal.press("l")
        await terminal.until(lambda: at(terminal) == 1)
        await terminal.press("\x1b[H")  # Home
        await terminal.see("0/")
        await terminal.press("q")
        await terminal.until(lambda: terminal.text == before)
        assert bob.model.status == "here"
        await terminal.press(ENTER)
        assert bob.model.table
        assert bob.model.table.seats[1].ready


@pytest.mark.slow
@pytest.mark.parametrize(("key", "seen"), [("v", "/"), ("w", "turns were good")])
async def test_the_keys_that_the_guide_points_to_work_over_its_box(
    tmp_path: Path, key: str, seen: str
) -> None:
    _local, _ann, bob = over(tmp_path)
    async with shown(bob, settings=GUIDED) as terminal:
        await terminal.see("What put")
        await terminal.see("w analysis")
        await terminal.press(key)
        await terminal.see(seen)


@pytest.mark.slow
async def test_a_review_of_ones_own_turns_goes_on_while_the_screen_does(tmp_path: Path) -> None:
    _local, _ann, bob = over(tmp_path)
    async with shown(bob, 120, 36) as terminal:
        await terminal.see("w analysis")
        await terminal.press("w")
        await terminal.see("Analysing Bob's turns: ")
        await terminal.press("g", "5")
        await terminal.see("Go to (0 to")
        await terminal.press("\x1b")
        await terminal.see("Analysis for Bob")
        await terminal.press("r", "q")
        await terminal.see("The result")


async def test_the_next_game_closes_the_replay_and_says_so(tmp_path: Path) -> None:
    _local, ann, bob = over(tmp_path)
    async with shown(bob) as terminal:
        await terminal.press("v")
        await terminal.until(lambda: at(terminal) is not None)
        bob.wish(Ready(NO_ID, True))
        await terminal.press("h")
        ann.wish(Start(NO_ID))
        await terminal.see("The next game has begun, so the last one was closed.")
        assert "replay" not in terminal.text
        assert terminal.screen._inset is None


async def test_the_replay_is_there_after_the_host_has_closed_the_table(tmp_path: Path) -> None:
    local, _ann, bob = over(tmp_path)
    fetch = bob.model.record
    assert fetch
    bob.set(replace(bob.model, record=replace(fetch, path="")))
    async with shown(bob) as terminal:
        await terminal.see("The result")
        for update in local.table.stop():
            local.tell(encode(update))
        await terminal.see("The host has closed the table.")
        assert "replay" not in terminal.text
        bob.set(recording.settled(bob.model, fetch))
        await terminal.see("v replay")
        await terminal.press("v")
        await terminal.until(lambda: at(terminal) is not None)
        await terminal.press("q")
        await terminal.see("The result")


async def test_settings_changed_in_the_replay_stay(tmp_path: Path) -> None:
    _local, _ann, bob = over(tmp_path)
    async with shown(bob) as terminal:
        before = terminal.screen.settings
        await terminal.press("v")
        await terminal.until(lambda: at(terminal) is not None)
        await terminal.press("\x1bOR")  # F3
        await terminal.see("Settings")
        await terminal.press(ENTER, "\x1b")
        await terminal.press("q")
        await terminal.see("The result")
        assert terminal.screen.settings != before
        assert terminal.kept[-1] == terminal.screen.settings


async def test_a_record_that_is_gone_is_a_sentence_on_the_result(tmp_path: Path) -> None:
    _local, _ann, bob = over(tmp_path)
    async with shown(bob) as terminal:
        await terminal.see("v replay")
        for path in tmp_path.rglob("*.record"):
            path.unlink()
        await terminal.press("v")
        await terminal.see("cannot be opened")
        await terminal.see("The result")


async def test_a_record_that_was_refused_is_a_sentence_and_no_key(tmp_path: Path) -> None:
    _local, _ann, bob = over(tmp_path)
    fetch = bob.model.record
    assert fetch
    wrong = RecordError("The host does not send the record of this game.")
    bob.set(replace(bob.model, record=replace(fetch, path="", trouble=wrong)))
    async with shown(bob) as terminal:
        await terminal.see("The host does not send the record of this game.")
        assert "replay" not in terminal.text
        await terminal.press("v")
        assert terminal.screen._inset is None


def keep(link: LocalLink, directory: Path) -> None:
    """File the record that a link has got, and count the games, by the keeper of real links."""

    def settle(fetch: RecordFetch) -> None:
        link.set(recording.settled(link.model, fetch))

    RecordKeeper(FileShelf(directory / "records"), settle).follow(link.model)


async def test_a_keeper_outlives_a_record_that_it_cannot_file(tmp_path: Path) -> None:
    _local, _ann, bob = over(tmp_path)
    assert bob.model.record
    data = Path(bob.model.record.path).read_bytes()
    whole = replace(bob.model.record, path="", data=data, size=len(data))
    told: list[RecordFetch] = []
    keeper = RecordKeeper(FileShelf(Path("no file has such a name\0")), told.append)
    for number in (1, 2):
        keeper.follow(replace(bob.model, record=whole))
        await keeper.close()
        assert len(told) == number
    assert "could not be kept: ValueError" in str(told[-1].trouble)


@pytest.mark.slow
@pytest.mark.parametrize("size", [(40, 12), (80, 24), (120, 30), (120, 50)])
async def test_all_games_of_these_people_from_the_second_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    local, ann, bob = over(tmp_path)
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path / "Bob"))
    async with shown(bob, *size) as terminal:
        await terminal.see("v replay")
        assert "together" not in terminal.text
        bob.wish(Ready(NO_ID, True))
        ann.wish(Start(NO_ID))
        play(local, Random(2), lambda: None)
        bob.wish(Ready(NO_ID, False))
        keep(bob, tmp_path / "Bob")
        await terminal.see("Games together: 2")
        if size[1] < TALL:
            assert "streak" not in terminal.text
            await terminal.press(TAB)
        await terminal.see("streak  points" if size[0] > 40 else "streak")
        brief, title = size[0] == 40, "vs" if size[0] == 40 else "ahead of"
        assert re.search(rf"{title} A.* +{title} B|{title} B.* +{title} A", terminal.text)
        first, second = re.findall(r" (\d):(\d)\b" if brief else r" (\d) of (\d)\b", terminal.text)
        assert int(first[0]) + int(second[0]) == 2
        assert first == second[::-1] if brief else first[1] == second[1] == "2"
        if size[1] < TALL:
            await terminal.press(TAB)
            await terminal.until(lambda: "streak" not in terminal.text)


# Result screens after others have taken the places of those who played the game


@pytest.mark.slow
def test_a_result_names_those_who_played_and_not_who_sits_there_now() -> None:
    local = LocalTable(3, seed=3)
    ann, _bea, cid = (local.link(name) for name in ("Ann", "Bea", "Cid"))
    local.start()
    play(local, Random(3), lambda: None)
    ann.wish(Remove(NO_ID, 1))
    ann.wish(AddBot(NO_ID, 1, "casual"))
    assert cid.model.table
    assert cid.model.table.seats[1].status == "bot"
    ann.wish(Remove(NO_ID, 1))
    dan = local.link("Dan")
    for link in (ann, cid, dan):
        assert [seat.name for seat in link.model.players] == ["Ann", "Bea", "Cid"]
        assert link.model.view
        assert result_lines(link.model, link.model.view)[0].startswith("Rank 1: Bea ")
        assert winners(Scene(link.model, Ui())) == "Bea has won."
        said = [line for line in digest(link.model) if isinstance(line, str)]
        assert any(line.startswith("Bea ") for line in said)
    assert (dan.model.seat, dan.model.played, cid.model.played) == (1, None, 2)
    assert guide_lines(cid.model)
    assert not guide_lines(dan.model)


async def test_while_asked_whether_to_leave_enter_promises_no_rematch(tmp_path: Path) -> None:
    _local, ann, bob = over(tmp_path)
    bob.wish(Ready(NO_ID, True))
    async with shown(ann) as terminal:
        assert "Enter starts a rematch" in terminal.text
        assert "Enter" in terminal.lines[-1]
        before = terminal.text
        await terminal.press("q")
        await terminal.see("any other key cancels")
        assert "Enter" not in terminal.text, "it would only cancel that"
        assert "q leave" in terminal.lines[-1]
        await terminal.press(ENTER)
        await terminal.until(lambda: terminal.text == before)
