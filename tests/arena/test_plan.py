"""Comparisons: line-ups, games, their log, and what its head stands for."""

import os
import shutil
import stat
from collections import Counter
from itertools import combinations, permutations
from pathlib import Path
from random import Random
from statistics import fmean

import pytest
from msgspec.structs import replace

from coffeerush.arena.cluster import BlockLog, head_of
from coffeerush.arena.plan import (
    MAX_INTENTS_A_TURN,
    MAX_ORDERS,
    ArenaPlan,
    BlockResult,
    BotResult,
    FailedGame,
    GameResult,
    block_orders,
    hash_of,
    play_game,
    report,
    results_of,
)
from coffeerush.arena.statistics import estimate, win_shares
from coffeerush.bots import Bot, RandomBot, RegularBot
from coffeerush.errors import BotError, RecordError
from coffeerush.rules import Setup, replay, standard_deck, standings
from protocol import EndTurn, Intent, Phase, PlaceMeeple, Pour, Serve, Step, Undo, View
from tests.support.hosts_and_clients import ROOT
from tests.support.steering import TABLES, setup_of

# Who sits where in the games of an arena


def plan_of(bots: str, players: int = 0, seed: int = 0) -> ArenaPlan:
    return ArenaPlan(tuple(bots), players or len(bots), seed, False, standard_deck())


class Eager:
    """Serves, pours and walks whenever it can, in any direction."""

    def choose(self, view: View, chance: Random) -> Intent:
        assert view.own is not None
        for wanted in (Serve, Pour, Step):
            for option in view.own.options:
                if isinstance(option.intent, wanted):
                    return option.intent
        return RandomBot().choose(view, chance)


@pytest.mark.parametrize(
    ("bots", "games"), [("ab", 2), ("aa", 1), ("abc", 6), ("aab", 3), ("abaa", 4), ("abba", 6)]
)
def test_a_block_has_every_distinct_order_once_if_there_are_few(bots: str, games: int) -> None:
    plan = plan_of(bots)
    assert plan.games == games
    for block in range(3):
        played = [plan.seating(block * games + number) for number in range(games)]
        assert {one for one, _ in played} == {block}
        orders = ["".join(bots[entry] for entry in seated) for _, seated in played]
        assert sorted(orders) == sorted({"".join(order) for order in permutations(bots)})


@pytest.mark.parametrize("bots", ["ab", "abc"])
def test_each_entry_meets_every_neighbour_on_every_seat_equally_often(bots: str) -> None:
    met: Counter[tuple[int, ...]] = Counter()
    for seated in plan_of(bots).seatings(0):
        met.update((seat, *seated[seat:], *seated[:seat]) for seat in range(len(bots)))
    around = permutations(range(len(bots)))
    assert met == {(seat, *others): 1 for others in around for seat in range(len(bots))}


@pytest.mark.parametrize("bots", ["aa", "aba", "aaa", "abab", "aabb", "abbb", "aaaa"])
def test_equal_bots_swap_seats(bots: str) -> None:
    plan = plan_of(bots)
    every = [*permutations(range(len(bots)))]
    assert sorted(plan.seating(game)[1] for game in range(len(every))) == every


@pytest.mark.parametrize(
    ("bots", "players"), [("abcd", 4), ("abbc", 4), ("abcde", 2), ("abcde", 3), ("aabcdefg", 4)]
)
def test_in_a_circle_every_entry_gets_every_seat_once(bots: str, players: int) -> None:
    assert players < len(bots) or len(block_orders(bots)) > MAX_ORDERS
    plan = plan_of(bots, players)
    for block in range(3):
        tables = plan.seatings(block)
        assert len(tables) == plan.games == len(bots)
        assert all(len({*seated}) == players for seated in tables)
        for seat in range(players):
            assert sorted(seated[seat] for seated in tables) == [*range(len(bots))]


def test_in_a_circle_everybody_meets_everybody_else_about_equally_often() -> None:
    plan = plan_of("abcdef", 3)
    met: Counter[tuple[int, ...]] = Counter()
    for block in range(500):
        for seated in plan.seatings(block):
            met.update(combinations(sorted(seated), 2))
    expected = 500 * 6 * 3 / 15
    assert len(met) == 15
    assert all(abs(count - expected) < 0.1 * expected for count in met.values())


