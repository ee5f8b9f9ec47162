"""Rules for hosts: a game, played to its end and checked position by position."""

import random
import time
from typing import Final

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
    Ready,
    Refused,
    Rename,
    Start,
    Step,
    Submit,
    TableView,
    Undo,
    Update,
    View,
)

from .rules import Departure, NotTried, Rule, expect
from .table_rules import events
from .tour import Tour, described, expected
from .views import faults, has_possible_tokens, public, public_event
from .visitor import Visitor, new_id

TURN_SECONDS: Final = 60.0
_START_SECONDS: Final = 5.0
_VARIED: Final = 60
"""Intents that are drawn from all options; afterwards the game is brought to its end."""
_LONGEST: Final = 3000
"""Intents after which a host is taken for one whose games never end."""
_EVERY: Final = 8
"""Revs between two counts of all tokens: it takes everybody's View."""
_HASTE: Final = ("end_turn", "return_rest", "place_meeple", "step", "pour", "serve")


class Position:
    """Somebody's View at a game and rev."""

    def __init__(self, answer: Current | Accepted) -> None:
        self.game, self.rev = answer.game, answer.rev
        self.view = answer.view

    @property
    def whole(self) -> View:
        """The View; raises `Departure` if there is none."""
        if self.view is None:
            raise Departure("there is no view in a game")
        return self.view

    @property
    def own(self) -> OwnView:
        """The private part of the View; raises `Departure` if there is none."""
        if self.whole.own is None:
            raise Departure("there is no private part in a player's view")
        return self.whole.own


def position(peer: Visitor) -> Position:
    """Ask for somebody's View."""
    return Position(expected(Current, peer.ask(GetView(new_id()))))


def submit(peer: Visitor, at: Position, intent: Intent) -> Accepted:
    """Have an intent accepted."""
    answer = expected(Accepted, peer.ask(Submit(new_id(), at.game, at.rev, intent)))
    expect((answer.game, answer.rev) == (at.game, at.rev + 1), f"rev {answer.rev} after {at.rev}")
    return answer


def turn(tour: Tour) -> tuple[Visitor, Position]:
    """Wait for the turn of one of our seats; return who it is, and the position."""
    deadline = time.monotonic() + TURN_SECONDS
    while time.monotonic() < deadline:
        tour.keep_alive()
        update = tour.latest()
        if update is None or update.table.stage != "game":
            raise NotTried("no game is being played")
        active = update.view.active if update.view else None
        peer = next((one for one in tour.players if one.seat == active), None)
        if peer is not None:
            at = position(peer)
            if at.own.options:
                return peer, at
        tour.spectator.updates.poll(100)
    raise Departure("no turn of ours came")


def _begin(tour: Tour) -> None:
    before = tour.snapshot(tour.player)
    since = len(tour.spectator.heard)
    for peer in tour.players:
        tour.check_done(peer, Ready(new_id(), True))
    if tour.owner:
        tour.check_done(tour.owning, Start(new_id()))
    deadline = time.monotonic() + _START_SECONDS
    while tour.snapshot(tour.player).table.stage != "game":
        if time.monotonic() > deadline:
            raise NotTried("the game does not start by itself: seats may be open, or of others")
        tour.keep_alive()
        time.sleep(0.1)
    after = tour.snapshot(tour.player)
    expect(after.game == before.game + 1, f"game {after.game} after {before.game}")
    tour.spectator.wait(
        lambda heard: any(isinstance(one, GameStarted) for one in events(heard)),
        "game_started", since,
    )  # fmt: skip
    start = next(
        one for one in events(tour.spectator.heard[since:]) if isinstance(one, GameStarted)
    )
    for peer in tour.players:
        old, peer.seat = peer.seat, tour.snapshot(peer).seat
        expect(old in start.old_seats, f"seat {old} is not in {start.old_seats}")
        now = start.old_seats.index(old or 0)
        expect(peer.seat == now, f"seat {peer.seat}, not {now} as old_seats say")


