"""Keys outside a turn: in the lobby, in the chat, as a spectator, when leaving."""

import re
from random import Random

import pytest
from msgspec.structs import replace

from coffeerush.client.model import Role
from coffeerush.levels import NAMES
from coffeerush.local.settings import Settings
from coffeerush.ui.table.actions import ROWS, Action, labels_of
from coffeerush.ui.table.draw_game import draw
from coffeerush.ui.table.draw_result import result_step
from coffeerush.ui.table.input import press
from coffeerush.ui.table.on_update import apply_update, opened
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.table.state import Ui
from coffeerush.ui.table.text_input import paste
from coffeerush.ui.terminal.keys import ENTER, ESCAPE, INTERRUPT, Draft
from protocol import (
    NO_ID,
    AddBot,
    Bye,
    Chat,
    EndTurn,
    MoveSeat,
    Phase,
    Queue,
    QueueFirst,
    Ready,
    Remove,
    RemoveSpectator,
    Rename,
    SetFirst,
    StandUp,
    Start,
)
from tests.support.local import LocalTable, acting, begun, choose, play
from tests.ui.table.test_on_key import Hands, at


def test_the_cursor_moves_in_the_chat_and_in_a_name() -> None:
    hands = at(Phase.MOVING)
    wished = hands.press("t", *"hllo", "home", "right", "e", "c-e", "!", ENTER)
    assert isinstance(wished[0], Chat)
    assert wished[0].text == "hello!"
    hands.press("t", *"ab", "left")
    hands.ui = paste(hands.ui, "xy", hands.now)
    assert hands.ui.draft == Draft("axy", "b")
    lobby = Hands(LocalTable(2).link("Ann"))
    wished = lobby.press("n", *"Bob", "left", "delete", ENTER)
    assert isinstance(wished[0], Rename)
    assert wished[0].name == "Bo"


def test_keys_of_a_typed_line_mean_nothing_at_the_table() -> None:
    hands = at(Phase.MOVING)
    hands.press("q")
    before = hands.ui
    assert before.asked == "leave"
    for key in ("home", "end", "delete", "c-a", "c-e", "c-k", "c-u", "c-w"):
        assert press(hands.link.model, before, key, hands.now + 1.0) == (before, ())


def test_chat_takes_every_letter_and_is_left_with_escape() -> None:
    hands = at(Phase.MOVING)
    assert hands.press("t", "q", "1", "u", ESCAPE) == []
    assert hands.ui.draft.text == ""
    wished = hands.press("t", "q", "ж", "up", "c-h", "민", ENTER)
    assert isinstance(wished[0], Chat)
    assert wished[0].text == "q민"
    assert hands.press("t", *"never mind", "c-u", *"hi", ENTER) == [Chat(NO_ID, "hi")]
    assert hands.press("t", ENTER) == []


def test_every_key_of_a_spectator_does_something_or_says_why_not() -> None:
    local = LocalTable(2, ("regular",))
    local.link("Ann")
    eve = Hands(local.link("Eve", "spectator"))
    silent = {ESCAPE, "pageup", "pagedown", "1", "2", "3"}  # in a lobby nothing is poured

    def check(players: str, owner: str) -> None:
        for action, row in ROWS.items():
            for key in row.keys:
                was = eve.ui
                done = eve.press(key, ESCAPE) or eve.ui.note or eve.ui != was or eve.ui.asked
                assert done or key in silent, (action, key)
        eve.press("up")
        assert eve.ui.note.startswith(players)
        eve.press("x")
        assert eve.ui.note == owner

    check("Only players can do that. You are", "Only the owner of the table can do that.")
    local.start()
    check("Only players can do that. You are", "Only the owner of the table can do that.")
    play(local, Random(1), lambda: None)
    check("Only players can do that. You are", "Only the owner of the table can do that.")


