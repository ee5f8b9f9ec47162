"""The review in a replay: its words, notes, marks and better lines."""

import re
from functools import cache
from itertools import pairwise

import pytest
from msgspec.structs import replace

from coffeerush.records.entries import Move, read_record
from coffeerush.ui.advice.review import (
    Expired,
    Fall,
    PlayedTurn,
    Reason,
    Review,
    ReviewedTurn,
    expiring,
)
from coffeerush.ui.replay.draw_replay import draw_replay
from coffeerush.ui.replay.replay import (
    Replay,
    Reviewing,
    added,
    balance,
    better_walk,
    compared,
    deeds,
    fine_line,
    notes,
    penalty_lines,
    review_lines,
    why,
)
from coffeerush.ui.replay.replay_input import (
    REPLAY_UI,
    Watch,
    at_review,
    click,
    play_on,
    press,
    review_on,
    wheel,
)
from coffeerush.ui.terminal.glyphs import POINTER
from coffeerush.ui.terminal.keys import ENTER, ESCAPE
from coffeerush.ui.words.names import drink_name, ingredient_name, seat_name
from protocol import EndTurn, Ingredient, OrderServed, Poured, Serve, Step, Undo
from tests.support.records import head_of, lines, play

# The review in a replay: its notes, marks on the progress bar, and the better line


MARKED = (2, 4)


@cache
def replay() -> Replay:
    return Replay(read_record(lines(play(head_of(3)))))


@cache
def of_four() -> Replay:
    return Replay(read_record(lines(play(head_of(4)))))


def watched(*keys: str, columns: int = 80, rows: int = 24) -> Watch:
    watch = Watch(page=replace(REPLAY_UI, size=(columns, rows)))
    return pressed(watch, *keys)


def pressed(watch: Watch, *keys: str) -> Watch:
    for key in keys:
        watch = press(replay(), watch, key)
    return watch


def reviewed(columns: int = 80, rows: int = 24) -> Watch:
    """Return a finished review of the first seat, with two marked turns."""
    watch = watched("w", columns=columns, rows=rows)
    for number, turn in enumerate(replay().turns_of(0)):
        watch = review_on(replay(), watch, judged(watch, number))
        assert turn == judged(watch, number).turn
    return watch


def judged(watch: Watch, number: int) -> ReviewedTurn:
    assert watch.reviewing is not None
    turn = watch.reviewing.turns[number]
    cost = 30 if number in MARKED else 0
    best = (*turn.intents[:2], EndTurn())
    return ReviewedTurn(turn, best, 20, 20 + cost, Reason.SERVE, 1)


def drawn(watch: Watch, found: Replay | None = None) -> str:
    return "\n".join(draw_replay(found or replay(), watch, *watch.page.size).lines())


def test_progress_is_shown_turn_by_turn() -> None:
    watch = watched("w")
    count = len(replay().turns_of(0))
    assert f"Analysing Ann's turns: 0 of {count} done" in drawn(watch)
    watch = review_on(replay(), watch, judged(watch, 0))
    assert f"Analysing Ann's turns: 1 of {count} done" in drawn(watch)
    # a turn that is no longer asked for changes nothing
    assert review_on(replay(), watch, judged(watch, 0)) == watch
    closed = pressed(watch, ESCAPE)
    assert closed.reviewing is None
    assert review_on(replay(), closed, judged(watch, 1)) == closed
    assert not closed.left


def test_a_turn_without_a_mark_tells_what_it_cost() -> None:
    watch = reviewed()
    assert watch.reviewing is not None
    first = watch.reviewing.turns[0]
    shown = drawn(replace(watch, at=first.rev))
    assert "Round 1, a good turn: " in " ".join(shown.split())
    # at most two turns are marked
    turn = replace(judged(watch, 2), best_chance=26)
    assert watch.reviewing.review
    assert fine_line(turn, watch.reviewing.review) == (
        "Round 3: your chance to win was about 20% after your turn, 26% after a better one."
    )


