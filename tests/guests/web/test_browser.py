"""The page in a real browser: whole games, interruptions, languages, and who can use it."""

import json
import os
import re
import signal
import subprocess
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from random import Random

import msgspec
import pytest
from msgspec.structs import replace

from coffeerush.client.model import UNINVITED
from coffeerush.guests.web.elements import Element, Shown
from coffeerush.guests.web.game_page import FEW_ORDERS
from coffeerush.guests.web.page import table_page
from coffeerush.host.server.parent import LetGuestsJoin
from coffeerush.local.settings import Theme
from coffeerush.ui.replay.replay_input import press
from coffeerush.ui.table.actions import gives_back
from coffeerush.ui.table.input import click
from coffeerush.ui.table.scene import Scene
from coffeerush.ui.table.state import Moment, Moments
from coffeerush.ui.terminal.canvas import Target
from coffeerush.ui.terminal.theme import palette_of
from coffeerush.ui.words.events import others_turns
from protocol import BOARD
from tests.golden.frames import EXTREMES, spoken
from tests.guests.web.test_page import page_with, played, scene_of, scenes, texts, with_look
from tests.guests.web.test_replay_page import page_at, replay, reviewed
from tests.soak.oracle.taps import Taps
from tests.support.browser import DESKTOP, LANDSCAPE, PORTRAIT, Browser, Tab
from tests.support.children import children
from tests.support.hosts_and_clients import Patience, coffeerush, environment
from tests.support.web_guests import NEWS_SECONDS, PagePlayer, WebTable, desktop, phone, web_table

pytestmark = pytest.mark.slow

OVER = "document.querySelector('#page .page.result') !== null"
THEMES: dict[Theme, list[str]] = {
    "dark": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "light": ["color-contrast"],
}
"""The rules to check in each theme."""
AXE = (files("axe_core_python") / "axe.min.js").read_text(encoding="utf-8")
SAID = "document.getElementById('said').textContent"


@pytest.fixture
def table(tmp_path: Path) -> Iterator[WebTable]:
    with web_table(tmp_path, seats=3, bots=["random"], seed=3) as running:
        yield running


@pytest.fixture(scope="module")
def windows(
    chromium: Browser, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Tab, Tab]]:
    """A phone and a desktop that hear nothing more from their table."""
    with web_table(tmp_path_factory.mktemp("seen"), open=True) as table, chromium.visit():
        found = phone(chromium), desktop(chromium)
        for one in found:
            table.enter(one, "Ann", role="spectator")
            one.run("socket.onclose = socket.onmessage = null, socket.close(), answered()")
            one.run("window.open = () => {}, window.known = say")
            empty(one)
        yield found


@pytest.fixture
def tab(windows: tuple[Tab, Tab]) -> Iterator[Tab]:
    """A phone with an empty page, so that a test says what it shows."""
    windows[0].resize(PORTRAIT)
    yield windows[0]
    empty(windows[0])


@pytest.fixture
def desk(windows: tuple[Tab, Tab]) -> Iterator[Tab]:
    """The same on a desktop."""
    windows[1].resize(DESKTOP)
    yield windows[1]
    empty(windows[1])


def empty(tab: Tab) -> None:
    """Leave nothing of a test, nor anything that moves, which takes time."""
    tab.call("Emulation.setEmulatedMedia", features=[])
    tab.run(
        "window.say = known, $('lost').hidden = true, document.body.classList.remove('tapped'),"
        " document.getAnimations().forEach((one) => one.cancel()), document.activeElement.blur(),"
        " $('page').replaceChildren(), elements.clear(), read.clear(), due.clear()"
    )


def is_at_the_table(tab: Tab) -> bool:
    return bool(tab.until("document.body.dataset.stage === 'table' && $('lost').hidden"))


def reload(tab: Tab, _table: WebTable) -> None:
    tab.run("window.old = 1")
    tab.call("Page.reload")
    tab.until("!window.old")


def lock(tab: Tab, _table: WebTable) -> None:
    tab.lock()
    tab.unlock()
    tab.until("document.visibilityState === 'visible'")


def turn_round(tab: Tab, _table: WebTable) -> None:
    tab.resize(LANDSCAPE)
    tab.until("getComputedStyle(document.querySelector('.page')).display === 'grid'")
    tab.resize(PORTRAIT)


def kill_gateway(tab: Tab, table: WebTable) -> None:
    (gateway,) = children(table.host.process.pid, "coffeerush.guests.process")
    os.kill(gateway, signal.SIGKILL)
    tab.until("!$('lost').hidden")


INTERRUPTIONS: list[Callable[[Tab, WebTable], None]] = [reload, lock, turn_round, kill_gateway]


def test_a_game_with_fingers_keys_a_bot_and_an_ordinary_client(
    browser: Browser, tmp_path: Path
) -> None:
    """To its end, although pages are loaded again, locked and turned, and the gateway is killed."""
    with web_table(tmp_path, seats=4, bots=["random"], seed=3) as table:
        code, door = table.host.ready["code"], f"127.0.0.1:{table.host.port}"
        bot = subprocess.Popen(
            coffeerush("bot", door, *code.split("-"), "--bot", "random"),
            env=environment(tmp_path / "bot"),
            stderr=subprocess.DEVNULL,
        )
        try:
            tabs = [phone(browser), desktop(browser)]
            still = {"name": "prefers-reduced-motion", "value": "reduce"}
            tabs[1].call("Emulation.setEmulatedMedia", features=[still])
            for tab, name in zip(tabs, ("Ann", "Cleo"), strict=True):
                table.enter(tab, name)
            players = [
                PagePlayer(tabs[0], Random(1)),
                PagePlayer(tabs[1], Random(2), keyboard=True),
            ]
            _play(players, table)
        finally:
            bot.terminate()
            bot.wait()
        for player in players:
            player.tab.until(OVER)
            assert "Ann" in player.tab.run("$('page').textContent")
            assert "(web)" not in player.tab.run("$('page').textContent")
            look_back(player.tab)
            assert not [one for one in player.tab.complaints if "/socket" not in one]
        assert len([taps for taps in players[0].turns if taps > 2]) > 2


def look_back(tab: Tab) -> None:
    """Replay and review the game that is over, then return to the result."""
    begins = "document.querySelector('#page .row [data-act=\"key,up\"]')?.disabled"
    tap_more(tab, "Replay")
    tab.until(f"{begins} && document.activeElement.matches('.told')")
    tap_more(tab, "Next turn")
    tab.until(f"!{begins}")
    tab.until("document.querySelector('#page .message').textContent.includes('turn')")
    tap_more(tab, "Analysis")
    tab.until("document.querySelector('#page .review')")  # once the turns are analysed
    tap_more(tab, "The result")
    tab.until("!document.querySelector('#page .replayed')")


def _play(players: list[PagePlayer], table: WebTable) -> None:
    """Play to the end; something happens to the phone in each of its turns."""
    patience, coming = Patience(), [*INTERRUPTIONS]
    while not players[0].tab.run(OVER):
        seen = []
        for player in players:
            if player.is_on_turn() and player is players[0] and coming and len(player.turns) > 1:
                coming.pop(0)(player.tab, table)
                is_at_the_table(player.tab)
            seen.append(player.act())
        patience.look(seen)
        if not any(player.is_on_turn() for player in players):
            players[0].wait_for_news(seen[0])
    assert not coming


def test_a_wrong_number_lets_nobody_in(browser: Browser, table: WebTable) -> None:
    tab = phone(browser)
    tab.open(table.address)
    tab.tap("#name")
    tab.type("Eve")
    tab.tap("#ask [value=player]")
    for _try in range(2):
        tab.until("document.body.dataset.stage === 'enter' && !$('number').value")
        number = table.number_of("Eve")
        tab.tap("#number")
        tab.type(f"{(int(number) + 1) % 10**6:06}")
        tab.tap("#enter button")
        assert table.number_of("Eve", but=number)
    assert "not the number" in tab.until("$('note').textContent")
    assert "Eve" not in table.host.text().replace("(Eve) asks", "")


