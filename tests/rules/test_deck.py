"""Decks: their format, and what is refused."""

import re
import tomllib
from itertools import combinations_with_replacement
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, example, given, settings, strategies as st

from coffeerush.cli.commands import group
from coffeerush.cli.records import MAX_DECK_BYTES, load_deck
from coffeerush.errors import DeckError
from coffeerush.rules.deck import (
    INGREDIENTS,
    MAX_LINE,
    MAX_TOKENS,
    STARTERS,
    Deck,
    deck_fault,
    parse_deck,
    standard_deck,
)
from protocol import (
    MAX_CARDS,
    MAX_DRINKS,
    NAME_CELLS,
    SUPPLY,
    Drink,
    Ingredient,
    clean_line,
    clean_name,
)

# The standard deck, and fuzzing of the deck parser (R-COMP-3)


STANDARD = Path(__file__).parents[2] / "coffeerush" / "decks" / "standard.toml"
TEXT = STANDARD.read_text(encoding="utf-8")
SPECIALTIES = (Ingredient.CARAMEL, Ingredient.CHOCOLATE, Ingredient.TEA, Ingredient.WATER)


def per_card(drink: Drink) -> int:
    return sum(drink.recipe)


def hardness(drink: Drink) -> int:
    return per_card(drink) + sum(drink.recipe[kind] for kind in SPECIALTIES)


def test_standard_deck_has_80_cards_and_4_starters() -> None:
    # R-COMP-3
    deck = standard_deck()
    assert deck.cards == MAX_CARDS == 80
    assert {d.name: d.count for d in deck.drinks if d.starter} == {"Ristretto": 2, "Espresso": 2}
    assert 20 <= len(deck.drinks) <= 30
    assert deck_fault(deck) is None
    assert standard_deck() is deck


def test_standard_deck_needs_what_board_and_supply_have() -> None:
    drinks = standard_deck().drinks
    totals = [sum(d.count * d.recipe[kind] for d in drinks) for kind in Ingredient]
    tokens = sum(totals)
    wanted = {Ingredient.COFFEE: 0.26} | dict.fromkeys(SPECIALTIES, 0.065)
    for kind in Ingredient:
        share = wanted.get(kind, 0.16)
        assert totals[kind] / tokens == pytest.approx(share, abs=0.006), kind.name
    assert tokens / MAX_CARDS == pytest.approx(3, abs=0.1)
    assert {per_card(drink) for drink in drinks} == {2, 3, 4}


def test_standard_specialty_menu_is_the_harder_part() -> None:
    # R-COMP-3: some cards are on the specialty menu
    drinks = standard_deck().drinks
    menu = [drink for drink in drinks if drink.specialty]
    plain = [drink for drink in drinks if not drink.specialty]
    assert 16 <= sum(drink.count for drink in menu) <= 24
    assert {per_card(drink) for drink in menu} == {4}
    assert min(map(hardness, menu)) >= max(map(hardness, plain))
    assert all(any(drink.recipe[kind] for kind in SPECIALTIES) for drink in menu)
    assert not any(drink.starter for drink in menu)
    assert {per_card(drink) for drink in drinks if drink.starter} == {2}


def test_standard_names_fit_every_terminal() -> None:
    for drink in standard_deck().drinks:
        assert drink.name.isascii()
        assert clean_line(drink.name) == drink.name
        assert len(drink.name) <= NAME_CELLS


def test_no_two_standard_drinks_are_the_same() -> None:
    drinks = standard_deck().drinks
    assert len({drink.recipe for drink in drinks}) == len(drinks)
    assert len({drink.name for drink in drinks}) == len(drinks)


def test_the_standard_deck_is_the_packaged_file() -> None:
    assert standard_deck() == parse_deck(TEXT)


def test_a_deck_round_trips() -> None:
    deck = standard_deck()
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(deck), type=Deck) == deck
    with pytest.raises(AttributeError):
        setattr(deck, "name", "Other")  # noqa: B010 - plain assignment is what mypy forbids


def sound(deck: Deck) -> bool:
    """Check what every deck must be, independently of the parser."""
    drinks = deck.drinks
    return (
        sum(drink.count for drink in drinks) == 80  # R-COMP-3
        and sum(drink.count for drink in drinks if drink.starter) == STARTERS == 4
        and 1 <= len(drinks) <= MAX_DRINKS
        and all(drink.count >= 1 for drink in drinks)
        and all(1 <= sum(drink.recipe) <= MAX_TOKENS for drink in drinks)
        and all(n <= most for d in drinks for n, most in zip(d.recipe, SUPPLY, strict=True))
        and len({drink.recipe for drink in drinks}) == len(drinks)
        and len({drink.name for drink in drinks}) == len(drinks)
        and all(name == clean_name(name) != "" for name in (deck.name, *(d.name for d in drinks)))
    )


