"""LAN discovery by multicast DNS (DNS-SD): the host announces its table, the client browses.

Both sides run in child processes, so that malicious packets harm neither table nor screen.
"""
