"""The tournament of a host on the full screen: announced, entered, played, and its standings."""

from random import Random

import pytest
from msgspec.structs import replace

from coffeerush.client.model import Model, rules_of
from coffeerush.ui.table.actions import Action, labels_of
from coffeerush.ui.table.draw_game import draw
from coffeerush.ui.table.draw_result import result_notes
from coffeerush.ui.table.on_update import RESULT_SECONDS
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.terminal.keys import ENTER, ESCAPE
from coffeerush.ui.words.table import hall_line
from coffeerush.ui.words.tournament import tournament_news
from protocol import (
    NO_ID,
    BeginRound,
    BeginTournament,
    EndTournament,
    Enter,
    Ready,
    SeatView,
    Start,
    TableSummary,
    TournamentPlayer,
    TournamentRules,
    TournamentView,
)
from tests.support.local import LocalTable, invited, play
from tests.support.once import copied
from tests.ui.table.test_on_key import Hands

NAMES = ("Ann", "Bob", "Cid", "Dee", "Eve")


class Room:
    """People at a host whose owner, Ann, holds a tournament."""

    def __init__(self, count: int) -> None:
        self.local = LocalTable(4)
        names = NAMES[:count]
        roles = ("player",) * 4 + ("spectator",) * (count - 4)
        self.people = [
            Hands(self.local.link(name, role))  # type: ignore[arg-type]
            for name, role in zip(names, roles, strict=False)
        ]
        self.local.tick()  # the owner asks whether the hall is theirs

    @property
    def ann(self) -> Hands:
        return self.people[0]

    def second(self) -> None:
        """Let a second pass: the hall tells what has changed."""
        self.local.now += 1
        self.local.tick()
        for hands in self.people:
            hands.now += 1
            hands.look()

    def announce(self) -> None:
        self.ann.press("T", "a")
        self.second()

    def enter(self) -> None:
        for hands in self.people:
            hands.press(*(() if hands is self.ann else ("T",)), "e")
        self.second()

    def begin(self) -> None:
        self.ann.press("b")
        self.ann.settle()
        self.second()


@copied
def announced(count: int = 2) -> Room:
    room = Room(count)
    room.announce()
    return room


@copied
def entered(count: int = 2) -> Room:
    room = announced(count)
    room.enter()
    return room


@copied
def in_round(count: int = 2) -> Room:
    room = entered(count)
    room.begin()
    return room


def view_of(hands: Hands) -> TournamentView:
    view = hands.link.model.tournament
    assert view is not None
    return view


def watched(hands: Hands) -> int | None:
    looking = hands.link.model.looking
    return looking.number if looking else None


def shown(hands: Hands, columns: int = 80, rows: int = 24) -> str:
    hands.look()
    hands.ui = replace(hands.ui, size=(columns, rows))
    text = "\n".join(draw(hands.link.model, hands.ui, columns, rows).lines())
    return " ".join(text.replace("│", " ").split())


def test_a_tournament_and_talk_are_in_the_footer_once_everybody_is_ready() -> None:
    room = Room(4)
    for hands in room.people[1:]:
        hands.press("r")
    room.second()
    for size, keys in (((120, 30), ("T tournament", "t chat", "f say")), ((80, 24), ("t chat",))):
        model = invited(room.ann.link.model)
        *_others, footer = draw(model, replace(room.ann.ui, size=size), *size).lines()
        assert "Enter start the game" in footer
        assert [key for key in keys if key not in footer] == []


def test_only_the_owner_of_the_host_can_announce_a_tournament() -> None:
    room = Room(2)
    ann, bob = room.people
    bob.press("T")
    assert bob.ui.mode == "table"
    room.announce()
    assert view_of(ann).stage == view_of(bob).stage == "entry"


def test_the_owner_of_a_host_sees_how_to_announce_a_tournament() -> None:
    room = Room(1)
    room.ann.press("T")
    assert "a announce a tournament" in shown(room.ann, 120, 36)


