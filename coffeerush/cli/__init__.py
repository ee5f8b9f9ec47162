"""The commands: one module each, imported lazily; `commands` handles their errors."""


def examples(*lines: str) -> str:
    """Return the epilog of a command's help: command lines to copy, printed verbatim."""
    from coffeerush.ui.words.i18n import _  # imported late: `main` must be able to catch Ctrl-C

    return "\n".join(["\b", _("Examples:"), *(f"  {line}" for line in lines)])
