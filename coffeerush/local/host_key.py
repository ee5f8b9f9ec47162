"""The host's CURVE key pair: the same after every start, since clients return to the key they know.

It lies in a file of its own beside the records, for its owner alone; never in a record or a log.
"""

from pathlib import Path
from typing import Final

from coffeerush.errors import HostError

from .keys import KeyPair, kept_keys

FILE_NAME: Final = "host.key"


def host_key(directory: Path) -> KeyPair:
    """Return the key pair of the hosts that keep their records in `directory`.

    Raises:
        HostError: the file cannot be read or written, or holds no key pair.
    """
    path = directory / FILE_NAME
    try:
        return kept_keys(path)
    except OSError as error:
        raise HostError(
            "The host's key cannot be kept in {path}: {reason}; choose another directory with "
            "--record.",
            path=path,
            reason=error,
        ) from None
    except ValueError:
        raise HostError(
            "{path} does not hold a host's key: move it away, and a new one is made.", path=path
        ) from None
