"""How far apart convex pieces of bodies are, and where they touch: compiled closed forms."""
