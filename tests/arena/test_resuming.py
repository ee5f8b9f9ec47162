"""The file of `--resume`."""

import os
import stat
from pathlib import Path

import pytest
from msgspec.structs import replace

from coffeerush.arena.cluster import BlockLog, head_of
from coffeerush.arena.plan import ArenaPlan, BlockResult, BotResult, FailedGame, GameResult
from coffeerush.errors import BotError, RecordError
from coffeerush.rules import standard_deck

PLAN = ArenaPlan(("random", "a.py:A"), 2, 7, False, standard_deck())
HEAD = head_of(PLAN, (None, "class A: pass"))


def block(number: int) -> BlockResult:
    result = GameResult(number, 7 + number, 9, 99, (BotResult(0, 1, 1, 5, 5, 0, 0),))
    error = BotError("{bot} exited unexpectedly; fix the bot.", bot="a.py:A")
    return BlockResult(
        number, (result,), (FailedGame(number, 7, 1, 0, error.text, {"bot": "a.py:A"}),)
    )


def written(path: Path, *numbers: int) -> bytes:
    """Write blocks to a log, and return what is in the file."""
    with BlockLog(path, HEAD) as log:
        for number in numbers:
            log.append(block(number))
            assert path.read_bytes().endswith(b"\n"), "every line is flushed"
    return path.read_bytes()


def test_what_was_written_is_read_again(tmp_path: Path) -> None:
    written(tmp_path / "log", 0, 2)
    assert written(tmp_path / "log", 1).count(b"\n") == 4
    with BlockLog(tmp_path / "log", HEAD) as log:
        assert log.blocks == (block(0), block(2), block(1))
        assert str(log.blocks[0].failed[0].error) == "a.py:A exited unexpectedly; fix the bot."


def test_its_mode_is_that_of_any_new_file(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        written(tmp_path / "log")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "log").stat().st_mode) == 0o640


def test_an_incomplete_last_line_is_dropped(tmp_path: Path) -> None:
    whole = written(tmp_path / "log", 0, 1)
    last = whole.rindex(b"\n", 0, -1) + 1
    for cut in [*range(0, len(whole), 9), len(whole) - 1]:
        (tmp_path / "log").write_bytes(whole[:cut])
        kept = max(0, whole.count(b"\n", 0, cut) - 1)
        with BlockLog(tmp_path / "log", HEAD) as log:
            assert log.blocks == (block(0), block(1))[:kept]
            log.append(block(5))
        if cut >= last:
            assert (tmp_path / "log").read_bytes().startswith(whole[:last])
        with BlockLog(tmp_path / "log", HEAD) as log:
            assert log.blocks[-1] == block(5)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"bots": ("random", "b.py:B")}, r"has games of other bots \(random,a.py:A\)"),
        ({"sources": ("", "0")}, "a.py:A has changed since .*log was written"),
        ({"version": "0.0.1"}, "another version of Coffee Rush"),
        ({"code": "0"}, "another version of Coffee Rush"),
        ({"seed": 8}, r"another seed \(7\)"),
        ({"players": 3}, "another number of players"),
        ({"deck": "0"}, "another deck"),
        ({"starters": True}, "other starter orders"),
    ],
)
def test_the_file_of_another_comparison_is_refused(
    tmp_path: Path, changed: dict[str, object], said: str
) -> None:
    before = written(tmp_path / "log", 0)
    with pytest.raises(RecordError, match=said):
        BlockLog(tmp_path / "log", replace(HEAD, **changed))
    assert (tmp_path / "log").read_bytes() == before


def test_a_plan_has_its_own_head() -> None:
    sources = (None, "class A: pass")
    assert head_of(replace(PLAN, seed=8), sources) != HEAD
    assert head_of(PLAN, (None, "class A: ...")) != HEAD
    fewer = replace(PLAN.deck, drinks=PLAN.deck.drinks[1:])
    assert head_of(replace(PLAN, deck=fewer), sources) != HEAD


@pytest.mark.parametrize(
    "data",
    [
        *(b"a note", b"a note\n", b"{}\n{}\n", b"\xff\n", b'{"\xff":1}\n', b"\n"),
        *(b'{"bots":["\xff"]}\n', b'{"x":' + b"[" * 100_000 + b"\n"),
    ],
)
def test_any_other_file_is_refused_and_kept(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "log").write_bytes(data)
    with pytest.raises(RecordError, match="is not a --resume file, or it is damaged"):
        BlockLog(tmp_path / "log", HEAD)
    assert (tmp_path / "log").read_bytes() == data


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"block":0', b'"block":"0"'),
        (b"exited", b"exit\xffd"),
        (b'"block":0', b'"block":0,"more":' + b"[" * 20_000),
    ],
)
def test_a_damaged_line_is_refused(tmp_path: Path, old: bytes, new: bytes) -> None:
    whole = written(tmp_path / "log", 0, 1)
    damaged = whole.replace(old, new)
    (tmp_path / "log").write_bytes(damaged + b'{"block":')
    with pytest.raises(RecordError, match="is damaged"):
        BlockLog(tmp_path / "log", HEAD)
    assert (tmp_path / "log").read_bytes() == damaged + b'{"block":'


def test_a_file_in_use_is_refused(tmp_path: Path) -> None:
    with (
        BlockLog(tmp_path / "log", HEAD),
        pytest.raises(RecordError, match="Another program is using"),
    ):
        BlockLog(tmp_path / "log", HEAD)
    with pytest.raises(RecordError, match="Is a directory"):
        BlockLog(tmp_path, HEAD)
