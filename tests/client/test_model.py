"""The model over two unordered, lossy sockets: it never goes back, and it converges."""

from random import Random

import pytest
from hypothesis import given, settings, strategies as st
from msgspec.structs import replace

from coffeerush.client import session
from coffeerush.client.history import KEPT, History, hear, resume, tell
from coffeerush.client.model import Model, Wish, end, tellable
from coffeerush.host.table.config import TableConfig
from coffeerush.host.table.table import Table
from coffeerush.rules import standard_deck
from protocol import (
    NO_ID,
    Accepted,
    AddBot,
    Bye,
    Chat,
    Current,
    Done,
    EndTurn,
    GameStarted,
    GetView,
    Hello,
    HostStopping,
    Ingredient,
    Malformed,
    PeopleChanged,
    Poured,
    Queue,
    Ready,
    Refusal,
    Refused,
    RefusedError,
    Remove,
    RemoveSpectator,
    Rename,
    Said,
    Start,
    Submit,
    Sync,
    Tick,
    TurnStarted,
    TurnTimedOut,
)
from tests.support import remembered_bots
from tests.support.local import LocalTable, Wire
from tests.support.once import copied
from tests.support.tables import ANN, BOB, CID, ID, MemoryJournals, TableDriver, resumed, table_for


def at_table(seats: int = 2, bots: tuple[str, ...] = ("random",)) -> Wire:
    wire = Wire(table_for(seats, bots))
    wire.join()
    wire.settle()
    return wire


def test_an_owner_who_spectates_stays_the_owner() -> None:
    table = table_for(3)
    table.hello(ANN)
    wire = Wire(table, ANN, "spectator")
    wire.join()
    wire.settle()
    assert (wire.model.seat, wire.model.owner) == (None, True)
    table.hello(BOB)
    wire.collect()
    wire.settle()
    assert wire.model.table is not None
    assert [seat.name for seat in wire.model.table.seats if seat.name] == ["Bob"]
    assert wire.model.owner


@copied
def in_game() -> Wire:
    wire = at_table()
    wire.wish(Start(NO_ID))
    wire.settle()
    while not (wire.model.my_turn and wire.driver.state.round):
        if wire.model.my_turn:
            choose(wire)
        else:
            wire.driver.bot()
        wire.settle()
    return wire


def choose(wire: Wire) -> None:
    """Play one of the options, as a person would."""
    assert wire.model.view is not None
    wire.wish(remembered_bots.choose("regular", wire.model.view, wire.driver.chance))


def truth(wire: Wire) -> None:
    """Check that the model equals the host's current snapshot."""
    model = wire.model
    snapshot = wire.driver.sync(wire.key)
    assert model.view == snapshot.view
    assert replace(model.table or snapshot.table, clock=None) == replace(snapshot.table, clock=None)
    assert (model.game, model.rev, model.seat) == (snapshot.game, snapshot.rev, snapshot.seat)
    assert model.log[-len(snapshot.log) :] == snapshot.log


def test_a_hello_brings_the_table() -> None:
    wire = at_table()
    assert wire.model.status == "here"
    assert wire.model.owner
    assert not wire.model.pending
    truth(wire)


def test_the_start_of_a_game_reseats_everybody() -> None:
    wire = Wire(table_for(4))
    wire.driver.hello(BOB)
    wire.join()
    wire.driver.hello(CID)
    wire.settle()
    assert wire.model.seat == 2
    wire.driver.ask(BOB, Bye(ID))
    wire.driver.ask(CID, Ready(ID, True))
    wire.wish(Start(NO_ID))
    wire.deliver_request()
    while wire.publications:
        wire.deliver_publication()
    assert wire.model.seat == 1, "known at once"
    assert not any(isinstance(one, Sync) for one in wire.model.pending)
    wire.settle()
    truth(wire)


def test_a_game_whose_start_was_missed_triggers_a_resync() -> None:
    wire = Wire(table_for(4))
    wire.driver.hello(BOB)
    wire.join()
    wire.settle()
    wire.driver.ask(BOB, Ready(ID, True))
    wire.wish(Start(NO_ID))
    wire.settle()
    update = replace(wire.driver.latest, game=2, seq=wire.model.seq + 1, events=())
    _model, requests = session.hear(wire.model, update, wire.new_id())
    assert [type(one) for one in requests] == [Sync]


