"""The command group: help, errors and exit codes, shared options, standard streams."""

import ast
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from coffeerush.cli.commands import COMMANDS, INTERRUPTED, LazyGroup, completion, group
from coffeerush.cli.options import person_of, person_options
from coffeerush.errors import CoffeeRushError, DeckError, LinkError, UsageError
from coffeerush.local.files import STATE_VARIABLE
from coffeerush.local.settings import FILE_NAME, LANGUAGES, THEMES, Settings
from coffeerush.ui.terminal.canvas import width
from coffeerush.ui.words.i18n import set_language
from protocol import IllegalIntent
from tests.golden.frames import spoken

ROOT = Path(__file__).parents[2]


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "coffeerush", *words], cwd=ROOT, capture_output=True, text=True
    )


def fail_with(error: BaseException) -> Result:
    """Run a group of the same class as ours, whose command raises `error`."""

    @click.group(cls=LazyGroup)
    def group() -> None:
        pass

    @group.command()
    def stumble() -> None:
        raise error

    return CliRunner().invoke(group, ["stumble"])


def test_help_lists_every_command_and_imports_none() -> None:
    code = (
        "import sys; from coffeerush.cli.commands import group; "
        "group(['-h'], standalone_mode=False); "
        "print([m for m in sys.modules if m.startswith('coffeerush.cli.')])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    *text, loaded = done.stdout.splitlines()
    listed = text[text.index("Commands:") + 1 :][: len(COMMANDS) + 1]
    assert [line.split()[0] for line in listed] == [*COMMANDS, "completion"]
    assert set(ast.literal_eval(loaded)) == {"coffeerush.cli.commands", "coffeerush.cli.options"}


def test_korean_help_has_aligned_columns_within_its_lines() -> None:
    done = run("--lang", "ko", "play", "--help")
    about, options, _examples = done.stdout.split("\n\n", 3)[1:]
    lines = options.splitlines()[1:]
    explained = [re.match(r"(?:  -.*?)?  +(?=[^\s-])", line) for line in lines]
    assert {width(found[0]) for found in explained if found} == {34}
    assert max(map(width, [about, *lines])) <= 78


@pytest.mark.parametrize(
    ("language", "named"),
    [
        ("en", "coffee|milk|steam|ice|chocolate|caramel|tea|water"),
        (
            "ko",
            "커피콩 (coffee)|우유 (milk)|스팀 (steam)|얼음 (ice)|초콜릿 (chocolate)|"
            "캐러멜 (caramel)|찻잎 (tea)|물 (water)",
        ),
    ],
)
def test_deck_check_names_ingredients_and_their_words_in_the_file(
    language: str, named: str
) -> None:
    with spoken(language):
        deck = str(ROOT / "coffeerush" / "decks" / "standard.toml")
        done = CliRunner().invoke(group, ["deck", "check", deck])
    shares = done.output.splitlines()[5:]
    assert [re.split(" {2,}", line.strip())[0] for line in shares] == named.split("|")
    assert len({width(line) for line in shares}) == 1


@pytest.mark.parametrize("name", COMMANDS)
def test_every_listed_command_exists(name: str) -> None:
    done = CliRunner().invoke(group, [name, "--help"])
    assert done.exit_code == 0
    assert f"coffeerush {name}" in done.output


def test_version_names_the_protocol() -> None:
    done = CliRunner().invoke(group, ["--version"])
    assert done.stdout.startswith("coffeerush 0.1.0 (protocol 6)")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("jion", "jion"),
        ("join --lang es 127.0.0.1:9 durasno zzz zzz", "«durazno»"),
        ("play --bots regular,random --name Ann --first Bob", "Ann, Crema, Limu"),
    ],
)
def test_wrong_usage_exits_with_2_and_says_what_would_be_right(words: str, said: str) -> None:
    done = CliRunner().invoke(group, words.split())
    set_language()
    assert done.exit_code == 2
    assert said in done.stderr


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (LinkError("No host answers."), 1),
        (DeckError("line 3: no such drink"), 1),
        (CoffeeRushError("Something."), 1),
        (IllegalIntent("stale"), 1),
        (UsageError("Two seats at least."), 2),
    ],
)
def test_our_errors_are_one_line(error: Exception, code: int) -> None:
    done = fail_with(error)
    assert (done.exit_code, done.stderr) == (code, f"Error: {error}\n")


