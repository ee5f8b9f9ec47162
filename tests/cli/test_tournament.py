"""`coffeerush host --tournament`: what it is combined with, and how the standings are printed."""

import json
from typing import Any

import click
import pytest

from coffeerush.cli.host import host_command
from coffeerush.cli.tournament import check_played, plan_of, print_standings, tables_for
from coffeerush.errors import HostError, UsageError
from coffeerush.table_rules import TableRules
from coffeerush.tournament.course import TournamentPlan
from protocol import TournamentPlayer, TournamentRules, TournamentView


def typed(line: str) -> click.Context:
    return host_command.make_context("host", line.split())


def plan(line: str) -> TournamentPlan | None:
    return plan_of(typed(line), TableRules(turn_seconds=120))


def view(stage: Any = "over", played: int = 3) -> TournamentView:
    players = (
        TournamentPlayer("Ann", 1, 2500, 1337, 2, 3),
        TournamentPlayer("박서준", 2, 500, 1000, 14, 3, withdrawn=True),
        TournamentPlayer("Cid"),
    )
    return TournamentView(stage, TournamentRules(), 3, played, players=players)


def test_the_options_make_the_rules() -> None:
    assert plan("--headless") is None
    usual = plan("--headless --tournament 5")
    assert usual == TournamentPlan(5, TournamentRules(0, 120, break_seconds=10))
    assert tables_for(usual) == 2
    others = "--rounds 4 --fill casual --break-seconds 3"
    rules = TournamentRules(4, 120, "casual", break_seconds=3)
    assert plan(f"--headless --tournament 64 --tables 48 {others}") == TournamentPlan(64, rules)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("--headless --rounds 4", "--rounds needs --tournament"),
        ("--json", "--json needs --tournament"),
        ("--tournament 4", "needs --headless"),
        ("--headless --tournament 4 --bots casual", "--bots cannot be used with"),
        ("--headless --tournament 4 --games 2", "--games cannot be used with"),
        ("--headless --tournament 4 --resume a.record", "--resume cannot be used with"),
        ("--headless --tournament 4 --most-tables 9", "--most-tables cannot be used with"),
        ("--headless --tournament 4 --tables 49", "at most 48 other tables"),
    ],
)
def test_what_does_not_go_together_is_told(line: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        plan(line)


def test_the_standings_are_a_table_to_paste(capsys: pytest.CaptureFixture[str]) -> None:
    print_standings(typed("--headless --tournament 3"), view())
    assert capsys.readouterr().out.splitlines() == [
        "   name    wins  share of points  penalties  rounds",
        "1  Ann      2.5             1.34          2       3",
        "2  박서준   0.5             1.00         14       3",
        "   Cid        0             0.00          0       0",
    ]


def test_as_json_the_standings_are_a_line_for_each_player(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_standings(typed("--headless --tournament 3 --json"), view())
    ann, other, _cid = capsys.readouterr().out.splitlines()
    assert json.loads(ann) == {
        "place": 1,
        "name": "Ann",
        "wins": 2.5,
        "points": 1.337,
        "penalties": 2,
        "rounds": 3,
        "withdrawn": False,
    }
    assert json.loads(other)["withdrawn"]


def test_only_a_tournament_that_was_played_to_its_end_is_a_success() -> None:
    check_played(view())
    with pytest.raises(HostError, match="after round 2 of 3"):
        check_played(view(played=2))
    with pytest.raises(HostError, match="--resume-latest"):
        check_played(view("break"))
