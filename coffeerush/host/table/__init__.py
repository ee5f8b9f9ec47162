"""One table, sans-I/O: a time, a key and a request in, answers and updates out.

`table` handles requests and ticks; `state`, `people` and `game` hold what they change. `lobby`
carries out people's requests (chat, too), `owner` those about how the table plays. `lifecycle` goes
from lobby to game to result, `bot_seats` moves for bots and absent people, `request_rates` has the
rate limit, `answers` makes retries idempotent, `updates` publishes and `resume` restores a table
from a record. Imports rules and records' entries; the caller writes those.
"""
