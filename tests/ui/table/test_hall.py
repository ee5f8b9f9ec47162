"""The tables of the host on the full screen: a list, and what its keys do."""

import pytest
from msgspec.structs import replace

from coffeerush.ui.table.actions import Pressed
from coffeerush.ui.table.draw_game import draw
from coffeerush.ui.table.input import run_pending
from coffeerush.ui.table.on_update import drawn_of
from coffeerush.ui.terminal.canvas import EVERYTHING
from coffeerush.ui.terminal.keys import ENTER, ESCAPE
from protocol import NO_ID, Bye, Chat, CloseTable, GetTables, Hello, LookAt, Queue, Ready
from tests.support.local import LocalTable
from tests.ui.table.test_on_key import Hands


def people() -> tuple[LocalTable, Hands, Hands, Hands]:
    """Return a table with Ann, who owns it, and Bob, and Cid, who watches."""
    local = LocalTable(2)
    ann, bob = Hands(local.link("Ann")), Hands(local.link("Bob"))
    return local, ann, bob, Hands(local.link("Cid", "spectator"))


def opened(hands: Hands) -> None:
    """Open the list, which asks the host at once."""
    hands.press("z")
    hands.wait(1.0)
    hands._do(run(hands))
    hands.look()


def run(hands: Hands) -> Pressed:
    """Return what is due in the list by itself."""
    return run_pending(hands.seen, hands.ui, hands.now)


def test_a_key_lists_the_tables_and_escape_goes_back() -> None:
    _local, _ann, _bob, cid = people()
    before = cid.shown()
    opened(cid)
    text = cid.shown()
    assert "Tables of this host" in text
    assert "1 Table: A Ann and B Bob; all seats are taken (you are here; play next)" in text
    assert "n open another table" in text
    cid.press(ESCAPE)
    assert cid.shown() == before


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
def test_a_lobby_with_more_people_than_seats_names_the_key(size: tuple[int, int]) -> None:
    local, ann, bob, _cid = people()
    for hands in (ann, bob):
        shown = hands.shown(*size)
        assert "“z” lists the tables of this host" in " ".join(shown.split())
        assert " z tables " in shown.splitlines()[-1]
    local.links[1].wish(Bye(NO_ID))
    shown = ann.shown(*size)
    assert "“z” lists" not in shown, "there is a seat"
    assert "z tables" not in shown


def test_a_key_in_the_list_looks_like_a_key() -> None:
    _local, ann, _bob, cid = people()
    opened(cid)
    cid.press("n")
    opened(ann)
    ui = replace(ann.ui, size=(80, 24))
    rows = draw(ann.link.model, ui, 80, 24).cells(EVERYTHING)
    line, styles = next(row for row in rows if "2 Kitchen 2" in "".join(row[0]))
    key = "".join(line).index("2 Kitchen 2")
    number = key + len("2 Kitchen ")
    assert (line[key], line[number]) == ("2", "2")
    assert "class:key" in styles[key]
    assert "class:key" not in styles[number]


def test_a_table_is_opened_and_another_one_joined() -> None:
    _local, ann, _bob, cid = people()
    opened(cid)
    (hello,) = cid.press("n")
    assert isinstance(hello, Hello)
    assert cid.link.model.number == 2
    assert cid.link.model.owner
    assert "Kitchen 2" in cid.shown()
    opened(ann)
    assert "2 Kitchen 2: C Cid; 1 open seat (sit down)" in ann.shown()
    ann.press("2")
    assert (ann.link.model.number, ann.link.model.seat) == (2, 1)
    assert "Ann" in cid.shown()


def test_everybody_hears_that_there_is_another_table() -> None:
    local, ann, bob, cid = people()
    local.tick()
    assert bob.link.model.tables == ()
    opened(cid)
    cid.press("n")
    local.tick()
    for hands in (ann, bob):
        assert [one.number for one in hands.link.model.tables] == [1, 2]
        assert " z tables " in hands.shown(120, 30).splitlines()[-1]


