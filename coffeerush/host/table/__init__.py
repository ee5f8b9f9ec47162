"""One table, sans-I/O: a time, a key and a request in, answers and updates out.

`table` handles requests and ticks, has the answers, updates and rate limits, and restores a table
from a record; `state` and `people` hold what they change. `requests` carries out people's requests,
chat included, and `queue` seats those who wait. `lifecycle` goes from lobby to game to result, and
moves for bots and absent people. Imports rules and records' entries; the caller writes those.
"""
