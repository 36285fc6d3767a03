"""Building codes beside bodies: their tables, and what they find in a room."""
