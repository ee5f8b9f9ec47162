"""The process that serves a table; `frames` and the codec validate all that is untrusted."""