def _refusals(tour: Tour) -> None:
    peer, at = turn(tour)
    wrong: Intent = EndTurn() if at.whole.phase == "placing" else PlaceMeeple(0)
    check = tour.check_refused
    check(peer, Ready(new_id(), True), "wrong_stage")
    check(peer, Rename(new_id(), "\u200b"), "wrong_stage")
    check(tour.spectator, Submit(new_id(), at.game, at.rev + 7, wrong), "not_seated")
    check(peer, Submit(new_id(), at.game, at.rev, wrong), "wrong_phase")
    other = next((one for one in tour.players if one is not peer), None)
    if other:
        check(other, Submit(new_id(), at.game, at.rev, wrong), "not_your_turn")
        check(other, Submit(new_id(), at.game, at.rev + 1, wrong), "stale")
    if tour.owner:
        check(tour.owning, Start(new_id()), "wrong_stage")
    late = Hello(new_id(), PROTOCOL_VERSION, "Late", "player")
    check(tour.stranger, late, "table_full")
    after = position(peer)
    expect((after.rev, after.view) == (at.rev, at.view), "a refused request changed something")


def _stale(tour: Tour) -> None:
    peer, at = turn(tour)
    intent = at.own.options[0].intent
    for game, rev in ((at.game, at.rev + 1), (at.game + 1, at.rev)):
        answer = expected(Refused, peer.ask(Submit(new_id(), game, rev, intent)))
        expect(answer.refusal.code == "stale", described(answer))
        expect((answer.game, answer.rev) == (at.game, at.rev), "not the game and rev of the host")
        expect(answer.view == at.view, "not the current view")


def _repeat(tour: Tour) -> None:
    peer, at = turn(tour)
    asked = Submit(new_id(), at.game, at.rev, at.own.options[0].intent)
    first, second = expected(Accepted, peer.ask(asked)), peer.ask(asked)
    expect(first == second, "a repeat gets another answer")
    expect(position(peer).rev >= at.rev + 1, "the intent is not applied")
    other = Submit(asked.id, at.game, at.rev + 1, asked.intent)
    tour.check_refused(peer, other, "id_reused")
    heard = tour.spectator
    heard.wait(lambda all_: _updates(all_, at.rev + 1), "the move")
    expect(len(_updates(heard.heard, at.rev + 1, at.game)) == 1, "the move is published twice")


def _updates(heard: object, rev: int, game: int | None = None) -> list[Update]:
    assert isinstance(heard, list)
    found = [one for one in heard if isinstance(one, Update) and one.rev == rev]
    return [one for one in found if game in (None, one.game)]


def _undo(tour: Tour) -> None:
    deadline = time.monotonic() + TURN_SECONDS
    while time.monotonic() < deadline:
        peer, at = turn(tour)
        steps = [one.intent for one in at.own.options if isinstance(one.intent, Step)]
        if steps and at.whole.steps_left > 1:
            break
        submit(peer, at, hasty(at))
    stepped = Position(submit(peer, at, steps[0]))
    options = [one.intent for one in stepped.own.options]
    expect(Undo() in options and stepped.own.undo > 0, "undo is not among the options")
    answer = submit(peer, stepped, Undo())
    expect(answer.events == (IntentUndone(peer.seat or 0),), f"events: {answer.events}")
    expect(answer.view == at.view, "the view is not what it was before the step")


def _leave(tour: Tour) -> None:
    peer = tour.players[-1]
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
    options = [one.intent for one in at.own.options if not isinstance(one.intent, Undo)]
    kinds = [type(one).__struct_config__.tag for one in options]
    best = min(kinds, key=lambda kind: _HASTE.index(kind) if kind in _HASTE else len(_HASTE))
    return options[kinds.index(best)]


def _play(tour: Tour) -> None:
    chance, number = random.Random(4), 0
    peer, at = turn(tour)
    while at.whole.phase != "over":
        number += 1
        expect(number < _LONGEST, f"no end after {number} intents of ours")
        options = [one.intent for one in at.own.options if not isinstance(one.intent, Undo)]
        intent = chance.choice(options) if number < _VARIED else hasty(at)
        answer = submit(peer, at, intent)
        check_position(tour, answer)
        at = Position(answer)
        if at.whole.active not in (peer.seat, None):
            try:
                peer, at = turn(tour)
            except NotTried:  # a bot made the last move
                return


