"""One table and the process that serves it.

`table/` is sans-I/O, `server/` owns the sockets, `run` wires them together. Never imports the
client.
"""