def test_one_intent_is_in_flight_at_a_time() -> None:
    wire = in_game()
    choose(wire)
    assert isinstance(wire.model.waiting, Submit)
    assert not wire.model.can_act
    requests = list(wire.requests)
    choose(wire)
    assert wire.requests == requests
    wire.settle()
    assert not wire.model.pending
    truth(wire)


def test_an_answer_may_come_before_or_after_its_publication() -> None:
    logs = []
    for answer_first in (True, False):
        wire = in_game()
        while wire.model.my_turn:
            choose(wire)
            wire.deliver_request()
            while wire.publications and not answer_first:
                wire.deliver_publication()
            wire.settle()
        truth(wire)
        logs.append(wire.model.log)
    assert logs[0] == logs[1]
    assert any(isinstance(event, Poured) and event.cup for event in logs[0])


def test_an_answer_that_others_moves_overtake_still_brings_the_private_part() -> None:
    wire = in_game()
    while wire.model.my_turn:
        choose(wire)
        wire.deliver_request()
        if wire.driver.active_key != ANN:
            wire.driver.bot()
            wire.collect()
            while wire.publications:
                wire.deliver_publication()
        while wire.answers:
            wire.deliver_answer()
        while wire.publications:
            wire.deliver_publication()
    assert wire.model.own_at < (wire.model.game, wire.model.rev) == (1, wire.driver.rev)
    assert not wire.model.own_behind
    truth(wire)


def test_a_repeated_answer_changes_nothing() -> None:
    wire = in_game()
    choose(wire)
    wire.deliver_request()
    wire.answers *= 2
    wire.deliver_answer()
    model = wire.model
    wire.deliver_answer()
    assert wire.model is model


def test_an_intent_out_of_turn_is_refused_locally() -> None:
    wire = in_game()
    while wire.model.my_turn:
        choose(wire)
        wire.settle()
    wire.wish(EndTurn())
    assert not wire.requests
    assert wire.model.refusal is not None
    assert wire.model.refusal.code == "not_your_turn"


def test_the_host_explains_why_an_illegal_intent_is_refused() -> None:
    wire = in_game()
    wire.wish(EndTurn())
    wire.settle()
    assert wire.model.refusal is not None
    assert wire.model.refusal.code == "must_step"
    choose(wire)
    assert wire.model.refusal is None


def test_a_stale_intent_brings_the_view() -> None:
    wire = in_game()
    view = wire.model.view
    assert view is not None
    assert view.own is not None
    wire.driver.submit(ANN, view.own.options[0].intent)  # from another window of the same person
    wire.wish(view.own.options[0].intent)
    wire.deliver_request()
    answer = wire.deliver_answer()
    assert isinstance(answer, Refused)
    assert answer.refusal.code == "stale"
    assert wire.model.rev == wire.driver.rev
    wire.settle()
    truth(wire)


def test_there_are_no_options_until_the_private_part_has_arrived() -> None:
    wire = in_game()
    while wire.model.my_turn:
        choose(wire)
        wire.settle()
    while wire.driver.active_key != ANN:
        wire.driver.bot()
    wire.collect()
    while wire.publications:
        wire.deliver_publication()
    assert wire.model.view is not None
    assert wire.model.view.active == wire.model.seat
    assert wire.model.view.own is not None
    assert not wire.model.view.own.options
    assert wire.model.view.own.undo == 0
    assert [type(one) for one in wire.model.pending] == [GetView]
    wire.settle()
    assert wire.model.can_act
    truth(wire)


def test_a_gap_is_filled_with_everything_missed() -> None:
    wire = in_game()
    wire.driver.hello(BOB, "spectator")
    for text in ("one", "two", "three"):
        wire.driver.ask(BOB, Chat(ID, text))
    wire.collect()
    del wire.publications[1:3]
    wire.settle()
    said = [event.text for event in wire.model.log if isinstance(event, Said)]
    assert said == ["one", "two", "three"]
    truth(wire)