def test_a_good_turn_tells_what_it_did_and_prepared_and_what_was_next_best() -> None:
    """Less of it where there is less room."""
    watch = reviewed()
    assert watch.reviewing
    turn = watch.reviewing.turns[MARKED[0] + 1]
    (drink,) = expiring(turn)
    idle = (EndTurn(),)
    done = replace(judged(watch, MARKED[0] + 1), coming=(drink,), other=idle, other_chance=14)

    def told(one: ReviewedTurn) -> list[str]:
        assert watch.reviewing
        done = tuple(one if one.turn == was.turn else was for was in watch.reviewing.done)
        return [*notes(replay(), replace(watch.reviewing, done=done), turn.rev)]

    name = drink_name(replay().frame(0).model, drink)
    whole, shorter, shortest = told(done)
    assert shortest == (
        "Round 4, a good turn: 1 order served, 1 upgrade, 1 penalty. 20% to win after it."
    )
    assert shorter == f"{shortest} Otherwise at best 14%: serving nothing."
    assert whole == (
        f"{shortest} Your next turn could then serve: {name}. "
        "Otherwise at best 14%: serving nothing."
    )
    equal = replace(done, coming=(), other=turn.intents, other_chance=20)
    assert re.search(r" As good: activating double corners, serving \w.*\.$", told(equal)[0])
    inexact = replace(done, best_chance=26, other=())
    assert told(inexact)[0].endswith(" after a better one. It serves 1 more order.")


def test_another_seat_is_reviewed_from_its_point_of_view() -> None:
    watch = pressed(replace(reviewed(), viewpoint=1), "w")
    assert watch.reviewing is not None
    assert (watch.reviewing.seat, watch.reviewing.done) == (1, ())


def rows_of(watch: Watch) -> list[str]:
    """Return the lines of the page's turns."""
    lines = drawn(watch).splitlines()
    (titles,) = (y for y, line in enumerate(lines) if line.split()[:1] == ["round"])
    return lines[titles + 1 :][: len(replay().turns_of(0))]


def chosen(watch: Watch) -> int:
    """Return the number of the turn that has the pointer on the page."""
    (number,) = (n for n, row in enumerate(rows_of(watch)) if row.lstrip().startswith(POINTER))
    return number


def test_the_page_begins_at_the_turn_that_cost_most() -> None:
    watch = reviewed()
    assert watch.at == replay().last, "the page of the review"
    whole = " ".join(drawn(watch).split())
    assert whole.index("turns were good. ") < whole.index("Your turns in rounds 3 ")
    assert "% at the end. The best turns found here would have been worth 60%." in whole
    assert drawn(watch).splitlines()[0].strip() == "Coffee Rush  Analysis for Ann"
    assert chosen(watch) == MARKED[0]


def test_a_turn_is_chosen_on_the_page() -> None:
    watch, last = reviewed(), len(replay().turns_of(0)) - 1
    assert "↑ ↓ choose" in drawn(watch)
    for keys, number in (
        (("down",), 3),
        (("j", "down"), 4),
        (("up",), 1),
        (("k", "k"), 0),
        (("home",), 0),
        (("home", "up"), 0),
        (("pagedown",), min(6, last)),
        (("end", "pageup"), last - 4),
        (("end",), last),
        (("end", "down"), last),
    ):
        assert chosen(pressed(watch, *keys)) == number, keys
    assert chosen(wheel(replay(), watch, 1)) == 3
    assert chosen(wheel(replay(), watch, -1)) == 1


@pytest.mark.parametrize("back", ["w", ESCAPE])
@pytest.mark.parametrize("key", ["w", "enter", " ", "right"])
def test_the_chosen_turn_is_shown_and_chosen_after_it(key: str, back: str) -> None:
    watch = pressed(reviewed(), "down")
    assert watch.reviewing
    key = ENTER if key == "enter" else key
    assert "w show turn" in drawn(watch)
    shown = pressed(watch, key)
    assert shown.at == watch.reviewing.turns[3].rev
    assert re.search("Round 4, (a good turn|your best turn): ", drawn(shown))
    assert "w analysis" in drawn(shown)
    assert pressed(shown, back) == watch
    assert pressed(shown, "right", back) == watch, "from within the turn"
    assert pressed(shown, "end") == watch
    elsewhere = replace(shown, at=watch.reviewing.turns[1].rev + 1)
    assert chosen(pressed(elsewhere, back)) == 1


def test_a_marked_turn_is_told_as_long_as_it_lasts() -> None:
    watch = reviewed()
    assert watch.reviewing
    for number in MARKED:
        shown = pressed(watch, "home", *["down"] * number, "w")
        turn = watch.reviewing.turns[number]
        last = pressed(shown, *(["right"] * (turn.end - shown.at - 1)))
        for one in (shown, last):
            assert f"Round {number + 1} was decisive: " in drawn(one)


def test_a_click_on_a_turn_of_the_page_shows_it() -> None:
    watch = reviewed()
    assert watch.reviewing
    (row,) = (y for y, line in enumerate(drawn(watch).splitlines()) if line.split()[:1] == ["4"])
    canvas = draw_replay(replay(), watch, *watch.page.size)
    target = canvas.target_at(9, row)
    assert target
    shown = click(replay(), watch, target)
    assert shown.at == watch.reviewing.turns[3].rev
    assert re.search("Round 4, (a good turn|your best turn): ", drawn(shown))


