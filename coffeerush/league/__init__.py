"""The house league: everybody's results and ratings, from the game records of this machine.

The records and the merges are the truth; the database is only a cache of the records. Imports
rules, records, local and protocol.
"""
