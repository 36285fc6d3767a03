"""Stepping mode: many contacts at once, by steps of fixed length."""