def test_who_is_not_let_in_yet_loses_nothing_with_the_connection(
    browser: Browser, table: WebTable
) -> None:
    """Nor with the page, if it is loaded again: a phone was in another app for a while."""
    tab = phone(browser)

    def break_off(stage: str) -> None:
        tab.run("window.lost = socket, socket.close()")
        tab.until("socket !== lost && socket.readyState === WebSocket.OPEN && !isBack")
        assert tab.run("document.body.dataset.stage") == stage

    tab.open(table.address)
    tab.until("document.body.dataset.stage === 'ask'")
    tab.tap("#name")
    tab.type("Ann")
    break_off("ask")
    assert tab.run("$('name').value") == "Ann"
    tab.tap("#ask [value=player]")
    tab.until("document.body.dataset.stage === 'enter'")
    note, number = tab.run("$('note').textContent"), table.number_of("Ann")
    assert note.startswith("Ann, you are guest 1. Ask ")
    tab.tap("#number")
    tab.type(number[:3])
    break_off("enter")
    assert tab.run("$('number').value") == number[:3]
    tab.run("window.old = 1")
    tab.call("Page.reload")
    tab.until("!window.old && document.body.dataset.stage === 'enter'")
    assert tab.run("$('note').textContent") == note
    assert table.number_of("Ann") == number
    tab.tap("#number")
    tab.type(number)
    tab.tap("#enter button")
    is_at_the_table(tab)
    assert tab.run("ticket()") == ""


def test_who_has_mistyped_their_name_asks_again_under_another(
    browser: Browser, table: WebTable
) -> None:
    tab = phone(browser)
    tab.open(table.address)
    tab.until("document.body.dataset.stage === 'ask'")
    tab.tap("#name")
    tab.type("Mai")
    tab.tap("#ask [value=player]")
    tab.until("document.body.dataset.stage === 'enter'")
    assert table.number_of("Mai")
    tab.tap("#back")
    tab.until("document.activeElement === $('name')")
    assert tab.run("$('name').value") == "Mai"
    table.hear(lambda ways: not ways["asking"])
    tab.run("$('name').value = 'Mia'")
    tab.tap("#ask [value=player]")
    tab.until("document.body.dataset.stage === 'enter' && $('note').textContent.includes('Mia')")
    tab.tap("#number")
    tab.type(table.number_of("Mia"))
    tab.tap("#enter button")
    is_at_the_table(tab)


def test_chat_and_names_are_typed_with_the_phones_own_keyboard(
    browser: Browser, table: WebTable
) -> None:
    ann, bob = phone(browser), phone(browser)
    table.enter(ann, "Ann")
    table.enter(bob, "Bob", role="spectator")
    tap_more(ann, "Say")
    tap_more(ann, "In your own words")
    ann.until("document.activeElement === $('text')")
    ann.type("안녕, <b>Bob</b>! 👋")
    sends = "[...document.querySelectorAll('button')].filter((one) => !one.closest('.reader')"
    sends += " && one.offsetParent"
    assert ann.run(f"{sends} && !one.disabled && /send|cancel/i.test(one.textContent)).length") == 2
    below = "$('field').getBoundingClientRect().top - $('page').getBoundingClientRect().bottom"
    assert ann.run(below) >= 0, "in reach of the thumb"
    ann.tap("#field button:not([type])")
    bob.until(f"{SAID}.includes('안녕, <b>Bob</b>! 👋')")
    bob.until("$('page').textContent.includes('<b>Bob</b>')")
    ann.until("$('field').hidden")
    ann.until("document.querySelector('.bubble').textContent.includes('<b>Bob</b>')")
    tap_more(ann, "Name")
    ann.until("document.activeElement === $('text')")
    assert ann.run("$('text').value") == "Ann"
    ann.type("Anna")
    ann.press("Enter")
    bob.until("$('page').textContent.includes('Anna (web)')")
    assert not bob.complaints


def test_a_screen_reader_hears_sentences_and_gives_commands(
    browser: Browser, table: WebTable
) -> None:
    tab = desktop(browser)
    table.enter(tab, "Ann")
    tab.until(f"{SAID}.includes('You are at the table as Ann (web)')")
    tab.press("Tab")
    tab.until("document.activeElement === $('typed')")
    tab.type("ready")
    tab.press("Enter")
    tab.until(f"{SAID}.includes('Ann (web), ready')")
    tree = tab.call("Accessibility.getFullAXTree")["nodes"]
    roles = {node["role"]["value"]: node for node in tree if not node["ignored"]}
    assert {"log", "button", "textbox", "main", "heading"} <= {*roles}


def test_the_page_follows_the_language(browser: Browser, table: WebTable) -> None:
    tab = phone(browser, languages="ko-KR")
    table.enter(tab, "민준")
    assert tab.run("document.documentElement.lang") == "ko"
    tab.until("$('page').textContent.includes('민준')")
    tab.press("F3")
    for number, lang in ((6, "ru"), (5, "ko"), (6, "ru")):  # the settings stay open
        tab.tap(f"#page .languages button:nth-child({number})")
        tab.until(f"document.documentElement.lang === '{lang}'")
        is_at_the_table(tab)
        tab.until(f"document.querySelector('.choice.marked:nth-child({number})')")
    assert tab.run("location.hash") == ""
    reload(tab, table)
    is_at_the_table(tab)
    tab.until("/[а-я]/i.test(document.querySelector('.more summary').textContent)")
    # a link is also a choice, and the address of the host alone is none
    for path, lang in (("es", "es"), ("", "es"), ("it", "it")):
        tab.open(table.address + path)
        tab.until(f"document.documentElement.lang === '{lang}'")
        is_at_the_table(tab)
        tab.until("$('page').textContent")
        assert tab.run("document.documentElement.lang") == lang


def test_old_browsers_can_join_and_play(browser: Browser, table: WebTable) -> None:
    """Safari 15 cannot make style sheets, and forms tell less about themselves."""
    tab = phone(browser)
    old = (
        "delete Document.prototype.adoptedStyleSheets; delete window.CSSStyleSheet;"
        "delete HTMLFormElement.prototype.requestSubmit; delete SubmitEvent.prototype.submitter;"
    )
    tab.call("Page.addScriptToEvaluateOnNewDocument", source=old)
    table.enter(tab, "Ann", role="spectator")
    tab.until("$('page').textContent.includes('Ann (web) is watching')")
    shown = "getComputedStyle($('page').querySelector('.badge')).backgroundColor"
    assert tab.run(shown) != tab.run("getComputedStyle(document.body).backgroundColor")
    tap_more(tab, "Chat")
    tab.until("document.activeElement === $('text')")
    tab.type("hello")
    tab.tap("#field button:not([type])")
    tab.until(f"{SAID}.includes('hello')")
    assert not tab.complaints


def test_the_latest_window_has_the_seat(browser: Browser, table: WebTable) -> None:
    tab = phone(browser)
    table.enter(tab, "Ann")
    token = tab.run("localStorage.getItem('token')")
    other = phone(browser)
    other.open(table.address)
    other.until("document.body.dataset.stage === 'ask'")
    other.run(f"localStorage.setItem('token', '{token}'); location.reload()")
    is_at_the_table(other)
    tab.until("document.body.dataset.stage === 'again'")
    assert "another window" in tab.run("$('note').textContent")
    tab.run("window.last = socket, hiddenAt = 0, dispatchEvent(new Event('online'))")
    tab.run("document.dispatchEvent(new Event('visibilitychange'))")
    assert tab.run("socket === last"), "it does not take the seat back by itself"
    tab.tap("#again button")
    is_at_the_table(tab)
    other.until("document.body.dataset.stage === 'again'")


def test_who_is_at_the_table_or_at_the_door_hears_that_the_host_lets_no_browsers_in(
    browser: Browser, table: WebTable
) -> None:
    """And the page tries on when it is asked to, rather than be replaced by an error."""
    inside, outside = phone(browser), phone(browser)
    table.enter(inside, "Ann")
    outside.open(table.address)
    outside.until("document.body.dataset.stage === 'ask'")
    table.host.link.send(msgspec.json.encode(LetGuestsJoin(False)) + b"\n")
    for tab in (inside, outside):
        tab.until("document.body.dataset.stage === 'again' && isFinal")
        assert tab.run("$('note').textContent") == "The host has closed the entrance for browsers."
    inside.tap("#again button")
    inside.until("!$('lost').hidden && document.body.dataset.stage === 'again'")


def test_a_lost_network_is_noticed_without_a_tap_and_the_seat_is_kept(
    browser: Browser, table: WebTable
) -> None:
    tab = phone(browser)
    with Taps() as network:
        table.enter(tab, "Ann", port=network.front([table.port])[table.port])
        with network.stalled():
            tab.until("!$('lost').hidden")
            assert "Connection lost" in tab.run("$('lost').textContent")
            assert tab.run("getComputedStyle($('page')).opacity") == "0.5", "no tap would arrive"
            tab.run("document.querySelector('#page button.go').click()")
            assert tab.run("$('lost').getAnimations().length") == 1, "which is answered"
        is_at_the_table(tab)
        tab.tap("#page button.go")
        tab.until(f"{SAID}.includes('Ann (web), ready')")


