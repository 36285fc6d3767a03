"""Bytes from trackers, pucks and robots turned into samples."""