@pytest.mark.parametrize("waits", [True, False])
def test_who_waits_for_a_seat_hears_that_another_table_has_one(waits: bool) -> None:
    local, _ann, _bob, cid = people()
    dee = Hands(local.link("Dee", "spectator"))
    cid.press(*(["r"] if waits else []))
    opened(dee)
    dee.press("n")
    local.tick()
    cid.look()
    news = "A seat is open at Kitchen 2: “z” lists the tables."
    assert (news in " ".join(cid.shown(80, 24).split())) is waits
    cid.press(ESCAPE)
    local.tick()
    cid.look()
    assert news not in " ".join(cid.shown(80, 24).split()), "it is said once"


def test_the_marked_table_is_entered_with_enter() -> None:
    _local, ann, _bob, cid = people()
    opened(cid)
    cid.press("n")
    opened(ann)
    ann.press(ENTER)
    assert ann.link.model.number == 2, "one's own table cannot be chosen"


def test_where_no_seat_is_open_one_watches() -> None:
    local, _ann, _bob, cid = people()
    opened(cid)
    cid.press("n")
    cid.link.wish(Ready(NO_ID, True))
    local.start()
    cid.look()
    opened(cid)
    assert "1 Table: A Ann and B Bob; the game is starting (watch)" in cid.shown()
    cid.press("1")
    assert (cid.link.model.number, cid.link.model.seat) == (1, None)


def test_in_a_game_one_watches_other_tables_and_keeps_the_seat() -> None:
    local, ann, _bob, cid = people()
    opened(cid)
    cid.press("n")
    local.start()
    ann.look()
    opened(ann)
    text = " ".join(ann.shown(120, 36).split())
    assert "the game is starting (you are here)" in text
    assert "2 Kitchen 2: C Cid; 1 open seat (watch)" in text
    assert "You can go over to another table" in text
    assert not [one for one in ann.press("n") if isinstance(one, Hello)]
    assert ann.press(ENTER) == [LookAt(NO_ID, 2)]
    model = ann.link.model
    assert (model.number, model.seat is None) == (1, False)
    assert model.looking is not None
    assert model.looking.table is not None
    assert model.looking.table.name == "Kitchen 2"


@pytest.mark.parametrize("way", ["key", "click"])
def test_the_marked_table_is_watched_without_leaving_the_own_one(way: str) -> None:
    _local, ann, _bob, cid = people()
    opened(cid)
    cid.press("n")
    opened(ann)
    assert "watch" in ann.shown().splitlines()[-1]
    wishes = ann.press("w") if way == "key" else ann.click("look", 2)
    assert wishes == [LookAt(NO_ID, 2)]
    assert ann.ui.mode == "table"
    assert ann.link.model.seat is not None
    ann.link.wish(LookAt(NO_ID, 1))
    assert ann.link.model.looking is None


def test_to_go_over_to_another_table_costs_a_place_in_line() -> None:
    _local, ann, _bob, cid = people()
    cid.link.wish(Queue(NO_ID, True))
    opened(cid)
    cid.press("n")
    text = cid.shown()
    assert "You are no longer in line for a seat at Table. You have a seat now." in text
    assert "Cid goes over to another table: Kitchen 2." in ann.shown()
    opened(ann)
    ann.press("2")
    assert "in line" not in ann.shown(), "she was not in line"


def test_a_guest_who_comes_too_late_for_a_seat_sees_the_tables() -> None:
    local, _ann, _bob, cid = people()
    late = Hands(local.unjoined("Dee"))
    late.link.join()
    late.wait(1.0)
    late._do(run(late))
    text = late.shown()
    assert "Tables of this host" in text
    assert "Table: A Ann and B Bob; all seats are taken (you are here; play next)" in text
    assert "Without a seat: Cid, Dee" in text
    assert "n open another table" in text
    assert "Enter play next" in text
    assert late.press(ENTER) == [Queue(NO_ID, True)]
    assert late.link.model.queued == ("Dee",)
    opened(late)
    assert "(you are here)" in late.shown(), "one is in line already"
    local.start()
    late.look()
    assert "Tables of this host" in late.shown(), "the game that has begun is not theirs"
    late.press(ESCAPE)
    assert late.ui.mode == "table"
    assert late.link.model.seat is None
    assert cid.ui.mode == "table", "who came to watch is not asked"


