"""`coffeerush league` as a process of its own, over records on disk."""

import csv
import json
import os
import re
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

from coffeerush import __version__
from coffeerush.cli.commands import group
from coffeerush.errors import RecordError, UsageError
from coffeerush.league.store import DATABASE
from coffeerush.league.table import MERGES_FILE
from coffeerush.local.figures import check_plot, save_figure
from coffeerush.local.files import STATE_VARIABLE
from coffeerush.records.entries import Head, Removal
from tests.support.leagues import (
    ANN,
    BOB,
    MINE,
    NEW_YEAR,
    OTHER_ANN,
    game_of,
    hold_tournament,
    save,
)

ROOT = Path(__file__).parents[2]
CID = replace(ANN, name="Cid", key="d" * 40)
EMPTY = "You have not finished a game yet. Every game that you play or watch"


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """Return a state directory with the records of three games: Bob is better than Ann."""
    for number in range(3):
        save(tmp_path / "records", game_of(BOB, CID, MINE, ANN, number=number), number)
    return tmp_path


def run(state: Path, *words: str) -> Result:
    """Run the command in this process."""
    return CliRunner(env={STATE_VARIABLE: str(state)}).invoke(group, words)


def league(state: Path, *words: str) -> str:
    done = run(state, "league", *words)
    progress = "Reading the game records: "  # of a machine that is slow
    unexpected = [line for line in done.stderr.splitlines() if not line.startswith(progress)]
    assert (done.exit_code, unexpected) == (0, [])
    return done.stdout


def entries(state: Path, *words: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in league(state, "--json", *words).splitlines()]


def names(state: Path) -> list[str]:
    table = [line.split("  ") for line in league(state).splitlines()[1:-1]]
    return [line[1].strip() for line in table]


def test_the_table_ranks_people_and_bots(state: Path) -> None:
    assert names(state) == ["Bob", "Cid", "Mine (bot)", "Ann"]
    heading, first, *_others = league(state, "show").splitlines()
    assert heading.split()[:4] == ["name", "rating", "games", "won"]
    assert first.split()[4:6] == ["3", "100%"]
    assert "3 (best: 3)" in first


def test_one_player_has_results_against_each_opponent_and_a_chart(state: Path) -> None:
    shown = league(state, "bob")
    assert "Against Ann: ahead 3, behind 0\n" in shown
    assert "Won in a row: 3 (best: 3)" in shown
    assert "▄" in shown or "▀" in shown
    assert "2026-01-01" in shown.splitlines()[-1]
    assert "2026-01-03" in shown.splitlines()[-1]
    done = run(state, "--ascii", "league", "Mine (bot)")
    assert done.stdout.isascii() or done.stdout.replace("±", "").isascii()


def test_other_programs_get_json_and_csv(state: Path) -> None:
    best = entries(state)[0]
    assert (best["name"], best["games"], best["wins"]) == ("Bob", 3, 1.0)
    (bob,) = entries(state, "Bob")
    assert bob["entry"] == best
    assert [one["begun"] for one in bob["history"]] == sorted(
        one["begun"] for one in bob["history"]
    )
    assert bob["against"][0] == {"id": bob["against"][0]["id"], "ahead": 3, "level": 0, "behind": 0}
    rows = list(csv.DictReader(league(state, "--csv").splitlines()))
    assert [row["name"] for row in rows] == ["Bob", "Cid", "Mine (bot)", "Ann"]
    assert float(rows[0]["rating"]) == best["rating"]
    assert run(state, "league", "--csv", "--json").exit_code == 2


def test_no_name_is_a_formula_in_a_spreadsheet(tmp_path: Path) -> None:
    rogue, bot = replace(ANN, name="=1+1"), replace(MINE, bot="=2+2")
    save(tmp_path / "records", game_of(rogue, CID, BOB, bot, program="＝3+3"), 0)
    rows = list(csv.DictReader(league(tmp_path, "--csv").splitlines()))
    assert "'=1+1" in [row["name"] for row in rows]
    assert ("'=2+2", "'＝3+3") in [(row["bot"], row["program"]) for row in rows]


