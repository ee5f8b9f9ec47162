"""Plain mode outside a game: the lobby, chat, spectators, and commands that always work."""

import re
from random import Random

import pytest
from msgspec.structs import replace

from coffeerush.client import session as talk
from coffeerush.client.keeping import silence
from coffeerush.client.model import GoOn, Invitation, Model
from coffeerush.host.table.config import TableConfig
from coffeerush.host.table.table import Table
from coffeerush.local.settings import Settings
from coffeerush.rules import standard_deck
from coffeerush.ui.plain.conversation import Reply, Session
from coffeerush.ui.plain.parsing import parse
from coffeerush.ui.words.names import seat_name
from coffeerush.ui.words.table import lobby_lines, option_lines
from protocol import NO_ID, PROTOCOL_VERSION, Emote, Hello, Poured, Queue, Ready, SetMark, Start
from tests.support.local import LocalTable, Wire
from tests.support.tables import (
    ANN,
    BOB,
    CID,
    DEE,
    EVE,
    ID,
    MemoryJournals,
    TableDriver,
    resumed,
    table_for,
)
from tests.ui.plain.test_plain import KNOWING, Seat, in_turn, play, seated

# The table


def test_a_lobby_from_first_to_start() -> None:
    driver = table_for(3)
    seat = Seat(driver)
    text = "\n".join(seat.lines)
    assert "You are at the table as Ann; type “help” for the commands." in text
    assert "Seat 1: Ann, ready." in text
    assert "Seat 3 is open." in text
    assert seat.type("start") == [
        "A game needs at least 2 players, and you have 1; wait for somebody, or add a bot."
    ]
    assert "Seat 2: Muffin (Casual)." in seat.type("bot casual 2")
    assert seat.type("bot clever 3")[0].startswith("Type “bot”, a level and a seat")
    assert seat.type("bot regular 9") == ["There is no seat 9; this table has seats 1 to 3."]
    assert seat.type("bot regular 0") == ["There is no seat 0; this table has seats 1 to 3."]
    assert "Seat 2 is open." in seat.type("remove 2")
    assert seat.type("remove") == ["Type “remove” and a number or a name, as in “remove 2”."]
    assert "Seat 1: Zoë, ready." in seat.type("name Zoë")
    driver.hello(BOB)
    assert "Bob sits down at the table." in seat.settle()
    assert seat.type("start") == ["The game cannot start yet; these players are not ready: Bob."]
    driver.ask(BOB, Ready(ID, True))
    assert "Seat 2: Bob, ready." in seat.settle()
    assert any(line.startswith("A game starts: Zoë, Bob.") for line in seat.type("start"))


def test_the_owner_swaps_seats_and_says_who_begins() -> None:
    driver = table_for(3)
    seat = Seat(driver)
    driver.hello(BOB)
    seat.settle()
    lines = seat.type("swap 1 2")
    assert "The owner has changed who sits where." in lines
    assert {"Seat 1: Bob, not ready.", "Seat 2: Ann, ready."} <= {*lines}
    assert seat.type("first 1") == ["Bob begins the next game."]
    drawn = "The start player of the next game is drawn at random."
    assert seat.type("first") == [drawn]
    driver.now += 5
    assert seat.type("first 3") == ["Nobody is sitting in seat 3."]
    assert seat.type("first 9") == ["Type “first” and a seat, as in “first 2”, or “first” alone."]
    assert seat.type("swap 1") == ["Type “swap” and two seats, as in “swap 1 2”."]


def test_each_bot_of_a_line_takes_a_seat_of_its_own() -> None:
    seat = Seat(table_for(4))
    seat.type("bot casual bot expert bot")
    table = seat.wire.model.table
    assert table is not None
    assert [one.status for one in table.seats] == ["person", "bot", "bot", "bot"]


@pytest.mark.parametrize(
    "line",
    ["hints on", "clock", "pace", "first", "admit off", "name Ann", "swap 2 2", "language en"],
)
def test_a_command_that_changes_nothing_is_answered(line: str) -> None:
    seat = Seat(table_for(3), settings=Settings(guided=True, language="en"))
    seat.wished.clear()
    assert seat.type(line) == ["That is how it is already."]
    assert seat.wished == []


def test_switching_the_guide_off_or_getting_ready_again_is_answered() -> None:
    driver = table_for(3)
    driver.hello(ANN)
    seat = Seat(driver, BOB)
    so = ["That is how it is already."]
    assert (seat.type("guide off"), seat.type("unready")) == (so, so)
    assert "You are ready; waiting for the others." in seat.type("ready")
    assert seat.type("ready") == so
    assert "Type “ready” when you are." in seat.type("ready unready")


def test_a_turn_clock_may_have_four_digits() -> None:
    seat = Seat(table_for(3))
    assert seat.type("clock 3600") == ["Each turn may take up to 3600 seconds."]
    assert seat.type("clock 9999") == ["That is how it is already."]


