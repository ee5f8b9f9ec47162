"""`coffeerush league`: the house league as text, JSON, CSV and charts, and merges of people."""

from .command import command as command
