"""Inverse dynamics of chains and trees, statics, and the fastest way along a path."""
