"""Regenerate the protocol's test vectors and schema: `python -m scripts.programs.vectors`."""

from pathlib import Path

from .files import contents
from .schema import schema

PROTOCOL = Path(__file__).parents[3] / "protocol"
FOLDER = PROTOCOL / "vectors"
SCHEMA = PROTOCOL / "schema.json"


def main() -> None:
    """Write all vector files, and the schema."""
    FOLDER.mkdir(exist_ok=True)
    for name, text in contents().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
    SCHEMA.write_text(schema(), encoding="utf-8")


if __name__ == "__main__":
    main()
