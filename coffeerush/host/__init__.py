"""One table and the process that serves it; `run` wires them together. Never imports the client."""
