"""Partita."""
