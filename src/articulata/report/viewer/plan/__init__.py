"""The page on which rooms are drawn, and its server."""