def test_everybody_is_told_by_which_key_they_enter() -> None:
    room = announced()
    _ann, bob = room.people
    assert "A tournament is about to begin" in bob.ui.note
    assert "Press “T”, then Enter, to take part." in shown(bob)
    bob.press("T", ENTER)
    room.second()
    assert view_of(bob).entered == "Bob"
    assert "You are in the tournament; 1 person has entered" in shown(bob)
    assert [one for one in bob.press(ENTER) if isinstance(one, Enter)] == []
    assert "Withdraw" not in bob.ui.note


def test_what_is_said_of_a_tournament_counts_who_enters() -> None:
    room = announced(3)
    ann, bob, cid = room.people
    assert "A tournament is about to begin; 0 people have entered so far." in cid.ui.note
    bob.link.wish(Enter(NO_ID, True))
    room.second()
    assert "A tournament is about to begin; 1 person has entered so far. Press" in cid.ui.note
    assert bob.ui.note == "You are in the tournament; 1 person has entered so far."
    ann.link.wish(Enter(NO_ID, True))
    room.second()
    assert bob.ui.note == "You are in the tournament; 2 people have entered so far."
    cid.ui = replace(cid.ui, note="")
    ann.link.wish(Enter(NO_ID, False))
    room.second()
    assert not cid.ui.note


def test_the_list_of_tables_leads_to_the_tournament() -> None:
    room = announced()
    bob = room.people[1]
    bob.press("z")
    bob.wait(1.0)
    assert "“T” opens the tournament." in shown(bob)
    bob.press("T")
    assert "take part in the tournament" in shown(bob)


def test_withdrawing_is_asked_first() -> None:
    room = entered()
    bob = room.people[1]
    assert not [one for one in bob.press("e") if isinstance(one, Enter)]
    assert "Withdraw from the tournament?" in bob.ui.note
    bob.press("e")
    room.second()
    assert view_of(bob).entered is None


def test_the_owner_changes_the_rules_before_the_first_round() -> None:
    room = announced()
    rules = view_of(room.ann).rules
    room.ann.press("r", "c", "f", "p", "y")
    room.second()
    changed = view_of(room.ann).rules
    assert (rules.rounds, rules.turn_seconds, rules.fill) == (0, 0, None)
    assert (changed.rounds, changed.turn_seconds, changed.break_seconds) == (1, 30, 30)
    assert changed.fill == room.ann.link.model.table.bots[0]  # type: ignore[union-attr]
    assert (rules.replay, changed.replay) == (True, False)
    text = shown(room.ann)
    assert "r 1 round." in text
    assert "y A game that is broken off counts as it stood." in text


def test_a_round_needs_two_people() -> None:
    room = announced()
    assert "a round needs at least two people who have entered" in shown(room.ann)
    assert not [one for one in room.ann.press("b") if isinstance(one, BeginRound)]


def test_a_round_that_breaks_off_a_game_is_asked_first() -> None:
    room = Room(3)
    for hands in room.people[1:]:
        hands.press("r")
    room.ann.press(ENTER, ENTER)
    room.ann.settle()
    room.announce()
    room.enter()
    asked = room.ann.press("b")
    assert not [one for one in asked if isinstance(one, BeginRound)]
    question = "1 game is still being played: Table. Break it off?"
    assert question in room.ann.ui.note
    room.begin()
    assert view_of(room.ann).stage == "round"


def test_a_tournament_has_the_turn_time_of_the_table_where_it_is_announced() -> None:
    room = Room(2)
    room.local.now += 1
    model = room.ann.link.model
    assert model.table
    room.ann.link.wish(replace(rules_of(model, model.table), turn_seconds=180))
    room.announce()
    assert view_of(room.ann).rules.turn_seconds == 180


def test_nobody_plays_from_the_next_round_on_once_a_tournament_has_ended() -> None:
    room = entered()
    assert "Taking part: Ann, Bob" in " ".join(room.ann.shown().split())
    room.ann.link.wish(EndTournament(NO_ID))
    room.second()
    text = " ".join(room.ann.shown().split())
    assert "The tournament is over; no round was finished." in text
    assert "Ann, Bob" not in text


