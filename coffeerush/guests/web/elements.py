"""What a page shows: a tree of elements with their actions, and what has changed in it. Pure."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from coffeerush.ui.terminal.canvas import Parts, Target

# fmt: off
Tag: TypeAlias = Literal[
    "section", "header", "footer", "nav", "div", "p", "span", "h1", "h2", "ol", "ul", "li",
    "button", "details", "summary", "table", "thead", "tbody", "tr", "th", "td",
]
# fmt: on


class Element(Struct, frozen=True):
    """An element of the page, whose parts follow each other; it has parts, or a text."""

    tag: Tag
    look: str = ""
    """Its classes in `page.css`."""
    text: str = ""
    parts: tuple["Element", ...] = ()
    act: Target | None = None
    """What a tap does."""
    name: str = ""
    """What screen readers call it, where its text is short for something."""
    role: str = ""
    """Its role for screen readers, if that is not the tag's."""
    off: bool = False
    """Whether it cannot be tapped now."""
    key: str = ""
    """Tells it from its siblings, whatever comes or goes; "" for its place among them."""


Part: TypeAlias = Element | str | None


def box(tag: Tag, look: str, *parts: Part, **more: object) -> Element:
    """Return an element of parts; a string is a text of its own, None is left out."""
    whole = tuple(Element("span", text=part) if isinstance(part, str) else part for part in parts)
    return Element(tag, look, parts=tuple(filter(None, whole)), **more)  # type: ignore[arg-type]


def line(tag: Tag, look: str, parts: Parts, **more: object) -> Element:
    """Return an element with fragments as a canvas has them, in the looks of their styles."""
    spans = (Element("span", look_of(style), text.strip()) for style, text in parts)
    return box(tag, look, *(span for span in spans if span.text), **more)


def look_of(style: str) -> str:
    """Return the classes of a style."""
    return style.replace("class:", "")


def renamed(page: Element, names: Mapping[str, str]) -> Element:
    """Return a page in which people are called by other names."""
    text, name = called(page.text, names), called(page.name, names)
    parts = tuple(renamed(part, names) for part in page.parts)
    return replace(page, text=text, name=name, parts=parts)


def called(text: str, names: Mapping[str, str]) -> str:
    """Return a text in which people are called by other names."""
    for before, after in names.items():
        text = text.replace(before, after)
    return text


# What has changed: each element that is new or another is sent whole, its parts by their names


Sent: TypeAlias = dict[str, object]
"""An element as the page receives it: what is empty is left out."""
ROOT: Final = "0"
"""The name of the outermost element."""


def flat(element: Element, place: str = ROOT) -> Iterator[tuple[str, Sent]]:
    """Yield an element and all its parts, these first, each with its name."""
    names = []
    for at, part in enumerate(element.parts):
        name = f"{place}.{part.key or at}"
        yield from flat(part, name)
        names.append(name)
    told: Sent = {
        "tag": element.tag,
        "look": element.look,
        "text": element.text,
        "act": element.act,
        "name": element.name,
        "role": element.role,
        "off": element.off,
        "of": names,
    }
    yield place, {key: value for key, value in told.items() if value}


class Shown:
    """Remembers the elements that a page shows."""

    def __init__(self) -> None:
        self._known: dict[str, Sent] = {}

    def changes(self, page: Element) -> list[Sent]:
        """Return the elements that have changed, each with its name as `id`, parts first."""
        before, self._known = self._known, dict(flat(page))
        return [
            {"id": name, **told} for name, told in self._known.items() if told != before.get(name)
        ]


def acts(page: Element) -> Iterable[Target]:
    """Yield what taps on the page do."""
    if page.act and not page.off:
        yield page.act
    for part in page.parts:
        yield from acts(part)
