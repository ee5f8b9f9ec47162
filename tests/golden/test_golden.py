"""Every screen matches its approved snapshot."""

from difflib import unified_diff

import pytest

from tests.golden.frames import FOLDER, SHEETS, Sheet, text_of

SHOWN_MOST = 200
"""Lines of a difference."""


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.name.removesuffix(".txt"))
def test_frames(sheet: Sheet) -> None:
    kept = sheet.path.read_text(encoding="utf-8") if sheet.path.exists() else ""
    drawn = text_of(sheet)
    if drawn != kept:
        lines = unified_diff(
            kept.splitlines(), drawn.splitlines(), f"kept {sheet.name}", "drawn now", lineterm=""
        )
        shown = "\n".join(list(lines)[:SHOWN_MOST])
        pytest.fail(f"{shown}\nIf that is meant: python -m tests.golden", pytrace=False)


def test_no_file_is_left_of_what_is_not_drawn() -> None:
    assert {path.name for path in FOLDER.iterdir()} == {sheet.name for sheet in SHEETS}