def test_the_circle_does_not_depend_on_the_order_of_typing() -> None:
    tables = set()
    for bots in ("abcde", "edcba", "cadbe"):
        plan = plan_of(bots, 4, 7)
        tables.add(tuple("".join(bots[e] for e in seated) for seated in plan.seatings(3)))
    assert len(tables) == 1


@pytest.mark.slow
def test_equal_bots_come_out_equal_in_every_order_of_typing() -> None:
    blocks = 12
    together = set()
    for bots in block_lineups("eerr"):
        results = play_blocks(bots, blocks)
        shares = [
            fmean(game) for game in zip(*(win_shares(bots, one) for one in results), strict=True)
        ]
        assert sum(shares) == pytest.approx(1)
        by_bot = {bots[entry]: round(share, 9) for entry, share in enumerate(shares)}
        assert [round(share, 9) for share in shares] == [by_bot[bot] for bot in bots]
        together.add((by_bot["e"], by_bot["r"]))
        for entry, bot in enumerate(bots):
            own = [win_shares("1234", one)[entry] for one in results]  # as if none were equal
            seen = estimate([fmean(own[at : at + 6]) for at in range(0, len(own), 6)])
            assert seen.low <= by_bot[bot] <= seen.high
    assert len(together) == 1


def block_lineups(bots: str) -> list[str]:
    return sorted({"".join(order) for order in permutations(bots)})


def play_blocks(bots: str, blocks: int) -> list[tuple[BotResult, ...]]:
    """Return the results of each game between eager (e) and random (r) bots."""
    results = []
    plan = plan_of(bots)
    for game in range(blocks * plan.games):
        block, seated = plan.seating(game)
        line = [Eager() if bots[entry] == "e" else RandomBot() for entry in seated]
        played = play_game(Setup(len(bots), standard_deck(), block), line)
        results.append(results_of(played, seated))
    return results


# A single game between bots in process


SETUP = Setup(3, standard_deck(), 1, first=0)


class Attentive:
    """Plays at random, and records its Views and random generators."""

    def __init__(self) -> None:
        self.views: list[View] = []
        self.drawn: list[float] = []

    def choose(self, view: View, chance: Random) -> Intent:
        self.views.append(view)
        self.drawn.append(chance.random())
        return RandomBot().choose(view, chance)


class Cheat:
    """Plays at random, but ends its turn when it must move."""

    def choose(self, view: View, chance: Random) -> Intent:
        return EndTurn() if view.phase is Phase.MOVING else RandomBot().choose(view, chance)


class Ditherer:
    """Undoes everything it does."""

    def choose(self, view: View, chance: Random) -> Intent:
        assert view.own is not None
        return Undo() if view.own.undo else RandomBot().choose(view, chance)


class Stubborn:
    """Places its meeple on an occupied cell."""

    def choose(self, view: View, chance: Random) -> Intent:
        return PlaceMeeple(0)


def three(bot: Bot) -> list[Bot]:
    return [bot, RandomBot(), RandomBot()]


@pytest.mark.parametrize(("players", "starters"), TABLES)
def test_a_game_is_played_to_its_end(players: int, starters: bool) -> None:
    setup = setup_of(players, starters, 3)
    played = play_game(setup, [RegularBot(), *[RandomBot()] * (players - 1)])
    assert played.final.phase is Phase.OVER
    assert played.standings == standings(played.final)
    *_, last = replay(setup, played.moves)
    assert last == played.final


def test_the_same_seed_makes_the_same_moves() -> None:
    games = [play_game(SETUP, [RegularBot(), RandomBot(), Attentive()]) for _ in range(2)]
    assert games[0].moves == games[1].moves
    other = Setup(3, standard_deck(), 2, first=0)
    assert play_game(other, [RegularBot(), RandomBot(), Attentive()]).moves != games[0].moves


def test_bots_get_views_of_their_seat_and_nothing_else() -> None:
    # R-INFO-2
    bots = [Attentive(), Attentive(), Attentive()]
    play_game(SETUP, bots)
    for seat, bot in enumerate(bots):
        assert bot.views
        for view in bot.views:
            assert type(view) is View
            assert view.own is not None
            assert view.own.seat == seat == view.active
            assert view.own.options


