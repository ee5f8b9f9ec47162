"""The commands: one module each, loaded when it is called.

Errors become a sentence and an exit code in `commands`.
"""


def examples(*lines: str) -> str:
    """Return the epilog of a command's help: command lines to copy, printed as they are."""
    from coffeerush.ui.words.i18n import _  # Ctrl-C is not caught before `main` runs

    return "\n".join(["\b", _("Examples:"), *(f"  {line}" for line in lines)])