def test_a_planned_walk_is_still_there_after_a_break(browser: Browser, tmp_path: Path) -> None:
    with web_table(tmp_path, seats=2, open=True, seed=3) as table:
        tabs = [phone(browser), phone(browser)]
        for tab, name in zip(tabs, ("Ann", "Bob"), strict=True):
            table.enter(tab, name)
        ann, bob = (PagePlayer(tab, Random(1)) for tab in tabs)
        patience = Patience()
        begun = "document.querySelector('.top .game')?.textContent.startsWith('round')"
        while not (bob.is_on_turn() and ann.tab.run(begun)):
            patience.look([ann.act(), bob.act()])
        ann.tab.until("document.querySelector('.watched')")
        for cell in range(len(BOARD)):  # the first to which Ann can walk
            ann.tab.run(f"document.querySelectorAll('.tile')[{cell}].click()")
            if ann.tab.wait("document.querySelector('.path.planned')", NEWS_SECONDS):
                break
        steps = "[...document.querySelectorAll('.tile')]"
        steps += ".map((one) => one.querySelector('.planned')?.textContent || '')"
        planned = ann.tab.run(steps)
        ann.tab.run("$('page').replaceChildren(), elements.clear(), socket.close()")
        ann.tab.until("document.querySelector('.path.planned')")
        assert ann.tab.run(steps) == planned


def test_a_window_that_may_keep_nothing_comes_back_after_a_break(
    browser: Browser, table: WebTable
) -> None:
    tab = phone(browser)
    forbidden = "Object.defineProperty(window, 'localStorage', {get() { throw new Error(); }});"
    tab.call("Page.addScriptToEvaluateOnNewDocument", source=forbidden)
    table.enter(tab, "Ann")
    tab.run("socket.close()")
    tab.until("!$('lost').hidden")
    is_at_the_table(tab)
    assert not tab.complaints


def test_nothing_wide_zooms_the_page_out(browser: Browser, table: WebTable) -> None:
    tab = phone(browser)
    table.enter(tab, "Ann")
    tab.run("window.wide = make('p', 'x'), wide.style.minWidth = '900px', $('table').append(wide)")
    tab.resize((320, 568))
    tab.until("document.documentElement.scrollWidth === 900")
    assert not tab.wait("innerWidth > 320", 1.0)


def test_everything_can_be_hit_and_read(browser: Browser, tmp_path: Path) -> None:
    """WCAG 2.2 AA: contrast in both themes, names, roles; targets are 44 pixels high."""
    tab = phone(browser)
    with web_table(tmp_path, seats=2, bots=["random"]) as table:
        tab.open(table.address)
        tab.until("document.body.dataset.stage === 'ask'")
        for theme in THEMES:
            preferred = {"name": "prefers-color-scheme", "value": theme}
            tab.call("Emulation.setEmulatedMedia", features=[preferred])
            assert_readable(tab, theme)
        table.enter(tab, "Ann")
        assert_readable(tab, "light")
        assert_accessible(tab)
        ann = PagePlayer(tab, Random(1))
        while not ann.is_on_turn():
            ann.wait_for_news(ann.act())
        for size in (LANDSCAPE, (320, 568), DESKTOP, (820, 1180), PORTRAIT):
            tab.resize(size)
            tab.until(f"innerWidth === {size[0]}")
            assert_fits(tab)
            if size in ((320, 568), DESKTOP):
                assert_accessible(tab)
        tab.tap("#page .more summary")
        assert_accessible(tab)
        tab.tap("#page .more summary")
        for key in ("f1", "f2", "f3", "f"):  # the pages, and a list
            tab.run(f"say({{is: 'key', key: '{key}'}})")
            tab.until(f"document.querySelector('#page {'.sheet' if key == 'f' else '.reading'}')")
            assert_accessible(tab)
            tab.run("say({is: 'key', key: 'escape'})")
            tab.until("document.querySelector('#page .tile') && !$('page').querySelector('.sheet')")
        tap_more(tab, "Say")
        tap_more(tab, "In your own words")
        tab.until("!$('field').hidden")
        assert_accessible(tab)
        tab.run("socket.onclose = socket.onmessage = null, socket.close(), answered()")
        tab.run("$('lost').hidden = $('field').hidden = true")
        for watch in (reviewed(), press(replay(), reviewed(), "w")):
            tab.run(f"update({json.dumps([*Shown().changes(page_at(watch))])})")
            for size in (LANDSCAPE, PORTRAIT):
                tab.resize(size)
                tab.until(f"innerWidth === {size[0]}")
                assert_accessible(tab)


def test_a_button_that_has_just_come_is_not_tapped_instead_of_another(
    browser: Browser, table: WebTable
) -> None:
    tab = phone(browser)
    table.enter(tab, "Ann")
    # nothing else changes the page, nor opens another connection
    tab.run("socket.onclose = socket.onmessage = null, socket.close(), answered()")
    go = "{id: '0.dock.first.go', tag: 'button', look: 'go', act: ['key', 'c-m'], text: TEXT}"
    hit = "document.elementFromPoint(...middle(document.querySelector('button.go'))).matches('.go')"
    tab.run(
        "window.middle = (one) => { const {x, y, width, height} = one.getBoundingClientRect();"
        " return [x + width / 2, y + height / 2]; }"
    )
    tab.until(hit)
    assert tab.run(f"update([{go.replace('TEXT', repr('Ready'))}]), {hit}"), "it is the same"
    assert not tab.run(f"update([{go.replace('TEXT', repr('End turn'))}]), {hit}")
    tab.until(hit)


def test_what_is_in_front_is_visible_in_every_window(tab: Tab) -> None:
    """No button below the table is cut off, or too small for a finger."""
    for language in EXTREMES:
        with spoken(language):
            pages = [table_page(scene) for name, scene in scenes() if name in FULLEST]
            pages += [page_with("upgrade", mode="table"), page_at(press(replay(), reviewed(), "w"))]
        assert len(pages) == len(FULLEST) + 2
        for page in pages:
            told = json.dumps([*Shown().changes(page)])
            tab.run(f"update({told})")
            for size in WINDOWS:
                tab.resize(size)
                tab.until(f"innerWidth === {size[0]} && innerHeight === {size[1]}")
                assert not tab.run(CUT), (language, size)


def test_all_orders_are_in_view_when_a_turn_begins(tab: Tab) -> None:
    """On phones of the usual size, upright and across, with the news of the others' turns."""
    begins = [one for one in played() if one.stage == "game" and one.turn.steps]
    begins = [one for one in begins if one.ui.note and len(one.view.path) < 2]
    scene = max(begins, key=lambda one: (len(one.orders), len(one.ui.note)))
    assert len(scene.orders) >= 6
    for size in ((390, 844), (844, 390)):
        tab.resize(size)
        tab.until(f"innerWidth === {size[0]}")
        tab.run("$('page').replaceChildren(), elements.clear()")
        tab.run(f"update({json.dumps([*Shown().changes(table_page(scene))])})")
        assert tab.run("document.querySelectorAll('.order').length") == len(scene.orders)
        assert not tab.run(HIDDEN), size
        assert not tab.run(CUT), size


def test_news_leave_many_orders_their_room_until_they_are_opened(tab: Tab) -> None:
    begins = [one for one in played() if one.stage == "game" and one.turn.steps]
    begins = [one for one in begins if one.ui.note and len(one.view.path) < 2]
    crowd = [one for one in begins if len(one.orders) > FEW_ORDERS]
    scene = max(crowd, key=lambda one: max(map(len, texts(with_look(table_page(one), "told")[0]))))
    tab.resize((390, 844))
    tab.until("innerWidth === 390")
    tab.run(f"update({json.dumps([*Shown().changes(table_page(scene))])})")
    lines = "[...document.querySelectorAll('.told-turn > :last-child')]"
    high = f"Math.max(...{lines}.map((one) => one.offsetHeight))"
    assert tab.run(high) < 20
    tab.tap("#page .deeds summary")
    tab.until(f"{high} > 30")