def check_position(tour: Tour, answer: Accepted) -> None:
    """Compare an answer with what is published, and with what the others may see."""
    at = f"rev {answer.rev}"
    watching = tour.spectator
    watching.wait(lambda all_: _updates(all_, answer.rev, answer.game), f"an update for {at}")
    update = _updates(watching.heard, answer.rev, answer.game)[0]
    expect(update.view == public(answer.view), f"{at}: published and own view differ")
    hidden = tuple(map(public_event, answer.events))
    expect(set(hidden) <= set(update.events), f"{at}: published and own events differ")
    expect(update.events == tuple(map(public_event, update.events)), f"{at}: private events")
    seat = answer.view.own.seat if answer.view.own else 0
    expect(update.private_revs[seat] <= answer.rev, f"{at}: a private rev in the future")
    check_view(answer.view, update.table, at)
    if answer.rev % _EVERY == 0 and len(tour.players) == len(answer.view.players):
        owns = [position(one).own for one in tour.players]
        right = has_possible_tokens(answer.view, owns, everything=True)
        expect(right, f"{at}: the tokens of an ingredient do not add up")


def check_view(view: View, table: TableView | None, at: str) -> None:
    """Check that a View can be."""
    found = next(faults(view, table), None)
    expect(found is None, f"{at}: {found}")


def _result(tour: Tour) -> None:
    snapshot = tour.snapshot(tour.spectator)
    table, view = snapshot.table, snapshot.view
    expect(table.stage == "result", f"stage {table.stage}")
    if view is None:
        raise Departure("there is no view in the result")
    check_view(view, table, "the result")
    scores = [player.score for player in view.players]
    best = [(one.score, one.rank) for one in view.standings]
    expect(sorted(one.seat for one in view.standings) == [*range(len(scores))], "standings")
    expect(all(scores[one.seat] == one.score for one in view.standings), "scores of standings")
    expect(best == sorted(best, key=lambda one: (-one[0], one[1])), f"order of standings: {best}")
    expect([one.scores[-1] for one in table.tallies] == scores, "tallies do not end in the scores")
    persons = [one for one in table.seats if one.status == "person"]
    owner = None if table.owner is None else table.seats[table.owner]
    expect(not any(one.ready for one in persons if one != owner), "somebody is ready already")


def _rematch(tour: Tour) -> None:
    if tour.snapshot(tour.player).table.stage != "result":
        raise NotTried("no game has been played")
    tour.check_refused(tour.player, Submit(new_id(), 1, 0, EndTurn()), "wrong_stage")
    _begin(tour)
    peer, at = turn(tour)
    submit(peer, at, at.own.options[0].intent)


def _publications(tour: Tour) -> None:
    for peer in tour.all:
        expect(not peer.faults, "; ".join(peer.faults[:3]))
        updates = [one for one in peer.heard if isinstance(one, Update)]
        expect(not any(one.view and one.view.own for one in updates), "a private view")


def _answers(tour: Tour) -> None:
    extra = sum(peer.unasked() for peer in tour.all)
    expect(not extra, f"{extra} answers more than requests")


GAME_RULES: Final = (
    Rule("Who starts a game", "a game begins once all are ready, with seats as told", _begin),
    Rule("The order of refusals", "what is not allowed in a game is refused", _refusals),
    Rule("Intents exactly once", "an intent for another rev gets `stale`, with the View", _stale),
    Rule("Intents exactly once", "an intent that is sent again is applied once", _repeat),
    Rule("Undo", "undo restores the View before the last intent", _undo),
    Rule("Presence", "a bot plays for who has left, until they say hello", _leave),
    Rule("View", "a game to its end: views agree and add up", _play),
    Rule("Stages", "the result shows standings and tallies", _result),
    Rule("Stages", "a rematch is the next game", _rematch),
)
LAST_RULES: Final = (
    Rule("Update", "every update has the next seq, and ticks the latest", _publications),
    Rule("Framing", "each request gets one answer", _answers),
)