@pytest.mark.slow
def test_a_spectator_takes_an_open_seat_in_a_lobby_and_at_a_result() -> None:
    local = LocalTable(3)
    ann, bob = local.link("Ann"), local.link("Bob")
    eve, fay = Hands(local.link("Eve", "spectator")), Hands(local.link("Fay", "spectator"))
    local.start()
    play(local, Random(1), lambda: None)
    for hands in (eve, fay):
        hands.look()
        assert labels_of(Scene(hands.link.model, hands.ui))[Action.NEXT] == "take a seat"
    assert eve.press(ENTER) == [Queue(NO_ID, True)]
    assert (eve.link.model.seat, eve.link.model.role) == (2, "player")
    fay.look()
    assert result_step(Scene(fay.link.model, fay.ui)) == (
        "You are watching; “Enter” puts you in line to play next."
    )
    assert fay.ui.note == "", "it is said once"
    fay.press(ENTER)
    assert fay.link.model.queued == ("Fay",)
    eve.look()
    assert labels_of(Scene(eve.link.model, eve.ui))[Action.NEXT] == "rematch"
    for link in (bob, eve.link):
        link.wish(Ready(NO_ID, True))
    ann.wish(Start(NO_ID))
    assert eve.link.model.game == 2
    assert eve.link.model.seat is not None


def test_one_key_waits_for_a_seat_and_gives_that_up_in_a_game() -> None:
    local = LocalTable(2)
    ann, bob = Hands(local.link("Ann")), Hands(local.link("Bob"))
    local.start()
    eve = Hands(local.link("Eve"))
    assert (eve.link.model.status, eve.link.model.seat) == ("here", None)
    eve.ui = opened(eve.link.model, Ui(settings=Settings(guided=True)), eve.now, eve.now)
    assert eve.ui.note == "You are watching; “r” puts you in line to play next."
    assert eve.ui.mode == "hall", "there may be a seat at another table"
    assert labels_of(Scene(eve.link.model, eve.ui))[Action.PLAY_NEXT] == "play next"
    assert eve.press("r") == [Queue(NO_ID, True)], "what it says below the list"
    assert eve.press("r") == [Queue(NO_ID, False)]
    assert labels_of(Scene(eve.link.model, eve.ui))[Action.NEXT] == "play next"
    assert eve.press("r") == [Queue(NO_ID, True)]
    assert eve.ui.note == "You are number 1 in line for a seat; “r” takes you out."
    assert Action.NEXT not in labels_of(Scene(eve.link.model, eve.ui))
    eve.press(ENTER)
    assert eve.ui.note == "You are number 1 in line for a seat; “r” takes you out."
    assert eve.press("r") == [Queue(NO_ID, False)]
    eve.press("r")
    assert bob.press("s") == [], "nobody stands up in a game"
    play(local, Random(1), lambda: None)
    ann.look()
    bob.link.wish(Ready(NO_ID, True))
    assert ann.press(ENTER) == []
    assert ann.ui.note == (
        "In line for a seat: Eve. Press Enter again to start without them, or “s” to make room."
    )
    assert ann.press("s", "2") == [StandUp(NO_ID, 1)]
    assert (eve.link.model.seat, bob.link.model.seat) == (1, None)
    eve.look()
    assert eve.ui.note == "You have a seat now."
    bob.look()
    assert bob.ui.note == "Eve sits down at the table."
    assert bob.press("r") == [Queue(NO_ID, True)]
    assert ann.press("s", "b") == []
    assert eve.press("s") == [StandUp(NO_ID)]
    assert (eve.link.model.seat, bob.link.model.seat) == (None, 1)


def test_whose_seat_goes_by_the_rule_to_who_waits_reads_so() -> None:
    local = LocalTable(2, rotation="loser", seed=3)
    people = [Hands(local.link(name)) for name in ("Ann", "Bob", "Cid")]
    local.start()
    people[2].link.wish(Queue(NO_ID, True))
    play(local, Random(1), lambda: None)
    for one in people:
        one.look()
    (loser,) = (one for one in people if one.link.model.seat is None)
    name = loser.link.model.name
    assert people[2].ui.note == f"{name} makes room. You have a seat now."
    assert loser.ui.note == (
        f"{name} makes room. Cid sits down at the table. "
        "You are number 1 in line for a seat; “r” takes you out."
    )


def test_the_owner_puts_somebody_first_in_line() -> None:
    local = LocalTable(2)
    ann, _bob = Hands(local.link("Ann")), local.link("Bob")
    for name in ("Eve", "Fay"):
        local.link(name, "spectator").wish(Queue(NO_ID, True))
    assert ann.press("s", "b") == [QueueFirst(NO_ID, "Fay")]
    assert ann.link.model.queued == ("Fay", "Eve")
    assert ann.press("s", "1") == [StandUp(NO_ID, 0)], "the owner may stand up as well"
    assert (ann.link.model.seat, ann.link.model.owner) == (None, True)
    assert ann.press("r") == [Queue(NO_ID, True)]
    assert ann.link.model.queued == ("Eve", "Ann")