def test_an_owner_with_company_is_asked_before_leaving_the_lobby() -> None:
    driver = table_for(3)
    seat = Seat(driver)
    driver.hello(BOB)
    seat.settle()
    question = ["Leave the table? Type “leave” again; anything else cancels."]
    assert seat.type("leave") == question
    seat.type("players")
    assert seat.type("leave") == question
    assert seat.type("leave") == ["You have left the table."]


def test_an_owner_alone_leaves_the_lobby_at_once() -> None:
    assert seated().type("leave") == ["You have left the table."]


def test_a_game_that_could_not_start_by_itself_leaves_a_lobby() -> None:
    driver = table_for(2)
    wire = Wire(driver, ANN)
    session = Session(KNOWING, starting=True)
    wire.join()
    wire.settle()
    assert not any("Seat" in line for line in session.changed(wire.model).lines)
    wire.wish(Start(NO_ID))
    wire.settle()
    lines = session.changed(wire.model).lines
    assert lines[0].startswith("A game needs at least 2 players")
    assert "Seat 1: Ann, ready." in lines


def test_the_owner_removes_by_name_and_by_number() -> None:
    driver = table_for(3, ("regular",))
    seat = Seat(driver)
    driver.hello(BOB)
    driver.hello(CID, "spectator", name="Zoë Lee")
    driver.hello(DEE, "spectator", name="Zoë Lemon")
    driver.hello(EVE, "spectator", name="2")
    seat.settle()
    assert seat.type("bot") == ["No seat is open."]
    assert seat.type("remove") == [
        "1: Crema (Regular).",
        "3: Bob.",
        "4: Zoë Lee.",
        "5: Zoë Lemon.",
        "6: 2.",
        "Type “remove” and a number or a name, as in “remove 2”.",
    ]
    assert seat.type("remove Somebody")[:-1] == seat.type("remove 7")[:-1]
    assert seat.type("remove zoe") == [
        "Several names match: Zoë Lee, Zoë Lemon. Type the full name."
    ]
    assert "Zoë Lee was removed from the table." in seat.type("remove zoe lee")
    assert "Zoë Lemon was removed from the table." in seat.type("remove zoe")
    assert "2 was removed from the table." in seat.type("remove 4")
    assert "Bob was removed from the table." in seat.type("remove BOB")
    assert seat.type("remove 3") == ["Nobody is sitting in seat 3."]


def test_who_names_nobody_removes_nobody() -> None:
    driver = table_for(3)
    seat = Seat(driver)
    driver.hello(BOB)
    seat.settle()
    for nobody in ("", " \u0301", " \u0301\u0302", " 0", " 4", " 99999", " -2"):
        told = seat.type(f"remove{nobody}")
        assert told[-1] == "Type “remove” and a number or a name, as in “remove 2”.", told


def test_nobody_else_removes() -> None:
    driver = table_for(3)
    driver.hello(ANN)
    driver.hello(CID, "spectator")
    bob = Seat(driver, BOB)
    for who in ("1", "Cid"):
        assert bob.type(f"remove {who}") == ["Only the owner of the table, Ann, can do that."]


def test_a_guest_gets_ready() -> None:
    driver = table_for(3)
    driver.hello(ANN)
    guest = Seat(driver, BOB)
    assert guest.lines[-1] == "Type “ready” when you are."
    assert guest.type("ready")[-1] == "You are ready; waiting for the others."
    assert guest.type("unready")[-1] == "Type “ready” when you are."
    assert guest.type("start") == ["Only the owner of the table, Ann, can do that."]


def test_a_spectator_takes_an_open_seat() -> None:
    driver = table_for(3)
    driver.hello(ANN)
    watcher = Seat(driver, BOB, spectator=True)
    assert watcher.lines[-1] == "A seat is open: “ready” takes it."
    assert watcher.type("ready")[-1] == "Type “ready” when you are."
    assert watcher.type("ready")[-1] == "You are ready; waiting for the others."


def test_who_waits_for_a_seat_hears_that_another_table_has_one() -> None:
    local = LocalTable(2)
    local.link("Ann"), local.link("Bob")
    cid, dee = local.link("Cid", "spectator"), local.link("Dee", "spectator")
    cid.wish(Queue(NO_ID, True))
    told = Session(Settings())
    told.changed(cid.model)
    dee.wish(Hello(NO_ID, PROTOCOL_VERSION, "Dee", "player", "new"))
    local.tick()
    news = "A seat is open at Kitchen 2: “tables” lists the tables."
    assert news in told.changed(cid.model).lines