def test_each_bot_has_its_own_randomness() -> None:
    """The numbers that one bot draws do not depend on how many another one has drawn."""
    alone, beside = Attentive(), Attentive()
    play_game(SETUP, [alone, RandomBot(), RandomBot()])
    play_game(SETUP, [beside, RegularBot(), RegularBot()])
    assert alone.drawn[0] == beside.drawn[0]
    first, second = Attentive(), Attentive()
    play_game(SETUP, [first, second, RandomBot()])
    assert first.drawn[0] != second.drawn[0]


def test_an_illegal_choice_is_the_bots_fault() -> None:
    with pytest.raises(BotError, match=r"The bot in seat 1 chose EndTurn\(\), which was not one"):
        play_game(SETUP, three(Cheat()))
    with pytest.raises(BotError, match=r"The bot in seat 2 chose PlaceMeeple\(cell=0\), which was"):
        play_game(SETUP, [Stubborn(), Stubborn(), Stubborn()])


def test_an_endless_turn_is_the_bots_fault() -> None:
    with pytest.raises(BotError, match="seat 1 never ends its turn; it must choose EndTurn"):
        play_game(SETUP, three(Ditherer()))
    assert MAX_INTENTS_A_TURN >= 300, "the longest honest turn pours every token there is"


def test_results_have_the_score_of_each_entry() -> None:
    played = play_game(SETUP, [RandomBot(), RegularBot(), RandomBot()])
    results = results_of(played, [2, 0, 1])
    assert [one.rank for one in results] == sorted(one.rank for one in results)
    assert {one.seat: one.entry for one in results} == {0: 2, 1: 0, 2: 1}
    best = played.final.players[1]
    assert results[0] == BotResult(
        entry=0,
        seat=1,
        rank=1,
        score=results[0].score,
        completed=len(best.completed),
        penalties=len(best.penalties),
        upgrades=best.upgrades.bit_count(),
    )
    one = results[0]
    assert one.score == one.completed + 2 * one.upgrades - one.penalties  # R-END-2


# The file of `--resume`


PLAN = ArenaPlan(("random", "a.py:A"), 2, 7, False, standard_deck())
HEAD = head_of(PLAN, (None, "class A: pass"))


def block(number: int) -> BlockResult:
    result = GameResult(number, 7 + number, 9, 99, (BotResult(0, 1, 1, 5, 5, 0, 0),))
    error = BotError("{bot} exited unexpectedly; fix the bot.", bot="a.py:A")
    return BlockResult(
        number, (result,), (FailedGame(number, 7, 1, 0, error.text, {"bot": "a.py:A"}),)
    )


def written(path: Path, *numbers: int) -> bytes:
    """Write blocks to a log, and return what is in the file."""
    with BlockLog(path, HEAD) as log:
        for number in numbers:
            log.append(block(number))
            assert path.read_bytes().endswith(b"\n"), "every line is flushed"
    return path.read_bytes()


def test_what_was_written_is_read_again(tmp_path: Path) -> None:
    written(tmp_path / "log", 0, 2)
    assert written(tmp_path / "log", 1).count(b"\n") == 4
    with BlockLog(tmp_path / "log", HEAD) as log:
        assert log.blocks == (block(0), block(2), block(1))
        assert str(log.blocks[0].failed[0].error) == "a.py:A exited unexpectedly; fix the bot."


def test_its_mode_is_that_of_any_new_file(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        written(tmp_path / "log")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "log").stat().st_mode) == 0o640


