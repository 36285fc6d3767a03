"""Figures of a world: what a text says of them, and the bodies and hinges that follow."""
