"""All tables of a host, sans-I/O: each request goes to its sender's table."""
