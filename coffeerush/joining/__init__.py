"""How somebody gets in: the join code and its proof, the door on both sides, known hosts.

`admission` decides who is let in. `door_host` and `door_client` are the two ends of the
conversation at the door, sans-I/O; `door_server` and `enrolment` hold it over TCP. Imports local.
"""
