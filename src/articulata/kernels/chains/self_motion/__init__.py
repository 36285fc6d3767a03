"""Seven joints: self-motion manifolds, cut by limits into families of postures."""