def test_the_cups_cover_no_order_while_one_pours_or_plans_on_a_phone(tab: Tab) -> None:
    """With the guide, or with a plan in words below the others' turns; nor does an open list."""
    games = [one for one in played() if one.stage == "game"]
    few = [one for one in games if 3 < len(one.orders) <= FEW_ORDERS]
    pours = [one for one in few if one.turn.can_pour and not one.turn.steps]
    pour = max(pours, key=lambda one: len(one.orders))
    guided = Scene(pour.model, replace(pour.ui, guide=True))
    most = max(games, key=lambda one: (one.turn.can_pour, len(one.orders)))
    plans = max((one for one in few if one.plans), key=lambda one: len(others_turns(one.model)))
    note = "Planned for your turn: down, left, up, up (coffee, milk, ice, steam), for 1 rush token."
    planned = Scene(plans.model, replace(plans.ui, note=f"{note} “Undo” undoes a step."))
    orders = "Math.max(...[...document.querySelectorAll('.order')].map(BOTTOM))"
    orders = orders.replace("BOTTOM", "(one) => one.getBoundingClientRect().bottom")
    cups = "document.querySelector('.pour').getBoundingClientRect().top"
    tab.resize((390, 844))
    tab.until("innerWidth === 390")
    for scene in (guided, most, planned):
        tab.run("$('page').replaceChildren(), elements.clear()")
        page = table_page(Scene(scene.model, replace(scene.ui, moments=None)))
        tab.run(f"update({json.dumps([*Shown().changes(page)])})")
        assert tab.run(f"{orders} <= {cups} + 1"), texts(page)
    chooses = page_with("upgrade", mode="upgrades")
    tab.run(f"update({json.dumps([*Shown().changes(chooses)])})")
    assert tab.run(f"getComputedStyle({cups.partition('.get')[0]}).position") == "static"


def test_the_cups_say_how_many_orders_they_cover(tab: Tab) -> None:
    """On a small phone, which are beyond the edge; on others, an open guide gives way to them."""
    games = [one for one in played() if one.stage == "game"]
    few = [one for one in games if 3 < len(one.orders) <= FEW_ORDERS]
    guided = [Scene(one.model, replace(one.ui, guide=True, note="", moments=None)) for one in few]
    told = [one for one in guided if len("".join(one.guide)) > 200]
    pours = [one for one in told if one.turn.can_pour and not one.turn.steps]
    walks = [one for one in told if one.turn.steps]
    covered = """[...document.querySelectorAll('.order')].filter((one) =>
        one.getBoundingClientRect().bottom
        > document.querySelector('.pour').getBoundingClientRect().top + 9).length"""
    beyond = covered.replace("bottom", "right", 1).partition("\n        >")[0]
    beyond += " > innerWidth).length"
    chips = "Math.max(...[...document.querySelectorAll('.chips')].map(BOTTOM))"
    chips = chips.replace("BOTTOM", "(one) => one.getBoundingClientRect().bottom")
    shown = "document.querySelector('.pour').dataset.more || ''"
    mark = "getComputedStyle(document.querySelector('.pour'), '::before').content"
    for size, scene in (((320, 568), walks[0]), ((390, 844), walks[0]), ((390, 844), pours[0])):
        tab.resize(size)
        tab.until(f"innerWidth === {size[0]}")
        tab.run("$('page').replaceChildren(), elements.clear(), read.clear(), due.clear()")
        tab.run(f"update({json.dumps([*Shown().changes(table_page(scene))])})")
        tab.run("document.querySelector('.guide').open = true")
        if size == (390, 844):
            tab.until(f"!{covered} && !({shown})")
            continue
        tab.until(f"{beyond} && {shown} === `▸ +${{{beyond}}}`")
        assert tab.run(mark) != "none"
        assert tab.run(f"{chips} <= document.querySelector('.pour').getBoundingClientRect().top")
        strip, passed = "document.querySelector('.orders')", beyond.replace("right", "left")
        tab.run(f"{strip}.scrollLeft = 1000")
        tab.until(f"!{beyond} && {shown} === `◂ +${{{passed.replace('> innerWidth', '< 0')}}}`")
        urgent = f"{strip}.scrollLeft === 0 && {shown}.startsWith('▸')"
        tab.run(f"update({json.dumps([*Shown().changes(table_page(pours[0]))])})")
        tab.run(f"{strip}.scrollLeft = 1000")
        tab.run(f"update({json.dumps([*Shown().changes(table_page(scene))])})")
        tab.until(urgent)


def test_nothing_moves_when_an_order_becomes_ready(tab: Tab) -> None:
    """Its cup is on it, below its name, where its ingredients were; also if somebody sent it."""
    games = [one for one in played() if one.stage == "game" and one.turn.urgent]
    ready = max(games, key=lambda one: (any(one.senders), len(one.orders)))
    serve = "document.querySelector('.order .serve')"
    heights = "[...document.querySelectorAll('.order')].map((one) => one.offsetHeight)"
    over = """((one) => {
        const mine = one.getBoundingClientRect(), card = one.parentNode.getBoundingClientRect();
        const name = one.parentNode.querySelector('.drink').getBoundingClientRect();
        return mine.top >= name.bottom - 1 && mine.bottom <= card.bottom && mine.height < 24;
    })"""
    for language in EXTREMES:
        with spoken(language):
            page = table_page(Scene(ready.model, replace(ready.ui, moments=None)))
        for size in ((320, 568), (390, 844), (844, 390), (1440, 900)):
            tab.resize(size)
            tab.until(f"innerWidth === {size[0]}")
            tab.run("$('page').replaceChildren(), elements.clear()")
            tab.run(f"update({json.dumps([*Shown().changes(page)])})")
            assert tab.run(f"{over}({serve})"), (language, size)
            before = tab.run(heights)
            tab.run(f"{serve}.parentNode.classList.remove('ready'), {serve}.remove()")
            assert tab.run(heights) == before, (language, size)


def test_a_turn_needs_no_scrolling_on_a_phone_across(tab: Tab) -> None:
    """Board, cups, hand and six orders are in view, and all that can be tapped."""
    tab.resize((844, 390))
    tab.until("innerWidth === 844")
    mine = [one for one in played() if one.stage == "game" and one.turn.is_mine]
    walks = max((one for one in mine if one.turn.steps), key=lambda one: len(one.orders) == 6)
    pours = next(one for one in mine if one.turn.can_pour and not one.turn.steps)
    pages = [table_page(walks), table_page(pours), page_with("upgrade", mode="table")]
    for page in pages:
        tab.run("$('page').replaceChildren(), elements.clear()")
        tab.run(f"update({json.dumps([*Shown().changes(page)])})")
        tab.until(POURS)
        assert not tab.run(HIDDEN)
        assert not tab.run(CUT)
        tiles = "[...document.querySelectorAll('.tile')]"
        inside = "one.getBoundingClientRect().bottom < innerHeight"
        assert tab.run(f"{tiles}.every((one) => {inside})")
    assert tab.run(f"((one) => {inside})(document.querySelector('.first > .lit'))")


def test_nothing_scrolls_by_itself_in_a_turn_and_the_cups_are_always_in_view(tab: Tab) -> None:
    """From the first step to the others' turns, with many orders, on phones and a tablet."""
    games = [one for one in played() if one.stage == "game"]
    pours = [one for one in games if one.turn.can_pour and not one.turn.steps]
    crowd = max(pours, key=lambda one: len(one.orders))
    walks = max((one for one in games if one.turn.steps), key=lambda one: len(one.orders))
    waits = max((one for one in games if not one.turn.is_mine), key=lambda one: len(one.orders))
    turn = [walks, crowd, dict(scenes())["serving"], waits]
    pages = [table_page(Scene(one.model, replace(one.ui, moments=None))) for one in turn]
    for size in (PORTRAIT, LANDSCAPE, (320, 568), (768, 1024)):
        tab.resize(size)
        tab.until(f"innerWidth === {size[0]}")
        tab.run("$('page').replaceChildren(), elements.clear()")
        shown = Shown()
        for page in pages:
            tab.run(f"update({json.dumps([*shown.changes(page)])})")
            tab.until(POURS)
            tab.run("document.querySelector('.told').append(make('p', 'More is said.'))")
            tab.until(POURS)
            if size != (320, 568):  # where orders need the room of the board
                assert tab.run("document.querySelector('.main').scrollTop") == 0, size
        if size not in (PORTRAIT, (320, 568)):  # the board stays in view, too
            continue
        # who has read on sees the board again when the next turn begins, and not before
        far = "document.querySelector('.main').scrollTop"
        tab.run(f"update({json.dumps([*shown.changes(pages[0])])})")
        tab.until("new Promise(requestAnimationFrame)")
        if tab.run(f"{far} = 60, {far}"):
            tab.run(f"update({json.dumps([*shown.changes(pages[1])])})")
            tab.until("new Promise(requestAnimationFrame)")
            assert tab.run(far) > 40
            tab.run(f"update({json.dumps([*shown.changes(pages[3])])})")
            tab.until(f"{far} < 20")


