"""Simulate: how a world moves by itself."""
