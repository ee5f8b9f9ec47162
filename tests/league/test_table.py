"""The table of the house league: results, ratings, games together."""

from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from coffeerush.league.store import league_directory, load_league, load_together
from coffeerush.league.table import (
    Career,
    HeadToHead,
    LeagueGame,
    LeagueSeat,
    OwnRecord,
    Rating,
    Together,
    key_id,
    latest_evening,
    league_game,
    league_of,
    merge,
    merged_into,
    own_record,
    rated,
)
from coffeerush.local.files import STATE_VARIABLE
from coffeerush.records.entries import End, Entry, Head, Move, Removal, Seated, read_record
from coffeerush.records.sharing import shared_so_far
from coffeerush.records.writing import load_record
from protocol import EndTurn, Serve, Step, Undo
from tests.support.leagues import ANN, BOB, MINE, OTHER_ANN, game_of, save
from tests.support.records import lines

# What the league counts of a game


FOUR = (ANN, BOB, OTHER_ANN, MINE)


def counted(entries: list[Entry]) -> LeagueGame:
    game = league_game(read_record(lines(entries)), 1e9)
    assert game is not None
    return game


def best_turns(entries: list[Entry], seats: int) -> list[int]:
    """Count the orders served by turn from the moves alone."""
    best, stack = [0] * seats, [0]
    for move in entries:
        if isinstance(move, Move):
            if isinstance(move.intent, Undo):
                stack.pop()
                continue
            stack.append(stack[-1] + isinstance(move.intent, Serve))
            if isinstance(move.intent, EndTurn):
                best[move.seat] = max(best[move.seat], stack[-1])
                stack = [0]
    return best


def test_a_game_has_each_players_result() -> None:
    entries = game_of(*FOUR)
    end = entries[-1]
    assert isinstance(end, End)
    game, best = counted(entries), best_turns(entries, 4)
    assert [one.name for one in game.seats] == [one.name for one in FOUR]
    assert [one.rank for one in game.seats] == [1, 2, 3, 4]
    assert [one.win for one in game.seats] == [1, 0, 0, 0]
    assert [one.score for one in game.seats] == [one.score for one in end.standings]
    assert [one.best_turn for one in game.seats] == [best[one.seat] for one in end.standings]
    assert any(best)


def test_people_are_known_by_their_key_and_bots_by_their_version() -> None:
    before = {one.name: one for one in counted(game_of(*FOUR)).seats}
    ids = {one.player for one in counted(game_of(*FOUR)).seats}
    assert len(ids) == 4, "two people called Ann are two"
    renamed = counted(game_of(replace(ANN, name="Annie"), *FOUR[1:])).seats
    assert next(one.player for one in renamed if one.name == "Annie") in ids
    later = {one.name: one for one in counted(game_of(*FOUR, program="0.2.0")).seats}
    assert later["Bob"] == before["Bob"]
    bots = before["mine 4"], later["mine 4"]
    assert [one.program for one in bots] == ["0.1.0", "0.2.0"]
    assert bots[0].player != bots[1].player


def test_neither_keys_nor_folders_leave_the_record() -> None:
    game = counted(game_of(*FOUR))
    assert [one.bot for one in game.seats if one.bot] == ["mine.py:Mine"]
    assert "/home" not in repr(game)
    assert not any(one.key in repr(game) for one in (ANN, BOB, OTHER_ANN))


def test_a_person_without_a_key_is_known_by_their_name() -> None:
    ann, bob = Seated("Ann"), Seated("Bob")
    game = counted(game_of(ann, bob, ann, ANN))
    assert len({one.player for one in game.seats}) == 3


def test_a_kicked_persons_seat_is_nobodys() -> None:
    head, *others = game_of(*FOUR)
    assert isinstance(head, Head)
    game = counted([head, Removal(FOUR[0].key, head.seats.index(FOUR[0])), *others])
    assert [one.rank for one in game.seats] == [2, 3, 4]
    assert not any(one.win for one in game.seats), "a bot has won for somebody who is gone"
    assert len(game.absent) == 1


