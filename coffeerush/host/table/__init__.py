"""One table, sans-I/O: a time, a key and a request in, answers and updates out."""
