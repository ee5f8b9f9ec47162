"""One table, sans-I/O: a time, a key and a request in, answers and updates out.

`table` handles requests and ticks; `state`, `people` and `game` hold what they change. `lobby` has
what people ask for (chat, too), `lifecycle` goes from lobby to game to result, `bot_seats` moves
for whoever is away, `request_rates` limits, `answers` answers repeats, `updates` publishes and
`resume` comes back from a record. Imports rules and records' entries; the caller writes those.
"""
