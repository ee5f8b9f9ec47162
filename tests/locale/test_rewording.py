"""Rewording texts in the sources, where they are marked."""

from pathlib import Path

import pytest

from scripts.programs.translate.merging import Rewording
from scripts.programs.translate.rewording import marks, reword, written

SOURCE = '''"""Look on."""

from words import N_, _, ngettext, pgettext

TEXTS = {"Look on": N_("Look on"), "say": "Look on"}


def told(count: int) -> str:
    raise UsageError(
        "A sentence of {some} words, "  # some of them here
        "in two parts.",
        some=_("Look on").format(count),
    )
    ngettext("{n} cup", "{n} cups", count), pgettext("key", "Look on"), "ä", _("“ä”"), _("x")
'''


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "source.py"
    path.write_text(SOURCE, encoding="utf-8")
    return path


def found(path: Path) -> set[tuple[str | None, tuple[str, ...]]]:
    return {
        (mark.context, tuple(one.text for one in mark.literals))
        for mark in marks(path.read_text(encoding="utf-8"))
    }


def test_only_what_is_marked_is_reworded_and_everywhere(source: Path) -> None:
    assert reword([source], [Rewording("Look on", "Watch")]) == []
    text = source.read_text(encoding="utf-8")
    assert 'TEXTS = {"Look on": N_("Watch"), "say": "Look on"}' in text
    assert text.startswith('"""Look on."""')
    assert {(None, ("Watch",)), ("key", ("Look on",))} <= found(source)


def test_a_text_of_several_lines_and_many_at_once(source: Path) -> None:
    long = "Said with so many {some} words that no line of a program would hold it: " + "ha " * 20
    rewordings = [
        Rewording("A sentence of {some} words, in two parts.", long),
        Rewording(("{n} cup", "{n} cups"), ("{n} mug", "{n} mugs")),
        Rewording("Look on", "Watch", context="key"),
        Rewording("“ä”", '"ö\\\n'),
        Rewording("x", "z"),
    ]
    assert reword([source], rewordings) == []
    assert found(source) == {
        (None, ("Look on",)),
        (None, (long,)),
        (None, ("{n} mug", "{n} mugs")),
        ("key", ("Watch",)),
        (None, ('"ö\\\n',)),
        (None, ("z",)),
    }
    assert max(map(len, source.read_text(encoding="utf-8").splitlines())) <= 100


@pytest.mark.parametrize(
    ("rewording", "fault"),
    [
        (Rewording("No such text", "Watch"), "“No such text”: the source code has no such text"),
        (Rewording("Look on", "Watch", context="door"), "with the context “door”"),
        (
            Rewording("{n} cup", "{n} mug"),
            "source.py:14: “{n} cup” has 2 forms; give the same number",
        ),
        (Rewording("Missing command.", "Say one."), "click_texts.py:"),
        (Rewording("Espresso", "Caffè", context="drink"), "coffeerush/decks/standard.toml:"),
    ],
)
def test_what_cannot_be_reworded_is_told_and_left(
    rewording: Rewording, fault: str, source: Path
) -> None:
    (told,) = reword([source], [rewording])
    assert fault in told
    assert source.read_text(encoding="utf-8") == SOURCE


@pytest.mark.parametrize("text", ["", "a", "two  words ", "x" * 50 + " y", '"\\ \u00a0\n {a}'])
def test_what_is_written_is_read_again(text: str) -> None:
    assert eval(f"({written(text, 10)})") == text
