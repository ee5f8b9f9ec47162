"""The client's CURVE key pairs, one for each table and name: by its key a client is itself again.

They lie in the program's own directory, for its owner alone.
"""

import hashlib

from coffeerush.errors import LinkError
from coffeerush.keyfile import KeyPair as KeyPair, kept_keys, new_keys as new_keys
from coffeerush.places import state_directory


def keys_for(address: str, port: int, name: str) -> KeyPair:
    """Return the key pair of `name` at the table of an address: the same each time.

    Raises:
        LinkError: it cannot be kept, or what is kept is no key pair.
    """
    wanted = f"{address}\n{port}\n{name}".encode()
    try:
        path = state_directory() / "keys" / f"{hashlib.sha256(wanted).hexdigest()[:32]}.key"
        path.parent.mkdir(mode=0o700, exist_ok=True)
        return kept_keys(path)
    except OSError as error:
        raise LinkError(
            "Your key cannot be kept: {reason}; set COFFEERUSH_STATE to a directory that can be "
            "written.",
            reason=error,
        ) from None
    except ValueError:
        raise LinkError(
            "{path} holds no key: move it away, and you come to the table as somebody new.",
            path=path,
        ) from None
