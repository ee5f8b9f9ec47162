"""The command line around its commands: what is listed, what an error becomes, who hides whom."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from coffeerush.cli.group import COMMANDS, INTERRUPTED, LazyGroup, completion, group
from coffeerush.errors import CoffeeRushError, DeckError, LinkError, UsageError
from protocol import IllegalIntent

ROOT = Path(__file__).parents[1]


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "coffeerush", *words], cwd=ROOT, capture_output=True, text=True
    )


def fail_with(error: BaseException) -> Result:
    """Run a group of the same class as ours, whose command ends in `error`."""

    @click.group(cls=LazyGroup)
    def group() -> None:
        pass

    @group.command()
    def stumble() -> None:
        raise error

    return CliRunner().invoke(group, ["stumble"])


def test_help_lists_every_command_and_imports_none() -> None:
    code = (
        "import sys; from coffeerush.cli.group import group; group(['-h'], standalone_mode=False); "
        "print([m for m in sys.modules if m.startswith('coffeerush.cli.')])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    *text, loaded = done.stdout.splitlines()
    listed = text[text.index("Commands:") + 1 :][: len(COMMANDS) + 1]
    assert [line.split()[0] for line in listed] == [*COMMANDS, "completion"]
    assert set(ast.literal_eval(loaded)) == {"coffeerush.cli.group", "coffeerush.cli.people"}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_of_the_table_is_there(name: str) -> None:
    done = CliRunner().invoke(group, [name, "--help"])
    assert done.exit_code == 0
    assert f"coffeerush {name}" in done.output


def test_version_names_the_protocol() -> None:
    assert run("--version").stdout.startswith("coffeerush 0.1.0 (protocol 2)")


def test_wrong_usage_is_2() -> None:
    done = run("jion")
    assert done.returncode == 2
    assert "jion" in done.stderr


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (LinkError("No host answers."), 1),
        (DeckError("line 3: no such drink"), 1),
        (CoffeeRushError("Something."), 1),
        (IllegalIntent("stale", "Something else happened first; look again."), 1),
        (UsageError("Two seats at least."), 2),
    ],
)
def test_our_errors_are_one_line(error: Exception, code: int) -> None:
    done = fail_with(error)
    assert (done.exit_code, done.stderr) == (code, f"Error: {error}\n")


def test_foreign_words_do_not_move_the_cursor() -> None:
    assert fail_with(LinkError("no\x1b[2J\nroom")).stderr == "Error: no[2J room\n"


@pytest.mark.parametrize("error", [KeyboardInterrupt(), click.Abort()])
def test_interrupt_is_quiet(error: BaseException) -> None:
    done = fail_with(error)
    assert (done.exit_code, done.output) == (INTERRUPTED, "")


def test_a_bug_is_not_caught() -> None:
    assert isinstance(fail_with(ZeroDivisionError()).exception, ZeroDivisionError)


def test_a_reader_that_went_away_is_no_traceback() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "coffeerush", "--help"],
            cwd=ROOT, stdout=writing, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
    finally:
        os.close(writing)
    assert done.stderr == ""


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script(shell: str) -> None:
    done = CliRunner().invoke(completion, [shell])
    assert "_COFFEERUSH_COMPLETE" in done.output


def test_completion_offers_the_commands() -> None:
    asked = {
        "_COFFEERUSH_COMPLETE": "bash_complete",
        "COMP_WORDS": "coffeerush re",
        "COMP_CWORD": "1",
    }
    done = CliRunner().invoke(group, prog_name="coffeerush", env=asked)
    assert done.output.split() == ["plain,replay"]


@pytest.mark.parametrize("shape", ["protocol.py", "protocol/__init__.py", "protocol/other.py"])
def test_another_protocol_is_named(tmp_path: Path, shape: str) -> None:
    foreign = tmp_path / shape
    foreign.parent.mkdir(exist_ok=True)
    foreign.touch()
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.append({str(ROOT)!r}); import coffeerush"],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    if shape == "protocol/other.py":
        # A folder without __init__.py is found only where no real package is.
        assert done.returncode == 0
    else:
        assert "ImportError: another Python package named protocol hides" in done.stderr
        assert str(foreign) in done.stderr
