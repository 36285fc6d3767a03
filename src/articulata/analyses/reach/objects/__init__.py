"""Objects of a room: whether they are reached, operated and seen, and what would mend it."""
