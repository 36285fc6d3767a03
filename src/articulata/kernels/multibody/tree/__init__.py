"""The elimination tree of a mechanism: its order, its solution and its loops."""
