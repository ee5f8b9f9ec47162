"""Coffee Rush in the terminal: rules, host, client and bots."""

try:
    import protocol
except KeyboardInterrupt:  # this import takes half the start-up time before `main` catches Ctrl-C
    raise SystemExit(130) from None

__version__ = "0.1.0"

if getattr(protocol, "PROTOCOL_NAME", None) != "coffeerush":
    # A namespace package has no __file__, but it has a path.
    _found = getattr(protocol, "__file__", None) or next(iter(protocol.__path__))
    raise ImportError(
        f"another Python package named protocol hides the one that coffeerush needs: {_found}; "
        "rename it, uninstall it or start somewhere else"
    )
