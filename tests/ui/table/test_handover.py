"""A handover on the full screen: the owner chooses, and one player is asked."""

from random import Random

import pytest
from msgspec.structs import replace

from coffeerush.client.model import CloseHost
from coffeerush.ui.table.actions import SEE_SECONDS
from coffeerush.ui.table.draw_game import draw
from coffeerush.ui.terminal.keys import ENTER, ESCAPE
from protocol import NO_ID, PROTOCOL_VERSION, Bye, HandOver, Hello, Standby, TableMoved, TakeOver
from tests.support.local import LocalTable, acting, choose, invited, play
from tests.ui.table.test_on_key import Hands

SIZES = [(40, 12), (80, 24), (120, 36)]
STANDBY = Standby("T" * 40, 47820)


def people(playing: bool = False, standby: bool = True) -> tuple[LocalTable, Hands, Hands]:
    """Return a table with Ann, who owns it, and Bob, whose program could host it."""
    local = LocalTable(2, turn_seconds=60)
    ann, link = Hands(local.link("Ann")), local.unjoined("Bob")
    link.model = replace(link.model, standby=STANDBY if standby else None)
    link.join()
    if playing:
        local.start()
    ann.look()
    return local, ann, Hands(link)


def shown(hands: Hands, columns: int = 80, rows: int = 24) -> str:
    hands.look()
    ui = replace(hands.ui, size=(columns, rows))
    lines = draw(hands.link.model, ui, columns, rows).lines()
    return " ".join(" ".join(line.strip(" │┃|") for line in lines).split())


@pytest.mark.parametrize("playing", [False, True])
@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_an_owner_who_leaves_chooses_what_becomes_of_the_table(
    columns: int, rows: int, playing: bool
) -> None:
    _local, ann, _bob = people(playing)
    assert ann.press("q") == []
    text = shown(ann, columns, rows)
    for line in (
        "1 hand the table to Bob, and leave",
        "2 leave; the table stays on this computer",
        "3 stay",
    ):
        assert line in text
    assert ann.press("3") == []
    assert (ann.ui.mode, ann.ui.leaving) == ("table", False)


def test_an_owner_with_a_wide_terminal_is_told_what_is_there_between_games() -> None:
    local, ann, bob = people()
    ann.link.model = replace(ann.link.model, owns_hall=True)
    keys = "T tournament", "H move the table"
    assert all(key in shown(ann, 120, 30) for key in keys)
    for other in (shown(ann), shown(bob, 120, 30)):
        assert not any(key in other for key in keys)
    for name in ("Cid", "Dan"):
        local.link(name, "spectator")
    ann.link.model = invited(ann.link.model)
    crowded = shown(ann, 120, 30)
    assert keys[-1] not in crowded, "it gives way to what is used more"
    assert "f say" in crowded
    _local, ann, _bob = people(playing=True)
    ann.link.model = replace(ann.link.model, owns_hall=True)
    assert not any(key in shown(ann, 120, 30) for key in keys)


@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_an_owner_whose_friends_are_at_another_table_is_told_why_none_can_host(
    columns: int, rows: int
) -> None:
    local, ann, bob = people()
    bob.link.wish(Hello(NO_ID, PROTOCOL_VERSION, "Bob", "player", "new", STANDBY))
    local.tick()
    why = "Those at other tables cannot be asked to host; only people who are here can."
    ann.press("H")
    assert why in shown(ann, columns, rows)
    ann.press("q")
    assert ann.ui.asked == "leave"
    text = shown(ann, columns, rows)
    assert text.count(why) == 1
    assert "any other key cancels." in text


def test_at_anothers_table_everybody_is_told_why_they_ask_nobody_to_host() -> None:
    local, ann, bob = people()
    bob.link.wish(Hello(NO_ID, PROTOCOL_VERSION, "Bob", "player", "new", STANDBY))
    local.tick()
    ann.link.wish(Hello(NO_ID, PROTOCOL_VERSION, "Ann", "player", bob.link.model.number, STANDBY))
    local.tick()
    for hands, why in (
        (ann, "Go to a table of your own to ask somebody there to host."),
        (bob, "Only the owner of the first table can do that."),
    ):
        hands.look()
        assert hands.press("H") == []
        assert why in shown(hands)