def test_the_list_shows_at_once_who_has_sat_down() -> None:
    _local, ann, _bob, cid = people()
    opened(cid)
    cid.press("n")
    opened(ann)
    cid.link.wish(Bye(NO_ID))
    ann.now += 3
    ann._do(run(ann))
    assert "Kitchen 2: nobody; 2 open seats (sit down)" in ann.shown()


def test_a_line_to_all_tables_is_marked() -> None:
    _local, ann, _bob, cid = people()
    opened(cid)
    cid.press("n")
    opened(ann)
    ann.press("t")
    assert ann.ui.draft.text == "/all "
    ann.press(*"Pizza!", ENTER)
    assert "<Ann (Table), to all> Pizza!" in cid.shown()
    opened(cid)
    assert "<Ann (Table), to all> Pizza!" in cid.shown()
    cid.press(ESCAPE, "t", *"/ALL  Yes", ENTER)
    assert "<Cid (Kitchen 2), to all> Yes" in ann.shown()
    cid.press("t", *"/alle", ENTER)
    assert "<Cid> /alle" in cid.shown()


def test_who_comes_later_has_no_old_messages_above_the_tables() -> None:
    local, ann, _bob, cid = people()
    ann.link.wish(Chat(NO_ID, "Pizza!", hall=True))
    eve = Hands(local.unjoined("Eve", "spectator"))
    eve.link.join()
    for hands in (cid, eve):
        opened(hands)
    assert "to all> Pizza!" in cid.shown()
    assert "to all> Pizza!" not in eve.shown()
    ann.link.wish(Chat(NO_ID, "Ice cream!", hall=True))
    assert "to all> Ice cream!" in eve.shown()


def test_the_owner_of_a_table_renames_it() -> None:
    _local, ann, _bob, cid = people()
    opened(cid)
    cid.press("n")
    cid.press("N", *"Garden", ENTER)
    assert "Garden" in cid.shown()
    opened(ann)
    assert "2 Garden: C Cid" in ann.shown()


def test_the_owner_of_the_hall_closes_a_table_after_a_question() -> None:
    _local, ann, _bob, cid = people()
    opened(cid)
    cid.press("n")
    opened(cid)
    assert "close table" not in cid.shown()
    opened(ann)
    assert "close table" in ann.shown()
    assert ann.press("x") == []
    assert "Close Kitchen 2?" in ann.shown()
    assert ann.press("x")[0] == CloseTable(NO_ID, 2)
    cid.link.wish(Ready(NO_ID, True))
    assert (cid.link.model.number, cid.link.model.seat) == (1, None)
    assert "Your table has closed; you are at Table now." in cid.shown()


def test_an_open_list_is_renewed() -> None:
    _local, _ann, _bob, cid = people()
    opened(cid)
    done = run(cid)
    assert done[1] == ()
    cid.now += 3
    assert run(cid)[1] == (GetTables(NO_ID),)


@pytest.mark.parametrize(("columns", "rows"), [(40, 12), (80, 24), (120, 36), (200, 60)])
def test_a_long_list_scrolls_at_every_size(columns: int, rows: int) -> None:
    local, _ann, _bob, cid = people()
    for name in ("Dee", "Eve", "Fay", "Gil"):
        guest = Hands(local.link(name, "spectator"))
        opened(guest)
        guest.press("n")
    opened(cid)
    text = " ".join(cid.shown(columns, rows).replace("│", " ").split())
    assert "2 Kitchen 2: D Dee; 1 open seat" in text or columns == 40
    for _each in range(5):
        cid.press("down")
    assert "n open another table" in cid.shown(columns, rows)


def test_a_list_that_has_come_is_drawn() -> None:
    _local, _ann, _bob, cid = people()
    before = cid.link.model
    opened(cid)
    assert drawn_of(cid.link.model) != drawn_of(before)
    known = cid.link.model
    cid.now += 3
    cid._do(run(cid))
    assert cid.link.model is not known
    assert drawn_of(cid.link.model) == drawn_of(known), "nothing has changed"