def test_the_owner_fills_the_table_and_starts() -> None:
    local = LocalTable(3)
    hands = Hands(local.link("Ann"))
    assert "start the game" not in last_lines(hands)[1]
    hands.press(ENTER)
    assert hands.ui.refused
    added = hands.press("a", "1", "a", "2")
    assert [one.bot for one in added if isinstance(one, AddBot)] == ["casual", "regular"]
    assert "start the game" in last_lines(hands)[1]
    assert any(isinstance(one, Start) for one in hands.press(ENTER))
    table = hands.link.model.table
    assert table is not None
    assert table.stage == "game"


def test_the_owner_removes_anyone_who_is_there() -> None:
    local = LocalTable(3)
    ann = Hands(local.link("Ann"))
    local.link("Bob")
    for name in ("Cid", "Dee"):
        local.link(name, "spectator")
    ann.press("a", "1")
    assert ann.press("x", "b", "b") == [RemoveSpectator(NO_ID, "Dee")]
    assert ann.press("x", "3") == [Remove(NO_ID, 2)], "a bot without a question"
    assert ann.press("x", "1", "b", "x") == [], "neither herself nor nobody"
    ann.press("a", "1")
    local.start()
    assert ann.link.model.table
    assert ann.link.model.table.stage == "game"
    assert ann.press("x", "2", "3", ESCAPE) == [], "in a game digits are for pouring"
    assert ann.press("x", "c", "c") == [RemoveSpectator(NO_ID, "Cid")]
    assert ann.press("x", "a") == [], "that letter is her own meeple's"
    assert ann.press("b", "b") == [Remove(NO_ID, 1)], "as the meeple's"
    assert ann.press("x", "b") == [], "there are none but bots"


def test_a_letter_never_removes_another_than_was_read_beside_it() -> None:
    local = LocalTable(3)
    ann = Hands(local.link("Ann"))
    cid = local.link("Cid", "spectator")
    local.link("Dee", "spectator")
    ann.press("x")
    local.link("Fay", "spectator")
    assert ann.press("c", "c") == [RemoveSpectator(NO_ID, "Fay")], "who comes moves nobody"
    local.link("Fay", "spectator")
    ann.press("x")
    cid.wish(Bye(NO_ID))
    assert ann.press("b", "b") == [], "Dee stood there, and Fay does now"
    assert ann.press("x", "b", "b") == [RemoveSpectator(NO_ID, "Fay")]


def test_a_number_never_removes_another_than_was_read_beside_it() -> None:
    local = LocalTable(3)
    ann, bob = Hands(local.link("Ann")), local.link("Bob")
    ann.press("x")
    bob.wish(Bye(NO_ID))
    local.link("Cid")
    ann.look()
    assert ann.ui.note == "The table changed before your action arrived; have another look."
    assert ann.press("2", "2") == []
    assert ann.press("x", "2", "2") == [Remove(NO_ID, 1)]


def test_removing_a_person_is_asked_first() -> None:
    local = LocalTable(3, ("regular",))
    ann = Hands(local.link("Ann"))
    local.link("Bob")
    local.start()
    ann.look()
    question = (
        "Remove Bob for good? They cannot come back to this table. Press “b” again to confirm."
    )
    assert ann.press("x", "b") == []
    assert ann.ui.note == question
    assert question in "\n".join(draw(ann.link.model, ann.ui, 120, 36).lines())
    assert ann.press("1", ESCAPE, "x", "b") == [], "another key cancels"
    for _repeat in range(9):
        ann.wait(0.03)
        ann._do(press(ann.link.model, ann.ui, "b", ann.now))
        assert ann.wished == [], "a held key does not confirm"
    assert ann.press("b") == [Remove(NO_ID, 2)]


def test_near_its_end_a_message_shows_how_many_characters_fit() -> None:
    local = LocalTable(2, ("regular",))
    ann = Hands(local.link("Ann"))
    local.start()
    ann.press("t", *"x" * 70)
    assert last_lines(ann)[0].rstrip().endswith("x▌")
    ann.press(*"x" * 6)
    assert last_lines(ann)[0].rstrip().endswith("x▌ 4")
    ann.press(*"x" * 6)
    assert last_lines(ann)[0].rstrip().endswith("x▌ 0")


def last_lines(hands: Hands) -> list[str]:
    return list(draw(hands.link.model, hands.ui, 120, 36).lines())[-2:]