def test_games_left_to_a_bot_are_told(state: Path) -> None:
    head, *others = game_of(BOB, CID, MINE, ANN, number=9)
    assert isinstance(head, Head)
    assert "left to a bot" not in league(state, "Bob")
    save(state / "records", [head, Removal(BOB.key, head.seats.index(BOB)), *others], 9)
    assert "  Games: 3\n" in league(state, "Bob")
    assert "  Games left to a bot: 1\n" in league(state, "Bob")


def test_two_people_of_one_name_are_two_until_they_are_merged(state: Path) -> None:
    save(state / "records", game_of(BOB, CID, MINE, OTHER_ANN, number=9), 9)
    anns = [one for one in entries(state) if one["name"] == "Ann"]
    assert [one["games"] for one in anns] == [1, 3]
    assert f"Ann ({anns[0]['id']})" in names(state)
    done = run(state, "league", "Ann")
    assert done.exit_code == 2
    assert all(one["id"] in done.stderr for one in anns)

    said = league(state, "merge", anns[1]["id"], anns[0]["id"])
    assert f"coffeerush league unmerge {anns[1]['id']}" in said
    for words in ([], ["--rebuild"]):
        (ann,) = (one for one in entries(state, *words) if one["name"] == "Ann")
        assert (ann["id"], ann["games"], ann["also"]) == (anns[0]["id"], 4, [anns[1]["id"]])
    (state / "league" / DATABASE).write_bytes(b"damaged")
    assert entries(state, "Ann")[0]["entry"] == ann
    assert f"Merged ids: {anns[1]['id']}" in league(state, "Ann")

    league(state, "unmerge", anns[1]["id"])
    assert [one for one in entries(state) if one["name"] == "Ann"] == anns
    league(state, "merge", anns[1]["id"], anns[0]["id"])
    league(state, "unmerge", "Ann")
    assert [one for one in entries(state) if one["name"] == "Ann"] == anns


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("Zoe",), "Nobody in the league is called Zoe"),
        (("merge", "Ann", "Zoe"), "Nobody in the league is called Zoe"),
        (("merge", "Ann", "ann"), "Both are Ann already"),
        (("merge", "Ann", "Mine (bot)"), "Mine (bot) is a bot"),
        (("unmerge", "Ann"), "Nobody was merged into Ann"),
        (("--plot", "ratings.pdf"), "must end in .svg or .png"),
    ],
)
def test_wrong_usage_is_one_sentence(state: Path, words: tuple[str, ...], reason: str) -> None:
    done = run(state, "league", *words)
    assert (done.exit_code, done.stdout) == (2, "")
    *progress, sentence = done.stderr.splitlines()
    assert reason in sentence
    assert all(line.startswith("Reading the game records") for line in progress)  # if it takes long


def test_the_latest_evening_has_who_won_what_was_best_and_all_results(state: Path) -> None:
    evening = json.loads(league(state, "evening", "--json"))
    (game,) = evening["games"]
    begun = datetime.fromtimestamp(game["begun"])
    title, *told = league(state, "evening").splitlines()
    lines = [line for line in told if line]
    assert told.index("") == 3, "what was best is apart from who won"
    assert title == f"Evening of {begun:%Y-%m-%d}" == "Evening of 2026-01-03"
    rows = [re.split(" {2,}", line.strip()) for line in lines]
    names = [seat["name"] + " (bot)" * bool(seat["bot"]) for seat in game["seats"]]
    results = zip(names, game["seats"], strict=True)
    scores = ", ".join(f"{name}: {seat['score']}" for name, seat in results)
    best = max(seat["best_turn"] for seat in game["seats"])
    assert rows == [
        ["Bob", "won 1 of 1"],
        ["Cid", "won 0 of 1"],
        ["Ann", "won 0 of 1"],
        ["Won in a row", "1 (Bob)"],
        ["Best turn", rows[4][1]],
        ["Fastest game", f"{game['rounds']} rounds ({begun:%H:%M})"],
        [f"{begun:%H:%M}", scores],
    ]
    assert rows[4][1].startswith(f"{best} order")


