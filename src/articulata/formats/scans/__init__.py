"""Scans of rooms: one surface with holes becomes a floor, walls and furniture."""