def test_a_spectator_waits_for_a_seat_that_the_owner_frees() -> None:
    driver = table_for(2)
    driver.hello(ANN)
    ann, bob = Seat(driver), Seat(driver, BOB)
    cid, dee = Seat(driver, CID, spectator=True), Seat(driver, DEE, spectator=True)
    assert cid.lines[-1] == "You are watching; “ready” puts you in line to play next."
    in_line = "You are number {} in line for a seat; “unready” takes you out."
    assert cid.type("ready")[-1] == in_line.format(1)
    assert cid.type("ready") == ["That is how it is already."]
    assert dee.type("ready")[-1] == in_line.format(2)
    assert "Dee wants to play next." in ann.settle()
    assert ann.type("next") == [
        "1: Cid.",
        "2: Dee.",
        "Type “next” and a number or a name, as in “next 2”.",
    ]
    assert ann.type("next dee") == ["Waiting for a seat: Dee, Cid."]
    assert cid.settle()[-1] == in_line.format(2)
    driver.now += 5
    assert "Dee sits down at the table." in ann.type("stand 2")
    assert "You are watching; “ready” puts you in line to play next." in bob.settle()
    assert dee.settle()[-1] == "Type “ready” when you are."
    assert "You are watching; “ready” puts you in line to play next." in cid.type("unready")
    ann.settle()
    assert ann.type("next") == ["Nobody is in line for a seat."]
    assert "A seat is open: “ready” takes it." in dee.type("stand")


def test_in_a_game_a_spectator_may_still_get_in_line() -> None:
    driver = table_for(2)
    driver.begin(ANN, BOB)
    cid = Seat(driver, CID)
    assert "You are watching; “ready” puts you in line to play next." in cid.lines
    assert cid.type("ready")[-1].startswith("You are number 1 in line")
    assert cid.type("")[0].startswith("You are number 1 in line")
    assert cid.type("stand") == ["You are a spectator; only players can do that."]


def test_the_owner_lists_and_chooses_who_makes_room() -> None:
    driver = table_for(2)
    ann = Seat(driver)
    assert ann.type("rotation") == [
        "1. The owner decides who makes room for those waiting for a seat.",
        "2. After each game, the loser makes room for somebody waiting for a seat.",
        "3. Everybody plays in turn: after each game, those who have played longest make room.",
        "Type “rotation” and a number, as in “rotation 2”.",
    ]
    loser = "After each game, the loser makes room for somebody waiting for a seat."
    assert ann.type("rotation 2") == [loser]
    assert ann.type("rotation 2") == ["That is how it is already."]


def test_talk_is_heard_by_all() -> None:
    driver = table_for(2)
    ann, bob = Seat(driver), Seat(driver, BOB)
    ann.settle()
    assert bob.type("say hello  there")[0] == "Bob says: hello there"
    assert ann.settle() == ["Bob says: hello there"]
    long = "That is 2 characters too long: a message has at most 80."
    assert bob.type("say " + 82 * "x") == [long]
    assert ann.type("say") == ["Type “say” and what you want to say, as in “say hello”."]


def test_a_spectator_hears_all_and_knows_no_cups() -> None:
    driver = table_for(2, ("random", "random"), owner="")
    watcher = Seat(driver, BOB, spectator=True)
    assert watcher.lines[0] == "You are watching as Bob; type “help” for the commands."
    driver.wait(1)
    driver.play()
    said = watcher.settle()
    assert any(re.search(r"it is (Orzo|Limu)'s turn", line) for line in said)
    assert any(re.match(r"Rank 1: (Orzo|Limu) \(bot\) with ", line) for line in said)
    assert not any("into cup" in line for line in said)
    assert watcher.type("cups") == ["Only players have cups."]


def test_a_player_whose_cups_have_not_arrived_yet_is_told_that_they_are_loading() -> None:
    driver = table_for(2)
    ann, bob = Seat(driver), Seat(driver, BOB)
    bob.type("ready")
    ann.settle()
    ann.type("start")
    bob.wire.collect()
    while bob.wire.publications:
        bob.wire.deliver_publication()
    for word in ("cups", "orders"):
        assert bob.take(bob.session.line(bob.wire.model, word)) == ["Loading your cups…"]
    bob.settle()
    assert bob.type("cups") == ["Cup 1 is empty.", "Cup 2 is empty.", "Cup 3 is empty."]


def test_losing_the_host_and_finding_it_is_said() -> None:
    seat = seated()
    seat.wire.take((talk.lose(seat.wire.model), ()))
    assert seat.settle() == ["Connection lost; trying again."]
    seat.wire.tick()
    assert seat.settle() == ["You are connected again."]


def test_an_empty_line_tells_again_what_can_be_done() -> None:
    seat = in_turn()
    said = seat.type("right")
    assert seat.type("") == said[1:]
    assert seat.type("") == said[1:]


def test_leaving_has_to_be_typed_out() -> None:
    seat = seated()
    assert "is not a command" in seat.type("leav")[0]
    assert seat.type("leave")[-1] == "You have left the table."
    assert seat.wire.model.status == "over"


LEAVE = "Leave the table? Type “leave” again; anything else cancels."


@pytest.mark.parametrize("word", ["leave", "quit"])
def test_leaving_during_a_game_has_to_be_confirmed(word: str) -> None:
    seat = in_turn()
    assert seat.type(word) == [LEAVE]
    assert seat.wire.model.status == "here"
    assert seat.type(word)[-1] == "You have left the table."


@pytest.mark.parametrize("other", ["", "hint", "leav", "right"])
def test_anything_else_cancels_leaving(other: str) -> None:
    seat = in_turn()
    seat.type("leave")
    seat.type(other)
    assert seat.type("leave") == [LEAVE]
    assert seat.wire.model.status == "here"


