"""This machine: directories, settings, key files, child processes and resource limits."""
