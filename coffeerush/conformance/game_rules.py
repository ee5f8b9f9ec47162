"""Rules for hosts: a game, played to its end and checked position by position."""

import random
import time
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from coffeerush.client.model import Model
from coffeerush.client.sanity import check
from protocol import (
    PROTOCOL_VERSION,
    Accepted,
    Bye,
    Current,
    EndTurn,
    GameStarted,
    GetView,
    Hello,
    Intent,
    IntentUndone,
    OwnView,
    PlaceMeeple,
    Publication,
    Ready,
    Refused,
    Rename,
    Request,
    Start,
    Step,
    Submit,
    Undo,
    Update,
    View,
)

from .rules import Departure, NotTried, Rules, expect
from .tour import Tour, described, expected
from .views import faults, public_event
from .visitor import Visitor, events, new_id

Position = Current | Accepted
"""Somebody's View at a game and rev."""
TURN_SECONDS: Final = 60.0
_VARIED: Final = 60
"""Intents that are drawn from all options; afterwards the game is brought to its end."""
_LONGEST: Final = 3000
"""Intents after which a host is taken for one whose games never end."""
_EVERY: Final = 8
"""Revs between two counts of all tokens: it takes everybody's View."""
_HASTE: Final = ("end_turn", "return_rest", "place_meeple", "step", "pour", "serve")
GAME_RULES: Final = Rules()
LAST_RULES: Final = Rules()


def view_of(at: Position) -> View:
    """Return the View; raise `Departure` if there is none."""
    if at.view is None:
        raise Departure("there is no view in a game")
    return at.view


def own_of(at: Position) -> OwnView:
    """Return the private part of a player's View; raise `Departure` if there is none."""
    if (own := view_of(at).own) is None:
        raise Departure("there is no private part in a player's view")
    return own


def intents_of(at: Position) -> list[Intent]:
    """Return the options without undo."""
    return [one.intent for one in own_of(at).options if not isinstance(one.intent, Undo)]


def position(peer: Visitor) -> Position:
    """Ask for somebody's View."""
    return expected(Current, peer.ask(GetView(new_id())))


def submit(peer: Visitor, at: Position, intent: Intent) -> Accepted:
    """Have an intent accepted."""
    answer = expected(Accepted, peer.ask(Submit(new_id(), at.game, at.rev, intent)))
    expect((answer.game, answer.rev) == (at.game, at.rev + 1), f"rev {answer.rev} after {at.rev}")
    return answer


def turns(tour: Tour) -> Iterator[tuple[Visitor, Position]]:
    """Yield whose turn of ours it is, and the position, until the time for it is over."""
    deadline = time.monotonic() + TURN_SECONDS
    while time.monotonic() < deadline:
        tour.keep_alive()
        update = tour.latest()
        if update is None or update.table.stage != "game":
            raise NotTried("no game is being played")
        active = update.view.active if update.view else None
        peer = next((one for one in tour.players if one.seat == active), None)
        if peer is not None and own_of(at := position(peer)).options:
            yield peer, at
        else:
            tour.spectator.updates.poll(100)
    raise Departure("no turn of ours came")


def turn(tour: Tour) -> tuple[Visitor, Position]:
    """Wait for the turn of one of our seats; return who it is, and the position."""
    return next(turns(tour))


def starts(heard: Sequence[Publication]) -> list[GameStarted]:
    """Return the events that tell of a new game."""
    return [one for one in events(heard) if isinstance(one, GameStarted)]


@GAME_RULES("Who starts a game", "a game begins once all are ready, with seats as told")
def _begin(tour: Tour) -> None:
    before = tour.snapshot(tour.player)
    watching = tour.spectator
    watching.hear()
    since = len(watching.heard)
    for peer in tour.players:
        tour.check_done(peer, Ready(new_id(), True))
    if tour.owner:
        tour.check_done(tour.owning, Start(new_id()))
    try:
        watching.wait(starts, "game_started", since)
    except Departure:
        if tour.snapshot(tour.player).table.stage == "game":
            raise
        raise NotTried("the game does not start by itself: not all seats are ours") from None
    seats = starts(watching.heard[since:])[0].old_seats
    for peer in tour.players:
        after = tour.snapshot(peer)
        expect(after.game == before.game + 1, f"game {after.game} after {before.game}")
        old, peer.seat = peer.seat, after.seat
        expect(old in seats, f"seat {old} is not in {seats}")
        now = seats.index(old or 0)
        expect(peer.seat == now, f"seat {peer.seat}, not {now} as old_seats say")