def test_one_line_cannot_leave_a_game() -> None:
    seat = in_turn()
    assert seat.type("leave leave") == [LEAVE]
    assert seat.type("hint leave")[-1] == LEAVE
    seat.type("hint")
    assert LEAVE in seat.type("right leave")


def test_a_spectator_leaves_a_game_at_once() -> None:
    watcher = Seat(in_turn().wire.driver, BOB, spectator=True)
    assert watcher.type("leave")[-1] == "You have left the table."


def test_what_is_still_to_be_done_is_known() -> None:
    seat = in_turn()
    found = [seat.session.busy]
    seat.take(seat.session.line(seat.wire.model, "right right"))
    found.append(seat.session.busy)
    seat.settle()
    assert [*found, seat.session.busy] == [False, True, False]


# Around a game


def test_the_lobby_of_a_table_that_starts_by_itself_is_not_told() -> None:
    session = Session(KNOWING, starting=True)
    seat = seated()
    assert session.changed(seat.wire.model).lines[0].startswith("You are at the table")
    assert not any("Type “start”" in line for line in session.changed(seat.wire.model).lines)


def test_only_what_is_new_in_a_lobby_is_told() -> None:
    visit = table_for(3)
    seat = Seat(visit)
    assert seat.type("bot casual 2") == ["Seat 2: Muffin (Casual)."]
    assert seat.type("bot casual 3") == [
        "Seat 3: Toffee (Casual).",
        "Type “start” to start the game.",
    ]
    told = seat.type("")
    assert told[0] == "Café at six:"
    assert len(told) == 5


def test_an_empty_line_on_anothers_turn_says_whose_it_is() -> None:
    seat = in_turn()
    seat.type("right down 1 1")
    seat.type("rest")
    seat.type("end")
    said = seat.type("")
    assert len(said) == 1
    assert re.fullmatch(r"Round \d+, Orzo's turn: .*\.", said[0])
    assert seat.type("quit") == [LEAVE]


def test_upgrades_and_the_menu_can_be_heard_at_any_time() -> None:
    seat = in_turn()
    told = seat.type("upgrade")
    assert told[0] == "Double meeples: Twice the ingredients on a cell with another meeple."
    assert told[-1].endswith("It costs 3 completed orders; you have 0.")
    assert "Caffe latte: coffee, milk, steam." in seat.type("menu")


def test_keys_that_are_no_words_are_not_echoed() -> None:
    assert parse("\x1b[A", "moving").problem == ("Unknown command; type “help” for the list.")


def test_who_stands_with_another_meeple_is_told_to_step_on() -> None:
    seat = in_turn()
    said = "Another meeple is here: keep stepping until you reach a free cell."
    assert seat.type("down down")[-1] == said
    assert seat.type("pour")[0] == said


def test_a_result_says_what_it_is_made_of() -> None:
    seat = seated()
    heard = play(seat, seat.type("start") + seat.wait())
    (first,) = [line for line in heard if line.startswith("Rank 1: ")]
    assert re.search(
        r" points? \(\d+ orders?, \d upgrades?, \d+ penalt.*, \d+ rush tokens?\)\.$", first
    )


def test_a_result_tells_the_best_turn_and_each_round() -> None:
    seat = seated()
    heard = play(seat, seat.type("start") + seat.wait())
    table = seat.wire.model.table
    assert table is not None
    assert len(table.tallies) == 2
    for number, tally in enumerate(table.tallies):
        name = seat_name(seat.wire.model, number)
        scores = ", ".join(map(str, tally.scores))
        assert f"{name}'s score, round by round: {scores}." in heard
        best = [line for line in heard if line.startswith(f"{name}'s best turn: ")]
        assert len(best) == (tally.best_served > 0)
        assert all(line.endswith(f" in round {tally.best_round}.") for line in best)


def test_who_wants_a_rematch_is_told() -> None:
    driver = table_for(2)
    ann, bob = Seat(driver), Seat(driver, BOB)
    bob.type("ready")
    ann.type("start")
    driver.play()
    ann.settle()
    assert "Type “ready” for another game, or “leave”." in bob.settle()
    bob.type("ready")
    assert ann.settle() == ["Seat 2: Bob wants a rematch."]
    bob.type("unready")
    assert ann.settle() == ["Seat 2: Bob has not asked for a rematch."]


def test_a_lobby_tells_what_was_agreed() -> None:
    driver = table_for(2, starters=True, turn_seconds=90)
    driver.hello(BOB, "spectator")
    told = Seat(driver).lines
    assert "Starter orders: each player begins with one of the four easy orders." in told
    assert "Each turn may take up to 90 seconds." in told
    assert "Spectators: Bob." in told


def test_a_prompt_that_is_repeated_says_how_much_time_is_left_then() -> None:
    seat = in_turn(turn_seconds=90)
    for age, words in (
        (0.0, "You have 90 seconds."),
        (29.7, "You have 61 seconds."),
        (89.0, "You have 1 second."),
        (90.0, ""),
    ):
        lines = seat.session.line(seat.wire.model, "", age).lines
        assert [line for line in lines if "second" in line] == ([words] if words else [])


