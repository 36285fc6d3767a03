"""Comfort: how a posture feels to a person, by published scales."""
