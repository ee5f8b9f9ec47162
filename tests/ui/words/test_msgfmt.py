"""Compiling catalogues: as gettext reads them, and again when one has changed."""

import os
from gettext import GNUTranslations
from io import BytesIO
from pathlib import Path

import pytest
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from coffeerush.local.settings import LANGUAGES
from coffeerush.ui.words.i18n import LOCALE
from coffeerush.ui.words.msgfmt import compiled, refresh

HEADER = """
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\\n"
"""


@pytest.fixture
def po(tmp_path: Path) -> Path:
    path = tmp_path / "coffeerush.po"
    path.write_text(HEADER + 'msgid "cup"\nmsgstr "tazza"\n', encoding="utf-8")
    return path


def said(po: Path, text: str) -> str:
    return GNUTranslations(BytesIO(po.with_suffix(".mo").read_bytes())).gettext(text)


@pytest.mark.slow
@pytest.mark.parametrize("code", [code for code in LANGUAGES if code not in ("", "en")])
def test_a_catalogue_is_compiled_as_by_babel(code: str) -> None:
    path = LOCALE / code / "LC_MESSAGES" / "coffeerush.po"
    file = BytesIO()
    with path.open("rb") as text:
        write_mo(file, read_po(text))
    babels, ours = (GNUTranslations(BytesIO(mo)) for mo in (file.getvalue(), compiled(path)))
    texts = {key: text for key, text in vars(babels)["_catalog"].items() if key}
    assert texts.items() <= vars(ours)["_catalog"].items()
    assert len(vars(ours)["_catalog"]) == len(texts) + 1
    assert vars(ours)["_info"]["plural-forms"]


def test_every_way_to_write_an_entry(po: Path) -> None:
    po.write_text(
        HEADER
        + """
# a note
#: place.py
msgid "one line"
msgstr ""
"a \\"quoted\\" "
"line\\n"
#, fuzzy, python-brace-format
#| msgid "former"
msgid "fuzzy"
msgstr "vago"
msgctxt "key"
msgid "cup"
msgstr "tazza\\\\"

msgid "{n} cup"
msgid_plural "{n} cups"
msgstr[0] "{n} tazza"
msgstr[1] "{n} tazze"

msgid "{n} fork"
msgid_plural "{n} forks"
msgstr[0] "{n} forchetta"
msgstr[1] ""

msgid "missing"
msgstr ""

#~ msgid "gone"
#~ msgstr "andato"
""",
        encoding="utf-8",
    )
    spoken = GNUTranslations(BytesIO(compiled(po)))
    assert spoken.gettext("one line") == 'a "quoted" line\n'
    assert spoken.pgettext("key", "cup") == "tazza\\"
    assert spoken.ngettext("{n} cup", "{n} cups", 2) == "{n} tazze"
    assert spoken.ngettext("{n} fork", "{n} forks", 1) == "{n} fork"
    for text in ("fuzzy", "missing", "gone", "cup", "former"):
        assert spoken.gettext(text) == text


@pytest.mark.parametrize("line", ["msgstr tazza", '"tazza"', "tazza", 'msgid "cup'])
def test_what_is_no_catalogue_is_told_with_its_line(po: Path, line: str) -> None:
    po.write_text(f"# a note\n{line}\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"coffeerush\.po:2: "):
        refresh(po)


def test_a_catalogue_that_changed_is_compiled_again(po: Path) -> None:
    refresh(po)
    assert said(po, "cup") == "tazza"
    po.write_text(po.read_text(encoding="utf-8").replace("tazza", "tazzina"), encoding="utf-8")
    os.utime(po, ns=(1, 1))  # as of an older checkout
    refresh(po)
    assert said(po, "cup") == "tazzina"
    assert [path.name for path in po.parent.glob("*.mo*")] == ["coffeerush.mo"]


def test_one_that_did_not_is_left_alone(po: Path) -> None:
    refresh(po)
    mo = po.with_suffix(".mo")
    first = mo.stat()
    refresh(po)
    assert mo.stat() == first


def test_an_installed_program_has_compiled_ones_alone(po: Path) -> None:
    refresh(po)
    po.unlink()
    refresh(po)
    assert said(po, "cup") == "tazza"


def test_where_nothing_can_be_written_the_program_goes_on(po: Path) -> None:
    po.with_suffix(".mo").mkdir()
    refresh(po)