def test_who_has_keys_sees_them_on_the_buttons(tab: Tab, desk: Tab) -> None:
    shown = "getComputedStyle(document.querySelector('#page .row button'), '::after').content"
    told = [*Shown().changes(table_page(dict(scenes())["moving"]))]
    for one, sees in ((tab, False), (desk, True)):
        one.run(f"update({json.dumps(told)})")
        assert one.run("document.querySelector('#page .row button').ariaKeyShortcuts") == "u"
        assert (one.run(shown) != "none") == sees


def test_enter_does_what_a_tap_on_the_main_button_does(desk: Tab) -> None:
    """All of it: pour, and serve what is ready then."""
    desk.run("window.said = [], window.say = (one) => one.value && said.push(one.value)")
    pours = [one for one in played() if one.stage == "game" and one.turn.can_pour]
    both = next(one for one in pours if one.then_drinks)
    for scene in (both, scene_of("serving")):
        scene = Scene(scene.model, replace(scene.ui, touch=False))
        desk.run(f"said.length = 0, update({json.dumps([*Shown().changes(table_page(scene))])})")
        go = desk.run("document.querySelector('#page button.go')?.textContent || ''")
        assert desk.run("document.querySelector('#page button.go').ariaKeyShortcuts") == "Enter", go
        desk.press("Enter")
        desk.until("document.querySelector('#page button.go').getAnimations().length === 0")
        desk.tap("#page button.go")
        desk.until("said.length === 2")
        assert desk.run("said[0] === said[1]"), go


def test_all_other_actions_of_a_game_are_in_view_at_once(tab: Tab) -> None:
    tab.run(f"update({json.dumps([*Shown().changes(table_page(scene_of('moving')))])})")
    tab.run("document.querySelector('.more').open = true")
    hidden = "((one) => one.scrollHeight - one.clientHeight)(document.querySelector('.all'))"
    for size in ((844, 390), (390, 844)):
        tab.resize(size)
        tab.until(f"innerWidth === {size[0]}")
        assert tab.run(hidden) <= 0, size
        assert tab.run("document.querySelector('.all').getBoundingClientRect().top") >= 0, size


def test_a_tap_on_nothing_takes_back_the_question_whether_to_leave(
    browser: Browser, table: WebTable
) -> None:
    tab = phone(browser)
    table.enter(tab, "Ann")
    for taps in ("#page .top", "#page .more summary"):
        tap_more(tab, "Leave")
        tab.until("document.querySelector('.stop')?.getAnimations().length === 0")
        tab.tap(taps)
        tab.until("!document.querySelector('.stop')")
        tab.run("close({ target: document.body })")


def test_quick_taps_on_cups_are_all_heard(tab: Tab) -> None:
    """Also when the main button has asked to give something back, and does not any more."""
    games = [one for one in played() if one.stage == "game" and one.turn.can_pour]
    wasteful = next(one for one in games if one.suggestion and gives_back(one))
    fits = next(one for one in games if one.suggestion and not gives_back(one))
    shown = Shown()
    tab.run(f"update({json.dumps([*shown.changes(table_page(wasteful))])})")
    tab.until("document.querySelector('.go.stop').getAnimations().length === 0")
    tab.run("window.said = [], window.say = (one) => one.is === 'here' || said.push(one)")
    tab.tap("#page .top")
    assert tab.run("said") == [], "nobody leaves"
    tab.run(f"update({json.dumps([*shown.changes(table_page(fits))])})")
    assert not tab.run("$('page').getAnimations().length")


def test_leave_twice_at_the_same_place_does_not_leave(tab: Tab) -> None:
    at = "[...document.querySelectorAll('button')].filter((one) => one.textContent === 'Leave' &&"
    at += " one.checkVisibility({visibilityProperty: true}))"
    at += ".map((one) => one.getBoundingClientRect()).map(({x, y, right, bottom}) =>"
    at += " ({x, y, right, bottom}))"
    for name in ("moving", "lobby", "all games"):
        invited = dict(scenes())[name]  # a guest's model is not, and so they do not close the host
        scene = Scene(replace(invited.model, invitation=UNINVITED), invited.ui)
        asking, _wishes = click(scene.model, scene.ui, Target("key", "q"), scene.ui.now)
        for size in (PORTRAIT, LANDSCAPE):
            tab.resize(size)
            tab.until(f"innerWidth === {size[0]}")
            tab.run("$('page').replaceChildren(), elements.clear()")
            shown = Shown()
            tab.run(f"update({json.dumps([*shown.changes(table_page(scene))])})")
            tab.run("document.querySelector('.more').open = true")
            (before,) = tab.run(at)
            tab.run("document.querySelector('.more').open = false")
            asks = table_page(Scene(scene.model, asking))
            tab.run(f"update({json.dumps([*shown.changes(asks)])})")
            (after,) = tab.run(at)
            apart = after["bottom"] <= before["y"] or after["y"] >= before["bottom"]
            apart |= after["right"] <= before["x"] or after["x"] >= before["right"]
            assert apart, (name, size, before, after)


def test_what_closes_lets_no_quick_tap_through(tab: Tab) -> None:
    go = "document.querySelector('#page button.go')"
    middle = f"(({{x, y, width, height}}) => [x + width / 2, y + height / 2])({go}"
    hit = f"{go}?.contains(document.elementFromPoint(...{middle}.getBoundingClientRect())))"
    scene = dict(scenes())["serving"]
    for mode in ("emotes", "settings"):
        shown = Shown()
        opened = table_page(Scene(scene.model, replace(scene.ui, mode=mode)))
        closed = table_page(scene)
        tab.run(f"update({json.dumps([*shown.changes(opened)])})")
        assert not tab.run(f"update({json.dumps([*shown.changes(closed)])}), {hit}"), mode
        assert tab.run("$('page').getAnimations().length"), mode
        tab.until(hit)
    # the tap that closes “More” does nothing else, but on a button beside it
    tab.run("window.clicks = 0, $('page').addEventListener('click', () => clicks++)")
    tab.tap("#page .more summary")
    tab.until("document.querySelector('.more').open && clicks === 1")
    tab.tap("#page .tile")
    tab.until("!document.querySelector('.more').open")
    assert tab.run("clicks") == 1
    tab.tap("#page .tile")
    tab.until("clicks === 2")
    tab.tap("#page .more summary")
    tab.until("document.querySelector('.more').open && clicks === 3")
    tab.tap("#page .row > button:not(:disabled)")
    tab.until("!document.querySelector('.more').open && clicks === 4")


def test_the_chances_of_an_analysis_are_in_view_at_once(tab: Tab) -> None:
    """All of them, on the smallest phone too; the turns that cost most begin below them."""
    bars = "[...document.querySelectorAll('.bar')]"
    cut = f"{bars}.filter((one) => one.getBoundingClientRect().bottom > BELOW ||"
    cut += " one.getBoundingClientRect().right > innerWidth).length"
    below = "document.querySelector('.dock').getBoundingClientRect().top"
    main = "document.querySelector('.main').getBoundingClientRect().bottom"
    page = page_at(reviewed())
    known = reviewed().reviewing
    assert known
    for size in ((320, 568), (390, 844), (844, 390), (1440, 900)):
        tab.resize(size)
        tab.until(f"innerWidth === {size[0]}")
        tab.run("$('page').replaceChildren(), elements.clear()")
        tab.run(f"update({json.dumps([*Shown().changes(page)])})")
        assert tab.run(f"{bars}.length") == len(known.done)
        assert not tab.run(cut.replace("BELOW", below)), size
    stepped = page_at(press(replay(), reviewed(), "w"))
    tiles = "[...document.querySelectorAll('.tile')].at(-1).getBoundingClientRect().bottom"
    for size in ((844, 390), (1440, 900)):
        tab.resize(size)
        tab.until(f"innerWidth === {size[0]}")
        tab.run("$('page').replaceChildren(), elements.clear()")
        tab.run(f"update({json.dumps([*Shown().changes(stepped)])})")
        assert tab.run(f"{tiles} <= {main}"), size


