"""Reach: which points and objects of a room a person can touch, from where, and why not."""
