"""Lists to choose from: which entry is marked, and that keys choose at once."""

import pytest
from msgspec.structs import replace

from coffeerush.client.model import Model
from coffeerush.ui.advice.advice import advised, hint
from coffeerush.ui.advice.guide import follow
from coffeerush.ui.advice.guide_lessons import Progress
from coffeerush.ui.table.draw_game import draw
from coffeerush.ui.table.input import press
from coffeerush.ui.table.state import Ui
from coffeerush.ui.terminal.keys import ENTER
from coffeerush.ui.words.i18n import _
from coffeerush.ui.words.names import upgrade_name
from protocol import ActivateUpgrade, EmptyCup
from tests.golden.frames import EXTREMES, spoken
from tests.support.positions import Has, position
from tests.ui.advice.test_guide import model_of

LANGUAGE = pytest.mark.parametrize("language", EXTREMES)
SIZE = pytest.mark.parametrize("size", [(40, 12), (80, 24), (120, 36), (200, 60)])
NOW = 1000.0


def rich() -> Model:
    """Return a model in which an upgrade is possible that the hint does not advise."""
    return model_of(position(Has(completed=3), Has(), Has(), round=2), 0)


def opened(model: Model, size: tuple[int, int], key: str, guide: bool) -> Ui:
    progress = follow(Progress(), model, model) if guide else Progress()
    ui, _wishes = press(model, Ui(size=size, guide=False, progress=progress), key, NOW)
    return replace(ui, guide=guide)


@LANGUAGE
@SIZE
def test_the_upgrade_that_the_hint_advises_is_marked(language: str, size: tuple[int, int]) -> None:
    model = hinted()
    assert model.view is not None
    plan = advised(model.view).intents[0]
    assert isinstance(plan, ActivateUpgrade)
    with spoken(language):
        assert upgrade_name(plan.upgrade) in hint(model)
        ui = opened(model, size, "g", guide=False)
        assert f"▸{plan.upgrade + 1} " in "\n".join(draw(model, ui, *size).lines())
        assert press(model, ui, ENTER, NOW + 1)[1] == (plan,)


def test_a_cup_without_ingredients_is_empty() -> None:
    model = model_of(position(Has(("Lungo",), ("milk",)), Has(), round=2), 0)
    shown = "\n".join(draw(model, opened(model, (80, 24), "e", guide=False), 80, 24).lines())
    assert "1 milk" in shown
    assert "2 empty" in shown


def hinted() -> Model:
    """Return a model in which the hint advises an upgrade that is not the first."""
    has = Has(("Cappuccino",), completed=3, meeples=(14,))
    return model_of(position(has, Has(), Has(), round=2), 0)


def test_the_first_is_marked_at_a_table_without_hints() -> None:
    model = hinted()
    assert model.table is not None
    silent = replace(model, table=replace(model.table, hints=False))
    ui = opened(silent, (80, 24), "g", guide=True)
    assert "▸1 " in "\n".join(draw(silent, ui, 80, 24).lines())


@SIZE
def test_the_cup_that_the_hint_empties_is_marked(size: tuple[int, int]) -> None:
    cups = ("coffee", "tea tea", "coffee")
    model = model_of(position(Has(("Caffe latte", "Lungo", "Mocha"), cups), Has(), Has()), 0)
    assert model.view is not None
    emptied = [one.cup for one in advised(model.view).intents if isinstance(one, EmptyCup)]
    assert emptied == [2]
    ui = opened(model, size, "e", guide=False)
    assert "▸2 " in "\n".join(draw(model, ui, *size).lines())


@LANGUAGE
@SIZE
def test_a_list_says_that_its_keys_choose_at_once(language: str, size: tuple[int, int]) -> None:
    model = rich()
    with spoken(language):
        for key in ("g", "f"):
            ui = opened(model, size, key, guide=False)
            assert _("Press a key to choose") in "\n".join(draw(model, ui, *size).lines())