def written(text: str) -> list[tuple[str, int, list[str]]]:
    """Parse the whole text with a plain TOML parser."""
    return [(d["name"], d["count"], sorted(d["recipe"])) for d in tomllib.loads(text)["drink"]]


def read(text: str) -> Deck | str:
    """Return the deck of a text, or its DeckError; any other exception fails the test."""
    try:
        return parse_deck(text)
    except DeckError as error:
        return str(error)


def words(drink: Drink) -> list[str]:
    return sorted(w for w, n in zip(INGREDIENTS, drink.recipe, strict=True) for _ in range(n))


def judge(text: str) -> None:
    deck = read(text)
    if isinstance(deck, str):
        found = re.fullmatch(r"line (\d+): .+", deck)
        assert found, deck
        assert 1 <= int(found[1]) <= text.count("\n") + 1
    else:
        assert sound(deck)
        assert [(d.name, d.count, words(d)) for d in deck.drinks] == written(text)


PIECES = st.one_of(
    st.text(max_size=20),
    st.text(st.characters(), max_size=6),
    st.sampled_from(
        ["[[drink]]\n", "[[drink]]\r\n", "\r", "\n", '"""', "'''", "[", "]", "{", "}", "#", "=",
         "1", "0", "true", "false", "starter = true\n", '"tea"', ", ", "[x]\n", "count = 3\n", "-",
         "drink = 1\n", "name.a = 1\n", "\ufeff", "\x00", "0x", "1979-05-27", "nan", '"']
    ),
)  # fmt: skip
EDITS = st.lists(
    st.tuples(st.integers(0, len(TEXT)), st.integers(0, 60), PIECES), min_size=1, max_size=4
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(edits=EDITS)
@example(edits=[(0, 0, "")])
def test_any_edit_gives_a_valid_deck_or_an_error_with_a_line(
    edits: list[tuple[int, int, str]],
) -> None:
    text = TEXT
    for start, length, piece in edits:
        text = text[:start] + piece + text[start + length :]
    judge(text)


@given(order=st.permutations(TEXT.split("\n\n")[2:]))
def test_drinks_may_be_in_any_order(order: list[str]) -> None:
    deck = parse_deck("\n\n".join(['name = "Shuffled"', *order]))
    assert sound(deck)
    assert set(deck.drinks) == set(standard_deck().drinks)


@given(counts=st.lists(st.integers(0, 6), min_size=27, max_size=27))
def test_any_counts_give_a_valid_deck_or_an_error_with_a_line(counts: list[int]) -> None:
    numbers = iter(counts)
    judge(re.sub(r"^count = \d+", lambda _: f"count = {next(numbers)}", TEXT, flags=re.MULTILINE))


@given(text=st.text(st.characters(), max_size=200))
def test_any_text_is_refused_with_a_line(text: str) -> None:
    judge(text)


def test_check_prints_a_summary_of_the_deck() -> None:
    result = CliRunner().invoke(group, ["deck", "check", str(STANDARD)])
    assert result.exit_code == 0, result.output
    assert "80 cards\n27 drinks\n18 cards on the specialty menu\n3.06 tokens" in result.output
    assert "  coffee       65   26.5%\n" in result.output


# Custom decks: how they are read, and every reason to refuse one (R-COMP-3)


SMALL = """\
name = "Small"

[[drink]]
name = "Espresso"
count = 4
recipe = ["coffee", "steam"]
starter = true

[[drink]]
name = "Mocha"
count = 36
recipe = ["coffee", "milk", "chocolate"]
specialty = true

[[drink]]
name = "Iced tea"
count = 40
recipe = [
    "tea",
    "ice",
]
"""
WIDE = '"' + "\u5496" * 13 + '"'
HUGE = "9" * (MAX_LINE - 20)
CARDS = "a deck has exactly 80 cards, but the counts so far add up to "
SAME = "“Mocha” has the same recipe as “Espresso”; change one of them"


def small(old: str, new: str) -> str:
    assert SMALL.count(old) == 1
    return SMALL.replace(old, new)


def refusal(text: str) -> str:
    with pytest.raises(DeckError) as caught:
        parse_deck(text)
    return str(caught.value)


def test_small_deck_is_read_as_written() -> None:
    deck = parse_deck(SMALL)
    assert deck.name == "Small"
    assert deck.drinks == (
        Drink("Espresso", (1, 0, 1, 0, 0, 0, 0, 0), 4, specialty=False, starter=True),
        Drink("Mocha", (1, 1, 0, 0, 1, 0, 0, 0), 36, specialty=True, starter=False),
        Drink("Iced tea", (0, 0, 0, 1, 0, 0, 1, 0), 40, specialty=False, starter=False),
    )


def test_windows_lines_and_comments_are_read() -> None:
    text = small('[[drink]]\nname = "Mocha"', '  [[ drink ]]  # ]] \nname = "Mocha" # good')
    assert parse_deck(text) == parse_deck(SMALL)
    assert parse_deck(text.replace("\n", "\r\n")) == parse_deck(SMALL)
    crlf = small("count = 36", "count = 35").replace("\n", "\r\n")
    assert refusal(crlf).startswith("line 17: ")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        # R-COMP-3: 80 cards, 4 of them starters
        ("count = 40", "count = 39", f"17: {CARDS}79"),
        ("count = 40", "count = 41", f"17: {CARDS}81"),
        ("count = 36", "count = 80", f"11: {CARDS}84"),
        ("starter = true", "", "15: a deck has exactly 4 starter cards, but "),
        ("specialty", "starter", "13: a deck has exactly 4 starter cards, but "),
        ("starter = true", "starter = false", "15: a deck has exactly 4 starter cards"),
        ("count = 36", "count = 0", "11: the count of “Mocha” must be between 1 and 80; correct"),
        ("count = 36", "count = -1", "11: the count of “Mocha” must be between 1 and 80"),
        ("count = 36", f"count = {HUGE}", "11: the count of “Mocha” must be between 1 and 80"),
        ('["coffee", "steam"]', "[]", "6: a recipe has 1 to 6 tokens, but that of “Es"),
        ('"tea",', '"tea",' * 6, "18: a recipe has 1 to 6 tokens, but that of “Iced"),
        ('"coffee", "milk", "chocolate"', '"steam", "coffee"', f"12: {SAME}"),
        ('"Iced tea"', '"MOCHA"', "16: there is already a drink “Mocha”; give this one another"),
        ('"Mocha"', '""', "10: the name is empty; give one with visible characters"),
        ('"Mocha"', '"\u200b"', "10: the name is empty"),
        ('"Mocha"', '" Mocha"', "10: this name is wider than 24 cells, or has line breaks"),
        ('"Mocha"', '"Mo\\u001bcha"', "10: this name is wider"),
        ('"Mocha"', f'"{"M" * 25}"', "10: this name is wider than 24 cells, or"),
        ('"Mocha"', WIDE, "10: this name is wider than 24 cells"),
        ('"Small"', '""', "1: the name is empty"),
        ('"Small"', '"Sm\\nall"', "1: this name is wider than 24 cells"),
        # the shape of the file
        ('name = "Small"', "", '1: the name is missing; write it like name = "My deck"'),
        ('"Small"', "3", '1: this is not a valid value for name; write it like name = "My deck"'),
        ('"Small"', '"Small"\nauthor = "me"', "2: “author” is not a known key here; use name"),
        ('name = "Mocha"', "", '9: the name is missing; write it like name = "Mocha"'),
        ("count = 36", "", "9: the count is missing; write it like count = 3"),
        ("count = 36", "cuont = 36", "11: “cuont” is not a known key here; use name, count"),
        ("count = 36", "count = true", "11: this is not a valid value for count; write it"),
        ("count = 36", "count = 36.0", "11: this is not a valid value for count"),
        ("count = 36", "count.milk = 1", "11: this is not a valid value for count"),
        ("specialty = true", "specialty = 1", "13: this is not a valid value for specialty; wr"),
        ("starter = true", 'starter = "yes"', "7: this is not a valid value for starter"),
        ('"Mocha"', '["Mocha"]', "10: this is not a valid value for name"),
        ('["coffee", "steam"]', '"coffee"', "6: this is not a valid value for recipe; write"),
        ('"coffee", "steam"', "1, 2", "6: this is not a valid value for recipe"),
        ('"steam"', '"oat"', "6: “oat” is not an ingredient; use coffee, milk, steam, ice, choc"),
        ('"steam"', '"Steam"', "6: “Steam” is not an ingredient"),
        ('"steam"', '"\\u001b[2J"', "6: “[2J” is not an ingredient"),
        ('"Small"', '"Small"\ndrink = []', "2: put each drink under its own [[drink]]"),
        ('[[drink]]\nname = "I', '[["drink"]]\nname = "I', "15: put each drink under its"),
        ("specialty = true", "[drink.extra]", "13: put each drink under its own [[drink]]"),
        ("specialty = true", "[extra]", "13: “extra” is not a known key here"),
        # broken syntax
        ("count = 36", "count 36", "11: this is not valid TOML ("),
        ("count = 36", "count = ", "11: this is not valid TOML ("),
        ("count = 36", "count = 36\ncount = 4", "12: this is not valid TOML ("),
        ('"Mocha"', '"""Mocha', "13: this is not valid TOML ("),
        ('[[drink]]\nname = "I', '[[drink]] x\nname = "I', "15: this is not valid TOML ("),
        ('    "ice",\n]', '    "ice",', "20: this is not valid TOML ("),
    ],
)
def test_refusal_says_line_and_reason(old: str, new: str, message: str) -> None:
    assert refusal(small(old, new)).startswith(f"line {message}")