def test_held_publications_add_what_the_snapshots_log_lacks() -> None:
    """A late publication fills the gap, even with events that the host's log has dropped."""
    wire = at_table(2, ())
    wire.driver.hello(BOB)
    wire.settle()
    said = [f"line {number}" for number in range(60)]
    for text in said:
        wire.driver.now += 1
        wire.driver.ask(BOB, Chat(ID, text))
    wire.collect()
    wire.deliver_publication(1)
    assert [type(one) for one in wire.model.pending] == [Sync]
    while wire.publications:
        wire.deliver_publication()
    wire.settle()
    heard = [event.text for event in wire.model.log if isinstance(event, Said)]
    assert sorted(heard) == sorted(said)
    assert heard[2:] == said[2:]


def test_a_snapshot_of_the_lobby_clears_the_result() -> None:
    wire = Wire(table_for(), CID, "spectator")
    wire.driver.begin(ANN, BOB)
    wire.join()
    wire.settle()
    wire.driver.play()
    wire.settle()
    truth(wire)
    for key in (ANN, BOB):
        wire.driver.ask(key, Bye(ID))
    wire.collect()
    wire.publications.clear()
    wire.tick()
    wire.publications = wire.publications[-1:]  # only the tick arrives
    wire.settle()
    assert wire.model.table is not None
    assert wire.model.table.stage == "lobby"
    assert wire.model.view is None
    truth(wire)


def test_stale_options_of_a_snapshot_are_dropped() -> None:
    wire = in_game()
    wire.tick()
    wire.publications.clear()
    wire.take(session.hear(wire.model, Tick(wire.model.epoch, 99, 1, 0, ()), wire.new_id()))
    wire.deliver_request()  # the snapshot has this seat's options, and arrives last
    while wire.driver.active_key == ANN:
        wire.driver.person()
    ended = len(wire.driver.updates)
    wire.driver.bot()
    wire.driver.bot()
    wire.collect()
    del wire.publications[ended - wire.published]  # a bot's first move is lost
    while wire.publications:
        wire.deliver_publication()
    wire.deliver_answer()
    assert wire.model.status == "here"
    assert [type(one) for one in wire.model.pending] == [Sync]
    wire.settle()
    truth(wire)


def test_a_tick_reveals_a_lost_publication() -> None:
    wire = in_game()
    wire.driver.hello(BOB, "spectator")
    wire.collect()
    wire.publications.clear()
    wire.tick()
    assert isinstance(wire.deliver_publication(), Tick)
    assert [type(one) for one in wire.model.pending] == [Sync]
    wire.settle()
    truth(wire)


def test_the_client_rejoins_a_restarted_host() -> None:
    wire = in_game()
    choose(wire)
    wire.deliver_request()
    wire.answers.clear()
    wire.publications.clear()
    wire.restart(resumed(wire.driver))
    waiting = wire.model.waiting
    wire.tick()
    wire.deliver_publication()
    assert [type(one) for one in wire.model.pending] == [Submit, Hello]
    wire.settle()
    assert wire.model.waiting == waiting
    wire.retry()
    wire.settle()
    assert wire.model.waiting is None  # the record has the old host's answer
    assert wire.model.refusal is None
    truth(wire)


def another_table(seats: int = 2) -> TableDriver:
    """Return the new table of a host restarted without a record."""
    journals = MemoryJournals()
    config = TableConfig("Café", seats, standard_deck(), owner=ANN)
    return TableDriver(Table(config, journals, b"epoch..2", Random(6)), journals)


def restarted(wire: Wire, driver: TableDriver, *wishes: Wish) -> list[type]:
    """Make wishes, restart the host before it answers, and return the requests that are retried."""
    for one in wishes:
        wire.wish(one)
    wire.requests.clear()
    wire.restart(driver)
    wire.tick()
    wire.deliver_publication()
    assert Hello in [type(one) for one in wire.model.pending]
    wire.settle()
    return [type(one) for one in wire.model.pending]


@pytest.mark.parametrize(
    "asked",
    [
        Remove(NO_ID, 1),
        RemoveSpectator(NO_ID, "Cid"),
        AddBot(NO_ID, 2, "casual"),
        Ready(NO_ID, True),
        Start(NO_ID),
    ],
)
def test_requests_to_one_table_are_not_retried_on_another(asked: Wish) -> None:
    wire = at_table(3, ())
    again = another_table(3)
    assert restarted(wire, again, asked) == []
    assert wire.model.epoch == b"epoch..2"