def test_a_page_is_no_longer_than_the_screen(tab: Tab) -> None:
    """A swipe that begins below what scrolls would move all of it away."""
    for name in ("all games", "moving"):
        page = table_page(dict(scenes())[name])
        tab.run(f"update({json.dumps([*Shown().changes(page)])})")
        for size in (PORTRAIT, LANDSCAPE):
            tab.resize(size)
            tab.until(f"innerWidth === {size[0]}")
            assert tab.run("document.scrollingElement.scrollHeight === innerHeight"), (name, size)


def test_a_moment_is_in_nobody_s_way(tab: Tab) -> None:
    scene = next(one for one in played() if one.ui.moments and one.turn.is_mine)
    shown = Shown()
    still = table_page(Scene(scene.model, replace(scene.ui, animated=False)))
    tab.run(f"update({json.dumps([*shown.changes(still)])})")
    tab.until(SETTLED)
    before = tab.run(PLACES)
    tab.run(f"update({json.dumps([*shown.changes(table_page(scene))])})")
    assert tab.run(PLACES) == before
    stamp = "document.querySelector('.moments > *')"
    assert tab.run(f"{stamp}.checkVisibility()")
    middle = "({x, y, width, height}) => [x + width / 2, y + height / 2]"
    place = f"({middle})({stamp}.getBoundingClientRect())"
    assert not tab.run(f"document.elementFromPoint(...{place})?.closest('.moments')")
    tab.tap("#page .tile")
    assert not tab.run(f"{stamp}.checkVisibility()")
    tab.run(f"{stamp}.hidden = false")
    reduced = {"name": "prefers-reduced-motion", "value": "reduce"}
    tab.call("Emulation.setEmulatedMedia", features=[reduced])
    tab.until(f"!{stamp}.checkVisibility()")
    assert tab.run(PLACES) == before


def test_no_moment_covers_another(tab: Tab) -> None:
    scene = next(one for one in played() if one.ui.moments and one.turn.is_mine)
    assert scene.me is not None
    others = (
        Moment("arrive", scene.me, drinks=(0,), sender=scene.others[0]),
        Moment("penalty", scene.me, drinks=(1, 2)),
        Moment("serve", scene.others[0], drinks=(3,)),
        Moment("arrive", scene.me, drinks=(4,), sender=scene.others[0]),
    )
    mine = Moment("serve", scene.me, drinks=(0,), count=2), Moment("last round")
    for found in (others, mine):
        ui = replace(scene.ui, animated=True, moments=Moments(found, scene.ui.now, scene.ui.size))
        page = table_page(Scene(scene.model, ui))
        tab.run("$('page').replaceChildren(), elements.clear()")
        tab.run(f"update({json.dumps([*Shown().changes(page)])})")
        for size in ((320, 568), PORTRAIT, LANDSCAPE):
            tab.resize(size)
            tab.until(f"innerWidth === {size[0]}")
            for moment in range(0, 1200, 60):
                tab.run(
                    "document.querySelector('.moments').getAnimations({subtree: true}).forEach("
                    f"(one) => {{ one.pause(); one.currentTime = {moment}; }})"
                )
                assert not tab.run(OVERLAPS), (size, moment)


def test_what_others_did_leaves_head_and_orders_free_once_it_is_one_s_turn(tab: Tab) -> None:
    """It passes over the edge of the board, and taps go through it."""
    scene = next(one for one in played() if one.ui.moments and one.turn.is_mine)
    assert scene.me is not None
    came = Moment("arrive", scene.me, drinks=(0,), sender=scene.others[0])
    lost = Moment("penalty", scene.others[0], drinks=(1,))
    moments = Moments((came, lost), scene.ui.now, scene.ui.size)
    page = table_page(Scene(scene.model, replace(scene.ui, animated=True, moments=moments)))
    place = "document.querySelector('LOOK').getBoundingClientRect()"
    first = place.replace("LOOK", ".moments > :first-child") + ".top"
    last = place.replace("LOOK", ".moments > :last-child") + ".bottom"
    head = place.replace("LOOK", ".top") + ".bottom"
    for size in (PORTRAIT, (320, 568), LANDSCAPE, (1440, 900)):
        tab.resize(size)
        tab.until(f"innerWidth === {size[0]}")
        tab.run("$('page').replaceChildren(), elements.clear()")
        tab.run(f"update({json.dumps([*Shown().changes(page)])})")
        tab.run(
            "document.querySelector('.moments').getAnimations({subtree: true}).forEach("
            "(one) => { one.pause(); one.currentTime = 400; })"
        )
        assert tab.run(head) - 1 <= tab.run(first), size
        assert tab.run(last) < tab.run(head) + 70, size


def test_another_layout_begins_at_its_top(tab: Tab) -> None:
    tab.run(f"update({json.dumps([*Shown().changes(table_page(dict(scenes())['serving']))])})")
    scrolled = "document.querySelector('.main').scrollTop"
    for size in (LANDSCAPE, PORTRAIT, LANDSCAPE):
        assert tab.run(f"{scrolled} = 80, {scrolled}")
        tab.resize(size)
        tab.until(f"innerWidth === {size[0]} && {scrolled} === 0")


def test_what_has_the_focus_is_framed_for_keys_and_not_for_taps(tab: Tab) -> None:
    tab.run(f"update({json.dumps([*Shown().changes(table_page(scene_of('lobby')))])})")
    framed = "getComputedStyle(document.querySelector('.told')).outlineStyle === 'solid'"
    tab.tap("#page .top, #page .more summary")
    tab.run(f"update({json.dumps([*Shown().changes(page_at(reviewed()))])})")
    tab.until("document.activeElement.matches('.told')")
    assert not tab.run(framed)
    tab.press("Tab")
    tab.run("document.querySelector('.told').focus()")
    tab.until(framed)


def test_a_desktop_s_board_keeps_its_size_when_the_guide_is_silent(desk: Tab) -> None:
    games = [one for one in played() if one.stage == "game"]
    guided = [Scene(one.model, replace(one.ui, guide=True, moments=None)) for one in games]
    tells = next(one for one in guided if one.guide and one.turn.steps)
    silent = next(one for one in guided if not one.guide)
    sizes = []
    for scene in (tells, silent):
        desk.run(f"update({json.dumps([*Shown().changes(table_page(scene))])})")
        sizes.append(desk.run(TILES))
    assert sizes[0] == sizes[1]


def test_all_that_can_be_said_is_in_view_on_a_phone_across(tab: Tab) -> None:
    tab.resize((844, 390))
    tab.until("innerWidth === 844")
    page = page_with("moving", mode="emotes")
    tab.run(f"update({json.dumps([*Shown().changes(page)])})")
    own = "document.querySelector('.own-words').getBoundingClientRect().bottom"
    close = "document.querySelector('.close').getBoundingClientRect().top"
    assert tab.run(f"{own} - {close}") <= 0


def test_large_windows_have_large_square_tiles_all_players_and_whole_cups(tab: Tab) -> None:
    mine = [one for one in played() if one.stage == "game" and one.turn.can_pour]
    scene = max(mine, key=lambda one: (len(one.others), len(one.orders)))
    tab.run(f"update({json.dumps([*Shown().changes(table_page(scene))])})")
    inside = "document.querySelector('.people').getBoundingClientRect().bottom"
    inside += " <= document.querySelector('.main').getBoundingClientRect().bottom"
    for size, least in (((768, 1024), 100), ((820, 1180), 110), ((1440, 900), 160)):
        tab.resize(size)
        tab.until(f"innerWidth === {size[0]}")
        for tile in tab.run(TILES):
            assert abs(tile[0] - tile[1]) < 1, (size, tile)
            assert tile[0] >= least, (size, tile)
        assert tab.run(inside), size
        assert tab.run(
            "[...document.querySelectorAll('.layer')].every("
            "(one) => one.scrollWidth <= one.clientWidth)"
        )
        assert not tab.run(COVERED.replace(".tile, .chips", ".main")), size
    watched = table_page(dict(scenes())["spectator"])
    for size in ((768, 1024), (1440, 900)):
        tab.resize(size)
        tab.until(f"innerWidth === {size[0]}")
        tab.run("$('page').replaceChildren(), elements.clear()")
        tab.run(f"update({json.dumps([*Shown().changes(watched)])})")
        assert tab.run(inside), size
        assert not tab.run(COVERED.replace(".tile, .chips", ".main")), size


