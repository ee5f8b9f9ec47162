"""Merging texts into a catalogue: no translation is lost, and no guess is accepted unseen."""

from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message

from scripts.programs.translate.catalogues import forms, new_catalog, po_bytes, read
from scripts.programs.translate.merging import Rewording, merged

LONG = "A sentence that has so many words that it takes two lines of a catalogue, or even “three”."


def template(*texts: str | tuple[str, str], context: str | None = None) -> Catalog:
    catalog = Catalog()
    for text in texts:
        catalog.add(text, locations=[("b.py", 7), ("a.py", 9)], context=context)
    return catalog


def italian(texts: dict[str, str], context: str | None = None) -> Catalog:
    catalog = new_catalog("it")
    for text, translation in texts.items():
        catalog.add(text, translation, context=context)
    return catalog


def state(message: Message | None) -> tuple[object, ...]:
    """Return the translation of a message, its former text, and whether it is fuzzy."""
    assert message
    return forms(message), tuple(message.previous_id), message.fuzzy


def test_the_order_is_that_of_the_template() -> None:
    found = merged(template("cup", "a saucer"), italian({"a saucer": "piattino", "cup": "tazza"}))
    assert po_bytes(found).splitlines()[-7:] == [
        b"#: a.py b.py",
        b'msgid "cup"',
        b'msgstr "tazza"',
        b"",
        b"#: a.py b.py",
        b'msgid "a saucer"',
        b'msgstr "piattino"',
    ]


def test_a_near_match_takes_the_translation_over_as_fuzzy() -> None:
    before = italian({"Look on at a table": "Guarda un tavolo", "Take a cup": "Prendi una tazza"})
    found = merged(template("Look on at the table", "Drop the spoon"), before)
    assert state(found["Look on at the table"]) == (
        ("Guarda un tavolo",),
        ("Look on at a table",),
        True,
    )
    assert state(found["Drop the spoon"]) == ((), (), False)
    assert [*map(state, found.obsolete.values())] == [(("Prendi una tazza",), (), False)]


def test_each_translation_goes_to_the_text_that_is_most_like_its_own() -> None:
    before = italian({"Cup 1 is full.": "La 1 è piena.", "Cup 2 is empty.": "La 2 è vuota."})
    found = merged(template("Cup 2 is quite empty.", "Cup 1 is quite full."), before)
    assert forms(found["Cup 1 is quite full."]) == ("La 1 è piena.",)
    assert forms(found["Cup 2 is quite empty."]) == ("La 2 è vuota.",)


def test_a_text_that_is_still_said_gives_nothing_away() -> None:
    found = merged(template("a cup", "a cup."), italian({"a cup": "una tazza"}))
    assert state(found["a cup."]) == ((), (), False)


def test_meanings_are_kept_apart() -> None:
    found = merged(template("open it", context="key"), italian({"open it.": "aprilo"}, "door"))
    assert state(found.get("open it", "key")) == ((), (), False)


def test_a_text_that_gets_its_words_back_gets_its_translation_back() -> None:
    once = merged(template("a cup."), italian({"a cup": "una tazza"}))
    assert state(once["a cup."]) == (("una tazza",), ("a cup",), True)
    twice = merged(template("a cup!"), once)
    assert state(twice["a cup!"]) == (("una tazza",), ("a cup",), True)
    assert state(merged(template("a cup"), twice)["a cup"]) == (("una tazza",), (), False)


def test_a_text_that_comes_back_finds_its_translation_among_the_obsolete(tmp_path: Path) -> None:
    path = tmp_path / "it.po"
    path.write_bytes(po_bytes(merged(template("spoon"), italian({"cup": "tazza"}))))
    assert path.read_text(encoding="utf-8").endswith('#~ msgid "cup"\n#~ msgstr "tazza"\n')
    found = merged(template("spoon", "cup"), read(path, "it"))
    assert state(found["cup"]) == (("tazza",), (), False)
    assert not found.obsolete


def test_a_fuzzy_one_that_is_gone_is_kept_with_the_text_that_it_translates() -> None:
    once = merged(template("a cup."), italian({"a cup": "una tazza"}))
    found = merged(template("spoon"), once)
    assert [message.id for message in found.obsolete.values()] == ["a cup"]


@pytest.mark.parametrize("text", [LONG, "a cup", ("{n} cup", "{n} cups"), (LONG, LONG + "s")])
def test_what_was_said_before_is_kept_in_the_file(
    text: str | tuple[str, str], tmp_path: Path
) -> None:
    before = new_catalog("it")
    before.add(text, "x" if isinstance(text, str) else ("x", "y"), context="key")
    news = f"{text}." if isinstance(text, str) else (f"{text[0]}.", text[1])
    once = merged(template(news, context="key"), before)
    path = tmp_path / "it.po"
    path.write_bytes(po_bytes(once))
    again = read(path, "it")
    words = (text,) if isinstance(text, str) else text
    assert state(again.get(news, "key"))[1] == words
    assert po_bytes(merged(template(news, context="key"), again)) == po_bytes(once)


def test_a_mark_that_was_taken_away_by_hand_stays_away() -> None:
    before = new_catalog("it")
    before.add("cup", "tazza", previous_id=["a mug"])
    assert state(merged(template("cup"), before)["cup"]) == (("tazza",), (), False)


def test_singular_and_plural_follow_each_other() -> None:
    before = italian({"{n} cup": "{n} tazze"})
    plural = merged(template(("{n} cup", "{n} cups")), before)
    assert state(plural["{n} cup"]) == (("{n} tazze", "{n} tazze"), ("{n} cup",), True)
    single = merged(template("{n} mug"), plural, [Rewording("{n} cup", "{n} mug")])
    assert forms(single["{n} mug"]) == ("{n} tazze",)


def test_a_rewording_takes_over_what_no_likeness_would_find() -> None:
    before = italian({"Look on": "Guarda"})
    found = merged(template("Watch"), before, [Rewording("Look on", "Watch")])
    assert state(found["Watch"]) == (("Guarda",), ("Look on",), True)


def test_where_only_english_had_a_slip_the_translation_stays_sure() -> None:
    found = merged(
        template("Watch"), italian({"Wtach": "Guarda"}), [Rewording("Wtach", "Watch", same=True)]
    )
    assert state(found["Watch"]) == (("Guarda",), (), False)


def test_texts_may_change_places() -> None:
    before = italian({"cup": "tazza", "mug": "boccale"})
    found = merged(
        template("cup", "mug"), before, [Rewording("cup", "mug"), Rewording("mug", "cup")]
    )
    assert state(found["mug"]) == (("tazza",), ("cup",), True)
    assert state(found["cup"]) == (("boccale",), ("mug",), True)


def test_a_header_that_others_wrote_is_kept() -> None:
    before = italian({"cup": "tazza"})
    before.last_translator, before.language_team = "Anna", "Amici"
    header = dict(merged(template("cup"), before).mime_headers)
    assert (header["Last-Translator"], header["Language-Team"]) == ("Anna", "Amici")
    assert dict(merged(template("cup"), Catalog(locale="it")).mime_headers)["Last-Translator"] == (
        "the coffeerush contributors"
    )
