"""How somebody gets in: the join code and its proof, the door on both sides, known hosts.

Host and client share this room and nothing else. Imports local; pure but for `door_server` and
`enrolment`.
"""
