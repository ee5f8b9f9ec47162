"""One table, sans-I/O: a time, a key and a request in, answers and updates out.

Imports rules and the lines of records; whoever calls it writes them to disk.
"""