def test_the_page_has_a_line_for_each_turn() -> None:
    watch = reviewed()
    assert watch.reviewing
    assert watch.reviewing.review
    rows = [re.sub("▬+", "", line).split() for line in drawn(watch).splitlines()]
    served = [sum(isinstance(one, Serve) for one in turn.intents) for turn in watch.reviewing.turns]
    rows = [row[1:] if row[:1] == [POINTER] else row for row in rows]
    told = [row for row in rows if row and row[0].isdecimal() and row[4:5] and "%" in row[4]]
    assert [row[1] for row in told] == [str(count) if count else "·" for count in served]
    *before, last = (row[4] for row in told)
    assert {*before} == {"20%"}
    assert last == f"{watch.reviewing.review.end}%", "what the game has made of it"
    better = [number for number, row in enumerate(told) if "better" in row and "50%" in row]
    assert better == [*MARKED]
    assert sum("★" in row for row in told) == 1


@pytest.mark.parametrize(("end", "is_told"), [(100, False), (0, True)])
def test_no_better_turn_is_told_of_a_last_turn_that_won(end: int, is_told: bool) -> None:
    watch = reviewed()
    known = watch.reviewing
    assert known
    assert known.review
    last = replace(known.done[-1], best_chance=26)
    known = replace(
        known, done=(*known.done[:-1], last), review=replace(known.review, best=(), end=end)
    )
    assert ("better turn: 26%" in rows_of(replace(watch, reviewing=known))[-1]) is is_told


def test_a_chance_that_falls_although_the_turn_was_good_is_explained() -> None:
    told = "The chance also changes between your turns, with what others do and draw."
    for chances, end, is_told in (
        ((40, 30), 100, True),
        ((30, 40), 100, False),
        ((30, 40), 0, True),
    ):
        watch = reviewed()
        known = watch.reviewing
        assert known
        assert known.review
        done = tuple(
            replace(one, chance=chance, best_chance=chance)
            for number, one in enumerate(known.done)
            for chance in (chances[number > 4],)
        )
        known = replace(known, done=done, review=replace(known.review, end=end))
        page = replace(watch, reviewing=known)
        rows = [number for number, row in enumerate(rows_of(page)) if "% by others" in row]
        assert rows == ([5] if end else [len(known.done) - 1]) * is_told
        assert told not in " ".join(drawn(page).split())
        low = replace(page, page=replace(REPLAY_UI, size=(40, 60)))
        assert (told in " ".join(drawn(low).split())) is is_told, "no line has room for it"


@pytest.mark.parametrize("size", [(80, 28), (120, 36)])
def test_the_chance_is_drawn_as_bars_with_the_chosen_turn_and_clicks(size: tuple[int, int]) -> None:
    watch = reviewed(*size)
    assert watch.reviewing
    rows = drawn(watch).splitlines()
    (title,) = (y for y, row in enumerate(rows) if "Chance to win after each turn" in row)
    (below,) = (y for y, row in enumerate(rows) if y > title and "▸3" in row)
    assert rows[below].split()[:5] == ["1", "2", "▸3", "4", "!5"]
    assert "▸4" in drawn(pressed(watch, "down")).splitlines()[below]
    bars = rows[title + 1 : below]
    assert len(bars) >= 2
    assert bars[-1].strip()
    canvas = draw_replay(replay(), watch, *size)
    target = canvas.target_at(rows[below].index("4"), below - 1)
    assert target
    assert target.value == watch.reviewing.turns[3].rev


def test_without_room_for_it_there_are_bars_in_the_lines() -> None:
    for size, has_bars in (((40, 12), False), ((80, 24), True), ((120, 36), False)):
        watch = reviewed(*size)
        assert ("Chance to win after each turn" in drawn(watch)) is (size == (120, 36))
        assert ("▬" in drawn(watch)) is has_bars
    bars = [row.count("▬") for row in rows_of(reviewed())]
    assert {*bars[:-1]} == {3}
    assert bars[-1] == 0, "lost"


def test_nothing_is_said_in_others_turns() -> None:
    turns, watch = replay().turns_of(0), reviewed()
    for rev in (0, turns[MARKED[-1]].end + 1):
        later = replace(watch, at=rev)
        assert watch.reviewing
        assert [*notes(replay(), watch.reviewing, rev)] == []
        assert "your turns" not in drawn(later)
        assert "w analysis" in drawn(later)
        assert pressed(later, "w").at == watch.at


