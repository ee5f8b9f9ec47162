"""Regenerate the golden frames: `python -m tests.golden`; then look at the diff."""

from tests.golden.frames import FOLDER, SHEETS, text_of


def main() -> None:
    """Write a file for each sheet, and remove those of sheets that are no more."""
    FOLDER.mkdir(exist_ok=True)
    for path in set(FOLDER.iterdir()) - {sheet.path for sheet in SHEETS}:
        path.unlink()
    for sheet in SHEETS:
        sheet.path.write_text(text_of(sheet), encoding="utf-8")


if __name__ == "__main__":
    main()
