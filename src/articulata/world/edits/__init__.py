"""Edits: changes of a world as values, each knowing its inverse."""