def test_the_better_walk_is_on_the_board_as_long_as_its_turn() -> None:
    watch = pressed(reviewed(), "w")
    turn = watch.reviewing.marked[0] if watch.reviewing else None
    assert turn is not None
    steps = [intent for intent in turn.best if isinstance(intent, Step)]
    assert better_walk(turn)[1:] == tuple(step.cell for step in steps)
    assert better_walk(turn)[0] in turn.turn.begun.players[0].meeples
    board = re.compile(rf"{POINTER}1 *")
    for shown, is_there in ((watch, True), (pressed(watch, "right"), True)):
        assert any(board.search(row[:30]) for row in drawn(shown).splitlines()[2:13]) is is_there
    for other in (pressed(watch, "b"), pressed(watch, "left"), pressed(watch, ESCAPE)):
        assert not any(board.search(row[:30]) for row in drawn(other).splitlines()[2:13])


def test_marked_turns_have_a_mark_on_the_progress_bar() -> None:
    bar = drawn(replace(reviewed(), at=0)).splitlines()[-2]
    assert bar.count("!") == len(MARKED)
    assert "!" not in drawn(watched()).splitlines()[-2]


@pytest.mark.parametrize("back", ["b", "q", ESCAPE])
def test_the_better_line_plays_by_itself_or_step_by_step(back: str) -> None:
    marked = pressed(reviewed(), "w")
    turn = replay().turns_of(0)[MARKED[0]]
    line = pressed(marked, "b")
    assert line.at == turn.rev
    assert line.playing
    played = play_on(replay(), play_on(replay(), line))
    assert (played.at, played.playing) == (turn.rev + 2, False)
    again = pressed(played, "p")
    assert (again.at, again.playing) == (turn.rev, True), "from its beginning"
    assert "better line that was not played" in drawn(line)
    best = replay().branch(turn.rev, turn.intents[:2])
    ends = (pressed(line, "right", "right"), pressed(line, "end"))
    for end in (*ends, wheel(replay(), line, 9)):
        assert end.at == best.last == turn.rev + 2
        assert end.shown(replay()).frame(end.at) == best.frame(best.last)
        told = " ".join(drawn(end).split())
        assert "It serves 1 more order. Your chance to win would have been about 50%" in told
        assert "instead of 20%. Esc returns to the game." in told
    returned = pressed(ends[0], back)
    assert returned.at == turn.rev
    assert returned.shown(replay()) is replay()
    assert returned.reviewing == marked.reviewing
    assert pressed(line, "w") == reviewed()


@pytest.mark.parametrize("back", ["q", ESCAPE])
def test_a_key_leads_one_level_back(back: str) -> None:
    assert pressed(at_review(replay(), Watch()), back).left
    turn = pressed(reviewed(), "w")
    page = pressed(turn, back)
    assert page == reviewed()
    begun_later = pressed(page, back)
    assert begun_later.reviewing is None
    assert not begun_later.left
    assert pressed(begun_later, back).left
    assert "q back" in drawn(turn)
    assert "q leave" in drawn(begun_later)


def test_the_page_is_reached_by_no_step() -> None:
    stopped = pressed(replace(reviewed(), at=replay().turns[-2]), "down")
    told = "This is the end. “w” shows the analysis."
    assert stopped.at == replay().stop
    assert told in drawn(stopped)
    played = pressed(replace(reviewed(), at=replay().stop - 1), "p")
    for _second in range(2):
        played = play_on(replay(), played)
    assert (played.at, played.playing) == (replay().stop, False)
    assert told in drawn(played)
    assert pressed(played, "w").at == replay().last
    again, chosen_turn = pressed(played, "p"), replay().turns_of(0)[played.row]
    assert (again.at, again.playing) == (chosen_turn.rev, True)
    assert pressed(reviewed(), "down", "p").at == replay().turns_of(0)[played.row + 1].rev


def test_in_an_analysis_the_keys_between_turns_lead_to_those_of_its_player() -> None:
    own = [turn.rev for turn in replay().turns_of(0)]
    first = pressed(reviewed(), "home", "w")
    assert "↑ ↓ own turn" in drawn(first)
    seen = [first]
    for _turn in own[1:]:
        seen.append(pressed(seen[-1], "down"))
    assert [watch.at for watch in seen] == own
    for before, watch in pairwise(seen):
        assert pressed(watch, "up") == before
        assert pressed(watch, "right", "up") == watch
    stayed = pressed(first, "up")
    assert stayed.at == first.at
    assert "This is the beginning." in drawn(stayed)
    assert pressed(seen[-1], "down").at == replay().stop
    line = pressed(replace(first, at=own[MARKED[0]]), "b")
    assert "↑ ↓ turn" in drawn(line), "all turns before it"


