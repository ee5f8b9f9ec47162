"""This machine: directories, settings, key files, child processes and resource limits.

Imports only errors and the protocol.
"""
