"""The recording in the documentation: it plays in a terminal of the size that it names."""

import json
from pathlib import Path

import pyte

CAST = Path(__file__).parents[1] / "docs" / "pictures" / "round.cast"


def test_the_recorded_round_plays_from_the_lobby_to_the_next_round() -> None:
    header, *events = map(json.loads, CAST.read_text(encoding="utf-8").splitlines())
    assert header["version"] == 2
    screen = pyte.Screen(header["width"], header["height"])
    stream = pyte.Stream(screen)
    headlines = []
    for _seconds, kind, text in events:
        assert kind == "o"
        stream.feed(text)
        headlines.append("".join(screen.buffer[0][x].data for x in range(screen.columns)))
    assert any("Kitchen" in line for line in headlines)
    assert "round 2" in headlines[-1]
    assert "Mia" in headlines[-1]
    times = [seconds for seconds, _kind, _text in events]
    assert times == sorted(times)