def test_nobody_is_asked_to_host_the_tables_of_a_tournament() -> None:
    ann = entered().ann
    table = ann.link.model.table
    assert table is not None
    ann.link.model = replace(ann.link.model, table=replace(table, standbys=("Bob",)))
    ann.press(ESCAPE, "H")
    assert ann.ui.mode == "table"
    why = "The tables stay on this host until the tournament is over."
    assert ann.ui.note == why
    ann.press("q")
    assert ann.ui.asked == "leave"
    for size in ((40, 12), (80, 24), (120, 30)):
        assert why in " ".join(ann.shown(*size).split())


def test_with_a_round_everybody_is_at_their_seat_with_nothing_to_press() -> None:
    room = in_round()
    for hands, other in zip(room.people, ("Bob", "Ann"), strict=True):
        model = hands.link.model
        assert model.called_to == (1, model.number)
        assert model.seat is not None
        assert model.table
        assert model.table.stage == "game"
        assert hands.ui.mode == "table"
        assert f"Round 1 of 2: you play at Kitchen 2, against {other}." in hands.ui.note


def test_a_round_that_breaks_off_a_game_does_not_say_that_its_players_have_left() -> None:
    room = entered(4)
    for hands in room.people:
        hands.link.wish(Ready(NO_ID, True))
    room.ann.link.wish(EndTournament(NO_ID))
    room.ann.link.wish(Start(NO_ID))
    room.second()
    room.ann.link.wish(BeginTournament(NO_ID, TournamentRules()))
    for hands in room.people:
        hands.ui = replace(hands.ui, mode="table", asked="")
        hands.link.wish(Enter(NO_ID, True))
    room.second()
    room.ann.link.wish(BeginRound(NO_ID, 1))
    for hands in room.people:
        hands.look()  # those who are not at their new table yet see who leaves
    room.second()
    for hands in room.people:
        assert hands.link.model.number == 2
        assert "leaves; a bot takes over" not in shown(hands)


def test_who_sits_out_is_told_so_and_sees_who_leads() -> None:
    room = in_round(5)
    (out,) = (one for one in room.people if one.link.model.entrant.sits_out)  # type: ignore[union-attr]
    assert "you sit this one out and get a quarter of a win" in shown(out)
    assert "In the lead" not in shown(out), "nobody is"
    out.press(*(() if out.ui.mode == "tournament" else ("T",)))
    text = shown(out)
    assert f"Sitting out, for a quarter of a win: {out.link.model.name}" in text
    assert all(one.link.model.name in text.partition("1 Kitchen 2:")[2] for one in room.people)
    assert "(watch)" in text


@pytest.mark.slow
def test_a_key_shows_the_game_at_a_table_of_the_round_and_the_next_round_ends_that() -> None:
    room = in_round(5)
    (out,) = (one for one in room.people if one.link.model.entrant.sits_out)  # type: ignore[union-attr]
    out.press(*(() if out.ui.mode == "tournament" else ("T",)), "1")
    out.settle()
    assert watched(out) == 2
    play(room.local, Random(1), lambda: None)
    room.second()
    assert view_of(out).stage == "break"
    room.ann.press(ESCAPE, "T", "b")
    room.ann.settle()
    room.second()
    assert view_of(out).stage == "round"
    assert (out.link.model.number, watched(out)) == (3, None)
    assert "Round 2 of 3: you play at Kitchen 3" in out.ui.note


def test_in_the_list_the_own_table_is_first_and_enter_leads_back_to_it() -> None:
    room = in_round(5)
    bob = next(one for one in room.people[1:] if one.link.model.seat is not None)
    bob.press("T")
    assert "1 Kitchen 2:" in shown(bob)
    assert "(you are here)" in shown(bob)
    room.second()
    assert not bob.press(ENTER)
    assert bob.ui.mode == "table"


@copied
def at_the_last_move() -> Room:
    """Return the only round of a tournament, whose game is about to end."""
    room = announced()
    room.ann.press("r")
    room.enter()
    room.begin()
    for hands in room.people:
        hands.ui = replace(hands.ui, mode="table", asked="")
    play(room.local, Random(1), lambda: None)
    return room