def left(entries: list[Entry], who: Seated, turns: int) -> list[Entry]:
    """Return a game with the keys of the moves, in which somebody leaves after so many turns."""
    head = entries[0]
    assert isinstance(head, Head)
    seat, told = head.seats.index(who), list[Entry]()
    for one in entries:
        if isinstance(one, Move):
            here = one.seat != seat or turns > 0
            turns -= one.seat == seat and isinstance(one.intent, EndTurn)
            one = replace(one, key=head.seats[one.seat].key if here else "")
        told.append(one)
    return told


def test_a_game_that_a_stand_in_played_is_not_the_persons() -> None:
    whole = game_of(*FOUR)
    head = whole[0]
    assert isinstance(head, Head)
    seat = head.seats.index(ANN)
    turns = sum(isinstance(e, Move) and (e.seat, e.intent) == (seat, EndTurn()) for e in whole)
    others = counted(whole).seats[1:]
    for played in (0, (turns - 1) // 2):
        game = counted(left(whole, ANN, played))
        assert game.seats == others
        assert game.absent == (counted(whole).seats[0],)
    for played in (-(-turns // 2), turns):
        assert counted(left(whole, ANN, played)) == counted(whole)


def test_who_is_back_for_their_last_turn_has_played_the_game() -> None:
    whole = game_of(*FOUR)
    head = whole[0]
    assert isinstance(head, Head)
    seat = head.seats.index(ANN)
    keyed, gone = left(whole, ANN, 999), left(whole, ANN, 0)
    ends = [
        place
        for place, one in enumerate(whole)
        if isinstance(one, Move) and (one.seat, one.intent) == (seat, EndTurn())
    ]
    assert counted([*gone[: ends[-1]], *keyed[ends[-1] :]]) == counted(whole)
    before = [*gone[: ends[-2]], *keyed[ends[-2] : ends[-2] + 1], *gone[ends[-2] + 1 :]]
    assert [one.name for one in counted(before).absent] == ["Ann"]


def test_a_copy_tells_who_moved() -> None:
    game = left(game_of(*FOUR), ANN, 1)
    copy = read_record(shared_so_far(read_record(lines(game))).data)
    assert league_game(copy, 1e9) == counted(game)
    assert league_game(copy, 1e9) != counted(game_of(*FOUR))


def test_nobody_was_absent_in_a_copy_without_keys() -> None:
    game = [replace(one, key="") if isinstance(one, Move) else one for one in game_of(*FOUR)]
    copy = league_game(read_record(shared_so_far(read_record(lines(game))).data), 1e9)
    assert copy is not None
    assert len(copy.seats) == 4


def test_in_a_host_s_record_without_keys_everybody_was_absent() -> None:
    game = [replace(one, key="") if isinstance(one, Move) else one for one in game_of(*FOUR)]
    assert [one.name for one in counted(game).seats] == [MINE.name]


def test_an_unfinished_game_has_no_result() -> None:
    assert league_game(read_record(lines(game_of(*FOUR)[:-1])), 1e9) is None


def test_a_copy_is_the_same_game_and_a_rematch_is_not() -> None:
    assert counted(game_of(*FOUR)).id == counted(game_of(*FOUR)).id
    assert counted(game_of(*FOUR)).id != counted(game_of(*FOUR, number=2)).id


def test_a_deal_that_is_played_again_is_another_game() -> None:
    """As that of the first game with a guide, which is always the same."""
    entries = game_of(*FOUR)
    steps = (
        entry for entry in entries if isinstance(entry, Move) and isinstance(entry.intent, Step)
    )
    step = next(steps)
    again = replace(step, rev=step.rev + 1, intent=Undo()), replace(step, rev=step.rev + 2)
    later = (
        replace(entry, rev=entry.rev + 2) if isinstance(entry, Move) else entry
        for entry in entries[step.rev + 1 :]
    )
    assert counted([*entries[: step.rev + 1], *again, *later]).id != counted(entries).id


# Ratings and the league table, from results


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
    assert (bot.alone, bot.shared) == (1, 0)
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
    bobby = (replace(left.seats[1], player="bobby"),)
    found = careers(whole, replace(left, seats=left.seats[:1], absent=bobby), bobby="bob")
    assert (found["bob"].entry.games, found["bob"].entry.absent) == (1, 1)
    assert (found["ann"].entry.games, found["ann"].entry.absent) == (2, 0)
    nobody = league_of([replace(left, seats=(), absent=left.seats)], {})
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


def test_the_results_under_several_ids_are_added_up() -> None:
    games = [
        game(1, ("annie", 1), ("bob", 2), best_turn=2),
        game(2, ("ann", 1), ("bob", 1), best_turn=1),
        game(3, ("a", 2), ("bob", 1), best_turn=3),
        game(4, ("cid", 1), ("bob", 2), best_turn=4),
    ]
    league = league_of(games, {"annie": "ann"})
    assert own_record(league, {"annie", "a"}) == OwnRecord(games=3, alone=1, shared=1, best_turn=3)
    assert own_record(league, {"nobody"}) is None
    assert counted(game_of(ANN, BOB, MINE, OTHER_ANN)).seats[0].player == key_id(ANN.key)


def test_a_circle_of_merges_ends() -> None:
    assert merged_into("ann", {"ann": "bob", "bob": "ann"}) in {"ann", "bob"}


# The results of the people at a table in all games that they have played together


CID = Seated("Cid", key="d" * 40)
DEE, EVE, FAY = (Seated(name, key=name[0] * 40) for name in ("Dee", "Eve", "Fay"))
CASUAL, EXPERT = Seated("casual 3", bot="casual"), Seated("expert 4", bot="expert")


@pytest.fixture
def records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the directory of the records, next to that of the league."""
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path))
    return tmp_path / "records"


def played(records: Path, *games: Sequence[Seated]) -> Together | None:
    """Save games, each with its players best first, and count those of the people of the last."""
    saved = [save(records, game_of(*one, number=day), day) for day, one in enumerate(games, 1)]
    return load_together(records, saved[-1])


def test_games_with_all_of_the_people_count_no_matter_who_else_played(records: Path) -> None:
    together = played(
        records,
        (ANN, BOB, CASUAL, EXPERT),
        (CID, BOB, ANN, MINE),
        (ANN, CID, CASUAL, EXPERT),  # without Bob
        (BOB, ANN, CASUAL, MINE),
        (BOB, CASUAL, ANN, EXPERT),
    )
    assert together
    assert together.games == 4
    people = {one.career.entry.name: one for one in together.people}
    assert [*people] == [one.career.entry.name for one in together.players]
    assert sorted(people) == ["Ann", "Bob"]
    ann, bob = people["Ann"], people["Bob"]
    assert (ann.wins, ann.career.entry.streak) == (1, 0)
    assert (bob.wins, bob.career.entry.streak) == (2, 2)
    against = bob.against(ann)
    assert against
    assert (against.ahead, against.level, against.behind) == (3, 0, 1)
    assert bob.against(bob) is None
    (record,) = records.glob("*-5.record")
    seats = load_record(record).head.seats
    assert [seats[one.seats[0]].name for one in together.people] == [*people]


def test_somebody_alone_is_compared_with_the_bots(records: Path) -> None:
    game = (ANN, CASUAL, CASUAL, EXPERT)
    together = played(records, game, (CASUAL, ANN, CASUAL, EXPERT), (ANN, BOB, CID, MINE), game)
    assert together
    assert together.games == 3
    (ann,) = together.people
    assert ann.wins == 2
    others = [one for one in together.players if one is not ann]
    assert sorted(len(one.seats) for one in others) == [1, 2]
    casual = next(one for one in others if len(one.seats) == 2)
    met = ann.against(casual)
    assert met
    assert (met.ahead, met.behind) == (5, 1)


def test_the_first_game_together_is_not_compared(records: Path) -> None:
    assert played(records, (ANN, BOB, CASUAL, EXPERT), (ANN, CID, CASUAL, EXPERT)) is None
    assert played(records, (CASUAL, EXPERT, MINE, CASUAL)) is None


def test_an_evening_in_which_people_took_turns_counts_as_a_whole(records: Path) -> None:
    hour = 1 / 24
    evening = [
        (0, game_of(ANN, BOB, CASUAL, EXPERT)),  # the day before
        (1, game_of(ANN, MINE, CASUAL, EXPERT, number=2)),  # with nobody else
        (1 + hour / 2, game_of(CID, BOB, CASUAL, EXPERT, number=6)),
        (1 + hour, game_of(ANN, BOB, CID, EXPERT, number=3)),
        (1 + 2 * hour, left(game_of(BOB, OTHER_ANN, CID, EXPERT, number=4), CID, 0)),
        (1 + 3 * hour, left(game_of(CID, ANN, OTHER_ANN, EXPERT, number=5), OTHER_ANN, 0)),
    ]
    paths = [save(records, told, day) for day, told in evening]
    together = load_together(records, paths[-1])
    assert together
    assert together.evening
    assert together.games == 4
    won = [
        (one.career.entry.name, one.wins, one.career.entry.games, one.left)
        for one in together.players
    ]
    here = [("Ann", 0, 2, 1), ("Ann", 1, 2, 0), ("Cid", 2, 4, 1)]
    assert sorted(won[:3]) == here, "also if a bot has played for them"
    assert won[3:] == [("Bob", 1, 3, 0)], "he is not at this table now"
    assert together.people == together.players[:3]
    always = played(records, *((ANN, BOB, CASUAL, EXPERT),) * 3)
    assert always
    assert not always.evening


def test_the_latest_evening_counts_games_as_a_result_does(records: Path) -> None:
    evening = [
        game_of(ANN, BOB, CID, EXPERT, number=1),
        left(game_of(BOB, ANN, CID, EXPERT, number=2), BOB, 0),
        game_of(CID, ANN, CASUAL, EXPERT, number=3),
    ]
    paths = [save(records, told, number / 24) for number, told in enumerate(evening)]
    together = load_together(records, paths[-1])
    latest = load_league(records, lambda _done, _total: None).evening
    assert together
    assert latest
    entries = [(one.career.entry, one.left) for one in together.everybody]
    by_result = {(one.id, one.alone, one.shared, one.games, left) for one, left in entries}
    people = [one for one in latest.players if not one.bot]
    assert by_result == {(one.id, one.alone, one.shared, one.games, one.absent) for one in people}
    assert [(one.name, one.wins, one.absent) for one in people if one.absent] == [("Bob", 1, 1)]


def test_friends_at_another_table_count_in_the_evening(records: Path) -> None:
    hour = 1 / 24
    evening = [
        (1.0, game_of(ANN, BOB, CASUAL, EXPERT, number=1)),
        (1 + hour, game_of(CID, BOB, CASUAL, EXPERT, number=2)),
        (1 + hour, game_of(DEE, EVE, CASUAL, EXPERT, number=3)),  # whom nobody has met
        (1 + 2 * hour, game_of(ANN, FAY, CASUAL, EXPERT, number=4)),
    ]
    paths = [save(records, told, day) for day, told in evening]
    together = load_together(records, paths[-1])
    assert together
    assert (together.evening, together.games) == (True, 3)
    assert sorted(one.career.entry.name for one in together.people) == ["Ann", "Fay"]
    others = [(one.career.entry.name, one.wins) for one in together.everybody if not one.seats]
    assert others == [("Cid", 1), ("Bob", 0)]


def test_the_game_just_over_counts_once_however_many_copies_there_are(records: Path) -> None:
    games = [game_of(ANN, BOB, CASUAL, EXPERT, number=number) for number in (1, 2)]
    save(records, games[0], 1)
    own = save(records, games[1], 2)
    copy = own.with_name("copy.record")
    copy.write_bytes(shared_so_far(load_record(own)).data)
    for path in (own, copy, own):
        together = load_together(records, path)
        assert together
        assert together.games == 2


def test_a_person_with_two_keys_is_one(records: Path) -> None:
    before = replace(OTHER_ANN, name="Annie")
    assert played(records, (before, BOB, CID, MINE), (ANN, BOB, CID, MINE)) is None
    known = load_together(records, save(records, game_of(ANN, BOB, CID, MINE, number=3), 3))
    assert known
    ids = {one.career.entry.name: one.career.entry.id for one in known.people}
    again = load_together(records, save(records, game_of(before, BOB, CID, MINE, number=4), 4))
    assert again
    annie = next(o.career.entry.id for o in again.people if o.career.entry.name == "Annie")
    merge(league_directory(), annie, ids["Ann"])
    (path,) = records.glob("*-3.record")
    together = load_together(records, path)
    assert together
    assert together.games == 4


def test_without_the_record_there_is_nothing_to_compare(records: Path) -> None:
    path = save(records, game_of(ANN, BOB, CID, MINE), 1)
    path.write_bytes(path.read_bytes()[:-5])
    assert load_together(records, path) is None


# The latest evening


def begun(hours: float, *ranks: tuple[str, int], rounds: int = 9, best_turn: int = 0) -> LeagueGame:
    result = game(int(60 * hours), *ranks, best_turn=best_turn)
    return replace(result, begun=3600 * hours, rounds=rounds)


def test_an_evening_ends_where_six_hours_pass_without_a_new_game() -> None:
    before = begun(0, ("ann", 1), ("bob", 2))
    games = [before, *(begun(hours, ("ann", 2), ("bob", 1)) for hours in (6.1, 12.1, 14))]
    evening = league_of(reversed(games), {}).evening
    assert evening is not None
    assert [*evening.games] == games[1:]
    assert league_of([before], {}).evening == latest_evening([before], {})
    assert league_of([], {}).evening is None


def test_people_without_a_victory_are_in_the_order_of_their_places() -> None:
    games = [
        begun(1, ("bot", 1), ("dee", 2), ("cid", 3), ("bob", 4)),
        begun(2, ("ann", 1), ("dee", 2)),
    ]
    evening = latest_evening(games, {})
    assert evening is not None
    assert [player.id for player in evening.players] == ["ann", "dee", "cid", "bob", "bot"]


def test_a_game_that_everybody_left_to_bots_is_not_in_the_evening() -> None:
    played = begun(1, ("ann", 1), ("bob", 2))
    other = begun(2, ("ann", 1), ("bob", 2))
    left = replace(other, seats=(), absent=other.seats)
    evening = latest_evening([played, left], {})
    assert evening is not None
    assert evening.games == (played,)
    assert latest_evening([left], {}) is None


def test_who_left_their_games_to_a_bot_is_among_the_people_of_an_evening() -> None:
    whole = begun(1, ("ann", 1), ("bob", 2), ("bot", 3))
    last = begun(2, ("ann", 1), ("bob", 2), ("cid", 3))
    games = [
        replace(whole, seats=whole.seats[1:], absent=whole.seats[:1]),
        replace(last, seats=last.seats[:2], absent=last.seats[2:]),
    ]
    evening = latest_evening(games, {"cid": "dee"})
    assert evening is not None
    assert [(one.id, one.name, one.games, one.absent, one.wins) for one in evening.players] == [
        ("ann", "Ann", 2, 1, 2),
        ("bob", "Bob", 2, 0, 0),
        ("dee", "Cid", 1, 1, 0),
        ("bot", "", 1, 0, 0),
    ]


def test_an_evening_has_victories_streaks_best_turn_and_fastest_game() -> None:
    games = [
        begun(1, ("ann", 1), ("bob", 2), rounds=8),
        begun(2, ("ann", 1), ("bob", 1), ("bot", 3), rounds=7, best_turn=3),
        begun(3, ("bob", 1), ("ann2", 2), rounds=7, best_turn=1),
    ]
    evening = latest_evening(games, {"ann2": "ann"})
    assert evening is not None
    told = {
        player.id: (
            player.name,
            player.games,
            player.alone,
            player.shared,
            player.best_streak,
            player.best_turn,
        )
        for player in evening.players
    }
    assert told == {
        "ann": ("Ann2", 3, 1, 1, 2, 3),
        "bob": ("Bob", 3, 1, 1, 2, 3),
        "bot": ("", 1, 0, 0, 0, 3),
    }
    assert [*told] == ["ann", "bob", "bot"]
    assert evening.fastest == games[1]
