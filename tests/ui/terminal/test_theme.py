"""Themes: everything can be read, in every number of colours."""

import re
from itertools import combinations
from math import atan2, degrees, dist, hypot, remainder, tau
from pathlib import Path

import pytest
from prompt_toolkit.output.vt100 import ANSI_COLORS_TO_RGB, _256_colors
from prompt_toolkit.styles import Attrs, Style

import coffeerush.ui
from coffeerush.local.settings import THEMES, Colours, Theme
from coffeerush.ui.terminal.theme import CHIPS, style_of

Rgb = tuple[int, int, int]
DEPTHS: list[Colours] = ["true", "256", "16"]
ON_THE_BAR = ("brand", "turn", "score", "rush", "penalty", "upgrade", "count")
ON_A_CELL = ("step", "gain", "rush", "path", "seat0", "seat1", "seat2", "seat3")
UNDER_PIECES = ("legal", "here")
GREY = 10
"""The chroma in CIE Lab below which nobody sees a hue."""
NO_TEXT = {"frame", "foot", *UNDER_PIECES}
# Machado, Oliveira and Fernandes 2009, severity 1; rows give linear red, green and blue.
SIGHTS = {
    "all": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "no green": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "no red": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
}


def rgb(colour: str, depth: Colours) -> Rgb:
    if colour.startswith("ansi"):
        return ANSI_COLORS_TO_RGB[colour]
    red, green, blue = bytes.fromhex(colour)
    if depth == "256":
        red, green, blue = _256_colors.colors[_256_colors[red, green, blue]]
    return red, green, blue


def linear(colour: Rgb, sight: str) -> list[float]:
    """Return linear red, green and blue of a colour, as eyes of this sight see it."""
    parts = [value / 255 for value in colour]
    parts = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in parts]
    rows = SIGHTS[sight]
    return [min(max(sum(a * b for a, b in zip(row, parts, strict=True)), 0), 1) for row in rows]


def contrast(attrs: Attrs, depth: Colours, sight: str) -> float:
    """Return the contrast of text and background, as WCAG 2 defines it."""
    colours = (linear(rgb(one or "", depth), sight) for one in (attrs.color, attrs.bgcolor))
    dark, light = sorted(
        0.2126 * red + 0.7152 * green + 0.0722 * blue for red, green, blue in colours
    )
    return (light + 0.05) / (dark + 0.05)


def chips(theme: Theme, depth: Colours) -> dict[str, Rgb]:
    """Return the background of each ingredient."""
    style = Style.from_dict(style_of(theme, depth))
    papers = {name: style.get_attrs_for_style_str(f"class:{name}").bgcolor for name in CHIPS}
    return {name: rgb(paper or "", depth) for name, paper in papers.items()}