def test_what_was_opened_for_the_review_shows_the_cups_of_who_acts() -> None:
    watch = at_review(replay(), replace(reviewed(), viewpoint=0, own=0, reviewing=None))
    for turn in watch.reviewing.turns if watch.reviewing else ():
        watch = review_on(
            replay(), watch, ReviewedTurn(turn, turn.intents, 20, 20, Reason.SERVE, 1)
        )
    shown = pressed(watch, "home", "w")
    assert "Ann: cups" in drawn(shown)
    turn = replay().turns_of(0)[0]
    others = pressed(shown, *["right"] * (turn.end - turn.rev))
    assert "Bob: cups" in drawn(others)
    assert "Ann: cups" in drawn(replace(others, viewpoint=0))


def test_without_a_marked_turn_there_is_no_better_line() -> None:
    for watch in (watched(), pressed(reviewed(), "home")):
        assert replace(pressed(watch, "b"), note="") == watch
        assert " better" not in drawn(watch).splitlines()[-1]


@pytest.mark.parametrize(
    ("keys", "answer"),
    [
        ("b", "An analysis finds better lines: “w” starts it."),
        ("h", "This is the beginning."),
        ("k", "This is the beginning."),
        ("N", "This is the beginning."),
        ("-----", "This is the slowest speed."),
        ("+++++", "This is the fastest speed."),
    ],
)
def test_a_key_that_changes_nothing_is_answered(keys: str, answer: str) -> None:
    shown = pressed(watched(), *keys)
    assert drawn(shown).splitlines()[-3].strip() == answer
    for later in (pressed(shown, "l"), pressed(shown, "?", ESCAPE), wheel(replay(), shown, 1)):
        assert answer not in drawn(later)
    assert "This is the end." in drawn(pressed(shown, "end", "right"))


def test_a_review_without_marks_answers_its_keys() -> None:
    watch = watched("w")
    assert watch.reviewing is not None
    for turn in watch.reviewing.turns:
        assert "Analysing Ann's turns" in drawn(pressed(watch, "b"))
        fine = ReviewedTurn(turn, turn.intents, 20, 20, Reason.SERVE, 1)
        watch = review_on(replay(), watch, fine)
    assert "none of your turns could have been clearly better." in " ".join(drawn(watch).split())
    shown = pressed(watch, "end", "b")
    assert shown.at == replay().last
    assert "No turn is marked: none could have been clearly better." in drawn(shown)
    assert "Analysis for Ann" in drawn(shown), "it stays"
    assert "No better line here." in drawn(pressed(reviewed(), "home", "b"))


def test_a_review_without_marks_leads_to_the_best_turn() -> None:
    watch = pressed(watched("w"), "end")
    assert watch.reviewing is not None
    turns = watch.reviewing.turns
    for turn in turns:
        fine = ReviewedTurn(turn, turn.intents, 20, 20, Reason.SERVE, 1)
        watch = review_on(replay(), watch, fine)
    told = " ".join(drawn(watch).split())
    said = re.search(r"Your best turns were in rounds (\d+) and (\d+), each with .*?\.", told)
    assert said, "all that are equal"
    first, second = (one for one in turns if str(one.begun.round) in said.groups())
    assert [turns.index(one) for one in (first, second)] == [
        number for number, row in enumerate(rows_of(watch)) if "★ Best turn" in row
    ]
    assert turns[chosen(watch)] == first
    shown = pressed(watch, "w")
    assert shown.at == first.rev
    for best in (first, second):
        one = f"Round {best.begun.round}, one of your best turns: "
        assert one in " ".join(drawn(replace(shown, at=best.rev)).split())
    assert pressed(shown, "w").at == replay().last, "the whole review"


def test_a_review_without_a_best_turn_begins_at_the_first() -> None:
    watch = pressed(watched("w"), "end")
    assert watch.reviewing is not None
    for turn in watch.reviewing.turns:
        by_bot = replace(turn, by_bot=True)
        fine = ReviewedTurn(by_bot, turn.intents, 20, 20, Reason.SERVE, 1)
        watch = review_on(replay(), watch, fine)
    assert "Best turn" not in drawn(watch)
    assert chosen(watch) == 0


@pytest.mark.parametrize("size", [(40, 12), (60, 16), (120, 36)])
def test_a_note_fits_above_the_progress_bar(size: tuple[int, int]) -> None:
    watch = pressed(reviewed(*size), "w")
    for shown in (watch, pressed(watch, "b")):
        rows = drawn(shown).splitlines()
        assert len(rows) == size[1]
        assert rows[-2].split()[size[0] > 72] == f"{shown.at}/{shown.shown(replay()).stop}"


