"""The tournament on the page: how it stands, the podium at its end, the standings. Pure."""

from collections.abc import Iterator

from coffeerush.client.tournament import podium
from coffeerush.ui.table.draw_lists import about_tournament
from coffeerush.ui.table.draw_tournament import SEATS
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.words.tournament import (
    place_line,
    remark,
    standing_cells,
    standing_titles,
    tournament_line,
    won,
)
from protocol import TournamentPlayer, TournamentView

from .elements import Element, Part, box, look_of


def is_apart(scene: Scene) -> bool:
    """Return whether the tournament is open in the place of a table where no game is played."""
    return scene.ui.mode == "tournament" and scene.stage in ("lobby", "result")


def tournament(scene: Scene) -> Element:
    """Return the tournament in the place of a table."""
    return box("section", "outcome", *tournament_parts(scene), key="tournament")


def tournament_parts(scene: Scene) -> Iterator[Part]:
    """Yield what is to be known of the tournament, from above to below."""
    view = scene.model.tournament
    if view is None:
        return
    if view.stage == "over" and podium(view.players):
        yield Element("h1", "winner", tournament_line(scene.model))
        yield _podium(view)
        if place := place_line(scene.model):
            yield Element("p", "note", place)
    above, below = about_tournament(scene)
    yield from (Element("p", look_of(style), line) for style, line in above)
    if any(player.place for player in view.players):
        yield _standings(scene, view)
    yield from (Element("p", "note", line) for _style, line in below)


def _podium(view: TournamentView) -> Element:
    """Return a step for each, best first; the style sheet puts the second at the left."""
    steps = (
        box(
            *("li", f"step rank{player.place}"),
            Element("span", "name", player.name),
            Element("span", "score", won(player)),
            Element("span", f"block seat{number % SEATS}", str(player.place)),
        )
        for number, player in enumerate(podium(view.players))
    )
    return box("ol", "podium", *steps)


def _standings(scene: Scene, view: TournamentView) -> Element:
    """Return a table with a line for everybody who has a place."""
    titles = *standing_titles(), ""
    head = box("tr", "", *(Element("th" if text else "td", "", text) for text in titles))
    lines = (_line(scene, player) for player in view.players if player.place)
    table = box("table", "standings", box("thead", "", head), box("tbody", "", *lines))
    return box("div", "wide", table)


def _line(scene: Scene, one: TournamentPlayer) -> Element:
    place, name, *figures = standing_cells(one)
    looks = ("mine" * (one == scene.model.entrant), "winner" * (one.place == 1))
    return box(
        *("tr", " ".join(filter(None, looks))),
        *(Element("td", "rank", place), Element("th", "name", name)),
        *(Element("td", "", cell) for cell in (*figures, remark(scene.model, one))),
    )
