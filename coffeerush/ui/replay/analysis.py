"""The page of a review: what was good, what cost points, and a line per turn. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from coffeerush.ui.advice.review import Review, ReviewedTurn, brought, expiring
from coffeerush.ui.terminal import glyphs
from coffeerush.ui.terminal.canvas import Parts, fit, pad, widest, width, wrap
from coffeerush.ui.terminal.parts import bar, tall_bars
from coffeerush.ui.words.i18n import _, pgettext
from coffeerush.ui.words.names import sentence_case

from .replay import (
    Replay,
    Reviewing,
    balance,
    best_turn,
    name_of,
    notes,
    penalty_lines,
    praise,
    turning_points,
)

POINTER_CELLS: Final = 2
"""The pointer of the chosen turn, and a gap."""


MARKED: Final = "!"
"""A turn that cost much, on the progress bar and below its bar."""
PERCENT_CELLS: Final = 6
"""The cells of “100%”, and the gap between it and a bar."""
MAX_BARRED: Final = 19
"""The most cells of a bar with its number."""
_WHOLE: Final = 100


class PageLine(NamedTuple):
    """A line of the page."""

    parts: Parts
    turn: int | None = None
    """The number of the turn that it is about, from 0."""


def analysis_lines(replay: Replay, reviewing: Reviewing, columns: int, rows: int) -> list[PageLine]:
    """Return all lines of a review's page, or how far the review is.

    If they leave no room for the chart, the lines of the turns have bars instead.
    """
    lines = _analysis_lines(replay, reviewing, columns, False)
    if reviewing.review is None or rows - len(lines) >= MIN_CHART:
        return lines
    return _analysis_lines(replay, reviewing, columns, True)


def _analysis_lines(
    replay: Replay, reviewing: Reviewing, columns: int, barred: bool
) -> list[PageLine]:
    review = reviewing.review
    if review is None:
        progress = next(notes(replay, reviewing, replay.last))
        return [*_wrapped([progress], columns, "class:guide")]
    best = [best_turn(review.best)] if review.best else []
    good = [text for text in praise(review) if text not in best]
    you = _("Here, “you” is {name}.").format(name=name_of(replay, reviewing.seat))
    turns, is_told = _turns(reviewing, review, columns, barred)
    between = [] if is_told else _between(reviewing, review)
    whole = [*between, *penalty_lines(replay, review), *balance(review)]
    return [
        *_wrapped(best, columns, "class:star"),
        *_wrapped([you] * reviewing.theirs, columns, "class:note"),
        *_wrapped([" ".join([*good, turning_points(review)]).strip()], columns, "class:guide"),
        PageLine([]),
        *turns,
        *[PageLine([])] * bool(whole),
        *_wrapped(whole, columns, "class:note"),
    ]


def _wrapped(texts: Iterable[str], columns: int, style: str) -> Iterator[PageLine]:
    for text in filter(None, texts):
        yield from (PageLine([(style, line)]) for line in wrap(text, columns))


def _turns(
    reviewing: Reviewing, review: Review, columns: int, barred: bool
) -> tuple[list[PageLine], bool]:
    """Return a line of titles and one for each turn, and whether they tell what others did.

    They begin with blanks for the pointer of the chosen one. If need be they tell less, at last
    with marks for words.
    """
    room = columns - POINTER_CELLS
    grids = [_grid(reviewing, review, how) for how in _HOWS]
    fitting = fit(grids, room, widest)
    how = _HOWS[grids.index(fitting)]
    if barred and not how.brief:
        fitting = _grid(reviewing, review, how, room - widest(fitting))
    lines = [
        PageLine([("", " " * POINTER_CELLS), *parts], None if number < 0 else number)
        for number, parts in enumerate(fitting, start=-1)
    ]
    return lines, how.told


class _How(NamedTuple):
    """How the turns are told."""

    brief: bool = False
    """With marks for words."""
    starred: bool = False
    """With a mark alone for a best turn."""
    told: bool = False
    """With how much of the chance others took, where it fell although the turn was good."""


_HOWS: Final = (
    _How(told=True),
    _How(told=True, starred=True),
    _How(),
    _How(brief=True, starred=True),
)
"""From the longest."""


def _grid(reviewing: Reviewing, review: Review, how: _How, spare: int | None = None) -> list[Parts]:
    """Return a line of titles and one for each turn; with bars, `spare` cells are left to them."""
    brief, done, chances = how.brief, reviewing.done, _chances(reviewing, review)
    found = [brought(reviewed.turn) for reviewed in done]
    served = glyphs.SERVED if brief else pgettext("title of a column", "orders")
    active = glyphs.ACTIVE if brief else pgettext("title of a column", "upgrades")
    lost = glyphs.PENALTY if brief else pgettext("title of a column", "penalties")
    after = "%" if brief else pgettext("title of a column", "chance to win")
    barred = 0 if spare is None else min(width(after) + spare, MAX_BARRED)
    columns: list[tuple[str, str, Sequence[int | str]]] = [
        (
            pgettext("title of a row", "round"),
            "class:label",
            [reviewed.turn.begun.round for reviewed in done],
        ),
        (served, "class:count", [gain.served for gain in found]),
        (active, "class:upgrade", [gain.upgrades for gain in found]),
        (lost, "class:penalty", [len(expiring(reviewed.turn)) for reviewed in done]),
        (
            after,
            "class:score",
            _percents(chances, barred),
        ),
    ]
    titles: Parts = []
    lines: list[Parts] = [[] for _one in done]
    for title, style, values in columns:
        cells = [str(value) if value else glyphs.DOT for value in values]
        room = max(map(width, (title, *cells)))
        titles.append(("class:label", pad(title, room, right=True) + "  "))
        for parts, cell in zip(lines, cells, strict=True):
            parts.append((style, pad(cell, room, right=True) + "  "))
    before = [0, *chances]
    for parts, reviewed, chance, was in zip(lines, done, chances, before, strict=False):
        if reviewed.best_chance > chance or not reviewed.cost:  # no better turn is worse
            parts += _verdict(reviewed, review, how)
        if how.told and chance < was and not reviewed.cost:
            text = _("-{count}% by others").format(count=was - chance)
            parts.append(("class:note", "  " * (parts[-1][0] == "class:star") + text))
    return [titles, *lines]


def _percents(chances: Sequence[int], columns: int) -> list[str]:
    """Return chances in percent, each after a bar if there are so many columns for both."""
    texts, room = [f"{chance}%" for chance in chances], columns - PERCENT_CELLS
    if room < 1:
        return texts
    return [
        pad(bar(chance, _WHOLE, room)[0], room) + pad(text, PERCENT_CELLS, right=True)
        for chance, text in zip(chances, texts, strict=True)
    ]


def _chances(reviewing: Reviewing, review: Review) -> list[int]:
    """Return the chance after each turn; the last one is what the game has made of it."""
    return [*(turn.chance for turn in reviewing.done[:-1]), review.end]


def _between(reviewing: Reviewing, review: Review) -> Iterator[str]:
    """Say why the chance falls where no turn was to blame, if no line tells it."""
    steps = zip(reviewing.done[1:], pairwise(_chances(reviewing, review)), strict=True)
    if any(after < before and not turn.cost for turn, (before, after) in steps):
        yield _("The chance also changes between your turns, with what others do and draw.")


def _verdict(one: ReviewedTurn, review: Review, how: _How) -> Parts:
    """Return what is to be said of a turn: that it was the best, or what it cost."""
    if one.turn in [best.turn for best in review.best]:
        text = sentence_case(pgettext("title of a column", "best turn"))
        return [("class:star", glyphs.BEST if how.starred else f"{glyphs.BEST} {text}")]
    if one.cost:
        text = f"{glyphs.TO} {{before}}%" if how.brief else _("better turn: {before}%")
        return [("class:penalty", text.format(before=one.best_chance))]
    return []


# The chance to win as bars


MIN_CHART: Final = 4
"""The title, two rows of bars, and the rounds below them."""
MAX_CHART: Final = 12
WIDEST_BAR: Final = 11
"""The most cells of a bar, without the gap after it."""


class Bar(NamedTuple):
    """A turn's bar in the chart: its first cell, its width, and its round below it."""

    x: int
    columns: int
    round: str
    style: str


def chart_title() -> str:
    """Return the title of the chart."""
    return _("Chance to win after each turn")


def chart(
    reviewing: Reviewing, review: Review, row: int, columns: int, rows: int
) -> tuple[list[str], list[Bar]]:
    """Return the rows of bars and what each bar is, if all have room; the chosen one is marked."""
    done = reviewing.done
    cells = min(columns // len(done), WIDEST_BAR + 1)
    if cells < 1 + max(width(f"{glyphs.POINTER}{turn.turn.begun.round}") for turn in done):
        return [], []
    drawn = tall_bars(_chances(reviewing, review), _WHOLE, rows)
    lines = ["".join(mark * (cells - 1) + " " for mark in line) for line in drawn]
    best = [one.turn for one in review.best]
    bars = []
    for number, turn in enumerate(done):
        mark, style = (glyphs.BEST, "class:star") if turn.turn in best else ("", "")
        mark, style = (MARKED, "class:penalty") if turn.cost else (mark, style)
        mark = glyphs.POINTER if number == row else mark
        bars.append(Bar(number * cells, cells - 1, f"{mark}{turn.turn.begun.round}", style))
    return lines, bars