def test_nothing_is_asked_while_a_bot_finishes_the_turn() -> None:
    driver = table_for(2, ("random",), turn_seconds=5)
    seat = Seat(driver)
    seat.type("start")
    seat.wait()
    driver.wait(60)
    said = seat.settle()
    assert "Your time is up; a bot finishes your turn." in said
    assert seat.type("place 1 1") == ["Your time is up; a bot finishes your turn."]
    while seat.wire.model.my_turn and driver.bot():
        said = seat.settle()
        if seat.wire.model.my_turn:
            assert not any(line.startswith(("Pour ", "Type ", "Place ")) for line in said)


# Commands for something that is over


def lost(seat: Seat) -> None:
    """Lose the link, and all that was on its way."""
    seat.wire.answers.clear()
    seat.wire.publications.clear()
    seat.wire.take((talk.lose(seat.wire.model), ()))
    assert seat.take(seat.session.changed(seat.wire.model)) == ["Connection lost; trying again."]


def test_what_was_typed_for_a_turn_is_not_done_in_another() -> None:
    """The answer to the first step was lost with the connection, and the turn passed."""
    seat = in_turn()
    seat.type("right")
    seat.take(seat.session.line(seat.wire.model, "down left"))
    seat.wire.deliver_request()
    lost(seat)
    elsewhere = Seat(seat.wire.driver)
    for word in ("rest", "end"):
        elsewhere.type(word)
    elsewhere.wait()
    assert elsewhere.wire.model.my_turn
    seat.wire.published = len(seat.wire.driver.updates)
    seat.wire.tick()
    said = seat.settle()
    seat.wire.retry()
    said += seat.settle()
    assert "The table changed before your action arrived; have another look." in said
    assert not seat.session.busy
    assert seat.wire.model.rev == elsewhere.wire.model.rev
    assert any(line.startswith("Your turn, round 2.") for line in said)


def test_a_line_is_done_to_its_end_when_the_link_comes_back_in_the_same_turn() -> None:
    seat = in_turn()
    seat.type("right")
    seat.take(seat.session.line(seat.wire.model, "down left"))
    seat.wire.deliver_request()
    lost(seat)
    seat.wire.tick()
    seat.settle()
    seat.wire.retry()
    assert any("Pour" in line for line in seat.settle())
    assert seat.wire.model.view is not None
    assert seat.wire.model.view.steps_left == 0


def fresh(*bots: str) -> TableDriver:
    """Return the table of a host that was started again, without the game of before."""
    journals = MemoryJournals()
    config = TableConfig(seats=3, deck=standard_deck(), owner=ANN, name="Kitchen")
    driver = TableDriver(Table(config, journals, b"epoch..2", Random(3), bots), journals)
    driver.now = 50.0
    return driver


@pytest.mark.parametrize("noticed", [True, False])
def test_another_table_after_a_restart_is_told_as_a_whole(noticed: bool) -> None:
    seat = seated(("random", "random"))
    if noticed:
        lost(seat)
    seat.wire.restart(fresh("random"))
    seat.wire.tick()
    assert seat.settle() == [
        *(["You are connected again."] if noticed else []),
        "You are at the table as Ann; type “help” for the commands.",
        "Kitchen:",
        "Seat 1: Orzo (Random).",
        "Seat 2: Ann, ready.",
        "Seat 3 is open.",
        "Type “start” to start the game, or add a bot to a seat, as in “bot Regular 3” (Casual, "
        "Regular, Expert).",
    ]
    assert seat.type("bot casual 3") == [
        "Seat 3: Toffee (Casual).",
        "Type “start” to start the game.",
    ]


def test_the_last_pours_at_a_host_that_died_are_not_told_at_the_next() -> None:
    driver = table_for(2, ("random", "random"), owner="")
    watcher = Seat(driver, BOB, spectator=True)
    driver.wait(1)
    while not isinstance(driver.latest.events[-1], Poured):
        assert driver.bot()
    watcher.settle()
    watcher.wire.restart(fresh("random"))
    watcher.wire.tick()
    said = watcher.settle() + watcher.type("say hello")
    assert "Kitchen:" in said
    assert not any("pours" in line for line in said)


def test_what_one_has_poured_is_told_whole_though_its_answer_comes_last() -> None:
    seat = in_turn()
    seat.type("right")
    seat.take(seat.session.line(seat.wire.model, "1"))
    seat.wire.deliver_request()
    while seat.wire.publications:
        seat.wire.deliver_publication()
        said = seat.take(seat.session.changed(seat.wire.model))
        assert not any("You pour" in line for line in said), said
    seat.wire.deliver_answer()
    said = seat.take(seat.session.changed(seat.wire.model))
    assert re.fullmatch(r"You pour \w+ into cup 1\.", said[0])


