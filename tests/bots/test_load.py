"""Loading bots: built in, and from a person's file."""

import sys
from pathlib import Path
from random import Random

import pytest

from coffeerush.bots import BOTS, RegularBot
from coffeerush.bots.load import load_bot
from coffeerush.errors import BotError
from coffeerush.levels import FORMER_KINDS, LEVELS
from coffeerush.rules import view_for
from protocol import EndTurn
from tests.support.positions import Has, position, ready

FILE = """
import sys
from protocol import EndTurn

class Last:
    def choose(self, view, chance):
        return view.own.options[-2].intent

class Broken:
    def choose(self, view, chance):
        return view.own.optiosn

class Quits:
    def choose(self, view, chance):
        sys.exit("enough")

class Unmade:
    def __init__(self):
        raise ValueError("no luck")

class Mute:
    pass

class Unready:
    @property
    def choose(self):
        raise ValueError("not yet")

class Borrows:
    def choose(self, view, chance):
        from coffeerush.errors import BotError
        raise BotError("{unknown}")

class Wrong:
    def choose(self, view, chance):
        return Mute()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "my_bot.py"
    file.write_text(FILE, encoding="utf-8")
    return file


def test_all_built_in_bots_are_offered_but_one_for_tests() -> None:
    assert {*LEVELS} == {*BOTS} - {"random"}


@pytest.mark.parametrize(("name", "now"), FORMER_KINDS.items())
def test_a_former_name_loads_the_bot_of_today(name: str, now: str) -> None:
    assert type(load_bot(name)) is BOTS[now]


@pytest.mark.parametrize("name", BOTS)
def test_a_built_in_bot_by_name(name: str) -> None:
    assert type(load_bot(name)) is BOTS[name]
    assert load_bot("regular") is not load_bot("regular")
    assert isinstance(load_bot("regular"), RegularBot)


def test_a_bot_from_a_file(path: Path) -> None:
    view = view_for(ready(position(Has(), Has(), Has())), 0)
    assert load_bot(f"{path}:Last").choose(view, Random(1)) == EndTurn()


def test_a_bot_of_several_files(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own modules are found, but never shadow one of Python's."""
    monkeypatch.setattr(sys, "path", sys.path[:])
    (tmp_path / "colorsys.py").write_text("raise RuntimeError")
    (tmp_path / "beside_my_bot.py").write_text("from my_bot import Last")
    path.write_text("import colorsys\n" + FILE, encoding="utf-8")
    bot = load_bot(f"{tmp_path / 'beside_my_bot.py'}:Last")
    view = view_for(ready(position(Has(), Has(), Has())), 0)
    assert bot.choose(view, Random(1)) == EndTurn()


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        (
            "clever",
            "There is no bot “clever”; choose from casual, regular, expert, or give "
            "path/to/file.py:Class.",
        ),
        (
            "{path}",
            "There is no bot “{path}”; choose from casual, regular, expert, or give "
            "path/to/file.py:Class.",
        ),
        ("{path}:Lost", "{path} has no class Lost; check the name."),
        ("{path}:Mute", "{path}:Mute has no method choose(view, chance); add one."),
        ("{folder}/none.py:Last", "There is no file {folder}/none.py; check the path."),
    ],
)
def test_load_errors_say_what_is_wrong(path: Path, spec: str, says: str) -> None:
    names = {"path": path, "folder": path.parent}
    with pytest.raises(BotError) as caught:
        load_bot(spec.format(**names))
    assert str(caught.value) == says.format(**names)


def test_exceptions_of_a_bot_become_bot_errors(path: Path) -> None:
    with pytest.raises(BotError, match=r"Unmade failed with ValueError \(no luck\) \(.*line 19\)"):
        load_bot(f"{path}:Unmade")
    bot = load_bot(f"{path}:Broken")
    view = view_for(position(Has(), Has(), Has()), 0)
    with pytest.raises(BotError, match=r"Broken failed with AttributeError \(.*optiosn.*line 11"):
        bot.choose(view, Random(1))


def test_a_bot_cannot_exit_the_program(path: Path) -> None:
    bot = load_bot(f"{path}:Quits")
    view = view_for(position(Has(), Has(), Has()), 0)
    with pytest.raises(BotError, match=r"Quits failed with SystemExit \(enough\) \(.*, line 15\)"):
        bot.choose(view, Random(1))


def test_a_bot_without_a_method_yet(path: Path) -> None:
    with pytest.raises(BotError, match=r"Unready failed with ValueError \(not yet\)"):
        load_bot(f"{path}:Unready")


@pytest.mark.parametrize(
    ("name", "said"), [("Borrows", r"BotError \(\{unknown\}\)"), ("Wrong", "is not an intent")]
)
def test_what_a_bot_does_wrong_is_told(path: Path, name: str, said: str) -> None:
    view = view_for(position(Has(), Has(), Has()), 0)
    with pytest.raises(BotError, match=said):
        load_bot(f"{path}:{name}").choose(view, Random(1))


def test_a_file_that_raises_on_import(tmp_path: Path) -> None:
    file = tmp_path / "half.py"
    file.write_text("class Half(", encoding="utf-8")
    with pytest.raises(BotError, match=r"failed with SyntaxError \(.*fix the bot"):
        load_bot(f"{file}:Half")
