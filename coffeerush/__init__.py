"""Coffee Rush at a terminal: rules, host, client and bots."""

import protocol

__version__ = "0.1.0"

if getattr(protocol, "PROTOCOL_NAME", None) != "coffeerush":
    raise ImportError(
        f"another package named protocol hides the one of coffeerush: {protocol.__file__}; "
        "rename or uninstall it"
    )