def test_between_rounds_nobody_is_to_begin_a_rematch() -> None:
    room = in_round()
    play(room.local, Random(1), lambda: None)
    room.second()
    model = room.ann.link.model
    assert model.table is not None
    assert model.tournament is not None
    following = replace(model.table.next_game, first=0)
    between = replace(model, table=replace(model.table, next_game=following))
    over = replace(between, tournament=replace(model.tournament, stage="over"))
    assert not result_notes(Scene(between, room.ann.ui))
    (told,) = result_notes(Scene(over, room.ann.ui))
    assert told.endswith("begins the next game.")
    for hands in room.people:
        hands.ui = replace(hands.ui, mode="table", asked="", showing=())
        assert "rematch" not in shown(hands)
        assert not hands.press(ENTER)


def hear(room: Room) -> None:
    """Let everybody hear how the tournament stands."""
    room.second()
    assert view_of(room.ann).stage == "over"


def test_after_the_last_round_the_podium_opens_by_itself_once() -> None:
    room = at_the_last_move()
    ann, bob = room.people
    hear(room)
    assert (ann.ui.mode, bob.ui.mode) == ("table", "table"), "the result of the game is first"
    for _each in range(RESULT_SECONDS):
        room.second()
    for hands in room.people:
        text = shown(hands)
        place = hands.link.model.entrant.place  # type: ignore[union-attr]
        assert hands.ui.mode == "tournament"
        assert "█1█" in text
        assert f"Your place: {place} of 2." in text
        assert "round 1 of 1" not in text, "no round is played"
        hands.press(ESCAPE)
    for _each in range(RESULT_SECONDS):
        room.second()
    assert (ann.ui.mode, bob.ui.mode) == ("table", "table")


@pytest.mark.parametrize("keys", [(ENTER,), ("b",)])
def test_from_the_podium_a_key_brings_everybody_to_the_first_table(keys: tuple[str, ...]) -> None:
    room = at_the_last_move()
    hear(room)
    for _each in range(RESULT_SECONDS):
        room.second()
    for hands in room.people:
        assert hands.link.model.number == 2
        assert "b go to Table, where everybody meets" in shown(hands)
        hands.press(*keys)
        hands.settle()
    room.second()
    for hands in room.people:
        model = hands.link.model
        assert (model.number, model.seat is not None, hands.ui.mode) == (1, True, "table")
        assert model.table is not None
        assert model.table.owner == room.ann.link.model.seat
        hands.press("T")
        assert "where everybody meets" not in shown(hands)


def test_the_podium_opens_where_the_last_moves_and_the_end_are_shown_at_once() -> None:
    room = at_the_last_move()
    for hands in room.people:
        hands.now += 10 * RESULT_SECONDS  # it is long ago that their latest turn began
    hear(room)
    for hands in room.people:
        assert hands.ui.mode == "table", "the result of the game is first"
        assert hands.ui.note.startswith("The tournament is over. The winner: ")
    for _each in range(RESULT_SECONDS):
        room.second()
    assert [hands.ui.mode for hands in room.people] == ["tournament", "tournament"]


def test_the_podium_does_not_wait_for_a_host_that_stops() -> None:
    room = at_the_last_move()
    bob = room.people[1]
    hear(room)
    room.local.publish(room.local.hall.stop())
    bob.look()
    assert bob.link.model.status == "over"
    assert bob.ui.mode == "tournament"
    assert "█1█" in shown(bob)


def test_the_podium_closes_no_page() -> None:
    room = at_the_last_move()
    bob = room.people[1]
    bob.press("?")
    hear(room)
    for _each in range(RESULT_SECONDS):
        room.second()
    bob.press(ESCAPE)
    room.second()
    assert bob.ui.mode == "table"


