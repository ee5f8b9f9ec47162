"""The process that serves a table: it owns the sockets."""
