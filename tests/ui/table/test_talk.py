"""Table talk: bots' remarks, answers by one key, and bubbles at the meeples."""

from random import Random

import pytest
from msgspec.structs import replace

from coffeerush.ui.table.actions import Action, labels_of
from coffeerush.ui.table.draw_board import area_of
from coffeerush.ui.table.draw_game import draw
from coffeerush.ui.table.on_update import ANSWER_SECONDS, EMOTE_SECONDS, apply_update
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.table.state import ShownEmote, Ui, layout_of
from coffeerush.ui.terminal.canvas import Canvas
from coffeerush.ui.words.names import emote_text
from protocol import NO_ID, Emote, EmoteName
from tests.support.local import LocalTable, acting, choose, play
from tests.ui.table.test_on_key import Hands

BOTS = ("regular", "casual")


def seated() -> tuple[LocalTable, Hands, Hands, Hands]:
    """Return a table of two people with two bots, and its people, the last one a spectator."""
    local = LocalTable(4, BOTS, seed=5)
    people = [Hands(local.link(name)) for name in ("Ann", "Bob")]
    people.append(Hands(local.link("Eve", "spectator")))
    for one in people:
        one.look()
    local.start()
    ann, bob, eve = people
    return local, ann, bob, eve


@pytest.mark.slow
def test_no_two_bots_speak_at_once_and_none_where_they_are_not_to() -> None:
    local, ann, bob, eve = seated()
    bob.ui = replace(bob.ui, settings=replace(bob.ui.settings, remarks=False))
    said = set[str]()

    def look() -> None:
        for one in (ann, bob, eve):
            one.look()
            one.now += EMOTE_SECONDS / 20
        shown = [one for one in ann.ui.emotes if one.until > ann.now]
        assert len(shown) < 2
        assert all(one.is_remark for one in shown)
        said.update(one.name for one in shown)
        assert not bob.ui.emotes
        assert eve.ui.emotes == ann.ui.emotes

    look()
    play(local, Random(1), look)
    assert len(said) == len(BOTS)


@pytest.mark.parametrize(("said", "answer"), [("hello", "hello"), ("wow", "thanks")])
def test_an_emote_is_answered_by_one_key_once(said: EmoteName, answer: EmoteName) -> None:
    _local, ann, bob, eve = seated()
    bob.link.wish(Emote(NO_ID, said))
    for one in (ann, bob, eve):
        one.look()
    assert ann.press("a") == [Emote(NO_ID, answer)]
    assert ann.press("a") == []
    assert bob.ui.offer.emote is None, "not to oneself"
    assert eve.ui.offer.emote is None, "only at a seat"


def test_an_answer_is_offered_for_some_seconds_even_if_no_turn_begins() -> None:
    _local, ann, bob, _eve = seated()
    bob.link.wish(Emote(NO_ID, "wow"))
    ann.look()
    for seconds, answer in ((ANSWER_SECONDS - 1, "thanks"), (ANSWER_SECONDS, None)):
        ticked = apply_update(ann.seen, ann.seen, ann.ui, ann.now + seconds)
        assert ticked.offer.emote == answer


@pytest.mark.slow
def test_what_happens_in_a_game_is_answered() -> None:
    local, ann, _bob, _eve = seated()
    offered, labels = set[EmoteName | None](), set[str | None]()

    def look() -> None:
        ann.look()
        answer = ann.ui.offer.emote
        offered.add(answer)
        labels.add(labels_of(Scene(ann.link.model, ann.ui)).get(Action.ANSWER))

    play(local, Random(1), look)
    assert offered >= {None, "oops"}
    assert labels >= {None, f"“{emote_text('oops')}”"}
    assert ann.ui.offer.emote is None, "the game is over"


@pytest.mark.slow
@pytest.mark.parametrize("tiles", [False, True])
@pytest.mark.parametrize("size", [(40, 12), (80, 24), (120, 30), (120, 36), (200, 60)])
def test_a_bubble_is_at_the_meeple_and_hides_nothing(size: tuple[int, int], tiles: bool) -> None:
    local, ann, _bob, _eve = seated()
    chance = Random(1)
    for _ in range(40):
        link = acting(local)
        assert link
        link.wish(choose(link, chance))
    view = ann.link.model.view
    assert view
    layout, ui = layout_of(*size, tiles), Ui(size=size, tiles=tiles)
    before = [*draw(ann.link.model, ui, *size).lines()]
    shown = 0
    assert ann.link.model.table
    for seat, one in enumerate(ann.link.model.table.seats):
        spoken = replace(ui, emotes=(ShownEmote(one.name, "wow", 1.0, is_remark=True),))
        canvas: Canvas = draw(ann.link.model, spoken, *size)
        areas = [area_of(layout, cell) for cell in view.players[seat].meeples]
        inside = [
            (range(area.x, area.x + area.columns), range(area.y, area.y + area.rows))
            for area in areas
        ]
        after = [*canvas.lines()]
        board, changed = layout.board, set[int]()
        for y in range(board.y, board.y + board.rows):
            for x in range(board.x, board.x + board.columns):
                if after[y][x] != before[y][x]:
                    assert before[y][x] == " "
                    assert any(y in rows for _columns, rows in inside)
                    changed.add(x)
        if changed:
            assert any(min(changed) in columns for columns, _rows in inside)
            shown += 1
    assert shown or size[0] < 80 + 20 * (not tiles), "somebody's cell has room"


@pytest.mark.slow
@pytest.mark.parametrize("size", [(40, 12), (79, 23)])
def test_a_small_terminal_shows_what_is_said_over_nothing_that_a_turn_needs(
    size: tuple[int, int],
) -> None:
    local, ann, _bob, _eve = seated()
    chance, mine, others = Random(1), 0, 0
    for _ in range(60):
        link = acting(local)
        assert link
        link.wish(choose(link, chance))
        model, ui = ann.link.model, Ui(size=size, tiles=True)
        assert model.table
        before = "\n".join(draw(model, ui, *size).lines())
        for seat, one in enumerate(model.table.seats):
            spoken = ShownEmote(one.name, "hurry", 1.0, is_remark=one.status == "bot")
            after = "\n".join(draw(model, replace(ui, emotes=(spoken,)), *size).lines())
            said = f"<{one.name}> Hurry up!" in after or f"{'ABXY'[seat]} Hurry up!" in after
            assert said or "Hurry up!" in after or after == before
            if model.my_turn:
                assert all(was in (" ", now) for was, now in zip(before, after, strict=True))
                mine += "Hurry up!" in after
            else:
                assert "Hurry up!" in after
                others += 1
    assert mine > 10
    assert others > 10


@pytest.mark.parametrize("guide", [False, True])
@pytest.mark.parametrize("size", [(40, 12), (40, 24), (80, 24), (120, 30), (120, 50)])
def test_a_person_who_speaks_by_a_key_sees_it_at_once(size: tuple[int, int], guide: bool) -> None:
    local, *people = seated()
    while (link := acting(local)) and link.model.view and not link.model.view.round:
        link.wish(choose(link, Random(1)))
    for hands in people[:2]:
        hands.look()
        for note in ("", "A note about something else."):
            hands.now += EMOTE_SECONDS
            hands.ui = replace(hands.ui, size=size, guide=guide)
            assert hands.press("f", "2") == [Emote(NO_ID, "bravo")]
            hands.look()
            hands.ui = replace(hands.ui, note=note)
            shown = "\n".join(draw(hands.link.model, hands.ui, *size).lines())
            assert f"<{hands.link.model.name}> Bravo!" in shown