def seen(colour: Rgb, sight: str) -> tuple[float, float, float]:
    """Return a colour in CIE Lab, as eyes of this sight see it."""
    red, green, blue = linear(colour, sight)
    x, y, z = (
        value ** (1 / 3) if value > 0.008856 else 7.787 * value + 16 / 116
        for value in (
            (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047,
            0.2126 * red + 0.7152 * green + 0.0722 * blue,
            (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883,
        )
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("theme", THEMES)
def test_every_text_can_be_read(theme: Theme, depth: Colours, sight: str) -> None:
    classes = style_of(theme, depth)
    style = Style.from_dict(classes)
    drawn = [name for name in classes if name and name not in NO_TEXT]
    combined = [f"class:{name}" for name in drawn]
    combined += [f"class:header class:{name}" for name in ON_THE_BAR]
    combined += [f"class:{cell} class:{name}" for cell in UNDER_PIECES for name in ON_A_CELL]
    for classes_ in ["", *combined]:
        attrs = style.get_attrs_for_style_str(classes_)
        assert round(contrast(attrs, depth, sight), 2) >= 4.5, classes_


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("theme", THEMES)
def test_frames_can_be_seen(theme: Theme, depth: Colours, sight: str) -> None:
    style = Style.from_dict(style_of(theme, depth))
    assert contrast(style.get_attrs_for_style_str("class:frame"), depth, sight) >= 2.5


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("depth", ["true", "256"])
@pytest.mark.parametrize("theme", THEMES)
def test_the_cell_one_stands_on_differs_from_the_others(
    theme: Theme, depth: Colours, sight: str
) -> None:
    style = Style.from_dict(style_of(theme, depth))
    classes = ("class:here", "class:legal", "")
    here, *others = (
        seen(rgb(style.get_attrs_for_style_str(one).bgcolor or "", depth), sight) for one in classes
    )
    for other in others:
        assert dist(here, other) >= 20


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("theme", THEMES)
def test_no_two_ingredients_look_alike(theme: Theme, depth: Colours, sight: str) -> None:
    papers = {name: seen(colour, sight) for name, colour in chips(theme, depth).items()}
    for one, other in combinations(CHIPS, 2):
        assert dist(papers[one], papers[other]) >= 20, (one, other)  # CIE76


@pytest.mark.parametrize("depth", ["true", "256"])
@pytest.mark.parametrize("theme", THEMES)
def test_no_two_players_look_alike(theme: Theme, depth: Colours) -> None:
    style = Style.from_dict(style_of(theme, depth))
    inks = [rgb(colours(style, f"seat{seat}")[0], depth) for seat in range(4)]
    for sight in SIGHTS if theme == "colour-blind" else ("all",):
        for one, other in combinations(inks, 2):
            assert dist(seen(one, sight), seen(other, sight)) >= 20, (one, other)


@pytest.mark.parametrize("depth", ["true", "256"])
@pytest.mark.parametrize("theme", THEMES)
def test_coffee_and_chocolate_are_brown(theme: Theme, depth: Colours) -> None:
    """By hue and chroma: not grey, mauve, olive or orange; chocolate is much darker."""
    found = chips(theme, depth)
    coffee, chocolate = (seen(found[name], "all") for name in ("coffee", "chocolate"))
    assert chocolate[0] < 30 < coffee[0] < 65
    assert dist(coffee, chocolate) >= 35
    for _lightness, green_to_red, blue_to_yellow in (coffee, chocolate):
        assert 25 <= hypot(green_to_red, blue_to_yellow) <= 55
        assert 30 <= degrees(atan2(blue_to_yellow, green_to_red)) <= 85


@pytest.mark.parametrize("depth", ["true", "256"])
@pytest.mark.parametrize("theme", THEMES)
def test_letters_of_coffee_and_chocolate_differ(theme: Theme, depth: Colours) -> None:
    style = Style.from_dict(style_of(theme, depth))
    inks = (colours(style, name)[0] for name in ("coffee-ink", "chocolate-ink"))
    assert dist(*(seen(rgb(ink, depth), "all") for ink in inks)) >= 20


@pytest.mark.parametrize("theme", THEMES)
def test_256_colours_look_like_the_true_ones(theme: Theme) -> None:
    """Of 240 colours, some are a shade off, but none is of another hue; greys stay grey."""
    true, many = (Style.from_dict(style_of(theme, depth)) for depth in ("true", "256"))
    for name in style_of(theme, "true"):
        for wanted, found in zip(colours(true, name), colours(many, name), strict=True):
            one, other = seen(rgb(wanted, "true"), "all"), seen(rgb(found, "true"), "all")
            assert rgb(found, "256") == rgb(found, "true"), "it is one of the 256"
            assert dist(one, other) <= (32 if name == "legal" else 25), (name, wanted, found)
            hues = [atan2(blue, red) for _, red, blue in (one, other)]
            chroma = [hypot(*color[1:]) for color in (one, other)]
            if min(chroma) > GREY:
                assert abs(degrees(remainder(hues[0] - hues[1], tau))) <= 35, (name, wanted, found)


def colours(style: Style, name: str) -> tuple[str, str]:
    attrs = style.get_attrs_for_style_str(f"class:{name}" if name else "")
    return attrs.color or "", attrs.bgcolor or ""


@pytest.mark.parametrize("theme", THEMES)
def test_without_colours_there_are_none(theme: Theme) -> None:
    words = {word for text in style_of(theme, "none").values() for word in text.split()}
    assert words <= {"bold", "reverse", "underline"}


def test_every_class_that_is_drawn_has_a_style() -> None:
    known = set(style_of("dark", "true"))
    root = Path(coffeerush.ui.__file__).parent
    for path in root.rglob("*.py"):
        for name in re.findall(r"class:([a-z][a-z0-9-]*)", path.read_text(encoding="utf-8")):
            assert name in known or name == "seat", f"{path.name} draws class:{name}"
