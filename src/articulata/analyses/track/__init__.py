"""Track: how a figure follows a live person."""
