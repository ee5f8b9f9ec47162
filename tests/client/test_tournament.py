"""A client at a host that holds a tournament: it asks when that changes, and goes where called."""

from msgspec.structs import replace

from coffeerush.client import session
from coffeerush.client.model import Model
from protocol import (
    HALL,
    NO_ID,
    BeginRound,
    BeginTournament,
    Enter,
    GetTables,
    Hello,
    Tables,
    Tick,
    TournamentRules,
)
from tests.support.local import LocalLink, LocalTable
from tests.support.tables import ID

OTHER = b"o" * 16


def tick(model: Model, rev: int, epoch: bytes = b"") -> tuple[Model, tuple[object, ...]]:
    return session.hear_hall(model, Tick(epoch or model.epoch, 0, 0, rev, ()), ID)


def people(count: int = 2) -> list[LocalLink]:
    """Return people at a host; the first is its owner and has announced a tournament."""
    local = LocalTable(4)
    links = [local.link(name) for name in ("Ann", "Bob", "Cid")[:count]]
    links[0].wish(BeginTournament(NO_ID, TournamentRules()))
    return links


def begun() -> list[LocalLink]:
    """Return people who have entered, with the first round just begun."""
    links = people()
    for link in links:
        link.wish(Enter(NO_ID, True))
    links[0].wish(BeginRound(NO_ID, 1))
    links[0].local.tick()
    return links


def test_without_a_tournament_nothing_is_asked() -> None:
    local = LocalTable(2)
    local.link("Ann")
    model = local.link("Bob").model
    heard, asked = tick(model, 0)
    assert asked == ()
    assert tick(heard, 0) == (heard, ()), "nothing is drawn again"


def test_each_change_of_the_tournament_is_asked_for_once() -> None:
    model = LocalTable(2).link("Ann").model
    heard, asked = tick(model, 1)
    assert asked == (GetTables(ID),)
    assert tick(heard, 2) == (heard, ()), "one at a time"
    assert tick(session.lose(heard), 1)[1] == ()


def test_a_restarted_host_is_asked_again() -> None:
    (ann, *_others) = people()
    ann.local.tick()
    assert ann.model.tournament is not None
    assert tick(ann.model, 0, b"epoch..9")[1] == (GetTables(ID),)


def test_who_has_said_hello_to_no_table_asks_nothing() -> None:
    assert tick(Model("player", "Ann"), 3) == (Model("player", "Ann"), ())


def test_rules_that_the_host_has_agreed_to_hold_at_once() -> None:
    ann = people()[0]
    model = ann.model
    rules = TournamentRules(rounds=3)
    asking, _requests = session.wish(model, BeginTournament(NO_ID, rules), ID)
    assert asking.tournament_rules == rules
    ann.wish(BeginTournament(NO_ID, rules))
    assert ann.model.tournament_rules == rules
    assert ann.model.tournament
    assert ann.model.tournament.rounds == 3


def test_everybody_is_taken_to_their_seat() -> None:
    ann, bob = begun()
    assert ann.model.number == bob.model.number == 2
    assert {ann.model.seat, bob.model.seat} == {0, 1}
    assert bob.model.called_to == (1, 2)
    assert bob.model.entrant
    assert bob.model.entrant.name == "Bob"


def test_who_goes_elsewhere_in_a_round_is_not_called_again() -> None:
    bob = begun()[1].model
    asking, _requests = session.wish(replace(bob, number=1), GetTables(NO_ID), ID)
    told = Tables(ID, bob.tables, bob.tournament)
    assert session.answer(asking, told, ID)[1] == ()
    before = replace(asking, tournament=None)
    assert [type(one) for one in session.answer(before, told, ID)[1]] == [Hello]


def test_who_is_called_says_hello_once() -> None:
    """A second one, which names the old table, would be for a player in a game."""
    bob = begun()[1].model
    asking, _requests = session.wish(replace(bob, number=1, tournament=None), GetTables(NO_ID), ID)
    greeting, requests = session.join(asking, OTHER)
    assert [type(one) for one in requests] == [Hello]
    told, requests = session.answer(greeting, Tables(ID, bob.tables, bob.tournament), NO_ID)
    assert requests == ()
    assert told.called_to == (1, 2)
    assert [one.id for one in told.pending] == [OTHER]


def test_only_the_owner_of_the_first_table_owns_the_hall() -> None:
    ann, bob, cid = people(3)
    cid.wish(Hello(NO_ID, cid.model.protocol, "Cid", "player", "new"))
    cid.wish(GetTables(NO_ID))
    assert (ann.model.owns_hall, bob.model.owns_hall, cid.model.owns_hall) == (True, False, False)
    assert cid.model.owner
    assert HALL not in (ann.model.number, cid.model.number)
    ann, bob = begun()
    assert (ann.model.owns_hall, bob.model.owns_hall) == (True, False), "at a round's table, too"