def test_a_game_that_goes_on_after_a_restart_is_told_as_a_whole() -> None:
    seat = in_turn()
    before = seat.type("")
    lost(seat)
    seat.wire.restart(resumed(seat.wire.driver))
    seat.wire.tick()
    back, welcome, *told = seat.settle()
    assert (back, welcome[:16]) == ("You are connected again.", "You are at the t")
    assert told == before
    seat.type("right down rest")
    seat.type("end")
    seat.wire.restart(resumed(seat.wire.driver, b"epoch..3"))
    seat.wire.tick()
    assert re.fullmatch(r"Round \d+, Orzo's turn: .*\.", seat.settle()[1])


def test_a_pause_in_plain_mode() -> None:
    driver = table_for(2)
    seat = Seat(driver)
    driver.hello(BOB)
    driver.ask(BOB, Ready(ID, True))
    seat.type("start")
    driver.now += 5
    assert "Ann pauses the game: pizza for all" in seat.type("pause pizza for all")
    assert seat.type("place 1 1") == ["The game is paused: pizza for all"]
    assert "The game is paused: pizza for all" in seat.type("")
    assert "Ann pauses the game: pizza for all" in seat.type("log")
    driver.now += 5
    assert "Ann ends the pause; the game continues." in seat.type("resume")
    while driver.active_key == BOB:
        driver.person()
    seat.settle()
    driver.now += 5
    seat.type("pause")
    driver.now += 5
    lines = seat.type("resume")
    assert any("Place meeple 1 of 2" in line for line in lines), "the turn goes on"


def test_rules_of_a_table_in_plain_mode() -> None:
    driver = table_for(2)
    seat = Seat(driver)
    driver.hello(BOB)
    seat.settle()
    lines = seat.type("clock 60 pace 2 hints off")
    assert lines[0] == "Each turn may take up to 60 seconds."
    assert "A bot's turn takes at least 2 seconds." in lines
    assert lines[-1] == "This table plays without hints."
    assert "This table plays without hints." in seat.type("players")
    assert seat.type("hint") == ["This table plays without hints."]
    assert seat.type("hints") == ["Type “hints on” or “hints off”."]
    driver.now += 5
    assert seat.type("clock pace hints on") == [
        "Turns have no time limit.",
        "Bots play as fast as they can.",
        "Hints are allowed.",
    ]


def test_a_guest_hears_a_setup_that_its_owner_turns_step_by_step_once_it_stays() -> None:
    driver = table_for(2)
    ann, bob = Seat(driver), Seat(driver, BOB)

    def turned(*words: str) -> list[Reply]:
        """Return what Bob's session says to each of these words of Ann."""
        replies = []
        for word in words:
            ann.type(word)
            bob.wire.settle()
            replies.append(bob.session.changed(bob.wire.model))
            bob.seen = bob.wire.model
        return replies

    for reply in turned("clock 60", "clock 90"):
        assert not reply.lines
        assert reply.settles
    assert bob.session.settled(bob.wire.model).lines == ("Each turn may take up to 90 seconds.",)
    assert not bob.session.settled(bob.wire.model).lines
    driver.now += 5
    for reply in turned("hints off", "hints on", "first 2"):
        assert not reply.lines
    assert bob.session.settled(bob.wire.model).lines == ("Bob begins the next game.",)
    driver.now += 5
    _turning, told = turned("clock 120", "name Anne")
    assert "Each turn may take up to 120 seconds." in told.lines
    assert not told.settles
    driver.now += 5
    bob.type("ready")
    _turning, told = turned("clock 150", "start")
    assert "Each turn may take up to 150 seconds." in told.lines
    assert not bob.session.settled(bob.wire.model).lines


def test_a_table_without_hints_gives_no_advice_in_plain_mode() -> None:
    seat = Seat(table_for(3, ("random",) * 2, hints=False), settings=Settings())
    said = seat.type("start") + seat.wait()
    assert said.count("This table plays without hints.") == 1, "it is why the guide says nothing"
    said += seat.type("place caramel") + seat.wait() + seat.type("right down left")
    assert any(line.startswith("In hand: ") for line in said)
    assert said[-1].startswith("Pour ")
    assert not [line for line in said if line.startswith(("Suggestion", "Guide"))]
    seat.wished.clear()
    assert seat.type("pour") == ["This table plays without hints."]
    assert seat.wished == []
    assert seat.type("1")[0].startswith("You pour ")


def test_only_who_uses_the_guide_is_told_at_the_start_that_there_are_no_hints() -> None:
    seat = Seat(table_for(2, ("random",), hints=False))
    assert "This table plays without hints." not in seat.type("start") + seat.wait()


def test_another_letter_or_colour_changes_nothing_in_words() -> None:
    driver = table_for(2)
    seat = Seat(driver)
    driver.hello(BOB)
    seat.settle()
    driver.ask(BOB, SetMark(ID, 25, None))
    driver.ask(BOB, SetMark(ID, 25, 3))
    assert seat.settle() == []
    driver.ask(BOB, Ready(ID, True))
    assert "Seat 2: Bob, ready." in seat.settle()


def test_an_emote_in_plain_mode() -> None:
    driver = table_for(2)
    seat = Seat(driver)
    driver.hello(BOB)
    driver.ask(BOB, Emote(ID, "bravo"))
    assert "Bob says: Bravo!" in seat.settle()
    lines = seat.type("emote")
    assert lines[0].startswith("1")
    assert "Hello!" in lines[0]
    assert lines[-1] == "Type “emote” and a number, as in “emote 2”."
    assert seat.type("emote 6") == ["Ann says: Hurry up!"]


