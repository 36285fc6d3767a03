"""Text to syntax tree and back: scanning, parsing, printing."""
