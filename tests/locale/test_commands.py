"""The commands of `scripts/translate`, on a catalogue of their own."""

from pathlib import Path

import pytest
from babel.messages.catalog import Catalog

from scripts.programs.translate import __main__ as program, catalogues
from scripts.programs.translate.__main__ import main
from scripts.programs.translate.catalogues import kept


@pytest.fixture(autouse=True)
def locale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep catalogues in a folder without any, of sources with two texts."""
    monkeypatch.setattr(catalogues, "LOCALE", tmp_path)
    for module in (catalogues, program):
        monkeypatch.setattr(module, "COMPLETE", ())
        monkeypatch.setattr(module, "TEMPLATE", tmp_path / "coffeerush.pot")
    sources = Catalog()
    for text in ("cup", "{count} spoon"):
        sources.add(text, locations=[("coffeerush/cli/start.py", 0)])
    monkeypatch.setattr(program, "template", lambda: sources)
    return tmp_path


def test_a_language_is_begun_and_filled_bit_by_bit(
    locale: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["update", "fr"]) == 0
    assert "fr: 0%, 0 of 2 translated; 0 fuzzy, 2 missing" in capsys.readouterr().out
    assert (locale / "coffeerush.pot").exists()
    file = locale / "fr.po"
    file.write_text('msgid "cup"\nmsgstr "tasse"\n', encoding="utf-8")
    assert main(["fill", "fr", str(file)]) == 0
    assert kept("fr")["cup"].string == "tasse"
    assert main(["missing", "fr"]) == 0
    printed = capsys.readouterr().out
    assert "{count} spoon" in printed
    assert '"cup"' not in printed
    assert main(["check"]) == 0
    assert "fr: 50%, 1 of 2 translated; 0 fuzzy, 1 missing" in capsys.readouterr().out


def test_what_is_wrong_is_neither_taken_nor_passed_over(
    locale: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = locale / "fr.po"
    file.write_text('msgid "{count} spoon"\nmsgstr "cuiller"\n', encoding="utf-8")
    assert main(["fill", "fr", str(file)]) == 1
    assert "“cuiller” does not have exactly these placeholders: {count}" in capsys.readouterr().out
    path = locale / "fr" / "LC_MESSAGES" / "coffeerush.po"
    path.write_text(path.read_text("utf-8").replace('msgstr ""', 'msgstr "x"'), encoding="utf-8")
    path.write_text(path.read_text("utf-8").replace('msgstr "x"', 'msgstr ""', 1), encoding="utf-8")
    assert main(["check", "fr"]) == 1
    assert (
        "fr: {count} spoon: “x” does not have exactly these placeholders" in capsys.readouterr().out
    )


def test_words_that_make_no_command(locale: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["update", "klingon"], ["reword", "cup"], ["reword", "a", "b", "--file", "c"]):
        with pytest.raises(SystemExit):
            main(words)
    file = locale / "fr.po"
    assert main(["fill", "fr", str(file)]) == 1
    assert "No such file" in capsys.readouterr().err
    for wrong in (b"tasse", b'msgid "cup"', b"\xff"):
        file.write_bytes(wrong)
        assert main(["fill", "fr", str(file)]) == 1
        assert str(file) in capsys.readouterr().err
    file.write_text('{"old": "cup", "new": 1}', encoding="utf-8")
    assert main(["reword", "--file", str(file)]) == 1
    assert "Expected `str | array`" in capsys.readouterr().err
