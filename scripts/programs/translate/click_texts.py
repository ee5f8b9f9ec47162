"""Built-in texts of click that our command line shows, verbatim."""

from typing import Final

# Most are from click 8.5; texts that differ in 8.2 follow theirs.
TEXTS: Final[tuple[str | tuple[str, str], ...]] = (
    "Usage:",
    "Options",
    "Commands",
    "Positional arguments",
    "Show this message and exit.",
    "default: {default}",
    "required",
    "Error: {message}",
    "Try '{command} {option}' for help.",
    "Missing command.",
    "Missing argument",
    "Missing option",
    "Missing parameter",
    "No such option {name!r}.",
    "No such option: {name}",
    "No such command {name!r}.",
    ("Did you mean {possibility}?", "(Did you mean one of: {possibilities}?)"),
    ("Got unexpected extra argument ({args})", "Got unexpected extra arguments ({args})"),
    ("Option {name!r} requires an argument.", "Option {name!r} requires {nargs} arguments."),
    "Option {name!r} does not take a value.",
    "Invalid value: {message}",
    "Invalid value for {param_hint}: {message}",
    "Choose from:\n\t{choices}",
    ("{value!r} is not {choice}.", "{value!r} is not one of {choices}."),
    "{value!r} is not a valid {number_type}.",
    "{value} is not in the range {range}.",
    "[OPTIONS]",
    "[COMMAND] [ARGS]...",
    "COMMAND [ARGS]...",
    "file",
    "directory",
    "path",
    "{name} {filename!r} does not exist.",
    "{name} {filename!r} is a file.",
    "{name} {filename!r} is a directory.",
    "{name} {filename!r} is not readable.",
)
"""Texts, with singular and plural for those that have a count."""
