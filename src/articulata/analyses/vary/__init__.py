"""Vary: which runs show how a world depends on its parameters, and what is measured of each."""