def test_who_opens_a_table_while_waiting_for_a_seat_waits_no_longer() -> None:
    local = LocalTable(2)
    cid = [local.link(name) for name in ("Ann", "Bob", "Cid")][-1]
    cid.wish(Queue(NO_ID, True))
    assert cid.model.is_queuing
    new_table = cid.model.going_to(None)
    assert new_table
    cid.wish(new_table)
    assert (cid.model.number, cid.model.seat) == (2, 0)
    assert cid.model.refusal is None


def test_chat_and_rename_are_retried_on_another_table() -> None:
    wire = at_table(3, ())
    again = another_table(3)
    assert restarted(wire, again, Chat(NO_ID, "hi"), Rename(NO_ID, "Zoë")) == [Chat, Rename]
    wire.retry()
    wire.settle()
    assert wire.model.name == "Zoë"
    assert Said("Ann", "hi") in wire.model.log


def test_an_intent_is_not_retried_in_another_tables_game() -> None:
    wire = in_game()
    choose(wire)
    again = another_table()
    wire.requests.clear()
    wire.restart(again)
    wire.tick()
    wire.settle()
    assert wire.model.epoch == b"epoch..2"
    assert wire.model.waiting is None
    assert wire.model.refusal is None


def test_a_leaving_client_drops_all_other_requests() -> None:
    wire = at_table()
    wire.wish(Chat(NO_ID, "hi"))
    wire.join()
    wire.wish(Bye(NO_ID))
    assert [type(one) for one in wire.model.pending] == [Bye]
    wire.join()  # as after a lost connection
    wire.retry()
    wire.settle()
    assert (wire.model.status, wire.model.ending) == ("over", "left")


def test_a_client_whose_table_has_closed_sits_down_elsewhere() -> None:
    wire = at_table()
    wire.wish(Chat(NO_ID, "hi"))
    asking, (hello,) = session.join(wire.model, wire.new_id())
    assert isinstance(hello, Hello)
    assert hello.table == wire.model.number
    closed = Refused(hello.id, RefusedError("no_such_table").refusal, 0, 0)
    after, requests = session.answer(asking, closed, wire.new_id())
    assert [one.table for one in requests if isinstance(one, Hello)] == [None]
    assert after.pending == requests, "what was asked of the old table is dropped"


def test_say_hello_confirms_a_bye() -> None:
    wire = at_table()
    wire.wish(Bye(NO_ID))
    wire.restart(table_for())
    wire.retry()
    wire.settle()
    assert (wire.model.status, wire.model.ending) == ("over", "left")
    assert wire.driver.table_view.seats[0].status == "open"


def test_a_request_before_the_hello_waits_for_it() -> None:
    wire = in_game()
    wire.driver.now += 10  # refills the rate limit
    wire.driver.ask(ANN, Bye(ID))
    wire.wish(Chat(NO_ID, "hello?"))
    wire.deliver_request()
    answer = wire.deliver_answer()
    assert isinstance(answer, Refused)
    assert answer.refusal.code == "say_hello"
    assert [type(one) for one in wire.model.pending] == [Chat, Hello]
    wire.settle()
    wire.retry()
    wire.settle()
    assert not wire.model.pending
    truth(wire)


def test_a_throttled_request_is_retried() -> None:
    wire = in_game()
    wire.wish(Chat(NO_ID, "hello"))
    (chat,) = wire.model.pending
    refusal = Refused(chat.id, Refusal("too_fast", "Slow down."), 1, 0)
    wire.take(session.answer(wire.model, refusal, wire.new_id()))
    assert wire.model.pending == (chat,)
    assert wire.model.refusal is None


def test_a_removed_client_is_over() -> None:
    wire = Wire(table_for(3), BOB)
    wire.driver.hello(ANN)
    wire.join()
    wire.settle()
    wire.driver.ask(ANN, Remove(ID, 1))
    wire.settle()
    assert wire.model.status == "over"
    assert wire.model.ending == "refused"
    assert wire.model.refusal is not None
    assert wire.model.refusal.code == "removed"


def test_who_finds_no_seat_watches_at_once() -> None:
    wire = Wire(table_for(2, ("random", "random")), BOB)
    wire.join()
    wire.settle()
    model = wire.model
    assert (model.status, model.role, model.seat, model.name) == ("here", "spectator", None, "Bob")
    assert model.table
    assert model.table.spectators == ("Bob",)


