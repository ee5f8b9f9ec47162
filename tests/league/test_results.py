"""What the league counts of a game."""

from msgspec.structs import replace

from coffeerush.league.table import LeagueGame, league_game
from coffeerush.records.entries import End, Entry, Head, Move, Removal, Seated, read_record
from coffeerush.records.sharing import shared_so_far
from protocol import EndTurn, Serve, Undo
from tests.support.leagues import ANN, BOB, MINE, OTHER_ANN, game_of
from tests.support.records import lines

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
        assert game.absent == (counted(whole).seats[0].player,)
    for played in (-(-turns // 2), turns):
        assert counted(left(whole, ANN, played)) == counted(whole)


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
