"""The client's CURVE key pairs, one for each host and name: by its key a client is itself again.

They lie in the program's own directory, for its owner alone.
"""

import hashlib

from coffeerush.errors import LinkError

from .directories import state_directory
from .durable import make_directory
from .keys import KeyPair as KeyPair, kept_keys, new_keys as new_keys


def keys_for(host_key: str, name: str) -> KeyPair:
    """Return the key pair of `name` at a host, wherever that is: the same each time.

    Args:
        host_key: its CURVE public key in Z85.
        name: how one is called there.

    Raises:
        LinkError: it cannot be kept, or what is kept is no key pair.
    """
    wanted = f"{host_key}\n{name}".encode()
    try:
        path = state_directory() / "keys" / f"{hashlib.sha256(wanted).hexdigest()[:32]}.key"
        make_directory(path.parent)
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
