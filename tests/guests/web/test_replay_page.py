"""The page of a replay and a review: what it shows and offers, and what is sent of it."""

import asyncio
import re
import zlib
from collections.abc import Iterator
from functools import cache, partial

import msgspec
import pytest
from msgspec.structs import replace

from coffeerush.client import recording
from coffeerush.client.model import RecordFetch
from coffeerush.client.record_keeper import MemoryShelf, RecordKeeper
from coffeerush.guests.web.elements import Element, Shown, acts, flat
from coffeerush.guests.web.front import SIZE, Commanded, KeyPressed, PageFrame, PageFront
from coffeerush.guests.web.page import table_page
from coffeerush.guests.web.replay_page import replay_page
from coffeerush.records.entries import read_record
from coffeerush.ui.replay.replay import Replay, judgement, praise
from coffeerush.ui.replay.replay_app import ReplayProgram, open_replay
from coffeerush.ui.replay.replay_input import REPLAY_UI, Watch, at_review, click, press, review_on
from coffeerush.ui.table.table_app import Screen
from coffeerush.ui.terminal.canvas import Target
from coffeerush.ui.terminal.keys import INTERRUPT
from coffeerush.ui.words.i18n import speak_apart
from protocol import BOARD, CUPS, NO_ID, OrderServed, Ready, Step
from tests.golden.frames import spoken
from tests.guests.web.test_front import at
from tests.guests.web.test_page import UPDATE_BYTES, elements, scene_of, texts, with_look
from tests.support.local import LocalLink
from tests.support.records import head_of, lines, play
from tests.support.screen_terminal import QUIET
from tests.ui.table.test_result import played

UI = replace(REPLAY_UI, size=SIZE, touch=True)


@cache
def replay(players: int = 4) -> Replay:
    return Replay(read_record(lines(play(head_of(players)))))


@cache
def reviewed() -> Watch:
    """Return the end of a replay with the review of Ann's turns."""
    watch = at_review(replay(), Watch(own=0, page=UI))
    while watch.reviewing and watch.reviewing.next:
        watch = review_on(replay(), watch, replay().review_turn(watch.reviewing.next))
    return watch


def page_at(watch: Watch) -> Element:
    return replay_page(replay(), watch, scene_of("result"))


def test_nothing_is_left_to_play_at_the_end() -> None:
    for rev, off in ((0, False), (replay().last, True)):
        page = page_at(Watch(at=rev, page=UI))
        (play,) = (one for one in elements(page) if one.act == Target("key", "p"))
        assert (play.text, play.off) == ("Play", off)


def keys_of(watch: Watch) -> list[str | int]:
    """Return the keys of the buttons below the main one."""
    return [act.value for row in with_look(page_at(watch), "row") for act in acts(row)]


def test_at_the_end_of_the_turns_the_main_button_leads_on() -> None:
    for watch, text in ((Watch(page=UI), "The result"), (reviewed(), "Analysis")):
        (go,) = with_look(page_at(replace(watch, at=replay().stop)), "go")
        assert (go.act, go.text) == (Target("key", "end"), text)


def test_a_replay_and_an_analysis_have_few_buttons() -> None:
    assert keys_of(Watch(at=40, page=UI)) == ["up", "p", "w", INTERRUPT]
    position = press(replay(), reviewed(), "w")
    assert keys_of(position) == ["up", "p", "end", INTERRUPT], "back to the whole of it"
    assert keys_of(reviewed()) == [], "its turns, and the result"
    assert not with_look(page_at(reviewed()), "message")


def watches() -> Iterator[Watch]:
    """Yield positions of all kinds, with and without a review and its better line."""
    for rev in (*range(0, replay().last, 40), *replay().turns[::5], replay().last):
        yield Watch(at=rev, page=UI)
    marked = press(replay(), reviewed(), "w")
    yield from (reviewed(), marked, press(replay(), marked, "b"))
    yield replace(marked, viewpoint=2, typed=press(replay(), marked, "g").typed)
    yield press(replay(), marked, "v")
    for mode in ("help", "rules", "settings"):
        yield replace(marked, page=replace(UI, mode=mode))


def test_a_review_is_offered_of_whom_it_is_not_about() -> None:
    review = Target("key", "w")
    assert review in {*acts(page_at(Watch(at=40, page=UI)))}
    assert review not in {*acts(page_at(reviewed()))}
    assert review in {*acts(page_at(replace(reviewed(), viewpoint=1)))}


@pytest.mark.slow
def test_every_position_has_a_page_whose_buttons_do_something() -> None:
    for watch in watches():
        page = page_at(watch)
        names = [place for place, _told in flat(page)]
        assert len(names) == len({*names})
        for act in {*acts(page)}:
            after = click(replay(), watch, act)
            assert after != watch or act == Target("rev", watch.at), (watch.at, act)