def test_in_others_turns_the_guide_opens_and_a_tap_on_nothing_skips(tab: Tab) -> None:
    """With board, cups and hand in view."""
    tab.run("$('lost').hidden = true, window.said = []")
    # the page says at any time that it is still here
    tab.run("window.say = (one) => one.is === 'here' || said.push(one.is)")
    tab.resize((390, 844))
    tab.until("innerWidth === 390")
    watched = [one for one in played() if one.stage == "game" and not one.turn.is_mine]
    guided = (Scene(one.model, replace(one.ui, guide=True, note="")) for one in watched)
    scene = max(guided, key=lambda one: (len(one.orders) < 7, len("".join(one.guide))))
    tab.run(f"update({json.dumps([*Shown().changes(table_page(scene))])})")
    tab.until(POURS)
    high = "document.querySelector('.guide').getBoundingClientRect().height"
    before = tab.run(high)
    assert before < 70
    tab.tap("#page .guide summary")
    tab.until(f"{high} > {before}")
    assert tab.run("said.length") == 0
    tab.tap("#page .top")
    tab.until("said.join() === 'skip'")
    tab.tap("#page .tile")
    tab.until("said.join() === 'skip,click'")


def test_the_guide_on_a_phone_is_two_lines_of_whole_sentences_and_new_ones_first(tab: Tab) -> None:
    scene = scene_of("first turn, guided")
    page = table_page(scene)
    (told,) = with_look(page, "told-once")
    sentences = [one.text for one in told.parts]
    assert len(sentences) > 3
    for size in (PORTRAIT, (320, 568)):
        tab.resize(size)
        tab.until(f"innerWidth === {size[0]}")
        tab.run("$('page').replaceChildren(), elements.clear(), read.clear(), due.clear()")
        tab.run(f"update({json.dumps([*Shown().changes(page)])})")
        tab.until(POURS)
        first = tab.run(SENTENCES)
        assert all(whole for _text, whole in first), first
        assert 0 < len(first) < len(sentences)
        assert [text for text, _whole in first] == sentences[: len(first)]
        assert tab.run("document.querySelector('.guide').offsetHeight") < 60
        tab.until("due.size")
        more = "document.querySelector('.guide').dataset.more"
        assert tab.run(more) == f"+{len(sentences) - len(first)}"
        tab.run(f"update({json.dumps([*Shown().changes(page)])})")  # it says something again
        assert tab.run(SENTENCES) == first, "nobody reads so fast"
        if size == PORTRAIT:
            tab.until("Math.max(...due.values()) < Date.now()")
        else:
            tab.tap("#page .row button:enabled")  # who acts has read
        tab.run(f"update({json.dumps([*Shown().changes(page)])})")
        then = [text for text, _whole in tab.run(SENTENCES)]
        assert then[0] == sentences[len(first)], "the others have been read"
        tab.tap("#page .guide summary")
        tab.until("document.querySelector('.guide').open")
        assert {text for text, _whole in tab.run(SENTENCES)} == {*sentences}
        assert tab.run(BELOW_THE_EDGE) <= 0
        tab.tap("#page .guide summary")


def test_the_guide_is_read_whole_or_says_that_there_is_more_of_it(tab: Tab, desk: Tab) -> None:
    """In one's own turn: no sentence is cut, and what is left out is behind its mark."""
    mine = [one for one in played() if one.stage == "game" and one.turn.is_mine]
    guided = [Scene(one.model, replace(one.ui, guide=True, note="")) for one in mine]
    longest = [
        max(found, key=lambda one: len("".join(one.guide)))
        for found in (guided, [one for one in guided if one.turn.steps and one.view.path[1:]])
    ]
    for one, sizes in ((tab, ((844, 390), (320, 568), (390, 844))), (desk, ((1440, 900),))):
        for size in sizes:
            one.resize(size)
            one.until(f"innerWidth === {size[0]}")
            for scene in longest:
                one.run("$('page').replaceChildren(), elements.clear(), read.clear(), due.clear()")
                one.run(f"update({json.dumps([*Shown().changes(table_page(scene))])})")
                told = one.run(SENTENCES)
                assert all(whole for _text, whole in told), (size, told)
                assert one.run(BESIDE), (size, told)
                (all_told,) = with_look(table_page(scene), "told-once")
                marked = "getComputedStyle(document.querySelector('.guide'), '::after').content"
                assert len(told) == len(all_told.parts) or one.run(marked) != "none", size


def test_a_guide_that_is_open_leaves_a_desktop_the_whole_board(desk: Tab) -> None:
    """As it is for who opened it in others' turns, or on a phone that is a tablet now."""
    mine = [one for one in played() if one.stage == "game" and one.turn.can_pour]
    guided = [Scene(one.model, replace(one.ui, guide=True, note="")) for one in mine]
    told = [(len(with_look(table_page(one), "told-once")[0].parts), one) for one in guided]
    sentences, scene = max(told, key=lambda one: one[0])
    assert sentences > 4
    desk.resize((1440, 900))
    desk.until("innerWidth === 1440")
    desk.run(f"update({json.dumps([*Shown().changes(table_page(scene))])})")
    desk.run("document.querySelector('.guide').open = true")
    bottom = "[...document.querySelectorAll('LOOK')].at(-1).getBoundingClientRect().bottom"
    tile, dock = bottom.replace("LOOK", ".tile"), bottom.replace("LOOK", ".main")
    assert desk.run(tile) <= desk.run(dock)
    assert all(whole for _text, whole in desk.run(SENTENCES))
    assert desk.run(BELOW_THE_EDGE) <= 0


def test_who_pours_has_orders_and_cups_in_view(tab: Tab) -> None:
    """On a small phone the board makes room, and comes back with the next step."""
    tab.resize((320, 568))
    tab.until("innerWidth === 320")
    games = [one for one in played() if one.stage == "game"]
    pours = [one for one in games if one.turn.can_pour and not one.turn.steps]
    few = sorted((one for one in pours if len(one.orders) < 8), key=lambda one: len(one.orders))
    for scene in (few[0], few[-1]):
        tab.run("$('page').replaceChildren(), elements.clear()")
        shown = Shown()
        tab.run(f"update({json.dumps([*shown.changes(table_page(scene))])})")
        tab.until(f"!{HIDDEN}.length && {POURS}")
    steps = next(one for one in games if one.turn.steps)
    tab.run(f"update({json.dumps([*shown.changes(table_page(steps))])})")
    tab.until("document.querySelector('.main').scrollTop < 5")


def test_the_first_turns_need_no_scrolling_on_a_small_phone(tab: Tab) -> None:
    """Board, three orders, cups and the main button are in view together."""
    bottom = "Math.max(...[...document.querySelectorAll('.order')].map(BOTTOM))"
    bottom = bottom.replace("BOTTOM", "(one) => one.getBoundingClientRect().bottom")
    cups = "document.querySelector('.pour').getBoundingClientRect().top"
    tab.resize((320, 568))
    tab.until("innerWidth === 320")
    for name in ("placing", "first turn, guided"):
        scene = scene_of(name)
        assert len(scene.orders) == 3
        tab.run("$('page').replaceChildren(), elements.clear(), read.clear(), due.clear()")
        tab.run(f"update({json.dumps([*Shown().changes(table_page(scene))])})")
        tab.until(POURS)
        assert tab.run(bottom) <= tab.run(cups) + 1, name
        assert tab.run("document.querySelector('.main').scrollTop") == 0
        assert not tab.run(CUT)


def test_nothing_on_a_tile_or_in_an_order_covers_something_else(tab: Tab) -> None:
    """With a hint after two steps: on a tile may be what it brings, the step, the tap, a meeple."""
    games = [one for one in played() if one.stage == "game"]
    walks = [one for one in games if one.turn.steps and one.path[2:]]
    pages = [table_page(max(games, key=lambda one: sum(len(trail.cells) for trail in one.trails)))]
    for scene in walks[::7]:
        ui, _wishes = click(scene.model, scene.ui, Target("key", "i"), scene.ui.now)
        pages.append(table_page(Scene(scene.model, replace(ui, moments=None))))
    twice = [one for one in games if len(one.path[1:]) > len({*one.path[1:]})]
    pages.append(table_page(next(one for one in twice if one.standing.keys() & {*one.path})))
    assert any(len(one.parts) > 3 for page in pages for one in with_look(page, "tile"))
    for size in ((768, 1024), (1440, 900), (844, 390), (390, 844), (320, 568)):
        tab.resize(size)
        tab.until(f"innerWidth === {size[0]}")
        for page in pages:
            tab.run("$('page').replaceChildren(), elements.clear()")
            tab.run(f"update({json.dumps([*Shown().changes(page)])})")
            assert not tab.run(COVERED), size
            tab.run(ENTERED_AGAIN)
            assert not tab.run(COVERED), size


