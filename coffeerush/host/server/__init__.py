"""The process that serves a table: sockets, log and the bots' child process.

Everything from the wire is untrusted until `frames` and the codec have validated it.
"""