def test_empty_text_is_refused() -> None:
    assert refusal("").startswith("line 1: the name is missing")
    assert refusal('name = "Empty"').startswith("line 1: the deck has no drinks; put each")


def test_more_drinks_than_the_menu_holds_are_refused() -> None:
    recipes = list(combinations_with_replacement(INGREDIENTS, 3))[: MAX_DRINKS + 1]
    drinks = [
        f'[[drink]]\nname = "Drink {n}"\ncount = 1\nrecipe = {list(recipe)}\n'
        for n, recipe in enumerate(recipes)
    ]
    line = 2 + 4 * MAX_DRINKS
    text = 'name = "Many"\n' + "".join(drinks)
    assert refusal(text) == f"line {line}: a deck has at most 40 drinks; leave some out"


@pytest.mark.parametrize(
    "bomb",
    [
        "a = [\n" + "[[\n" * 20_000,
        "a = 0x" + "f" * 60_000,
        "a" + ".a" * 30_000 + " = 1",
        f"a = [\n{'{a=' * 100}\n" * 100,
        '"""\n' * 10_000,
        "[[drink]]\n" * 6_000,
    ],
)
def test_malicious_text_is_refused(bomb: str) -> None:
    assert refusal(bomb).startswith("line ")
    assert refusal('name = "Small"\n' + bomb).startswith("line ")


