"""The process that serves a table: it owns the sockets, the log and the bots' process.

Everything from the wire is hostile until `frames` and the codec have bounded it.
"""
