"""This machine: directories, settings, key files, processes of ours and what they may take.

Imports nothing but errors and the protocol.
"""