def test_a_position_shows_board_cups_players_and_what_happened() -> None:
    watch = Watch(at=replay().turns[-5], page=UI)
    page, frame = page_at(watch), replay().frame(watch.at)
    assert frame.model.view
    assert len(with_look(page, "tile")) == len(BOARD)
    assert len(with_look(page, "mug")) == CUPS
    orders = sum(map(len, frame.model.view.players[frame.viewpoint].orders))
    assert len(with_look(page, "order")) == orders
    assert [one.parts[0].parts[1].act for one in with_look(page, "player")] == [
        Target("seat", seat) for seat in range(replay().players)
    ]
    assert not with_look(page, "place"), "who has no keys cannot type a number"
    typing = page_at(replace(watch, page=replace(UI, touch=False)))
    assert f"{watch.at}/{replay().stop}" in texts(typing)


def test_a_tap_on_a_name_shows_that_player_s_cups_and_another_follows_the_game_again() -> None:
    watch = Watch(at=replay().turns[-5], page=UI)
    follows = watch
    for seat, name in enumerate(("Ann", "Bob", "Cid")):
        watch = click(replay(), watch, Target("seat", seat))
        (own,) = with_look(page_at(watch), "own")
        assert [one.look.split(" ")[0] for one in own.parts] == ["", "hand", "cups", "orders"]
        assert own.parts[0].text == name, "over all of it"
    assert click(replay(), watch, Target("seat", 2)) == follows


def test_a_turn_is_told_whole_where_it_ends_and_an_action_by_itself() -> None:
    rev = next(
        rev for rev in replay().marks if isinstance(replay().frame(rev).events[-1], OrderServed)
    )
    turn = min(one for one in replay().turns if one > rev)
    seat = replay().frame(rev).mover
    name = replay().frame(0).model.players[seat or 0].name
    (told,) = with_look(page_at(Watch(at=turn, page=UI)), "message")
    assert told.role == "status"
    assert told.text.startswith(name)
    assert "serves" in told.text
    (action,) = with_look(page_at(Watch(at=rev, page=UI)), "message")
    assert action.text.startswith(name)


def test_a_review_says_what_was_good_and_then_what_cost_most() -> None:
    known = reviewed().reviewing
    assert known
    assert known.review
    page = page_at(reviewed())
    good, review = with_look(page, "review")
    assert not with_look(page, "podium"), "the table has it"
    assert with_look(page, "go")[0].act == Target("key", INTERRUPT)
    said = texts(good)
    worst = sorted(known.review.marked, key=lambda turn: -turn.cost)
    assert len(worst) > 1
    assert said[1] == next(praise(known.review))
    turns = with_look(review, "choice")
    assert [one.act for one in turns] == [Target("rev", turn.turn.rev) for turn in worst]
    assert all(judgement(turn) in one.text for turn, one in zip(worst, turns, strict=True))
    position = click(replay(), reviewed(), Target("rev", worst[0].turn.rev))
    there = page_at(position)
    (note,) = (one for one in with_look(there, "note") if one.key == "note")
    assert note.text.startswith(f"{judgement(worst[0])}\nIn the game: ")
    assert "\nBetter: " in note.text
    better = click(replay(), position, Target("key", "b"))
    assert "See the better turn" in texts(there)
    assert "Back to the turn as played" in texts(page_at(better))
    assert "not played" in " ".join(texts(page_at(better)))
    assert not with_look(page_at(better), "review")
    at_its_end = page_at(press(replay(), better, "end"))
    assert with_look(at_its_end, "go")[0].act == Target("key", "b")
    assert texts(at_its_end).count("Back to the turn as played") == 1
    keys = replace(reviewed(), page=replace(reviewed().page, touch=False))
    assert not with_look(page_at(keys), "place"), "it is about the whole game"
    begin = page_at(replace(keys, at=0))
    assert with_look(begin, "place")
    assert not [one for one in with_look(begin, "note") if one.role == "status"]


def test_a_review_draws_the_chance_after_each_turn_and_a_tap_leads_there() -> None:
    known = reviewed().reviewing
    assert known
    (curve,) = with_look(page_at(reviewed()), "curve")
    bars = with_look(curve, "bar")
    assert [one.act for one in bars] == [Target("rev", turn.turn.rev) for turn in known.done]
    assert [one.parts[0].text for one in bars] == [str(turn.chance) for turn in known.done]
    *before, last = known.done  # after which others take the win away, as a sentence says
    done = *before, replace(last, chance=24, best_chance=24)
    page = page_at(replace(reviewed(), reviewing=replace(known, done=done)))
    assert with_look(page, "bar")[-1].parts[0].text == "24"
    assert [one.parts[2].text[0] == "✗" for one in bars] == [turn.cost > 0 for turn in known.done]
    highest = max(bars, key=lambda one: int(one.parts[0].text))
    assert with_look(highest, "h10")
    worst = known.marked[0]
    there = page_at(click(replay(), reviewed(), Target("rev", worst.turn.rev)))
    (here,) = with_look(there, "here")
    assert here.parts[0].act == Target("rev", worst.turn.rev)
    assert here.parts[0].name == judgement(worst)
    places = [part.look.split()[0] for part in with_look(there, "main")[0].parts]
    assert places.index("board") < places.index("curve") < places.index("own")


