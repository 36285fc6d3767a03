"""The definitional system: worlds written in text or built in Python, and their edits."""
