"""How a screen begins and ends: joining, losing the host, leaving, a closed table, a bug."""

import asyncio
from pathlib import Path
from random import Random
from threading import Event

import pytest
from msgspec.structs import replace
from prompt_toolkit.input import create_pipe_input

from coffeerush.client import session
from coffeerush.client.model import Model
from coffeerush.errors import BotError, CoffeeRushError, LinkError
from coffeerush.host.table.config import AWAY_SECONDS
from coffeerush.ui.advice.guide import guide_lines
from coffeerush.ui.table.draw_game import draw
from coffeerush.ui.table.draw_result import result_step
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.table.state import ShownEmote, Ui
from coffeerush.ui.table.table_app import shown_while
from coffeerush.ui.terminal.fullscreen import FullScreen, Program, saved_bug
from coffeerush.ui.words.events import why_over
from coffeerush.ui.words.i18n import _, pgettext
from coffeerush.ui.words.table import result_lines
from protocol import NO_ID, Bye, Queue, Ready, StandUp, Start
from tests.golden.frames import EXTREMES, spoken
from tests.support.local import LocalLink, LocalTable, begun, play
from tests.support.positions import Has
from tests.support.screen_terminal import (
    ENTER,
    INTERRUPT,
    QUIET,
    UP,
    Tty,
    run,
    shown,
)
from tests.ui.advice.test_guide_result import ended
from tests.ui.table.test_result import over


async def test_before_the_table_is_known_the_screen_says_so_and_can_be_left() -> None:
    local = LocalTable(2)
    link = local.unjoined("Ann")
    async with shown(link) as terminal:
        await terminal.see("Joining the table…")
        link.take(session.join(link.model, local.new_id()))
        await terminal.see("Coffee Rush  Table")


async def test_while_a_table_is_joined_the_page_moves() -> None:
    link = LocalTable(2).unjoined("Ann")
    async with shown(link, settings=replace(QUIET, moments=True)) as terminal:
        await terminal.see("Joining the table…")
        before = terminal.text
        await terminal.until(lambda: terminal.text != before)
        await terminal.see("Joining the table…")


@pytest.mark.parametrize("early", [True, False])
async def test_a_page_moves_while_a_table_is_opened_and_closes_with_it(early: bool) -> None:
    opened = Event()
    with create_pipe_input() as keys:
        terminal = Tty(keys, (80, 24))

        def display(program: Program) -> FullScreen:
            screen = FullScreen(program, (), keys, terminal.output)
            screen.app.after_render += terminal.count
            return screen

        def open_table() -> str:
            assert early or opened.wait(30)
            return "a table"

        opening = asyncio.create_task(
            shown_while(replace(QUIET, moments=True), display, open_table)
        )
        if not early:
            await terminal.see("Setting up the table…")
            before = terminal.text
            await terminal.until(lambda: terminal.text != before)
            keys.send_text("q")
            opened.set()
        assert await opening == "a table"


async def test_what_fails_while_a_table_is_opened_is_raised() -> None:
    def fail() -> None:
        raise LinkError("Nothing is hosting there.")

    with create_pipe_input() as keys:
        terminal = Tty(keys, (80, 24))
        with pytest.raises(LinkError):
            await shown_while(QUIET, lambda one: FullScreen(one, (), keys, terminal.output), fail)


async def test_a_lost_connection_keeps_what_is_known() -> None:
    link = begun()
    async with shown(link) as terminal:
        await terminal.see("place")
        link.set(session.lose(link.model))
        await terminal.see("Connection lost; trying again.")
        await terminal.see("coffeerush host --resume")
        await terminal.see("Your cups")
        await terminal.press(ENTER)
        await terminal.see("You cannot do anything until the host answers again")
        link.take(session.join(link.model, link.local.new_id()))
        await terminal.see("The host is back")
        await terminal.see("place a meeple")
        await terminal.press(ENTER)
        await terminal.see("3 steps left")


async def test_why_a_host_is_not_found_is_said_once_it_is_known() -> None:
    local = LocalTable(2)
    local.link("Ann")
    link = local.link("Bob")
    async with shown(link) as terminal:
        link.set(session.lose(link.model))
        await terminal.see("Connection lost; trying again.")
        link.set(session.lose(link.model, LinkError("The host stands still.")))
        await terminal.see("The host stands still.")


async def test_a_table_that_its_host_closes_stays_to_be_read() -> None:
    link = begun()
    async with shown(link) as terminal:
        await terminal.see("place")
        for update in link.local.table.stop():
            link.take(session.hear(link.model, update, link.local.new_id()))
        await terminal.see("The host has closed the table.")
        await terminal.see("Your cups")


async def test_leaving_asks_once() -> None:
    link = begun()
    async with shown(link) as terminal:
        await terminal.press("q")
        await terminal.see("Leave the table?")
        await terminal.press(UP)
        assert "Leave the table?" not in terminal.text
        assert link.model.status == "here"
        await terminal.press(INTERRUPT)
        await terminal.see("Leave the table?")
    assert link.model.ending == "left"


