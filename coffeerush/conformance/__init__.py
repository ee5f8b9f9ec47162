"""Conformance: whether hosts and clients, in whatever language, do what SPEC.md says.

The lines about rules are for developers and stay English, like the host's log.
"""
