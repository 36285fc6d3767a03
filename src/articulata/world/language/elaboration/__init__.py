"""A checked tree with arguments becomes a world."""