def test_an_error_for_the_user_is_no_bug() -> None:
    damaged = BotError("the weights are damaged")
    assert saved_bug(damaged) is damaged


async def test_a_bug_ends_the_screen_with_a_sentence(
    tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COFFEERUSH_STATE", str(tmp_path))

    class Broken(LocalLink):
        async def changed(self, since: Model) -> Model:
            raise ZeroDivisionError("bug")

    local = LocalTable(2)
    link = Broken(local, "a" * 40, "Ann", "player")
    local.links.append(link)
    with pytest.raises(CoffeeRushError, match=r"details are in .*screen-error\.log"):
        async with shown(link):
            pass


async def meet(link: LocalLink, broken: Model) -> None:
    async with shown(link) as terminal:
        link.set(broken)
        await terminal.until(lambda: terminal.app.is_done)


def test_a_bug_in_a_frame_ends_the_screen_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COFFEERUSH_STATE", str(tmp_path))

    async def main() -> None:
        link = LocalTable(2).link("Ann")
        table = link.model.table
        assert table is not None
        broken = replace(link.model, table=replace(table, seats=None))
        with pytest.raises(CoffeeRushError, match="The program hit a bug"):
            await meet(link, broken)

    run(main())
    assert "TypeError" in (tmp_path / "screen-error.log").read_text(encoding="utf-8")


@pytest.mark.slow
async def test_a_spectator_of_a_game_that_everybody_leaves_sees_the_lobby() -> None:
    local = LocalTable(2, ("regular",))
    ann, eve = local.link("Ann"), local.link("Eve", "spectator")
    async with shown(eve) as terminal:
        local.start()
        await terminal.see("gets the orders")
        ann.wish(Bye(NO_ID, stand_in=True))
        await terminal.see("open seat")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "size"),
    [*((one, (40, 12)) for one in EXTREMES), ("ru", (80, 24)), ("ko", (120, 36))],
)
def test_a_rematch_is_offered_once_it_can_start(
    tmp_path: Path, language: str, size: tuple[int, int]
) -> None:
    _local, ann, bob = over(tmp_path)
    with spoken(language):
        label = pgettext("key", "start a rematch")
        offered = []
        for wish in (None, Ready(NO_ID, True), Ready(NO_ID, False), Bye(NO_ID)):
            if wish is not None:
                bob.wish(wish)
            lines = [*draw(ann.model, Ui(size=size), *size).lines()]
            offered.append(label in lines[-1])
        assert offered == [False, True, False, False]
        alone = _("A rematch needs two players: wait until somebody joins.")
        assert size[1] < 24 or "".join(alone.split()) in "".join("".join(lines).split())


@pytest.mark.slow
def test_a_rematch_waits_for_players_who_are_silent_but_not_for_those_who_left() -> None:
    """As the host does, which refuses to start without them."""
    local = LocalTable(3)
    ann, bob, cid = (local.link(name) for name in ("Ann", "Bob", "Cid"))
    local.start()
    play(local, Random(2), lambda: None)
    cid.wish(Ready(NO_ID, True))
    for _each in range(AWAY_SECONDS + 1):
        local.now += 1
        for link in (ann, cid):
            link.take(session.keepalive(link.model, local.new_id()))
        local.tick()
    assert ann.model.table
    assert ann.model.table.seats[1].away
    late = local.link("Ann", key=ann.key)
    for link in (ann, late):
        assert result_step(Scene(link.model, Ui())) == "Waiting for Bob to agree to a rematch."
    bob.wish(Bye(NO_ID))
    for link in (ann, late):
        assert result_step(Scene(link.model, Ui())).startswith("Enter starts a rematch")
    ann.wish(Start(NO_ID))
    assert ann.model.game == 2


@pytest.mark.parametrize("language", EXTREMES)
@pytest.mark.parametrize(
    ("other", "brief"),
    [
        (Has(), ""),
        (Has(completed=2, penalties=1), "Tied: more completed orders decide."),
        (Has(completed=1, rush=1), "Tied: more rush tokens decide."),
    ],
)
def test_the_smallest_result_says_why_the_game_is_over_and_what_decided(
    language: str, other: Has, brief: str
) -> None:
    model = ended(Has(completed=1), other)
    assert model.view
    with spoken(language):
        lines = [one.strip() for one in draw(model, Ui(size=(40, 12)), 40, 12).lines()]
        why = [why_over(model, model.view, short) for short in (False, True)]
        assert [one in lines for one in why].count(True) == 1
        assert not brief or _(brief) in lines


