"""A place at somebody's table, without any screen: the connection and what is known through it.

`session` and `model` are sans-I/O; nothing here is translated. Never imports the host.
"""
