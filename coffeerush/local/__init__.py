"""This machine: directories, settings, key files, child processes and what they may take."""
