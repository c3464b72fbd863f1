"""The command line."""

from partita.cli.app import main

__all__ = ["main"]
