"""The tables of the host on the full screen: a list, and what its keys do."""

import pytest
from msgspec.structs import replace

from coffeerush.ui.table.actions import Pressed
from coffeerush.ui.table.draw_game import draw
from coffeerush.ui.table.input import run_pending
from coffeerush.ui.table.on_update import drawn_of
from coffeerush.ui.terminal.keys import ENTER, ESCAPE
from protocol import NO_ID, GetTables, Hello, Ready
from tests.support.local import LocalTable
from tests.ui.table.test_on_key import Hands


def shown(hands: Hands, columns: int = 80, rows: int = 24) -> str:
    hands.look()
    ui = replace(hands.ui, size=(columns, rows))
    return "\n".join(draw(hands.link.model, ui, columns, rows).lines())


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
    before = shown(cid)
    opened(cid)
    text = shown(cid)
    assert "Tables of this host" in text
    assert "1 Table: Ann and Bob; all seats are taken (you are here)" in text
    assert "n open another table" in text
    cid.press(ESCAPE)
    assert shown(cid) == before


def test_a_table_is_opened_and_another_one_joined() -> None:
    _local, ann, _bob, cid = people()
    opened(cid)
    (hello,) = cid.press("n")
    assert isinstance(hello, Hello)
    assert cid.link.model.number == 2
    assert cid.link.model.owner
    assert "Kitchen 2" in shown(cid)
    opened(ann)
    assert "2 Kitchen 2: Cid; 1 open seat (sit down)" in shown(ann)
    ann.press("2")
    assert (ann.link.model.number, ann.link.model.seat) == (2, 1)
    assert "Ann" in shown(cid)


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
    assert "1 Table: Ann and Bob; the game begins (watch)" in shown(cid)
    cid.press("1")
    assert (cid.link.model.number, cid.link.model.seat) == (1, None)


def test_in_a_game_the_list_only_shows() -> None:
    local, ann, _bob, _cid = people()
    local.start()
    ann.look()
    opened(ann)
    text = " ".join(shown(ann, 120, 36).split())
    assert "the game begins (you are here)" in text
    assert "You can go over to another table" in text
    assert not [one for one in ann.press("n") if isinstance(one, Hello)]
    assert ann.link.model.number == 1


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
    text = " ".join(shown(cid, columns, rows).replace("│", " ").split())
    assert "2 Kitchen 2: Dee; 1 open seat" in text or columns == 40
    for _each in range(4):
        cid.press("down")
    assert "n open another table" in shown(cid, columns, rows)


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
