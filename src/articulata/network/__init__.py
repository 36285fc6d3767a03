"""Bytes to and from other programs: controllers that run in processes of their own."""
