"""`coffeerush arena`: compare bots on this machine or on a cluster, and show the result."""

from .command import command as command