def test_guests_are_asked_nothing_of_whom_to_remove() -> None:
    local = LocalTable(3)
    local.link("Ann")
    bob = Hands(local.link("Bob"))
    assert bob.press("x", "1") == []
    assert Action.REMOVE not in labels_of(Scene(bob.link.model, bob.ui))


def test_an_owner_who_leaves_is_told_that_the_others_can_play_on() -> None:
    local = LocalTable(3, ("regular",))
    ann = Hands(local.link("Ann"))
    ann.press("q")
    assert ann.ui.note.startswith("Leave the table? Press “q”")
    ann.press(ESCAPE)
    local.link("Bob")
    ann.press("q")
    assert ann.ui.note.startswith("Leave the table? The others can play on as long as")


def test_an_owner_who_leaves_a_game_alone_is_told_that_it_is_kept() -> None:
    ann = Hands(begun())
    ann.press("q")
    assert ann.ui.note.startswith("Leave the table? You can continue the game later.")


@pytest.mark.slow
def test_a_result_is_left_at_once_unless_other_people_are_there() -> None:
    local = LocalTable(2, ("casual",))
    ann = Hands(local.link("Ann"))
    local.start()
    play(local, Random(1), lambda: None)
    ann.press("q")
    assert ann.ui.leaving
    bob = Hands(local.link("Bob", "spectator"))
    for hands in (Hands(ann.link), bob):
        hands.press("q")
        assert hands.ui.note.startswith("Leave the table?")
        assert not hands.ui.leaving


def test_an_owner_whose_host_ends_is_told_how_a_game_comes_back() -> None:
    local = LocalTable(2, ("regular",))
    ann = Hands(local.link("Ann"))
    lobby = ann.link.model
    local.start()
    game = ann.link.model
    notes = [
        apply_update(one, replace(one, status="lost"), ann.ui, 1.0).note for one in (lobby, game)
    ]
    assert notes[0] == "", "in the lobby nothing is on record"
    assert notes[1].endswith("coffeerush host --resume FILE")


@pytest.mark.parametrize("key", ["q", INTERRUPT])
def test_who_waits_to_be_let_in_leaves_with_one_key(key: str) -> None:
    waiting = Hands(LocalTable(2).unjoined("Ann"))
    waiting.press(key)
    assert waiting.ui.leaving


def test_starting_with_an_open_seat_asks_a_second_time() -> None:
    local = LocalTable(4)
    ann, bob = Hands(local.link("Ann")), Hands(local.link("Bob"))
    bob.press(ENTER)
    assert ann.press(ENTER) == []
    assert "2 seats are open" in ann.ui.note
    assert any(isinstance(one, Start) for one in ann.press(ENTER))


def test_who_is_not_ready_is_told_only_until_they_are() -> None:
    local = LocalTable(2)
    ann, bob = Hands(local.link("Ann")), Hands(local.link("Bob"))
    ann.press(ENTER)
    assert ann.ui.refused
    assert "not ready: Bob" in ann.ui.note
    bob.press(ENTER)
    ann.look()
    assert (ann.ui.refused, ann.ui.note) == (False, "")


def test_enter_makes_ready_and_only_r_takes_it_back() -> None:
    local = LocalTable(3)
    local.link("Ann")
    bob = Hands(local.link("Bob"))
    assert [one.ready for one in bob.press(ENTER, ENTER) if isinstance(one, Ready)] == [True]
    assert labels_of(Scene(bob.link.model, bob.ui))[Action.READY] == "not ready"
    assert [one.ready for one in bob.press("r") if isinstance(one, Ready)] == [False]


def test_whose_turn_it_is_is_said_until_it_is_another_ones() -> None:
    local = LocalTable(4, ("regular",))
    local.link("Ann")
    local.link("Bob")
    watcher = Hands(local.link("Cid"))
    local.start()
    others = 0
    chance = Random(1)
    for _ in range(40):
        link = acting(local)
        assert link is not None
        watcher.look()
        if link is not watcher.link:
            watcher.press("1")
            view = watcher.link.model.view
            assert view is not None
            link.wish(choose(link, chance))
            watcher.look()
            after = watcher.link.model.view
            assert after is not None
            others += after.active != view.active and not watcher.link.model.my_turn
            told = "turn." in watcher.ui.note
            assert told == (after.active == view.active)
        else:
            link.wish(choose(link, chance))
    assert others


def test_leaving_needs_two_presses() -> None:
    hands = at(Phase.MOVING)
    hands.press("q")
    assert "Leave the table?" in hands.ui.note
    hands.press("u", "q")
    leaving = [hands.ui.leaving]
    hands.press(INTERRUPT)
    assert [*leaving, hands.ui.leaving] == [False, True]