@pytest.mark.parametrize(("name", "said"), [("Bob", "your"), ("Ann", "Ann's")])
@pytest.mark.parametrize("stage", ["lobby", "result"])
@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_between_games_too_everybody_is_told_who_hosts_now(
    columns: int, rows: int, stage: str, name: str, said: str
) -> None:
    local, _ann, bob = people(playing=stage == "result")
    if stage == "result":
        play(local, Random(1), lambda: None)
    bob.look()
    model = bob.link.model
    assert model.table is not None
    assert model.table.stage == stage
    line = f"The table is on {said} computer now."
    log = replace(model.history, events=(*model.log, TableMoved(name)))
    bob.link.model = replace(model, table=replace(model.table, term=2), history=log)
    assert shown(bob, columns, rows).count(line) == 1


def test_a_key_that_waits_for_no_turn_is_not_told_whose_turn_it_is() -> None:
    _local, ann, bob = people(playing=True)
    waiting = bob if ann.link.model.my_turn else ann
    waiting.look()
    waiting.press(ESCAPE)
    assert waiting.ui.note == ""
    waiting.press("e")
    assert waiting.ui.note.startswith("It is ")
    bob.press("p")
    assert bob.ui.note == "Only the owner of the table can do that."


def test_the_first_choice_hands_the_table_over() -> None:
    _local, ann, bob = people()
    ann.press("q")
    ann.wait(3)
    assert ann.press("1") == [HandOver(NO_ID, "Bob", leaving=True)]
    assert "Bob has been asked to host the table. Press “H” to stop asking." in shown(ann)
    assert "Host the table?" in shown(bob)


@pytest.mark.parametrize(("name", "said"), [("Bob", "your"), ("Ann", "Ann's")])
def test_beside_the_guide_too_everybody_is_told_who_hosts_now(name: str, said: str) -> None:
    _local, _ann, bob = people(playing=True)
    bob.ui = replace(bob.ui, guide=True)
    line = f"The table is on {said} computer now."
    assert line not in shown(bob)
    model = bob.link.model
    assert model.table is not None
    log = replace(model.history, events=(*model.log, TableMoved(name)))
    bob.link.model = replace(model, table=replace(model.table, term=2), history=log)
    assert line in shown(bob)


def test_an_owner_whose_friends_have_left_is_not_told_that_the_table_stays() -> None:
    local, ann, bob = people(playing=True)
    ann.press("q")
    assert "stays on this computer" in shown(ann)
    ann.press(ESCAPE)
    bob.link.wish(Bye(NO_ID, True))
    local.tick()
    ann.look()
    ann.press("q")
    text = shown(ann)
    assert "You can continue the game later." in text
    assert "stays on" not in text


@pytest.mark.parametrize("standby", [False, True])
@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_an_owner_at_the_hosts_computer_can_close_the_table_for_everybody(
    columns: int, rows: int, standby: bool
) -> None:
    _local, ann, _bob = people(playing=True, standby=standby)
    ann.link.model = invited(ann.link.model)
    ann.press("q")
    ann.wait(3)
    key = "3" if standby else "2"
    assert f"{key} close the table for everybody" in shown(ann, columns, rows)
    assert ann.press(key) == []
    assert "Send everybody home?" in shown(ann, columns, rows)
    assert not ann.ui.leaving
    assert ann.press(key) == [CloseHost()]
    assert ann.ui.leaving


def test_a_key_too_many_leaves_nothing() -> None:
    _local, ann, _bob = people()
    ann.press("q")
    ann.wait(3)
    assert ann.press(ENTER) == []
    assert (ann.ui.mode, ann.ui.leaving) == ("table", False)


