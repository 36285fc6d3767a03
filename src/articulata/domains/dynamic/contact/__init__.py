"""Contact: parts that may touch, how they touch, impacts, forces, and the way through them."""