@pytest.mark.parametrize(
    ("me", "other", "reason"),
    [
        (Has(completed=2), Has(completed=1), ""),
        (Has(completed=1), Has(completed=1), ""),
        (
            Has(completed=1),
            Has(completed=2, penalties=1),
            "Tied with you on points; more completed orders decide (2:1).",
        ),
        (
            Has(completed=1),
            Has(completed=1, rush=1),
            "Tied with you on points and completed orders; more rush tokens decide (1:0).",
        ),
    ],
)
def test_a_tie_says_what_decided_it(me: Has, other: Has, reason: str) -> None:
    model = ended(me, other)
    assert model.view is not None
    told = "\n".join(result_lines(model, model.view))
    for size in ((80, 24), (120, 36)):
        text = "\n".join(draw(model, Ui(size=size), *size).lines())
        for one in (text, told):
            said = " ".join(one.replace("│", " ").split())
            assert ("Tied with" in said) == bool(reason)
            assert reason in said


@pytest.mark.parametrize("size", [(40, 12), (80, 24), (120, 36)])
def test_a_tie_for_a_lower_rank_says_what_decided_it_too(size: tuple[int, int]) -> None:
    model = ended(Has(completed=3), Has(completed=2, penalties=1), Has(completed=1))
    assert model.view is not None
    reason = "2. Bob: Tied with Cid on points; more completed orders decide (2:1)."
    assert result_lines(model, model.view).count(reason) == 1
    text = " ".join(" ".join(draw(model, Ui(size=size), *size).lines()).replace("│", " ").split())
    assert reason in text


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
def test_a_tie_names_all_who_lost_it(size: tuple[int, int]) -> None:
    model = ended(Has(completed=2, penalties=1), Has(completed=1), Has(completed=1))
    reason = "more completed orders, with equal points"
    assert f"What put you ahead of Bob and Cid: {reason}." in " ".join(guide_lines(model))
    text = " ".join(" ".join(draw(model, Ui(size=size), *size).lines()).split())
    assert "Tied with Bob and Cid on points; more completed orders decide (2:1)." in text


def test_who_makes_room_at_a_result_is_not_away() -> None:
    """A client that came while somebody was away knows their seat from then."""
    local = LocalTable(2)
    ann, bob = local.link("Ann"), local.link("Bob")
    local.start()
    for _each in range(AWAY_SECONDS + 1):
        local.now += 1
        ann.take(session.keepalive(ann.model, local.new_id()))
        local.tick()
    cid = local.link("Cid", "spectator")
    assert cid.model.players[1].away
    bob.take(session.keepalive(bob.model, local.new_id()))
    play(local, Random(1), lambda: None)
    bob.wish(StandUp(NO_ID))
    assert cid.model.table
    assert [seat.name for seat in cid.model.table.seats] == ["Ann", ""]
    assert [(seat.name, seat.away) for seat in cid.model.players] == [
        ("Ann", False),
        ("Bob", False),
    ]


@pytest.mark.parametrize("again", [False, True])
def test_who_came_to_a_result_knows_the_names_of_those_who_stand_up_since(again: bool) -> None:
    local = LocalTable(2)
    _ann, bob = local.link("Ann"), local.link("Bob")
    local.start()
    play(local, Random(1), lambda: None)
    cid = local.link("Cid", "spectator")
    cid.set(replace(cid.model, dealt=()))  # so long a game that its log has not its start any more
    bob.wish(StandUp(NO_ID))
    if again:
        cid.take(session.join(cid.model, local.new_id()))
        cid.set(replace(cid.model, dealt=()))
    assert [*map(Scene(cid.model, Ui()).name, range(2))] == ["Ann", "Bob"]


def test_who_has_sat_down_since_a_result_speaks_under_their_own_name() -> None:
    local = LocalTable(2)
    ann, _bob = local.link("Ann"), local.link("Bob")
    local.start()
    play(local, Random(1), lambda: None)
    assert ann.model.table
    own, freed = ann.model.table.seats
    table = replace(ann.model.table, seats=(own, replace(freed, name="Cid")))
    model = replace(ann.model, table=table)
    assert Scene(model, Ui()).name(1) == "Bob", "it is the result of the game"
    spoken = Ui(size=(80, 24), now=1.0, emotes=(ShownEmote("Cid", "bravo", 2.0),))
    text = "\n".join(draw(model, spoken, 80, 24).lines())
    assert "<Cid> Bravo!" in text
    assert "<Bob>" not in text


def test_who_comes_back_to_a_result_sees_who_played_and_not_who_has_their_seats() -> None:
    local = LocalTable(3)
    _ann, bob, dan = (local.link(name) for name in ("Ann", "Bob", "Dan"))
    eve = local.link("Eve", "spectator")
    local.start()
    eve.wish(Queue(NO_ID, True))
    bob.wish(Bye(NO_ID, stand_in=True))
    dan.wish(Bye(NO_ID, stand_in=True))
    play(local, Random(1), local.tick)
    back = local.link("Dan", key=dan.key)
    assert back.model.table
    assert "Eve" in [seat.name for seat in back.model.table.seats]
    assert [*map(Scene(back.model, Ui()).name, range(3))] == ["Ann", "Bob", "Dan"]
