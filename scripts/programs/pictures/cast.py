"""Write a terminal's output as an asciicast v2 file, which `asciinema play` shows."""

import json
from codecs import getincrementaldecoder
from collections.abc import Sequence
from pathlib import Path

Output = Sequence[tuple[float, bytes]]
"""What a program wrote, and when, in seconds of any clock."""


def write_cast(path: Path, size: tuple[int, int], output: Output) -> None:
    """Write the output of a terminal of that size, its times counted from the first."""
    columns, rows = size
    decode = getincrementaldecoder("utf-8")().decode
    began = output[0][0]
    header = {"version": 2, "width": columns, "height": rows, "env": {"TERM": "xterm-256color"}}
    events = [[round(at - began, 3), "o", decode(data)] for at, data in output]
    lines = [json.dumps(line, ensure_ascii=False) for line in (header, *events)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