def test_a_host_that_stops_says_so() -> None:
    wire = in_game()
    for update in wire.driver.table.stop():
        wire.take(session.hear(wire.model, update, wire.new_id()))
    assert (wire.model.status, wire.model.ending) == ("over", "stopping")
    assert wire.model.log[-1] == HostStopping()


def test_leaving_ends_the_session() -> None:
    wire = in_game()
    wire.wish(Bye(NO_ID))
    wire.settle()
    assert (wire.model.status, wire.model.ending) == ("over", "left")


def test_a_rename_changes_the_name() -> None:
    wire = at_table(3)
    wire.wish(Rename(NO_ID, "Zoë"))
    wire.settle()
    assert wire.model.name == "Zoë"
    truth(wire)


def test_a_spectator_can_rename_too() -> None:
    wire = Wire(table_for(2), CID, "spectator")
    wire.join()
    wire.settle()
    wire.wish(Rename(NO_ID, "Zoë"))
    wire.settle()
    assert wire.model.name == "Zoë"


def test_malformed_ends_the_session() -> None:
    model, (hello,) = session.join(Model("player", "Ann"), b"1" * 16)
    model, _none = session.answer(model, Malformed(hello.id, "wrong_version", "Too old."), ID)
    assert (model.status, model.ending, str(model.trouble)) == ("over", "failed", "Too old.")


def test_answers_from_before_a_restart_are_ignored() -> None:
    wire = in_game()
    model, (asked,) = session.keepalive(wire.model, wire.new_id())
    other = Current(asked.id, b"another!", model.game + 1, 0, None)
    after, _none = session.answer(model, other, wire.new_id())
    assert (after.game, after.view, after.pending) == (model.game, model.view, ())
    assert session.answer(model, Done(b"x" * 16), wire.new_id()) == (model, ())


def test_an_answer_from_an_unknown_game_triggers_a_resync() -> None:
    wire = in_game()
    model, (asked,) = session.keepalive(wire.model, wire.new_id())
    later = Current(asked.id, model.epoch, model.game + 1, 0, model.view)
    after, requests = session.answer(model, later, wire.new_id())
    assert (after.game, after.view) == (model.game, model.view)
    assert [type(one) for one in requests] == [Sync]
    assert session.answer(replace(model, pending=(*model.pending, Sync(ID))), later, ID)[1] == ()


def test_events_of_an_earlier_game_are_not_attributed_to_current_players() -> None:
    wire = in_game()
    missed = replace(wire.driver.sync(ANN), game=2, log=(TurnStarted(1, 9), Said("Bob", "late")))
    old = History((TurnTimedOut(3), TurnStarted(3, 1), Said("Bob", "hi")), heard=(1, 9))
    history = resume(old, missed, None, same_host=True)
    assert history.events == (Said("Bob", "hi"), *missed.log)
    begun = GameStarted(("Ann", "Bob"), (0, 1), 0)
    known = replace(wire.model, history=History((*old.events, begun)))
    assert tellable(known) == [Said("Bob", "hi"), begun]


def test_a_client_that_comes_back_logs_the_start_of_its_game_once() -> None:
    wire = in_game()
    while not any(isinstance(event, TurnStarted) and event.round > 3 for event in wire.model.log):
        choose(wire) if wire.model.my_turn else wire.driver.bot()
        wire.settle()
    wire.driver.hello(CID, "spectator")
    wire.collect()
    wire.publications.clear()  # lost with the connection
    before = wire.model
    wire.join()
    wire.settle()
    assert wire.model.fresh(before) == (PeopleChanged("Cid", "watching"),)
    assert sum(isinstance(event, GameStarted) for event in wire.model.log) == 1


def test_messages_are_kept_longer_than_what_else_happens() -> None:
    update = in_game().driver.latest
    history = History((Said("Bob", "hi"),), total=1)
    for _turn in range(KEPT):
        history = hear(history, replace(update, events=(TurnStarted(0, 1), TurnTimedOut(0))))
    assert history.events[0] == Said("Bob", "hi")
    assert len(history.events) == KEPT + 1
    assert Said("Bob", "hi") not in history.since(0)
    assert history.since(history.total - 2) == (TurnStarted(0, 1), TurnTimedOut(0))