@GAME_RULES("The order of refusals", "what is not allowed in a game is refused")
def _refusals(tour: Tour) -> None:
    peer, at = turn(tour)
    wrong: Intent = EndTurn() if view_of(at).phase == "placing" else PlaceMeeple(0)
    others = [one for one in tour.players if one is not peer][:1]
    owners = [tour.owning] if tour.owner else []
    late = Hello(new_id(), PROTOCOL_VERSION, "Late", "player")
    at_rev, later = (Submit(new_id(), at.game, rev, wrong) for rev in (at.rev, at.rev + 1))
    cases: list[tuple[Visitor, Request, str]] = [
        (peer, Ready(new_id(), True), "wrong_stage"),
        (peer, Rename(new_id(), "\u200b"), "wrong_stage"),
        (tour.spectator, later, "not_seated"),
        (peer, at_rev, "wrong_phase"),
        *((one, at_rev, "not_your_turn") for one in others),
        *((one, later, "stale") for one in others),
        *((one, Start(new_id()), "wrong_stage") for one in owners),
        (tour.stranger, late, "table_full"),
    ]
    for who, request, code in cases:
        tour.check_refused(who, request, code)
    after = position(peer)
    expect((after.rev, after.view) == (at.rev, at.view), "a refused request changed something")


@GAME_RULES("Intents exactly once", "an intent for another rev gets `stale`, with the View")
def _stale(tour: Tour) -> None:
    peer, at = turn(tour)
    intent = intents_of(at)[0]
    for game, rev in ((at.game, at.rev + 1), (at.game + 1, at.rev)):
        answer = expected(Refused, peer.ask(Submit(new_id(), game, rev, intent)))
        expect(answer.refusal.code == "stale", described(answer))
        expect((answer.game, answer.rev) == (at.game, at.rev), "not the game and rev of the host")
        expect(answer.view == at.view, "not the current view")


@GAME_RULES("Intents exactly once", "an intent that is sent again is applied once")
def _repeat(tour: Tour) -> None:
    peer, at = turn(tour)
    asked = Submit(new_id(), at.game, at.rev, intents_of(at)[0])
    first, second = expected(Accepted, peer.ask(asked)), peer.ask(asked)
    expect(first == second, "a repeat gets another answer")
    expect(position(peer).rev >= at.rev + 1, "the intent is not applied")
    tour.check_refused(peer, replace(asked, rev=at.rev + 1), "id_reused")
    hear_update(tour, first)
    expect(len(updates_of(tour, first)) == 1, "the move is published twice")


def updates_of(tour: Tour, answer: Accepted) -> list[Update]:
    """Return the updates that the spectator heard of an accepted intent."""
    updates = [one for one in tour.spectator.heard if isinstance(one, Update)]
    return [one for one in updates if (one.game, one.rev) == (answer.game, answer.rev)]


def hear_update(tour: Tour, answer: Accepted) -> Update:
    """Wait for the update of an accepted intent."""
    tour.spectator.wait(lambda _: updates_of(tour, answer), f"an update for rev {answer.rev}")
    return updates_of(tour, answer)[0]


@GAME_RULES("Undo", "undo restores the View before the last intent")
def _undo(tour: Tour) -> None:
    for peer, at in turns(tour):
        steps = [one for one in intents_of(at) if isinstance(one, Step)]
        if steps and view_of(at).steps_left > 1:
            break
        submit(peer, at, hasty(at))
    stepped = submit(peer, at, steps[0])
    own = own_of(stepped)
    is_possible = Undo() in [one.intent for one in own.options] and own.undo > 0
    expect(is_possible, "undo is not among the options")
    answer = submit(peer, stepped, Undo())
    expect(answer.events == (IntentUndone(peer.seat or 0),), f"events: {answer.events}")
    expect(answer.view == at.view, "the view is not what it was before the step")


@GAME_RULES("Presence", "a bot plays for who has left, until they say hello")
def _leave(tour: Tour) -> None:
    peer = tour.players[-1] if tour.players else tour.player
    seat = peer.seat or 0
    tour.check_done(peer, Bye(new_id()))
    place = tour.table().seats[seat]
    expect(place.away and place.bot, f"the seat is {place}")
    tour.check_refused(peer, GetView(new_id()), "say_hello")
    tour.hello(peer, peer.name)
    expect(peer.seat == seat, f"seat {peer.seat} instead of {seat}")
    place = tour.table().seats[seat]
    expect(not place.away and not place.bot, f"the seat is {place}")