def test_an_incomplete_last_line_is_dropped(tmp_path: Path) -> None:
    whole = written(tmp_path / "log", 0, 1)
    last = whole.rindex(b"\n", 0, -1) + 1
    for cut in [*range(0, len(whole), 9), len(whole) - 1]:
        (tmp_path / "log").write_bytes(whole[:cut])
        kept = max(0, whole.count(b"\n", 0, cut) - 1)
        with BlockLog(tmp_path / "log", HEAD) as log:
            assert log.blocks == (block(0), block(1))[:kept]
            log.append(block(5))
        if cut >= last:
            assert (tmp_path / "log").read_bytes().startswith(whole[:last])
        with BlockLog(tmp_path / "log", HEAD) as log:
            assert log.blocks[-1] == block(5)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"bots": ("random", "b.py:B")}, r"has games of other bots \(random,a.py:A\)"),
        ({"sources": ("", "0")}, "a.py:A has changed since .*log was written"),
        ({"version": "0.0.1"}, "another version of Coffee Rush"),
        ({"code": "0"}, "another version of Coffee Rush"),
        ({"seed": 8}, r"another seed \(7\)"),
        ({"players": 3}, "another number of players"),
        ({"deck": "0"}, "another deck"),
        ({"starters": True}, "other starter orders"),
    ],
)
def test_the_file_of_another_comparison_is_refused(
    tmp_path: Path, changed: dict[str, object], said: str
) -> None:
    before = written(tmp_path / "log", 0)
    with pytest.raises(RecordError, match=said):
        BlockLog(tmp_path / "log", replace(HEAD, **changed))
    assert (tmp_path / "log").read_bytes() == before


def test_a_plan_has_its_own_head() -> None:
    sources = (None, "class A: pass")
    assert head_of(replace(PLAN, seed=8), sources) != HEAD
    assert head_of(PLAN, (None, "class A: ...")) != HEAD
    fewer = replace(PLAN.deck, drinks=PLAN.deck.drinks[1:])
    assert head_of(replace(PLAN, deck=fewer), sources) != HEAD


@pytest.mark.parametrize(
    "data",
    [
        *(b"a note", b"a note\n", b"{}\n{}\n", b"\xff\n", b'{"\xff":1}\n', b"\n"),
        *(b'{"bots":["\xff"]}\n', b'{"x":' + b"[" * 100_000 + b"\n"),
    ],
)
def test_any_other_file_is_refused_and_kept(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "log").write_bytes(data)
    with pytest.raises(RecordError, match="is not a --resume file, or it is damaged"):
        BlockLog(tmp_path / "log", HEAD)
    assert (tmp_path / "log").read_bytes() == data


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"block":0', b'"block":"0"'),
        (b"exited", b"exit\xffd"),
        (b'"block":0', b'"block":0,"more":' + b"[" * 20_000),
    ],
)
def test_a_damaged_line_is_refused(tmp_path: Path, old: bytes, new: bytes) -> None:
    whole = written(tmp_path / "log", 0, 1)
    damaged = whole.replace(old, new)
    (tmp_path / "log").write_bytes(damaged + b'{"block":')
    with pytest.raises(RecordError, match="is damaged"):
        BlockLog(tmp_path / "log", HEAD)
    assert (tmp_path / "log").read_bytes() == damaged + b'{"block":'


def test_a_file_in_use_is_refused(tmp_path: Path) -> None:
    with (
        BlockLog(tmp_path / "log", HEAD),
        pytest.raises(RecordError, match="Another program is using"),
    ):
        BlockLog(tmp_path / "log", HEAD)
    with pytest.raises(RecordError, match="Is a directory"):
        BlockLog(tmp_path, HEAD)


# What has to be the same wherever games are compared


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of our packages, or of what matters of them."""
    folder = tmp_path_factory.mktemp("copy")
    ignored = shutil.ignore_patterns("locale", "ui", "guests", "__pycache__")
    for package in ("coffeerush", "protocol"):
        shutil.copytree(ROOT / package, folder / package, ignore=ignored)
    return folder


@pytest.mark.parametrize(
    "name",
    [
        "protocol/terms.py",
        "coffeerush/levels.py",
        "coffeerush/rules/engine.py",
        "coffeerush/bots/weights.json",
        "coffeerush/bots/planner.py",
        "coffeerush/decks/standard.toml",
        "coffeerush/arena/plan.py",
    ],
)
def test_a_change_that_matters_has_another_hash(root: Path, name: str) -> None:
    ours = report().code
    assert hash_of(root) == ours
    path = root / name
    before = path.read_bytes()
    path.write_bytes(before + b"\n")
    changed = hash_of(root)
    path.write_bytes(before)
    assert changed != ours


def test_a_change_that_does_not_matter_has_the_same_hash(root: Path) -> None:
    for name in ("coffeerush/cli/main.py", "protocol/SPEC.md"):
        with (root / name).open("a") as file:
            file.write("\n")
    assert hash_of(root) == report().code