SENTENCES = """[...document.querySelectorAll('.guide summary span')].flatMap((one) => {
    const mine = one.getBoundingClientRect(), all = one.parentNode.getBoundingClientRect();
    const isWhole = mine.top >= all.top - 1 && mine.bottom <= all.bottom + 1;
    return one.checkVisibility() && mine.left < all.right ? [[one.textContent, isWhole]] : [];
})"""
"""The sentences of the guide that can be seen, and whether as a whole."""
ENTERED_AGAIN = """document.querySelectorAll('.hinted').forEach((one) =>
    /\\d/.test(one.textContent) && (one.textContent += '·' + one.textContent))"""
"""Makes a hint enter each of its cells twice."""
BELOW_THE_EDGE = "((one) => one.scrollHeight - one.clientHeight)(document.querySelector('.told'))"
"""How much of what is said has to be scrolled to."""
BESIDE = """[...document.querySelectorAll('.guide summary span')].every((one) => {
    const mine = one.getBoundingClientRect(), all = one.closest('.guide').getBoundingClientRect();
    return !one.checkVisibility() || mine.right <= all.right || mine.left >= all.right;
})"""
"""Whether the sentences beside those of the guide begin out of sight."""
TILES = """[...document.querySelectorAll('.tile')].map((one) => {
    const {width, height} = one.getBoundingClientRect();
    return [width, height];
})"""
"""How large the tiles are."""
OVERLAPS = """[...document.querySelectorAll('.moments > *')].filter((one) =>
    getComputedStyle(one).opacity > 0.9).flatMap((one, at, all) =>
    all.slice(at + 1).filter((other) => {
        const mine = one.getBoundingClientRect(), its = other.getBoundingClientRect();
        return mine.top < its.bottom && its.top < mine.bottom
            && mine.left < its.right && its.left < mine.right;
    }).map((other) => one.textContent + other.textContent))"""
"""The moments of which one is in front of another, and neither is fading."""
SETTLED = "document.getAnimations().every((one) => one.timeline !== document.timeline)"
"""Whether nothing moves: a fade where there is more to scroll to stays."""
COVERED = """[...document.querySelectorAll('.tile, .chips')].flatMap((one) => {
    const parts = [...one.children].filter((part) => part.checkVisibility()).map((part) => {
        const text = document.createRange();
        text.selectNodeContents(part);
        return [part, (part.matches('.kind') ? text : part).getBoundingClientRect()];
    });
    return parts.flatMap(([part, mine], at) => parts.slice(at + 1).filter(([, its]) =>
        mine.top + 1 < its.bottom && its.top + 1 < mine.bottom
        && mine.left + 1 < its.right && its.left + 1 < mine.right
    ).map(([other]) => `${one.ariaLabel} ${part.className}/${other.className}`));
})"""
"""What is in front of something else on a tile or in an order."""
HIDDEN = """[...document.querySelectorAll('.order')].filter((one) => {
    const mine = one.getBoundingClientRect(), all = one.closest('.main').getBoundingClientRect();
    return mine.top < all.top || mine.bottom > all.bottom + 1 || mine.right > all.right;
}).map((one) => one.textContent)"""
"""The orders that are not wholly in view."""
POURS = """[...document.querySelectorAll('.cups, .hand')].every((one) => {
    if (!one.checkVisibility()) return true;
    const mine = one.getBoundingClientRect(), all = one.closest('.main').getBoundingClientRect();
    return mine.top >= all.top && mine.bottom <= all.bottom + 1;
})"""
"""Whether all cups and the hand are in view."""
PLACES = """[...document.querySelectorAll('#page :is(button, summary, section)')].map((one) => {
    const {x, y, width, height} = one.getBoundingClientRect();
    return [x, y, width, height];
})"""
"""Where everything is that can be tapped."""
FULLEST = ("lobby", "moving, hint", "first turn, guided", "pouring")
"""The moments in which most is said and offered."""
WINDOWS = ((320, 568), PORTRAIT, (820, 1180), LANDSCAPE, (1000, 700), DESKTOP)
CUT = """[...document.querySelectorAll('.first > button, #page .row > :not(p), .offers > button')]
    .filter((one) => one.checkVisibility({visibilityProperty: true})).map((one) => {
    const mine = one.getBoundingClientRect();
    const inside = mine.top >= 0 && mine.left >= 0 && mine.bottom <= innerHeight + 0.1
        && mine.right <= innerWidth + 0.1;
    const fits = one.scrollWidth <= one.clientWidth + 1 && one.scrollHeight <= one.clientHeight + 1;
    return inside && fits && mine.height > 43.9 ? '' : one.textContent;
}).filter(Boolean)"""
"""The buttons that are not wholly visible, or too small for a finger."""
SIZES = """[...document.querySelectorAll('button, input, a, summary')].filter((one) =>
    one.checkVisibility({visibilityProperty: true}) && !one.closest('.reader')).map((one) => {
    const {width, height} = one.getBoundingClientRect();
    const most = one.matches('.bars *') ? Math.max(width, height) : width; // tall, and all in a row
    return [one.ariaLabel || one.textContent || one.id, most, height];
})"""


def tap_more(tab: Tab, label: str) -> None:
    """Tap a button in the row, or among the other actions."""
    buttons = "[...document.querySelectorAll('#page .dock button')]"
    found = f"{buttons}.find((one) => one.textContent === {json.dumps(label)})"
    tab.until(found)
    if not tab.run(f"{found}.checkVisibility()"):
        tab.tap("#page .more summary")
    tab.run(f"{buttons}.map((one) => one.id = ''), {found}.id = 'wanted'")
    tab.tap("#wanted")


def assert_fits(tab: Tab) -> None:
    """Check that fingers can hit everything, and that nothing is wider than the window."""
    tab.until(SETTLED)  # what comes in is pale at first
    for name, width, height in tab.run(SIZES):
        assert min(width, height) >= 44 - 0.1, (name, width, height)
    assert tab.run("document.documentElement.scrollWidth <= innerWidth")


def assert_accessible(tab: Tab) -> None:
    """Check that everything can be hit, and read in both themes, which differ in colours only."""
    for theme in THEMES:
        tab.run(f"show({{colours: {json.dumps({**palette_of(theme)})}}})")
        assert_readable(tab, theme)


def assert_readable(tab: Tab, theme: Theme) -> None:
    """Check a theme: the dark one with all rules, the other with those about its colours."""
    assert_fits(tab)
    paper = tab.run("getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, re.findall(r"\d+", paper))) > 3 * 128) == (theme == "light")
    if not tab.run("'axe' in window"):
        tab.run(AXE)
    found = tab.run(
        f"axe.run({{runOnly: {THEMES[theme]}}}).then((found) => found.violations.map((one) =>"
        " one.id + ': ' + one.nodes.slice(0, 3).map((node) =>"
        " node.html + node.failureSummary).join('; ')))"
    )
    assert not found, theme


def test_the_head_of_a_small_phone_is_two_lines_when_no_steps_are_left(tab: Tab) -> None:
    games = [one for one in played() if one.stage == "game"]
    scene = next(one for one in games if one.turn.can_pour and not one.turn.steps)
    page = table_page(Scene(scene.model, replace(scene.ui, moments=None)))
    tab.resize((320, 568))
    tab.until("innerWidth === 320")
    tab.run(f"update({json.dumps([*Shown().changes(page)])})")
    turn = "document.querySelector('.top .turns')"
    tab.run(f"{turn}.append(make('span', '10:56'))")
    assert tab.run(f"{turn}.offsetHeight") < 30


def test_a_hint_that_comes_back_is_shown_again(tab: Tab) -> None:
    """After “Undo”, even if it has been read."""
    page = table_page(scene_of("first turn, guided"))
    (told,) = with_look(page, "told-once")
    without = replace(told, parts=told.parts[1:])
    tab.resize(PORTRAIT)
    tab.until(f"innerWidth === {PORTRAIT[0]}")
    shown = Shown()
    tab.run(f"update({json.dumps([*shown.changes(page)])})")
    tab.until("due.size")
    tab.tap("#page .row button:enabled")
    tab.run(f"update({json.dumps([*shown.changes(replaced(page, told, without))])})")
    tab.run(f"update({json.dumps([*shown.changes(page)])})")
    assert tab.run(SENTENCES)[0][0] == told.parts[0].text


def replaced(page: Element, before: Element, after: Element) -> Element:
    """Return a page with another element in place of one."""
    if page is before:
        return after
    return replace(page, parts=tuple(replaced(part, before, after) for part in page.parts))
