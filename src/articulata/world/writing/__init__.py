"""Writing a world as text again."""
