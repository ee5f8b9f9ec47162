"""The host: a table that only thinks, and around it the sockets, the record and the bots."""