def test_an_owner_can_leave_as_before() -> None:
    for key in ("q", "2"):
        _local, ann, _bob = people()
        ann.press("q")
        ann.wait(3)
        assert ann.press(key) == []
        assert ann.ui.leaving
    _local, ann, _bob = people(standby=False)
    ann.press("q")
    assert "Leave the table? The others can play on as long as this computer stays on." in shown(
        ann
    )


@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_who_is_asked_sees_who_asks_and_agrees_only_on_purpose(columns: int, rows: int) -> None:
    _local, ann, bob = people(playing=True)
    ann.press("H", "1")
    text = shown(bob, columns, rows)
    for line in ("Host the table?", "1 yes, on this computer", "0 no", "Ann is asking you to host"):
        assert line in text
    assert bob.press(ENTER, seconds=0.1) == [], "it was meant for something else"
    bob.wait(SEE_SECONDS + 1)
    assert bob.press("1") == [TakeOver(NO_ID, True)]
    assert "The table is moving to this computer" in shown(bob)
    assert "The table is moving to Bob's computer" in shown(ann)
    assert bob.link.model.handover is not None
    assert bob.link.model.handover.inherits is not None
    assert bob.link.model.handover.inherits.is_whole


def turn_of(hands: Hands, local: LocalTable) -> None:
    """Play until it is this person's turn."""
    while not hands.link.model.my_turn:
        link = acting(local)
        assert link is not None
        link.wish(choose(link, Random(1)))


@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_in_a_turn_a_line_asks_and_a_key_opens_the_question(columns: int, rows: int) -> None:
    local, ann, bob = people(playing=True)
    turn_of(bob, local)
    ann.press("H", "1")
    text = shown(bob, columns, rows)
    assert bob.ui.mode == "table"
    assert "1 yes" not in text
    assert ("Ann is asking you to host" in text) is (columns > 80)
    assert "Press “H” to answer." in text
    bob.press("H")
    assert "1 yes" in shown(bob, columns, rows)
    bob.wait(SEE_SECONDS + 1)
    assert bob.press("1") == [TakeOver(NO_ID, True)]


def test_the_question_that_waited_for_the_end_of_a_turn_then_opens() -> None:
    local, ann, bob = people(playing=True)
    turn_of(bob, local)
    ann.press("H", "1")
    bob.look()
    turn_of(ann, local)
    bob.look()
    assert bob.ui.mode == "succeed"


@pytest.mark.parametrize("keys", [(ESCAPE,), (ENTER,), ("0",), ("down", "up", ENTER)])
def test_other_keys_decline_and_the_owner_is_told(keys: tuple[str, ...]) -> None:
    local, ann, bob = people(playing=True)
    turn_of(ann, local)
    ann.press("H", "1")
    bob.look()
    wished = []
    for key in keys:
        bob.wait(SEE_SECONDS + 1)
        wished += bob.press(key)
    assert wished == [TakeOver(NO_ID, False)]
    assert "Bob does not want to host the table; it stays where it is." in shown(ann)
    assert ann.link.model.handover is None


def test_the_key_that_answers_leaves_the_question_open() -> None:
    _local, ann, bob = people(playing=True)
    ann.press("H", "1")
    bob.look()
    bob.wait(SEE_SECONDS + 1)
    assert bob.press("H") == []
    assert "Host the table?" in shown(bob)


def test_an_owner_can_think_better_of_it() -> None:
    _local, ann, bob = people()
    ann.press("H", "1")
    bob.look()
    ann.wait(3)
    ann.press("H")
    assert "0 stop asking Bob" in shown(ann)
    assert ann.press("0") == [HandOver(NO_ID, None)]
    bob.look()
    assert bob.ui.mode == "table"
    assert "Host the table?" not in shown(bob)


def test_only_the_owner_is_offered_it() -> None:
    _local, _ann, bob = people(playing=True)
    bob.look()
    assert bob.press("H") == []
    assert bob.ui.mode == "table"
