"""A tracker without hardware: it speaks the bytes of the real one, both ways."""
