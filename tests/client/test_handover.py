"""A client's part in a handover: whom it follows, and what it asks again there."""

import pytest
from msgspec.structs import replace

from coffeerush.client import handover, session
from coffeerush.client.model import Invitation, Model
from protocol import (
    NO_ID,
    PROTOCOL_VERSION,
    Chat,
    Destination,
    Done,
    Elsewhere,
    EndTurn,
    GetTables,
    HandOver,
    Hello,
    Moved,
    Moving,
    RecordPart,
    Standby,
    Submit,
    Tables,
    TakeOver,
    Tick,
)
from tests.support.local import LocalTable

TO = Destination(2, "Bob", "T" * 40, ("192.0.2.7",), 47820)


def seated(**more: object) -> Model:
    """Return the model of Ann, who owns a table with Bob."""
    local = LocalTable(2)
    ann = local.link("Ann")
    local.link("Bob")
    return replace(ann.model, **more)


def new_id() -> bytes:
    return b"n" * 16


@pytest.mark.parametrize(("term", "follows"), [(1, False), (2, True), (9, True)])
def test_only_a_higher_term_is_followed(term: int, follows: bool) -> None:
    to = replace(TO, term=term)
    model, requests = session.hear(seated(), Moved(to), new_id())
    assert (model.moved == to, requests) == (follows, ())


def test_what_has_no_answer_is_for_the_new_host() -> None:
    model, (chat,) = session.wish(seated(), Chat(NO_ID, "late"), b"c" * 16)
    model, _asked = session.wish(model, HandOver(NO_ID, "Bob"), b"h" * 16)
    moved, requests = session.answer(model, Elsewhere(chat.id, TO), new_id())
    assert (moved.moved, moved.pending, requests) == (TO, (chat,), ())
    again, (hello,) = session.join(session.followed(moved), new_id())
    assert again.pending == (chat, hello)
    assert again.moved is None


@pytest.mark.parametrize("tables", [1, 2])
def test_who_has_taken_the_tables_over_owns_them_once_the_host_has_told(tables: int) -> None:
    """The hall is the same, with the same ticks, but for its owner."""
    local = LocalTable(2)
    bob = (local.link("Ann"), local.link("Bob"))[1]
    if tables > 1:
        cid = local.link("Cid", "spectator")
        cid.wish(Hello(NO_ID, PROTOCOL_VERSION, "Cid", "player", "new"))
    bob.wish(GetTables(NO_ID))
    tick = Tick(b"hall", 0, 0, tables - 1, ())
    model, requests = session.hear_hall(bob.model, tick, new_id())
    for request in requests:
        model, _none = session.answer(model, Tables(request.id, bob.model.tables), new_id())
    assert not handover.hands_over(model)
    there = replace(session.followed(replace(model, moved=TO)), owner=True)
    assert handover.hands_over(there)
    there, (asked,) = session.hear_hall(there, tick, new_id())
    told = Tables(asked.id, model.tables, owner=True)
    there, _none = session.answer(there, told, new_id())
    assert handover.hands_over(there)
    assert there.owns_hall
    assert session.hear_hall(there, tick, new_id()) == (there, ()), "it has been asked"


def test_an_owner_who_leaves_with_the_handover_has_left() -> None:
    model, _asked = session.wish(seated(), HandOver(NO_ID, "Bob", leaving=True), b"h" * 16)
    left, _none = session.hear(model, Moved(TO), new_id())
    assert (left.status, left.ending, left.moved) == ("over", "left", TO)


def test_the_person_at_a_host_that_was_away_is_asked() -> None:
    model = seated(invitation=Invitation(("192.0.2.1",), "apple-tiger-moon"))
    model, _asked = session.wish(model, Chat(NO_ID, "late"), b"c" * 16)
    offered, requests = session.hear(model, Moved(TO), new_id())
    assert (offered.elsewhere, offered.moved, requests) == (TO, None, ())
    assert (offered.status, offered.may_go_on) == ("lost", True)
    assert "Bob's computer" in str(offered.trouble)
    again, _none = session.hear(offered, Moved(replace(TO, term=3)), new_id())
    assert again.elsewhere == TO


def test_it_is_asked_before_it_has_seen_the_table() -> None:
    model = Model("player", "Ann", invitation=Invitation(("192.0.2.1",)))
    model, (hello,) = session.join(model, new_id())
    offered, _none = session.answer(model, Elsewhere(hello.id, TO), new_id())
    assert (offered.elsewhere, offered.status) == (TO, "joining")


def test_others_follow_but_no_intent_does() -> None:
    """Its position was another one than at the host that went on."""
    local = LocalTable(2)
    ann = local.link("Ann")
    local.link("Bob")
    local.start()
    intent = Submit(b"s" * 16, 1, 0, EndTurn())
    chat = Chat(b"c" * 16, "late")
    model = replace(ann.model, pending=(intent, chat))
    moved, _none = session.hear(model, Moved(TO), new_id())
    assert (moved.moved, moved.elsewhere, moved.pending) == (TO, None, (chat,))
    assert model.table is not None
    handed = replace(model, table=replace(model.table, moving=Moving("Bob", agreed=True)))
    moved, _none = session.hear(handed, Moved(TO), new_id())
    assert (moved.moved, moved.pending) == (TO, (intent, chat))


def agreed() -> Model:
    """Return the model of Ann as that of somebody who has agreed to host."""
    model = seated(standby=Standby("A" * 40, 47820))
    model, _asked = session.wish(model, TakeOver(NO_ID, True), b"t" * 16)
    assert model.table is not None
    table = replace(model.table, moving=Moving("Ann", agreed=True))
    return replace(model, table=table, pending=())


def test_parts_are_fetched_one_after_the_other() -> None:
    model, (first,) = session.answer(*_asked(agreed()), new_id())
    model, (second,) = session.answer(model, RecordPart(first.id, 7, b"abcd"), b"2" * 16)
    model, requests = session.answer(model, RecordPart(second.id, 7, b"efg"), b"3" * 16)
    assert requests == ()
    assert model.handover is not None
    assert model.handover.inherits is not None
    assert (model.handover.inherits.data, model.handover.inherits.is_whole) == (b"abcdefg", True)


def test_parts_that_do_not_fit_end_it() -> None:
    model, (first,) = session.answer(*_asked(agreed()), new_id())
    model, _none = session.answer(model, RecordPart(first.id, 2, b"abcd"), b"2" * 16)
    assert model.handover is None


def _asked(model: Model) -> tuple[Model, Done]:
    """Return a model that waits for an answer to something else, and that answer."""
    waiting, (chat,) = session.wish(model, Chat(NO_ID, "hm"), b"c" * 16)
    return waiting, Done(chat.id)
