"""Surroundings of a person: the floor, what stands on it, and what moves or can be moved."""
