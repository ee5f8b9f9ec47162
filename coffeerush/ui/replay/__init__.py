"""The replay: step through a finished game, forwards and backwards."""