def test_the_key_that_cancels_leaving_does_nothing_else() -> None:
    hands = at(Phase.SERVING)
    for key in (ENTER, "u", "s", "?", "t"):
        before = hands.link.model.view
        assert hands.press("q", key) == []
        assert (hands.ui.asked, hands.ui.note, hands.ui.mode) == ("", "", "table")
        assert hands.link.model.view is before
    hands.press("q")
    assert hands.click("cup", "1") == hands.press("q", ESCAPE) == []
    assert hands.press("q", "q") == []
    assert hands.ui.leaving


def test_the_key_that_cancels_leaving_does_not_start_the_game() -> None:
    local = LocalTable(2)
    hands = Hands(local.link("Ann"))
    local.link("Bob").wish(Ready(NO_ID, True))
    assert hands.press("q", ENTER) == []
    assert hands.press(ENTER) == [Start(NO_ID)]


@pytest.mark.slow
@pytest.mark.parametrize("role", ["player", "spectator"])
@pytest.mark.parametrize("key", ["q", INTERRUPT])
def test_leaving_a_result_needs_two_presses_too(role: Role, key: str) -> None:
    local = LocalTable(2, ("regular",), seed=3)
    ann = local.link("Ann")
    watcher = local.link("Eve", "spectator")
    local.start()
    play(local, Random(1), lambda: None)
    hands = Hands(ann if role == "player" else watcher)
    hands.press(key)
    assert (hands.ui.asked, hands.ui.leaving) == ("leave", False)
    hands.press(key)
    assert hands.ui.leaving


def test_the_question_whether_to_leave_outlives_a_turn() -> None:
    hands = at(Phase.SERVING, seed=2)
    other = next(link for link in hands.link.local.links if link is not hands.link)
    watcher = Hands(other)
    watcher.press("q")
    hands.link.wish(EndTurn())
    watcher.press("q")
    assert watcher.ui.leaving


def test_enter_chooses_the_marked_entry_of_a_list() -> None:
    ann = Hands(LocalTable(4, ("regular",)).link("Ann"))
    assert ann.press("a", ENTER) == [AddBot(NO_ID, 2, "casual")]
    assert ann.ui.mode == "table"
    assert ann.press("a", "down", ENTER) == [AddBot(NO_ID, 3, "regular")]
    assert ann.press("x", "down", ENTER) == [Remove(NO_ID, 2)]
    assert ann.press("x", "down", "down", "down", "up", ENTER) == [Remove(NO_ID, 0)]


def test_a_list_without_anything_to_choose_closes_with_enter() -> None:
    hands = at(Phase.MOVING)
    assert Action.NEXT not in labels_of(Scene(hands.link.model, replace(hands.ui, mode="upgrades")))
    assert hands.press("g", "down", ENTER) == []
    assert hands.ui.mode == "table"


def test_the_marked_entry_is_visible_in_a_list_that_is_longer_than_the_screen() -> None:
    local = LocalTable(4, ("regular",) * 3)
    ann = Hands(local.link("Ann"))
    guests = [f"Guest {number}" for number in range(7)]
    for name in guests:
        local.link(name, "spectator")
    bots = [f"{name} (Regular)" for name in NAMES["regular"][:3]]
    names = [*bots, *guests]
    ann.ui = replace(ann.ui, size=(40, 12))
    ann.press("x")
    seen = []
    for _name in names:
        drawn = "\n".join(draw(ann.link.model, ann.ui, 40, 12).lines())
        seen += re.findall(r"▸\w (.+?) *│", drawn)
        ann.press("down")
    assert seen == names


def test_the_owner_moves_seats_and_says_who_begins() -> None:
    local = LocalTable(3)
    ann = Hands(local.link("Ann"))
    bob = local.link("Bob")
    assert "o" not in last_lines(Hands(bob))[0].split()
    assert ann.press("o", "1") == [MoveSeat(NO_ID, 0, 1)]
    assert (ann.link.model.seat, bob.model.seat) == (1, 0)
    assert ann.press("2", "2") == [MoveSeat(NO_ID, 1, 2)] * 2, "the list stays open"
    assert ann.press("b", "b", "b") == [SetFirst(NO_ID, seat) for seat in (0, 1, None)]
    assert ann.press("b", "o") == [SetFirst(NO_ID, 0)]
    assert any(
        "Bob begins the next game." in line for line in draw(ann.link.model, ann.ui, 80, 24).lines()
    )
    local.start()
    assert ann.press("o", "1") == [], "not during a game"


