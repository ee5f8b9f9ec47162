"""Tables found by multicast DNS: the host announces, the client browses."""
