"""Joining a table: the join code and its proof, both sides of the door handshake, known hosts.

`admission` decides who is admitted. `door_host` and `door_client` are the two sides of the
handshake, sans-I/O; `door_server` and `enrolment` run it over TCP. Imports local.
"""