def test_the_page_offers_the_better_line_of_a_marked_turn() -> None:
    page = reviewed()
    assert "b better" in drawn(page)
    assert "b better" not in drawn(replace(page, row=0))
    assert "b as played" in drawn(press(replay(), page, "b"))


def test_the_page_has_no_place_in_the_game() -> None:
    """Nothing moves there; a number can be typed all the same, and answers stand in its row."""
    page = reviewed()
    assert not drawn(page).splitlines()[-2].strip()
    assert "Go to (0 to" in drawn(pressed(page, "5")).splitlines()[-2]
    note = drawn(replace(page, note="This is the fastest speed.")).splitlines()
    assert note[-2].strip() == "This is the fastest speed."


@pytest.mark.parametrize("size", [(60, 16), (80, 24), (120, 36)])
def test_a_marked_turn_says_to_its_player_what_was_played_and_what_was_better(
    size: tuple[int, int],
) -> None:
    watch = pressed(reviewed(*size), "w")
    text = " ".join(drawn(watch).split())
    assert "In the game: You take coffee, ice, caramel and milk" in text
    assert "on the board): You take coffee and ice. It serves 1 more order." in text
    for _step in range(6):
        watch = pressed(watch, "right")
        assert f" {watch.at}. You " in drawn(watch) or size[0] == 60
        assert not re.search(r"\bAnn (steps|takes|pours|serves)", drawn(watch))


@pytest.mark.parametrize("size", [(40, 12), (60, 16), (80, 24), (120, 36)])
def test_a_review_of_another_player_says_on_every_screen_whom_it_calls_you(
    size: tuple[int, int],
) -> None:
    mine = reviewed(*size)
    theirs = pressed(replace(mine, own=1, viewpoint=2, reviewing=None), "w")
    for number, _turn in enumerate(replay().turns_of(2)):
        theirs = review_on(replay(), theirs, judged(theirs, number))
    name = seat_name(replay().frame(0).model, 2)
    assert theirs.reviewing
    for turn in theirs.reviewing.turns:
        shown = " ".join(drawn(replace(theirs, at=turn.rev)).split())
        assert re.search(
            rf"Analysis for {name}: (Round|Your best .* round) {turn.begun.round}", shown
        )
    page = " ".join(drawn(theirs).split())
    assert f"Analysis for {name}" in page
    assert f"Here, “you” is {name}." in page
    assert "Analysis for" not in drawn(pressed(mine, "w"))


def test_a_long_review_is_scrolled_to_both_ends() -> None:
    watch = pressed(reviewed(40, 12), "home")
    assert (watch.row, watch.read) == (0, 0)
    seen, last = [watch], len(replay().turns_of(0)) - 1
    while (on := pressed(seen[-1], "down")) != seen[-1]:
        assert on == wheel(replay(), seen[-1], 1)
        assert 0 <= on.row - seen[-1].row <= 1
        assert 0 <= on.read - seen[-1].read <= 1
        seen.append(on)
    end = seen[-1]
    assert (end, end.at, end.row) == (pressed(watch, "end"), replay().last, last)
    assert "worth 60%." in " ".join(drawn(end).split())
    while (back := pressed(seen[-1], "up")) != seen[-1]:
        assert back == wheel(replay(), seen[-1], -1)
        seen.append(back)
    assert seen[-1] == watch
    assert pressed(watch, *["pagedown"] * 9) == end
    for at in seen:
        assert pressed(at, "w", "w").row == at.row
        assert any(POINTER in line[:2] for line in drawn(pressed(at, "w", "w")).splitlines())


# A review in words: each marked turn, the better line, the whole game, the lesson


def reviewed_turn(number: int, cost: int, reason: Reason = Reason.SERVE) -> ReviewedTurn:
    """Return a turn of seat 1 whose better line is to end it after its first action."""
    turn = replay().turns_of(1)[number]
    best = (turn.intents[0], EndTurn())
    return ReviewedTurn(turn, best, 20, 20 + cost, reason, 1)


def review_of(*marked: ReviewedTurn, reason: Reason | None = Reason.SERVE) -> Review:
    costs = (0, *(one.cost for one in marked))
    return Review(seat=1, marked=marked, costs=costs, start=33, end=0, lesson=reason)


