"""Leaks: whole games with marked cups behind recording proxies, while everybody pries."""

import tempfile
from collections import Counter
from itertools import cycle
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Final

from protocol import HALL
from tests.soak.oracle.hall import MarkedHall
from tests.soak.oracle.leaks import Inspection, finished, look_at_door, look_at_network, truth_of
from tests.soak.oracle.marked import MarkedGame
from tests.soak.oracle.reader import codes, read
from tests.soak.oracle.truth import Truth, exported
from tests.soak.oracle.twins import compare
from tests.soak.soak import Soak

SECONDS: Final = 120.0
PLAYERS: Final = (2, 3, 4)
TABLES: Final = 8
SECRET: Final = 0o600


def run(soak: Soak) -> None:
    """Play and pry until the time is up, at least once with each number of players."""
    provoked: Counter[str] = Counter()
    for number, players in enumerate(cycle(PLAYERS)):
        if number >= len(PLAYERS) and not soak.left():
            break
        provoked += one_game(soak, players, soak.chance)
    hall(soak, TABLES)
    with tempfile.TemporaryDirectory() as folder:
        soak.report("twins", **compare(soak, Path(folder), soak.chance))
    missing = sorted(codes() - provoked.keys())
    soak.report("provoked", codes=len(provoked), refusals=provoked.total(), not_met=missing)


def one_game(soak: Soak, players: int, chance: Random) -> Counter[str]:
    """Play a game and check all its traffic; return the codes of the refusals."""
    began = perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        state = Path(folder)
        with MarkedGame.open(state, players, chance) as game:
            game.gather()
            game.play()
            game.part()
            door_codes = game.enrol_wrongly()
            log = game.host.text().encode()
            record = next(finished(state / "records"))
        truth = truth_of(exported(record), game.players[0])
    played = perf_counter() - began
    soak.hold("a record is secret while its game is on", game.secret_modes == {SECRET})
    look = _inspect(soak, truth, game, log)
    streams, door = game.taps.streams, game.host.port
    look_at_door(soak, streams, door)
    soak.report(
        "leak",
        players=players,
        readers=len(game.everybody),
        revs=len(truth.moves),
        pried=game.asked,
        marks=look.marks,
        plain_bytes=look.bytes,
        views=look.views,
        events=look.events,
        **look_at_network(soak, streams, door),
        took=round(played, 1),
    )
    return sum((guest.codes for guest in game.everybody), door_codes)


def hall(soak: Soak, tables: int) -> None:
    """Play at all tables of a hall at once; check that nothing private crosses to another one."""
    began = perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        with MarkedHall.open(Path(folder), tables, soak.chance) as played:
            played.play()
            log = played.host.text().encode()
            records = played.records()
        soak.hold("every table's game is on record", len(records) == tables, records=records)
        looks = {
            game.number: Inspection(
                soak, truth_of(exported(records[game.number]), game.watchers[0])
            )
            for game in played.games
        }
    took = perf_counter() - began
    wanderer = played.wanderer
    for game in played.games:
        look = looks[game.number]
        for guest in game.everybody:
            look.look_at_bytes(guest)
            look.look_at_messages(guest)
        look.look_at_messages(wanderer.heard_of(game.number))
        for other in played.games:
            if other is not game:
                received = b"\xc1".join(body for guest in other.everybody for body in guest.raw)
                known = looks[other.number].contents()
                look.look_at_received(received, None, f"table {other.number}", known)
        public = set[tuple[int, ...]]().union(*(each.public() for each in looks.values()))
        look.look_at_received(b"\xc1".join(wanderer.raw), None, wanderer.name, public)
        look.look_at_received(log, None, "log", public)
        soak.hold("there are marks", look.marks > 0, table=game.number)
    heard = [read(body, "Publication") for body in wanderer.heard_of(HALL).publications]
    plain = [one["type"] == "tick" and not one["private_revs"] for one in heard]
    soak.hold("the hall's own topic has ticks only", plain and all(plain))
    soak.hold("the wanderer has been everywhere", played.visits >= tables, visits=played.visits)
    soak.report(
        "leak between tables",
        tables=tables,
        readers=len(played.everybody) + 1,
        visits=played.visits,
        pried=sum(game.asked for game in played.games),
        moves=sum(game.moves for game in played.games),
        marks=sum(look.marks for look in looks.values()),
        views=sum(look.views for look in looks.values()),
        plain_bytes=sum(look.bytes for look in looks.values()),
        took=round(took, 1),
    )


def _inspect(soak: Soak, truth: Truth, game: MarkedGame, log: bytes) -> Inspection:
    look = Inspection(soak, truth)
    soak.hold("the menu is that of the deck", truth.drinks_fit())
    for guest in game.everybody:
        look.look_at_bytes(guest)
        look.look_at_messages(guest)
    look.look_at_text(log, "log")
    soak.hold("there are marks", look.marks > 0)
    return look
