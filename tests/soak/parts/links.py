"""Links: host and guests on a LAN with loss, delays, duplicates and unplugged cables."""

import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from signal import SIGCONT, SIGSTOP
from typing import Final

from msgspec import Struct

from tests.soak.lan.lan import GUESTS, HOST, Guest, Lan, Moment
from tests.soak.lan.network import Loss, Network, unavailable
from tests.soak.lan.reports import StuckError
from tests.soak.lan.switch import Weather
from tests.soak.soak import Soak
from tests.support.hosts_and_clients import Host

SECONDS: Final = 900.0
LOSSES: Final = (0, 10, 20, 30)
"""Packet loss in percent, each way."""
CUT_SECONDS: Final = (1.0, 5.0, 30.0)
SLEEP_SECONDS: Final = 20.0
BAD_LOSS: Final = 20
WI_FI: Final = Weather(delay=0.1, jitter=0.05, doubled=0.05, hurried=0.1)
RESTARTS: Final = 3
BACK_SECONDS: Final = 60.0
"""Anybody who has not reconnected by then never will."""
GAME_SECONDS: Final = 300.0
PAUSE_SECONDS: Final = 0.3
"""The mean thinking time of a guest in a game that has to last."""
_WAYS: Final = {"both": Loss(100, 100), "to it": Loss(to=100), "from it": Loss(of=100)}
_IN_MID_GAME: Final = range(10, 40)


class Cut(Struct, frozen=True):
    """A cable that is unplugged for a while."""

    seconds: float
    side: str
    """The owner of the cable."""
    way: str
    """The direction of the lost frames: a key of `_WAYS`."""


CUTS: Final = [
    Cut(seconds, side, way)
    for seconds in CUT_SECONDS
    for side in (GUESTS[0], HOST)
    for way in _WAYS
]


def run(soak: Soak) -> None:
    """Try all faults of a LAN, one by one."""
    why = unavailable()
    if why:
        soak.skip("all", why)
        return
    trials: dict[str, Callable[[Soak], None]] = {
        **{f"loss of {loss}%": partial(lose_frames, loss=loss) for loss in LOSSES},
        "switch": partial(play_by_switch, weather=WI_FI),
        "cuts": partial(cut_cables, cuts=CUTS),
        "sleep": sleep_and_wake,
        "restarts": restart_host,
    }
    for name, trial in trials.items():
        if soak.left():
            trial(soak)
        else:
            soak.skip(name, "the time was up")


def lose_frames(soak: Soak, loss: int) -> None:
    with _table(soak, f"loss of {loss}%") as lan:
        lan.network.lose(_everywhere(loss))
        _finish(soak, lan, "a game with loss", percent=loss)


def play_by_switch(soak: Soak, weather: Weather) -> None:
    """Play a whole game over a switch that delays, duplicates and reorders frames."""
    with _table(soak, "switch", weather) as lan:
        _finish(soak, lan, "a game by switch", weather=weather)


def cut_cables(
    soak: Soak, cuts: Iterable[Cut], loss: int = 0, pause: float = PAUSE_SECONDS
) -> None:
    """Unplug cables during games; everybody must see the last game to its end."""
    with _table(soak, "cuts", pause=pause) as lan:
        for cut in cuts:
            lan.network.lose(_everywhere(loss) | {cut.side: _WAYS[cut.way]})
            lan.play_on(cut.seconds)
            lan.network.lose({})
            _wait_for_all(soak, lan, "cut", cut_seconds=cut.seconds, side=cut.side, way=cut.way)
        _finish(soak, lan, "games with cuts")


def sleep_and_wake(soak: Soak) -> None:
    with _table(soak, "sleep", pause=PAUSE_SECONDS) as lan:
        for who, sleeper in ((GUESTS[0], lan.guests[0]), (HOST, lan.host)):
            _sleep(lan, sleeper)
            _wait_for_all(soak, lan, "sleep", slept_seconds=SLEEP_SECONDS, side=who)
        _finish(soak, lan, "games with sleep")


def _sleep(lan: Lan, sleeper: Guest | Host) -> None:
    sleeper.process.send_signal(SIGSTOP)
    lan.play_on(SLEEP_SECONDS)
    sleeper.process.send_signal(SIGCONT)


def restart_host(soak: Soak, restarts: int = RESTARTS, loss: int = BAD_LOSS) -> None:
    """Kill the host in mid-game and resume it from its record while links are bad."""
    with _table(soak, "restarts", pause=PAUSE_SECONDS) as lan:
        for _restart in range(restarts):
            lan.network.lose(_everywhere(loss))
            lan.until(lambda: lan.is_at(_IN_MID_GAME), GAME_SECONDS)
            before = lan.newest()
            lan.resume_host()
            _wait_for_all(soak, lan, "restart", before, percent=loss)
        lan.network.lose({})
        _finish(soak, lan, "games with restarts")


@contextmanager
def _table(
    soak: Soak, what: str, weather: Weather | None = None, pause: float = 0.0
) -> Iterator[Lan]:
    """Yield a table with everybody at it; a guest who fails to reconnect breaks a guarantee."""
    seed = soak.chance.randrange(1 << 32)
    try:
        with (
            tempfile.TemporaryDirectory() as folder,
            Network([HOST, *GUESTS], weather, seed) as network,
            Lan(network, Path(folder), seed, pause) as lan,
        ):
            yield lan
    except StuckError as error:
        soak.hold("games end, and everybody comes back", False, trial=what, seen=str(error))


def _everywhere(loss: int) -> dict[str, Loss]:
    return dict.fromkeys(GUESTS, Loss(loss, loss))


def _wait_for_all(
    soak: Soak, lan: Lan, what: str, before: Moment | None = None, **how: object
) -> None:
    """Wait until everybody is back, and report how many seconds that took.

    `before` is the newest position before the host restarted, if it did.
    """
    then = before or lan.newest()
    took = lan.until(lambda: lan.are_back(then, restarted=before is not None), BACK_SECONDS)
    soak.report(what, **how, back_after_seconds=round(took, 2))


def _finish(soak: Soak, lan: Lan, what: str, **how: object) -> None:
    """Play to the end, and check everybody's report against the record."""
    lan.finish(GAME_SECONDS)
    faults = lan.faults()
    soak.hold("everybody saw what the record says, and nothing is lost", not faults, faults=faults)
    soak.report(what, **how, game_seconds=lan.game_seconds(), **lan.figures())
