"""The mutations that `scripts/mutate` makes, and its report on a tree of two files."""

import shutil
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from scripts.programs.mutate.__main__ import main, sources
from scripts.programs.mutate.mutants import places_of, sample
from scripts.programs.mutate.nearest import Imports

ROOT = Path(__file__).parents[1]
TESTED = b"""\
def is_grown(age: int) -> bool:
    \"\"\"Tell it.\"\"\"
    return age >= 18
"""
UNTESTED = b"""\
def wait(seconds: int = 3) -> None:
    print(seconds)
"""
TEST = """\
from coffeerush.ages import is_grown


def test_grown() -> None:
    assert [is_grown(age) for age in (16, 17, 18, 19)] == [False, False, True, True]
"""


def changed(source: str) -> set[str]:
    """Return all mutations of a source."""
    bytes_ = source.encode()
    places = places_of("one.py", bytes_)
    return {mutant.applied(bytes_).decode() for place in places for mutant in place}


@pytest.mark.parametrize(
    ("source", "others"),
    [
        ("x = a < b", {"x = a <= b", "x = a >= b"}),
        ("x = a not  in b", {"x = a in b"}),
        ("x = is_a is is_b", {"x = is_a is not is_b"}),
        ("x = a == b <= c", {"x = a != b <= c", "x = a == b < c", "x = a == b > c"}),
        ("x = a and not b", {"x = a or not b", "x = a and b"}),
        ("x = (a) - (\n    'é')", {"x = (a) + (\n    'é')"}),
        ("x: Final = 80", {"x: Final = 81", "x: Final = 79"}),
        ("x = 0.5", {"x = 1.5", "x = -0.5"}),
        ("x = [True]", {"x = [False]"}),
        ("a.b = c", {"pass"}),
        ("a += b", {"pass"}),
        ("f(a)", {"pass"}),
        ("if a:\n    raise b", {"if not (a):\n    raise b", "if a:\n    pass"}),
        ("x = [a for a in b if c(a)]", {"x = [a for a in b if not (c(a))]"}),
        ("def f():\n    return x", {"def f():\n    return None"}),
        ("def f():\n    return", {"def f():\n    pass"}),
        ("x: Literal[3]", set()),
        ("assert a == b", set()),
        ("class A(Struct, frozen=True):\n    '''B.'''", set()),
        ("x = f'{a + b}'", set()),
        ("X: TypeAlias = A | B", set()),
    ],
)
def test_changes(source: str, others: set[str]) -> None:
    assert changed(source) == others


@pytest.mark.slow
def test_every_change_compiles_to_something_else() -> None:
    modules = sources(ROOT, "host")
    for mutant in sample(modules, 150, Random(1)):
        source = modules[mutant.path]
        assert mutant.applied(source) != source
        compile(mutant.applied(source), mutant.path, "exec")


def test_the_same_seed_makes_the_same_changes() -> None:
    modules = sources(ROOT, "rules")
    one, same, other = (sample(modules, 20, Random(seed)) for seed in (1, 1, 2))
    assert one == same != other
    assert {mutant.path.split("/")[1] for mutant in one} == {"rules"}
    assert len({mutant.start for mutant in one}) == len(one)


def test_the_nearest_tests_are_those_that_import_a_module(tmp_path: Path) -> None:
    for path, source in {
        "coffeerush/cups.py": "",
        "coffeerush/table/__init__.py": "",
        "coffeerush/table/full.py": "from ..cups import fill",
        "coffeerush/table/play.py": "import_module(f'coffeerush.table.{name}')",
        "tests/test_alone.py": "import json",
        "tests/test_cups.py": "from coffeerush import cups",
        "tests/test_full.py": "import coffeerush.table.full",
        "tests/test_play.py": "from coffeerush.table.play import play",
        "tests/support/cups.py": "from coffeerush import cups",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(source)
    assert Imports(tmp_path).tests_of("coffeerush/cups.py") == [
        "tests/test_cups.py",
        "tests/test_full.py",
        "tests/test_play.py",
        "tests/test_alone.py",
    ]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a small product with one test, next to this program."""
    shutil.copytree(ROOT / "scripts" / "programs", tmp_path / "scripts" / "programs")
    for folder in ("coffeerush", "protocol", "tests"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "__init__.py").touch()
    (tmp_path / "coffeerush" / "ages.py").write_bytes(TESTED)
    (tmp_path / "coffeerush" / "waits.py").write_bytes(UNTESTED)
    (tmp_path / "tests" / "test_ages.py").write_text(TEST, encoding="utf-8")
    return tmp_path


def mutate(tree: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the program on a tree."""
    return subprocess.run(
        [sys.executable, "-m", "scripts.programs.mutate", *words, "--count", "100"],
        cwd=tree, capture_output=True, text=True,
    )  # fmt: skip


def contents(tree: Path) -> dict[Path, bytes]:
    """Return the bytes of each file of a tree but for compiled ones."""
    files = (path for path in tree.rglob("*") if path.is_file() and path.suffix != ".pyc")
    return {path: path.read_bytes() for path in files}


@pytest.mark.soak
def test_a_change_that_no_test_notices_survives(tree: Path) -> None:
    before = contents(tree)
    done = mutate(tree, "ages", "waits.py")
    assert not done.stderr
    *survivors, ages, waits, everything = done.stdout.splitlines()
    assert ages == "ages: 0 of 3 survived"
    assert waits == "waits.py: 2 of 2 survived"
    assert everything == "all: 2 of 5 survived, 40.0%"
    assert all(line.startswith("coffeerush/waits.py:") for line in survivors)
    assert "coffeerush/waits.py:2: print(seconds)  ->  pass" in survivors
    assert contents(tree) == before


@pytest.mark.soak
def test_failing_tests_are_an_error(tree: Path) -> None:
    (tree / "coffeerush" / "ages.py").write_bytes(TESTED.replace(b"18", b"21"))
    done = mutate(tree, "ages")
    assert done.returncode == 1
    assert "The tests fail without any change" in done.stderr


def test_a_missing_room_is_an_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["scripts/mutate", "attic"])
    with pytest.raises(SystemExit):
        main()
    assert "there is no module at attic" in capsys.readouterr().err