def test_seats_that_are_both_open_need_not_change_places() -> None:
    ann = Hands(LocalTable(4, ("casual",)).link("Ann"))
    ann.press("o")
    shown = "\n".join(draw(ann.link.model, ann.ui, 80, 24).lines())
    assert "2 Ann moves to seat 3" in shown.replace("▸", "")
    assert ann.press("3") == []


def test_a_guest_who_leaves_a_game_is_told_who_plays_for_them() -> None:
    local = LocalTable(2)
    ann, bob = Hands(local.link("Ann")), Hands(local.link("Bob"))
    stays = "A bot plays for you until you join again."
    bob.press("q")
    assert stays not in bob.ui.note, "before the game, nobody does"
    local.start()
    for hands in (ann, bob):
        hands.press("q")
        assert (stays in hands.ui.note) == (hands is bob)


@pytest.mark.parametrize(("columns", "rows"), [(40, 24), (80, 24), (120, 36)])
def test_the_setup_has_values_that_arrows_turn_both_ways(columns: int, rows: int) -> None:
    """And it says why the rest cannot be changed."""
    local = LocalTable(2, starters=True)
    ann = Hands(local.link("Ann"))
    local.link("Bob")

    def seconds(key: str) -> int:
        ann.press(key)
        assert ann.link.model.table
        return ann.link.model.table.turn_seconds

    def first(key: str) -> int | None:
        ann.press(key)
        assert ann.link.model.table
        return ann.link.model.table.next_game.first

    ann.press("o")
    assert [*map(seconds, ("c", "right", "left", "left", "left"))] == [30, 60, 30, 0, 300]
    assert [*map(first, ("b", "left", "left", "right"))] == [0, None, 1, None]
    ann.press("c", "left")
    canvas = draw(ann.link.model, replace(ann.ui, size=(columns, rows)), columns, rows)
    drawn = " ".join(" ".join(line.strip(" │") for line in canvas.lines()).split())
    assert "Each turn may take up to 300 seconds. ◂▸" in drawn
    assert "Starter orders and the number of seats are chosen when the table is opened." in drawn


@pytest.mark.parametrize(("columns", "rows"), [(40, 12), (80, 24), (120, 36)])
def test_the_question_before_a_start_stands_alone(columns: int, rows: int) -> None:
    local = LocalTable(3)
    ann, bob = Hands(local.link("Ann")), local.link("Bob")
    bob.wish(Ready(NO_ID, True))
    ann.look()

    def said() -> list[str]:
        ui = replace(ann.ui, size=(columns, rows))
        return [*draw(ann.link.model, ui, columns, rows).lines()]

    (step,) = (line for line in said() if "seat is still open" in line)
    assert ann.press(ENTER) == []
    assert step not in said()
    assert "1 seat is open: press Enter again" in " ".join(" ".join(said()).split())
    assert ann.press(ENTER, seconds=3) == [Start(NO_ID)]


@pytest.mark.parametrize(("columns", "rows"), [(40, 12), (80, 24), (120, 36)])
def test_who_comes_to_watch_reads_once_that_a_seat_is_open(columns: int, rows: int) -> None:
    local = LocalTable(2)
    local.link("Ann")
    eve = local.link("Eve", "spectator")
    ui = opened(eve.model, Ui(settings=Settings(guided=True), size=(columns, rows)), 1000.0, 0.0)
    drawn = "\n".join(draw(eve.model, ui, columns, rows).lines())
    assert drawn.count("A seat is open: “Enter” takes it.") == 1


@pytest.mark.parametrize(("columns", "rows"), [(40, 12), (80, 24), (120, 36)])
def test_who_watches_reads_once_that_a_seat_has_become_open(columns: int, rows: int) -> None:
    local = LocalTable(2)
    local.link("Ann")
    bob, eve = local.link("Bob"), local.link("Eve", "spectator")
    before = eve.model
    ui = opened(before, Ui(settings=Settings(guided=True), size=(columns, rows)), 1000.0, 0.0)
    bob.wish(StandUp(NO_ID))
    ui = apply_update(before, eve.model, ui, 1001.0)
    drawn = "\n".join(draw(eve.model, ui, columns, rows).lines())
    assert drawn.count("A seat is open: “Enter” takes it.") == 1
