"""Ratings and the league table, from results."""

from random import Random

import pytest
from msgspec.structs import replace

from coffeerush.league.table import (
    Career,
    HeadToHead,
    LeagueGame,
    LeagueSeat,
    Rating,
    league_of,
    merged_into,
    rated,
)


def game(number: int, *ranks: tuple[str, int], best_turn: int = 0) -> LeagueGame:
    """Return a game of players with their ranks; bots are called `bot`, and score -rank."""
    winners = sum(rank == 1 for _player, rank in ranks)
    seats = (
        LeagueSeat(
            player=player,
            name=player.title(),
            bot="regular" * (player == "bot"),
            program="",
            rank=rank,
            win=(rank == 1) / winners,
            score=-rank,
            best_turn=best_turn,
        )
        for player, rank in ranks
    )
    return LeagueGame(str(number), float(number), tuple(seats))


def careers(*games: LeagueGame, **merges: str) -> dict[str, Career]:
    return {one.entry.id: one for one in league_of(games, merges).careers}


def test_who_wins_gains_and_equal_ranks_gain_alike() -> None:
    after = rated({}, [("ann", 1), ("bob", 1), ("cid", 3), ("dee", 4)])
    assert after["ann"] == after["bob"]
    assert after["ann"].mean > Rating().mean > after["cid"].mean > after["dee"].mean
    assert all(one.deviation < Rating().deviation for one in after.values())


def test_a_victory_over_a_stronger_player_counts_more() -> None:
    strong = {"bob": Rating(1900, 100), "cid": Rating(1100, 100)}
    over_bob, over_cid = (rated(strong, [("ann", 1), (one, 2)])["ann"] for one in ("bob", "cid"))
    assert over_bob.mean > over_cid.mean > Rating().mean


def test_several_seats_of_a_bot_change_its_rating_by_their_mean() -> None:
    seats = [("ann", 1), ("bot", 2), ("bot", 3), ("bot", 4)]
    apart = rated({}, [("ann", 1), ("b", 2), ("c", 3), ("d", 4)])
    after = rated({}, seats)
    assert after["ann"] == apart["ann"]
    mean = sum(apart[one].mean for one in "bcd") / 3
    assert after["bot"].mean == pytest.approx(mean)


def test_bots_among_themselves_learn_nothing() -> None:
    assert rated({}, [("bot", 1), ("bot", 2)]) == {"bot": Rating()}


def test_the_better_of_two_ends_above_the_other() -> None:
    chance = Random(7)
    games = []
    for number in range(200):
        first, second = ("ann", "bob") if chance.random() < 0.7 else ("bob", "ann")
        games.append(game(number, (first, 1), (second, 2)))
    league = league_of(games, {})
    ann, bob = (one.entry for one in league.careers)
    assert ann.id == "ann"
    assert ann.rating - bob.rating > ann.uncertainty / 2
    assert ann.uncertainty < 2 * Rating().deviation / 4


def test_the_table_does_not_depend_on_the_order_of_the_records() -> None:
    chance = Random(7)
    games = []
    for number in range(60):
        players = chance.sample(["ann", "bob", "cid", "bot", "bot"], 4)
        games.append(game(number, *((one, rank) for rank, one in enumerate(players, 1))))
    expected = league_of(games, {"cid": "bob"})
    for _shuffle in range(3):
        chance.shuffle(games)
        assert league_of(games, {"cid": "bob"}) == expected


def test_a_copy_of_a_game_counts_once() -> None:
    one = game(1, ("ann", 1), ("bob", 2))
    assert league_of([one, one], {}) == league_of([one], {})


def test_a_career_has_shares_and_streaks() -> None:
    all_games = [
        game(1, ("ann", 1), ("bob", 2)),
        game(2, ("ann", 1), ("bob", 1), best_turn=3),
        game(3, ("bob", 1), ("ann", 2), best_turn=2),
        game(4, ("ann", 1), ("bob", 2)),
    ]
    ann = careers(*all_games)["ann"]
    entry = ann.entry
    assert (entry.games, entry.wins, entry.points) == (4, 2.5 / 4, -5 / 4)
    assert (entry.streak, entry.best_streak, entry.best_turn) == (1, 2, 3)
    assert [one.begun for one in ann.history] == [1, 2, 3, 4]
    assert ann.history[-1].rating == entry.rating
    assert ann.against == (HeadToHead("bob", 2, 1, 1),)
    assert careers(*all_games)["bob"].against == (HeadToHead("ann", 1, 1, 2),)


def test_a_game_counts_once_for_a_bot_with_two_seats() -> None:
    found = careers(game(1, ("bot", 1), ("ann", 2), ("bot", 3)))
    bot = found["bot"].entry
    assert (bot.games, bot.wins, bot.points, bot.streak) == (1, 0.5, -2, 1)
    assert (bot.name, bot.bot) == ("", "regular")
    assert found["ann"].against == (HeadToHead("bot", 1, 0, 1),)


def test_a_game_with_more_seats_of_a_bot_does_not_count_more() -> None:
    lost = game(1, ("ann", 1), ("bot", 2), ("bot", 3), ("bot", 4))
    won = game(2, ("bot", 1), ("ann", 2))
    bot = careers(lost, won)["bot"].entry
    assert (bot.games, bot.wins, bot.points) == (2, 0.5, (-3 - 1) / 2)


def test_the_certain_come_before_the_lucky() -> None:
    games = [game(number, ("ann", 1), ("bob", 2)) for number in range(30)]
    league = league_of([*games, game(40, ("new", 1), ("lost", 2))], {})
    assert league.careers[0].entry.id == "ann"
    new = next(one.entry for one in league.careers if one.entry.id == "new")
    assert new.uncertainty > league.careers[0].entry.uncertainty


def test_games_left_to_a_bot_are_counted_apart() -> None:
    whole, left = game(1, ("ann", 1), ("bob", 2)), game(2, ("ann", 1), ("bob", 2))
    found = careers(whole, replace(left, seats=left.seats[:1], absent=("bobby",)), bobby="bob")
    assert (found["bob"].entry.games, found["bob"].entry.absent) == (1, 1)
    assert (found["ann"].entry.games, found["ann"].entry.absent) == (2, 0)
    nobody = league_of([replace(left, seats=(), absent=("ann", "bob"))], {})
    assert (nobody.careers, nobody.games) == ((), 1)


def test_merged_people_are_one() -> None:
    games = [
        game(1, ("annie", 1), ("bob", 2)),
        game(2, ("ann", 1), ("bob", 2)),
        game(3, ("a", 1), ("bob", 2)),
    ]
    found = careers(*games, annie="a", a="ann")
    assert found.keys() == {"ann", "bob"}
    ann = found["ann"].entry
    assert (ann.name, ann.games, ann.best_streak, ann.also) == ("Ann", 3, 3, ("a", "annie"))
    assert found["bob"].against == (HeadToHead("ann", 0, 0, 3),)
    same = careers(*(game(one, ("ann", 1), ("bob", 2)) for one in (1, 2, 3)))["ann"]
    assert (ann.rating, ann.uncertainty) == (same.entry.rating, same.entry.uncertainty)


def test_a_circle_of_merges_ends() -> None:
    assert merged_into("ann", {"ann": "bob", "bob": "ann"}) in {"ann", "bob"}