@pytest.mark.slow
@pytest.mark.parametrize(("columns", "rows"), [(40, 12), (40, 24), (80, 24), (160, 50)])
def test_whole_standings_are_reached_at_every_size(columns: int, rows: int) -> None:
    room = entered()
    ann = room.ann
    ann.link.model = many(ann.link.model)
    ann.ui = replace(ann.ui, size=(columns, rows), mode="tournament", scroll=0)
    seen = ""
    for _each in range(30):
        seen += shown(ann, columns, rows) + " "
        ann.press("pagedown")
    for number in range(64):
        assert f"{number + 1} {'W' * 13}" in seen


def many(model: Model) -> Model:
    """Return the end of a tournament of as many people as there can be, with long names."""
    players = tuple(
        TournamentPlayer(f"{'W' * 14}{number:02}", number + 1, 16000 - number, 9876, 10, 16)
        for number in range(64)
    )
    view = TournamentView("over", TournamentRules(), 16, 16, None, players)
    return replace(model, tournament=view)


def test_ending_a_tournament_is_asked_first_and_shows_the_winner() -> None:
    room = in_round()
    ann = room.ann
    ann.press("T")
    assert not [one for one in ann.press("x") if isinstance(one, EndTournament)]
    assert "End the tournament" in ann.ui.note
    ann.press("x")
    room.second()
    assert view_of(ann).stage == "over"
    assert "The tournament is over" in shown(ann)


def test_the_key_is_in_the_footer_only_if_there_is_a_tournament() -> None:
    room = Room(2)
    assert labels_of(Scene(room.ann.link.model, room.ann.ui))[Action.TOURNAMENT] == ""
    room.announce()
    room.ann.press(ESCAPE)
    assert labels_of(Scene(room.ann.link.model, room.ann.ui))[Action.TOURNAMENT] == "tournament"


@pytest.mark.parametrize(("columns", "rows"), [(40, 12), (80, 24), (160, 50)])
def test_the_list_shows_everybody_at_every_size(columns: int, rows: int) -> None:
    room = entered(5)
    seen = ""
    for _each in range(12):
        seen += shown(room.ann, columns, rows) + " "
        room.ann.press("pagedown")
    assert f"Taking part: {', '.join(NAMES)}" in seen


def test_the_time_to_the_next_round_runs_down() -> None:
    room = entered()
    bob = room.people[1]
    view = replace(view_of(bob), stage="break", round=1, next_round=75)
    bob.press(ESCAPE)
    bob.link.model = replace(bob.link.model, tournament=view)
    assert "Round 1 of 2 is over. The next one begins in 1:15." in shown(bob)
    bob.now += 10
    bob.link.model = replace(bob.link.model)
    assert "The next one begins in 1:05." in shown(bob)
    bob.link.model = replace(bob.link.model, tournament=replace(view, next_round=None))
    assert "The owner of the first table begins the next one." in shown(bob)


def test_nobody_is_told_the_same_twice() -> None:
    room = in_round()
    bob = room.people[1]
    bob.ui = replace(bob.ui, note="")
    room.second()
    assert bob.ui.note == ""


@pytest.mark.parametrize(
    ("last", "how"), [(False, "Press “T”, then Enter, to take part."), (True, "")]
)
def test_how_to_take_part_is_said_as_long_as_a_round_is_to_come(last: bool, how: str) -> None:
    model = in_round().people[0].link.model
    assert model.tournament is not None
    view = replace(model.tournament, entered=None, round=1 + last)
    before = replace(model, tournament=replace(view, round=0, stage="entry"))
    after = replace(model, tournament=view)
    told = tournament_news(before, after, "Press “T”, then Enter, to take part.")
    assert told == f"Round {1 + last} of 2 is being played. {how}".rstrip()


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        ((3, 3, 1), "round 4, Ann and Bob lead with 3"),
        ((3, 3, 3), "round 4, nobody leads"),
        ((1, 3, 2), "round 4, Bob leads with 3"),
    ],
)
def test_the_list_of_tables_says_who_leads(scores: tuple[int, ...], said: str) -> None:
    seats = tuple(SeatView("person", name) for name in ("Ann", "Bob", "Cid"))
    assert hall_line(TableSummary(1, "Kitchen", "game", seats, scores, 4)).endswith(f"; {said}")