def test_foreign_text_in_errors_is_sanitized() -> None:
    assert fail_with(LinkError("no\x1b[2J\nroom")).stderr == "Error: no[2J room\n"


@pytest.mark.parametrize("error", [KeyboardInterrupt(), click.Abort()])
def test_interrupt_is_quiet(error: BaseException) -> None:
    done = fail_with(error)
    assert (done.exit_code, done.output) == (INTERRUPTED, "")


@pytest.mark.slow
@pytest.mark.parametrize(
    "loaded",
    [
        "protocol.codec",
        "coffeerush.ui.words.i18n",
        "coffeerush.local.settings",
        "coffeerush.cli.bot",
        "asyncio.events",
    ],
)
def test_an_interrupt_during_imports_is_quiet(loaded: str) -> None:
    code = f"""if True:
        import runpy, signal, sys

        class Interrupts:
            def find_spec(self, name, path, target=None):
                if name == {loaded!r}:
                    signal.raise_signal(signal.SIGINT)

        signal.signal(signal.SIGINT, signal.default_int_handler)  # else a shell may ignore it
        sys.meta_path.insert(0, Interrupts())
        sys.argv = ["coffeerush", "bot", "--help"]
        runpy.run_module("coffeerush", run_name="__main__", alter_sys=True)
    """
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (INTERRUPTED, "", "")


def test_a_bug_is_not_caught() -> None:
    assert isinstance(fail_with(ZeroDivisionError()).exception, ZeroDivisionError)


def test_a_broken_pipe_is_not_a_traceback() -> None:
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


CLOSED = "Error: Standard output is closed; redirect it to a terminal or a file.\n"
FULL = ">/dev/full", 1, "Error: No space left on device\n"
OF_LINUX = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full: Linux")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "output", "code", "told"),
    [
        ("--plain", ">&-", 2, CLOSED),
        *[pytest.param(words, *FULL, marks=OF_LINUX) for words in ("--plain", "-h", "play -h")],
    ],
)
def test_an_unwritable_output_is_not_a_traceback(
    words: str, output: str, code: int, told: str, tmp_path: Path
) -> None:
    done = redirected(words.split(), output, tmp_path)
    assert (done.returncode, done.stderr) == (code, told)


def redirected(
    words: Sequence[str], redirection: str, tmp_path: Path
) -> subprocess.CompletedProcess[str]:
    """Run a command with a redirection by the shell; its input is empty."""
    command = ["sh", "-c", f'exec "$@" {redirection}', "sh", sys.executable, "-m", "coffeerush"]
    return subprocess.run(
        [*command, *words],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, STATE_VARIABLE: str(tmp_path)},
    )


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
def test_another_package_named_protocol_is_reported(tmp_path: Path, shape: str) -> None:
    foreign = tmp_path / shape
    foreign.parent.mkdir(exist_ok=True)
    foreign.touch()
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.append({str(ROOT)!r}); import coffeerush"],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    if shape == "protocol/other.py":
        # A folder without __init__.py is imported only if there is no regular package.
        assert done.returncode == 0
    else:
        assert "ImportError: another Python package named protocol hides" in done.stderr
        assert str(foreign) in done.stderr


def people(*words: str, settings: str = "{}", tmp_path: Path, **more: str) -> Result:
    """Run `play` up to its `LocalPerson`, and print the settings in force."""

    @click.command()
    @person_options
    @click.pass_context
    def show(context: click.Context) -> None:
        person = person_of(context)
        click.echo(f"{person.name} {person.plain} {person.settings}")

    @click.group(cls=LazyGroup)
    @person_options
    def outer() -> None:
        pass

    outer.add_command(show)
    (tmp_path / FILE_NAME).write_text(settings, encoding="utf-8")
    done = CliRunner().invoke(outer, [*words], env={STATE_VARIABLE: str(tmp_path), **more})
    set_language()
    return done


