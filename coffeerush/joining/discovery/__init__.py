"""Tables found by multicast DNS: the host announces, the client browses.

Both sides run in child processes: what strangers send harms no table and no screen.
"""
