"""Exercises over a network: figures of ours are sent, figures of others are shown."""
