"""Regenerate the protocol's test vectors: `python -m scripts.programs.vectors`."""

from pathlib import Path

from .files import contents

FOLDER = Path(__file__).parents[3] / "protocol" / "vectors"


def main() -> None:
    """Write all vector files."""
    FOLDER.mkdir(exist_ok=True)
    for name, text in contents().items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