def test_an_intent_answered_before_a_gap_was_filled_is_logged_once() -> None:
    wire = in_game()
    view, update = wire.driver.view(ANN), wire.driver.latest
    first, second = Poured(0, Ingredient.ICE, 1), Poured(0, Ingredient.MILK, 2)
    history = History((TurnStarted(0, 2),), heard=(1, 5))
    for rev, event in ((6, first), (7, second)):
        history = tell(history, Accepted(ID, update.epoch, 1, rev, (event,), view))
    missed = replace(wire.driver.sync(ANN), game=1, rev=6, log=(TurnStarted(0, 2), first))
    history = resume(history, missed, None, same_host=True)
    later = replace(update, game=1, rev=7, events=(Poured(0, None, None), Said("Bob", "hi")))
    history = hear(history, later)
    assert history.events == (TurnStarted(0, 2), first, second, Said("Bob", "hi"))
    assert history.total == 3


def test_fresh_events_are_those_since_another_model() -> None:
    first, second = Said("Bob", "hi"), Said("Bob", "there")
    before = Model("player", "Ann", history=History((first,), 1))
    after = replace(before, history=History((first, second), 2))
    assert [after.fresh(one) for one in (before, None, after)] == [(second,), (first, second), ()]
    assert before.fresh(after) == (), "a new host counts from 0"
    many = replace(before, history=History((first, second), 300))
    assert many.fresh(before) == (first, second), "the others are not kept"


def test_losing_the_host_keeps_what_is_known() -> None:
    wire = in_game()
    lost = session.lose(wire.model)
    assert (lost.status, lost.view, lost.can_act) == ("lost", wire.model.view, False)
    assert session.lose(Model("player", "Ann")).status == "joining"
    assert end(lost, "left").ending == "left"


ACTIONS = (
    *("request", "answer", "update", "lose", "double"),
    *("bot", "choose", "tick", "chat", "retry"),
)


def act(wire: Wire, action: str, where: int) -> None:
    if action == "request" and wire.requests:
        wire.deliver_request(where % len(wire.requests))
    elif action == "answer" and wire.answers:
        wire.deliver_answer(where % len(wire.answers))
    elif action == "update" and wire.publications:
        wire.deliver_publication(where % len(wire.publications))
    elif action in ("lose", "double"):
        queue = (wire.requests, wire.answers, wire.publications)[where % 3]
        if queue:
            one = queue.pop(where % len(queue))
            queue += [one, one] if action == "double" else []
    elif action == "bot":
        wire.driver.bot()
        wire.collect()
    elif action == "choose" and wire.model.can_act:
        choose(wire)
    elif action == "tick":
        wire.tick()
    elif action == "chat":
        wire.wish(Chat(NO_ID, f"{where}"))
    elif action == "retry":
        wire.driver.now += 1
        wire.retry()


@pytest.mark.slow
@settings(max_examples=60)
@given(st.lists(st.tuples(st.sampled_from(ACTIONS), st.integers(0, 99)), max_size=120))
def test_the_model_converges_on_any_network(actions: list[tuple[str, int]]) -> None:
    wire = in_game()
    for action, where in actions:
        act(wire, action, where)
    deliver_all(wire)
    truth_of_view(wire)


@settings(max_examples=30)
@given(
    st.lists(st.tuples(st.sampled_from(ACTIONS), st.integers(0, 99)), max_size=60),
    st.lists(st.tuples(st.sampled_from(ACTIONS), st.integers(0, 99)), max_size=60),
)
def test_the_model_converges_across_a_restart_on_any_network(
    before: list[tuple[str, int]], after: list[tuple[str, int]]
) -> None:
    wire = in_game()
    for action, where in before:
        act(wire, action, where)
    wire.restart(resumed(wire.driver))
    for action, where in after:
        act(wire, action, where)
    deliver_all(wire)
    truth_of_view(wire)


def deliver_all(wire: Wire) -> None:
    """Restore the network for as long as a client needs to catch up."""
    for _ in range(4):
        wire.tick()
        wire.driver.now += 3
        wire.retry()
        wire.settle()


def truth_of_view(wire: Wire) -> None:
    """Check that the model equals the host's snapshot, but for the order of chat."""
    snapshot = wire.driver.sync(wire.key)
    model = wire.model
    assert not model.pending
    assert (model.status, model.epoch) == ("here", snapshot.epoch)
    assert model.view == snapshot.view
    assert (model.game, model.rev, model.seat) == (snapshot.game, snapshot.rev, snapshot.seat)
