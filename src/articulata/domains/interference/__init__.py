"""The interference domain: which bodies may touch, how far apart they are, where they touch."""