def test_what_has_just_happened_is_answered_in_plain_mode_once() -> None:
    driver = table_for(2)
    seat = Seat(driver)
    driver.hello(BOB)
    driver.ask(BOB, Ready(ID, True))
    seat.settle()
    nothing = ["There is nothing to answer now."]
    assert seat.type("answer") == nothing
    seat.type("start")
    driver.ask(BOB, Emote(ID, "bravo"))
    told = ["Bob says: Bravo!", "Type “answer” to say: Thanks!"]
    assert [line for line in seat.settle() if line in told] == told
    assert seat.type("answer answer") == ["Ann says: Thanks!", *nothing]
    driver.ask(BOB, Emote(ID, "hello"))
    assert seat.settle() == ["Bob says: Hello!"], "the command has been explained"
    assert seat.type("a") == [
        "Took “a” to mean answer; it could also mean: admit, analysis.",
        "Ann says: Hello!",
    ]


@pytest.mark.parametrize("remarks", [True, False])
def test_bots_remarks_are_read_in_plain_mode_if_wanted(remarks: bool) -> None:
    seat = Seat(table_for(2, ("regular",)), settings=replace(KNOWING, remarks=remarks))
    said = [line for line in seat.type("start") if line.endswith(" says: Hello!")]
    assert len(said) == remarks


def test_guests_who_ask_to_come_in_in_plain_mode() -> None:
    driver = table_for(2)
    seat = Seat(driver)
    driver.hello(BOB)
    driver.ask_to_come_in((3, "Ute"), (4, "Ute"))
    told = seat.settle()
    for guest in (3, 4):
        line = f"Guest {guest} (Ute) wants to come in with a browser: type “admit {guest}” to let"
        assert any(line in one for one in told)
    driver.ask_to_come_in((4, "Ute"), (5, "Vic"))
    assert next(one for one in seat.settle() if "wants" in one).startswith("Guest 5 (Vic)")
    assert len(seat.type("admit")) == 2, "it is told who asks, as there are several"
    assert "This guest is no longer asking to come in." in seat.type("admit 3")
    seat.type("admit 5")
    driver.now += 5
    seat.type("reject")
    assert dict(driver.table.let_in) == {5: True, 4: False}
    assert seat.type("admit") == ["No guest is waiting to be let in."]
    driver.now += 5
    rule = "Anybody at the table may let in guests who come with a browser."
    assert seat.type("admit on") == [rule]
    assert rule in seat.type("players")
    driver.now += 5
    assert seat.type("admit off") == ["Only the owner may let in guests who come with a browser."]


def test_letting_a_guest_in_where_there_is_no_owner_sounds_like_no_refusal() -> None:
    driver = table_for(2, owner="")
    seat = Seat(driver)
    driver.ask_to_come_in((3, "Ute"))
    told = [*seat.settle(), *seat.type("admit 3"), *seat.settle()]
    assert dict(driver.table.let_in) == {3: True}
    assert any("(Ute) wants to come in" in line for line in told)
    assert not [line for line in told if "may let in guests" in line]


def test_a_crowd_that_asks_to_come_in_is_one_sentence() -> None:
    driver = table_for(2)
    seat = Seat(driver)
    driver.hello(BOB)
    crowd = [(guest, f"Eve {guest}") for guest in range(1, 6)]
    driver.ask_to_come_in(*crowd)
    told = seat.settle()
    assert "5 guests want to come in with a browser: type “admit” to read who." in told
    assert not any("Eve" in line for line in told)
    assert ["(Eve " in line for line in seat.type("admit")] == [True] * len(crowd)


def test_the_tables_of_the_host_are_told_and_gone_to() -> None:
    driver = table_for(3)
    seat = Seat(driver)
    assert seat.type("go 2") == [
        "Type “tables”, then “go” and the number of a table, as in “go 2”."
    ]
    assert seat.type("tables") == [
        "Table 1, Café at six: Ann; 2 open seats. You are here.",
        "Type “open” to open another table.",
    ]
    assert seat.type("go 1") == ["That is how it is already."]
    assert seat.type("open")[0] == "You are at Kitchen 2 now."
    driver.hello(BOB)
    told = seat.type("tables")
    assert "Table 1, Café at six: Bob; 2 open seats." in told
    assert told[-1].startswith("Type “go 1” to go to table 1, “look 1” to watch it")
    assert seat.type("go 1")[0] == "You are at Café at six now."


def test_to_go_over_to_another_table_costs_a_place_in_line_in_plain_mode() -> None:
    local = LocalTable(2)
    for name in ("Ann", "Bob"):
        local.link(name)
    cid, session = local.link("Cid", "spectator"), Session(KNOWING)
    cid.wish(Queue(NO_ID, True))
    session.changed(cid.model)
    cid.wish(Hello(NO_ID, PROTOCOL_VERSION, "Cid", "player", "new"))
    assert session.changed(cid.model).lines[0] == (
        "You are no longer in line for a seat at Table. You are at Kitchen 2 now."
    )