def test_each_marked_turn_is_told() -> None:
    bad, inexact = reviewed_turn(3, 31), reviewed_turn(4, 7)
    told = review_lines(replay(), review_of(bad, inexact))
    assert told[:3] == [
        "Analysis for Bob",
        "1 of your 3 turns was good.",
        "Round 4 was decisive: your chance to win was about 20% after your turn, 51% after a "
        "better one.",
    ]
    assert told[3].startswith(f"In the game, from action {bad.turn.rev} on: You ")
    assert told[4].startswith("Better: ")
    assert told[4].endswith("It serves 1 more order.")
    assert told[5] == (
        "Round 5 could have been better: your chance to win was about 20% after your turn, 27% "
        "after a better one."
    )
    assert told[-2:] == [
        "Your chance to win was 33% at the beginning and 0% at the end. The best turns found here "
        "would have been worth 38%.",
        "Remember: before you step, look for a path that serves one more order.",
    ]


def test_of_a_won_game_it_says_what_would_have_made_it_safer() -> None:
    won = Review(seat=0, marked=(), costs=(5, 3), start=33, end=100, lesson=None)
    assert [*balance(won)] == [
        "Your chance to win rose from 33% to 100%. The best turns found here would have made the "
        "win safer by 8%."
    ]
    assert "would have been worth 8%" in "".join(balance(replace(won, end=0)))


def test_two_lines_are_told_by_what_differs() -> None:
    """Serves and upgrades, without what both have; the steps only if nothing else differs."""
    turn = next(
        one for one in replay().turns_of(1) if sum(isinstance(do, Serve) for do in one.intents) == 1
    )
    (drink,) = re.findall(r"You serve ([^.]*?)(?: and earn.*)?\.", " ".join(of_turn(turn)))
    idle = tuple(do for do in turn.intents if not isinstance(do, Serve))
    better = ReviewedTurn(replace(turn, intents=idle), turn.intents, 20, 50, Reason.SERVE, 1)
    assert len(compared(replay(), 1, better, "In the game: {deeds}")) == 1, "all of it was played"
    (line,) = compared(replay(), 1, better, "In the game: {deeds}")
    assert line.startswith(f"Better: You serve {drink}")
    shorter = replace(better, turn=turn, best=(*turn.intents[:1], EndTurn()))
    told = compared(replay(), 1, shorter, "In the game: {deeds}")
    assert f"You serve {drink}" in told[0]
    assert all("You pour" not in line for line in told)
    assert told[-1].endswith(why(replay(), shorter))


def of_turn(turn: PlayedTurn) -> list[str]:
    return deeds(replay(), turn.rev, turn.intents, 1)


def test_a_better_line_that_serves_fewer_orders_says_that_it_is_worth_it() -> None:
    turn = replace(reviewed_turn(3, 31, Reason.NO_UPGRADE), best=(EndTurn(),))
    served = replace(turn.turn, intents=(Serve(1, 4), EndTurn()))
    assert why(replay(), replace(turn, turn=served)) == (
        "It saves the orders that the upgrade would cost. "
        "That is worth more than serving 1 more order."
    )
    passed = replace(turn.turn, intents=(EndTurn(),))
    assert (
        why(replay(), replace(turn, turn=passed))
        == "It saves the orders that the upgrade would cost."
    )


def test_a_line_that_prepares_the_next_turn_says_what_it_could_serve() -> None:
    turn = replace(reviewed_turn(3, 31, Reason.PREPARE), coming=(0,))
    said = "It prepares your next turn better, in which you could serve: Ristretto."
    assert why(replay(), turn).startswith(said)


def test_more_than_a_whole_chance_is_not_told() -> None:
    bad = reviewed_turn(3, 50)
    told = "\n".join(review_lines(replay(), review_of(bad, bad, bad)))
    assert "would have been worth" not in told
    assert told.endswith("Remember: before you step, look for a path that serves one more order.")


def test_everything_that_expired_is_told_by_why() -> None:
    expired = (Expired(2, (0,), (1,)), Expired(3, (2,)), Expired(4, untold=(3,)))
    names = [drink_name(replay().frame(0).model, drink) for drink in range(4)]
    assert [*penalty_lines(replay(), replace(review_of(), expired=expired))] == [
        f"Expired, but what you did instead was worth as much: {names[0]} (round 2), "
        f"{names[2]} (round 3).",
        f"Expired, out of reach: {names[1]} (round 2).",
        f"Expired: {names[3]} (round 4).",
    ]


def test_a_perfect_game_is_praised_and_no_luck_is_told() -> None:
    assert review_lines(replay(), replace(review_of(reason=None), end=100)) == [
        "Analysis for Bob",
        "You made no mistake: none of your turns could have been clearly better.",
    ]
    hard = replace(review_of(reviewed_turn(3, 31)), costs=(31,))
    assert review_lines(replay(), hard)[1].startswith("Round 4 "), "nothing was good"