def test_brackets_nested_too_deeply_are_refused() -> None:
    assert refusal("a = " + "[\n" * 30_000).startswith("line 1: a list is nested too deeply")


def refused_file(path: Path, data: bytes) -> str:
    path.write_bytes(data)
    result = CliRunner().invoke(group, ["deck", "check", str(path)])
    assert result.exit_code == 1
    assert result.stdout == ""
    assert path.read_bytes() == data
    prefix = f"Error: {path}, "
    assert result.stderr.startswith(prefix)
    return result.stderr.removeprefix(prefix)


def test_check_refuses_a_file_with_line_and_reason(tmp_path: Path) -> None:
    path = tmp_path / "my.toml"
    broken = small("count = 40", "count = 39").encode()
    assert refused_file(path, broken).startswith("line 17: a deck has exactly 80 cards")
    assert refused_file(path, b'name = "Small"\n# caf\xe9\n').startswith(
        "line 2: this is not UTF-8"
    )
    large = SMALL.encode() + b"#\n" * MAX_DECK_BYTES
    assert "a deck may have at most 64 kB" in refused_file(path, large)


def test_check_refuses_anything_but_a_file(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing.toml"):
        result = CliRunner().invoke(group, ["deck", "check", str(path)])
        assert result.exit_code == 1
        assert f"{path}: cannot be read (" in result.stderr
        assert result.stderr.count("\n") == 1


def test_deck_option_loads_a_file_or_the_standard_deck(tmp_path: Path) -> None:
    assert load_deck(None) is standard_deck()
    path = tmp_path / "with-mark.toml"
    path.write_bytes(b"\xef\xbb\xbf" + SMALL.encode())
    assert load_deck(str(path)) == parse_deck(SMALL)


def test_a_long_word_is_quoted_to_its_80th_character() -> None:
    text = refusal(small('"tea"', f'"{"x" * 100}"'))
    assert text.startswith(f"line 18: “{'x' * 80}” is not an ingredient;")