def test_another_table_is_looked_at_in_plain_mode() -> None:
    local = LocalTable(2)
    ann, bob = local.link("Ann"), local.link("Bob")
    cid = local.link("Cid", "spectator")
    cid.wish(Hello(NO_ID, PROTOCOL_VERSION, "Cid", "player", "new"))
    session = Session(KNOWING)
    session.changed(ann.model)

    def typed(text: str) -> list[str]:
        reply = session.line(ann.model, text)
        for wish in reply.wishes:
            ann.wish(wish)
        return [*reply.lines, *session.changed(ann.model).lines]

    assert typed("look 2")[0].startswith("Type “tables”, then “look”")
    typed("tables")
    told = typed("look 2")
    assert told[0] == "You are watching Kitchen 2; “back” takes you back. You keep your seat."
    assert "Kitchen 2:" in told
    assert not any("in line" in line for line in told), "nobody queues from outside"
    bob.wish(Hello(NO_ID, PROTOCOL_VERSION, "Bob", "player", 2))
    assert "Kitchen 2: Bob sits down at the table." in session.changed(ann.model).lines
    assert typed("back") == ["You have stopped watching the other table."]
    assert typed("back") == ["That is how it is already."]


def test_lines_to_all_tables_and_names_of_tables_in_plain_mode() -> None:
    driver = table_for(2)
    seat = Seat(driver)
    driver.hello(CID, table="new")
    driver.now += 5
    assert "Ann (Café at six) says to all tables: Pizza!" in seat.type("/all Pizza!")
    driver.now += 5
    assert "Ann (Café at six) says to all tables: Pizza!" in seat.type("say /all Pizza!")
    driver.now += 5
    assert "The table is called Garden now." in seat.type("call Garden")
    assert seat.type("call") == ["Type “call” and the new name of the table, as in “call Garden”."]
    driver.now += 5
    seat.type("tables")
    assert seat.type("close 2") == ["Close Kitchen 2? Type the same again; anything else cancels."]
    driver.now += 5
    seat.type("close 2")
    assert list(driver.hall.tables) == [1]


def test_a_guest_who_comes_too_late_for_a_seat_is_told_the_tables() -> None:
    driver = table_for(2)
    driver.hello(ANN)
    driver.hello(BOB)
    late = Seat(driver, CID)
    assert "Without a seat: Cid" in late.lines


def test_nobody_goes_away_from_a_game_to_another_table() -> None:
    driver = table_for(2)
    seat = Seat(driver)
    driver.hello(BOB)
    driver.ask(BOB, Ready(ID, True))
    seat.type("start")
    assert seat.type("open") == ["You can go over to another table once your game is over."]


def test_a_player_whose_host_is_silent_goes_on_with_a_word() -> None:
    seat = seated()
    model = seat.wire.model
    seat.wire.model = talk.lose(model)
    assert seat.settle() == ["Connection lost; trying again."]
    seat.wire.model = lost = talk.lose(seat.wire.model, silence(model))
    assert seat.settle() == ["Ann's computer is not responding. The game is safe."]
    seat.wire.model = replace(lost, may_go_on=True)
    assert seat.settle() == ["Type “host” to continue on this computer."]
    seat.type("host")
    assert seat.wished[-1] == GoOn()


def beside_ann() -> Model:
    """Return the model of Bob, who is at Ann's table with a program of his own."""
    local = LocalTable(2)
    local.link("Ann")
    return replace(local.link("Bob").model, keeps_replica=True)


def test_a_guest_hears_in_the_lobby_whether_the_game_needs_its_host() -> None:
    model = beside_ann()
    assert option_lines(model)[-1] == "If the host's computer stops, the game stops too."
    own = replace(model, invitation=Invitation(("192.0.2.1",)))
    assert option_lines(own)[-1] == "If this computer stops, the game stops too."


def test_who_has_no_program_hears_nothing_of_that() -> None:
    guest = replace(beside_ann(), keeps_replica=False)
    assert not [line for line in option_lines(guest) if "computer" in line]


def test_everybody_hears_in_the_lobby_who_can_go_on_with_the_game() -> None:
    model = beside_ann()
    assert model.table is not None
    able = replace(model, table=replace(model.table, failover=True, standbys=("Bea", "Cid")))
    who = "these players can continue the game: Bea, Cid."
    assert option_lines(able)[-1] == f"If the host's computer stops, {who}"
    own = replace(able, invitation=Invitation(("192.0.2.1",)))
    assert option_lines(own)[-1] == f"If this computer stops, {who}"
    assert lobby_lines(able, model.table)[-1] == f"If the host's computer stops, {who}"
    unable = replace(able, table=replace(model.table, failover=True))
    assert option_lines(unable)[-1] == "If the host's computer stops, the game stops too."


def test_at_a_table_without_others_nothing_is_said_of_that() -> None:
    link = LocalTable(2).link("Ann")
    assert not [line for line in option_lines(link.model) if "computer" in line]
