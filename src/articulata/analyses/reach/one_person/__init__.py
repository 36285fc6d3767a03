"""One person: her body, and what it reaches from one base whatever stands about it."""