def in_force(*words: str, settings: str = "{}", tmp_path: Path) -> str:
    done = people(*words, settings=settings, tmp_path=tmp_path)
    assert done.exit_code == 0, done.output
    return done.output


OPTIONS = ["--lang", "it", "--theme", "light", "--ascii", "--no-mouse", "--plain", "--name", "Bo"]


def test_options_mean_the_same_before_and_after_the_command(tmp_path: Path) -> None:
    chosen = Settings(language="it", theme="light", ascii=True, mouse=False, name="Bo")
    wanted = f"Bo True {chosen}\n"
    assert in_force("show", *OPTIONS, tmp_path=tmp_path) == wanted
    assert in_force(*OPTIONS, "show", tmp_path=tmp_path) == wanted
    assert in_force(*OPTIONS, "show", "--name", "Cy", tmp_path=tmp_path).startswith("Cy True")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "closed"),
    [
        ("--screen", "<&-"),
        ("play --screen", "</dev/null"),
        ("--screen play", ">/dev/null"),
        ("replay --screen x", "2>&-"),
    ],
)
def test_a_full_screen_without_a_terminal_is_an_error(
    words: str, closed: str, tmp_path: Path
) -> None:
    done = redirected(words.split(), closed, tmp_path)
    said = "Error: The full screen needs a terminal; use --plain instead.\n"
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == ("" if closed == "2>&-" else said)


@pytest.mark.slow
def test_closed_descriptors_are_handled(tmp_path: Path) -> None:
    done = redirected(["play", "--plain", "--bots", "random"], "<&- 2>&-", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "You have left the table." in done.stdout


def test_options_default_to_the_settings(tmp_path: Path) -> None:
    kept = '{"theme": "contrast", "name": "Ann", "mouse": false}'
    told = in_force("show", settings=kept, tmp_path=tmp_path)
    assert told.startswith("Ann True Settings("), "a pipe gets plain mode"
    assert "theme='contrast'" in told
    assert in_force("show", "--theme", "dark", settings=kept, tmp_path=tmp_path).count("dark") == 1
    assert (tmp_path / FILE_NAME).read_text(encoding="utf-8") == kept, "options are not saved"


@pytest.mark.parametrize("typed", ["pt_BR", "pt-br", "pt", "PT"])
def test_a_language_may_be_spelled_in_any_way(typed: str, tmp_path: Path) -> None:
    assert "language='pt_BR'" in in_force("show", "--lang", typed, tmp_path=tmp_path)


@pytest.mark.parametrize(("option", "known"), [("--lang", LANGUAGES[1:]), ("--theme", THEMES)])
def test_unknown_values_are_refused_with_the_choices(
    option: str, known: tuple[str, ...], tmp_path: Path
) -> None:
    done = people("show", option, "xx", tmp_path=tmp_path)
    assert done.exit_code == 2
    assert all(f"'{name}'" in done.output for name in known)


def test_a_missing_key_of_an_owner_is_not_created(tmp_path: Path) -> None:
    key = tmp_path / "owner.key"
    done = CliRunner().invoke(group, ["conformance", "host", "127.0.0.1:1", "--key", str(key)])
    assert done.exit_code == 2
    assert f"{key} does not hold a key pair." in done.output
    assert not key.exists()


def test_a_name_without_printable_characters_is_refused(tmp_path: Path) -> None:
    done = people("--name", "\u200b", "show", tmp_path=tmp_path)
    assert (done.exit_code, done.output.count("\n")) == (2, 1)
    assert "--name" in done.output


@pytest.mark.slow
def test_the_usage_names_arguments_as_the_help_does() -> None:
    shown = run("join", "--lang=ru", "--help").stdout
    assert "coffeerush join [ПАРАМЕТРЫ] [АДРЕС] [КОД]..." in shown
    assert "адресу АДРЕС. КОД — три слова" in shown
    assert "ADDRESS" not in shown
    assert "'ФАЙЛ'" in run("--lang", "ru", "replay").stderr
    usage = CliRunner().invoke(group, ["export", "-h"], prog_name="coffeerush").stdout
    assert "coffeerush export [OPTIONS] FILE\n" in usage