def test_a_game_lost_by_luck_tells_when_the_chance_fell_most() -> None:
    last = reviewed_turn(4, 0)
    falls = (Fall(3, 1, 45, 30), Fall(4, last.turn.rev, 25, 6))
    lost = replace(review_of(reason=None), falls=falls)
    fell = (
        "After your turn in round 4, your chance to win fell from about 25% to 6% because of "
        "what others did and drew."
    )
    assert review_lines(replay(), lost)[1:] == [
        "What others did and drew decided the game: none of your turns could have been "
        "clearly better.",
        fell,
    ]
    assert fine_line(last, lost) == f"{fine_line(last, replace(lost, falls=()))} {fell}"
    assert fell not in " ".join(review_lines(replay(), replace(lost, end=50)))
    assert "decided" not in review_lines(replay(), replace(lost, by_bot=1))[1]


def test_turns_that_a_bot_played_are_told_and_not_judged() -> None:
    some = replace(review_of(reason=None), by_bot=2)
    told = review_lines(replay(), some)
    assert told[2:] == ["A bot played 2 turns in your place; they are not judged."]
    told = review_lines(replay(), replace(some, costs=(), by_bot=1))
    assert told[1:] == ["A bot played 1 turn in your place; it is not judged."]
    turn = reviewed_turn(3, 0)
    turn = replace(turn, turn=replace(turn.turn, by_bot=True))
    assert fine_line(turn, some) == "Round 4: a bot played this turn in your place."


def test_a_stand_in_is_known_by_its_moves() -> None:
    """Bob left in round 3, after his first step."""
    head, *others = play(head_of(3))
    bob = replay().turns_of(1)
    left = [
        replace(one, key="") if isinstance(one, Move) and one.rev > bob[2].rev + 1 else one
        for one in others
    ]
    found = Replay(read_record(lines([head, *left])))
    turns = found.turns_of(1)
    assert [one.by_bot for one in turns] == [number >= 2 for number in range(len(turns))]
    assert not any(one.by_bot for one in found.turns_of(2)), "it is a bot's own"
    review = found.review([found.review_turn(one) for one in turns], 1)
    assert len(review.costs) == 2
    assert not any(one.turn.by_bot for one in review.marked)
    assert review.by_bot == len(turns) - 2


@pytest.mark.parametrize("reason", Reason)
def test_each_reason_has_words_of_its_own(reason: Reason) -> None:
    others = [one for one in Reason if one is not reason]
    assert why(replay(), reviewed_turn(3, 20, reason)) not in [
        why(replay(), reviewed_turn(3, 20, one)) for one in others
    ]
    *taught, lesson = ([*balance(review_of(reason=one))][-1] for one in (*others, reason))
    assert lesson.startswith("Remember: ")
    assert lesson not in taught


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_what_was_played_is_told_without_what_was_undone(seat: int) -> None:
    """All drinks that the turn served are named, and each pour is counted once."""
    turns = replay().turns_of(seat)
    for turn in turns:
        told = " ".join(deeds(replay(), turn.rev, turn.intents, seat))
        played = replay().branch(turn.rev, turn.intents[:-1])
        after = [played.frame(rev) for rev in range(turn.rev + 1, played.stop + 1)]
        events = [event for frame in after for event in frame.events]
        pours = [event for event in events if isinstance(event, Poured)]
        said = " ".join(re.findall(r"You pour [^.]*", told))
        counts = re.findall(rf"(\d+ )?(?:{'|'.join(map(ingredient_name, Ingredient))})", said)
        assert sum(int(count or 1) for count in counts) == len(pours)
        assert ("You serve" in told) == any(isinstance(one, OrderServed) for one in events)
        assert Undo() not in turn.intents
    frames = [replay().frame(turn.rev) for turn in turns]
    assert all(frame.begins_turn or frame.rev == turns[0].rev for frame in frames)


def test_a_branch_ends_with_the_other_line() -> None:
    turn = replay().turns_of(1)[2]
    other = replay().branch(turn.rev, turn.intents[:2])
    assert other.last == turn.rev + 2
    assert other.frame(turn.rev) == replay().frame(turn.rev)
    assert other.frame(other.last).mover == 1


def test_the_first_person_is_reviewed_unless_another_is_chosen() -> None:
    head = head_of(3)
    first, *others = head.seats
    bots = replace(head, seats=(replace(first, bot="greedy"), *others))
    entries = [bots, *play(head)[1:]]
    assert replay().reviewer == 0
    assert Replay(read_record(lines(entries))).reviewer == 1


def test_a_review_begun_again_goes_on_where_it_was() -> None:
    game = replay()
    known = game.review_turn(game.turns_of(0)[0])
    again = Reviewing(0, game.turns_of(0))
    assert again.next is not None
    assert game.review_turn(again.next) is known
    assert added(game, again, known).done == (known,)
