"""A client's place at a table, without any screen: the connection and the model behind it.

`session` and `model` are sans-I/O; nothing here is translated. Never imports the host.
"""
