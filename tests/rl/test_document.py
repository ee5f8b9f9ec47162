"""What `docs/rl.md` says is so."""

import re
from pathlib import Path

from coffeerush.rl import FIELDS, SIZE

TEXT = (Path(__file__).parents[2] / "docs" / "rl.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| (\d+) \| (\d+) \| `(\w+)` \|", re.MULTILINE)
PROGRAM = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def test_it_lists_every_field() -> None:
    rows = [(int(row[1]), int(row[2]), row[3]) for row in ROW.finditer(TEXT)]
    assert rows == [(at.start, at.stop - at.start, name) for name, at in FIELDS.items()]
    assert f"int8 vector of length {SIZE}" in TEXT


def test_its_programs_run() -> None:
    programs = PROGRAM.findall(TEXT)
    assert programs
    for program in programs:
        exec(compile(program, "rl.md", "exec"), {})
