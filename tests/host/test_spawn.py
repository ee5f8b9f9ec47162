"""A host as a process of its own: what is left of it on this machine."""

from pathlib import Path

import pytest

from coffeerush.host.spawn import LOG_NAME, spawn_host
from coffeerush.places import STATE_VARIABLE


@pytest.mark.parametrize("is_new", [True, False])
def test_its_log_has_the_code_and_is_for_its_owner_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_new: bool
) -> None:
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path))
    tmp_path.chmod(0o755)
    log = tmp_path / LOG_NAME
    if not is_new:
        log.touch()
        log.chmod(0o644)
    with spawn_host(["--bind", "127.0.0.1", "--port", "0"]) as process:
        assert process.code in log.read_text()
        assert log.stat().st_mode & 0o777 == 0o600
