"""A walk that a player plans while others play, and the hint for their next turn."""

from random import Random

from msgspec.structs import replace

from coffeerush.client.turn import neighbour
from coffeerush.ui.advice.advice import walk_to
from coffeerush.ui.advice.ahead import turn_ahead
from coffeerush.ui.table.actions import Action, cap_of, labels_of, planning
from coffeerush.ui.table.scene import Scene, Trail
from coffeerush.ui.terminal.keys import DIRECTIONS, ENTER
from coffeerush.ui.words.names import ingredient_name
from protocol import BOARD, BOARD_SIDE, FREE_STEPS, Phase, Step
from tests.support.local import choose
from tests.ui.table.test_on_key import Hands, at

ARROWS = ("up", "down", "left", "right")
BLOCKED = 5
"""A seed with which somebody steps onto the end of the walk before it is walked."""


def waiting(seed: int = 1) -> tuple[Hands, Hands]:
    """Return the hands of somebody who waits, and of another person whose turn it is."""
    playing = at(Phase.MOVING, seed)
    (link,) = (link for link in playing.link.local.links if link is not playing.link)
    return Hands(link), playing


def scene(hands: Hands) -> Scene:
    return Scene(hands.link.model, hands.ui)


def a_walk(hands: Hands) -> list[str]:
    """Return arrow keys for free steps over other cells each, to a cell without a meeple."""
    taken = {cell for player in scene(hands).view.players for cell in player.meeples}
    walks = [(scene(hands).turn.meeples[:1], list[str]())]
    while walks:
        cells, keys = walks.pop(0)
        if len(keys) == FREE_STEPS:
            return keys
        for key in ARROWS:
            there = neighbour(cells[-1], *DIRECTIONS[key])
            if there is not None and there not in taken and there not in cells:
                walks.append(((*cells, there), [*keys, key]))
    raise AssertionError("no walk is free")


def play_until_turn(playing: Hands, hands: Hands) -> None:
    """Let the others act, until it is the turn of these hands."""
    chance = Random(1)
    while not hands.link.model.can_act:
        playing.link.wish(choose(playing.link, chance))
    hands.look()


def test_arrows_plan_a_walk_while_others_play() -> None:
    hands, _playing = waiting()
    keys = a_walk(hands)
    assert hands.press(*keys) == [], "nothing is sent"
    steps = hands.ui.turn.ahead
    assert [step.cell for step in steps] == list(scene(hands).path[1:])
    gain = ", ".join(ingredient_name(BOARD[step.cell]) for step in steps)
    walk = f"{', '.join(keys)} ({gain})"
    assert hands.ui.note == f"Planned for your turn: {walk}. “u” undoes a step."
    hands.press("u")
    assert hands.ui.turn.ahead == steps[:-1]
    hands.press("U")
    assert hands.ui.turn.ahead == ()
    assert scene(hands).path == scene(hands).view.path


def test_a_click_plans_a_walk_and_one_on_its_end_plans_none() -> None:
    hands, _playing = waiting()
    hands.press(*a_walk(hands))
    end = scene(hands).path[-1]
    hands.press("U")
    assert hands.click("cell", end) == []
    assert scene(hands).path[-1] == end
    hands.click("cell", end)
    assert hands.ui.turn.ahead == ()


def test_a_step_that_would_be_illegal_is_not_planned() -> None:
    hands, _playing = waiting()
    hands.press(*["up"] * BOARD_SIDE)
    assert len(hands.ui.turn.ahead) < BOARD_SIDE
    assert hands.ui.note == "The board ends there."
    hands.press("U")
    rush = scene(hands).player(hands.link.model.seat or 0).rush
    back = {"up": "down", "down": "up", "left": "right", "right": "left"}
    key = a_walk(hands)[0]
    hands.press(*[key, back[key]] * (FREE_STEPS + rush))
    assert len(hands.ui.turn.ahead) <= FREE_STEPS + rush
    assert hands.ui.note == "As things stand, you cannot get there."