def hasty(at: Position) -> Intent:
    """Return an option that brings the game to its end."""
    kinds = [type(one).__struct_config__.tag for one in intents_of(at)]
    best = min(kinds, key=lambda kind: _HASTE.index(kind) if kind in _HASTE else len(_HASTE))
    return intents_of(at)[kinds.index(best)]


@GAME_RULES("View", "a game to its end: views agree and add up")
def _play(tour: Tour) -> None:
    chance, number = random.Random(4), 0
    peer, at = turn(tour)
    while view_of(at).phase != "over":
        number += 1
        expect(number < _LONGEST, f"no end after {number} intents of ours")
        intent = chance.choice(intents_of(at)) if number < _VARIED else hasty(at)
        at = submit(peer, at, intent)
        check_position(tour, at)
        if at.view.active not in (peer.seat, None):
            try:
                peer, at = turn(tour)
            except NotTried:  # a bot made the last move
                return


def check_position(tour: Tour, answer: Accepted) -> None:
    """Compare an answer with what is published, and with what the others may see."""
    at, view = f"rev {answer.rev}", answer.view
    update = hear_update(tour, answer)
    expect(update.view == replace(view, own=None), f"{at}: published and own view differ")
    hidden = tuple(map(public_event, answer.events))
    expect(set(hidden) <= set(update.events), f"{at}: published and own events differ")
    expect(update.events == tuple(map(public_event, update.events)), f"{at}: private events")
    own = own_of(answer)
    expect(update.private_revs[own.seat] <= answer.rev, f"{at}: a private rev in the future")
    seen = Model("player", "", seat=own.seat, table=update.table, view=view)
    everybody = answer.rev % _EVERY == 0 and len(tour.players) == len(view.players)
    check_view(seen, [own_of(position(one)) for one in tour.players] if everybody else [own])


def check_view(seen: Model, owns: list[OwnView]) -> None:
    """Check that a View can be: as our client does, and by its sums; also raises `LinkError`."""
    check(seen)
    if seen.view is None:
        raise Departure("there is no view")
    wrong = next(faults(seen.view, owns), None)
    expect(wrong is None, f"{wrong}")


@GAME_RULES("Stages", "the result shows standings and tallies")
def _result(tour: Tour) -> None:
    snapshot = tour.snapshot(tour.spectator)
    table, view = snapshot.table, snapshot.view
    if table.stage == "lobby":
        raise NotTried("no game has been played")
    expect(table.stage == "result", f"stage {table.stage}")
    if view is None:
        raise Departure("there is no view in the result")
    check_view(Model("spectator", "", table=table, view=view), [])
    scores = [player.score for player in view.players]
    best = [(one.score, one.rank) for one in view.standings]
    expect(len(best) == len(scores), f"{len(best)} standings of {len(scores)} players")
    expect(all(scores[one.seat] == one.score for one in view.standings), "scores of standings")
    expect(best == sorted(best, key=lambda one: (-one[0], one[1])), f"order of standings: {best}")
    expect([one.scores[-1] for one in table.tallies] == scores, "tallies do not end in the scores")
    persons = [one for one in table.seats if one.status == "person"]
    owner = None if table.owner is None else table.seats[table.owner]
    expect(not any(one.ready for one in persons if one != owner), "somebody is ready already")


@GAME_RULES("Stages", "a rematch is the next game")
def _rematch(tour: Tour) -> None:
    if tour.snapshot(tour.player).table.stage != "result":
        raise NotTried("no game has been played")
    tour.check_refused(tour.player, Submit(new_id(), 1, 0, EndTurn()), "wrong_stage")
    _begin(tour)
    peer, at = turn(tour)
    submit(peer, at, intents_of(at)[0])


@LAST_RULES("Update", "every update has the next seq, and ticks the latest")
def _publications(tour: Tour) -> None:
    for peer in tour.all:
        expect(not peer.faults, "; ".join(peer.faults[:3]))
        updates = [one for one in peer.heard if isinstance(one, Update)]
        expect(not any(one.view and one.view.own for one in updates), "a private view")


@LAST_RULES("Framing", "each request gets one answer")
def _answers(tour: Tour) -> None:
    extra = sum(peer.unasked() for peer in tour.all)
    expect(not extra, f"{extra} answers more than requests")