def test_a_tournament_is_in_the_evening_in_which_it_was_announced(state: Path) -> None:
    latest = NEW_YEAR + timedelta(2)
    hold_tournament(state / "records", latest - timedelta(hours=5), BOB, CID, ANN, rounds=2)
    hold_tournament(state / "records", latest, ANN, BOB)
    for away in (timedelta(hours=-7), timedelta(minutes=1)):
        hold_tournament(state / "records", latest + away, CID, BOB, ANN)
    hold_tournament(state / "records", latest - timedelta(hours=1), ANN, BOB, rounds=0)
    damaged = hold_tournament(state / "records", latest - timedelta(hours=2), ANN, BOB)
    damaged.write_text("nothing\n")

    _title, first, second, gap, third, *_others = league(state, "evening").splitlines()
    assert not gap
    told = [re.split(" {2,}", line.strip()) for line in (first, second, third)]
    assert told == [
        ["Tournament", "1. Bob, 2. Cid, 3. Ann (after round 2 of 2)"],
        ["Tournament", "1. Ann, 2. Bob (after round 1 of 2)"],
        ["Bob", "won 1 of 1"],
    ]
    evening = json.loads(league(state, "evening", "--json"))
    held, _other = evening["tournaments"]
    assert [(one["place"], one["name"], one["wins"]) for one in held["standings"]] == [
        (1, "Bob", 2.0),
        (2, "Cid", 0.0),
        (3, "Ann", 0.0),
    ]
    assert held["standings"][0]["id"] == evening["players"][0]["id"]


def test_an_empty_league_says_how_to_fill_it(tmp_path: Path) -> None:
    assert league(tmp_path).startswith(EMPTY)
    assert league(tmp_path, "--json") == ""
    assert league(tmp_path, "--csv").count("\n") == 1


def test_records_left_out_are_counted(state: Path) -> None:
    (state / "records" / "foreign.record").write_bytes(b"nothing")
    done = run(state, "league")
    assert done.exit_code == 0
    assert done.stderr == "1 game record cannot be read.\n"


def test_merges_that_cannot_be_read_are_an_error(state: Path) -> None:
    league(state)
    (state / "league" / MERGES_FILE).write_text("{")
    done = run(state, "league")
    assert done.exit_code == 1
    assert MERGES_FILE in done.stderr


@pytest.mark.slow
def test_ratings_over_time_are_drawn(state: Path, tmp_path: Path) -> None:
    rogue = replace(OTHER_ANN, name="$x^")
    save(state / "records", game_of(rogue, replace(CID, name="_민준"), BOB, MINE, number=9), 9)
    path = tmp_path / "ratings.svg"
    league(state, "--plot", str(path))
    text = path.read_text(encoding="utf-8")
    assert all(name in text for name in ("Bob", "Mine (bot)", "$x^", "_민준", "Rating"))
    league(state, "Bob", "--plot", str(tmp_path / "bob.png"))
    assert (tmp_path / "bob.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_a_figure_is_the_same_bytes_each_time(tmp_path: Path) -> None:
    from matplotlib.figure import Figure  # imported late: it is slow

    figures = []
    for name in ("one.svg", "other.svg"):
        figure = Figure()
        figure.add_subplot().plot([1, 2], [3, 4], label="민준")
        save_figure(figure, tmp_path / name)
        figures.append((tmp_path / name).read_bytes())
    assert figures[0] == figures[1]
    with pytest.raises(RecordError, match=r"x\.svg cannot be written"):
        save_figure(Figure(), tmp_path / "none" / "x.svg")


def test_without_matplotlib_a_chart_says_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)  # as if it were not installed
    with pytest.raises(UsageError, match=r"pip install \"coffeerush\[plots\]\""):
        check_plot(tmp_path / "x.svg")


@pytest.mark.slow
def test_a_game_that_was_hosted_here_counts(tmp_path: Path) -> None:
    for words in (
        ("host", "--headless", "--games", "1", "--port", "0", "--open", "--bots", "random,random"),
        ("league",),
    ):
        done = subprocess.run(
            [sys.executable, "-m", "coffeerush", *words],
            cwd=ROOT,
            env={**os.environ, STATE_VARIABLE: str(tmp_path)},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
    (bot,) = entries(tmp_path)
    assert (bot["bot"], bot["program"], bot["games"]) == ("random", __version__, 1)
    assert "Random (bot)" in done.stdout