def test_a_walk_that_ends_on_a_meeple_is_planned_with_a_warning() -> None:
    hands, _playing = waiting()
    here = scene(hands).turn.meeples[0]
    taken = {cell for seat in scene(hands).others for cell in scene(hands).player(seat).meeples}
    walk = walk_to(turn_ahead(scene(hands).view), 1, min(taken - {here}))
    assert walk is not None
    hands.ui = planning(scene(hands), walk.steps)
    assert "Another meeple is there: plan a step to a free cell." in hands.ui.note
    assert hands.ui.turn.ahead == walk.steps


def walks_of(hands: Hands) -> list[tuple[Step, ...]]:
    """Return all walks of as many steps as are free, over other cells each."""
    walks = [(scene(hands).turn.meeples[:1], tuple[Step, ...]())]
    for _step in range(FREE_STEPS):
        walks = [
            ((*cells, there), (*steps, Step(1, there)))
            for cells, steps in walks
            for key in ARROWS
            if (there := neighbour(cells[-1], *DIRECTIONS[key])) is not None and there not in cells
        ]
    return [steps for _cells, steps in walks]


def test_who_still_walks_is_in_nobodys_way() -> None:
    """They go on, as one plans; once they have ended their walk, they stand there."""
    for seed in range(20):
        hands, playing = waiting(seed)
        playing.press(a_walk(playing)[0])
        hands.look()
        end = scene(hands).view.path[-1]
        if found := [steps for steps in walks_of(hands) if steps[-1].cell == end]:
            break
    steps = found[0]
    assert planning(scene(hands), steps).turn.ahead == steps
    playing.press("1")
    hands.look()
    assert (scene(hands).view.phase, scene(hands).view.path[-1]) == (Phase.SERVING, end)
    assert planning(scene(hands), steps).turn.ahead != steps


def test_enter_walks_as_planned_when_the_turn_begins() -> None:
    hands, playing = waiting()
    hands.press(*a_walk(hands))
    planned = hands.ui.turn.ahead
    play_until_turn(playing, hands)
    assert labels_of(scene(hands))[Action.NEXT] == "walk as planned"
    assert [wish for wish in hands.press(ENTER) if isinstance(wish, Step)] == list(planned)
    assert scene(hands).view.path[1:] == tuple(step.cell for step in planned)
    assert hands.ui.turn.ahead == ()


def test_who_plays_leaves_a_trail_beside_the_walk_that_is_planned() -> None:
    hands, playing = waiting()
    for key in a_walk(playing)[:2]:
        playing.press(key)
    hands.look()
    walked = scene(hands).view.path
    assert scene(hands).path == walked
    assert scene(hands).trails == ()
    hands.press(*a_walk(hands))
    assert len(scene(hands).path) == 1 + len(hands.ui.turn.ahead)
    assert scene(hands).trails == (Trail(scene(hands).view.active or 0, walked),)


def test_no_other_walk_is_advised_on_the_board_than_the_planned_one() -> None:
    hands, playing = waiting()
    hands.press(*a_walk(hands))
    play_until_turn(playing, hands)
    guided = Scene(hands.link.model, replace(hands.ui, guide=True))
    assert guided.path[1:] == tuple(step.cell for step in hands.ui.turn.ahead)
    assert guided.advised == ()
    unplanned = replace(hands.ui, guide=True, turn=replace(hands.ui.turn, ahead=()))
    assert Scene(hands.link.model, unplanned).advised


def test_what_is_not_possible_any_more_is_not_walked() -> None:
    hands, playing = waiting(BLOCKED)
    hands.press(*a_walk(hands))
    planned = hands.ui.turn.ahead
    play_until_turn(playing, hands)
    steps = [wish for wish in hands.press(ENTER) if isinstance(wish, Step)]
    assert 0 < len(steps) < len(planned)
    assert hands.ui.note == "The rest of your walk is not possible."


def test_another_step_takes_the_place_of_the_plan() -> None:
    hands, playing = waiting()
    hands.press(*a_walk(hands))
    play_until_turn(playing, hands)
    planned = scene(hands).turn.planned
    other = next(cell for cell in scene(hands).turn.steps if cell != planned[0].cell)
    hands.click("cell", other)
    assert hands.ui.turn.ahead == ()
    assert scene(hands).turn.planned == ()


def test_the_hint_tells_what_the_next_turn_could_bring() -> None:
    hands, _playing = waiting()
    hands.press(cap_of(Action.HINT))
    assert hands.ui.note.startswith("As things stand, on your next turn: step ")