def test_a_judged_turn_is_told_with_its_judgement_and_not_the_turn_before() -> None:
    known = reviewed().reviewing
    assert known
    for done in known.done:
        page = page_at(replace(reviewed(), at=done.turn.rev))
        (told,) = with_look(page, "message")
        assert told.text == " ".join(replay().turn_so_far(done.turn.end))


def test_a_review_tells_others_whose_turns_it_speaks_of() -> None:
    you = "Here, “you” is Ann."
    assert you not in texts(page_at(reviewed()))
    for own in (None, 1):
        assert you in texts(page_at(replace(reviewed(), own=own)))


def test_while_turns_are_reviewed_it_is_said_how_far_that_is() -> None:
    begun = at_review(replay(), Watch(own=0, page=UI))
    assert begun.reviewing
    page = page_at(begun)
    assert not with_look(page, "review")
    done = f"Analysing Ann's turns: 0 of {len(begun.reviewing.turns)} done"
    assert done in [one.text for one in with_look(page, "note") if one.role == "status"]


@pytest.mark.slow
def test_an_update_is_small_wherever_one_goes() -> None:
    """Also in the language that takes most bytes."""
    shown, sizes = Shown(), []
    squeeze = zlib.compressobj(wbits=-12, memLevel=5)  # as the server compresses
    watch = reviewed()
    keys = ("", "w", *["up"] * 9, "home", *["right"] * 20, *["down"] * 15, "end", *["left"] * 9)
    with spoken("ru"):
        shown.changes(table_page(scene_of("all games")))
        for key in keys:
            watch = press(replay(), watch, key) if key else watch
            told = msgspec.json.encode(PageFrame(parts=shown.changes(page_at(watch))))
            sizes.append(len(squeeze.compress(told) + squeeze.flush(zlib.Z_SYNC_FLUSH)))
    assert max(sizes) < UPDATE_BYTES


# At a table, from memory


def remembered() -> LocalLink:
    """Return the link of a guest at a result, whose record is kept in memory."""
    (_ann, bob) = played().links
    bob.wish(Ready(NO_ID, False))  # whose answer brings the next part

    def settle(fetch: RecordFetch) -> None:
        bob.set(recording.settled(bob.model, fetch))

    async def keep() -> None:
        keeper = RecordKeeper(MemoryShelf(), settle)
        keeper.follow(bob.model)
        await keeper.close()

    asyncio.run(keep())
    return bob


def test_a_guest_opens_the_replay_by_a_key_or_a_command_and_returns() -> None:
    link = remembered()

    async def visit() -> None:
        speak_apart(["en"])
        frames: list[PageFrame] = []
        shown = asyncio.Event()

        def take(frame: PageFrame) -> None:
            frames.append(frame)
            shown.set()

        front = PageFront(*at(), take, lambda: None)
        opener = partial(open_replay, lambda _settings: None)
        screen = Screen(link, QUIET, lambda _settings: None, front.display, opener)

        def is_open() -> bool:
            return screen.inset is not None

        showing = asyncio.create_task(screen.run())
        await shown.wait()
        for message, key, by in (
            (KeyPressed("v"), "right", 1),
            (Commanded("analysis"), "left", -1),
        ):
            front.hear(message)
            while not isinstance(screen.inset, ReplayProgram):
                shown.clear()
                await shown.wait()
            rev = screen.inset.watch(*SIZE).at
            front.hear(KeyPressed(key))
            while (place := f"{rev + by}/{screen.inset.replay.stop}") not in str(frames[-1].parts):
                shown.clear()
                await shown.wait()
            assert re.fullmatch(r"\d+/\d+", place)
            front.hear(KeyPressed("c-c"))
            while is_open():
                shown.clear()
                await shown.wait()
        showing.cancel()

    asyncio.run(asyncio.wait_for(visit(), 20))


def test_a_reviewed_turn_shows_its_whole_walk_where_it_begins() -> None:
    known = reviewed().reviewing
    assert known
    for one in known.done:
        page = page_at(click(replay(), reviewed(), Target("rev", one.turn.rev)))
        walked = [step.cell for step in one.turn.intents if isinstance(step, Step)]
        marks: dict[int, list[str]] = {}
        for number, cell in enumerate(walked, 1):
            marks.setdefault(cell, []).append(str(number))
        tiles = enumerate(with_look(page, "tile"))
        paths = {n: texts(path) for n, tile in tiles for path in with_look(tile, "path")}
        assert paths == {cell: ["·".join(numbers)] for cell, numbers in marks.items()}


def test_a_replay_leads_to_each_round() -> None:
    for rev, number in ((replay().rounds[1], 2), (replay().rounds[4] + 3, 5)):
        (bars,) = with_look(page_at(Watch(at=rev, page=UI)), "bars")
        assert [one.act for one in bars.parts] == [Target("rev", one) for one in replay().rounds]
        assert [one.text for one in bars.parts if one.look == "lit"] == [str(number)]
